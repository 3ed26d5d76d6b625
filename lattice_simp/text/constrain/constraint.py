"""Constraints on the tokens of a generator, so that an acceptor accepts its text.

The acceptor of texts and the prefix tree of the vocabulary are composed lazily: when a state is first reached, one walk
through the tree finds where each token leads.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from lattice_simp.core.arguments import finite_real
from lattice_simp.core.kernel import Bools, Floats, Ints, read_only
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.text_automaton import HasLattice, Spacing, spell_text
from lattice_simp.text.constrain.states import Distances, TextStates
from lattice_simp.text.constrain.utf8 import DEAD
from lattice_simp.text.constrain.vocabulary import Tokens, TokenTrie

ENDED = -2
"""The state after the end of a text."""

_CACHED = 2**26
"""The number of targets of tokens that are cached, 4 bytes each."""


@dataclass(frozen=True, eq=False)
class TokenConstraint:
    """What an acceptor of texts asks of the tokens of a vocabulary: masks, costs, and the fewest tokens to the end.

    >>> from lattice_simp.ops.gappy_acceptor import gappy_acceptor
    >>> tokens = [None, b"a", b" cat", b"cat", b" s", b"at"]
    >>> constraint = TokenConstraint.of(gappy_acceptor([("cat", 0.5)]), tokens, end=0, spacing="text")
    >>> constraint.allowed([2]).tolist()    # after " cat" the text may end
    [True, True, True, True, True, True]
    >>> constraint.allowed([2, 4, 3]).tolist(), bool(constraint.allowed([1, 3])[0])    # " cat s" "cat"; "a" "cat"
    ([True, True, True, True, True, True], False)
    >>> constraint.fewest_tokens, constraint.cost([1, 2]), constraint.cost([1, 3])    # " cat" and the end
    (2, 0.5, inf)

    Attributes:
        texts: the acceptor's states, which grow.
        trie: the prefix tree of the vocabulary.
        tokens: the bytes of each token.
        ends: the numbers of the tokens that end a text.
    """

    texts: TextStates
    trie: TokenTrie
    tokens: Tokens
    ends: tuple[int, ...]
    _rows: dict[int, Ints] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        acceptor: Lattice | HasLattice,
        tokens: Tokens,
        end: int | Iterable[int],
        *,
        spacing: Spacing = "text",
        leading_blank: bool = True,
        deletion: float | None = None,
    ) -> TokenConstraint:
        """Makes a constraint from a lattice or a gappy acceptor.

        Args:
            acceptor: the lattice; arcs labelled `<sigma>`, such as those of a gappy acceptor, are gaps.
            tokens: the bytes of each token by number, or None if it has no text; see `token_bytes`.
            end: the token that ends a text, or several such tokens.
            spacing: see `text_automaton`.
            leading_blank: whether a text may begin with a blank, as the first token of a word often does.
            deletion: the cost in nats of each word that is missing, 0 or more; None forbids missing words.

        Raises:
            LatticeSimpError: as `text_automaton`, an end is not a token, a cycle has a negative cost, or the cost of a
                deletion is negative or not finite.
        """
        if isinstance(tokens, (str, bytes)):
            raise LatticeSimpError("tokens are a list of bytes, not a text; see token_bytes")
        ends = (end,) if isinstance(end, int) else tuple(end)
        for number in ends:
            if not 0 <= number < len(tokens):
                raise LatticeSimpError(
                    f"the end {number} is not a token; tokens have numbers from 0 to {len(tokens) - 1}"
                )
        graph = spell_text(acceptor, spacing, leading_blank=leading_blank)
        if deletion is not None:
            if finite_real(deletion, "the cost of a deletion") < 0:
                raise LatticeSimpError(f"the cost of a deletion is {deletion}; give a number from 0 up")
            graph = graph.with_missing_words(deletion)
        states = TextStates(graph)
        texts = [None if number in ends else token for number, token in enumerate(tokens)]
        return cls(states, TokenTrie.of(texts), texts, ends)

    @property
    def size(self) -> int:
        """The number of tokens of the vocabulary."""
        return self.trie.size

    def advance(self, state: int, token: int) -> int:
        """Returns the state after a token, or -1 if the token is not allowed; the first state is 0."""
        if state >= 0 and token in self.ends:
            return ENDED if np.isfinite(self.end_cost(state)) else DEAD
        data = self.tokens[token] if 0 <= token < len(self.tokens) else None
        return self.texts.follow(state, data) if data and state >= 0 else DEAD

    def targets(self, state: int) -> Ints:
        """Returns the state that each token leads to, (vocabulary,) int32, or -1; -1 for the ends, too."""
        row = self._rows.pop(state, None)
        if row is None:
            row = read_only(self.texts.targets(state, self.trie))
            if len(self._rows) * len(row) > _CACHED:
                self._rows.pop(next(iter(self._rows)), None)
        self._rows[state] = row  # the last one is the one used last
        return row

    def mask(self, state: int) -> Bools:
        """Marks the tokens that are allowed in a state, (vocabulary,) bool; after the end, only the ends are."""
        allowed = self.targets(state) != DEAD if state >= 0 else np.zeros(self.trie.size, dtype=np.bool_)
        if state == ENDED or (state >= 0 and np.isfinite(self.end_cost(state))):
            allowed[list(self.ends)] = True
        return allowed

    def state(self, prefix: Iterable[int]) -> int:
        """Returns the state after a prefix; tokens after the end do not change it."""
        if isinstance(prefix, (str, bytes)):
            raise LatticeSimpError(f"a prefix is a list of token numbers, not the text {prefix!r}")
        state = 0
        for token in prefix:
            state = state if state == ENDED else self.advance(state, int(token))
        return state

    def allowed(self, prefix: Iterable[int]) -> Bools:
        """Marks the tokens that may follow a prefix, (vocabulary,) bool."""
        return self.mask(self.state(prefix))

    def cost(self, tokens: Iterable[int]) -> float:
        """Returns the cost of a whole text, in nats, without the token that ends it; infinite if it is rejected."""
        state = self.state(tokens)
        return self.end_cost(state) if state >= 0 else np.inf

    def end_cost(self, state: int) -> float:
        """Returns the cost of the text that ends in a state, in nats; infinite if it may not end there."""
        text_state, within_character = divmod(state, self.texts.width)
        return np.inf if within_character else float(self.texts.finals[text_state])

    def least_costs(self, states: Ints) -> Floats:
        """Returns the least costs of the accepted texts that go on from states, in nats."""
        return self.texts.least[states // self.texts.width]

    @cached_property
    def _distances(self) -> Distances:
        return Distances(self.texts, self.trie)

    @property
    def distances(self) -> Ints:
        """The fewest tokens that end a text from each state reached so far, (states,) int32; the end counts as one."""
        return self._distances.of_places

    @property
    def banks(self) -> Ints:
        """The same for texts without missing words: by these, a search divides its beam."""
        return self._distances.banks

    @property
    def fewest_tokens(self) -> int:
        """The fewest tokens of a text, with the end; 2**30 if no tokens spell one."""
        return int(self.distances[0])


class ConstraintProcessor:
    """A logits processor for `generate` of Hugging Face's transformers: forbidden tokens get minus infinity.

    Pass it in a list: `generate(..., logits_processor=[processor])`. It imports neither transformers nor torch. Make a
    new processor for each call of `generate`.

    Attributes:
        constraint: the masks.
        prompt_length: the number of tokens at the start of each row that do not belong to the text (1 for
            encoder-decoders); None takes the length of the rows in the first call.
    """

    def __init__(self, constraint: TokenConstraint, prompt_length: int | None = None) -> None:
        self.constraint, self.prompt_length = constraint, prompt_length
        self._states: dict[tuple[int, ...], int] = {(): 0}

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Returns the scores of the next tokens, (rows, vocabulary), for the rows of tokens so far.

        Raises:
            LatticeSimpError: there are fewer scores than tokens in the vocabulary, or the acceptor rejects a row.
        """
        rows = [tuple(row) for row in input_ids.tolist()]
        if self.prompt_length is None:
            self.prompt_length = len(rows[0]) if rows else 0
        size, width = self.constraint.trie.size, scores.shape[-1]
        if width < size:
            raise LatticeSimpError(f"{width} scores for a vocabulary of {size} tokens; pass the tokens of this model")
        bias = np.full((len(rows), width), -np.inf, dtype=np.float32)
        for row, row_bias in zip(rows, bias, strict=True):
            row_bias[:size][self.constraint.mask(self._state(row[self.prompt_length :]))] = 0.0
        return scores + scores.new_tensor(bias)

    def _state(self, prefix: tuple[int, ...]) -> int:
        """Returns the state after a row, starting from the cached state of the row without its last token."""
        if prefix not in self._states:
            before = self._states.get(prefix[:-1])
            if before is None:
                state = self.constraint.state(prefix)
            else:
                state = before if before == ENDED else self.constraint.advance(before, prefix[-1])
            self._states[prefix] = state
        return self._states[prefix]
