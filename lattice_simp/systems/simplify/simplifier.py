"""Sentences made simpler: splits, deletions, then other words; decided together, or one after the other.

The paper decodes greedily: splits, deletions, and then phrase-based translation with a language model of simple text.
Here all hypotheses of the first two steps are one word lattice, which the decoder translates, so that the best path of
everything is found at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import GrammarError, LatticeSimpError
from lattice_simp.formats.rule_table import RuleText
from lattice_simp.scores.edits import edit_distances
from lattice_simp.systems.simplify.analysis import Analysis, analyse
from lattice_simp.systems.simplify.deletion import Deletion, DeletionKind
from lattice_simp.systems.simplify.hypotheses import Hypotheses, Variant, from_variants, hypotheses, make_variant
from lattice_simp.systems.simplify.operations import OperationModel, deletion_feature, split_feature
from lattice_simp.systems.simplify.sentence import begins_with_vowel
from lattice_simp.systems.simplify.split import Split, compatible
from lattice_simp.text.english.parse import Parse
from lattice_simp.text.english.punctuation import mark_kind
from lattice_simp.text.english.spacy_parser import parse_sentences
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.derivation import COPY_RULE, RuleUse
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.result import Translation

OPERATIONS = "operations.tsv"
"""The file of a model folder that holds the probabilities of splits and deletions; the others are a decoder's."""

MAX_TOKENS = 100
"""Longer sentences are returned as they are: parses of lists and tables are of no use."""

CHANGE_BEAM = 30.0
"""Nats in which a hypothesis is looked for that differs from its source."""

Stage: TypeAlias = Literal["split", "delete", "substitute"]
Search: TypeAlias = Literal["joint", "greedy"]

STAGES: tuple[Stage, ...] = ("split", "delete", "substitute")


