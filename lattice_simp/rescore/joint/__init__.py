"""A neural joint model: the next target word given three target words and the source around the word it belongs to.

Devlin et al. (2014) with a convolutional encoder of the source and an output that is factored by word classes, so that
its probabilities are exactly normalised. Torch trains it (`training.py`); numpy applies it (`model.py`) to hypotheses
of any system, which need no alignment (`scorer.py`), or exactly to all paths of a decoder's lattice (`lattice.py`).
"""

from __future__ import annotations
