"""A neural joint model: the next target word given three target words and the source around its affiliation.

Devlin et al. (2014) with a convolutional encoder of the source and an output that is factored by word classes, so that
its probabilities are exactly normalised. It is trained with torch (`training.py`) and applied with numpy (`model.py`),
to hypotheses of any system, which need no alignment (`scorer.py`), or exactly to all paths of a decoder's lattice
(`lattice.py`).
"""

from __future__ import annotations
