"""Simplifies Hindi sentences for translation (Mishra, Soni, Sharma and Sharma 2014)."""

from lattice_simp.systems.hindi.simplify.model import Change, ChangeKind, SimpleSentence, Simplified
from lattice_simp.systems.hindi.simplify.pipeline import Stage, simplify

__all__ = ["Change", "ChangeKind", "SimpleSentence", "Simplified", "Stage", "simplify"]
