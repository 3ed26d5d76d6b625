"""Combination of systems: their outputs for one source become one lattice, whose best path they agree on.

A method makes the lattice (`methods.py`), features tell how much the systems agree on its paths (`agreement.py`), and
weights of the features decide (`combine.py`); `lattice_simp.tune` finds weights.
"""
