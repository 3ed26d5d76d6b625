"""What METEOR 1.5 knows of each language: `meteor_languages.tsv`, the tables of its class `Constants`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.textio import read_lines

TABLE = Path(__file__).with_name("meteor_languages.tsv")

OTHER = "other"
"""The fallback for languages without parameters of their own: exact matches, language-independent parameters."""

MODULES = 4
"""The jar writes the statistics of four modules, whether all of them run or not."""


@dataclass(frozen=True)
class MeteorLanguage:
    """The parameters of a language, those of the task that the jar takes by default.

    Attributes:
        code: the ISO code.
        meteor_name: what METEOR calls it (`cz`, `se`).
        normaliser: whether the jar can make tokens of its text (`-norm`).
        paraphrases: `bundled` with the Python package, in a `separate` file of METEOR's own distribution, or `none`.
        modules: the kinds of matches, in their order.
        weights: (modules,) of the matches.
        alpha: the weight of recall; precision has the rest.
        beta: the exponent of the fragmentation.
        gamma: the greatest penalty of fragmentation.
        delta: the weight of content words; function words have the rest.
    """

    code: str
    meteor_name: str
    normaliser: bool
    paraphrases: str
    modules: tuple[str, ...]
    weights: tuple[float, ...]
    alpha: float
    beta: float
    gamma: float
    delta: float

    def without_paraphrases(self) -> MeteorLanguage:
        """Returns the same language without the module `paraphrase`; the other weights stay."""
        kept = [(name, weight) for name, weight in zip(self.modules, self.weights, strict=True) if name != "paraphrase"]
        names, weights = zip(*kept, strict=True)
        return MeteorLanguage(**{**vars(self), "modules": names, "weights": weights})

    @property
    def all_weights(self) -> Floats:
        """(`MODULES`,) float64, 0 for modules that do not run."""
        return np.array([*self.weights, *[0.0] * (MODULES - len(self.weights))])


def meteor_language(code: str) -> MeteorLanguage:
    """Returns the parameters of a language.

    >>> meteor_language("sv").meteor_name, meteor_language("en").modules
    ('se', ('exact', 'stem', 'synonym', 'paraphrase'))

    Raises:
        LatticeSimpError: METEOR does not know it; names those that it knows, and the fallback.
    """
    languages = _read()
    known = languages.get(code)
    if known is None:
        codes = ", ".join(other for other in languages if other != OTHER)
        raise LatticeSimpError(
            f"METEOR 1.5 does not know the language {code!r}; it knows {codes} "
            f"(or take {OTHER!r}: exact matches of tokens alone, language-independent parameters)"
        )
    return known


def _read() -> dict[str, MeteorLanguage]:
    header, *rows = [line.split("\t") for line in read_lines(TABLE)]
    languages = {}
    for row in rows:
        field = dict(zip(header, row, strict=True))
        languages[field["language"]] = MeteorLanguage(
            field["language"],
            field["meteor_name"],
            field["normaliser"] == "yes",
            field["paraphrases"],
            tuple(field["modules"].split()),
            tuple(map(float, field["weights"].split())),
            *(float(field[name]) for name in ("alpha", "beta", "gamma", "delta")),
        )
    return languages
