"""Stages that run once for the same input, and experiments made of them."""
