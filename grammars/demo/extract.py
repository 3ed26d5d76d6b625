"""Hierarchical rules from aligned sentence pairs (Chiang 2007, section 3.2), with relative-frequency features.

From *the plan was passed in may* / *der plan wurde im mai angenommen*, among others::

    [X] ||| passed ||| angenommen ||| EF=... ||| 0-0
    [X] ||| was passed [X,1] ||| wurde [X,1] angenommen ||| EF=... ||| 0-0 1-2

A phrase pair consists of a source span and a target span with links between them and none to words outside; their first
and last words are aligned. Rules replace one or two phrase pairs within another one by non-terminals, which are not
adjacent in the source; at least one aligned word stays. Each phrase pair and each derivation of a rule from it counts
one.

Features are natural logarithms of probabilities; f is the source and e the target, as is customary:
`EF` is p(target | source), `FE` p(source | target); `LexEF` and `LexFE` multiply the word translation
probabilities of a rule's words, averaged over the links of each (Koehn and others 2003), for unaligned words those of
`NULL`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from lattice_simp.grammars.demo.sample import SentencePair

MAX_SPAN = 10
"""The most source words of a phrase pair from which rules are extracted."""
MAX_SYMBOLS = 5
"""The most source symbols of a rule."""
NULL = ""
"""Stands for the missing partner of an unaligned word."""

Link = tuple[int, int]
Phrase = tuple[int, int, int, int]
"""A phrase pair: source start and end, target start and end; ends are exclusive."""


@dataclass(frozen=True)
class Rule:
    """A rule without its features; links join positions of terminals, counted over all symbols."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[Link, ...]


def phrases(pair: SentencePair) -> list[Phrase]:
    """Returns the tight phrase pairs of up to `MAX_SPAN` source words."""
    targets: dict[int, list[int]] = defaultdict(list)
    sources: dict[int, list[int]] = defaultdict(list)
    for i, j in pair.links:
        targets[i].append(j)
        sources[j].append(i)
    result = []
    for start in targets:
        low, high = len(pair.german), -1
        for last in range(start, min(start + MAX_SPAN, len(pair.english))):
            if last not in targets:
                continue
            low, high = min(low, *targets[last]), max(high, *targets[last])
            if all(start <= i <= last for j in range(low, high + 1) for i in sources[j]):
                result.append((start, last + 1, low, high + 1))
    return sorted(result)


def rules(pair: SentencePair) -> Iterator[Rule]:
    """Yields every rule of a sentence pair, once for each derivation."""
    pairs = phrases(pair)
    for outer in pairs:
        inside = [inner for inner in pairs if inner != outer and _contains(outer, inner)]
        for gaps in ((), *((inner,) for inner in inside), *combinations(inside, 2)):
            length = outer[1] - outer[0] - sum(stop - start - 1 for start, stop, _, _ in gaps)
            if length <= MAX_SYMBOLS and (len(gaps) < 2 or _apart(*gaps)):
                rule = _rule(pair, outer, gaps)
                if rule.links:
                    yield rule


def _contains(outer: Phrase, inner: Phrase) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _apart(first: Phrase, second: Phrase) -> bool:
    """Returns whether two phrases share no word and are not adjacent in the source; the first one starts first."""
    return first[1] < second[0] and (first[3] <= second[2] or second[3] <= first[2])


def _rule(pair: SentencePair, outer: Phrase, gaps: tuple[Phrase, ...]) -> Rule:
    source, source_at = _side(pair.english, outer[0], outer[1], [gap[:2] for gap in gaps])
    target, target_at = _side(pair.german, outer[2], outer[3], [gap[2:] for gap in gaps])
    links = sorted((source_at[i], target_at[j]) for i, j in pair.links if i in source_at and j in target_at)
    return Rule(source, target, tuple(links))


def _side(
    words: tuple[str, ...], start: int, stop: int, gaps: list[tuple[int, int]]
) -> tuple[tuple[str, ...], dict[int, int]]:
    """Returns the symbols of one side, and the positions there of the sentence's remaining words."""
    begins = {gap[0]: (number, gap[1]) for number, gap in enumerate(gaps, start=1)}
    symbols: list[str] = []
    positions: dict[int, int] = {}
    position = start
    while position < stop:
        if position in begins:
            number, position = begins[position]
            symbols.append(f"[X,{number}]")
        else:
            positions[position] = len(symbols)
            symbols.append(words[position])
            position += 1
    return tuple(symbols), positions


