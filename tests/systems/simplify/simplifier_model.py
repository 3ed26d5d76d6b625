"""A simplification model that can be read at a glance."""

from __future__ import annotations

from helpers import write_decoder

from lattice_simp.systems.simplify.hypotheses import FEATURES
from lattice_simp.systems.simplify.operations import OperationModel

RULES = """[X] ||| principal ||| main ||| P=-0.2 ||| 0-0
[X] ||| required to ||| asked to ||| P=-0.5 ||| 0-0 1-1
[X] ||| sentenced ||| sent ||| P=-0.9 ||| 0-0
"""
WORDS = "the old judge was tired man held . , and he sentenced him to death main principal asked required".split()
ARPA = "\n".join(
    [
        "\\data\\",
        f"ngram 1={len(WORDS) + 3}",
        "ngram 2=3",
        "",
        "\\1-grams:",
        "-2.5\t<unk>",
        "-99\t<s>\t-0.2",
        "-1\t</s>",
        *(f"-{1.0 + 0.05 * number:.2f}\t{word}\t-0.1" for number, word in enumerate(WORDS)),
        "",
        "\\2-grams:",
        "-0.2\tthe judge",
        "-0.3\tthe man",
        "-0.1\t. </s>",
        "",
        "\\end\\",
        "",
    ]
)
WEIGHTS = {"P": 1.0, "LM": 0.5, "OOV": 0.25, "Glue": 0.0, "WordPenalty": -1.0} | {
    f"Input:{name}": weight for name, weight in zip(FEATURES, (1.0, 0.5, 0.75, 1.5, 1.0, -0.5), strict=True)
}
OPERATIONS = OperationModel(
    {
        ("split", "relative", "agent", "agent attribute"): (3.0, 4.0),
        ("split", "coordination", "agent patient", "agent patient"): (8.0, 9.0),
        ("modifier", "", "very"): (8.0, 10.0),
        ("modifier", "", "old"): (2.0, 10.0),
        ("relation", "0-2", "to"): (1.0, 6.0),
        ("orphan", "false", "that"): (5.0, 8.0),
    }
)


def write_model(folder, rules=RULES):
    """Writes the model folder."""
    OPERATIONS.write(folder / "operations.tsv")
    return write_decoder(folder, rules, ARPA, WEIGHTS)
