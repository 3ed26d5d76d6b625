"""Clause models: fields over brackets, alone, with the papers' count rules, or composed with the rules' automaton."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from lattice_simp.core.kernel import Floats
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import FormatError
from lattice_simp.hindi.clause import Clause, nested_order, without_edges
from lattice_simp.hindi.clauses.bracket_lattice import RuleTable, best_bracketings
from lattice_simp.hindi.clauses.counts import matched, mend_counts
from lattice_simp.hindi.clauses.crf import CrfSettings, LinearChain, best_labels
from lattice_simp.hindi.clauses.features import Features, Template, paper_features, phrase_features, rule_features
from lattice_simp.hindi.clauses.labels import NOTHING, Brackets, brackets_of, clauses_of
from lattice_simp.hindi.clauses.participles import StartJudge
from lattice_simp.hindi.clauses.rule_costs import RuleCosts, token_classes
from lattice_simp.hindi.rules.pipeline import rule_clauses
from lattice_simp.hindi.sentence import Sentence
from lattice_simp.support.crfsuite import read_meta
from lattice_simp.support.textio import open_text

Kind = Literal["merged", "steps"]
"""One field that marks starts and ends, or one for ends and then one for starts, which sees the ends."""

Constraint = Literal["none", "counts", "lattice"]
"""What mends a bracketing: nothing, the papers' count rules, or the automaton of `rule_costs.py`."""

TEMPLATES: dict[str, Template] = {"paper": paper_features, "phrases": phrase_features, "rules": rule_features}

META, MERGED, ENDS, STARTS, JUDGE = "model.json", "merged.crf", "ends.crf", "starts.crf", "participles.crf"

FEATURE_VERSION = 1
"""Goes up when the templates or the rules that they see change: a model works with what it was trained on alone."""

REMEDY = "train the model again"

MAX_OPENS, MAX_CLOSES = 4, 6
"""More brackets on one token are cut: such labels are too rare to be learnt."""

MIN_LABEL_COUNT = 3
"""Labels that are seen less often are not learnt; their tokens open and close nothing, and the rules mend the rest."""


