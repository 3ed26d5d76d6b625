"""Derivations: which rules a path of a decoder's lattice used, and where.

Input labels are numbers inside the decoder; `StepLattice.named` turns them into text for other programs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from lattice_simp.core.blocks import block_numbers, prefix_sums
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, Records
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.translate.grammar import Grammar

COPY_RULE = -1
"""The rule number of a copied token."""

GAP_RULE = -2
"""The rule number of a token that stands for itself at no cost: an unexpanded gap."""

GLUE_FEATURE, COPY_FEATURE, LENGTH_FEATURE = "Glue", "OOV", "WordPenalty"


@dataclass(frozen=True)
class RuleUse:
    """A rule (or COPY_RULE, GAP_RULE) on the source tokens `start:end`; of a word lattice, between these states."""

    rule: int
    start: int
    end: int

    @property
    def is_copy(self) -> bool:
        """Whether the token is copied to the translation, because no rule translates it."""
        return self.rule == COPY_RULE


@dataclass(frozen=True, eq=False)
class Derivations:
    """The table that explains a decoder lattice's input labels (steps).

    Attributes:
        steps: records of `automaton.STEP`.
        item_rule: (items,) int32 rule, or COPY_RULE or GAP_RULE.
        item_span: (items, 2) int32 source tokens.
        item_glued: (items,) whether the item is at the top after another one (one glue step).
        item_scores: (features, items) scores of the input's words that the item covers.
        step_token: (steps,) int32 source token that the word of a step's arcs belongs to, -1 if unknown; None if all
            are unknown.
    """

    steps: Records
    item_rule: Ints
    item_span: Ints
    item_glued: Bools
    item_scores: Floats
    step_token: Ints | None = None

    def with_words(self, steps: Ints, tokens: Ints) -> tuple[Ints, Derivations]:
        """Returns steps that also name the token of their arc's word, and the table that explains them.

        Args:
            steps: (arcs,) the step of each.
            tokens: (arcs,) the source token that its word belongs to, -1 for none.
        """
        size = int(tokens.max(initial=-1)) + 2
        pairs, numbers = np.unique(steps.astype(np.int64) * size + tokens + 1, return_inverse=True)
        step, token = pairs // size, pairs % size - 1
        is_new = token >= 0
        renamed = np.where(is_new, len(self.steps) + np.cumsum(is_new) - 1, step).astype(np.int32)
        explained = np.concatenate([self.steps, self.steps[step[is_new]]])
        step_tokens = np.concatenate([np.full(len(self.steps), -1), token[is_new]]).astype(np.int32)
        return renamed[numbers], replace(self, steps=explained, step_token=step_tokens)

    def step_scores(self) -> Floats:
        """Returns (features, steps) the input's scores of the items that a step completes."""
        total = np.zeros((len(self.item_scores), len(self.steps)))
        step = np.arange(len(self.steps))
        while len(total) and step.any():
            item = self.steps["item"][step]
            total += np.where((step > 0) & (item >= 0), self.item_scores[:, item], 0.0)
            step = np.where(step > 0, self.steps["next"][step], 0)
        return total

    def completed(self, steps: Ints) -> tuple[Ints, Longs]:
        """Returns the items that each of the steps completes, in the order of the target side, and where those of each
        begin.
        """
        columns, step = [], steps
        while step.any():
            columns.append(np.where(step > 0, self.steps["item"][step], -1))
            step = np.where(step > 0, self.steps["next"][step], 0)
        table = np.stack(columns, axis=1) if columns else np.full((len(steps), 1), -1)
        return table[table >= 0], prefix_sums((table >= 0).sum(axis=1))

    def labels(self, steps: Ints) -> RuleLabels:
        """Returns the rules and tokens that the labels of steps name."""
        items, offsets = self.completed(steps)
        tokens = np.full(len(steps), -1, dtype=np.int32) if self.step_token is None else self.step_token[steps]
        return RuleLabels(offsets, self.item_rule[items], self.item_span[items], self.item_glued[items], tokens)


