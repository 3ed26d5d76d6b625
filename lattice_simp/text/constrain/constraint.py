"""Constraints on the tokens of a generator, so that an acceptor accepts its text.

The acceptor of texts and the prefix tree of the vocabulary are composed lazily: when a state is first reached, one walk
through the tree finds where each token leads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arguments import finite_real, one_or_more, whole
from lattice_simp.core.columns import whole_numbers
from lattice_simp.core.kernel import Bools, Floats, Ints, read_only
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.generators.automaton import HasLattice, Spacing, spell_text
from lattice_simp.support.plurals import counted
from lattice_simp.text.constrain.masks import Masks, apply_mask, unpacked
from lattice_simp.text.constrain.states import Distances, TextStates
from lattice_simp.text.constrain.utf8 import DEAD
from lattice_simp.text.constrain.vocabulary import Tokens, TokenTrie, TokenVocabulary, token_numbers

ENDED = -2
"""The state after the end of a text."""

_CACHED = 2**28
"""The bytes of the targets of tokens that are cached, and of the masks."""


class _Recent(dict[int, npt.NDArray[Any]]):
    """A cache of read-only arrays by state, made on first use; it keeps the `_CACHED` bytes used most recently."""

    def __init__(self, make: Callable[[int], npt.NDArray[Any]]) -> None:
        self._make = make

    def __getitem__(self, state: int) -> npt.NDArray[Any]:
        array = self.pop(state, None)
        if array is None:
            array = read_only(self._make(state))
            if len(self) * array.nbytes > _CACHED:
                self.pop(next(iter(self)), None)
        self[state] = array
        return array


@dataclass(frozen=True, eq=False)
class TokenConstraint:
    """Restricts a generator to the texts that an acceptor accepts: masks of allowed tokens, and costs of texts.

    >>> from lattice_simp.ops.gappy_acceptor import gappy_acceptor
    >>> tokens = [None, b"a", b" cat", b"cat", b" s", b"at"]
    >>> constraint = TokenConstraint.of(gappy_acceptor([("cat", 0.5)]), tokens, end=0, spacing="text")
    >>> constraint
    TokenConstraint(vocabulary=TokenVocabulary(6 tokens), ends=(0,))
    >>> constraint.allowed([2]).tolist()    # after " cat" the text may end
    [True, True, True, True, True, True]
    >>> constraint.allowed([2, 4, 3]).tolist(), bool(constraint.allowed([1, 3])[0])    # " cat s" "cat"; "a" "cat"
    ([True, True, True, True, True, True], False)
    >>> constraint.fewest_tokens, constraint.cost([1, 2]), constraint.cost([1, 3])    # " cat" and the end
    (2, 0.5, inf)

    Attributes:
        texts: the acceptor's states, which grow.
        vocabulary: the tokens.
        ends: the numbers of the tokens that end a text.
    """

    texts: TextStates = field(repr=False)
    vocabulary: TokenVocabulary
    ends: tuple[int, ...]

    @classmethod
    def of(
        cls,
        acceptor: Lattice | HasLattice,
        tokens: TokenVocabulary | Tokens,
        end: int | Iterable[int],
        *,
        spacing: Spacing = "text",
        leading_blank: bool = True,
        deletion: float | None = None,
    ) -> TokenConstraint:
        """Makes a constraint from a lattice or a gappy acceptor.

        Args:
            acceptor: the lattice; arcs labelled `<sigma>`, such as those of a gappy acceptor, are gaps.
            tokens: a vocabulary, which several constraints may share; or the bytes of each token by number, None if it
                has no text; see `token_bytes`.
            end: the token that ends a text, or several such tokens.
            spacing: see `text_automaton`.
            leading_blank: whether a text may begin with a blank, as the first token of a word often does.
            deletion: the cost in nats of each word that is missing, 0 or more; None forbids missing words.

        Raises:
            LatticeSimpError: as `text_automaton`, an end is not a token, a cycle has a negative cost, or the cost of a
                deletion is negative or not finite.
        """
        vocabulary = tokens if isinstance(tokens, TokenVocabulary) else TokenVocabulary.of(tokens)
        ends = one_or_more(end, "the end")
        for number in ends:
            if number >= vocabulary.size:
                raise LatticeSimpError(
                    f"the end {number} is not a token; tokens have numbers from 0 to {vocabulary.size - 1}"
                )
        graph = spell_text(acceptor, spacing, leading_blank=leading_blank)
        if deletion is not None:
            if finite_real(deletion, "the cost of a deletion") < 0:
                raise LatticeSimpError(f"the cost of a deletion is {deletion}; give a number from 0 up")
            graph = graph.with_missing_words(deletion)
        return cls(TextStates(graph), vocabulary, ends)

    @property
    def size(self) -> int:
        """The number of tokens of the vocabulary."""
        return self.vocabulary.size

    @cached_property
    def trie(self) -> TokenTrie:
        """The prefix tree of the tokens that do not end a text."""
        return self.vocabulary.trie.without(self.ends)

    def advance(self, state: int, token: int) -> int:
        """Returns the state after a token, or -1 if the token is not allowed; the first state is 0.

        >>> constraint = TokenConstraint.of(Lattice.from_strings("a cat"), [None, b"a", b" cat"], end=0)
        >>> state = constraint.advance(0, 1)
        >>> constraint.advance(state, 1), constraint.advance(state, 2) > 0
        (-1, True)
        """
        state, token = whole(state, "the state"), whole(token, "the token")
        if state >= 0 and token in self.ends:
            return ENDED if np.isfinite(self.end_cost(state)) else DEAD
        data = self.vocabulary.tokens[token] if 0 <= token < self.size else None
        return self.texts.follow(state, data) if data and state >= 0 else DEAD

    def targets(self, state: int) -> Ints:
        """Returns the state that each token leads to, (vocabulary,) int32, or -1; -1 for the ends, too.

        >>> constraint = TokenConstraint.of(Lattice.from_strings("a cat"), [None, b"a", b" cat"], end=0)
        >>> (constraint.targets(0) >= 0).tolist()
        [False, True, False]
        """
        return self._targets[int(whole_numbers([state], "states")[0])]

    @cached_property
    def _targets(self) -> _Recent:
        return _Recent(lambda state: self.texts.targets(state, self.trie))

    def mask(self, states: Sequence[int] | Ints) -> Masks:
        """Returns the tokens that are allowed in states as bits, (states, vocabulary / 32 rounded up) uint32.

        Token n of a row is bit n % 32, from the lowest, of number n // 32: the layout of xgrammar and llguidance. After
        the end, only the ends are allowed; in state -1, nothing is.

        >>> tokens = [None, b"a", b" cat"]
        >>> constraint = TokenConstraint.of(Lattice.from_strings([("a cat", 0.0)]), tokens, end=0)
        >>> constraint.mask([constraint.state([]), constraint.state([1]), constraint.state([1, 2])]).tolist()
        [[2], [4], [1]]
        """
        rows = [self._masks[state] for state in whole_numbers(states, "states").tolist()]
        return np.stack(rows) if rows else np.zeros((0, -(-self.size // 32)), dtype=np.uint32)

    @cached_property
    def _masks(self) -> _Recent:
        return _Recent(self._mask)

    def _mask(self, state: int) -> Masks:
        """Returns the bits of the tokens that are allowed in a state."""
        allowed = np.zeros(-(-self.size // 32) * 32, dtype=np.bool_)
        if state >= 0:
            allowed[: self.size] = self.texts.targets(state, self.trie) != DEAD
        if state == ENDED or (state >= 0 and np.isfinite(self.end_cost(state))):
            allowed[list(self.ends)] = True
        return np.packbits(allowed, bitorder="little").view("<u4").astype(np.uint32)

    def state(self, prefix: Iterable[int]) -> int:
        """Returns the state after a prefix; tokens after the end do not change it.

        >>> constraint = TokenConstraint.of(Lattice.from_strings("a cat"), [None, b"a", b" cat"], end=0)
        >>> constraint.state([1]) == constraint.advance(0, 1), constraint.state([2])
        (True, -1)
        """
        state = 0
        for token in token_numbers(prefix, "a prefix"):
            state = state if state == ENDED else self.advance(state, token)
        return state

    def allowed(self, prefix: Iterable[int]) -> Bools:
        """Marks the tokens that may follow a prefix, (vocabulary,) bool.

        >>> constraint = TokenConstraint.of(Lattice.from_strings("a cat"), [None, b"a", b" cat"], end=0)
        >>> constraint.allowed([]).tolist(), constraint.allowed([1]).tolist()
        ([False, True, False], [False, False, True])
        """
        return unpacked(self.mask([self.state(prefix)]))[0, : self.size]

    def cost(self, tokens: Iterable[int]) -> float:
        """Returns the cost of a whole text, in nats, without the token that ends it; infinite if it is rejected.

        >>> acceptor = Lattice.from_strings([("a cat", 1.5)])
        >>> constraint = TokenConstraint.of(acceptor, [None, b"a", b" cat"], end=0)
        >>> constraint.cost([1, 2]), constraint.cost([1])
        (1.5, inf)
        """
        state = self.state(tokens)
        return self.end_cost(state) if state >= 0 else np.inf

    def end_cost(self, state: int) -> float:
        """Returns the cost of the text that ends in a state, in nats; infinite if it may not end there.

        >>> acceptor = Lattice.from_strings([("a cat", 1.5)])
        >>> constraint = TokenConstraint.of(acceptor, [None, b"a", b" cat"], end=0)
        >>> constraint.end_cost(constraint.state([1, 2])), constraint.end_cost(constraint.state([1]))
        (1.5, inf)
        """
        text_state, within_character = divmod(whole(state, "the state"), self.texts.width)
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
        """The same distances for texts without missing words; a search divides its beam by them."""
        return self._distances.banks

    @property
    def fewest_tokens(self) -> int:
        """The fewest tokens of a text, with the end; 2**30 if no tokens spell one."""
        return int(self.distances[0])


class ConstraintProcessor:
    """A logits processor for `generate` of Hugging Face's transformers: forbidden tokens get minus infinity.

    Pass it in a list: `generate(..., logits_processor=[processor])`. It imports neither transformers nor torch. Make a
    new processor for each call of `generate`.

    >>> from lattice_simp.ops.gappy_acceptor import gappy_acceptor
    >>> class Scores(np.ndarray):  # instead of a tensor of torch
    ...     clone = np.ndarray.copy
    >>> tokens = [None, b"a", b" cat", b"cat", b" s", b"at"]
    >>> processor = ConstraintProcessor(TokenConstraint.of(gappy_acceptor([("cat", 0.0)]), tokens, end=0))
    >>> prompt = np.array([[1, 1]])
    >>> processor(prompt, np.zeros((1, 6)).view(Scores)).tolist()    # not the end before "cat"
    [[-inf, 0.0, 0.0, 0.0, 0.0, 0.0]]
    >>> processor(np.hstack((prompt, [[2]])), np.zeros((1, 6)).view(Scores)).tolist()
    [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]

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
        size, width = self.constraint.size, scores.shape[-1]
        if width < size:
            raise LatticeSimpError(
                f"{counted(width, 'score')} for a vocabulary of {counted(size, 'token')}; pass the tokens of this model"
            )
        states = [self._state(row[self.prompt_length :]) for row in rows]
        masked = scores.clone()
        apply_mask(masked, self.constraint.mask(states))
        return masked

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
