"""The runs of the other commands: each reads its input, does the work and writes the results."""