@dataclass(frozen=True, eq=False)
class RuleLabels:
    """The meanings of input labels of a decoder's lattice: rules, and the token of a word.

    As text, a label is a series of `[glue+]rule@start-end`, joined by `+`, and, if known, `word@token`.

    Attributes:
        offsets: (labels + 1,) integers, the rules of label l are `offsets[l]:offsets[l + 1]`.
        rules: (uses,) integers, rule numbers, or COPY_RULE or GAP_RULE.
        spans: (uses, 2) integers, source tokens.
        glued: (uses,) bool, whether a glue step comes before.
        tokens: (labels,) int32, the source token of the word, -1 if unknown.
    """

    offsets: Longs
    rules: Ints
    spans: Ints
    glued: Bools
    tokens: Ints

    @classmethod
    def read(cls, texts: Iterable[str]) -> RuleLabels:
        """Reads labels as `texts` writes them.

        >>> labels = RuleLabels.read(["glue+17@3-5+copy@4-5+word@4", "gap@0-1"])
        >>> labels.uses()[:2], labels.glued.tolist(), labels.tokens.tolist()
        ([RuleUse(rule=17, start=3, end=5), RuleUse(rule=-1, start=4, end=5)], [True, False, False], [4, -1])
        >>> labels.texts()
        ['glue+17@3-5+copy@4-5+word@4', 'gap@0-1']
        """
        offsets, rules, spans, glued, tokens = [0], [], [], [], []
        for text in texts:
            before = ""
            for part in text.split("+"):
                if part != GLUE_LABEL and not part.startswith(WORD_LABEL):
                    rule, _, span = part.partition("@")
                    rules.append(_LABEL_RULES[rule] if rule in _LABEL_RULES else int(rule))
                    spans.append([int(token) for token in span.split("-")])
                    glued.append(before == GLUE_LABEL)
                before = part
            offsets.append(len(rules))
            tokens.append(_word_token(text))
        return cls(
            np.array(offsets, dtype=np.int64),
            np.array(rules, dtype=np.int32),
            np.array(spans, dtype=np.int32).reshape(-1, 2),
            np.array(glued, dtype=np.bool_),
            np.array(tokens, dtype=np.int32),
        )

    def texts(self) -> list[str]:
        """Returns the labels as text."""
        rows = zip(self.glued.tolist(), self.rules.tolist(), self.spans.tolist(), strict=True)
        parts = [
            f"{f'{GLUE_LABEL}+' * glued}{_RULE_LABELS.get(rule, rule)}@{start}-{end}"
            for glued, rule, (start, end) in rows
        ]
        words = [[f"{WORD_LABEL}{token}"] if token >= 0 else [] for token in self.tokens.tolist()]
        bounds = zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True)
        return ["+".join(parts[begin:end] + word) for (begin, end), word in zip(bounds, words, strict=True)]

    def uses(self) -> list[RuleUse]:
        """Returns the rules of all labels, in order."""
        return [RuleUse(rule, *span) for rule, span in zip(self.rules.tolist(), self.spans.tolist(), strict=True)]

    def features(self, grammar: Grammar) -> dict[str, float]:
        """Returns the summed features of all rules: scores, higher is better.

        Glue steps and passed-through tokens count as -1 each.
        """
        totals: Floats = grammar.features[self.rules[self.rules >= 0]].sum(axis=0)
        named = dict(zip(grammar.feature_names, totals.tolist(), strict=True))
        return named | {GLUE_FEATURE: -float(self.glued.sum()), COPY_FEATURE: -float((self.rules == COPY_RULE).sum())}

    def scores(self, grammar: Grammar) -> Floats:
        """Returns (labels, rule features + 2) float64: the `features` of each label, those of the rules first."""
        matrix = np.zeros((len(self.tokens), len(grammar.feature_names) + 2))
        owners, is_rule = block_numbers(self.offsets), self.rules >= 0
        np.add.at(matrix[:, :-2], owners[is_rule], grammar.features[self.rules[is_rule]])
        np.add.at(matrix[:, -2], owners[self.glued], -1.0)
        np.add.at(matrix[:, -1], owners[self.rules == COPY_RULE], -1.0)
        return matrix


