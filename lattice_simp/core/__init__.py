"""Lattices as arrays, symbols, and the graph algorithms below all operations."""
