"""Expanding a set of sentences that mean the same by their phrases (Imamura, Akiba and Sumita 2002)."""
