"""Runs of commands: over lattices or sentences, with progress, journals and reports, and their output."""
