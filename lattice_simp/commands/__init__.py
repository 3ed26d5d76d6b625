"""The commands of `lattice-simp`: a module each, and below them folders for what they run, read and share.

The modules import little when they are loaded, so that `--help` is quick; each command imports the rest when it runs.
"""
