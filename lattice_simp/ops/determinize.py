"""Determinization and minimization, by OpenFst: at most one arc for each word, and as few states as can be."""

from __future__ import annotations

from typing import Any

from lattice_simp.core.arguments import whole
from lattice_simp.core.columns import LARGEST
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.shortest_distance import Semiring
from lattice_simp.errors import InvalidLatticeError, LatticeSimpError

MAX_STATES = 1_000_000
"""Of a deterministic lattice, unless told otherwise."""


def determinize(lattice: Lattice, *, semiring: Semiring = "tropical", max_states: int = MAX_STATES) -> Lattice:
    """Returns an equivalent lattice without epsilons where no state has two arcs of one word (Mohri 1997).

    >>> from lattice_simp import SymbolTable
    >>> lattice = determinize(Lattice.from_arcs(
    ...     [0, 0], [1, 1], [1.0, 2.0], [1, 2], [float("inf"), 0.0, 0.0], SymbolTable(["a"])))
    >>> lattice.num_arcs, lattice.weights.tolist()
    (1, [1.0])

    Every string has one path. It may take exponentially many states: prune large lattices first. Costs are in single
    precision. Features are left out: the arcs of a string's path belong to others of the lattice as well.

    Args:
        lattice: an acyclic acceptor.
        semiring: `tropical` keeps the least cost of each string, `log` sums its paths' probabilities.
        max_states: more are an error; of `log`, which OpenFst cannot stop, this is found out by a tropical attempt.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        InvalidLatticeError: the lattice is a transducer.
        LatticeSimpError: it takes more states than `max_states`.
    """
    return _lattice(_determinized(lattice, semiring, max_states), lattice)


def minimize(lattice: Lattice, *, semiring: Semiring = "tropical", max_states: int = MAX_STATES) -> Lattice:
    """Returns the equivalent deterministic lattice of the fewest states (Mohri 2000); see `determinize`.

    >>> minimize(Lattice.from_strings([("a b c", 1.0), ("d b c", 1.0), ("d c", 1.0)])).num_states
    5

    Costs move towards the start.

    Args:
        lattice: an acyclic acceptor.
        semiring: as for `determinize`.
        max_states: as for `determinize`, before states are merged.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        InvalidLatticeError: the lattice is a transducer.
        LatticeSimpError: it takes more states than `max_states`.
    """
    return _lattice(_determinized(lattice, semiring, max_states).minimize(), lattice)


def _determinized(lattice: Lattice, semiring: Semiring, max_states: int) -> Any:
    import pynini

    if not lattice.is_acceptor:
        raise InvalidLatticeError("the lattice is a transducer; take project_output() first")
    if semiring not in ("tropical", "log"):
        raise InvalidLatticeError(f"unknown semiring {semiring!r}; known are tropical and log")
    max_states = whole(max_states, "max_states", 1)
    fst = lattice.connected().to_pynini()
    bounded = pynini.determinize(fst.copy().rmepsilon(), nstate=min(max_states, LARGEST - 1) + 1)
    if bounded.num_states() > max_states:
        raise LatticeSimpError(
            f"the deterministic lattice has more than {max_states:,} states; prune the lattice first, or allow more"
        )
    if semiring == "tropical":
        return bounded
    return pynini.determinize(pynini.arcmap(fst, map_type="to_log64").rmepsilon())


def _lattice(fst: Any, origin: Lattice) -> Lattice:
    import pynini

    standard = fst if fst.arc_type() == "standard" else pynini.arcmap(fst, map_type="to_standard")
    return Lattice.from_pynini(standard, origin.symbols).connected()
