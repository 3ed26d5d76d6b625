"""KenLM binary models: their n-grams cannot be listed, so they are queried for those that a lattice may need.

For a history and a word, the `kenlm` module returns the score and the length of the matched n-gram. It is queried for
all pairs of words that can be neighbours, then for all words that can follow an n-gram just found and that extend its
suffix in the model, and so on. That yields all n-grams of the model on the paths of the lattice; from there on,
everything works as with an ARPA file: with the same numbers, more slowly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

import kenlm
import numpy as np

from lattice_simp.errors import FormatError, one_line
from lattice_simp.lm.arpa import NgramSection
from lattice_simp.lm.automaton import END, LOG_10, START, UNKNOWN
from lattice_simp.support.guarded import check_in_child

MAGIC = b"mmap lm http://kheafield.com/code format version"

Successors = Mapping[str, Iterable[str]]
"""Which words can follow a word."""


def is_binary(path: str | Path) -> bool:
    """Recognises a KenLM binary file by its first bytes."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def open_kenlm(path: str | Path) -> kenlm.Model:
    """Opens a KenLM binary, or an ARPA file. A child process reads each binary first, as KenLM crashes on damaged ones.

    Raises:
        FormatError: KenLM cannot read it, crashes on it, or does not finish.
    """
    remedy = "make the binary again"
    if is_binary(path):
        check_in_child(path, Path(__file__).with_name("kenlm_check.py"), library="KenLM", remedy=remedy)
    try:
        return kenlm.Model(str(path))
    except (OSError, RuntimeError) as error:
        raise FormatError(f"KenLM cannot load it: {one_line(error)}", path=path, remedy=remedy) from None


class BinaryModel:
    """A KenLM binary model."""

    def __init__(self, path: str | Path) -> None:
        self._model = open_kenlm(path)

    @property
    def order(self) -> int:
        return int(self._model.order)

    def __contains__(self, word: object) -> bool:
        return word in self._model

    def start(self, bos: bool = True) -> kenlm.State:
        """Returns the state after `<s>`, or the empty state."""
        state = kenlm.State()
        if bos:
            self._model.BeginSentenceWrite(state)
        else:
            self._model.NullContextWrite(state)
        return state

    def advance(self, state: kenlm.State, word: str) -> tuple[kenlm.FullScoreReturn, kenlm.State]:
        """Returns KenLM's score of the next word (log10), and the state after it."""
        after = kenlm.State()
        return self._model.BaseFullScore(state, word, after), after

    def score(self, words: Sequence[str], bos: bool, eos: bool) -> float:
        """Returns the natural log probability of a sentence, with or without its marks."""
        state, after, total = self.start(bos), kenlm.State(), 0.0
        for word in [*words, END] if eos else words:
            total += self._model.BaseScore(state, word, after)
            state, after = after, state
        return LOG_10 * total

    def ngrams(self, words: Iterable[str], successors: Successors | None) -> tuple[list[str], list[NgramSection]]:
        """Lists the model's n-grams over `words` whose neighbours may follow each other.

        Without `successors`, any word may follow any other.
        """
        shared_words = sorted({word for word in words if word in self._model} - {START, END, UNKNOWN})
        vocabulary = [START, END, UNKNOWN, *shared_words]
        ids = {word: number for number, word in enumerate(vocabulary)}
        following: dict[str, list[str]] = {}
        names = {UNKNOWN: [word for word in successors or () if word not in ids]}  # the model has <unk> for all
        for word in [START, UNKNOWN, *shared_words]:
            listed = shared_words if successors is None else _followers([word, *names.get(word, ())], successors)
            following[word] = sorted({END, UNKNOWN, *(w for w in listed if w in ids)} - {START})
        grams: dict[tuple[str, ...], list[float]] = {(word,): [self._unigram(word), 0.0] for word in vocabulary}
        states: dict[tuple[str, ...], kenlm.State] = {}
        empty = kenlm.State()
        self._model.NullContextWrite(empty)
        states[()] = empty
        levels: list[dict[tuple[str, ...], list[float]]] = [grams]
        contexts: list[tuple[str, ...]] = [(word,) for word in vocabulary if word != END]
        extending: dict[tuple[str, ...], dict[str, None]] = {}
        for length in range(1, self.order):
            longer: dict[tuple[str, ...], list[float]] = {}
            for context in contexts:
                words_after: Iterable[str] = following[context[-1]]
                if length > 1:  # KenLM finds an n-gram only if it finds its suffix
                    after_shorter = extending[context[1:]]
                    beyond = (word for word in words_after if word not in after_shorter)
                    words_after = [*after_shorter, *islice(beyond, 1)]  # one backs off, to find the weight
                extending[context] = self._extend(context, words_after, states, levels[length - 1], longer)
            levels.append(longer)
            contexts = [gram for gram in longer if gram[-1] != END]
        return vocabulary, [_section(level, ids, order) for order, level in enumerate(levels, start=1)]

    def _unigram(self, word: str) -> float:
        state, after = kenlm.State(), kenlm.State()
        self._model.NullContextWrite(state)
        return float(self._model.BaseScore(state, word, after)) if word != START else -99.0

    def _extend(
        self,
        context: tuple[str, ...],
        words: Iterable[str],
        states: dict[tuple[str, ...], kenlm.State],
        level: dict[tuple[str, ...], list[float]],
        longer: dict[tuple[str, ...], list[float]],
    ) -> dict[str, None]:
        """Adds the n-grams that extend a context, and its backoff weight; returns the last words of the n-grams."""
        state = self._state(context, states)
        shorter = self._state(context[1:], states)
        after = kenlm.State()
        backoff = None
        extending: dict[str, None] = {}
        for word in words:
            full = self._model.BaseFullScore(state, word, after)
            if full.ngram_length > len(context):
                longer[(*context, word)] = [full.log_prob, 0.0]
                extending[word] = None
            elif backoff is None:
                # Both histories back off to the same n-gram; the difference is the backoff weight of the context.
                backoff = full.log_prob - self._model.BaseScore(shorter, word, after)
        level[context][1] = backoff or 0.0
        return extending

    def _state(self, context: tuple[str, ...], states: dict[tuple[str, ...], kenlm.State]) -> kenlm.State:
        state = states.get(context)
        if state is None:
            state = kenlm.State()
            if context == (START,):
                self._model.BeginSentenceWrite(state)
            else:
                self._model.BaseScore(self._state(context[:-1], states), context[-1], state)
            states[context] = state
        return state


def _followers(words: Iterable[str], successors: Successors) -> set[str]:
    """Returns the words that can follow any of `words`."""
    return {after for word in words for after in successors.get(word, ())}


def _section(level: Mapping[tuple[str, ...], list[float]], ids: Mapping[str, int], order: int) -> NgramSection:
    rows = [[ids[word] for word in gram] for gram in level]
    values = np.array(list(level.values()), dtype=np.float64).reshape(-1, 2)
    return NgramSection(np.array(rows, dtype=np.int32).reshape(-1, order), values[:, 0], values[:, 1])
