"""Constructions that can be split, each with the way its clause becomes a sentence; `split.py` lists them."""
