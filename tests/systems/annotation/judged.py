"""Judgements of annotators who err with known probabilities, and verdicts of checkers."""

from __future__ import annotations

import numpy as np

from lattice_simp.systems.annotation import Judgement, Sentence, Verdict


def simulate(rng, sentences, reliabilities, length=8):
    """Returns true masks, and the judgements of annotators who decide correctly with these probabilities."""
    truths, results = [], []
    for number in range(sentences):
        sentence = Sentence(f"talk.{number}", number, tuple(f"w{position}" for position in range(length)))
        truth = rng.random(length) < 0.6
        truth[0] = True
        truths.append(truth)
        for name, reliability in enumerate(reliabilities):
            mask = np.where(rng.random(length) < reliability, truth, ~truth)
            mask[0] |= not mask.any()
            results.append(Judgement(sentence, f"annotator {name}", sentence.skeleton(mask.astype(int).tolist())))
    return np.concatenate(truths), results


def verdicts_of(skeletons, *bad):
    """Returns verdicts on skeletons, from one checker for each sequence of decisions."""
    return [
        Verdict(skeleton.sentence, f"checker {number}", skeleton.skeleton, bool(said))
        for number, row in enumerate(bad)
        for skeleton, said in zip(skeletons, row, strict=True)
    ]
