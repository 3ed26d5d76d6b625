"""A model for the sentence of Narayan and Gardent (2014), with the probabilities of their Tables 1 and 2."""

from __future__ import annotations

from lattice_simp.systems.simplify.hypotheses import FEATURES
from lattice_simp.systems.simplify.operations import OperationModel

SIMPLER = {"published": "wrote", "describing": "explaining", "boson": "elementary particle"}
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


def write_model(folder):
    """Writes the model folder."""
    rules = [f"[X] ||| {word} ||| {simpler} ||| P=1" for word, simpler in SIMPLER.items()]
    (folder / "rules").write_text("\n".join(rules) + "\n", encoding="utf-8")
    counts = "\\data\\\nngram 1=3\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\n-1\t</s>\n\n\\end\\\n"
    (folder / "lm.arpa").write_text(counts, encoding="utf-8")
    weights = {"P": 5.0, "LM": 0.0, **{f"Input:{name}": 1.0 for name in FEATURES[:1] + FEATURES[2:5]}}
    lines = ["feature\tweight", *(f"{name}\t{weight}" for name, weight in weights.items())]
    (folder / "weights.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    OPERATIONS.write(folder / "operations.tsv")
    return folder
