"""The hypotheses of a sentence for tuning: a lattice whose single-precision features determine its costs.

All costs in the lattice are 0; under weights of the features, the cost of a path is minus their weighted sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from lattice_simp.core.blocks import block_numbers, prefix_sums
from lattice_simp.core.features import Features, check_density
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import InvalidLatticeError, LatticeSimpError


def tuning_lattice(
    lattice: Lattice, names: Iterable[str], arcs: npt.ArrayLike, finals: npt.ArrayLike | None = None
) -> Lattice:
    """Returns the output words of a lattice with these features alone; states without a complete path are removed.

    >>> lattice = Lattice.from_strings([("a", 1.0), ("b", 2.0)])
    >>> tuning_lattice(lattice, ["x"], [[0.5, -1.0]]).features["x"].tolist()
    [0.5, -1.0]

    Args:
        lattice: acyclic; its costs and features are ignored.
        names: the names of the features.
        arcs: (features, arcs) scores.
        finals: (features, states), the scores of ending in a state; zeros if None.

    Raises:
        InvalidLatticeError: matrices of other sizes, scores that are not finite in single precision.
        CyclicLatticeError: the lattice has a cycle.
    """
    named, final = tuple(names), np.isfinite(lattice.finals)
    sizes = ((len(named), lattice.num_arcs), (len(named), lattice.num_states))
    with np.errstate(over="ignore"):  # values that are too large become infinite, and are refused
        values = np.ascontiguousarray(arcs, dtype=np.float32)
        ends = np.zeros(sizes[1], dtype=np.float32) if finals is None else np.asarray(finals, dtype=np.float32)
    if (values.shape, ends.shape) != sizes:
        raise InvalidLatticeError(f"features of {values.shape} arcs and {ends.shape} states; expected {sizes}")
    if not (np.isfinite(values).all() and np.isfinite(ends).all()):
        raise InvalidLatticeError("a feature is NaN, infinite or too large for single precision")
    return replace(
        lattice.project_output(),
        weights=np.zeros(lattice.num_arcs),
        finals=np.where(final, 0.0, np.inf),
        features=Features(named, values, np.where(final, ends, np.float32(0.0))),
    ).connected()


def nbest_lattice(hypotheses: Sequence[Hypothesis], names: Sequence[str], symbols: SymbolTable) -> Lattice:
    """Returns a lattice of one path for each hypothesis of a sentence, its features on the path's first arc.

    A named feature that a hypothesis lacks is 0 there; `symbols` grows as needed.

    Raises:
        LatticeSimpError: a hypothesis has a feature that is not named.
    """
    row = {name: number for number, name in enumerate(names)}
    words = [symbols.encode(entry.tokens) if entry.tokens else np.zeros(1, dtype=np.int32) for entry in hypotheses]
    offsets = prefix_sums([len(labels) for labels in words])
    # States: the start, one common end (1), and the inner states of each path.
    total = int(offsets[-1])
    nextstates = np.arange(total) - block_numbers(offsets) + 2
    sources = nextstates - 1
    sources[offsets[:-1]], nextstates[offsets[1:] - 1] = 0, 1
    check_density(len(names), [hypothesis.features for hypothesis in hypotheses], total)
    features = np.zeros((len(names), total), dtype=np.float32)
    for number, hypothesis in enumerate(hypotheses):  # the arcs of the start come first
        for name, value in hypothesis.features.items():
            if name not in row:
                raise LatticeSimpError(f"the feature {name!r} is not among the named ones; add it to them")
            features[row[name], number] = value
    finals = np.full(2 + total - len(words), np.inf)
    finals[1] = 0.0
    labels = np.concatenate([np.zeros(0, dtype=np.int32), *words])
    lattice = Lattice.from_arcs(sources, labels, np.zeros(total), nextstates, finals, symbols)
    return tuning_lattice(lattice, names, features)


def same_features(lattices: Sequence[Lattice]) -> list[Lattice]:
    """Gives all lattices the same features; missing ones (of unreachable skeletons) are 0."""
    names = tuple(dict.fromkeys(name for lattice in lattices for name in lattice.features))
    return [replace(lattice, features=lattice.features.select(names)) for lattice in lattices]
