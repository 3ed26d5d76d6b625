"""The figures, the tables and the plots of a study, from what the stages left."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from experiments.study.analysis import analysis
from experiments.study.measuring import Measured, measure_set, measure_variants
from experiments.study.pipeline import StudyDone
from experiments.study.sentences import SETS, TEST, test_set
from experiments.study.systems import RESCORED
from experiments.study.tables import (
    BLEU,
    failure_rate,
    failure_table,
    gap_type_table,
    skeleton_table,
    system_table,
    variant_table,
)
from experiments.study.variant_stages import row_name
from experiments.study.variants import AUTOMATIC_TOGETHER, BASE
from lattice_simp.evaluate import Comparison, compare_groups
from lattice_simp.evaluate.groups import length_groups
from lattice_simp.evaluate.plots import failure_plot, gain_plot, quality_plot, save_plot
from lattice_simp.evaluate.table import as_markdown
from lattice_simp.pipeline.experiment import Results, stage_costs, stage_table
from lattice_simp.train.config import Config

HEADLINE_AUTOMATIC = AUTOMATIC_TOGETHER
"""The variant whose gain is compared with that of one hand-made skeleton for each sentence.

It takes three automatic skeletons; each method by itself, and two hand-made ones at once, are in the table of variants.
It took the place of `automatic (optimal)` when that one's share was known (.33 for French) and its own was not.
"""

PLOTTED = ("plain", "gc", "gc-strong", "sfd-strong")


def report(done: StudyDone, config: Config, folder: Path) -> Results:
    """Measures everything, and draws the plots into a folder."""
    pair = f"{config.text.source_language}-{config.text.target_language}"
    names = {name: test_set(config, name).name for name in SETS}
    measured = {name: measure_set(done, config, name) for name in SETS}
    variants = {name: measure_variants(done, config, name) for name in SETS}
    costs = stage_costs(done.records)
    figures = {
        **headline(measured[TEST], *variants[TEST]),
        "sets": {names[name]: all_scores(one) for name, one in measured.items()},
        "variants": {names[name]: scores_of(comparison) for name, (_, comparison) in variants.items()},
        "signatures": {one.name: one.signature for one in measured[TEST].measurements.metrics},
        "stages": costs,
        "peak_mb": max(record["peak_mb"] for record in costs.values()),
    }
    systems, gap_types = done.study.paper
    tables = [skeleton_table({names[name]: done.sentences[name] for name in SETS})]
    for name in reversed(SETS):
        tables.append(system_table(measured[name], names[name], systems, pair))
        tables.append(gap_type_table(measured[name], names[name], gap_types, pair))
    tables.append(failure_table({names[name]: variants[name][0] for name in SETS}, pair))
    tables += [variant_table(*variants[name], names[name]) for name in reversed(SETS)]
    draw(measured[TEST], variants[TEST][0], [len(one.words) for one in done.sentences[TEST]], folder / "plots")
    parts = [training_lines(done), *map(as_markdown, tables), analysis(done, measured[TEST])]
    return Results(f"{pair}: translation with skeletons", figures, [*parts, "## Stages", stage_table(costs)])


NOT_RUN = SimpleNamespace(value=None, gain=None, p=None)


def headline(measured: Measured, outputs: dict[str, Any], variants: Comparison) -> dict[str, float | None]:
    """Returns the figures that sum a study up, on the test set: BLEU on lower-cased tokens."""
    plain, rescored = (measured.comparisons[base].scores for base in ("plain", "plain" + RESCORED))
    found: dict[str, float | None] = {"plain_bleu": plain["plain"][BLEU].value}
    for name, system in (("gc", "gc-strong"), ("sfd", "sfd-strong"), ("gc_decoder", "gc"), ("sfd_decoder", "sfd")):
        score = plain[system][BLEU] if system in plain else NOT_RUN
        found |= {f"{name}_bleu": score.value, f"{name}_gain_bleu": score.gain, f"{name}_gain_p": score.p}
    found["plain_rescored_bleu"] = rescored["plain" + RESCORED][BLEU].value
    for name, system in (("gc_rescored", "gc-strong"), ("sfd_rescored", "sfd-strong")):
        score = rescored[system + RESCORED][BLEU] if system + RESCORED in rescored else NOT_RUN
        found |= {f"{name}_bleu": score.value, f"{name}_gain_bleu": score.gain, f"{name}_gain_p": score.p}
    for key, variant in (("failed_1_pct", "n=1"), ("failed_1000_pct", "n=1000"), ("failed_edit_pct", "n=1 with edits")):
        own = outputs.get(row_name(variant))
        found[key] = None if own is None else 100 * failure_rate(own)
    hand = variants.scores.get(row_name("n=1000"), {}).get(BLEU)
    automatic = variants.scores.get(row_name(HEADLINE_AUTOMATIC), {}).get(BLEU, NOT_RUN)
    found["auto_gain_bleu"] = automatic.gain
    by_hand = NOT_RUN.gain if hand is None else hand.gain
    known = automatic.gain is not None and by_hand is not None and by_hand > 0
    found["auto_gain_share"] = automatic.gain / by_hand if known else None
    return found


def all_scores(measured: Measured) -> dict[str, Any]:
    """Returns every system's scores, against its own baseline."""
    found = {}
    for suffix in ("", RESCORED):
        own = scores_of(measured.comparisons["plain" + suffix])
        found |= {
            system.name + suffix: own[system.name + suffix]
            for system in measured.systems
            if system.name + suffix in own
        }
    return found


def scores_of(comparison: Comparison) -> dict[str, Any]:
    """Returns the value, gain and p of each system by each metric."""
    return {
        system: {
            metric: {"value": score.value, "gain": score.gain, "p": score.p, "interval": score.interval}
            for metric, score in scores.items()
        }
        for system, scores in comparison.scores.items()
    }


def training_lines(done: StudyDone) -> str:
    """Says what was trained and tuned."""
    records = done.records
    lines = [
        f"{records['prepare']['pairs']:,} sentence pairs, {records['rules']['rules']:,} rules, "
        f"{records['rules']['patterns']:,} source sides."
    ]
    for name, record in records.items():
        if "bleu_after" in record and "rounds" in record:
            lines.append(
                f"{name}: {record['rounds']} rounds, BLEU on the development set (tokens) "
                f"{100 * record['bleu_before']:.2f} before, {100 * record['bleu_after']:.2f} after."
            )
    return "  \n".join(lines)


def draw(measured: Measured, outputs: dict[str, Any], lengths: list[int], folder: Path) -> None:
    """Draws gains by gap type, failures by n, and quality by length, as PNG and SVG."""
    folder.mkdir(exist_ok=True)
    own = measured.measurements
    chosen = type(own)(
        own.metrics[:1], own.forms[:1], {name: own.statistics[name][:1] for name in PLOTTED if name in own.statistics}
    )
    by_type = compare_groups(chosen, measured.gap_types, "plain")
    by_length = compare_groups(chosen, length_groups(lengths), "plain")
    curve = [
        (int(name.partition("n=")[2]), failure_rate(rows))
        for name, rows in outputs.items()
        if name.startswith(f"{BASE}, n=") and name.partition("n=")[2].isdigit()
    ]
    figures = {
        "gain-by-gap-type": gain_plot(own.metrics[0], "gap type", by_type),
        "bleu-by-length": quality_plot(own.metrics[0], "source tokens", by_length),
        "failures-by-n": failure_plot({BASE: curve}),
    }
    for name, figure in figures.items():
        for ending in ("png", "svg"):
            save_plot(figure, folder / f"{name}.{ending}")
