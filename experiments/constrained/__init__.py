"""Constrained beam search with a small language model."""
