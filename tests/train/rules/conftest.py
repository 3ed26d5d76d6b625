"""Random aligned sentence pairs, rules by brute force, and stages run on small shards."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from lattice_simp.pipeline.shards import list_column, shard_path, write_shard
from lattice_simp.pipeline.stage import Run
from lattice_simp.support.settings_file import checked_settings
from lattice_simp.train.alignment.links import Bitext
from lattice_simp.train.config import Config
from lattice_simp.train.rules import count as count_module
from lattice_simp.train.rules import extract_stage as extract_stage_module
from lattice_simp.train.rules.count import count_stage, targets_stage
from lattice_simp.train.rules.extract import Limits
from lattice_simp.train.rules.extract_stage import extract_stage
from lattice_simp.train.rules.lexical import lexical_stage
from lattice_simp.train.rules.table import rules_stage


class Pair(NamedTuple):
    """A sentence pair as word numbers, with sorted links, of the corpus with this number."""

    source: list[int]
    target: list[int]
    links: list[tuple[int, int]]
    corpus: int = 0


class Rule(NamedTuple):
    """Symbols as in `extract.py`, and the links between the rule's own words."""

    source: tuple[int, ...]
    target: tuple[int, ...]
    points: tuple[tuple[int, int], ...]


# ---------------------------------------------------------------- sentence pairs


def _random_pair(random: np.random.Generator, longest: int, words: int) -> Pair:
    lengths = random.integers(0, longest + 1, size=2)
    if random.random() < 0.7:  # mostly word by word, with two parts that change places, as true alignments are
        lengths[1] = np.clip(lengths[0] + random.integers(-1, 2), 0, longest)
        cut = random.integers(0, lengths[1] + 1) if random.random() < 0.6 else 0
        order = [*range(cut, lengths[1]), *range(cut)]
        links = {link for link in enumerate(order[: lengths[0]]) if random.random() < 0.9}
        share = random.choice([0, 0.02])
    else:
        links, share = set(), random.choice([0.0, 0.1, 0.3])
    links |= {link for link in product(*map(range, lengths)) if random.random() < share}
    source, target = (random.integers(0, words, size=length).tolist() for length in lengths)
    return Pair(source, target, sorted(links), int(random.integers(0, 3)))


@pytest.fixture(scope="session")
def random_pairs() -> Callable[..., list[Pair]]:
    """Returns a function that makes pairs."""

    def make(seed: int, number: int, longest: int = 8, words: int = 4) -> list[Pair]:
        random = np.random.default_rng(seed)
        return [_random_pair(random, longest, words) for _ in range(number)]

    return make


def _flat(rows: list[list[int]]) -> tuple[Any, Any]:
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return offsets, np.array([value for row in rows for value in row], dtype=np.int32)


