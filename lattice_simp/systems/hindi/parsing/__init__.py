"""Parses dependencies between the chunks of Hindi sentences, and scores parses."""

from lattice_simp.systems.hindi.parsing.parser import Parser, ParserSettings

__all__ = ["Parser", "ParserSettings"]
