"""Decoding a development set under given weights: lattices with features, from worker processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice, share_symbols
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.ops.prune import prune
from lattice_simp.skeleton import Skeleton
from lattice_simp.support.tasks.batch import all_results
from lattice_simp.translate.decoder import Decoder
from lattice_simp.tune.arc_features import feature_lattice
from lattice_simp.tune.feature_lattice import same_features


@dataclass(frozen=True)
class TuningSentence:
    """A sentence to tune on, its references, its skeletons and their translations (None for the decoder's own)."""

    words: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    masks: tuple[str, ...] = ()
    skeleton_hypotheses: tuple[Hypothesis, ...] | None = None


@dataclass(frozen=True)
class DecodeOptions:
    """How to decode.

    Attributes:
        strategy: see `Decoder.translate`; None for its default.
        beam: nats above the best path that a lattice keeps.
        max_arcs: the most arcs of a lattice; the beam shrinks until it fits.
        cluster: a Dask cluster instead of `jobs` processes, see `run_tasks`.
    """

    model: Path
    strategy: str | None = None
    beam: float = 5.0
    max_arcs: int = 3000
    jobs: int = 1
    cluster: str | None = None


def decode(
    sentences: Sequence[TuningSentence],
    options: DecodeOptions,
    weights: Mapping[str, float],
    symbols: SymbolTable,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Lattice]:
    """Returns the lattice of each sentence, all numbered by `symbols` or a copy of it with more words.

    `progress` is called with the number of sentences done, and their total.

    Raises:
        LatticeSimpError: a sentence cannot be translated.
    """
    factory = partial(_make_decoder, options, dict(weights))
    results = all_results(enumerate(sentences), factory, jobs=options.jobs, cluster=options.cluster, what="sentence")
    lattice_of: dict[int, Lattice] = {}
    for num_done, (number, lattice) in enumerate(results, start=1):
        lattice_of[number] = lattice
        progress(num_done, len(sentences))
    return same_features(share_symbols([lattice_of.pop(number) for number in range(len(sentences))], symbols))


def _make_decoder(options: DecodeOptions, weights: dict[str, float]) -> Callable[[TuningSentence], Lattice]:
    decoder = Decoder.load(options.model).with_weights(weights)
    skeleton = replace(decoder.settings.skeleton, beam=max(options.beam, decoder.settings.skeleton.beam))
    settings = replace(decoder.settings, beam=options.beam, skeleton=skeleton, mbr=None)
    translate = partial(replace(decoder, settings=settings).translate, strategy=options.strategy)

    def work(sentence: TuningSentence) -> Lattice:
        skeletons = [Skeleton.from_mask(mask, sentence.words) for mask in sentence.masks]
        result = translate(sentence.words, skeletons or None, skeleton_hypotheses=sentence.skeleton_hypotheses)
        return feature_lattice(replace(result, lattice=prune(result.lattice, max_arcs=options.max_arcs)))

    return work
