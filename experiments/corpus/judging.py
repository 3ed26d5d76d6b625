"""Aligned pairs judged by reading: the sheet of a sample, and the shares of the judgements in `judged.tsv`.

`python -m experiments.corpus.judging HELD_OUT` writes the sheet of `held-out.jsonl`, a file of the stage of pairs. A
reader writes the judgements to `judged.tsv` by these instructions:

right: the simple sentence says what the complex one says, or a part of it as large as a clause, and nothing else; words
    may be replaced, details left out, and an introduction or an explanation of a few words added.
partial: both say one thing, but the simple sentence also says something else as large as a clause, or changes a clause,
    or less than a clause is common to them.
wrong: they say different things, even if they share words, names or a topic.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.files import read_records
from lattice_simp.support.tables import read_table

SEED, PAIRS = 11, 100

PAPER = 91
"""The number of right pairs among 100 in Coster and Kauchak (2011)."""

JUDGEMENTS = ("right", "partial", "wrong")

COLUMNS = ("title", "complex", "simple", "judgement")
"""The columns: the article, the places of the sentences (paragraph.sentence), and the judgement."""


def sampled(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Returns the sample, in the order of the corpus.

    >>> [record["id"] for record in sampled([{"id": number} for number in range(1000)])][:4]
    [0, 4, 15, 17]
    """
    numbers = sorted(random.Random(SEED).sample(range(len(records)), min(PAIRS, len(records))))
    return [records[number] for number in numbers]


def place(side: Mapping[str, Any]) -> str:
    """Returns the place of a sentence.

    >>> place({"paragraph": 3, "sentence": 0})
    '3.0'
    """
    return f"{side['paragraph']}.{side['sentence']}"


def read_judged(path: Path | None = None) -> dict[tuple[str, str, str], str]:
    """Returns the judgement of each pair, by title and places."""
    rows = read_table(path or Path(__file__).with_name("judged.tsv"), COLUMNS, full=True)
    return {(row["title"], row["complex"], row["simple"]): row["judgement"] for row in rows}


def judged_shares(judgements: Iterable[str]) -> dict[str, Any]:
    """Returns the number of pairs and the percentage of each judgement.

    >>> judged_shares(["right", "right", "wrong", "right"])
    {'pairs': 4, 'right': 75.0, 'partial': 0.0, 'wrong': 25.0}
    """
    counts = Counter(judgements)
    return {"pairs": counts.total(), **{name: 100.0 * counts[name] / counts.total() for name in JUDGEMENTS}}


def judged_figures(held_out: Path) -> dict[str, Any]:
    """Returns the shares of the judged pairs, and the number of them in the sample of a file of pairs."""
    judged = read_judged()
    sample = sampled(read_records(held_out))
    keys = {(record["title"], place(record["complex"]), place(record["simple"])) for record in sample}
    return {**judged_shares(judged.values()), "in_sample": len(keys & judged.keys()), "paper": PAPER}


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the sheet: title, places, both sentences."""
    parser = argparse.ArgumentParser(prog="python -m experiments.corpus.judging")
    parser.add_argument("held_out", type=Path, help="held-out.jsonl of the stage of pairs")
    for record in sampled(read_records(parser.parse_args(arguments).held_out)):
        texts = (" ".join(record[side]["text"].split()) for side in ("complex", "simple"))
        print(record["title"], place(record["complex"]), place(record["simple"]), *texts, sep="\t")


if __name__ == "__main__":
    main()
