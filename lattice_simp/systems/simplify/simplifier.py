"""Simplifies sentences by splits, deletions and substitutions, decided jointly or one after the other.

The paper decodes greedily: splits, deletions, then phrase-based translation with a language model of simple text. Here
all hypotheses of the first two steps form one word lattice, which the decoder translates, so that it finds the best
combination of all three.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import islice
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import numpy as np

from lattice_simp.core.arguments import choice
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import GrammarError, LatticeSimpError
from lattice_simp.formats.moses.rule_table import RuleText
from lattice_simp.lm.model import LanguageModel
from lattice_simp.scores.edits import edit_distances
from lattice_simp.support.textio import require_path
from lattice_simp.systems.simplify.analysis import Analysis, Sentence, analyses
from lattice_simp.systems.simplify.cautious import BEAM, CANDIDATES, WEIGHTS, Reading, cautious_analysis, faults
from lattice_simp.systems.simplify.deletion import Deletion, DeletionKind
from lattice_simp.systems.simplify.graphs.graph import SemanticGraph
from lattice_simp.systems.simplify.hypotheses import (
    REPLACED_FEATURE,
    Hypotheses,
    Variant,
    from_variants,
    hypotheses,
    make_variant,
)
from lattice_simp.systems.simplify.operations import OperationModel, deletion_feature, split_feature
from lattice_simp.systems.simplify.replacements import replacements
from lattice_simp.systems.simplify.sentence import divided, finished
from lattice_simp.systems.simplify.simplification import Reordering, Simplification, Substitution
from lattice_simp.systems.simplify.split import Split, compatible
from lattice_simp.text.english.parse import Parse
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.derivation import COPY_RULE, RuleUse
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.result import Translation
from lattice_simp.translate.settings import DecoderSettings
from lattice_simp.translate.source import INPUT_FEATURE

OPERATIONS = "operations.tsv"
"""The file in a model folder with the probabilities of splits and deletions; the other files are a decoder's."""

CHANGE_BEAM = 30.0
"""The beam, in nats, of the search for a hypothesis that differs from its source."""

_UNIFORM = b"\\data\\\nngram 1=3\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\n-1\t</s>\n\n\\end\\\n"
"""A language model that gives all words the same probability."""

REPLACED = f"{INPUT_FEATURE}:{REPLACED_FEATURE}"
"""The weight of replacements from the table of simpler words; a model without it makes none in bold mode."""

Mode: TypeAlias = Literal["cautious", "bold"]
Stage: TypeAlias = Literal["split", "delete", "substitute", "reorder"]
Search: TypeAlias = Literal["joint", "greedy"]

STAGES: tuple[Stage, ...] = ("split", "delete", "substitute", "reorder")
"""The steps; phrases change places only in bold mode, beside substitutions, and if the model has a rule for that."""

SWAP_FEATURE, NO_SWAPS = "Swap", 1e6
"""The feature of a rule that swaps neighbouring phrases, and the weight that forbids it."""


