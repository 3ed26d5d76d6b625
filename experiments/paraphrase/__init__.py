"""Expands sets of synonymous sentences."""
