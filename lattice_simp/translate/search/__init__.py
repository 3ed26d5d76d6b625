"""Searches in nested grammars: the chart that both work on, and the forests that they return."""
