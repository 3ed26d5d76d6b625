"""The tables of the experiment."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from lattice_simp.skeleton.automatic import parser_name

Figures = dict[str, Any]

_ABOUT = """Token F1 of the kept tokens, macro-averaged over sentences: with each reference of a sentence and averaged
(mean, with half the width of its 95 % interval), and with the nearest reference (best); "of 3" takes the best of up to
three candidates. LM: nats a token by the experiment's language model. Broken: words that stay without their head, or
are missing beside it, of all words. Every method but the first is asked for the mean rate of its domain's training
part. The costs of `grammars/english/deletable.tsv` were estimated from the news training part. CPU milliseconds a
sentence are without parsing, and include the reading of features; where a row has none, people made the skeletons."""


def programs() -> list[str]:
    """Returns the other programs that figures depend on."""
    return [parser_name(), f"python-crfsuite {version('python-crfsuite')}"]


def page(figures: Figures) -> list[str]:
    """Lays the figures out."""
    parts = [_ABOUT, "## Sets", _sets(figures["domains"])]
    for name, domain in figures["domains"].items():
        parts.append(f"## {name}, {domain['test']:,} test sentences, rate {domain['wanted_rate']:.3f}")
        parts.append(_methods(domain["methods"]))
    parts += ["## Taggers across domains: mean F1, at the test domain's rate", _matrix(figures["matrix"])]
    parts += ["## News: agreement with each of the two masks, and gap types", _news(figures["domains"])]
    return [*parts, f"CPU seconds of all stages: {figures['seconds']:.0f}."]


def _sets(domains: Figures) -> str:
    lines = [
        "| set | training sentences | test sentences | compressions | of these no subsequence | training rate |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {name} | {one['train']:,} | {one['test']:,} | {one['compressions']:,} | {one['skipped']:,} "
        f"| {one['wanted_rate']:.3f} |"
        for name, one in domains.items()
    ]
    return "\n".join(lines)


def _methods(rows: Figures) -> str:
    lines = [
        "| method | F1 mean | F1 best | of 3 | exact | rate | LM | broken | CPU ms |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, row in rows.items():
        milliseconds = f"{row['cpu_ms_a_sentence']:.1f}" if "cpu_ms_a_sentence" in row else ""
        lines.append(
            f"| {name} | {100 * row['f1_mean']:.1f} ± {100 * row['f1_mean_half_width_95']:.1f} "
            f"| {100 * row['f1_best']:.1f} | {100 * row['f1_best_of_candidates']:.1f} | {100 * row['exact']:.1f} "
            f"| {row['rate']:.3f} | {row['lm_nats_a_token']:.2f} | {100 * row['broken_bonds']:.1f} % "
            f"| {milliseconds} |"
        )
    return "\n".join(lines)


def _matrix(matrix: Figures) -> str:
    tests = list(next(iter(matrix.values())))
    lines = ["| trained on | " + " | ".join(tests) + " |", "|---|" + "---:|" * len(tests)]
    lines += [
        f"| {name} | " + " | ".join(f"{100 * row[test]:.1f}" for test in tests) + " |" for name, row in matrix.items()
    ]
    return "\n".join(lines)


def _news(domains: Figures) -> str:
    rows = next(iter(domains.values()))["methods"]
    kinds = list(next(iter(rows.values()))["gap_types"])
    lines = [
        "| method | F1 mask 1 | F1 mask 2 | rate | " + " | ".join(kinds) + " |",
        "|---|---:|---:|---:|" + "---:|" * len(kinds),
    ]
    for name, row in rows.items():
        shares = " | ".join(f"{100 * row['gap_types'][kind]:.0f} %" for kind in kinds)
        first, second = row["f1_by_reference"][:2]
        lines.append(f"| {name} | {100 * first:.1f} | {100 * second:.1f} | {row['rate']:.3f} | {shares} |")
    return "\n".join(lines)
