"""`python -m experiments.agreement`: measures the agreement of the two hand-made judgements of each sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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


@dataclass(frozen=True)
class TwoJudgements:
    """A short and a long skeleton of each sentence, in turn."""

    judgements: tuple[Judgement, ...]

    @classmethod
    def of(cls, records: Sequence[SkeletonRecord]) -> TwoJudgements:
        """Takes the first skeleton of each record as the short one, the second as the long one."""
        if not records:
            raise LatticeSimpError("there are no sentences with two judgements")
        for record in records:
            if len(record.skeletons) != 2:
                raise LatticeSimpError(
                    f"the sentence {record.id!r} has {len(record.skeletons)} skeletons; two are wanted"
                )
        unnamed = (replace(record, annotators=()) for record in records)
        return cls(tuple(judgements_of(unnamed, (SHORT, LONG))))

    @cached_property
    def counts(self) -> np.ndarray:
        """The tokens of each sentence, and those kept by the short one, the long one, and both; shape (n, 4)."""
        pairs = zip(self.judgements[::2], self.judgements[1::2], strict=True)
        masks = [(np.array(short.skeleton.mask), np.array(long.skeleton.mask)) for short, long in pairs]
        return np.array([(len(short), short.sum(), long.sum(), (short & long).sum()) for short, long in masks])

    @property
    def nested(self) -> TwoJudgements:
        """Skeletons of the same lengths with the highest possible agreement: the longer contains the shorter."""
        judgements: list[Judgement] = []
        for number, (size, *kept) in enumerate(self.counts[:, :3].tolist()):
            sentence = Sentence(str(number), number, ("x",) * size)
            skeletons = (sentence.skeleton("1" * count + "0" * (size - count)) for count in kept)
            judgements += [
                Judgement(sentence, name, skeleton) for name, skeleton in zip((SHORT, LONG), skeletons, strict=True)
            ]
        return TwoJudgements(tuple(judgements))

    @property
    def confusion(self) -> dict[str, float]:
        """The shares of tokens kept by both, only by the short one, only by the long one, and by neither."""
        size, short, long, both = self.counts.sum(axis=0).tolist()
        shares = {"both": both, "short alone": short - both, "long alone": long - both}
        return {name: count / size for name, count in {**shares, "none": size - short - long + both}.items()}

    @property
    def f1(self) -> float:
        """The F1 of the kept tokens, averaged over sentences."""
        return next(iter(pairwise_f1(self.judgements).values()))

    @property
    def random_f1(self) -> float:
        """The expected F1 of random skeletons of the same lengths."""
        size, short, long, _ = self.counts.T
        return float(np.mean(2 * short * long / size / (short + long)))

    def figures(self) -> dict[str, float | None]:
        """Returns all figures."""
        size, short, long, both = self.counts.T
        reliability = aggregate(self.judgements).reliability
        nested = self.nested
        return {
            "sentences": len(size),
            "tokens": int(size.sum()),
            "short_rate": float(np.mean(short / size)),
            "long_rate": float(np.mean(long / size)),
            "same": float(np.mean((short == both) & (long == both))),
            "contained": float(np.mean(short == both)),
            "shorter_is_longer": float(np.mean(short > long)),
            **{f"{name.replace(' ', '_')}": share for name, share in self.confusion.items()},
            "short_within_long": float(both.sum() / short.sum()),
            "f1": self.f1,
            "f1_nested": nested.f1,
            "f1_random": self.random_f1,
            "alpha": token_alpha(self.judgements),
            "alpha_nested": token_alpha(nested.judgements),
            "short_reliability": reliability[SHORT],
            "long_reliability": reliability[LONG],
        }


def agreement(experiment: Experiment) -> Results:
    """Measures each set."""
    config = experiment.settings()
    folder = Path(config["data"])
    sets = {
        name: TwoJudgements.of(list(read_skeletons(folder / file))).figures() for name, file in config["sets"].items()
    }
    figures = {"sets": sets}
    return Results("Agreement of two judgements", figures, page(figures, config), versions("crowd-kit", "nltk"))


main = program(__file__, __doc__, agreement)

if __name__ == "__main__":
    main()
