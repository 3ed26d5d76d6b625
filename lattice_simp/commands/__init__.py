"""The commands of `lattice-simp`: a module for each group, and what they share.

The modules import little when they are loaded, so that `--help` is quick; each command imports what it needs.
"""
