"""Models that score finished hypotheses, or the paths of a lattice, given the source sentence.

A scorer takes a source sentence and hypotheses, both as lists of tokens (as training made them: Moses tokens, lower
case), and returns costs in nats, end of sentence included:

    from lattice_simp.rescore import read_scorers, combine, rescore_lattice, score_nbest

    scorers = read_scorers("bilingual.scorer")                  # {"Bilingual": BilingualScorer}
    costs = scorers["Bilingual"].score(source, hypotheses)      # (hypotheses,) float64
    entries = score_nbest(source, entries, scorers)             # n-best entries with a new feature for each scorer
    joint = combine([(one, 0.5), (other, 0.5)])                 # a weighted sum is a scorer again
    paths = rescore_lattice(lattice, source, joint, n=100, beam=50)
    model = read_scorers("joint.scorer")["Joint"].model
    lattice = apply_joint(lattice, source, model, weight=0.5)   # exact, for lattices whose arcs name source tokens

Scorers: `NgramScorer` and `KenlmScorer` (`language_model.py`), `ClassScorer` (`classes.py`), `BilingualScorer`
(`bilingual.py`), `Model1Scorer` and `InverseModel1Scorer` (`model1.py`), `JointScorer` (`joint/`), `CausalScorer`
(`causal.py`), and in `lattice_simp.rescore.neural` the `TranslationScorer`. The table `SCORERS` lists how each kind is
read and trained; `lattice_simp.train.scorers` trains them on the output of the pipeline's stages.
"""

from __future__ import annotations

from lattice_simp.rescore.bilingual import BilingualScorer
from lattice_simp.rescore.classes import ClassScorer
from lattice_simp.rescore.combine import combine
from lattice_simp.rescore.joint.lattice import apply_joint
from lattice_simp.rescore.joint.scorer import JointScorer
from lattice_simp.rescore.language_model import KenlmScorer, NgramScorer
from lattice_simp.rescore.lattice_search import rescore_lattice
from lattice_simp.rescore.model1 import InverseModel1Scorer, Model1Scorer
from lattice_simp.rescore.nbest import score_nbest
from lattice_simp.rescore.scorer import PrefixScorer, Scorer, score_by_prefixes
from lattice_simp.rescore.table import SCORERS, read_scorers

__all__ = [
    "SCORERS",
    "BilingualScorer",
    "ClassScorer",
    "InverseModel1Scorer",
    "JointScorer",
    "KenlmScorer",
    "Model1Scorer",
    "NgramScorer",
    "PrefixScorer",
    "Scorer",
    "apply_joint",
    "combine",
    "read_scorers",
    "rescore_lattice",
    "score_by_prefixes",
    "score_nbest",
]
