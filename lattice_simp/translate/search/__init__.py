"""The searches in nested grammars, pruned and exact: their common chart, and the forests that they return."""
