"""METEOR 1.5 (Denkowski and Lavie 2014): the jar's statistics of each sentence, and its formula in numpy.

A row of statistics: length of hypothesis and reference; function words in both; for each of four kinds of matches
(exact, stem, synonym, paraphrase) the content words matched in both and the function words matched in both; chunks;
matched words of both. Of several references, the jar takes the best one for each sentence. The chunk of a sentence that
equals its reference is not counted: the jar leaves it out when it sums sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats
from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics.meteor_jar import COLUMNS, VERSION, JarOptions, sentence_statistics
from lattice_simp.metrics.metric import Form, Metric, References
from lattice_simp.scores.ratios import ratio
from lattice_simp.support.tables import read_table

LANGUAGES = Path(__file__).with_name("meteor_languages.tsv")
"""The parameters of METEOR 1.5 for each language, from its class `Constants`."""

OTHER = "other"
"""The fallback for languages without parameters of their own: exact matches, language-independent parameters."""

_MODULES = 4
"""The jar writes the statistics of four modules, whether all of them run or not."""

_CHUNKS = COLUMNS - 3
"""The column of chunks."""


@dataclass(frozen=True)
class MeteorLanguage:
    """The parameters of a language, those of the task that the jar takes by default.

    Attributes:
        meteor_name: its name in METEOR (`cz`, `se`).
        normaliser: whether the jar can tokenise its text (`-norm`).
        paraphrases: `bundled` with the Python package, in a `separate` file of METEOR's own distribution, or `none`.
        modules: the kinds of matches in their order, with their weights.
        parameters: alpha, the weight of recall (precision has the rest); beta, the exponent of the fragmentation;
            gamma, its greatest penalty; delta, the weight of content words (function words have the rest).
    """

    meteor_name: str
    normaliser: bool
    paraphrases: str
    modules: Mapping[str, float]
    parameters: tuple[float, ...]


def meteor(
    language: str,
    num_references: int = 1,
    *,
    paraphrases: str | Path | None = None,
    options: JarOptions | None = None,
    cache: bool = True,
) -> Metric:
    """Returns METEOR 1.5 with the parameters of a language, from 0 to 100.

    >>> metric = meteor("fr")
    >>> metric.signature
    'nrefs:1|meteor:1.5|l:fr|norm|p:0.9 1.4 0.6 0.65|m:exact stem|w:1.0 0.2'
    >>> round(metric.corpus_score(["le chat dort"], [["le chat mange"]]), 2)
    51.51

    English paraphrases come with the jar's Python package. Those of cs, de, es, fr and ru are only in METEOR's own
    distribution: name the file (`data/paraphrase-fr.gz`), or these matches are left out, as the signature says. If the
    jar has no rules to tokenise a language's text, the metric passes it tokens, which the jar lower-cases.

    Args:
        language: an ISO code, or `other`.
        num_references: the number of references.
        paraphrases: a paraphrase table for the language.
        options: how the jar is run; None for the defaults.
        cache: whether the user's cache folder keeps the statistics.

    Raises:
        LatticeSimpError: a language that METEOR does not know, or no such file. The metric's `statistics` raise
            MissingExtraError if Java or the jar is missing, and LatticeSimpError if the jar fails.
    """
    settings, table = _settings(language, paraphrases)
    arguments = _arguments(settings)
    options_text = "".join(f"|{part[1:]}" if part.startswith("-") else f":{part}" for part in arguments)  # -l fr: |l:fr

    def statistics(hypotheses: Sequence[str], references: References) -> Floats:
        rows = sentence_statistics(hypotheses, references, arguments, table, options or JarOptions(), cache=cache)
        return _without_perfect_chunks(rows)

    reads = (Form.TEXT, Form.TOKENS) if settings.normaliser else (Form.TOKENS,)
    signature = f"nrefs:{num_references}|meteor:{VERSION}{options_text}"
    return Metric(
        "METEOR", True, signature, statistics, lambda sums: _score(sums, settings), reads, num_references=num_references
    )


def _score(sums: npt.ArrayLike, language: MeteorLanguage) -> Floats:
    """Returns the score, 0 to 100, of sums of statistics, (..., `COLUMNS`) to (...)."""
    rows = np.asarray(sums, dtype=np.float64)
    alpha, beta, gamma, delta = language.parameters
    by_class = np.array([delta, 1.0 - delta])
    by_kind = np.array([*language.modules.values(), *[0.0] * (_MODULES - len(language.modules))])
    weighted = np.einsum("...kcs,k,c->...s", _matches(rows), by_kind, by_class)
    lengths, functions = rows[..., 0:2], rows[..., 2:4]
    shares = ratio(weighted, delta * (lengths - functions) + (1.0 - delta) * functions)
    precision, recall = shares[..., 0], shares[..., 1]
    mean = ratio(precision * recall, (1.0 - alpha) * recall + alpha * precision)
    fragmentation = ratio(2.0 * rows[..., _CHUNKS], rows[..., -2:].sum(axis=-1))
    return 100.0 * mean * (1.0 - gamma * fragmentation**beta)


def _without_perfect_chunks(rows: Floats) -> Floats:
    perfect = (_matches(rows).sum(axis=(-3, -2)) == rows[:, 0:2]).all(axis=-1) & (rows[:, _CHUNKS] == 1)
    result = rows.copy()
    result[perfect, _CHUNKS] = 0.0
    return result


def _matches(rows: Floats) -> Floats:
    """Returns (..., kind, content or function, hypothesis or reference)."""
    return rows[..., 4 : 4 + 4 * _MODULES].reshape(*rows.shape[:-1], _MODULES, 2, 2)


def meteor_language(code: str) -> MeteorLanguage:
    """Returns the parameters of a language; raises LatticeSimpError if METEOR does not know it.

    >>> meteor_language("sv").meteor_name, meteor_language("en").modules
    ('se', {'exact': 1.0, 'stem': 0.6, 'synonym': 0.8, 'paraphrase': 0.6})
    """
    fields = {row["language"]: row for row in read_table(LANGUAGES)}
    if code not in fields:
        codes = ", ".join(name for name in fields if name != OTHER)
        raise LatticeSimpError(
            f"METEOR 1.5 does not know the language {code!r}; it knows {codes} "
            f"(or take {OTHER!r}: exact matches of tokens only, language-independent parameters)"
        )
    field = fields[code]
    return MeteorLanguage(
        field["meteor_name"],
        field["normaliser"] == "yes",
        field["paraphrases"],
        dict(zip(field["modules"].split(), map(float, field["weights"].split()), strict=True)),
        tuple(float(field[name]) for name in ("alpha", "beta", "gamma", "delta")),
    )


def _settings(language: str, paraphrases: str | Path | None) -> tuple[MeteorLanguage, Path | None]:
    """Returns the parameters, and the paraphrase table if it is not the jar's own."""
    settings = meteor_language(language)
    if paraphrases is None:
        if settings.paraphrases != "separate":
            return settings, None
        kept = {name: weight for name, weight in settings.modules.items() if name != "paraphrase"}
        return replace(settings, modules=kept), None
    if "paraphrase" not in settings.modules:
        raise LatticeSimpError(f"METEOR {VERSION} takes no paraphrases for {language!r}")
    table = Path(paraphrases).absolute()
    if not table.is_file():
        raise LatticeSimpError(f"{table}: no such file of METEOR paraphrases")
    return settings, table


def _arguments(settings: MeteorLanguage) -> list[str]:
    """Returns the jar's options, all of them explicit, so that no default can differ from the formula here."""
    return [
        *("-l", settings.meteor_name),
        "-norm" if settings.normaliser else "-lower",
        *("-p", " ".join(map(str, settings.parameters))),
        *("-m", " ".join(settings.modules)),
        *("-w", " ".join(map(str, settings.modules.values()))),
    ]