@dataclass(frozen=True, eq=False)
class Simplifier:
    """A model of splits and deletions with a decoder from complex to simple words.

    >>> simplifier = Simplifier.untrained()    # `Simplifier.load(path)` for a trained one
    >>> [best.text for best, *_ in simplifier.simplify_all(["He died in 1990 , and his brother sold the house ."])]
    ['He died in 1990 . His brother sold the house .']

    Attributes:
        operations: the probabilities of splits and deletions.
        decoder: the decoder; its weights `Input:Split`, `Input:Splits`, `Input:Relation`, `Input:Modifier`,
            `Input:Orphan` and `Input:Deleted` weight the features of splits and deletions (`hypotheses.py`).
        search: `joint` for all steps at once, `greedy` for one after the other as in the paper.
        stages: the steps to do.
        change: whether to prefer the best hypothesis within the beam that differs from its source.
        mode: `cautious` for operations that leave sentences sound (`cautious.py`), with replacements from a table of
            simpler words and the weights `cautious.WEIGHTS`; `bold` for all operations and the phrase table, with the
            weights of the decoder.
    """

    operations: OperationModel
    decoder: Decoder
    search: Search = "joint"
    stages: Collection[Stage] = STAGES
    change: bool = False
    mode: Mode = "cautious"

    def __post_init__(self) -> None:
        for stage in self.stages:
            choice(stage, STAGES, "stage")
        choice(self.search, get_args(Search), "search")
        choice(self.mode, get_args(Mode), "mode")
        grammar = self.decoder.grammar
        slots = (grammar.pattern_slots >= 0).sum(axis=1)
        if (np.diff(grammar.source_offsets)[slots > 0] > slots[slots > 0]).any():
            raise GrammarError("the simplification model has rules of words and slots; train it with rules.max_gaps=0")

    @classmethod
    def load(cls, folder: str | Path) -> Simplifier:
        """Loads a model folder: a decoder's files (`model_files.py`) and `operations.tsv`.

        Raises:
            FormatError, GrammarError: a file is missing or broken.
        """
        return cls(OperationModel.read(Path(require_path(folder)) / OPERATIONS), Decoder.load(folder))

    @classmethod
    def untrained(cls) -> Simplifier:
        """Returns a simplifier in cautious mode that needs no trained model.

        It applies every sound operation: the odds of operations are even, and there is no language model to choose
        between combinations.

        >>> Simplifier.untrained().mode
        'cautious'
        """
        model = LanguageModel.from_bytes(_UNIFORM)
        return cls(OperationModel(), Decoder(_nothing(DecoderSettings().top), {"LM": model}, WEIGHTS))

    def simplify(self, sentence: Sentence, count: int = 1) -> list[Simplification]:
        """Returns up to `count` simplifications of a sentence, cheapest first.

        >>> Simplifier.untrained().simplify("He died in 1990 , and his brother sold the house .")[0].text
        'He died in 1990 . His brother sold the house .'

        Args:
            sentence: a parse in the labels of spaCy's English models, tokens to parse (a list, or a string with
                spaces between them), or a semantic graph (`read_graphs`). Cautious mode also parses the tokens of
                graphs. A graph without nodes stands for a missing graph.
            count: the most simplifications to return.

        Raises:
            MissingExtraError: spaCy or its English model is not installed.
        """
        return next(self.simplify_all([sentence], count))

    def simplify_all(self, sentences: str | Iterable[Sentence], count: int = 1) -> Iterator[list[Simplification]]:
        """Yields the simplifications of each sentence, in order; see `simplify`.

        >>> [best.is_changed for best, *_ in Simplifier.untrained().simplify_all(["It rained .", "The dog slept ."])]
        [False, False]

        Cautious mode divides tokens of several sentences, and simplifies each sentence.
        A sentence without a parse or a graph is simplified by substitution alone, with a `note`; cautious mode needs a
        parse. A sentence that cannot be simplified is passed through unchanged with its `problem`.
        """
        numbers = deque[int]()
        pieces = self._pieces([sentences] if isinstance(sentences, str) else sentences, numbers)
        simplified = (
            self._tried(analysis, count) for analysis in analyses(pieces, parse_graphs=self.mode == "cautious")
        )
        for first in simplified:
            following = islice(simplified, numbers.popleft() - 1)
            yield reduce(lambda before, after: _joined(before, after, count), following, first)

    def _pieces(self, sentences: Iterable[Sentence], numbers: deque[int]) -> Iterator[Sentence]:
        """Yields the parts to simplify one by one; cautious mode divides tokens into their sentences.

        Args:
            sentences: the sentences, or lines of several sentences.
            numbers: receives the number of parts of each.
        """
        for sentence in sentences:
            if self.mode == "bold" or isinstance(sentence, (Parse, SemanticGraph)):
                parts: Sequence[Sentence] = [sentence]
            else:
                parts = divided(as_tokens(sentence))
            numbers.append(len(parts))
            yield from parts

    def _tried(self, analysis: Analysis, count: int) -> list[Simplification]:
        """Returns the simplifications of a sentence, or the sentence with its problem."""
        try:
            return self._all_simplifications(analysis, count)
        except LatticeSimpError as error:
            return [Simplification(analysis.tokens, analysis.tokens, problem=str(error))]

    def _all_simplifications(self, analysis: Analysis, count: int) -> list[Simplification]:
        """Returns simplifications, by substitution alone without an analysis."""
        if not analysis.tokens:
            return [Simplification((), ())]
        if not analysis.problem:
            return self._simplifications(analysis, count)
        if "substitute" not in self.stages or (self.mode == "cautious" and not analysis.is_parsed):
            raise LatticeSimpError(analysis.problem)
        stages: tuple[Stage, ...] = ("substitute",)
        simplifications = replace(self, stages=stages)._simplifications(analysis, count)
        return [replace(simplification, note=analysis.problem) for simplification in simplifications]

    def translation(self, analysis: Analysis) -> tuple[Hypotheses, Translation]:
        """Returns the lattice of splits and deletions of a sentence, and its translation."""
        alternatives = self.hypotheses(analysis)
        return alternatives, self.translated(alternatives)

    def translated(self, alternatives: Hypotheses) -> Translation:
        """Returns the translation of a lattice of splits and deletions."""
        return self._decoder.translate(alternatives.lattice)

    def hypotheses(self, analysis: Analysis) -> Hypotheses:
        """Returns the hypotheses that the search considers: all, or only the greedy choice."""
        if self._replaces and analysis.is_parsed:
            analysis = replace(analysis, replacements=replacements(analysis.parse))
        if self.search == "greedy":
            return from_variants([self._greedy(analysis)], self.operations)
        return hypotheses(
            analysis,
            self.operations,
            split="split" in self.stages,
            deletions=lambda deletion: "delete" in self.stages,
        )

    @property
    def _replaces(self) -> bool:
        """Whether bold mode makes replacements of the table."""
        return self.mode == "bold" and "substitute" in self.stages and REPLACED in self.decoder.weights

    def _greedy(self, analysis: Analysis) -> Variant:
        """Does each operation with a probability above 0.5: splits, then deletions by kind (section 3.4)."""
        model = self.operations
        chosen: list[Split] = []
        if "split" in self.stages:
            for split in sorted(analysis.splits, key=lambda candidate: -model.probability(split_feature(candidate))):
                if model.probability(split_feature(split)) > 0.5 and compatible([*chosen, split]):
                    chosen.append(split)
        deletions: list[Deletion] = []
        for kind in DeletionKind if "delete" in self.stages else ():
            deletions += [
                candidate
                for candidate in analysis.deletions
                if candidate.kind is kind and model.probability(deletion_feature(candidate)) > 0.5
            ]
        return make_variant(
            analysis, model, chosen, analysis.splits, lambda deletion: deletion in deletions
        ).shortened()

    @cached_property
    def _decoder(self) -> Decoder:
        """The decoder for the chosen stages; without substitution it copies every token."""
        beam = max(
            self.decoder.settings.beam, CHANGE_BEAM if self.change else 0.0, BEAM if self.mode == "cautious" else 0.0
        )
        settings = replace(self.decoder.settings, copies="all", beam=beam)
        if "substitute" in self.stages and self.mode == "bold":
            ordered = self.decoder if "reorder" in self.stages else _without_swaps(self.decoder)
            return replace(ordered, settings=settings)
        no_rules = _nothing(settings.top, self.decoder.grammar.feature_names)
        plain = replace(self.decoder, settings=replace(settings, max_span=1), grammar=no_rules)
        return plain if self.mode == "bold" else plain.with_weights(_cautious_weights(self.decoder))

    def _simplifications(self, analysis: Analysis, count: int) -> list[Simplification]:
        if self.mode == "cautious":
            simpler = self._sound(analysis, count)
        else:
            alternatives, result = self.translation(analysis)
            paths = result.nbest(count + self.change)
            simpler = [self._explained(analysis, alternatives, result, path) for path in paths]
        if not simpler:
            raise LatticeSimpError("no hypothesis within the beam")
        if self.change:
            simpler = [simplification for simplification in simpler if simplification.is_changed] or simpler
        return simpler[:count]

    def _sound(self, analysis: Analysis, count: int) -> list[Simplification]:
        """Returns the best hypotheses without a fault; the sentence itself if there are none."""
        sound = cautious_analysis(analysis)
        if "substitute" not in self.stages:
            sound = replace(sound, replacements=())
        alternatives, result = self.translation(sound)
        paths = result.nbest(max(CANDIDATES, count + self.change))
        traces = [_trace(alternatives, result, path) for path in paths]
        wrong = faults(analysis.parse, [Reading(trace.variant, trace.read) for trace in traces])
        simpler = [self._explained(analysis, alternatives, result, path) for path in paths]
        sound_ones = [
            simplification
            for simplification, reason in zip(simpler, wrong, strict=True)
            if not reason or not simplification.is_changed
        ]
        return sound_ones or [Simplification(analysis.tokens, analysis.tokens)]

    def _explained(
        self, analysis: Analysis, alternatives: Hypotheses, result: Translation, path: Hypothesis
    ) -> Simplification:
        trace = _trace(alternatives, result, path)
        kept = set(trace.read)
        leaps = [leap for leap in trace.variant.leaps if not kept.intersection(range(leap.begin, leap.end))]
        replaced = [bypass for index, (bypass, _) in trace.variant.new.items() if index in kept]
        leaps = [leap for leap in leaps if not any(bypass.begin <= leap.begin < bypass.end for bypass in replaced)]
        outermost = [leap for leap in leaps if not any(leap.is_within(outer) for outer in leaps)]
        return Simplification(
            analysis.tokens,
            finished(path.tokens, analysis.tokens),
            path.cost,
            result.features(path),
            trace.variant.splits,
            (*trace.variant.deleted, *(leap.deletion for leap in outermost)),
            trace.substitutions,
            trace.reorderings,
        )