@dataclass(frozen=True)
class Substitution:
    """Words in the place of others.

    Attributes:
        source, target: the words before and after.
        start: where the words after begin among the tokens of the simplification; None where that is not known.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    start: int | None = None


@dataclass(frozen=True)
class Simplification:
    """A simpler sentence, or several, and how it came about.

    Attributes:
        source: the tokens of the sentence.
        tokens: of all new sentences, first words with capitals.
        cost: of the model; 0 for a sentence that was passed through.
        features: scores that make the cost, by name.
        splits, deletions, substitutions: what was done.
        problem: why the sentence was passed through; empty if it was not.
    """

    source: tuple[str, ...]
    tokens: tuple[str, ...]
    cost: float = 0.0
    features: Mapping[str, float] = field(default_factory=dict)
    splits: tuple[Split, ...] = ()
    deletions: tuple[Deletion, ...] = ()
    substitutions: tuple[Substitution, ...] = ()
    problem: str = ""

    @property
    def text(self) -> str:
        """The tokens, separated by blanks."""
        return " ".join(self.tokens)

    @property
    def is_changed(self) -> bool:
        """Whether it differs from its source."""
        return [word.lower() for word in self.tokens] != [word.lower() for word in self.source]


@dataclass(frozen=True, eq=False)
class Simplifier:
    """A model of splits and deletions, and a decoder from complex to simple words.

    Attributes:
        operations: the probabilities of splits and deletions.
        decoder: its weights `Input:Split`, `Input:Splits`, `Input:Relation`, `Input:Modifier`, `Input:Orphan` and
            `Input:Deleted` are those of the first steps' features (`hypotheses.py`).
        search: all steps at once, or one after the other as in the paper.
        stages: which steps there are.
        change: whether a sentence stays as it is only if no hypothesis within the beam differs from it.
    """

    operations: OperationModel
    decoder: Decoder
    search: Search = "joint"
    stages: Collection[Stage] = STAGES
    change: bool = False

    def __post_init__(self) -> None:
        for stage in self.stages:
            if stage not in STAGES:
                raise LatticeSimpError(f"unknown stage {stage!r}; known are {', '.join(STAGES)}")
        if self.search not in ("joint", "greedy"):
            raise LatticeSimpError(f"unknown search {self.search!r}; known are joint and greedy")
        grammar = self.decoder.grammar
        if (np.diff(grammar.source_offsets)[(grammar.pattern_gaps >= 0).any(axis=1)] > 1).any():
            raise GrammarError("rules with gaps among words in a simplification model; train it with rules.max_gaps=0")

    @classmethod
    def load(cls, folder: str | Path) -> Simplifier:
        """Loads a model folder: a decoder's files (`model_files.py`) and `operations.tsv`.

        Raises:
            FormatError, GrammarError: a file is missing or broken.
        """
        return cls(OperationModel.read(Path(folder) / OPERATIONS), Decoder.load(folder))

    def simplify(self, sentence: Parse | str | Sequence[str], count: int = 1) -> list[Simplification]:
        """Returns the best simplifications of a sentence, cheapest first, at most `count`.

        Args:
            sentence: a parse in the labels of spaCy's English models; or tokens (a list, or a string with blanks
                between them), which are parsed.

        Raises:
            MissingExtraError: spaCy or its English model is not installed.
        """
        return next(self.simplify_all([sentence], count))

    def simplify_all(
        self, sentences: str | Iterable[Parse | str | Sequence[str]], count: int = 1
    ) -> Iterator[list[Simplification]]:
        """Yields the simplifications of each sentence, in order; see `simplify`.

        A sentence that cannot be simplified is passed through, with its `problem`.
        """
        for tokens, parse in _parsed(sentences):
            if parse is None:
                problem = f"{len(tokens)} tokens, and at most {MAX_TOKENS} are parsed" if tokens else ""
                yield [Simplification(tokens, tokens, problem=problem)]
                continue
            try:
                yield self._simplifications(analyse(parse), count)
            except LatticeSimpError as error:
                yield [Simplification(tokens, tokens, problem=str(error))]

    def translation(self, analysis: Analysis) -> tuple[Hypotheses, Translation]:
        """Returns the lattice of splits and deletions of a sentence, and what the decoder makes of it."""
        found = self.hypotheses(analysis)
        return found, self._decoder.translate(found.lattice)

    def hypotheses(self, analysis: Analysis) -> Hypotheses:
        """Returns the splits and deletions that the search leaves open: all, or the greedy choice."""
        if self.search == "greedy":
            return from_variants([self._greedy(analysis)], self.operations)
        return hypotheses(
            analysis,
            self.operations,
            split="split" in self.stages,
            deletions=lambda deletion: "delete" in self.stages,
        )

    def _greedy(self, analysis: Analysis) -> Variant:
        """Does what is likelier than not: splits first, then relations, modifiers and orphans (section 3.4)."""
        model = self.operations
        chosen: list[Split] = []
        if "split" in self.stages:
            for split in sorted(analysis.splits, key=lambda own: -model.probability(split_feature(own))):
                if model.probability(split_feature(split)) > 0.5 and compatible([*chosen, split]):
                    chosen.append(split)
        gone: list[Deletion] = []
        for kind in DeletionKind if "delete" in self.stages else ():
            gone += [
                own for own in analysis.deletions if own.kind is kind and model.probability(deletion_feature(own)) > 0.5
            ]
        variant = make_variant(analysis, model, chosen, analysis.splits, lambda deletion: deletion in gone)
        left = np.ones(len(variant.tokens), dtype=np.bool_)
        for leap in variant.leaps:
            left[leap.begin : leap.end] = False
        tokens = tuple(token for token, stays in zip(variant.tokens, left.tolist(), strict=True) if stays)
        return replace(variant, tokens=tokens, leaps=())

    @cached_property
    def _decoder(self) -> Decoder:
        """The decoder of the stages: without substitution, every token stands for itself."""
        beam = max(self.decoder.settings.beam, CHANGE_BEAM if self.change else 0.0)
        settings = replace(self.decoder.settings, copies="all", beam=beam)
        if "substitute" in self.stages:
            return replace(self.decoder, settings=settings)
        return replace(self.decoder, settings=replace(settings, max_span=1), grammar=_no_rules(self.decoder))

    def _simplifications(self, analysis: Analysis, count: int) -> list[Simplification]:
        found, result = self.translation(analysis)
        paths = result.nbest(count + self.change)
        if not paths:
            raise LatticeSimpError("no hypothesis within the beam")
        simpler = [self._explained(analysis, found, result, path) for path in paths]
        if self.change:
            simpler = [own for own in simpler if own.is_changed] or simpler
        return simpler[:count]

    def _explained(
        self, analysis: Analysis, found: Hypotheses, result: Translation, path: Hypothesis
    ) -> Simplification:
        variant, read, substitutions = _trace(found, result, path)
        kept = set(read)
        gone = [leap for leap in variant.leaps if not kept.intersection(range(leap.begin, leap.end))]
        outermost = [own for own in gone if not any(own.is_within(other) for other in gone)]
        return Simplification(
            analysis.tokens,
            finished(path.tokens, analysis.tokens),
            path.cost,
            result.features(path),
            variant.splits,
            tuple(leap.deletion for leap in outermost),
            substitutions,
        )


def _parsed(sentences: str | Iterable[Parse | str | Sequence[str]]) -> Iterator[tuple[tuple[str, ...], Parse | None]]:
    """Yields tokens and parses; none for a sentence that is empty or too long."""
    pending: list[tuple[str, ...]] = []

    def flush() -> Iterator[tuple[tuple[str, ...], Parse | None]]:
        parses = parse_sentences(own for own in pending if 0 < len(own) <= MAX_TOKENS)
        for tokens in pending:
            yield tokens, next(parses) if 0 < len(tokens) <= MAX_TOKENS else None
        pending.clear()

    for sentence in [sentences] if isinstance(sentences, str) else sentences:  # a stream stays a stream
        if isinstance(sentence, Parse):
            yield from flush() if pending else ()
            yield sentence.tokens, sentence
        else:
            pending.append(as_tokens(sentence))
            if len(pending) == _BATCH:
                yield from flush()
    yield from flush() if pending else ()


_BATCH = 64
"""Sentences that are parsed at once."""


def _trace(
    found: Hypotheses, result: Translation, path: Hypothesis
) -> tuple[Variant, list[int], tuple[Substitution, ...]]:
    """Returns the variant that a path translates, its tokens that the path reads, and the words that it changes."""
    uses = sorted(result.derivation(path), key=lambda own: own.start)
    read: list[int] = []
    changed: list[Substitution] = []
    written = 0
    variant = found.variants[0]
    for use in uses:
        rule = None if use.rule == COPY_RULE else result.grammar.rule(use.rule)
        if rule is not None and not isinstance(rule.source[0], str):  # a unary rule, above a phrase pair
            continue
        source = None if rule is None else tuple(map(str, rule.source))
        tokens = _tokens_between(found, use, source)
        variant = found.variants[tokens[0][0]]
        read += [token for _, token in tokens]
        target = None if rule is None else tuple(map(str, rule.target))
        if source is not None and target is not None and source != target:
            changed.append(Substitution(source, target, written))
        written += 1 if target is None else len(target)
    if written != len(path.tokens):  # a rule above the phrase pairs wrote words, too
        changed = [replace(own, start=None) for own in changed]
    return variant, read, tuple(changed)


def _tokens_between(found: Hypotheses, use: RuleUse, words: Sequence[str] | None) -> list[tuple[int, int]]:
    """Returns the (variant, token) pairs that a rule's words, or one copied word, read between two states."""
    lattice = found.lattice
    last = lattice.num_states - 1
    wanted = (None,) if words is None else tuple(lattice.symbols.find(word) for word in words)

    def paths(state: int, index: int) -> Iterator[list[int]]:
        if index == len(wanted):
            if state == use.end:
                yield []
            return
        for arc in range(lattice.offsets[state], lattice.offsets[state + 1]):
            if wanted[index] is None or lattice.olabels[arc] == wanted[index]:
                for rest in paths(int(lattice.nextstates[arc]), index + 1):
                    yield [int(lattice.nextstates[arc]), *rest]

    states = next(paths(use.start, 0))
    before = [use.start, *states][:-1]
    tokens = []
    for previous, state in zip(before, states, strict=True):
        if state == last:
            variant = found.state_tokens[previous - 1][0] if previous else 0
            tokens.append((variant, len(found.variants[variant].tokens) - 1))
        else:
            tokens.append(found.state_tokens[state - 1])
    return tokens


