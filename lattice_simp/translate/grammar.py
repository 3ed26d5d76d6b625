"""A synchronous grammar as arrays: source patterns in a trie, and for each pattern its target sides.

On disk the arrays are a file of their own, or an entry of the cache of a rule table (see `support.array_cache`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.features import DENSE_CELLS, LEAST_DENSITY
from lattice_simp.core.kernel import Floats, Ints
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import FormatError, GrammarError
from lattice_simp.formats.moses.rule_table import MAX_SLOTS, RuleText, parse_rules
from lattice_simp.support.array_cache import (
    Arrays,
    is_array_file,
    load_arrays,
    pack_words,
    read_arrays,
    store_arrays,
    unpack_words,
    write_arrays,
)
from lattice_simp.support.array_checks import (
    BrokenArrayError,
    check_array,
    check_finite,
    check_indices,
    check_offsets,
    length_of,
    sound_arrays,
)
from lattice_simp.support.textio import read_lines
from lattice_simp.translate.source_trie import source_trie

GOAL = "S"
"""The symbol of the glue rules, which are built in (S -> X, S -> S X)."""

_KIND = "rules2"  # the number grows when parsing changes
_RENAMED = {"pattern_gaps": "pattern_slots"}  # arrays of older files
_TABLES = ("source_words", "target_words")
_NAMES = ("nonterminals", "feature_names")


def _fields() -> list[str]:
    return [field.name for field in fields(Grammar)]


@dataclass(frozen=True, eq=False)
class Grammar:
    """Rules in arrays. A source symbol is a word id, or `-1 - n` for the non-terminal number n.

    Attributes:
        source_words, target_words: the symbol tables of both sides.
        nonterminals: their names.
        trie_keys, trie_targets: the source trie's edges, sorted; a key is `(node << 32) + symbol + 2 ** 31`.
        pattern_at: (trie nodes, non-terminals) int32, the pattern that ends at a node with that left-hand side, or -1.
        pattern_left: (patterns,) int32 left-hand side.
        pattern_slots: (patterns, 2) int32 non-terminals of its slots, from left to right; -1 where it has fewer.
        pattern_rules: (patterns + 1,) int32, the rules of pattern p are `pattern_rules[p]:pattern_rules[p + 1]`.
        source_offsets, source: the patterns' symbols, flat.
        target_offsets, target: the rules' target symbols, flat: a word id, or `-1 - g` for the source slot number g.
        features: (rules, features) float64 scores, higher is better.
        feature_names: the names of the features.
        alignment_offsets, alignment: the rules' alignment points, flat, (points, 2) int32.
    """

    source_words: SymbolTable
    target_words: SymbolTable
    nonterminals: tuple[str, ...]
    trie_keys: np.ndarray[tuple[int], np.dtype[np.int64]]
    trie_targets: Ints
    pattern_at: Ints
    pattern_left: Ints
    pattern_slots: Ints
    pattern_rules: Ints
    source_offsets: Ints
    source: Ints
    target_offsets: Ints
    target: Ints
    features: Floats
    feature_names: tuple[str, ...]
    alignment_offsets: Ints
    alignment: Ints

    def __repr__(self) -> str:
        return f"Grammar({self.num_rules} rules, features {' '.join(self.feature_names) or 'none'})"

    @property
    def num_rules(self) -> int:
        """The number of rules."""
        return len(self.target_offsets) - 1

    @property
    def num_patterns(self) -> int:
        """The number of source patterns, each with its left-hand side."""
        return len(self.pattern_left)

    @classmethod
    def read(cls, path: str | Path, *, cache: bool = True) -> Grammar:
        """Reads a Hiero or Moses rule table, or the arrays that `write` wrote.

        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "rules"
        >>> _ = path.write_text("[X] ||| the [X,1] ||| die [X,1] ||| TargetGivenSource=-0.5\\n")
        >>> Grammar.read(path, cache=False).feature_names
        ('TargetGivenSource',)

        With `cache`, a table's arrays are kept as a language model's are.

        Raises:
            FormatError: names the line that is not a rule.
        """
        if is_array_file(path):
            arrays = {_RENAMED.get(name, name): array for name, array in read_arrays(path).items()}
            if set(arrays) != set(_fields()):
                remedy = "write the table again"
                raise FormatError("holds no grammar, or one of another version", path=path, remedy=remedy)
            with sound_arrays(path, "write the table again"):
                return cls._unpacked(arrays)
        cached = load_arrays(path, _KIND) if cache else None
        if cached is not None and set(cached) == set(_fields()):
            with suppress(BrokenArrayError):  # a damaged cache is made again
                return cls._unpacked(cached)
        grammar = cls.from_rules(parse_rules(read_lines(path), str(path)))
        if cache:
            store_arrays(path, _KIND, grammar._packed())
        return grammar

    def write(self, path: str | Path) -> None:
        """Writes the arrays to one file, which `read` maps into memory.

        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "rules.arrays"
        >>> Grammar.from_rules([]).write(path)
        >>> Grammar.read(path).num_rules
        0
        """
        write_arrays(path, self._packed())

    @classmethod
    def _unpacked(cls, arrays: Arrays) -> Grammar:
        try:
            texts = {name: unpack_words(arrays.pop(name)) for name in (*_TABLES, *_NAMES)}
            tables = {name: SymbolTable(texts[name]) for name in _TABLES}
        except ValueError as error:
            raise BrokenArrayError(str(error)) from None
        if any(len(tables[name]) != len(texts[name]) + 1 for name in _TABLES):
            raise BrokenArrayError("a word occurs twice in its table")
        names = {name: tuple(texts[name]) for name in _NAMES}
        grammar = cls(**tables, **names, **arrays)  # type: ignore[arg-type]
        grammar.check()
        return grammar

    def check(self) -> None:
        """Checks the arrays of a file.

        Raises:
            BrokenArrayError: they contradict each other.
        """
        kinds = len(self.nonterminals)
        nodes, patterns = length_of("pattern_at", self.pattern_at), length_of("pattern_left", self.pattern_left)
        check_array("pattern_left", self.pattern_left, np.int32, None)
        check_array("pattern_at", self.pattern_at, np.int32, None, max(kinds, 1))
        check_indices("pattern_at", self.pattern_at, patterns, -1)
        check_indices("pattern_left", self.pattern_left, kinds)
        check_array("trie_keys", self.trie_keys, np.int64, None)
        check_array("trie_targets", self.trie_targets, np.int32, len(self.trie_keys))
        origins = self.trie_keys >> 32
        check_indices("trie_keys", origins, nodes)
        check_indices("trie_targets", self.trie_targets, nodes, origins + 1)  # deeper nodes have higher numbers
        check_array("pattern_slots", self.pattern_slots, np.int32, patterns, MAX_SLOTS)
        check_indices("pattern_slots", self.pattern_slots, kinds, -1)
        self._check_rules(patterns, kinds)

    def _check_rules(self, patterns: int, kinds: int) -> None:
        rules = length_of("features", self.features)
        flat = {"source": self.source, "target": self.target, "alignment": self.alignment}
        for name, symbols in flat.items():
            check_array(name, symbols, np.int32, None, *([2] if name == "alignment" else []))
            count = patterns if name == "source" else rules
            check_array(f"{name}_offsets", getattr(self, f"{name}_offsets"), np.int32, count + 1)
            check_offsets(f"{name}_offsets", getattr(self, f"{name}_offsets"), len(symbols))
        check_array("pattern_rules", self.pattern_rules, np.int32, patterns + 1)
        check_offsets("pattern_rules", self.pattern_rules, rules)
        check_indices("source", self.source, len(self.source_words), -kinds)
        slots = np.repeat((self.pattern_slots >= 0).sum(axis=1), np.diff(self.pattern_rules))
        check_indices("target", self.target, len(self.target_words), -np.repeat(slots, np.diff(self.target_offsets)))
        lengths = np.repeat(np.diff(self.source_offsets), np.diff(self.pattern_rules)), np.diff(self.target_offsets)
        limits = np.repeat(np.stack(lengths, axis=1), np.diff(self.alignment_offsets), axis=0)
        check_indices("alignment", self.alignment, limits)
        check_array("features", self.features, np.float64, rules, len(self.feature_names))
        check_finite("features", self.features)

    def _packed(self) -> Arrays:
        arrays = {name: getattr(self, name) for name in _fields()}
        arrays |= {name: pack_words(list(arrays[name].words[1:])) for name in _TABLES}
        return arrays | {name: pack_words(list(arrays[name])) for name in _NAMES}

    @classmethod
    def from_rules(cls, rules: Iterable[RuleText]) -> Grammar:
        """Makes a grammar of rules; their order does not matter, and equal rules stay separate.

        >>> from lattice_simp.formats.moses.rule_table import parse_rules
        >>> grammar = Grammar.from_rules(parse_rules(["[X] ||| the [X,1] ||| die [X,1] ||| 0.5"], "rules"))
        >>> grammar.num_rules, grammar.num_patterns, grammar.features.tolist()
        (1, 1, [[0.5]])
        """
        builder = _Builder()
        for rule in rules:
            builder.add(rule)
        return builder.finish()

    @classmethod
    def from_arrays(cls, *, source_offsets: Ints, source: Ints, pattern_left: Ints, **arrays: Any) -> Grammar:
        """Makes a grammar from its arrays, and computes the trie and the patterns' slots.

        Args:
            source_offsets, source: the patterns' symbols, flat; no two patterns are equal.
            pattern_left: their left-hand sides.
            arrays: the other attributes, but `trie_keys`, `trie_targets`, `pattern_at` and `pattern_slots`.
        """
        trie = source_trie(source_offsets, source, pattern_left, len(arrays["nonterminals"]))
        keys, targets, pattern_at = trie
        return cls(
            source_offsets=source_offsets,
            source=source,
            pattern_left=pattern_left,
            pattern_slots=_slots(source_offsets, source),
            trie_keys=keys,
            trie_targets=targets,
            pattern_at=pattern_at,
            **arrays,
        )

    def costs(self, weights: Mapping[str, float]) -> Floats:
        """Returns each rule's cost in nats: minus the weighted sum of its features.

        Raises:
            GrammarError: a feature has no weight.
        """
        missing = [name for name in self.feature_names if name not in weights]
        if missing:
            raise GrammarError(f"no weight for the rule features {', '.join(missing)}; add them, or set them to 0")
        vector = np.array([weights[name] for name in self.feature_names], dtype=np.float64)
        return -(self.features @ vector) if len(vector) else np.zeros(self.num_rules)

    def rule(self, number: int) -> RuleText:
        """Returns a rule as text.

        >>> from lattice_simp.formats.moses.rule_table import parse_rules
        >>> grammar = Grammar.from_rules(parse_rules(["[X] ||| the [X,1] ||| die [X,1] ||| 0.5"], "rules"))
        >>> grammar.rule(0).source, grammar.rule(0).target
        (('the', ('X',)), ('die', 0))

        Raises:
            GrammarError: the number of no rule, such as that of a copied token.
        """
        if not 0 <= number < self.num_rules:
            raise GrammarError(f"{number} is not the number of a rule; copied tokens have none (RuleUse.is_copy)")
        pattern = int(np.searchsorted(self.pattern_rules, number, side="right")) - 1
        source = self.source[self.source_offsets[pattern] : self.source_offsets[pattern + 1]].tolist()
        target = self.target[self.target_offsets[number] : self.target_offsets[number + 1]].tolist()
        points = self.alignment[self.alignment_offsets[number] : self.alignment_offsets[number + 1]].tolist()
        return RuleText(
            self.nonterminals[self.pattern_left[pattern]],
            tuple(self.source_words[s] if s >= 0 else (self.nonterminals[-1 - s],) for s in source),
            tuple(self.target_words[t] if t >= 0 else -1 - t for t in target),
            tuple(zip(self.feature_names, self.features[number].tolist(), strict=True)),
            tuple((s, t) for s, t in points),
        )

    @cached_property
    def nests(self) -> bool:
        """Whether a constituent may occur inside another one of its own kind, at any depth (full Hiero)."""
        kinds = range(len(self.nonterminals))
        codes = (self.pattern_left[:, None].astype(np.int64) * len(kinds) + self.pattern_slots)[self.pattern_slots >= 0]
        inside = {divmod(code, len(kinds)) for code in np.unique(codes).tolist()}
        for middle in kinds:  # the transitive closure (Warshall 1962)
            inside |= {(a, b) for a in kinds for b in kinds if (a, middle) in inside and (middle, b) in inside}
        return any((kind, kind) in inside for kind in kinds)


class _Builder:
    """Collects rules into lists, then sorts them by pattern."""

    def __init__(self) -> None:
        self.source_words, self.target_words = SymbolTable(), SymbolTable()
        self.nonterminals: dict[str, int] = {}
        self.feature_names: dict[str, int] = {}
        self.patterns: dict[tuple[int, ...], int] = {}  # left-hand side, then the source symbols
        self.rule_pattern: list[int] = []
        self.targets: list[list[int]] = []
        self.values: list[tuple[int, int, float]] = []
        self.alignments: list[tuple[tuple[int, int], ...]] = []

    def _nonterminal(self, name: str) -> int:
        return self.nonterminals.setdefault(name, len(self.nonterminals))

    def add(self, rule: RuleText) -> None:
        if rule.left == GOAL:
            raise GrammarError(f"a rule for [{GOAL}]; the glue rules are built in, leave them out of the table")
        add_source, add_target = self.source_words.add, self.target_words.add
        source = [
            add_source(symbol) if isinstance(symbol, str) else -1 - self._nonterminal(symbol[0])
            for symbol in rule.source
        ]
        number = len(self.rule_pattern)
        key = (self._nonterminal(rule.left), *source)
        self.rule_pattern.append(self.patterns.setdefault(key, len(self.patterns)))
        self.targets.append([add_target(s) if isinstance(s, str) else -1 - s for s in rule.target])
        for name, value in rule.features:
            self.values.append((number, self.feature_names.setdefault(name, len(self.feature_names)), value))
        self.alignments.append(rule.alignment)

    def _check_density(self) -> None:
        cells = len(self.rule_pattern) * len(self.feature_names)
        if cells > DENSE_CELLS and len(self.values) < LEAST_DENSITY * cells:
            mean = len(self.values) / len(self.rule_pattern)
            raise GrammarError(
                f"{len(self.feature_names)} features, and a rule has {mean:.3g} of them on average: too few for a "
                "table; give all rules the same features"
            )

    def finish(self) -> Grammar:
        self._check_density()
        rule_pattern = np.array(self.rule_pattern, dtype=np.int64)
        order = np.argsort(rule_pattern, kind="stable")
        features = np.zeros((len(order), len(self.feature_names)))
        for number, column, value in self.values:
            features[number, column] = value
        targets = [self.targets[number] for number in order.tolist()]
        alignments = [self.alignments[number] for number in order.tolist()]
        patterns = list(self.patterns)
        points = [point for rule_points in alignments for point in rule_points]
        return Grammar.from_arrays(
            source_words=self.source_words,
            target_words=self.target_words,
            nonterminals=tuple(self.nonterminals),
            pattern_left=np.array([pattern[0] for pattern in patterns], dtype=np.int32),
            pattern_rules=_offsets(np.bincount(rule_pattern, minlength=len(patterns)).tolist()),
            source_offsets=_offsets([len(pattern) - 1 for pattern in patterns]),
            source=np.array([symbol for pattern in patterns for symbol in pattern[1:]], dtype=np.int32),
            target_offsets=_offsets([len(target) for target in targets]),
            target=np.array([symbol for target in targets for symbol in target], dtype=np.int32),
            features=features[order],
            feature_names=tuple(self.feature_names),
            alignment_offsets=_offsets([len(rule_points) for rule_points in alignments]),
            alignment=np.array(points, dtype=np.int32).reshape(-1, 2),
        )


def _slots(offsets: Ints, symbols: Ints) -> Ints:
    """Returns the non-terminals of each pattern's first and second slot, -1 where there is none."""
    slots = np.full((len(offsets) - 1, MAX_SLOTS), -1, dtype=np.int32)
    indices = np.flatnonzero(symbols < 0)
    pattern = np.searchsorted(offsets, indices, side="right") - 1
    number = np.arange(len(indices)) - np.searchsorted(pattern, pattern)
    slots[pattern, number] = -1 - symbols[indices]
    return slots


def _offsets(lengths: list[int]) -> Ints:
    return prefix_sums(lengths).astype(np.int32)
