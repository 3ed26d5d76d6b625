"""Measures the losses of pruned search in nested grammars against certified optima of the exact search."""
