"""The section that marks Hindi clauses and simplifies sentences."""