def _no_rules(decoder: Decoder) -> Grammar:
    """Returns a grammar with the decoder's features that matches nothing."""
    nothing = ("<nothing>",)
    scores = tuple((name, 0.0) for name in decoder.grammar.feature_names)
    return Grammar.from_rules([RuleText(decoder.settings.top, nothing, nothing, scores, ())])


def most_unlike(candidates: Sequence[Simplification]) -> Simplification:
    """Returns the candidate with most word edits from its source, the earliest of equals (Wubben et al. 2012)."""
    sources = [tuple(word.lower() for word in own.source) for own in candidates]
    written = [tuple(word.lower() for word in own.tokens) for own in candidates]
    return candidates[int(np.argmax(edit_distances(sources[0], written)))]


def finished(tokens: Sequence[str], source: Sequence[str]) -> tuple[str, ...]:
    """Returns tokens as they are written: first words with capitals, `a` or `an` as the next word asks for.

    >>> finished("an cat slept . it was an old one .".split(), "an ill cat slept .".split())
    ('A', 'cat', 'slept', '.', 'It', 'was', 'an', 'old', 'one', '.')
    >>> finished('yahoo ! was sold .'.split(), 'Yahoo ! was sold .'.split())
    ('Yahoo', '!', 'was', 'sold', '.')

    Articles before a word that also follows them in the source stay, and so do small letters behind a mark. Words with
    capitals inside (`iPhone`) are written so everywhere.
    """
    known = {(one.lower(), other.lower()) for one, other in pairwise(source)}
    beside = set(pairwise(source))
    written, starts = list[str](), True
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else ""
        if token in ("a", "an") and following and (token, following.lower()) not in known:
            token = "an" if begins_with_vowel(following) else "a"
        kind = mark_kind(token)
        if starts and kind is None:
            goes_on = index > 0 and (tokens[index - 1], token) in beside
            if not goes_on and not any(letter.isupper() for letter in token[1:]):
                token = token[:1].upper() + token[1:]
            starts = False
        written.append(token)
        starts = starts or kind == "stop"
    return tuple(written)
