"""Tunes a model in rounds of decoding and of minimum error rate training over all lattices so far."""

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
from lattice_simp.translate.model_files import WEIGHTS, decoder_settings, read_weights, require_folder
from lattice_simp.translate.result import EDIT_FEATURE, SKELETON_FEATURE
from lattice_simp.translate.skeleton_scores import with_feature_weights
from lattice_simp.tune.decode import DecodeOptions, TuningSentence, decode
from lattice_simp.tune.mert import MertOptions, evaluate, minimize_error
from lattice_simp.tune.metric import TunedMetric
from lattice_simp.tune.metrics import tuned_metric

MEMORY_ROUNDS = 4
"""How many rounds' lattices are kept: enough to avoid cycles, with bounded memory."""

SCALE_FEATURE = "LM"
"""Weights are scaled so that the weight of this feature stays, since the decoder's beams are in its nats."""

SEARCH_GAIN = 2e-4
"""The score (0 to 1) that a round of the optimiser must gain: smaller gains vanish in the next decoding."""

REACH = 1.0
"""How far a round of tuning may move each weight, in its unit (see `MertOptions`): the lattices were decoded with the
old weights, and far from these the best hypotheses are missing."""

SEARCH = MertOptions(min_gain=SEARCH_GAIN, reach=REACH)

LEAST_MODEL_WEIGHT = 0.01
"""The smallest weight of a language model, whose bounds guide the search."""


@dataclass(frozen=True)
class TuningOptions:
    """The search of each round, and when the rounds end.

    Attributes:
        mert: the options of the optimiser.
        max_rounds: the largest number of rounds of decoding.
        min_gain: the gain in the score (0 to 1) that the optimiser must expect for another round.
    """

    mert: MertOptions = SEARCH
    max_rounds: int = 8
    min_gain: float = 5e-4


DEFAULTS = TuningOptions()


@dataclass(frozen=True)
class Round:
    """A round of decoding and optimising.

    Attributes:
        weights: the weights of the decoding.
        score: their score (0 to 1) on the development set.
        expected: the score (0 to 1) of the next weights on all lattices so far.
    """

    weights: dict[str, float]
    score: float
    expected: float


@dataclass(frozen=True)
class TuningResult:
    """The best weights of all rounds, their score (0 to 1) on the development set, and the rounds."""

    weights: dict[str, float]
    score: float
    rounds: tuple[Round, ...]


Decode = Callable[[Mapping[str, float], SymbolTable], list[Lattice]]
"""Returns the lattices of a development set under the weights, their words numbered by the table, which grows."""


