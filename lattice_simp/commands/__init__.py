"""The commands of `lattice-simp`: a module for each group, and shared helpers.

The modules import little when they are loaded, so that `--help` is quick; each command imports the rest when it runs.
"""
