"""The full lattices of a study, with features: decoded once under the starting weights, composed many times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from lattice_simp.core.features import Features
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.ops.prune import prune
from lattice_simp.support.array_cache import pack_words, read_arrays, unpack_words, write_arrays
from lattice_simp.translate.decoder import Decoder
from lattice_simp.tune.arc_features import feature_lattice


def write_space(space: Lattice, path: Path) -> None:
    """Writes the translations of a sentence, a lattice with features, to a file for `read_space`."""
    arrays = {
        "offsets": space.offsets,
        "words": space.olabels,
        "nextstates": space.nextstates,
        "features": space.features.arcs.T,
        "final": np.isfinite(space.finals),
        "final_features": space.features.finals.T,
        "names": pack_words(list(space.features)),
        "symbols": pack_words(list(space.symbols)[1:]),
    }
    write_arrays(path, arrays)


def read_space(path: Path) -> Lattice:
    """Reads a file."""
    arrays = read_arrays(path)
    features, finals = (np.array(arrays[name].T, order="C") for name in ("features", "final_features"))
    lattice = Lattice.from_arcs(
        np.repeat(np.arange(len(arrays["final"])), np.diff(arrays["offsets"])),
        arrays["words"],
        np.zeros(len(arrays["words"])),
        arrays["nextstates"],
        np.where(arrays["final"], 0.0, np.inf),
        SymbolTable(unpack_words(arrays["symbols"])),
    )
    return replace(lattice, features=Features(tuple(unpack_words(arrays["names"])), features, finals))


def make_space(decoder: Decoder, words: tuple[str, ...], max_arcs: int) -> Lattice:
    """Decodes a sentence without its skeleton."""
    result = decoder.translate(words, strategy="plain")
    return feature_lattice(replace(result, lattice=prune(result.lattice, max_arcs=max_arcs)))


def space_maker(model: Path, weights: dict[str, float], beam: float, max_arcs: int, folder: Path) -> Callable:  # type: ignore[type-arg]
    """Makes the function that decodes a sentence, (name, words), and writes its space."""
    decoder = Decoder.load(model).with_weights(weights)
    decoder = replace(decoder, settings=replace(decoder.settings, beam=beam, mbr=None))

    def make(task: tuple[str, tuple[str, ...]]) -> int:
        name, words = task
        space = make_space(decoder, words, max_arcs)
        write_space(space, folder / name)
        return space.num_arcs

    return make
