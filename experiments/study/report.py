"""The figures, the tables and the plots of a study, from the results of its stages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from experiments.experiment import Results, stage_costs
from experiments.report import scores_of, signatures_of, stages_part
from experiments.study.analysis import analysis
from experiments.study.config import Study
from experiments.study.measuring import Measured, first_metric, measure_scorers, measure_set, measure_variants
from experiments.study.pipeline import StudyDone
from experiments.study.rescoring import read_alone, read_choice
from experiments.study.scoring import STRONG
from experiments.study.sentences import DEVELOPMENT, test_names, test_set
from experiments.study.systems import ALONE, LLM, RESCORED
from experiments.study.tables import (
    BLEU,
    corrected,
    failure_rate,
    failure_table,
    gap_table,
    gap_type_table,
    headline_table,
    rescoring_table,
    scorer_table,
    skeleton_kinds,
    skeleton_table,
    system_table,
    variant_table,
)
from experiments.study.variant_stages import row_name
from experiments.study.variants import BASE, BOTH, automatic_name
from lattice_simp.metrics import Comparison, Score, compare_groups
from lattice_simp.metrics.groups import length_groups
from lattice_simp.metrics.plots import failure_plot, gain_plot, quality_plot, save_plot
from lattice_simp.metrics.table import as_markdown
from lattice_simp.train.config import Config

PERPLEXITY_KEYS = {"Joint": "joint_model_perplexity"}
"""Keys of `results.json`; other parts of the stronger model have the names of their features before `_perplexity`."""

PARTS = ("value", "gain", "p", "interval", "gain_interval")
"""The parts of a score in `results.json`."""

PLOTTED = ("plain", "gc", "gc-strong", "sfd-strong")


def report(done: StudyDone, config: Config, folder: Path) -> Results:
    """Measures everything, and draws the plots of the first test set into a folder."""
    pair = f"{config.text.source_language}-{config.text.target_language}"
    order = (*test_names(done.sentences), DEVELOPMENT)
    names = {name: test_set(config, name).name for name in order}
    measured = {name: measure_set(done, config, name) for name in order}
    variants = {name: measure_variants(done, config, name) for name in order}
    costs = stage_costs(done.records)
    headlines = {name: headline(done.study, measured[name], *variants[name]) for name in test_names(order)}
    figures: dict[str, Any] = {f"{name}_{key}": value for name, row in headlines.items() for key, value in row.items()}
    first = measured[order[0]]
    perplexities = done.records["perplexities"]["perplexities"]
    figures |= {PERPLEXITY_KEYS.get(name, f"{name.lower()}_perplexity"): value for name, value in perplexities.items()}
    figures |= {
        "sets": {names[name]: all_scores(scores) for name, scores in measured.items()},
        "variants": {names[name]: variant_scores(comparison) for name, (_, comparison) in variants.items()},
        "signatures": signatures_of(first.measurements.metrics),
        "stages": costs,
        "peak_mb": max(record["peak_mb"] for record in costs.values()),
    }
    systems, gap_types = done.study.paper
    kinds = skeleton_kinds({names[name]: done.sentences[name] for name in order})
    tables = [headline_table(headlines, done.study), skeleton_table(kinds), gap_table(kinds)]
    for name in order:
        tables.append(system_table(measured[name], systems, pair))
        tables += [gap_type_table(measured[name], by, gap_types, pair) for by in measured[name].break_downs]
    tables.append(rescoring_table(read_choice(done.folders[STRONG])))
    scorers = {name: measure_scorers(done, config, name) for name in order}
    tables.append(
        scorer_table(
            {measured[name].title: scorers[name] for name in order}, read_alone(done.folders[STRONG]), perplexities
        )
    )
    tables.append(failure_table({names[name]: variants[name][0] for name in order}, pair))
    tables += [variant_table(*variants[name], measured[name].title, done.study.hypotheses) for name in order]
    draw(first, variants[order[0]][0], [len(sentence.words) for sentence in done.sentences[order[0]]], folder / "plots")
    parts = [training_lines(done), *map(as_markdown, tables), analysis(done, first)]
    return Results(f"{pair}: translation with skeletons", figures, [*parts, "## Stages", *stages_part(figures)])


NOT_RUN = SimpleNamespace(value=None, gain=None, p=None)


def headline(
    study: Study, measured: Measured, outputs: dict[str, Any], variants: Comparison
) -> dict[str, float | None]:
    """Returns the headline figures of a test set, as named by the protocol: BLEU on lower-cased tokens.

    Gains are over the plain system; those of rescored systems (`NAME_rescored_gain_bleu`) are over the plain system
    rescored alike, whose own gain over the plain system is `rescored_gain_bleu`; so are `gc_llm_gain_bleu` and
    `llm_rescored_gain_bleu`, where a pretrained language model rescores, too.
    """
    plain, rescored = (measured.comparisons[base].scores for base in ("plain", "plain" + RESCORED))
    figures: dict[str, float | None] = {"sentences": measured.measurements.sentences}
    figures["plain_bleu"] = plain["plain"][BLEU].value
    figures |= _figures("rescored", plain["plain" + RESCORED][BLEU])
    if study.causal is not None:
        figures |= _figures("llm_rescored", plain["plain" + LLM][BLEU])
        figures |= _figures("gc_llm", measured.comparisons["plain" + LLM].scores[BASE + LLM][BLEU])
    if ALONE in study.measured:
        figures |= _figures("nmt_alone", plain[ALONE.name][BLEU])
    for name, system in study.headline.items():
        figures |= _figures(name, plain[system][BLEU] if system in plain else NOT_RUN)
        again = system + RESCORED
        figures |= _figures(f"{name}_rescored", rescored[again][BLEU] if again in rescored else NOT_RUN)
    most = f"n={study.hypotheses}"
    failed = {"failed_1_pct": "n=1", f"failed_{study.hypotheses}_pct": most, "failed_edit_pct": "n=1 with edits"}
    for key, variant in failed.items():
        records = outputs.get(row_name(variant))
        figures[key] = None if records is None else 100 * failure_rate(records)
    for count in sorted(study.automatic_headline):
        automatic = row_name(automatic_name(study.automatic_headline[count]))
        by_hand = variants.scores.get(row_name(BOTH)) if count > 1 else plain[BASE]
        figures |= _automatic(count, variants.scores.get(automatic), by_hand)
    return figures


def _figures(name: str, score: Any) -> dict[str, float | None]:
    return {f"{name}_bleu": score.value, f"{name}_gain_bleu": score.gain, f"{name}_gain_p": score.p}


def _automatic(
    count: int, automatic: Mapping[str, Score] | None, by_hand: Mapping[str, Score] | None
) -> dict[str, float | None]:
    """Returns the gain of automatic skeletons, and its share of the gain of as many hand-made ones, if there is one."""
    score, hand_score = (NOT_RUN if scores is None else scores[BLEU] for scores in (automatic, by_hand))
    name = "auto" if count == 1 else f"auto_{count}"
    gain, hand_gain = score.gain, hand_score.gain
    share = gain / hand_gain if gain is not None and hand_gain is not None and hand_gain > 0 else None
    return {f"{name}_gain_bleu": score.gain, f"{name}_gain_p": score.p, f"{name}_gain_share": share}


def all_scores(measured: Measured) -> dict[str, Any]:
    """Returns every system's scores, against its own baseline."""
    scores: dict[str, Any] = {}
    for base, comparison in measured.comparisons.items():
        suffix, plain = base.removeprefix("plain"), scores_of(comparison, PARTS)
        scores |= {
            system.name + suffix: plain[system.name + suffix]
            for system in measured.systems
            if system.name + suffix in plain
        }
    return scores


def variant_scores(comparison: Comparison) -> dict[str, Any]:
    """Returns the scores of the variants, with additional p-values corrected for their number."""
    scores = scores_of(comparison, PARTS)
    for name, p in corrected(comparison).items():
        scores[name][BLEU]["p_holm"] = p
    return scores


def training_lines(done: StudyDone) -> str:
    """Returns lines on training and tuning."""
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
    chosen = first_metric(measured.measurements, PLOTTED)
    by_type = compare_groups(chosen, measured.break_downs[0].gap_types, "plain")
    by_length = compare_groups(chosen, length_groups(lengths), "plain")
    curve = [
        (int(name.partition("n=")[2]), failure_rate(rows))
        for name, rows in outputs.items()
        if name.startswith(f"{BASE}, n=") and name.partition("n=")[2].isdigit()
    ]
    figures = {
        "gain-by-gap-type": gain_plot(chosen.metrics[0], "gap type", by_type),
        "bleu-by-length": quality_plot(chosen.metrics[0], "source tokens", by_length),
    }
    if curve:
        figures["failures-by-n"] = failure_plot({BASE: curve})
    for name, figure in figures.items():
        for ending in ("png", "svg"):
            save_plot(figure, folder / f"{name}.{ending}")
