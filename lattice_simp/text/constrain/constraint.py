"""Masks of the tokens that a generator may write next, so that an acceptor accepts its text.

The acceptor of bytes and the prefix tree of the vocabulary are composed lazily: when a state is first reached, one walk
through the tree collects the tokens that may follow, and the mask is cached.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lattice_simp.core.kernel import Bools, Ints, jit, read_only
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.text_automaton import HasLattice, Spacing, text_automaton
from lattice_simp.text.constrain.byte_automaton import DEAD, ByteAutomaton, byte_automaton
from lattice_simp.text.constrain.vocabulary import Tokens, TokenTrie

ENDED = -2
"""The state after the end of a text."""


@dataclass(frozen=True, eq=False)
class TokenConstraint:
    """Masks over a vocabulary; the costs of the acceptor are ignored.

    >>> from lattice_simp.ops.gappy_acceptor import gappy_acceptor
    >>> tokens = [None, b"a", b" cat", b"cat", b" s", b"at"]
    >>> constraint = TokenConstraint.of(gappy_acceptor([("cat", 0.0)]), tokens, end=0, spacing="text")
    >>> constraint.allowed([2]).tolist()    # after " cat" the text may end
    [True, True, True, True, True, True]
    >>> constraint.allowed([2, 4, 3]).tolist(), bool(constraint.allowed([1, 3])[0])    # " cat s" "cat"; "a" "cat"
    ([True, True, True, True, True, True], False)

    Attributes:
        automaton: the acceptor of the texts' bytes.
        trie: the prefix tree of the vocabulary.
        tokens: the bytes of each token.
        ends: the numbers of the tokens that end a text.
    """

    automaton: ByteAutomaton
    trie: TokenTrie
    tokens: Tokens
    ends: tuple[int, ...]
    _masks: dict[int, Bools] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        acceptor: Lattice | HasLattice,
        tokens: Tokens,
        end: int | Iterable[int],
        *,
        spacing: Spacing = "text",
        leading_blank: bool = True,
    ) -> TokenConstraint:
        """Makes a constraint from a lattice or a gappy acceptor.

        Args:
            acceptor: the lattice; arcs labelled `<sigma>`, such as those of a gappy acceptor, are gaps.
            tokens: the bytes of each token by number, or None if it has no text; see `token_bytes`.
            end: the token that ends a text, or several such tokens.
            spacing: see `text_automaton`.
            leading_blank: whether a text may begin with a blank, as the first token of a word often does.

        Raises:
            LatticeSimpError: as `text_automaton`, or an end is not a token.
        """
        if isinstance(tokens, (str, bytes)):
            raise LatticeSimpError("tokens are a list of bytes, not a text; see token_bytes")
        ends = (end,) if isinstance(end, int) else tuple(end)
        for number in ends:
            if not 0 <= number < len(tokens):
                raise LatticeSimpError(
                    f"the end {number} is not a token; tokens have numbers from 0 to {len(tokens) - 1}"
                )
        automaton = byte_automaton(text_automaton(acceptor, spacing, leading_blank=leading_blank))
        texts = [None if number in ends else token for number, token in enumerate(tokens)]
        return cls(automaton, TokenTrie.of(texts), texts, ends)

    def advance(self, state: int, token: int) -> int:
        """Returns the state after a token, or -1 if the token is not allowed; the first state is 0."""
        if state >= 0 and token in self.ends:
            return ENDED if self.automaton.finals[state] else DEAD
        data = self.tokens[token] if 0 <= token < len(self.tokens) else None
        return self.automaton.walk(data, state) if data and state >= 0 else DEAD

    def mask(self, state: int) -> Bools:
        """Marks the tokens that are allowed in a state, (vocabulary,) bool; after the end, only the ends are."""
        if state not in self._masks:
            allowed = np.zeros(self.trie.size, dtype=np.bool_)
            if state >= 0:
                _allow(self.automaton.table, state, *self.trie.columns, allowed)
            if state == ENDED or (state >= 0 and self.automaton.finals[state]):
                allowed[list(self.ends)] = True
            self._masks[state] = read_only(allowed)
        return self._masks[state]

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


@jit
def _allow(
    table: Ints, state: int, letters: Ints, depths: Ints, ends: Ints, offsets: Ints, tokens: Ints, allowed: Bools
) -> None:
    """Marks the tokens whose bytes the automaton accepts from a state, by one walk through the tree of tokens."""
    states = np.empty(depths.max() + 1, dtype=np.int32)
    states[0] = state
    node = 1
    while node < len(letters):
        depth = depths[node]
        following = table[states[depth - 1], letters[node]]
        if following == DEAD:
            node = ends[node]
            continue
        states[depth] = following
        for place in range(offsets[node], offsets[node + 1]):
            allowed[tokens[place]] = True
        node += 1


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
