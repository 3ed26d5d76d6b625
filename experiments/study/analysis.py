"""What lies behind the figures: where the systems differ on the test set, counted and sampled."""

from __future__ import annotations

import numpy as np

from experiments.study.measuring import Measured
from experiments.study.pipeline import Done
from experiments.study.sentences import HAND, TEST
from lattice_simp.kernel import Floats

SAMPLED = 20
"""Sentences that are looked at."""

_SYSTEM, _BASELINE = "gc-strong", "plain"


def analysis(done: Done, measured: Measured) -> str:
    """Describes the sentences that gappy composition changes most, by figures alone (no text of the corpus)."""
    sentences, rows = done.sentences[TEST], measured.measurements.statistics
    ours, plain = measured.outputs[_SYSTEM], measured.outputs[_BASELINE]
    changed = [number for number, (one, two) in enumerate(zip(ours, plain, strict=True)) if one.words != two.words]
    gains = sentence_scores(rows[_SYSTEM][0]) - sentence_scores(rows[_BASELINE][0])
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    lines = [
        "## Where gappy composition changes the translation",
        "",
        f"{_SYSTEM} changes {len(changed)} of {len(sentences)} translations: {better} are better by smoothed sentence "
        f"BLEU, {worse} are worse, {len(changed) - better - worse} as good. The {SAMPLED} changes that count most:",
        "",
        "| sentence | words | gap type | kept | gain | words changed | skeleton kept |",
        "|---:|---:|---|---:|---:|---:|---|",
    ]
    order = np.argsort(-np.abs(gains), kind="stable")[:SAMPLED]
    for number in sorted(order.tolist(), key=lambda one: -gains[one]):
        sentence = sentences[number]
        skeleton = sentence.skeletons.get(HAND, (None,))[0]
        shape = f"{skeleton.gap_type} | {skeleton.compression_rate:.2f}" if skeleton else "- | -"
        different = len(set(ours[number].words.split()) ^ set(plain[number].words.split()))
        kept = {True: "yes", False: "no", None: "-"}[ours[number].reachable]
        lines.append(f"| {number} | {len(sentence.words)} | {shape} | {gains[number]:+.1f} | {different} | {kept} |")
    return "\n".join(lines)


def sentence_scores(statistics: Floats) -> Floats:
    """Gives smoothed sentence BLEU (0 to 100; one added to all counts above the unigrams').

    Args:
        statistics: (sentences, 10) rows of lengths, matches and totals, as sacrebleu's.
    """
    hypothesis, reference = statistics[:, 0], statistics[:, 1]
    matches, totals = statistics[:, 2:6].copy(), statistics[:, 6:10].copy()
    matches[:, 1:] += 1
    totals[:, 1:] += 1
    with np.errstate(divide="ignore"):
        logs = np.log(matches / np.maximum(totals, 1)).mean(axis=1)
    penalty = np.minimum(0.0, 1.0 - reference / np.maximum(hypothesis, 1))
    scores: Floats = 100 * np.exp(logs + penalty)
    return scores
