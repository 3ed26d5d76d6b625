"""Compares one weight for a skeleton's translation with one for each of its features, on development data."""
