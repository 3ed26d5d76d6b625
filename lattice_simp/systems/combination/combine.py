"""Combines several systems' outputs for one source into a lattice whose best path they agree on."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, get_args

import numpy as np

from lattice_simp.core.arguments import choice, instance, mapping, real, reals, whole
from lattice_simp.core.hypothesis import Confidences, Hypothesis, Strings, as_hypotheses
from lattice_simp.core.lattice import Lattice, share_symbols
from lattice_simp.core.marks import MARKS
from lattice_simp.core.symbols import as_sentences
from lattice_simp.errors import EmptyLatticeError, LatticeSimpError
from lattice_simp.lm.model import LanguageModel
from lattice_simp.ops.apply_lm import apply_lm
from lattice_simp.ops.normalise import normalise
from lattice_simp.ops.word_vote import WordConfidence
from lattice_simp.support.options import option
from lattice_simp.support.plurals import counted
from lattice_simp.systems.combination.agreement import NGRAM, POSTERIOR, WORDS, agreement_weights, with_agreement
from lattice_simp.systems.combination.methods import METHODS, Expand, Task, Tokens, mixture, unchanged
from lattice_simp.systems.paraphrase.paraphraser import Paraphraser

if TYPE_CHECKING:
    MethodName = str
else:
    from typing import Literal

    MethodName = Literal[tuple(METHODS)]

Output: TypeAlias = Lattice | Strings
"""The output of a system: a lattice, one string, or an n-best list."""

LM = "LM"
"""The feature of the language model."""


@dataclass(frozen=True)
class CombinationSettings:
    """Options of a combination.

    Attributes:
        method: a name in `METHODS`: `union` chooses among the strings of the systems, `confusion` among the words in
            each slot of a confusion network, `phrases` among all recombinations of aligned phrases; `rover` takes the
            word with the most votes in each slot (Fiscus 1997).
        shares: the share of each system in the mixture, above 0; None for equal shares.
        scales: the factors of each system's costs before they become probabilities, above 0; one value applies to all.
        strings: the number of best strings of each system to align; `union` and `rover` use all.
        lm_weight: the weight of the language model if no weights are given.
        max_arcs: the most arcs of the lattice after its states are expanded; larger lattices are pruned.
        beam: the beam of the language model, in units of gain; None for no beam.
        confidence_weight: for `rover`, how much the confidence in a word counts against the share of the systems
            that have it in this slot: from 0 to 1.
        empty_confidence: for `rover`, the confidence in having no word in a slot, from 0 to 1.
        word_confidence: for `rover`, `mean` or `maximum` of the confidences of the systems that have a word in a slot.
    """

    method: MethodName = option(
        "confusion",
        "method",
        "method; choose an output (union), recombine words (confusion) or phrases, or vote on words (rover)",
    )
    shares: tuple[float, ...] | None = None
    scales: tuple[float, ...] = (1.0,)
    strings: int = option(100, "strings", "number of best strings per system to align")
    lm_weight: float = option(0.05, "lm-weight", "weight of the language model without --weights")
    max_arcs: int = option(20_000, "max-arcs", "maximum number of arcs per lattice")
    beam: float | None = option(
        5.0,
        "gain-beam",
        "with --lm, drop paths whose agreement with the systems (gain) is lower than the best by more than this",
    )
    confidence_weight: float = option(
        0.5, "confidence-weight", "with rover, weight of words' confidences against their frequencies, from 0 to 1"
    )
    empty_confidence: float = option(
        0.7, "empty-confidence", "with rover, confidence in having no word in a slot, from 0 to 1"
    )
    word_confidence: WordConfidence = option(
        "mean", "word-confidence", "with rover, mean or maximum of the confidences of systems in a word"
    )

    def __post_init__(self) -> None:
        choice(self.method, METHODS, "method")
        choice(self.word_confidence, get_args(WordConfidence), "word_confidence")
        for name in ("shares", "scales"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, tuple(reals(getattr(self, name), f"the {name}")))
        for what, values in (("share", self.shares or ()), ("scale", self.scales)):
            for value in values:
                if not 0 < value < math.inf:
                    raise LatticeSimpError(f"the {what} of a system is {value}; give a number above 0")
        for name, number in (("strings", self.strings), ("max_arcs", self.max_arcs)):
            whole(number, name, 1)
        for name in ("confidence_weight", "empty_confidence"):
            if not 0.0 <= real(getattr(self, name), name) <= 1.0:
                raise LatticeSimpError(f"{name} is {getattr(self, name)}; give a number from 0 to 1")

    def of_systems(self, count: int) -> tuple[list[float], list[float]]:
        """Returns the shares and scales of this many systems.

        >>> CombinationSettings(scales=(0.5,)).of_systems(2)
        ([1.0, 1.0], [0.5, 0.5])

        Raises:
            LatticeSimpError: there are no systems, or their number differs from that of shares or scales.
        """
        if not count:
            raise LatticeSimpError("there are no outputs to combine; give at least one")
        shares, scales = self.shares or (1.0,) * count, self.scales * (count if len(self.scales) == 1 else 1)
        for what, values in (("share", shares), ("scale", scales)):
            if len(values) != count:
                numbers = f"{counted(len(values), what)} for {counted(count, 'system')}"
                raise LatticeSimpError(f"{numbers}; give one for each")
        return list(shares), list(scales)


def combine(
    outputs: str | Sequence[Output],
    settings: CombinationSettings | None = None,
    *,
    lm: LanguageModel | None = None,
    weights: Mapping[str, float] | None = None,
    expand: Expand | None = None,
    ignore: Collection[str] = MARKS,
) -> Lattice:
    """Combines the outputs of systems into a lattice whose best path is the combined output.

    >>> from lattice_simp.ops.nbest import shortest_path
    >>> outputs = ["the old cat slept there", "a old cat slept here", "the old dog slept here"]
    >>> shortest_path(combine(outputs)).text
    'the old cat slept here'

    The cost of a path is minus the weighted sum of these features (scores, higher is better): `Posterior`, its log
    probability, which for `rover` is that of its words' shares of the votes; `Words`, its length; `Ngram1` to `Ngram4`,
    the probabilities of its n-grams under the mixture of systems; `Agreement1`, ..., its expected gain under each
    system (linear BLEU, `mbr`); and `LM`.

    Args:
        outputs: the output of each system, in the same order for all sentences; costs are negative log probabilities
            up to scale and a constant. A list or a lattice without hypotheses is ignored.
        settings: the options.
        lm: a language model of the target language.
        weights: the weights of features, for example from `lattice_simp.tune`; missing ones are 0. None for
            `default_weights`, under which a single system's best string is the best.
        expand: for `phrases`, a function that returns the lattice of paraphrases of some sentences, such as
            `expansion_of(Paraphraser())` for English. None to use only spans between common words.
        ignore: labels that are not words, as in `nbest`; the result excludes them.

    Returns:
        An acceptor with the features, topologically sorted.

    Raises:
        LatticeSimpError: there are no outputs, shares or scales do not fit, or a weight has no feature.
        EmptyLatticeError: no system has a hypothesis.
        CyclicLatticeError: a lattice has a cycle.
    """
    chosen = CombinationSettings() if settings is None else settings
    instance(chosen, CombinationSettings, "the settings", "CombinationSettings(method)")
    outputs = as_sentences(outputs)
    shares, scales = chosen.of_systems(len(outputs))
    given_weights = {} if weights is None else mapping(weights, "the weights")
    check_weights(given_weights, feature_names(len(outputs), lm=lm is not None))
    is_vote = METHODS[chosen.method].is_vote
    systems = [_system(output, scale, ignore, is_vote) for output, scale in zip(outputs, scales, strict=True)]
    systems = share_symbols(systems) if systems else []
    numbers = [number for number, system in enumerate(systems) if not system.empty]
    if not numbers:
        raise EmptyLatticeError("no system has a hypothesis, so there is nothing to combine")
    total = sum(shares[number] for number in numbers)
    shares = [share / total for share in shares]
    candidates = [systems[number] for number in numbers]
    make = METHODS[chosen.method].make
    if len(candidates) == 1:  # it needs no combination
        make = unchanged if is_vote else mixture
    task = Task(
        candidates,
        [shares[number] for number in numbers],
        chosen.strings,
        expand,
        confidence_weight=chosen.confidence_weight,
        empty_confidence=chosen.empty_confidence,
        word_confidence=chosen.word_confidence,
    )
    lattice = make(task)
    scored = with_agreement(lattice, [None if system.empty else system for system in systems], shares, chosen.max_arcs)
    if weights is None:  # a single system has no other to agree with
        alone = {POSTERIOR: 1.0, LM: chosen.lm_weight}
        weights = alone if len(candidates) == 1 else default_weights(len(candidates), chosen)
    return _decided(scored, weights, lm, chosen.beam)


def feature_names(systems: int, *, lm: bool = False) -> tuple[str, ...]:
    """Returns the names of features of a combination of this many systems.

    >>> feature_names(2, lm=True)
    ('Posterior', 'Words', 'Ngram1', 'Ngram2', 'Ngram3', 'Ngram4', 'Agreement1', 'Agreement2', 'LM')
    """
    return (*agreement_weights(systems), *((LM,) if lm else ()))


def default_weights(systems: int, settings: CombinationSettings, *, lm: bool = True) -> dict[str, float]:
    """Returns the default weights, from which tuning starts.

    They are those of minimum Bayes risk, where a word costs 1. With two systems, however, every word of one system
    would gain and longer would always be better; so a word costs as much as its n-grams gain if one of both has them.
    Votes on words decide alone.
    """
    weights = agreement_weights(systems)
    if systems == 2:
        weights[WORDS] = -0.5 * sum(weight for name, weight in weights.items() if name.startswith(NGRAM))
    method = METHODS[settings.method]
    weights = dict.fromkeys(weights, 0.0) if method.is_vote else weights
    weights[POSTERIOR] = method.posterior_weight
    return {**weights, **({LM: settings.lm_weight} if lm else {})}


def _system(output: Output, scale: float, ignore: Collection[str], is_vote: bool) -> Lattice:
    """Returns a system's posteriors as a lattice, empty without hypotheses; for votes with times and confidences."""
    if isinstance(output, Lattice):
        lattice = output.project_output()
    else:
        lattice = Lattice.from_nbest(_marked(as_hypotheses(output)) if is_vote else map(_plain, as_hypotheses(output)))
    return normalise(lattice.without_words(ignore), scale)


