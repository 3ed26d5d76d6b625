"""Semantic graphs of sentences: read from files, made of parses, drawn."""
