"""Simplified Hindi sentences against references, and as a reader rates them."""
