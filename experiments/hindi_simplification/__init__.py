"""Simplified Hindi sentences: comparison with references, and ratings by a reader."""
