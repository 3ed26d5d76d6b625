"""Expands sets of synonymous sentences by exchanging their phrases (Imamura, Akiba and Sumita 2002)."""
