"""Composition: the output of one lattice is the input of another (Mohri, Pereira and Riley 2002, section 3)."""

from __future__ import annotations

from lattice_simp.core.lattice import Lattice, require_lattice


def compose(first: Lattice, second: Lattice) -> Lattice:
    """Returns the composition: the pairs of paths where the words of the first are the input of the second.

    >>> from lattice_simp import SymbolTable
    >>> from lattice_simp.ops.nbest import nbest
    >>> english = SymbolTable(["house", "home"])
    >>> lexicon = Lattice.from_arcs([0, 0], [1, 2], [0.5, 1.0], [1, 1], [float("inf"), 0.0], english,
    ...     inputs=([1, 1], SymbolTable(["Haus"])))
    >>> [(path.text, path.cost) for path in nbest(compose(Lattice.from_strings([("Haus", 2.0)]), lexicon), 2)]
    [('house', 2.5), ('home', 3.0)]

    `first @ second` is the same. Costs add up, and so do the features of both sides by their names. Each pair of paths
    is one path of the result, whose input is the first one's and whose output is the second one's; the composition of
    two acceptors is the acceptor of their common strings. Words are compared as text: tables may differ. An acceptor's
    input labels are its words.

    Args:
        first, second: acceptors or transducers; they may have epsilons, and cycles that the other side bounds.

    Raises:
        CyclicLatticeError: the result has a cycle.
        InvalidLatticeError: the result is too large.
        TypeError: an argument is not a lattice; pass gappy acceptors to `compose_gappy`.
    """
    require_lattice("compose", first, second)
    return first @ second
