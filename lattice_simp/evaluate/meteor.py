"""METEOR 1.5 (Denkowski and Lavie 2014): the jar's statistics of each sentence, its formula in numpy.

A row of statistics: length of hypothesis and reference; function words in both; for each of four kinds of matches
(exact, stem, synonym, paraphrase) the content words matched in both and the function words matched in both; chunks;
matched words of both. Of several references, the jar takes the best one for each sentence. The chunk of a sentence that
equals its reference is not counted: the jar leaves it out when it adds sentences up.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats
from lattice_simp.errors import LatticeSimpError
from lattice_simp.evaluate import meteor_cache
from lattice_simp.evaluate.meteor_jar import COLUMNS, VERSION, JarOptions, find_jar, sentence_statistics
from lattice_simp.evaluate.meteor_languages import MODULES, MeteorLanguage, meteor_language
from lattice_simp.evaluate.metric import Form, Metric, References, check_lines, ratio

_CHUNKS = COLUMNS - 3
"""The column of chunks."""


def meteor(
    language: str,
    references: int = 1,
    *,
    paraphrases: str | Path | None = None,
    options: JarOptions | None = None,
    cache: bool = True,
) -> Metric:
    """METEOR 1.5 with the parameters of a language, from 0 to 100.

    >>> metric = meteor("fr")
    >>> metric.signature
    'nrefs:1|meteor:1.5|l:fr|norm|p:0.9 1.4 0.6 0.65|m:exact stem|w:1.0 0.2'
    >>> round(metric.corpus_score(["le chat dort"], [["le chat mange"]]), 2)  # doctest: +SKIP
    40.81

    English paraphrases come with the jar's Python package. Those of cs, de, es, fr and ru are in METEOR's own
    distribution alone: name the file (`data/paraphrase-fr.gz`), or these matches are left out, as the signature says.
    Where the jar has no rules to make tokens of a language's text, it is given tokens, and lower-cases them.

    Args:
        language: an ISO code, or `other`.
        references: how many there are.
        paraphrases: a paraphrase table for the language.
        options: of the Java process.
        cache: keep statistics in the user's cache folder, by a hash of everything they depend on.

    Raises:
        LatticeSimpError: a language that METEOR does not know, or no such file. The metric's `statistics` raise
            MissingExtraError where Java or the jar is missing, and LatticeSimpError where the jar fails.
    """
    settings, table = _settings(language, paraphrases)
    arguments = _arguments(settings)
    chosen = options or JarOptions()

    def statistics(hypotheses: Sequence[str], references: References) -> Floats:
        check_lines(hypotheses, references)
        data = [] if table is None else ["-a", str(table)]
        if not cache:
            return _without_perfect_chunks(sentence_statistics(hypotheses, references, [*arguments, *data], chosen))
        files = [find_jar(), *([] if table is None else [table])]
        key = meteor_cache.cache_key(files, arguments, hypotheses, references)
        rows = meteor_cache.load(key, (len(hypotheses), COLUMNS))
        if rows is None:
            rows = sentence_statistics(hypotheses, references, [*arguments, *data], chosen)
            meteor_cache.store(key, rows)
        return _without_perfect_chunks(rows)

    reads = (Form.TEXT, Form.TOKENS) if settings.normaliser else (Form.TOKENS,)
    signature = f"nrefs:{references}|meteor:{VERSION}|" + _signature(arguments)
    return Metric("METEOR", True, signature, statistics, lambda sums: meteor_score(sums, settings), reads)


def meteor_score(sums: npt.ArrayLike, language: MeteorLanguage) -> Floats:
    """Returns the score, 0 to 100, of sums of statistics, (..., `COLUMNS`) to (...)."""
    rows = np.asarray(sums, dtype=np.float64)
    matches = _matches(rows)
    by_class = np.array([language.delta, 1.0 - language.delta])
    weighted = np.einsum("...kcs,k,c->...s", matches, language.all_weights, by_class)
    lengths, functions = rows[..., 0:2], rows[..., 2:4]
    shares = ratio(weighted, language.delta * (lengths - functions) + (1.0 - language.delta) * functions)
    precision, recall = shares[..., 0], shares[..., 1]
    mean = ratio(precision * recall, (1.0 - language.alpha) * recall + language.alpha * precision)
    fragmentation = ratio(2.0 * rows[..., _CHUNKS], rows[..., -2:].sum(axis=-1))
    return 100.0 * mean * (1.0 - language.gamma * fragmentation**language.beta)


def _without_perfect_chunks(rows: Floats) -> Floats:
    perfect = (_matches(rows).sum(axis=(-3, -2)) == rows[:, 0:2]).all(axis=-1) & (rows[:, _CHUNKS] == 1)
    result = rows.copy()
    result[perfect, _CHUNKS] = 0.0
    return result


def _matches(rows: Floats) -> Floats:
    """Returns (..., kind, content or function, hypothesis or reference)."""
    return rows[..., 4 : 4 + 4 * MODULES].reshape(*rows.shape[:-1], MODULES, 2, 2)


def _settings(language: str, paraphrases: str | Path | None) -> tuple[MeteorLanguage, Path | None]:
    """Returns the parameters, and the paraphrase table where it is not the jar's own."""
    settings = meteor_language(language)
    if paraphrases is None:
        return (settings.without_paraphrases() if settings.paraphrases == "separate" else settings), None
    if "paraphrase" not in settings.modules:
        raise LatticeSimpError(f"METEOR {VERSION} takes no paraphrases for {language!r}")
    table = Path(paraphrases).absolute()
    if not table.is_file():
        raise LatticeSimpError(f"{table}: no such file of METEOR paraphrases")
    return settings, table


def _arguments(settings: MeteorLanguage) -> list[str]:
    """Returns the jar's options; everything is said, so that no default can differ from the formula here."""
    parameters = (settings.alpha, settings.beta, settings.gamma, settings.delta)
    return [
        *("-l", settings.meteor_name),
        "-norm" if settings.normaliser else "-lower",
        *("-p", " ".join(map(str, parameters))),
        *("-m", " ".join(settings.modules)),
        *("-w", " ".join(map(str, settings.weights))),
    ]


def _signature(arguments: Sequence[str]) -> str:
    """Returns `l:fr|norm|p:...` of `-l fr -norm -p ...`."""
    return "".join(f"|{part[1:]}" if part.startswith("-") else f":{part}" for part in arguments)[1:]
