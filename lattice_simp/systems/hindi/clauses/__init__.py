"""Finds clauses with conditional random fields and lattices of well-formed bracketings."""

from lattice_simp.systems.hindi.clauses.model import ClauseModel

__all__ = ["ClauseModel"]
