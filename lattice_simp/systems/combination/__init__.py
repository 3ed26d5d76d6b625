"""Combines the outputs of systems for one source into a lattice whose best path they agree on.

A method builds the lattice (`methods.py`), features measure the agreement of the systems on its paths (`agreement.py`),
and weighted features select the best path (`combine.py`); `lattice_simp.tune` tunes the weights.
"""
