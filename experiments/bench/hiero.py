"""Decoding the reference sentences: total costs, identical strings, CPU time including loading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import lattice_simp as ls
from experiments.bench.figures import Figure, Figures, figure
from experiments.bench.oracle_data import (
    EUROPARL,
    EUROPARL_FULL,
    EUROPARL_SKELETONS,
    MULTI30K,
    MULTI30K_FULL,
    WEIGHTS,
    Task,
    exact_results,
    load,
    recorded_seconds,
    recorded_totals,
)
from experiments.timing import cpu_time
from lattice_simp.translate.search.cubes.limits import CubePruning
from lattice_simp.translate.search.exact.limits import ExactSearch

FULL_SETTINGS = [CubePruning(pops=pops, max_arcs=50_000) for pops in (100, 200, 500, 1000, 2500, 5000)]
"""The pruning settings for nested grammars."""

SHORT_LIMITS = ExactSearch(seconds=300.0, edges=60_000_000)
NEWS_LIMITS = ExactSearch(seconds=60.0, edges=25_000_000)

CERTAIN = 1e-4
"""Gaps below this many nats count as 0."""


def _decode(shared: Path, task: Task, cubes: CubePruning | None = None) -> tuple[list[ls.Path], float]:
    """Returns each sentence's best path and the CPU seconds, including loading from the cache."""
    with cpu_time() as timer:
        grammar, model, sentences = load(shared, task)
        settings = ls.DecoderSettings(beam=0.0)
        if cubes is not None:
            settings = replace(settings, cubes=cubes)
        decoder = ls.Decoder(grammar, {"LM": model}, WEIGHTS, settings)
        best = [decoder.translate(words).best for words in sentences]
    return best, timer.seconds


def _eager(shared: Path, task: Task) -> float:
    """Returns the CPU seconds of the same search without bounds: the whole product, then its best path."""
    with cpu_time() as timer:
        grammar, model, sentences = load(shared, task)
        decoder = ls.Decoder(grammar, {"LM": model}, WEIGHTS)
        for words in sentences:
            ls.nbest(ls.apply_lm(decoder.rules(words).lattice, {"LM": (model, 1.0)}), 1)
    return timer.seconds


def measure_multi30k(shared: Path) -> Figures:
    """Measures 20 sentences with a shallow-1 grammar; a first run is not timed (compilation, caches)."""
    _decode(shared, MULTI30K)
    best, seconds = _decode(shared, MULTI30K)
    exact = exact_results(shared, MULTI30K)
    identical = sum(path.text == string for path, (_, string) in zip(best, exact, strict=True))
    totals = recorded_totals(shared, MULTI30K, "shallow1")
    return {
        "hiero_shallow1_total_cost": _total(best, totals),
        "hiero_shallow1_identical": figure(identical, "of 20 strings"),
        "hiero_shallow1_cpu_s": figure(
            seconds, "CPU s", _eager(shared, MULTI30K), **recorded_seconds(shared, MULTI30K, "shallow1")
        ),
    }


def measure_europarl(shared: Path) -> Figures:
    """Measures 30 sentences of 20 to 39 tokens, shallow-1 grammar."""
    _decode(shared, MULTI30K)
    return _shallow(shared, "hiero_europarl", EUROPARL)


def measure_europarl_skeletons(shared: Path) -> Figures:
    """Measures their 30 skeletons."""
    return _shallow(shared, "hiero_europarl_skeletons", EUROPARL_SKELETONS)


def _shallow(shared: Path, name: str, task: Task) -> Figures:
    """Measures the second run on a task with a shallow-1 grammar."""
    _decode(shared, task)
    best, seconds = _decode(shared, task)
    return {
        f"{name}_total_cost": _total(best, recorded_totals(shared, task, "shallow1")),
        f"{name}_cpu_s": figure(seconds, "CPU s", None, **recorded_seconds(shared, task, "shallow1")),
    }


def measure_full(shared: Path) -> Figures:
    """Measures nested grammars with several pruning settings."""
    figures: Figures = {}
    for name, task in (("hiero_full", MULTI30K_FULL), ("hiero_europarl_full", EUROPARL_FULL)):
        _decode(shared, task, FULL_SETTINGS[0])
        for cubes in FULL_SETTINGS:
            best, seconds = _decode(shared, task, cubes)
            setting = f"pops{cubes.pops}"
            total = _total(best, recorded_totals(shared, task, "full"))
            spent = figure(seconds, "CPU s", None, **recorded_seconds(shared, task, "full"))
            figures[f"{name}_{setting}_total_cost"], figures[f"{name}_{setting}_cpu_s"] = total, spent
    return figures


def measure_full_exact(shared: Path) -> Figures:
    """Measures the exact search in nested grammars: costs, number of certified sentences, CPU seconds.

    Short sentences have no limits of time and memory, news sentences a minute each.
    """
    _certified(shared, MULTI30K_FULL, range(1), SHORT_LIMITS)
    short, seconds = _certified(shared, MULTI30K_FULL, None, SHORT_LIMITS)
    news, news_seconds = _certified(shared, EUROPARL_FULL, None, NEWS_LIMITS)
    recorded, recorded_news = (recorded_totals(shared, task, "full") for task in (MULTI30K_FULL, EUROPARL_FULL))
    return {
        "hiero_full_total_cost": _total([translation.best for translation in short], recorded),
        "hiero_full_certified": figure(_certain(short), "of 20 sentences"),
        "hiero_full_cpu_s": figure(seconds, "CPU s", None, **recorded_seconds(shared, MULTI30K_FULL, "full")),
        "hiero_europarl_full_certified": figure(_certain(news), f"of {len(news)} sentences"),
        "hiero_europarl_full_mean_gap": figure(
            sum(translation.optimality_gap or 0.0 for translation in news) / len(news), "nats"
        ),
        "hiero_europarl_full_total_cost": _total([translation.best for translation in news], recorded_news),
        "hiero_europarl_full_cpu_s": figure(news_seconds, "CPU s"),
    }


def _certified(
    shared: Path, task: Task, chosen: Sequence[int] | None, limits: ExactSearch
) -> tuple[list[ls.Translation], float]:
    """Returns the exact search's translations of some sentences, or all, and the CPU seconds including loading."""
    with cpu_time() as timer:
        grammar, model, sentences = load(shared, task)
        decoder = ls.Decoder(grammar, {"LM": model}, WEIGHTS, ls.DecoderSettings(beam=0.0, exact=limits))
        translations = [decoder.translate(sentences[number]) for number in chosen or range(len(sentences))]
    return translations, timer.seconds


def _certain(translations: Sequence[ls.Translation]) -> int:
    return sum(entry.optimality_gap is not None and entry.optimality_gap < CERTAIN for entry in translations)


def _total(best: list[ls.Path], recorded: dict[str, float]) -> Figure:
    return figure(round(sum(path.cost for path in best), 4), "nats", None, **recorded)
