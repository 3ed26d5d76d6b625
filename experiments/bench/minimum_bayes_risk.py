"""Lattice minimum Bayes-risk decoding, against a separate pass for each n-gram."""

from __future__ import annotations

import math
from pathlib import Path

from experiments.bench.figures import Figures, figure
from experiments.bench.oracle_data import read_without_marks
from experiments.timing import cpu_time
from lattice_simp import Lattice, nbest, prune
from lattice_simp.ops.mbr import MbrSettings, mbr
from lattice_simp.ops.ngram_posteriors import ngram_posteriors

SETTINGS = MbrSettings(scale=0.5, max_arcs=None)
USUAL_ARCS = 20_000
"""The number of arcs to which lattices are pruned for the figure of one sentence."""

FOR_PLAIN = ("europarl-skel/5", "multi30k/4", "europarl-skel/1")
"""The lattices that are small enough for Python loops, with 1,000 to 4,000 arcs."""

Gram = tuple[int, ...]


def measure(shared: Path) -> Figures:
    """Measures posteriors, the gain lattice and its best path for all lattices with a model, whole and pruned."""
    folder = shared / "data" / "oracles" / "lattices"
    lattices = [read_without_marks(path) for path in sorted(folder.glob("*/*.lm.total.txt.gz"))]
    pruned = [prune(lattice, max_arcs=USUAL_ARCS) for lattice in lattices]
    _decide(pruned[0])
    with cpu_time() as whole:
        for lattice in lattices:
            _decide(lattice)
    with cpu_time() as usual:
        for lattice in pruned:
            _decide(lattice)
    chosen = [read_without_marks(folder / f"{name}.lm.total.txt.gz") for name in FOR_PLAIN]
    with cpu_time() as ours:
        tables = [ngram_posteriors(lattice, scale=SETTINGS.scale) for lattice in chosen]
    with cpu_time() as plain:
        expected = [_plain_posteriors(lattice, 4, SETTINGS.scale) for lattice in chosen]
    for posteriors, table in zip(tables, expected, strict=True):
        words = posteriors.history.lattice.symbols
        by_words = {tuple(words.decode(gram)): value for gram, value in table.items()}
        probabilities = posteriors.to_dict()
        if probabilities.keys() != by_words.keys() or any(
            abs(probabilities[gram] - by_words[gram]) > 1e-9 for gram in probabilities
        ):
            raise AssertionError("the plain way gives other posteriors")
    arcs = sum(lattice.num_arcs for lattice in lattices)
    return {
        "mbr_arcs_per_s": figure(arcs / whole.seconds, "lattice arcs / CPU s"),
        "mbr_usual_sentence_cpu_s": figure(usual.seconds / len(pruned), "CPU s"),
        "mbr_posteriors_vs_plain": figure(ours.seconds, "CPU s", plain.seconds),
    }


def _decide(lattice: Lattice) -> str:
    return nbest(mbr(lattice, SETTINGS))[0].text


def _plain_posteriors(lattice: Lattice, max_order: int, scale: float) -> dict[Gram, float]:
    """Composes the lattice with an automaton for each n-gram, whose states are matched prefixes of the n-gram."""
    arcs = [
        (int(source), int(label), int(target), probability)
        for source, label, target, probability in zip(
            lattice.sources, lattice.olabels, lattice.nextstates, _probabilities(lattice, scale), strict=True
        )
    ]
    return {gram: _plain_posterior(gram, arcs, lattice.num_states) for gram in _plain_grams(arcs, lattice, max_order)}


def _probabilities(lattice: Lattice, scale: float) -> list[float]:
    backward = [0.0] * lattice.num_states
    probabilities = [0.0] * lattice.num_arcs
    for state in reversed(range(lattice.num_states)):
        rest = [
            (arc, -scale * lattice.weights[arc] + backward[lattice.nextstates[arc]])
            for arc in range(lattice.offsets[state], lattice.offsets[state + 1])
        ]
        logs = [log for _, log in rest] + [-scale * lattice.finals[state]]
        top = max(logs)
        backward[state] = top + math.log(sum(math.exp(log - top) for log in logs))
        for arc, log in rest:
            probabilities[arc] = math.exp(log - backward[state])
    return probabilities


def _plain_grams(arcs: list[tuple[int, int, int, float]], lattice: Lattice, max_order: int) -> set[Gram]:
    """Returns every n-gram, by the histories of each state."""
    histories: list[set[Gram]] = [set() for _ in range(lattice.num_states)]
    histories[0].add(())
    grams: set[Gram] = set()
    for source, label, target, _ in arcs:
        for history in histories[source]:
            longer = (*history, label)[-max_order:] if label else history
            grams |= {longer[index:] for index in range(len(longer))}
            histories[target].add(longer)
    return grams


def _plain_posterior(gram: Gram, arcs: list[tuple[int, int, int, float]], num_states: int) -> float:
    """Returns the probability mass that reaches the automaton's last state."""
    size = len(gram)
    mass = [[0.0] * size for _ in range(num_states)]
    mass[0][0] = 1.0
    moves = [{label: _match(gram, (*gram[:matched], label)) for label in gram} for matched in range(size)]
    total = 0.0
    for source, label, target, probability in arcs:
        for matched, part in enumerate(mass[source]):
            if part:
                following = moves[matched].get(label, 0) if label else matched
                if following == size:
                    total += part * probability
                else:
                    mass[target][following] += part * probability
    return total


def _match(gram: Gram, words: Gram) -> int:
    """Returns the length of the longest prefix of the n-gram that ends the words."""
    return next(size for size in range(len(gram), -1, -1) if words[len(words) - size :] == gram[:size])
