"""Tunes all weights of a simplifier together with lattice MERT."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from lattice_simp.core.lattice import Lattice, share_symbols
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.ops.difference import difference
from lattice_simp.ops.prune import prune
from lattice_simp.systems.simplify.analysis import Analysis
from lattice_simp.systems.simplify.hypotheses import DELETION_FEATURES, FEATURES, SPLIT_FEATURE, make_variant
from lattice_simp.systems.simplify.operations import OperationModel
from lattice_simp.systems.simplify.simplifier import REPLACED, Simplifier
from lattice_simp.translate.source import INPUT_FEATURE
from lattice_simp.tune.arc_features import feature_lattice
from lattice_simp.tune.feature_lattice import same_features
from lattice_simp.tune.rounds import DEFAULTS, TuningOptions, TuningResult, tune_with

START: Mapping[str, float] = {
    **{f"{INPUT_FEATURE}:{name}": 1.0 for name in FEATURES},
    f"{INPUT_FEATURE}:Splits": 0.0,
    f"{INPUT_FEATURE}:Deleted": -1.0,
    REPLACED: 1.0,
    "OOV": 0.5,
}
"""The start weights besides those of the decoder: log probabilities count fully, deleted words cost something, since
language models prefer short sentences, and copied tokens cost a little."""

NEVER_WORSE = (
    *(f"{INPUT_FEATURE}:{name}" for name in (SPLIT_FEATURE, *DELETION_FEATURES.values())),
    "TargetGivenSource",
    "SourceGivenTarget",
    "LexicalTargetGivenSource",
    "LexicalSourceGivenTarget",
    "CountOne",
    "CountTwo",
    "Frequency",
    "Length",
    "Swap",
)
"""Features whose weights stay positive: likelier, more frequent, simpler or in the same order is never worse, whatever
a small development set suggests."""

BEAM, MAX_ARCS = 5.0, 1500
"""The beam (nats) and the number of arcs of tuning lattices."""


def with_start_weights(simplifier: Simplifier) -> Simplifier:
    """Returns the simplifier with the weights `START` added to those of its decoder."""
    return replace(simplifier, decoder=simplifier.decoder.with_weights({**simplifier.decoder.weights, **START}))


def tune_simplifier(
    simplifier: Simplifier,
    sentences: Iterable[Analysis],
    references: Sequence[Sequence[Sequence[str]]],
    options: TuningOptions = DEFAULTS,
    *,
    metric: str = "bleu",
    say: Callable[[str], None] = lambda text: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> TuningResult:
    """Tunes the weights of all features by exact line search over lattices (Macherey et al. 2008).

    Args:
        simplifier: the simplifier, whose weights are the starting point; with `change`, the best hypothesis that
            differs from the source counts.
        sentences: the development set.
        references: the tokens of each sentence's references, with first words in mid-sentence case.
        options: the options of the rounds.
        metric: the name of a metric in `tune.metrics`.
        say: a function that logs a line.
        progress: a function called with the number of decoded sentences in a round and their total.
    """
    analyses = list(sentences)
    signs = {name: 1 for name in NEVER_WORSE if name in simplifier.decoder.weights}

    def decode(weights: Mapping[str, float], symbols: SymbolTable) -> list[Lattice]:
        decoder = simplifier.decoder.with_weights({**simplifier.decoder.weights, **weights})
        settings = replace(decoder.settings, beam=BEAM * (1 + simplifier.change), mbr=None)
        weighted = replace(simplifier, decoder=replace(decoder, settings=settings), change=False)
        lattices = []
        for analysis in analyses:
            result = weighted.translation(analysis)[1]
            lattice = _changed(result.lattice, analysis) if simplifier.change else result.lattice
            lattices.append(feature_lattice(replace(result, lattice=prune(lattice, BEAM, max_arcs=MAX_ARCS))))
            progress(len(lattices), len(analyses))
        return same_features(share_symbols(lattices, symbols))

    return tune_with(
        decode,
        references,
        simplifier.decoder.weights,
        replace(options, mert=replace(options.mert, signs={**signs, **options.mert.signs})),
        metric=metric,
        sources=[words_in_lattice(analysis) for analysis in analyses],
        say=say,
    )


def words_in_lattice(analysis: Analysis) -> tuple[str, ...]:
    """Returns a sentence's words in the form of its lattice: the first one in mid-sentence case."""
    return tuple(token.text for token in make_variant(analysis, OperationModel(), (), ()).tokens)


def _changed(lattice: Lattice, analysis: Analysis) -> Lattice:
    """Returns the hypotheses that differ from the source; all if none does."""
    changed = difference(lattice, Lattice.from_strings([" ".join(words_in_lattice(analysis))]))
    return lattice if changed.empty else changed
