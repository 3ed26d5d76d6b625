"""Determinization and minimization, by OpenFst: at most one arc for each word, and as few states as can be."""

from __future__ import annotations

from typing import Any

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.shortest_distance import Semiring
from lattice_simp.errors import InvalidLatticeError


def determinize(lattice: Lattice, *, semiring: Semiring = "tropical") -> Lattice:
    """Returns an equivalent lattice without epsilons where no state has two arcs of one word (Mohri 1997).

    >>> from lattice_simp import SymbolTable
    >>> lattice = determinize(Lattice.from_arcs(
    ...     [0, 0], [1, 1], [1.0, 2.0], [1, 2], [float("inf"), 0.0, 0.0], SymbolTable(["a"])))
    >>> lattice.num_arcs, lattice.weights.tolist()
    (1, [1.0])

    Every string has one path. It may take exponentially many states, so prune large lattices first. Costs are in
    single precision. Features are left out: the arcs of a string's path belong to others of the lattice as well.

    Args:
        lattice: an acyclic acceptor.
        semiring: `tropical` keeps the least cost of each string, `log` sums its paths' probabilities.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        InvalidLatticeError: the lattice is a transducer.
    """
    return _lattice(_determinized(lattice, semiring), lattice)


def minimize(lattice: Lattice, *, semiring: Semiring = "tropical") -> Lattice:
    """Returns the equivalent deterministic lattice of the fewest states (Mohri 2000); see `determinize`.

    >>> minimize(Lattice.from_strings([("a b c", 1.0), ("d b c", 1.0), ("d c", 1.0)])).num_states
    5

    Costs move towards the start.

    Args:
        lattice: an acyclic acceptor.
        semiring: as for `determinize`.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        InvalidLatticeError: the lattice is a transducer.
    """
    return _lattice(_determinized(lattice, semiring).minimize(), lattice)


def _determinized(lattice: Lattice, semiring: Semiring) -> Any:
    import pynini

    if not lattice.is_acceptor:
        raise InvalidLatticeError("the lattice is a transducer; take project_output() first")
    if semiring not in ("tropical", "log"):
        raise InvalidLatticeError(f"unknown semiring {semiring!r}; known are tropical and log")
    fst = lattice.connected().to_pynini()
    if semiring == "log":
        fst = pynini.arcmap(fst, map_type="to_log64")
    return pynini.determinize(fst.rmepsilon())


def _lattice(fst: Any, origin: Lattice) -> Lattice:
    import pynini

    standard = fst if fst.arc_type() == "standard" else pynini.arcmap(fst, map_type="to_standard")
    return Lattice.from_pynini(standard, origin.symbols).connected()
