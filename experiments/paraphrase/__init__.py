"""Expanding sets of sentences that mean the same."""
