"""Fixtures of parses."""

from random_parses import lawyer, random_parse

__all__ = ["lawyer", "random_parse"]