GLUE_LABEL = "glue"
WORD_LABEL = "word@"
_RULE_LABELS = {COPY_RULE: "copy", GAP_RULE: "gap"}
_LABEL_RULES = {label: rule for rule, label in _RULE_LABELS.items()}


@dataclass(frozen=True, eq=False)
class StepLattice:
    """A lattice whose input labels are steps of `derivations`, too many to name them all; its `isymbols` are empty.

    Apply only operations that keep input labels to `lattice`, and return `named` to callers. Without derivations, the
    lattice is an acceptor.
    """

    lattice: Lattice
    derivations: Derivations | None

    def named(self) -> Lattice:
        """Returns the lattice with its input labels numbered by those in use, and their names in a table.

        `RuleLabels` explains the names.
        """
        if self.derivations is None:
            return self.lattice
        counts = np.bincount(self.lattice.ilabels, minlength=1)
        used: Ints = 1 + np.flatnonzero(counts[1:]).astype(np.int32)
        table = SymbolTable()
        names = np.zeros(int(used.max(initial=0)) + 1, dtype=np.int32)
        names[used] = table.encode(self.derivations.labels(used).texts())
        return replace(self.lattice, ilabels=names[self.lattice.ilabels], isymbols=table)


def _word_token(label: str) -> int:
    """Returns the token of a label's word, -1 if it names none."""
    last = label.rpartition("+")[2]
    return int(last.removeprefix(WORD_LABEL)) if last.startswith(WORD_LABEL) else -1


def affiliations(lattice: Lattice) -> Ints:
    """Returns the source token that each arc's word belongs to, (arcs,); -1 for arcs without a word.

    >>> table = SymbolTable(["glue+17@3-5+word@4", "word@3"])
    >>> words = SymbolTable(["a", "cat"])
    >>> lattice = Lattice.from_arcs([0, 1], [1, 2], [0.5, 0.0], [1, 2], [np.inf, np.inf, 0.0], words,
    ...                             inputs=([2, 1], table))
    >>> affiliations(lattice).tolist()
    [3, 4]

    Operations that keep input labels keep these tokens: pruning, language models, composition with skeletons, and
    OpenFst's files.

    Raises:
        LatticeSimpError: the arc of a word does not name a token.
    """
    is_word = lattice.olabels != EPSILON
    token_of = np.full(len(lattice.isymbols or lattice.symbols), -1, dtype=np.int32)
    if lattice.isymbols is not None:
        for label in np.unique(lattice.ilabels[is_word]).tolist():
            token_of[label] = _word_token(lattice.isymbols[label])
    tokens = np.where(is_word, token_of[lattice.ilabels], -1).astype(np.int32)
    silent = is_word & (tokens < 0)
    if silent.any():
        word = lattice.symbols[int(lattice.olabels[np.argmax(silent)])]
        raise LatticeSimpError(
            f"the lattice does not record the source token of each word (the first such word is {word!r}); "
            "translate with --word-arcs affiliated (word_arcs of DecoderSettings), and keep the input labels"
        )
    return tokens


def path_labels(lattice: Lattice, path: Hypothesis) -> RuleLabels:
    """Returns the labels of a path of a lattice with named rules.

    Raises:
        LatticeSimpError: the lattice names no rules.
    """
    if lattice.isymbols is None:
        raise LatticeSimpError("a lattice of the engine openfst keeps no derivations; use the engine arrays")
    return RuleLabels.read(lattice.isymbols[label] for label in path.inputs)
