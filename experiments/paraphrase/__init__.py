"""Expansion of sets of sentences, references that are expanded, and systems that are combined."""
