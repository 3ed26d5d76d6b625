"""Clauses by random fields, inside a lattice of well-formed bracketings."""

from lattice_simp.systems.hindi.clauses.model import ClauseModel

__all__ = ["ClauseModel"]
