"""Closest references: the path of a lattice of references that is nearest to a hypothesis, as one more reference.

A lattice holds more ways to say a sentence than people write down (for example, all recombinations of a few
references). A hypothesis is compared with the path that is nearest by word edit distance, found exactly
(`ops/oracle_wer.py`), as HTER compares it with its own correction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.oracle import oracle
from lattice_simp.support.plurals import counted


def closest_references(
    lattices: Iterable[Lattice], systems: Mapping[str, Sequence[str]], references: Sequence[str]
) -> dict[str, list[str]]:
    """Returns the path of each sentence's lattice that is nearest to each system's output, as lines of tokens.

    >>> lattice = Lattice.from_strings([("the cat sat", 0.0), ("the cat was sitting", 0.0), ("a cat sat", 0.0)])
    >>> closest_references([lattice], {"plain": ["a cat was sitting"]}, ["the cat sat"])
    {'plain': ['the cat was sitting']}

    Args:
        lattices: one for each sentence, acyclic. Of equally near paths the cheapest is used.
        systems: lines of tokens, by the systems' names.
        references: lines to use where a lattice accepts nothing.

    Raises:
        LatticeSimpError: there are more or fewer lattices than sentences.
        CyclicLatticeError: a lattice has a cycle.
    """
    nearest: dict[str, list[str]] = {name: [] for name in systems}
    count = 0
    for count, lattice in enumerate(lattices, 1):
        if count > len(references):
            continue  # to count them
        lattice = lattice.connected()
        for name, lines in systems.items():
            near = references[count - 1]
            if not lattice.empty:
                near = oracle(lattice, [as_tokens(lines[count - 1])]).hypothesis.text
            nearest[name].append(near)
    if count != len(references):
        raise LatticeSimpError(
            f"{counted(count, 'lattice')} of references for {counted(len(references), 'sentence')}; give one for each"
        )
    return nearest