def tune(
    sentences: Sequence[TuningSentence],
    start: Mapping[str, float],
    decoding: DecodeOptions,
    options: TuningOptions = DEFAULTS,
    *,
    metric: str | TunedMetric = "bleu",
    say: Callable[[str], None] = lambda text: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> TuningResult:
    """Decodes and optimises until the optimiser expects no gain.

    Args:
        sentences: the development set; sentences without words are skipped.
        start: the starting weights of all features.
        decoding: the options of the decoder; its number of processes is the optimiser's number of threads, too.
        options: the options of the rounds.
        metric: a name of `TUNED_METRICS`, or a metric; the sentences are its sources if it needs any.
        say: a function that logs a line.
        progress: a function called with the number of decoded sentences in a round and their total.

    Raises:
        LatticeSimpError: there are no sentences, or one cannot be translated.
    """
    usable = [sentence for sentence in sentences if sentence.words]
    return tune_with(
        partial(decode, usable, decoding, progress=progress),
        [sentence.references for sentence in usable],
        start,
        replace(options, mert=replace(options.mert, jobs=decoding.jobs)),
        metric=metric,
        sources=[sentence.words for sentence in usable],
        say=say,
    )


def tune_with(
    decode: Decode,
    references: Sequence[Sequence[Sequence[str]]],
    start: Mapping[str, float],
    options: TuningOptions = DEFAULTS,
    *,
    metric: str | TunedMetric = "bleu",
    sources: Sequence[Sequence[str]] | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> TuningResult:
    """Tunes the weights of any function that returns lattices with features.

    All features are tuned together, including those of language models and of the skeleton. The weight of
    copied tokens stays, since hypotheses rarely differ in these, and so do the costs of edits.

    Args:
        decode: returns the lattices under its weights, in the order of the references.
        references: the tokens of each sentence's reference translations.
        sources: the tokens of each sentence's source, for metrics that compare with it.
        start, options, metric, say: see `tune`.

    Raises:
        LatticeSimpError: there are no sentences, or no sources for a metric that needs them; or `decode` raises it.
    """
    if not references:
        raise LatticeSimpError("the development set holds no sentences; give one to tune on")
    symbols = SymbolTable()
    encoded = [[symbols.encode(words) for words in translations] for translations in references]
    measure = tuned_metric(metric)
    needed = sources if measure.needs_source else None
    originals = None if needed is None else [symbols.encode(words) for words in needed]
    prepared = measure.prepared(encoded, originals, symbols)
    weights, rounds = {EDIT_FEATURE: 1.0, **start}, list[Round]()
    history: list[list[Lattice]] = []
    for number in range(1, options.max_rounds + 1):
        lattices = decode(weights, symbols)
        score = evaluate(lattices, prepared, [weights.get(name, 0.0) for name in lattices[0].features], measure)
        history = [*history, lattices][-MEMORY_ROUNDS:]
        pooled = [union(*lists) for lists in zip(*history, strict=True)]
        begin = {name: weights.get(name, 0.0) for name in pooled[0].features}  # all rounds need the same features
        search = _search_options(options.mert, begin)
        optimum = minimize_error(pooled, encoded, begin, search, metric=measure, sources=originals)
        rounds.append(Round(weights, score, optimum.score))
        reached, expected = (100.0 * measure.reported(value) for value in (score, optimum.score))
        say(f"tune: round {number}: {measure.name} {reached:.2f}, expected next {expected:.2f}")
        if optimum.score < max(past.score for past in rounds) + options.min_gain:
            break
        weights = _scaled({**weights, **optimum.weights}, start)
    best = max(rounds, key=lambda past: past.score)
    tuned = {name: weight for name, weight in best.weights.items() if name in start}
    return TuningResult(tuned, best.score, tuple(rounds))


def start_weights(model: Path, *, skeletons: bool, skeleton_features: bool = False) -> dict[str, float]:
    """Returns a model's weights; with skeletons, including the weight of their cost, and perhaps of their features."""
    weights = read_weights(require_folder(model) / WEIGHTS)
    if skeletons:
        weights.setdefault(SKELETON_FEATURE, decoder_settings(model).skeleton.weight)
    return with_feature_weights(weights) if skeleton_features else weights


def _search_options(mert: MertOptions, names: Collection[str]) -> MertOptions:
    """Fixes the signs of language models and skeletons, and the weights of copies and edits."""
    fixed = (mert.fixed | {COPY_FEATURE, EDIT_FEATURE}) & set(names)
    positive = {name: 1 for name in names if name == SKELETON_FEATURE or name.startswith(SCALE_FEATURE)}
    return replace(mert, fixed=fixed, signs={**positive, **mert.signs})


def _scaled(weights: dict[str, float], start: Mapping[str, float]) -> dict[str, float]:
    """Scales all weights that the optimiser may move."""
    model = max(weights.get(SCALE_FEATURE, 0.0), LEAST_MODEL_WEIGHT)
    factor = start.get(SCALE_FEATURE, model) / model
    fixed = (COPY_FEATURE, EDIT_FEATURE)
    scaled = {name: weight if name in fixed else weight * factor for name, weight in weights.items()}
    for name in scaled:
        if name.startswith(SCALE_FEATURE):
            scaled[name] = max(scaled[name], LEAST_MODEL_WEIGHT)
    return scaled
