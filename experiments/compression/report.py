"""The tables of the experiment."""

from __future__ import annotations

from experiments.report import Figures, plain_table, versions
from lattice_simp.skeleton.automatic import parser_name

_ABOUT = """F1 is of the kept tokens, macro-averaged over sentences: *mean* averages over the references of a sentence
(with half the width of its 95 % interval), *best* takes the nearest reference, and *of 3* takes the best of up to
three candidates. *LM* is nats a token by the experiment's language model. *Broken* is the share of words that are kept
without their head, or deleted although a kept head requires them. Every method but the first is asked for the mean
rate of its domain's training part. The costs of `grammars/english/deletable.tsv` were estimated from the news training
part. CPU milliseconds a sentence exclude parsing and include the reading of features; rows without them are skeletons
made by people."""


def programs() -> list[str]:
    """Returns the other programs on which figures depend."""
    return [parser_name(), *versions("python-crfsuite")]


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    parts = [_ABOUT, "## Sets", _sets(figures["domains"])]
    for name, domain in figures["domains"].items():
        parts.append(f"## {name}, {domain['test']:,} test sentences, rate {domain['wanted_rate']:.3f}")
        parts.append(_methods(domain["methods"]))
    parts += ["## Taggers across domains: mean F1, at the test domain's rate", _matrix(figures["matrix"])]
    parts += ["## News: agreement with each of the two masks, and gap types", _news(figures["domains"])]
    return [*parts, f"CPU seconds: {figures['seconds']:.0f}."]


def _sets(domains: Figures) -> str:
    counts = {
        "training sentences": "train",
        "test sentences": "test",
        "compressions": "compressions",
        "of these not subsequences": "skipped",
    }
    rows = [
        (name, *(f"{domain[key]:,}" for key in counts.values()), f"{domain['wanted_rate']:.3f}")
        for name, domain in domains.items()
    ]
    return plain_table(("set", *counts, "training rate"), rows)


def _methods(methods: Figures) -> str:
    columns = ("method", "F1 mean", "F1 best", "of 3", "exact", "rate", "LM", "broken", "CPU ms")
    rows = [
        (
            name,
            f"{_percent(row['f1_mean'])} ± {_percent(row['f1_mean_half_width_95'])}",
            *(_percent(row[key]) for key in ("f1_best", "f1_best_of_candidates", "exact")),
            f"{row['rate']:.3f}",
            f"{row['lm_nats_a_token']:.2f}",
            f"{_percent(row['broken_bonds'])} %",
            f"{row['cpu_ms_a_sentence']:.1f}" if "cpu_ms_a_sentence" in row else "",
        )
        for name, row in methods.items()
    ]
    return plain_table(columns, rows)


def _matrix(matrix: Figures) -> str:
    tests = list(next(iter(matrix.values())))
    rows = [(name, *(_percent(row[test]) for test in tests)) for name, row in matrix.items()]
    return plain_table(("trained on", *tests), rows)


def _news(domains: Figures) -> str:
    methods = next(iter(domains.values()))["methods"]
    kinds = list(next(iter(methods.values()))["gap_types"])
    rows = [
        (
            name,
            *map(_percent, row["f1_by_reference"][:2]),
            f"{row['rate']:.3f}",
            *(f"{100 * row['gap_types'][kind]:.0f} %" for kind in kinds),
        )
        for name, row in methods.items()
    ]
    return plain_table(("method", "F1 mask 1", "F1 mask 2", "rate", *kinds), rows)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
