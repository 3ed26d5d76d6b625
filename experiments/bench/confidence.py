"""Confidences of words and confusion networks of n-best lists, against aligning each string on its own."""

from __future__ import annotations

import math
from pathlib import Path

from experiments.bench.figures import Figures, figure
from experiments.timing import cpu_time
from lattice_simp import Hypothesis, Lattice, confusion_network, nbest, read, word_confidences

SCALE = 0.1
LENGTHS = (10, 100)
"""The numbers of hypotheses in a list."""


def measure(shared: Path) -> Figures:
    """Measures n-best lists of the reference lattices: their words' confidences, and their confusion networks.

    Raises:
        AssertionError: the baseline gives other confidences.
    """
    folder = shared / "data" / "oracles" / "lattices" / "europarl"
    lattices = [read(path) for path in sorted(folder.glob("*.lm.total.txt.gz"))]
    figures: Figures = {}
    for length in LENGTHS:
        lists = [nbest(lattice, length) for lattice in lattices]
        _networks(lists[:1])
        _confidences(lists[:1])
        with cpu_time() as ours:
            actual = _confidences(lists)
        with cpu_time() as plain:
            expected = [_plain_confidences(hypotheses) for hypotheses in lists]
        for confidences, others in zip(actual, expected, strict=True):
            if any(abs(value - other) > 1e-9 for value, other in zip(confidences, others, strict=True)):
                raise AssertionError("the plain way gives other confidences")
        with cpu_time() as networks:
            _networks(lists)
        figures[f"confidences_of_{length}_best"] = figure(ours.seconds, "CPU s", plain.seconds)
        figures[f"confusion_networks_of_{length}_best"] = figure(networks.seconds, "CPU s", plain.seconds)
    return figures


def _confidences(lists: list[list[Hypothesis]]) -> list[list[float]]:
    return [
        word_confidences(Lattice.from_nbest(hypotheses), hypotheses[0].tokens, SCALE, ignore=()).tolist()
        for hypotheses in lists
    ]


def _networks(lists: list[list[Hypothesis]]) -> list[Lattice]:
    return [confusion_network(Lattice.from_nbest(hypotheses), SCALE, ignore=()) for hypotheses in lists]


def _plain_confidences(hypotheses: list[Hypothesis]) -> list[float]:
    """Returns the share of the strings with each word of the first one at its place."""
    best = hypotheses[0].tokens
    shares = [math.exp(SCALE * (hypotheses[0].cost - hypothesis.cost)) for hypothesis in hypotheses]
    confidences = [0.0] * len(best)
    for hypothesis, share in zip(hypotheses, shares, strict=True):
        for place in _matched(hypothesis.tokens, best):
            confidences[place] += share / sum(shares)
    return confidences


def _matched(tokens: tuple[str, ...], best: tuple[str, ...]) -> list[int]:
    """Returns the positions of `best` that an alignment matches: the one with the fewest edits, then replacements."""
    rows = [[(place, 0) for place in range(len(best) + 1)]]
    for count, token in enumerate(tokens, start=1):
        row = [(count, 0)]
        for place, word in enumerate(best):
            other = int(token != word)
            edits, replaced = rows[-1][place]
            skipped, inserted = row[-1], rows[-1][place + 1]
            row.append(
                min((edits + other, replaced + other), (skipped[0] + 1, skipped[1]), (inserted[0] + 1, inserted[1]))
            )
        rows.append(row)
    matched, count, place = [], len(tokens), len(best)
    while count and place:
        cell, skipped = rows[count][place], rows[count][place - 1]
        edits, replaced = rows[count - 1][place - 1]
        other = int(tokens[count - 1] != best[place - 1])
        if cell == (skipped[0] + 1, skipped[1]):
            place -= 1
        elif cell == (edits + other, replaced + other):
            count, place = count - 1, place - 1
            if not other:
                matched.append(place)
        else:
            count -= 1
    return matched
