"""Converts lattices to constraints of text generators, and results of generators to hypotheses."""
