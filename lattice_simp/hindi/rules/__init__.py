"""Clauses by rules: finite-state rewriting of the chunks' symbols (Sharma and Paul 2014b)."""
