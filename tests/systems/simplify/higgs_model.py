"""A model for the sentence of Narayan and Gardent (2014), with the probabilities of their Tables 1 and 2."""

from __future__ import annotations

from helpers import write_decoder

from lattice_simp.systems.simplify.hypotheses import FEATURES
from lattice_simp.systems.simplify.operations import OperationModel

PHRASES = {"published": "wrote", "describing": "explaining", "boson": "elementary particle"}
LONG_PHRASE = "Peter Higgs published his paper describing Higgs mechanism"
SWAPS = [
    "[V] ||| in 1964 ||| in 1964 ||| P=1",
    f"[V] ||| {LONG_PHRASE} ||| Peter Higgs wrote his paper explaining Higgs mechanism ||| P=9",
    "[X] ||| [V,1] ||| [V,1] ||| P=0",
    "[X] ||| [V,1] [V,2] ||| [V,2] [V,1] ||| P=-1",
]
"""Phrases stay, or change places with the next one."""

ARPA = """\\data\\
ngram 1=6
ngram 2=2

\\1-grams:
-1\t<unk>
-99\t<s>\t0
-1\t</s>
-1\tPeter\t0
-1\tmechanism\t0
-1\tin\t0

\\2-grams:
-0.001\t<s> Peter
-0.001\tmechanism in

\\end\\
"""
"""A language model that prefers sentences with a name at the beginning and a time at the end."""

OPERATIONS = OperationModel(
    {
        ("split", "event", "agent in in patient", "agent for patient"): (63.0, 100.0),
        ("split", "event", "agent in in patient", "agent patient"): (10.0, 100.0),
        ("split", "event", "agent patient", "agent for patient"): (10.0, 100.0),
        ("relation", "0-2", "in"): (22.0, 100.0),
        ("relation", "2-5", "in"): (83.3, 100.0),
        ("relation", "2-5", "for"): (83.3, 100.0),
        ("modifier", "", "new"): (22.0, 100.0),
        ("modifier", "", "massive"): (83.3, 100.0),
        ("modifier", "", "spin-zero"): (83.3, 100.0),
        ("modifier", "", "second"): (83.3, 100.0),
        ("orphan", "false", "which"): (83.3, 100.0),
    }
)


def write_model(folder, *, swaps=False):
    """Writes the model folder."""
    left = "V" if swaps else "X"
    rules = [f"[{left}] ||| {word} ||| {simpler} ||| P=3" for word, simpler in PHRASES.items()]
    rules += SWAPS if swaps else []
    weights = {"P": 5.0, "LM": 5.0 * swaps, **{f"Input:{name}": 1.0 for name in FEATURES[:1] + FEATURES[2:5]}}
    OPERATIONS.write(folder / "operations.tsv")
    return write_decoder(folder, "\n".join([*rules, ""]), ARPA, weights)
