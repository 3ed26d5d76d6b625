"""Analyses differences of systems on a test set, by counts and samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sacrebleu.metrics.bleu import BLEU

from experiments.study.measuring import Measured
from experiments.study.pipeline import StudyDone
from experiments.study.sentences import StudySentence
from experiments.study.translating import Output
from lattice_simp.core.kernel import Floats

SAMPLED = 20
"""The number of sampled sentences."""

_SYSTEM, _BASELINE = "gc-strong", "plain"


def analysis(done: StudyDone, measured: Measured) -> str:
    """Describes the sentences that gappy composition changes most, only by figures (without text of the corpus)."""
    sentences = done.sentences[measured.name]
    ours, plain = measured.outputs[_SYSTEM], measured.outputs[_BASELINE]
    pairs = enumerate(zip(ours, plain, strict=True))
    changed = [number for number, (mine, other) in pairs if mine.words != other.words]
    gains = sentence_scores(ours, sentences) - sentence_scores(plain, sentences)
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    lines = [
        f"## Where gappy composition changes the translation: {measured.name}",
        "",
        f"{_SYSTEM} changes {len(changed)} of {len(sentences)} translations: {better} are better by smoothed sentence "
        f"BLEU, {worse} are worse, {len(changed) - better - worse} as good. The {SAMPLED} changes that count most:",
        "",
        "| sentence | words | gap type | kept | gain | words changed | skeleton kept |",
        "|---:|---:|---|---:|---:|---:|---|",
    ]
    order = np.argsort(-np.abs(gains), kind="stable")[:SAMPLED]
    for number in sorted(order.tolist(), key=lambda row: -gains[row]):
        sentence = sentences[number]
        skeleton = sentence.skeletons.get(done.study.skeleton, (None,))[0]
        shape = f"{skeleton.gap_type} | {skeleton.compression_rate:.2f}" if skeleton else "- | -"
        different = len(set(ours[number].words.split()) ^ set(plain[number].words.split()))
        kept = {True: "yes", False: "no", None: "-"}[ours[number].reachable]
        lines.append(f"| {number} | {len(sentence.words)} | {shape} | {gains[number]:+.1f} | {different} | {kept} |")
    return "\n".join(lines)


def sentence_scores(outputs: Sequence[Output], sentences: Sequence[StudySentence]) -> Floats:
    """Returns sacrebleu's sentence BLEU (0 to 100, exponential smoothing) on lower-cased tokens."""
    metric = BLEU(tokenize="none", lowercase=True, force=True, effective_order=True)
    pairs = zip(outputs, sentences, strict=True)
    return np.array([metric.sentence_score(output.words, [sentence.references[0]]).score for output, sentence in pairs])
