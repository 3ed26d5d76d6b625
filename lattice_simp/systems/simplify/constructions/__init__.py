"""Constructions that can be split, each with the way its clause becomes a sentence; `split.py` has their table."""
