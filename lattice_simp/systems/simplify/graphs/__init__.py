"""Semantic graphs of sentences: readers of files, conversion of parses, and drawings."""
