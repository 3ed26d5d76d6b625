"""Helpers of tests: small random lattices and models, enumeration by brute force, a plain backoff scorer."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path as Folder
from typing import Any

import numpy as np
import pytest

from lattice_simp import Lattice, SymbolTable
from lattice_simp.core.features import Features
from lattice_simp.support.extras import is_installed
from lattice_simp.translate.model_files import write_weights

LOG_10 = math.log(10.0)

Path = tuple[tuple[str, ...], tuple[int, ...], float]
Gram = tuple[str, ...]


def needs(extra: str, *libraries: str) -> None:
    """Skips a module of tests if a library of an extra is missing, without importing it for collection."""
    for library in libraries:
        if not is_installed(library):
            pytest.skip(f"{library} is not installed (the extra '{extra}')", allow_module_level=True)


def assert_linear(run: Callable[[int], object], size: int) -> None:
    """Checks that 16 times the size takes less than 64 times the CPU time; with quadratic time, it takes 256 times.

    Other programs slow single runs down, so the best of several counts.
    """
    seconds = []
    for count in (size, 16 * size):
        times = []
        for _ in range(3):
            begin = time.process_time()
            run(count)
            times.append(time.process_time() - begin)
        seconds.append(min(times))
    assert seconds[1] < 64 * seconds[0], seconds


# ---------------------------------------------------------------- files


def write_decoder(folder: Folder, rules: str, arpa: str, weights: Mapping[str, float]) -> Folder:
    """Writes the files of a decoder; returns their folder."""
    (folder / "rules").write_text(rules, encoding="utf-8")
    (folder / "lm.arpa").write_text(arpa, encoding="utf-8")
    write_weights(folder / "weights.tsv", dict(weights))
    return folder


def written_lines(folder: Folder, rows: Sequence[object]) -> Folder:
    """Writes JSON lines; returns their file."""
    path = folder / "x.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def written_json(folder: Folder, value: object) -> Folder:
    """Writes a JSON file; returns its path."""
    path = folder / "x.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


# ---------------------------------------------------------------- lattices


@dataclass(frozen=True)
class LatticeOptions:
    """What a random lattice is like.

    Attributes:
        arcs_per_state: the number of arcs by that of states.
        costs: the least and the highest cost of an arc and of an end.
        finals: the number of final states.
        columns: names of features, filled at random.
        numbered: whether each arc has its own input label, so that `ilabels` identify paths.
        shuffled: whether to number the states (but the start) at random, so that the lattice is not topologically
            sorted.
    """

    arcs_per_state: float = 1.8
    costs: tuple[float, float] = (-1.0, 3.0)
    finals: int = 2
    columns: Sequence[str] = ()
    numbered: bool = False
    shuffled: bool = False


def random_lattice(
    rng: np.random.Generator, states: int, words: Sequence[str], epsilon: bool = False, **options: Any
) -> Lattice:
    """Makes an acyclic lattice, possibly non-deterministic, with dead ends and several final states.

    Args:
        epsilon: whether some arcs carry no word.
        options: those of `LatticeOptions`.
    """
    chosen = LatticeOptions(**options)
    count = int(chosen.arcs_per_state * states)
    sources = rng.integers(0, states - 1, count)
    nextstates = np.array([rng.integers(source + 1, states) for source in sources], dtype=np.int64)
    table = SymbolTable(list(words))
    labels = rng.integers(0 if epsilon else 1, len(words) + 1, count)
    if epsilon:
        labels[rng.random(count) < 0.15] = 0
    weights = rng.uniform(*chosen.costs, count)
    ends = np.full(states, np.inf)
    ends[rng.choice(states, min(chosen.finals, states), replace=False)] = 0.0
    ends += rng.uniform(*chosen.costs, states)
    names = np.arange(states)
    if chosen.shuffled:
        names[1:] = 1 + rng.permutation(states - 1)
    finals_named = np.empty(states)
    finals_named[names] = ends
    is_final = np.isfinite(finals_named)
    arc_scores = {name: rng.normal(size=count) for name in chosen.columns}
    final_scores = {name: np.where(is_final, rng.normal(size=states), 0.0) for name in chosen.columns}
    numbers = (np.arange(1, count + 1), SymbolTable(f"arc{number}" for number in range(count)))
    return Lattice.from_arcs(
        names[sources],
        labels,
        weights,
        names[nextstates],
        finals_named,
        table,
        inputs=numbers if chosen.numbered else None,
        features=Features.from_columns(arc_scores, final_scores, count, states),
    )


def varied_lattice(seed: int, words: Sequence[str] = ("a", "b", "c"), **options: Any) -> Lattice:
    """Makes a lattice with epsilons, negative costs, several finals, dead ends; every third one is unsorted."""
    varied: dict[str, Any] = {
        "costs": (-3.0, 1.0) if seed % 4 else (0.0, 2.0),
        "finals": 1 + seed % 3,
        "numbered": seed % 5 > 0,
        "shuffled": seed % 3 == 0,
    }
    rng = np.random.default_rng(seed)
    return random_lattice(rng, 3 + seed % 6, words[: 1 + seed % 3], seed % 2 == 0, **varied | options)


def sausage(slots: int, words: int, rng: np.random.Generator | None = None) -> Lattice:
    """Returns a lattice of this many slots, each of all words; with a generator, of random ones, some of them twice."""
    labels = np.tile(np.arange(1, words + 1), slots) if rng is None else rng.integers(1, words + 1, slots * words)
    sources = np.repeat(np.arange(slots), words)
    finals = np.append(np.full(slots, np.inf), 0.0)
    table = SymbolTable(f"w{number}" for number in range(words))
    return Lattice.from_arcs(sources, labels, np.zeros(len(labels)), sources + 1, finals, table)


def probabilities(lattice: Lattice, scale: float = 1.0) -> dict[Gram, float]:
    """Returns the posterior of every string, all its paths together."""
    values: dict[Gram, float] = {}
    for words, _, cost in paths(lattice):
        values[words] = values.get(words, 0.0) + math.exp(-scale * cost)
    total = sum(values.values())
    return {words: mass / total for words, mass in values.items()}


def arc_paths(lattice: Lattice) -> Iterator[tuple[list[int], int]]:
    """Enumerates the complete paths: (arcs, final state)."""
    pending: list[tuple[list[int], int]] = [([], 0)] if lattice.num_states else []
    while pending:
        arcs, state = pending.pop()
        if np.isfinite(lattice.finals[state]):
            yield arcs, state
        for arc in range(lattice.offsets[state], lattice.offsets[state + 1]):
            pending.append(([*arcs, arc], int(lattice.nextstates[arc])))


def paths(lattice: Lattice) -> Iterator[Path]:
    """Enumerates the complete paths as (words, input labels, cost); the words exclude epsilons."""
    for arcs, state in arc_paths(lattice):
        words = tuple(lattice.symbols.decode(lattice.olabels[arcs]))
        yield words, tuple(lattice.ilabels[arcs].tolist()), float(lattice.weights[arcs].sum() + lattice.finals[state])


def path_costs(lattice: Lattice) -> dict[tuple[int, ...], float]:
    """Returns {input labels of a path: its cost}; the input labels identify the paths."""
    return {labels: cost for _, labels, cost in paths(lattice)}


def feature_sums(lattice: Lattice, name: str) -> dict[tuple[int, ...], float]:
    """Returns {input labels of a path: the sum of a feature, its final score included}."""
    column, ends = lattice.features[name], lattice.features.final(name)
    return {
        tuple(lattice.ilabels[arcs].tolist()): float(column[arcs].sum() + ends[state])
        for arcs, state in arc_paths(lattice)
    }


def assert_canonical(lattice: Lattice, case: object = "") -> None:
    """Checks that a lattice is valid, sorted and connected, and that final features are 0 in other states."""
    lattice.validate()
    assert lattice.is_topsorted, case
    assert lattice.connected().num_states == lattice.num_states, case
    assert lattice.connected().num_arcs == lattice.num_arcs, case
    on_paths = {arc for arcs, _ in arc_paths(lattice) for arc in arcs}
    assert on_paths == set(range(lattice.num_arcs)), case
    assert not lattice.features.finals[:, np.isinf(lattice.finals)].any(), case


def best_by_string(lattice: Lattice) -> dict[Gram, float]:
    """Returns the least cost of every string, state by state from the end, which is faster than path by path."""
    lattice = lattice.topsorted()
    rest: list[dict[Gram, float]] = [{} for _ in range(lattice.num_states)]
    for state in reversed(range(lattice.num_states)):
        if np.isfinite(lattice.finals[state]):
            rest[state][()] = float(lattice.finals[state])
        for arc in range(lattice.offsets[state], lattice.offsets[state + 1]):
            word = tuple(lattice.symbols.decode([lattice.olabels[arc]]))
            keep_least(
                rest[state],
                (
                    (word + string, lattice.weights[arc] + cost)
                    for string, cost in rest[lattice.nextstates[arc]].items()
                ),
            )
    return rest[0] if rest else {}


def keep_least(table: dict[Gram, float], entries: Iterator[tuple[Gram, float]]) -> None:
    """Adds `entries` to `table`, keeping the lesser costs."""
    for key, cost in entries:
        if cost < table.get(key, math.inf):
            table[key] = cost


def best_path(lattice: Lattice) -> Path:
    """Returns the cheapest path of a topologically sorted lattice as (words, input labels, cost)."""
    rest, choice = lattice.finals.copy(), np.full(lattice.num_states, -1)
    for state in reversed(range(lattice.num_states)):
        for arc in range(lattice.offsets[state], lattice.offsets[state + 1]):
            cost = lattice.weights[arc] + rest[lattice.nextstates[arc]]
            if cost < rest[state]:
                rest[state], choice[state] = cost, arc
    arcs, state = [], 0
    while choice[state] >= 0:
        arcs.append(int(choice[state]))
        state = int(lattice.nextstates[arcs[-1]])
    words = tuple(lattice.symbols.decode(lattice.olabels[arcs]))
    return words, tuple(lattice.ilabels[arcs].tolist()), float(rest[0])


def beams_between(costs: Sequence[float], least_gap: float = 1e-3) -> list[float]:
    """Returns beams between two neighbouring costs, where rounding has no effect."""
    ordered = sorted(costs)
    return [(below + above) / 2 - ordered[0] for below, above in pairwise(ordered) if above - below > least_gap]


# ---------------------------------------------------------------- language models


def random_arpa(
    rng: np.random.Generator,
    vocabulary: Sequence[str],
    order: int,
    *,
    density: float = 0.5,
    pruned: float = 0.0,
    unknown: bool = True,
    largest: int = 400,
) -> str:
    """Makes a valid backoff model (not a normalised one) as ARPA text.

    Every n-gram's prefix is in the model, and so is its suffix, unless `pruned`.
    Backoff weights may be zero, missing, or greater than one; n-grams may hold `<unk>`.

    Args:
        density: the share of possible n-grams in the model.
        pruned: the share of n-grams to include although their suffix is missing, as after SRILM's pruning; KenLM loads
            only models with few of them.
        unknown: whether the model has `<unk>`.
        largest: the most n-grams of an order above 1.
    """
    words = [*(["<unk>"] if unknown else []), *vocabulary]
    sections: list[list[Gram]] = [[(word,) for word in [*words, "<s>", "</s>"]]]
    for _ in range(2, order + 1):
        shorter = set(sections[-1])
        contexts = [gram for gram in sections[-1] if gram[-1] != "</s>"]
        grams = [
            (*context, word)
            for context in contexts
            for word in [*words, "</s>"]
            if rng.random() < density and ((*context[1:], word) in shorter or rng.random() < pruned)
        ]
        chosen = rng.permutation(len(grams))[:largest]
        sections.append([grams[number] for number in sorted(chosen.tolist())])
    counts = [f"ngram {number}={len(grams)}" for number, grams in enumerate(sections, start=1)]
    lines = ["\\data\\", *counts, ""]
    for number, grams in enumerate(sections, start=1):
        lines.append(f"\\{number}-grams:")
        for gram in grams:
            prob = -99.0 if gram == ("<s>",) else round(float(-rng.exponential(0.8)), 4)
            backoff = ""
            if number < order and gram[-1] != "</s>" and rng.random() < 0.8:
                backoff = f"\t{rng.choice([0.0, round(float(rng.normal(-0.3, 0.4)), 4)], p=[0.2, 0.8])}"
            lines.append(f"{prob}\t{' '.join(gram)}{backoff}")
        lines.append("")
    return "\n".join([*lines, "\\end\\", ""])


class PlainModel:
    """A backoff model as a dictionary, scored by the textbook recursion."""

    def __init__(self, text: str) -> None:
        self.grams: dict[Gram, tuple[float, float]] = {}
        self.order = 0
        for line in text.splitlines():
            fields = line.split()
            if line.startswith("\\"):
                self.order = max(self.order, int(line[1:-7]) if line.endswith("-grams:") else 0)
            elif fields and fields[0] != "ngram":
                gram = tuple(fields[1 : 1 + self.order])
                self.grams[gram] = (float(fields[0]), float(fields[-1]) if len(fields) > 1 + self.order else 0.0)
        self.grams.setdefault(("<unk>",), (-100.0, 0.0))

    def log10(self, history: Gram, word: str) -> float:
        """Returns the log10 probability of a known word (or `<unk>`) after a history of known words."""
        if (*history, word) in self.grams:
            return self.grams[(*history, word)][0]
        return self.grams.get(history, (0.0, 0.0))[1] + self.log10(history[1:], word)

    def known(self, words: Sequence[str]) -> Gram:
        return tuple(word if (word,) in self.grams else "<unk>" for word in words)

    def cost(self, words: Sequence[str]) -> float:
        """Returns the cost of a sentence in nats, including `</s>`."""
        sentence = ("<s>", *self.known(words), "</s>")
        return -LOG_10 * sum(
            self.log10(sentence[max(0, index - self.order + 1) : index], sentence[index])
            for index in range(1, len(sentence))
        )


def numbered_lattice(seed):
    """Makes a lattice from a seed, with a feature `x` and input labels that number its arcs."""
    rng = np.random.default_rng(seed)
    return random_lattice(
        rng,
        3 + seed % 7,
        ("a", "b", "c"),
        epsilon=seed % 2 == 0,
        arcs_per_state=2.4,
        finals=1 + seed % 3,
        columns=("x",),
        numbered=True,
        shuffled=seed % 3 == 0,
    )


def paths_by_inputs(lattice):
    """Returns {input labels: (words, cost, column sum)} of the paths; the input labels number the arcs."""
    table = {}
    for arcs, state in arc_paths(lattice):
        cost = float(lattice.weights[arcs].sum() + lattice.finals[state])
        column = float(lattice.features["x"][arcs].sum() + lattice.features.final("x")[state])
        key = tuple(lattice.ilabels[arcs].tolist())
        assert key not in table
        table[key] = (tuple(lattice.symbols.decode(lattice.olabels[arcs])), cost, column)
    return table
