"""Warnings where tokens of systems or references differ in form: subwords, capitals, punctuation, accents."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from lattice_simp.commands.inputs.whole_sentences import SAMPLES, sampled
from lattice_simp.commands.shared.messages import say
from lattice_simp.core.lattice import Lattice
from lattice_simp.formats.pieces import FOREIGN, PIECES
from lattice_simp.ops.nbest import nbest

if TYPE_CHECKING:
    from lattice_simp.systems.combination.combine import Output

_LEAST = 3
"""The fewest tokens of a kind that show how a system writes it."""

_PUNCTUATION = frozenset(".,;:!?…。，、！？；：।؟،")
_ACCENTS = "the form of accents"
_TOKENS = "lattice-simp lattice tokens"


@dataclass(frozen=True)
class TokenForms:
    """The form of a system's tokens.

    Attributes:
        pieces: the kind of subwords, `none`, or `other` for marks that cannot be joined here.
        case: `lower`, `upper`, or `mixed`; empty if there are too few letters with case.
        punctuation: `detached` from words, `attached` to them, or `no`; empty if a system mixes forms or has too few
            tokens.
        accents: `composed` with their letters (NFC) or `decomposed`; empty without any.
    """

    pieces: str
    case: str
    punctuation: str
    accents: str

    @classmethod
    def of(cls, lines: Iterable[Sequence[str]]) -> TokenForms:
        """Returns the forms of sentences.

        >>> TokenForms.of([["The", "hous@@", "e", "fell", "."]] * 9)
        TokenForms(pieces='bpe', case='mixed', punctuation='detached', accents='')
        """
        sentences = list(lines)
        pieces = _pieces([token for line in sentences for token in line])
        kind = PIECES.get(pieces)
        words = [word for line in sentences for word in (line if kind is None else kind.join(line))]
        return cls(pieces, _case(words), "" if pieces == "other" else _punctuation(words), _accents(words))


def _pieces(tokens: Sequence[str]) -> str:
    for name, kind in PIECES.items():
        if sum(kind.begins(token) or kind.goes_on(token) for token in tokens) >= min(_LEAST, len(tokens)) > 0:
            return name
    return "other" if sum(token.startswith(FOREIGN) and token not in FOREIGN for token in tokens) >= _LEAST else "none"


def _case(tokens: Sequence[str]) -> str:
    """Returns the case of words; a capital in fifty words is enough for mixed case."""
    words = [token for token in tokens if token.lower() != token.upper()]
    if len(words) < _LEAST:
        return ""
    if 50 * sum(word != word.lower() for word in words) < len(words):
        return "lower"
    return "upper" if 50 * sum(word != word.upper() for word in words) < len(words) else "mixed"


def _accents(tokens: Sequence[str]) -> str:
    """Returns how most words write characters that have two forms in Unicode.

    >>> _accents(["cafe\u0301"]), _accents(["caf\u00e9", "noir"]), _accents(["noir"])
    ('decomposed', 'composed', '')
    """
    words = [token for token in tokens if not token.isascii()]
    decomposed = sum(not unicodedata.is_normalized("NFC", word) for word in words)
    composed = sum(not unicodedata.is_normalized("NFD", word) for word in words) - decomposed
    return "decomposed" if decomposed > composed else "composed" if composed > 0 else ""


def _punctuation(tokens: Sequence[str]) -> str:
    detached = sum(_PUNCTUATION.issuperset(token) for token in tokens)
    attached = sum(token[-1:] in _PUNCTUATION and not _PUNCTUATION.issuperset(token) for token in tokens)
    if detached + attached < _LEAST:
        return "no" if len(tokens) > 50 * (detached + attached) else ""
    if 4 * detached < attached:
        return "attached"
    return "detached" if 4 * attached < detached else ""


def checked_forms(
    sources: Sequence[str], sentences: Iterable[tuple[Output, ...]], pieces: str
) -> Iterator[tuple[Output, ...]]:
    """Yields the systems' outputs for each sentence unchanged, and warns on stderr if their tokens differ in form.

    `pieces` is the kind of subwords that will be joined.
    """

    def check(samples: Sequence[Sequence[Sequence[str]]]) -> None:
        forms = [TokenForms.of(lines[place] for lines in samples) for place in range(len(sources))]
        for message in form_differences(sources, forms, pieces):
            say(f"lattice-simp: {message}")

    return sampled(sentences, lambda outputs: list(map(_best, outputs)), check)


def checked_tokens(lines: Iterable[Sequence[str]], name: object) -> Iterator[Sequence[str]]:
    """Yields the tokens of English lines unchanged, and warns on stderr if punctuation is attached to words."""

    def check(samples: Sequence[Sequence[str]]) -> None:
        if TokenForms.of(samples).punctuation == "attached":
            remedy = f"tokenise the text first: {_tokens(str(name))} --language en"
            say(f"{name}: punctuation is attached to words; {remedy}")

    return sampled(lines, lambda tokens: tokens, check)


def _best(output: Output) -> Sequence[str]:
    if isinstance(output, Lattice):
        return nbest(output, 1)[0].tokens
    return min(output, key=lambda entry: entry.cost).tokens if output else ()  # type: ignore[union-attr, arg-type]


def form_differences(sources: Sequence[str], forms: Sequence[TokenForms], pieces: str = "none") -> list[str]:
    """Returns a warning for each way in which the tokens of systems differ.

    >>> forms = [TokenForms.of([["The", "cat", "sat", "."]] * 9), TokenForms.of([["the", "cat", "sat", "."]] * 9)]
    >>> print(*form_differences(["one.txt", "two.txt"], forms))
    the case of words differs (one.txt: mixed, two.txt: lower): lattice-simp lattice tokens one.txt --case lower
    """
    subwords = _difference("subwords", sources, [form.pieces for form in forms], ("none",), _joined)
    warnings = [*([subwords] if subwords else []), *_word_differences(sources, forms)]
    kinds = {form.pieces for form in forms}
    if pieces == "none" and len(kinds) == 1 and kinds.issubset(PIECES):
        warnings.append(f"all systems have subwords; to combine words, give --pieces {kinds.pop()}")
    return warnings


def warn_of_word_forms(files: Mapping[str, Iterable[Sequence[str]]]) -> None:
    """Warns on stderr if the words of files, such as outputs and references, differ in case, punctuation or accents."""
    forms = [TokenForms.of(islice(lines, SAMPLES)) for lines in files.values()]
    for message in _word_differences([*files], forms):
        say(f"lattice-simp: {message}")


def warn_of_accents(files: Mapping[str, Iterable[Sequence[str]]]) -> None:
    """Warns on stderr if the words of files differ in the form of accents, so that equal words do not match."""
    forms = [TokenForms.of(islice(lines, SAMPLES)).accents for lines in files.values()]
    if message := _difference(_ACCENTS, [*files], forms, ("composed",), _composed):
        say(f"lattice-simp: {message}")


def _word_differences(sources: Sequence[str], forms: Sequence[TokenForms]) -> list[str]:
    warnings = [
        _difference("the case of words", sources, [form.case for form in forms], ("lower",), _lowered),
        _difference("punctuation", sources, [form.punctuation for form in forms], ("detached", "no"), _split),
        _difference(_ACCENTS, sources, [form.accents for form in forms], ("composed",), _composed),
    ]
    return [warning for warning in warnings if warning]


def _difference(
    what: str, sources: Sequence[str], values: Sequence[str], usual: Sequence[str], remedy: Callable[[str, str], str]
) -> str:
    """Returns the warning about one property; `remedy` is for a file with an unusual value."""
    pairs = [(source, value) for source, value in zip(sources, values, strict=True) if value]
    if len({value for _, value in pairs}) < 2:
        return ""
    listed = ", ".join(f"{source}: {value}" for source, value in pairs)
    verb = "differ" if what == "subwords" else "differs"
    aims = [value for value in usual if any(value == there for _, there in pairs)] or [usual[0]]
    remedies = dict.fromkeys(remedy(source, value) for source, value in pairs if value != aims[0])
    return f"{what} {verb} ({listed}): {'; '.join(remedies)}"


def _joined(source: str, kind: str) -> str:
    return f"{_tokens(source)} --pieces {kind}" if kind in PIECES else f"join those of {source} with their own program"


def _lowered(source: str, _: str) -> str:
    return f"{_tokens(source)} --case lower"


def _composed(source: str, _: str) -> str:
    code = 'import sys, unicodedata; print(end=unicodedata.normalize("NFC", sys.stdin.read()))'
    return f"python3 -c '{code}' < {quote(source)}"


def _split(source: str, value: str) -> str:
    if value == "no":
        return "give punctuation to all, or drop it with --ignore '. , ? !'"
    return f"{_tokens(source)} --language CODE"


def _tokens(source: str) -> str:
    """Returns the command that tokenises a file, or the lists of a folder's lattices."""
    if Path(source).is_dir():
        return f"lattice-simp lattice nbest {quote(source)} -n 100 --moses | {_TOKENS} -"
    return f"{_TOKENS} {quote(source)}"
