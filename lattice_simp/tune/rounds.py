"""Tuning a model: rounds of decoding and of minimum error rate training over all lattices so far."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.union import union
from lattice_simp.translate.derivation import COPY_FEATURE
from lattice_simp.translate.model_files import WEIGHTS, decoder_settings, read_weights
from lattice_simp.translate.result import EDIT_FEATURE, SKELETON_FEATURE
from lattice_simp.tune.decode import DecodeOptions, TuningSentence, decode
from lattice_simp.tune.mert import MertOptions, evaluate, minimize_error
from lattice_simp.tune.metric import TunedMetric
from lattice_simp.tune.metrics import tuned_metric

MEMORY_ROUNDS = 4
"""The rounds whose lattices are kept: enough against going in circles, and memory stays bounded."""

SCALE_FEATURE = "LM"
"""Weights are scaled so that this feature's stays: the decoder's beams are in its nats."""

SEARCH_GAIN = 2e-4
"""The score (0 to 1) that a round of the optimiser must gain: less is noise on another decoding."""

REACH = 1.0
"""How far a round of tuning may move each weight, in its unit (see `MertOptions`): the lattices were decoded with the
old weights, and far from them the optimiser would tune on hypotheses that nobody has seen."""

SEARCH = MertOptions(min_gain=SEARCH_GAIN, reach=REACH)

LEAST_MODEL_WEIGHT = 0.01
"""Language models never lose their say: their bounds guide the search."""


@dataclass(frozen=True)
class Round:
    """The weights that were decoded with, their score (0 to 1), and that of the next ones on all lattices so far."""

    weights: dict[str, float]
    score: float
    expected: float


@dataclass(frozen=True)
class TuningResult:
    """The best decoded weights, their score on the development set (0 to 1), and all rounds."""

    weights: dict[str, float]
    score: float
    rounds: tuple[Round, ...]


Decode = Callable[[Mapping[str, float], SymbolTable], list[Lattice]]
"""Returns the lattices of a development set under given weights, their words numbered by the table, which grows."""


def tune(
    sentences: Sequence[TuningSentence],
    start: Mapping[str, float],
    decoding: DecodeOptions,
    *,
    metric: str | TunedMetric = "bleu",
    mert: MertOptions = SEARCH,
    max_rounds: int = 8,
    min_gain: float = 5e-4,
    say: Callable[[str], None] = lambda text: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> TuningResult:
    """Decodes and optimises until the optimiser expects no gain.

    Args:
        sentences: the development set; those without words are left out.
        start: the weights of all features to begin with.
        metric: a name of `TUNED_METRICS`, or a metric; the sentences are the sources of one that needs them.
        max_rounds: of decoding.
        min_gain: expected gain in the score (0 to 1) below which the rounds end.
        say: prints a line of the log.
        progress: called with the number of decoded sentences of a round, and their total.

    Raises:
        LatticeSimpError: no sentences, or one cannot be translated.
    """
    usable = [sentence for sentence in sentences if sentence.words]
    options = replace(mert, jobs=decoding.jobs)
    references = [sentence.references for sentence in usable]
    decoded = partial(decode, usable, decoding, progress=progress)
    return tune_with(
        decoded,
        references,
        start,
        metric=metric,
        sources=[sentence.words for sentence in usable],
        mert=options,
        max_rounds=max_rounds,
        min_gain=min_gain,
        say=say,
    )


def tune_with(
    decode: Decode,
    references: Sequence[Sequence[Sequence[str]]],
    start: Mapping[str, float],
    *,
    metric: str | TunedMetric = "bleu",
    sources: Sequence[Sequence[str]] | None = None,
    mert: MertOptions = SEARCH,
    max_rounds: int = 8,
    min_gain: float = 5e-4,
    say: Callable[[str], None] = lambda text: None,
) -> TuningResult:
    """Tunes whatever makes lattices with features.

    All features are tuned together, those of language models and of the skeleton included; the weight of
    passed-through tokens stays, since hardly any hypothesis has a choice about them, and so do the costs of edits.

    Args:
        decode: returns the lattices under given weights, in the order of the references.
        references: the reference translations of each sentence, tokens.
        sources: the source of each sentence, tokens, for metrics that compare with it.
        start, metric, mert, max_rounds, min_gain, say: as for `tune`.

    Raises:
        LatticeSimpError: no sentences, no sources for a metric that needs them, or what `decode` raises.
    """
    if not references:
        raise LatticeSimpError("the development set holds no sentences; give one to tune on")
    symbols = SymbolTable()
    encoded = [[symbols.encode(words) for words in own] for own in references]
    measure = tuned_metric(metric)
    read = sources if measure.needs_source else None
    originals = None if read is None else [symbols.encode(words) for words in read]
    prepared = measure.prepared(encoded, originals)
    weights, rounds = {EDIT_FEATURE: 1.0, **start}, list[Round]()
    history: list[list[Lattice]] = []
    for number in range(1, max_rounds + 1):
        lattices = decode(weights, symbols)
        score = evaluate(lattices, prepared, [weights.get(name, 0.0) for name in lattices[0].features], measure)
        history = [*history, lattices][-MEMORY_ROUNDS:]
        pooled = [union(*lists) for lists in zip(*history, strict=True)]
        begin = {name: weights.get(name, 0.0) for name in pooled[0].features}  # those of all rounds
        found = minimize_error(pooled, encoded, begin, _options(mert, begin), metric=measure, sources=originals)
        rounds.append(Round(weights, score, found.score))
        say(f"tune: round {number}: {measure.name} {100 * score:.2f}, expected next {100 * found.score:.2f}")
        if found.score < max(one.score for one in rounds) + min_gain:
            break
        weights = _scaled({**weights, **found.weights}, start)
    best = max(rounds, key=lambda one: one.score)
    tuned = {name: weight for name, weight in best.weights.items() if name in start}
    return TuningResult(tuned, best.score, tuple(rounds))


def start_weights(model: Path, *, skeletons: bool) -> dict[str, float]:
    """Returns a model's weights; with skeletons, that of their feature is there, too."""
    weights = read_weights(model / WEIGHTS)
    if skeletons:
        weights.setdefault(SKELETON_FEATURE, decoder_settings(model).skeleton.weight)
    return weights


def _options(mert: MertOptions, names: Collection[str]) -> MertOptions:
    """Returns the options for these features: models and skeletons keep their sign, copies and edits their weight."""
    fixed = (mert.fixed | {COPY_FEATURE, EDIT_FEATURE}) & set(names)
    positive = {name: 1 for name in names if name == SKELETON_FEATURE or name.startswith(SCALE_FEATURE)}
    return replace(mert, fixed=fixed, signs={**positive, **mert.signs})


def _scaled(weights: dict[str, float], start: Mapping[str, float]) -> dict[str, float]:
    """Scales all weights but those that the optimiser did not move."""
    model = max(weights.get(SCALE_FEATURE, 0.0), LEAST_MODEL_WEIGHT)
    factor = start.get(SCALE_FEATURE, model) / model
    fixed = (COPY_FEATURE, EDIT_FEATURE)
    scaled = {name: weight if name in fixed else weight * factor for name, weight in weights.items()}
    for name in scaled:
        if name.startswith(SCALE_FEATURE):
            scaled[name] = max(scaled[name], LEAST_MODEL_WEIGHT)
    return scaled