@dataclass(frozen=True)
class _Trace:
    """The variant that a path translates, the indices of its tokens in reading order, and the decoder's operations."""

    variant: Variant
    read: tuple[int, ...]
    substitutions: tuple[Substitution, ...]
    reorderings: tuple[Reordering, ...]


def _trace(alternatives: Hypotheses, result: Translation, path: Hypothesis) -> _Trace:
    read: list[int] = []
    places: list[int | None] = []  # positions of copied words in the output
    changed: list[Substitution] = []
    phrases: dict[int, tuple[str, ...]] = {}  # by their first state
    swaps: list[RuleUse] = []
    written = 0
    variant = alternatives.variants[0]
    for use in result.derivation(path):  # in target order
        rule = None if use.rule == COPY_RULE else result.grammar.rule(use.rule)
        if rule is not None and not isinstance(rule.source[0], str):  # a rule above phrase pairs
            swaps += [use] if len(rule.source) > 1 else []
            continue
        source = None if rule is None else tuple(map(str, rule.source))
        tokens = _tokens_between(alternatives, use, source)
        variant = alternatives.variants[tokens[0][0]]
        read += [token for _, token in tokens]
        phrases[use.start] = tuple(variant.written[token].text for _, token in tokens)
        target = None if rule is None else tuple(map(str, rule.target))
        is_copied = source is None or target is None or _folded(source) == _folded(target)
        places += range(written, written + len(tokens)) if is_copied else [None] * len(tokens)
        if source is not None and target is not None and not is_copied:
            changed.append(Substitution(source, target, written))
        written += 1 if target is None else len(target)
    changed += _replaced(variant, read, places)
    if written != len(path.tokens):  # a rule above the phrase pairs wrote words, too
        changed = [replace(substitution, start=None) for substitution in changed]
    moved = tuple(_reordering(swap, phrases) for swap in sorted(swaps, key=lambda use: use.start))
    return _Trace(variant, tuple(read), tuple(changed), moved)


