"""`python -m experiments.agreement`: measures the agreement of the two hand-made judgements of each sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from experiments.agreement.report import page
from experiments.experiment import Experiment, Results, program
from experiments.report import versions
from lattice_simp.errors import LatticeSimpError
from lattice_simp.skeleton import read_skeletons
from lattice_simp.skeleton.io import SkeletonRecord
from lattice_simp.systems.annotation import Judgement, Sentence, aggregate, judgements_of, pairwise_f1, token_alpha

SHORT, LONG = "short", "long"


Judgements = Sequence[Judgement]
"""A short and a long skeleton of each sentence, in turn."""


def two_judgements(records: Sequence[SkeletonRecord]) -> Judgements:
    """Takes the first skeleton of each record as the short one, the second as the long one."""
    if not records:
        raise LatticeSimpError("there are no sentences with two judgements")
    for record in records:
        if (count := len(record.skeletons)) != 2:
            raise LatticeSimpError(f"the sentence {record.id!r} has {count} skeletons; two are wanted")
    return list(judgements_of((replace(record, annotators=()) for record in records), (SHORT, LONG)))


def counts_of(judgements: Judgements) -> np.ndarray:
    """Returns the tokens of each sentence, and those kept by the short one, the long one, and both; shape (n, 4)."""
    pairs = zip(judgements[::2], judgements[1::2], strict=True)
    masks = [(np.array(short.skeleton.mask), np.array(long.skeleton.mask)) for short, long in pairs]
    return np.array([(len(short), short.sum(), long.sum(), (short & long).sum()) for short, long in masks])


def nested(counts: np.ndarray) -> Judgements:
    """Returns skeletons of the same lengths with the highest possible agreement: the longer contains the shorter."""
    judgements: list[Judgement] = []
    for number, (size, *kept) in enumerate(counts[:, :3].tolist()):
        sentence = Sentence(str(number), number, ("x",) * size)
        for name, count in zip((SHORT, LONG), kept, strict=True):
            judgements.append(Judgement(sentence, name, sentence.skeleton("1" * count + "0" * (size - count))))
    return judgements


def confusion(counts: np.ndarray) -> dict[str, float]:
    """Returns the shares of tokens kept by both, only by the short one, only by the long one, and by neither."""
    size, short, long, both = counts.sum(axis=0).tolist()
    shares = {"both": both, "short_alone": short - both, "long_alone": long - both}
    return {name: count / size for name, count in {**shares, "none": size - short - long + both}.items()}


def f1(judgements: Judgements) -> float:
    """Returns the F1 of the kept tokens, averaged over sentences."""
    return next(iter(pairwise_f1(judgements).values()))


def random_f1(counts: np.ndarray) -> float:
    """Returns the expected F1 of random skeletons of the same lengths."""
    size, short, long, _ = counts.T
    return float(np.mean(2 * short * long / size / (short + long)))


def set_figures(judgements: Judgements) -> dict[str, float | None]:
    """Returns all figures of a set."""
    counts = counts_of(judgements)
    size, short, long, both = counts.T
    reliability, limit = aggregate(judgements).reliability, nested(counts)
    return {
        "sentences": len(size),
        "tokens": int(size.sum()),
        "short_rate": float(np.mean(short / size)),
        "long_rate": float(np.mean(long / size)),
        "same": float(np.mean((short == both) & (long == both))),
        "contained": float(np.mean(short == both)),
        "shorter_is_longer": float(np.mean(short > long)),
        **confusion(counts),
        "short_within_long": float(both.sum() / short.sum()),
        "f1": f1(judgements),
        "f1_nested": f1(limit),
        "f1_random": random_f1(counts),
        "alpha": token_alpha(judgements),
        "alpha_nested": token_alpha(limit),
        "short_reliability": reliability[SHORT],
        "long_reliability": reliability[LONG],
    }


def agreement(experiment: Experiment) -> Results:
    """Measures each set."""
    config = experiment.settings()
    folder = Path(config["data"])
    records = {name: list(read_skeletons(folder / file)) for name, file in config["sets"].items()}
    sets = {name: set_figures(two_judgements(rows)) for name, rows in records.items()}
    figures = {"sets": sets}
    return Results("Agreement of two judgements", figures, page(figures, config), versions("crowd-kit", "nltk"))


main = program(__file__, __doc__, agreement)

if __name__ == "__main__":
    main()