def _plain(hypothesis: Hypothesis) -> Hypothesis:
    return Hypothesis(hypothesis.tokens, hypothesis.cost)


def _marked(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Returns hypotheses with their times, and all with confidences of words, unknown ones too, if one has them."""
    is_sure = any(item.confidences for item in hypotheses)
    return [
        Hypothesis(item.tokens, item.cost, times=item.times, confidences=_confidences(item) if is_sure else None)
        for item in hypotheses
    ]


def _confidences(hypothesis: Hypothesis) -> Confidences:
    return hypothesis.confidences or (math.nan,) * len(hypothesis.tokens)


def _decided(lattice: Lattice, weights: Mapping[str, float], lm: LanguageModel | None, beam: float | None) -> Lattice:
    """Sets the costs to minus the weighted sums of features, including the language model."""
    weight_vector = np.array([weights.get(name, 0.0) for name in lattice.features])
    finals = np.where(np.isfinite(lattice.finals), 0.0 - weight_vector @ lattice.features.finals, np.inf)
    decided = replace(lattice, weights=0.0 - weight_vector @ lattice.features.arcs, finals=finals)
    if lm is None:
        return decided
    return apply_lm(decided, {LM: (lm, weights.get(LM, 0.0))}, beam=beam, ignore=())


def expansion_of(paraphraser: Paraphraser) -> Expand:
    """Returns an `expand` function for `combine` that parses sentences and expands them as a set."""

    def expand(sentences: Sequence[Tokens]) -> Lattice:
        return paraphraser.expand(sentences).lattice

    return expand


def check_weights(weights: Mapping[str, float], features: Sequence[str]) -> None:
    """Raises LatticeSimpError if a weight has no feature."""
    for name in weights:
        if name not in features:
            remedy = "give a language model" if name == LM else f"the features are {', '.join(features)}"
            raise LatticeSimpError(f"the weight {name!r} has no feature; {remedy}")
