"""The full lattices of a study, with features: decoded once under the starting weights, composed many times."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.ops.prune import prune
from lattice_simp.support.array_cache import pack_words, read_arrays, unpack_words, write_arrays
from lattice_simp.translate.decoder import Decoder
from lattice_simp.tune.arc_features import feature_lattice
from lattice_simp.tune.feature_lattice import FeatureLattice
from lattice_simp.tune.weighing import lattice_under

_FIELDS = [field.name for field in dataclasses.fields(FeatureLattice) if field.name != "feature_names"]


@dataclass(frozen=True, eq=False)
class Space:
    """What a sentence may be translated to: a lattice with features, and the words that it numbers."""

    lattice: FeatureLattice
    words: tuple[str, ...]

    def under(self, weights: Mapping[str, float]) -> Lattice:
        """Returns the lattice under weights."""
        return lattice_under(self.lattice, weights, SymbolTable(self.words))

    def write(self, path: Path) -> None:
        """Writes a file that `read` reads."""
        arrays = {name: getattr(self.lattice, name) for name in _FIELDS}
        names = {"names": pack_words(list(self.lattice.feature_names)), "symbols": pack_words(list(self.words))}
        write_arrays(path, {**arrays, **names})

    @classmethod
    def read(cls, path: Path) -> Space:
        """Reads a file.

        Raises:
            FormatError: the file is broken.
        """
        arrays = read_arrays(path)
        names = tuple(unpack_words(arrays["names"]))
        lattice = FeatureLattice(**{name: arrays[name] for name in _FIELDS}, feature_names=names)
        return cls(lattice, tuple(unpack_words(arrays["symbols"])))


def make_space(decoder: Decoder, words: tuple[str, ...], max_arcs: int) -> Space:
    """Decodes a sentence without its skeleton."""
    result = decoder.translate(words, strategy="plain")
    pruned = prune(result.lattice, max_arcs=max_arcs)
    lattice = feature_lattice(replace(result, lattice=pruned))
    used, numbers = np.unique(np.append(lattice.words, 0), return_inverse=True)  # the empty word has the number 0
    lattice = replace(lattice, words=numbers[:-1].astype(np.int32))
    return Space(lattice, tuple(pruned.symbols[label] for label in used[1:].tolist()))


def space_maker(model: Path, weights: dict[str, float], beam: float, max_arcs: int, folder: Path) -> Callable:  # type: ignore[type-arg]
    """Makes the function that decodes a sentence, (name, words), and writes its space."""
    decoder = Decoder.load(model).with_weights(weights)
    decoder = replace(decoder, settings=replace(decoder.settings, beam=beam, mbr=None))

    def make(task: tuple[str, tuple[str, ...]]) -> int:
        name, words = task
        space = make_space(decoder, words, max_arcs)
        space.write(folder / name)
        return space.lattice.num_arcs

    return make
