"""Experiments and measurements; run from a checkout."""