@dataclass(frozen=True)
class ClauseModel:
    """A trained model.

    Attributes:
        kind: see `Kind`.
        template: the name of what the fields see, a key of `TEMPLATES`.
        chains: the fields by file name.
        costs: of the rules.
        judge: moves the starts of non-finite clauses of the best well-formed bracketing; None to leave them.
    """

    kind: Kind
    template: str
    chains: dict[str, LinearChain]
    costs: RuleCosts = field(default_factory=RuleCosts)
    judge: StartJudge | None = None

    @classmethod
    def train(
        cls,
        examples: Sequence[tuple[Sentence, Sequence[Clause]]],
        *,
        kind: Kind = "merged",
        template: str = "rules",
        settings: CrfSettings | None = None,
    ) -> ClauseModel:
        """Trains a model on sentences with tags and chunks, and their clauses.

        Raises:
            MissingExtraError: python-crfsuite is not installed.
            LatticeSimpError: no examples.
        """
        labelled = [
            (sentence, learnable(brackets_of(bare(sentence, own), len(sentence)))) for sentence, own in examples
        ]
        features = TEMPLATES[template]
        if kind == "merged":
            frequent = _frequent(str(one) for _, labels in labelled for one in labels)
            texts = ((features(one), [_known(str(own), frequent) for own in labels]) for one, labels in labelled)
            return cls(kind, template, {MERGED: LinearChain.train(texts, settings)})
        ends = ((features(one), [str(own.closes) for own in labels]) for one, labels in labelled)
        frequent = _frequent(_opens(own) for _, labels in labelled for own in labels)
        starts = (
            (
                with_ends(features(one), [own.closes for own in labels]),
                [_known(_opens(own), frequent, NOTHING) for own in labels],
            )
            for one, labels in labelled
        )
        return cls(
            kind, template, {ENDS: LinearChain.train(ends, settings), STARTS: LinearChain.train(starts, settings)}
        )

    def clauses(self, sentence: Sentence, constraint: Constraint = "lattice") -> list[Clause]:
        """Finds the clauses of a sentence with tags and chunks.

        With the constraint `lattice` they are always well nested; with others, ends without starts and starts without
        ends are dropped.
        """
        return with_punctuation(sentence, matched(self.brackets(sentence, constraint)))

    def brackets(self, sentence: Sentence, constraint: Constraint = "lattice") -> list[Brackets]:
        """Returns the brackets of each token."""
        if not sentence.tokens:
            return []
        if constraint == "lattice":
            return self._well_formed(sentence)
        found = self._unconstrained(sentence)
        return mend_counts(sentence, found, token_classes(sentence)) if constraint == "counts" else found

    def _well_formed(self, sentence: Sentence) -> list[Brackets]:
        found = self.nbest(sentence, 1)
        if not found:
            # No lattice has room for it, or the rules allow none of its labels: the grammars answer all sentences.
            return brackets_of(bare(sentence, rule_clauses(sentence)), len(sentence))
        best = found[0][0]
        if self.judge is None:
            return best
        return brackets_of(self.judge.moved(sentence, clauses_of(best)), len(sentence))

    def nbest(self, sentence: Sentence, n: int) -> list[tuple[list[Brackets], float]]:
        """Returns the n best well-formed bracketings, with what each costs (nats) beyond the best labelling of all.

        Fewer, or none, if there are no more, or if the search for them would need too much memory. The judge is not
        asked.
        """
        features = TEMPLATES[self.template](sentence)
        tokens = token_classes(sentence)
        if self.kind == "merged":
            chain = self.chains[MERGED]
            scores, table = chain.scores(features), self._table
        else:
            # The starts' field has seen the best ends, but others may still be chosen if no starts fit these.
            ends, starts = self.chains[ENDS].scores(features), self.chains[STARTS]
            opens = starts.scores(with_ends(features, self._ends(features)))
            scores, table = (ends[:, :, None] + opens[:, None, :]).reshape(len(tokens), -1), self._table
        paths = best_bracketings(scores, self._transitions, tokens, table, self._symbols, n)
        return [([table.labels[self._numbers[word]] for word in path.tokens], path.cost) for path in paths]

    def _unconstrained(self, sentence: Sentence) -> list[Brackets]:
        features = TEMPLATES[self.template](sentence)
        if self.kind == "merged":
            chain = self.chains[MERGED]
            best = best_labels(chain.scores(features), chain.transitions)
            return [Brackets.parse(chain.labels[label]) for label in best]
        closes = self._ends(features)
        chain = self.chains[STARTS]
        best = best_labels(chain.scores(with_ends(features, closes)), chain.transitions)
        return [Brackets.parse(f"{chain.labels[label]}/{count}") for label, count in zip(best, closes, strict=True)]

    def _ends(self, features: Features) -> list[int]:
        chain = self.chains[ENDS]
        return [int(chain.labels[label]) for label in best_labels(chain.scores(features), chain.transitions)]

    @cached_property
    def _labels(self) -> tuple[str, ...]:
        if self.kind == "merged":
            return self.chains[MERGED].labels
        return tuple(f"{opens}/{count}" for count in self.chains[ENDS].labels for opens in self.chains[STARTS].labels)

    @cached_property
    def _transitions(self) -> Floats:
        if self.kind == "merged":
            return self.chains[MERGED].transitions
        ends, starts = self.chains[ENDS].transitions, self.chains[STARTS].transitions
        return (ends[:, None, :, None] + starts[None, :, None, :]).reshape(len(self._labels), len(self._labels))

    @cached_property
    def _table(self) -> RuleTable:
        return RuleTable(tuple(map(Brackets.parse, self._labels)), self.costs)

    @cached_property
    def _symbols(self) -> SymbolTable:
        return SymbolTable(self._labels)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {label: number for number, label in enumerate(self._labels)}

    def write(self, folder: Path) -> None:
        """Writes the model into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, chain in self.chains.items():
            chain.write(folder / name)
        if self.judge is not None:
            self.judge.write(folder / JUDGE)
        with open_text(folder / META, "w") as file:
            told = {"features": FEATURE_VERSION, "kind": self.kind, "template": self.template}
            told |= {"judge": self.judge is not None}
            file.write(json.dumps(told | {"costs": asdict(self.costs)}) + "\n")

    @classmethod
    def read(cls, folder: Path) -> ClauseModel:
        """Reads a model from its folder.

        Raises:
            FormatError: a file is missing or broken.
        """
        path = folder / META
        meta = read_meta(path, FEATURE_VERSION, REMEDY)
        try:
            kind, template, costs = meta["kind"], meta["template"], RuleCosts(**meta["costs"])
            names = {"merged": (MERGED,), "steps": (ENDS, STARTS)}[kind]
            TEMPLATES[template]
        except (KeyError, TypeError):
            raise FormatError("no description of a clause model", path=path, remedy=REMEDY) from None
        judge = StartJudge.read(folder / JUDGE) if meta.get("judge") else None
        return cls(kind, template, {name: LinearChain.read(folder / name) for name in names}, costs, judge)


def bare(sentence: Sentence, clauses: Iterable[Clause]) -> list[Clause]:
    """Returns clauses without punctuation at their ends, which models do not learn."""
    return nested_order(without_edges(clauses, [token.tag == "SYM" for token in sentence.tokens]))


def with_punctuation(sentence: Sentence, clauses: Sequence[Clause]) -> list[Clause]:
    """Returns the sentence's last punctuation to the outermost clause that ends before it, and no other to any end."""
    clauses = bare(sentence, clauses)
    last = len(sentence)
    while last and sentence.tokens[last - 1].tag == "SYM":
        last -= 1
    outermost = next((clause for clause in clauses if clause.end == last), None)
    whole = len(sentence)
    return [Clause(one.start, whole, one.kind) if one is outermost else one for one in clauses]


def learnable(brackets: Sequence[Brackets]) -> list[Brackets]:
    """Cuts what a token opens and closes to what is learnt."""
    return [Brackets(own.opens[:MAX_OPENS], min(own.closes, MAX_CLOSES)) for own in brackets]


def with_ends(features: Features, closes: Sequence[int]) -> Features:
    """Adds what the starts' field sees of the ends: how many are here, how far the next one is, and how many follow."""
    found: Features = []
    following, distance = 0, 0
    for own, count in zip(reversed(features), reversed(closes), strict=True):
        if count:
            distance = 0
        following += count
        found.append([*own, f"ends={count}", f"ends+={min(following, 4)}", f"end in={min(distance, 9)}"])
        distance += 1
    return found[::-1]


def _opens(brackets: Brackets) -> str:
    return str(brackets).partition("/")[0]


def _frequent(labels: Iterable[str]) -> frozenset[str]:
    counts: dict[str, int] = {}
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
    return frozenset(label for label, count in counts.items() if count >= MIN_LABEL_COUNT)


def _known(label: str, frequent: frozenset[str], otherwise: str = str(Brackets())) -> str:
    return label if label in frequent else otherwise