@pytest.fixture(scope="session")
def bitext_of() -> Callable[[list[Pair]], Bitext]:
    """Returns a function that makes arrays of pairs, or of plain (source, target, links)."""

    def make(pairs: list[Pair]) -> Bitext:
        offsets, flat = _flat([[value for link in links for value in link] for _, _, links, *_ in pairs])
        sides = (*_flat([source for source, *_ in pairs]), *_flat([target for _, target, *_ in pairs]))
        return Bitext(*sides, offsets // 2, flat.reshape(-1, 2))

    return make


# ---------------------------------------------------------------- rules by brute force

Span = tuple[int, int]


def _initial_phrases(pair: Pair, max_span: int) -> list[tuple[Span, Span]]:
    """Chiang (2007), section 3.2, definition 1, for tight phrases with a limit on both sides."""
    results = []
    for i, j in combinations(range(len(pair.source) + 1), 2):
        for k, m in combinations(range(len(pair.target) + 1), 2):
            inside = [(s, t) for s, t in pair.links if i <= s < j and k <= t < m]
            crossing = [(s, t) for s, t in pair.links if (i <= s < j) != (k <= t < m)]
            if not inside or crossing or j - i > max_span or m - k > max_span:
                continue
            sources, targets = {s for s, _ in inside}, {t for _, t in inside}
            if {i, j - 1} <= sources and {k, m - 1} <= targets:
                results.append(((i, j), (k, m)))
    return results


def _symbols(words: list[int], span: Span, gaps: list[Span]) -> tuple[list[int], dict[int, int]]:
    """Returns a side's symbols, and the position among them of each remaining word."""
    symbols: list[int] = []
    positions: dict[int, int] = {}
    for position in range(*span):
        gap = next((number for number, (begin, end) in enumerate(gaps) if begin <= position < end), None)
        if gap is None:
            positions[position] = len(symbols)
            symbols.append(words[position])
        elif position == gaps[gap][0]:
            symbols.append(-1 - gap)
    return symbols, positions


def _brute_rules(pair: Pair, limits: Limits) -> Counter[Rule]:
    """Chiang (2007), section 3.2, definition 2: rules are initial phrases with smaller ones taken out."""
    counter: Counter[Rule] = Counter()
    phrases = _initial_phrases(pair, limits.max_span)
    for source, target in phrases:
        smaller = [
            (inner, other)
            for inner, other in phrases
            if source[0] <= inner[0] and inner[1] <= source[1] and inner != source
            if target[0] <= other[0] and other[1] <= target[1]
        ]
        for number in range(limits.max_gaps + 1):
            for gaps in combinations(sorted(smaller), number):
                if any(first[1] >= second[0] for (first, _), (second, _) in combinations(gaps, 2)):
                    continue  # they overlap or touch on the source side
                source_symbols, source_positions = _symbols(pair.source, source, [gap for gap, _ in gaps])
                target_symbols, target_positions = _symbols(pair.target, target, [gap for _, gap in gaps])
                points = sorted(
                    (source_positions[s], target_positions[t])
                    for s, t in pair.links
                    if s in source_positions and t in target_positions
                )
                if points and len(source_symbols) <= limits.max_symbols:
                    counter[Rule(tuple(source_symbols), tuple(target_symbols), tuple(points))] += 1
    return counter


@pytest.fixture(scope="session")
def brute_rules() -> Callable[[Pair, Limits], Counter[Rule]]:
    """Returns a function that extracts a pair's rules."""
    return _brute_rules


# ---------------------------------------------------------------- lexical probabilities by brute force


def _lexical_counts(pairs: list[Pair]) -> Counter[Any]:
    """Counts (source word, target word); an unlinked word has a link with NULL."""
    counts: Counter[Any] = Counter()
    for source, target, links, _ in pairs:
        counts.update((source[s], target[t]) for s, t in links)
        counts.update((word, None) for s, word in enumerate(source) if s not in {link[0] for link in links})
        counts.update((None, word) for t, word in enumerate(target) if t not in {link[1] for link in links})
    return counts


def _brute_tables(pairs: list[Pair]) -> dict[Any, tuple[float, float]]:
    """Returns {(source, target): (w(target | source), w(source | target))}."""
    counts = _lexical_counts(pairs)
    return {
        (s, t): (
            count / sum(other for (first, _), other in counts.items() if first == s),
            count / sum(other for (_, second), other in counts.items() if second == t),
        )
        for (s, t), count in counts.items()
    }


def _brute_weight(rule: Rule, tables: dict[Any, tuple[float, float]], of_target: bool, least: float) -> float:
    """Returns the log of the product over own words of the mean over the links, or of NULL."""
    weight = 0.0
    first, other = (rule.target, rule.source) if of_target else (rule.source, rule.target)
    links = [(t, s) if of_target else (s, t) for s, t in rule.points]
    for position, word in enumerate(first):
        if word < 0:
            continue
        partners = [other[partner] for own_position, partner in links if own_position == position] or [None]
        keys = [(partner, word) if of_target else (word, partner) for partner in partners]
        shares = [tables[key][0 if of_target else 1] if key in tables else least for key in keys]
        weight += math.log(sum(shares) / len(shares))
    return weight


@pytest.fixture(scope="session")
def brute_tables() -> Callable[[list[Pair]], dict[Any, tuple[float, float]]]:
    """Returns a function that makes {(source, target): (w(target | source), w(source | target))}; NULL is None."""
    return _brute_tables


@pytest.fixture(scope="session")
def brute_weight() -> Callable[[Rule, dict[Any, tuple[float, float]], bool, float], float]:
    """Returns a function that returns a rule's lexical weight."""
    return _brute_weight


# ---------------------------------------------------------------- stages


def _in_process(run: Run, factory: Callable[[], Callable[[Any], Any]], tasks: Any, done: Any) -> Iterator[Any]:
    """Like `over_shards`, but without new processes, which take seconds and would not see patched constants."""
    todo = [task for task in tasks if not done(task)]
    function = factory() if todo else None
    for task in todo:
        yield task, function(task)


@dataclass
class Training:
    """A folder of numbered and aligned shards, and the stages that ran on them; `jobs` 0 runs them in this process."""

    folder: Path
    config: Config
    jobs: int
    folders: dict[str, Path] = field(default_factory=dict)
    counted: dict[str, dict[str, Any]] = field(default_factory=dict)

    def run(self, *names: str) -> Training:
        """Runs stages."""
        for name in names:
            stage = _STAGES[name](self.config)
            self.folders[name] = self.folder / name
            self.folders[name].mkdir(exist_ok=True)
            run = Run(jobs=self.jobs, folders={need: self.folders[need] for need in stage.needs})
            with pytest.MonkeyPatch.context() as patch:
                if not self.jobs:
                    for module in (extract_stage_module, count_module):
                        patch.setattr(module, "over_shards", _in_process)
                self.counted[name] = stage.work(run, self.folders[name])
        return self


_STAGES: dict[str, Callable[[Config], Any]] = {
    "lexical": lambda config: lexical_stage(),
    "extract": extract_stage,
    "count": count_stage,
    "targets": targets_stage,
    "rules": rules_stage,
}


def _training(
    folder: Path, pairs: list[Pair], *, shard_lines: int = 1000, jobs: int = 0, text: Any = (), **rules: Any
) -> Training:
    values = {
        "data": folder,
        "work": folder,
        "corpora": [{"name": name, "source": "s", "target": "t"} for name in ("news", "talks", "web")],
        "text": {"source_language": "de", "target_language": "en", **dict(text)},
        "rules": rules,
    }
    training = Training(folder, checked_settings(Config, values, "config"), jobs)
    for name in ("prepare", "number", "align"):
        training.folders[name] = folder / name
        training.folders[name].mkdir(parents=True)
    pairs = [Pair(*pair) for pair in pairs]
    for side, letter in (("source", "s"), ("target", "t")):
        highest = max((word for pair in pairs for word in getattr(pair, side)), default=-1)
        lines = "".join(f"{letter}{word}\n" for word in range(highest + 1))
        (training.folders["number"] / f"words.{side}.txt").write_text(lines, encoding="utf-8")
    for number, begin in enumerate(range(0, len(pairs), shard_lines)):
        shard = pairs[begin : begin + shard_lines]
        columns: dict[str, Any] = {
            side: list_column(*_flat([getattr(pair, side) for pair in shard])) for side in ("source", "target")
        }
        columns["corpus"] = np.array([pair.corpus for pair in shard], dtype=np.int16)
        write_shard(shard_path(training.folders["number"], number), columns)
        links = list_column(*_flat([[value for link in pair.links for value in link] for pair in shard]))
        write_shard(shard_path(training.folders["align"], number), {"links": links})
    return training


@pytest.fixture
def training(tmp_path: Path) -> Callable[..., Training]:
    """Returns a function that writes shards of pairs; its keywords are fields of the config's `rules`."""
    return partial(_training, tmp_path / "work")


@pytest.fixture
def few_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the stages of this process quick."""
    for module in (extract_stage_module, count_module):
        monkeypatch.setattr(module, "bucket_count", lambda numbered: 3)
