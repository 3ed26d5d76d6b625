"""Measurements of speed, memory and search quality, each against a baseline taken in the same run."""
