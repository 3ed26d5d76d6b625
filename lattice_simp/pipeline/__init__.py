"""Stages that run once for the same input."""
