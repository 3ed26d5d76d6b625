"""Stages that run once for the same input, and experiments composed of them."""