def is_nonterminal(symbol: str) -> bool:
    """Returns whether a symbol is `[X,1]` or `[X,2]`; no word of this corpus has a bracket."""
    return symbol.startswith("[")


@dataclass(frozen=True)
class Limits:
    """The limits of a rule table; translations of single words are always kept, up to the last two limits.

    Attributes:
        max_phrase: the most source words of a rule without non-terminals.
        min_phrase_count: the least count of such a rule.
        min_count: the least count of a rule with non-terminals.
        min_probability: the least p(target | source) of a rule.
        max_targets: the most targets of a source side.
    """

    max_phrase: int = MAX_SYMBOLS
    min_phrase_count: int = 1
    min_count: int = 1
    min_probability: float = 0.0
    max_targets: int = 20

    def keep(self, source: tuple[str, ...], count: int) -> bool:
        """Returns whether a rule is frequent enough."""
        if any(map(is_nonterminal, source)):
            return count >= self.min_count
        return len(source) == 1 or (len(source) <= self.max_phrase and count >= self.min_phrase_count)


class RuleTable:
    """Counts the rules of a training corpus, and returns the frequent ones with their features."""

    def __init__(self, pairs: Iterable[SentencePair], limits: Limits) -> None:
        self.limits = limits
        self.counts: Counter[Rule] = Counter()
        self.words: Counter[tuple[str, str]] = Counter()
        for pair in pairs:
            self.counts.update(rules(pair))
            self.words.update((pair.english[i], pair.german[j]) for i, j in pair.links)
            linked_source, linked_target = ({link[side] for link in pair.links} for side in (0, 1))
            self.words.update((word, NULL) for i, word in enumerate(pair.english) if i not in linked_source)
            self.words.update((NULL, word) for j, word in enumerate(pair.german) if j not in linked_target)
        self.source_words: Counter[str] = Counter()
        self.target_words: Counter[str] = Counter()
        for (source, target), count in self.words.items():
            self.source_words[source] += count
            self.target_words[target] += count

    def lines(self) -> Iterator[str]:
        """Yields the table as text, sorted, one rule a line."""
        counts: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
        best_links: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[int, tuple[Link, ...]]] = {}
        for rule, count in self.counts.items():
            sides = rule.source, rule.target
            counts[sides] += count
            best_links[sides] = max(best_links.get(sides, (0, ())), (count, rule.links))
        sources: Counter[tuple[str, ...]] = Counter()
        targets: Counter[tuple[str, ...]] = Counter()
        by_source: dict[tuple[str, ...], list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
        for (source, target), count in counts.items():
            sources[source] += count
            targets[target] += count
            if self.limits.keep(source, count) and count / sources[source] >= self.limits.min_probability:
                by_source[source].append((count, target))
        for source in sorted(by_source):
            ranked = sorted(by_source[source], key=lambda entry: (-entry[0], entry[1]))
            for count, target in ranked[: self.limits.max_targets]:
                links = best_links[source, target][1]
                features = {
                    "EF": math.log(count / sources[source]),
                    "FE": math.log(count / targets[target]),
                    "LexEF": self._lexical(source, target, links, forward=True),
                    "LexFE": self._lexical(source, target, links, forward=False),
                }
                named = " ".join(f"{name}={value + 0:.2f}" for name, value in features.items())
                points = " ".join(f"{i}-{j}" for i, j in links)
                yield f"[X] ||| {' '.join(source)} ||| {' '.join(target)} ||| {named} ||| {points}"

    def _lexical(
        self, source: tuple[str, ...], target: tuple[str, ...], links: tuple[Link, ...], *, forward: bool
    ) -> float:
        """Returns the log probability of the words of one side, given the linked words of the other."""
        partners: dict[int, list[int]] = defaultdict(list)
        for i, j in links:
            partners[j if forward else i].append(i if forward else j)
        total = 0.0
        known, predicted = (source, target) if forward else (target, source)
        for position, word in enumerate(predicted):
            if not is_nonterminal(word):
                linked = [known[partner] for partner in partners[position]] or [NULL]
                total += math.log(sum(self._word(other, word, forward) for other in linked) / len(linked))
        return total

    def _word(self, known: str, word: str, forward: bool) -> float:
        if forward:
            return self.words[known, word] / self.source_words[known]
        return self.words[word, known] / self.target_words[known]