def _folded(words: Sequence[str]) -> list[str]:
    """Returns words without their case, whose changes are no substitutions."""
    return [word.lower() for word in words]


def _reordering(swap: RuleUse, phrases: Mapping[int, tuple[str, ...]]) -> Reordering:
    first, second = (words for state, words in sorted(phrases.items()) if swap.start <= state < swap.end)
    return Reordering(first, second)


def _replaced(variant: Variant, read: Sequence[int], places: Sequence[int | None]) -> Iterator[Substitution]:
    """Yields the replacements of a path; they have no position if rules change the new words again."""
    for place, index in zip(places, read, strict=True):
        bypass, offset = variant.new.get(index, (None, 0))
        if bypass is not None and offset == 0:
            source = tuple(token.text for token in variant.tokens[bypass.begin : bypass.end])
            yield Substitution(source, bypass.replacement.words, place)


def _cautious_weights(decoder: Decoder) -> dict[str, float]:
    """Returns the weights of cautious mode for the features of a decoder."""
    models = dict.fromkeys(decoder.models, WEIGHTS["LM"] / len(decoder.models))
    return {**dict.fromkeys(decoder.weights, 0.0), **WEIGHTS, **models}


def _tokens_between(alternatives: Hypotheses, use: RuleUse, words: Sequence[str] | None) -> list[tuple[int, int]]:
    """Returns the (variant, token) pairs of the words that a rule, or copying, reads between two states."""
    lattice = alternatives.lattice
    last = lattice.num_states - 1
    labels = (None,) if words is None else tuple(lattice.symbols.find(word) for word in words)

    def paths(state: int, index: int) -> Iterator[list[int]]:
        if index == len(labels):
            if state == use.end:
                yield []
            return
        for arc in range(lattice.offsets[state], lattice.offsets[state + 1]):
            if labels[index] is None or lattice.olabels[arc] == labels[index]:
                for rest in paths(int(lattice.nextstates[arc]), index + 1):
                    yield [int(lattice.nextstates[arc]), *rest]

    states = next(paths(use.start, 0))
    before = [use.start, *states][:-1]
    tokens = []
    for previous, state in zip(before, states, strict=True):
        if state == last:
            variant = alternatives.state_tokens[previous - 1][0] if previous else 0
            tokens.append((variant, len(alternatives.variants[variant].tokens) - 1))
        else:
            tokens.append(alternatives.state_tokens[state - 1])
    return tokens


def _joined(before: Sequence[Simplification], after: Sequence[Simplification], count: int) -> list[Simplification]:
    """Returns the best simplifications of two sentences together, cheapest first."""
    pairs = (first.followed_by(second) for first in before for second in after)
    return sorted(pairs, key=lambda pair: pair.cost)[:count]


def _without_swaps(decoder: Decoder) -> Decoder:
    """Returns the decoder; if it has a weight for swaps, with one that makes them too costly for any beam."""
    weights = decoder.weights
    return decoder.with_weights({**weights, SWAP_FEATURE: NO_SWAPS}) if SWAP_FEATURE in weights else decoder


def _nothing(top: str, names: Iterable[str] = ()) -> Grammar:
    nothing = ("<nothing>",)
    return Grammar.from_rules([RuleText(top, nothing, nothing, tuple((name, 0.0) for name in names), ())])


def most_unlike(candidates: Sequence[Simplification]) -> Simplification:
    """Returns the first candidate with the most word edits from its source (Wubben et al. 2012)."""
    sources = [tuple(word.lower() for word in candidate.source) for candidate in candidates]
    written = [tuple(word.lower() for word in candidate.tokens) for candidate in candidates]
    return candidates[int(np.argmax(edit_distances(sources[0], written)))]
