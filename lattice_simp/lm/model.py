"""Language models: ARPA files, read once and then mapped from a cache, and KenLM binaries."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lattice_simp.core.arguments import flag, instance
from lattice_simp.core.kernel import Floats, Ints
from lattice_simp.core.symbols import as_sentences, as_tokens
from lattice_simp.errors import FormatError
from lattice_simp.lm.arpa import parse_arpa
from lattice_simp.lm.automaton import END, LOG_10, START, UNKNOWN, NgramAutomaton, sentence_costs
from lattice_simp.lm.binary import BinaryModel, Successors, is_binary
from lattice_simp.lm.build import build, load, store
from lattice_simp.lm.restrict import restrict
from lattice_simp.support.textio import is_pipe, read_bytes, require_path

MAX_BYTES = 1 << 37
"""The size of an unpacked ARPA file beyond which it is taken for a mistake."""

UNKNOWN_COST = 100.0
"""The log10 cost of unknown words in a model without `<unk>`, as KenLM sets it."""


class WordScore(NamedTuple):
    """The score of one word in its context.

    Attributes:
        log_prob: natural log probability.
        ngram_length: the length of the matched n-gram, including the word.
        oov: whether the model does not know the word.
    """

    log_prob: float
    ngram_length: int
    oov: bool


@dataclass(frozen=True)
class State:
    """The history of a model: see `LanguageModel.state`."""

    model: LanguageModel
    context: Any  # an n-gram, or KenLM's own state

    def advance(self, word: str) -> tuple[WordScore, State]:
        """Returns the score of the next word (`</s>` at the end), and the state after it."""
        score, context = self.model._advance(self.context, word)
        return score, State(self.model, context)


class LanguageModel:
    """A backoff n-gram model of any order.

    >>> text = "\\\\data\\\\\\nngram 1=4\\n\\n\\\\1-grams:\\n-9 <unk>\\n0 <s> 0\\n-0.5 a\\n-0.25 </s>\\n\\\\end\\\\\\n"
    >>> model = LanguageModel.from_bytes(text.encode())
    >>> model.order, round(model.score(["a", "a"]), 4)     # 10 ** -(0.5 + 0.5 + 0.25), as a natural log
    (1, -2.8782)

    Unknown words get the probability of `<unk>`; `<s>` is the first context and is not scored; `</s>` is scored.
    """

    def __init__(
        self, words: list[str], ngrams: NgramAutomaton, name: str = "<memory>", binary: BinaryModel | None = None
    ) -> None:
        """Takes the vocabulary and the n-grams; a binary model, which cannot list them, has only some unigrams.

        Raises:
            FormatError: the vocabulary has no `<s>` or no `</s>`.
        """
        self.words = words
        self.ngrams = ngrams
        self.name = name
        self._binary = binary
        self._ids = {word: number for number, word in enumerate(words)}
        for mark in (START, END):
            if mark not in self._ids:
                upper = mark.upper()
                remedy = f"rename {upper} in the file" if upper in self._ids else "estimate it on whole sentences"
                raise FormatError(f"the model has no {mark}", path=name, remedy=remedy)
        self._unknown = self._ids[UNKNOWN]
        self._levels = ngrams.levels.tolist()

    @classmethod
    def read(cls, path: str | Path, *, cache: bool = True) -> LanguageModel:
        """Reads an ARPA file (gz, xz, zst or plain) or a KenLM binary.

        >>> text = "\\\\data\\\\\\nngram 1=3\\n\\n\\\\1-grams:\\n-9 <s>\\n-0.5 a\\n-0.25 </s>\\n\\n\\\\end\\\\\\n"
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "a.arpa"
        >>> _ = path.write_text(text)
        >>> LanguageModel.read(path, cache=False).order
        1

        With `cache`, the parsed arrays are stored in the user's cache folder under a name with a hash of the file's
        content, and mapped from there the next time. The environment variable `LATTICE_SIMP_CACHE` names another
        folder; `beside` means a folder `.lattice_simp` beside the file.

        Raises:
            FormatError: names the line that is not ARPA.
        """
        path = require_path(path)
        if is_pipe(path):  # it can be read only once
            return cls.from_bytes(read_bytes(path, limit=MAX_BYTES), str(path))
        if is_binary(path):
            binary = BinaryModel(path)
            words, sections = binary.ngrams([], {})
            return cls(words, build(words, sections, str(path)), str(path), binary)
        stored = load(path) if cache else None
        words, ngrams = stored or _parse(read_bytes(path, limit=MAX_BYTES), str(path))
        if cache and not stored:
            store(path, words, ngrams)
        return cls(words, ngrams, str(path))

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "<bytes>") -> LanguageModel:
        """Reads an ARPA file's content."""
        data = bytes(data) if isinstance(data, bytearray) else data
        instance(data, bytes, "the content of an ARPA file", "Path(path).read_bytes()")
        return cls(*_parse(data, name), name)

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return self.ngrams.order

    @property
    def needs_successors(self) -> bool:
        """Whether `restrict` is much faster when it gets the words that can follow each word."""
        return self._binary is not None

    def __contains__(self, word: object) -> bool:
        return word in (self._ids if self._binary is None else self._binary)

    def __repr__(self) -> str:
        size = "binary" if self._binary is not None else f"{self.ngrams.root} n-grams"
        return f"LanguageModel({self.name!r}, order {self.order}, {size})"

    def restrict(self, words: str | Sequence[str], successors: Successors | None = None) -> NgramAutomaton:
        """Returns the n-grams over some words; `vocabulary[i]` of the result stands for `words[i]`.

        >>> text = "\\\\data\\\\\\nngram 1=3\\n\\n\\\\1-grams:\\n-9 <s>\\n-0.5 a\\n-0.25 </s>\\n\\n\\\\end\\\\\\n"
        >>> ngrams = LanguageModel.from_bytes(text.encode()).restrict(["a"])
        >>> ngrams.cost[ngrams.vocabulary].round(4).tolist()   # 0.5 * ln 10
        [1.1513]

        Args:
            words: tokens, or a sentence of them.
            successors: the words that can follow each word (`<s>` as well); n-grams of other neighbours may be left
                out. None allows all.
        """
        words = as_tokens(words)
        if self._binary is not None:
            listed_words, sections = self._binary.ngrams(words, successors)
            return LanguageModel(listed_words, build(listed_words, sections, self.name), self.name).restrict(words)
        return restrict(self.ngrams, self.word_ids(words))

    def word_ids(self, words: str | Sequence[str]) -> Ints:
        """Returns (words,) int32, the unigrams of words; those that the model does not know are `<unk>`."""
        return self._word_ids(as_tokens(words))

    def _word_ids(self, words: Iterable[str]) -> Ints:
        return np.fromiter(map(self._ids.get, words, repeat(self._unknown)), dtype=np.int32)

    def score(self, words: str | Sequence[str], bos: bool = True, eos: bool = True) -> float:
        """Returns the natural log probability of a sentence; the arguments are those of `full_scores`.

        >>> text = "\\\\data\\\\\\nngram 1=3\\n\\n\\\\1-grams:\\n-9 <s>\\n-0.5 a\\n-0.25 </s>\\n\\n\\\\end\\\\\\n"
        >>> round(LanguageModel.from_bytes(text.encode()).score("a a", eos=False), 4)   # -(0.5 + 0.5) * ln 10
        -2.3026
        """
        return sum((score.log_prob for score in self.full_scores(words, bos, eos)), 0.0)

    def scores(self, sentences: Sequence[str | Sequence[str]], bos: bool = True, eos: bool = True) -> Floats:
        """Returns (sentences,) float64, the natural log probability of each: far faster than `score` for many.

        >>> text = "\\\\data\\\\\\nngram 1=3\\n\\n\\\\1-grams:\\n-9 <s>\\n-0.5 a\\n-0.25 </s>\\n\\n\\\\end\\\\\\n"
        >>> LanguageModel.from_bytes(text.encode()).scores(["a a", []]).round(4).tolist()
        [-2.8782, -0.5756]

        Args:
            sentences: each a string, split at its blanks, or tokens.
            bos, eos: see `full_scores`.
        """
        tokens, bos, eos = list(map(as_tokens, as_sentences(sentences))), flag(bos, "bos"), flag(eos, "eos")
        if self._binary is not None:
            return np.array([self._binary.score(words, bos, eos) for words in tokens], dtype=np.float64)
        offsets = np.fromiter(accumulate(map(len, tokens), initial=0), dtype=np.int64)
        words = self._word_ids(chain.from_iterable(tokens))
        first = self.ngrams.start if bos and self.order > 1 else self.ngrams.root
        return 0.0 - sentence_costs(self.ngrams, words, offsets, first, self.ngrams.end if eos else -1)

    def full_scores(self, words: str | Sequence[str], bos: bool = True, eos: bool = True) -> list[WordScore]:
        """Returns the score of each word of a sentence and, last, of `</s>`.

        >>> text = "\\\\data\\\\\\nngram 1=3\\n\\n\\\\1-grams:\\n-9 <s>\\n-0.5 a\\n-0.25 </s>\\n\\n\\\\end\\\\\\n"
        >>> [score.oov for score in LanguageModel.from_bytes(text.encode()).full_scores("a cat")]
        [False, True, False]

        Args:
            words: a string, split at its blanks, or tokens; without `<s>` and `</s>`.
            bos: whether the words begin a sentence, after `<s>`; otherwise the words before are unknown.
            eos: whether `</s>` is scored, too.
        """
        state, scores, eos = self.state(bos), [], flag(eos, "eos")
        for word in [*as_tokens(words), *([END] if eos else [])]:
            score, state = state.advance(word)
            scores.append(score)
        return scores

    def state(self, bos: bool = True) -> State:
        """Returns the state after `<s>`, or the empty state without `bos`, to score word by word.

        >>> text = "\\\\data\\\\\\nngram 1=3\\n\\n\\\\1-grams:\\n-9 <s>\\n-0.5 a\\n-0.25 </s>\\n\\n\\\\end\\\\\\n"
        >>> score, state = LanguageModel.from_bytes(text.encode()).state().advance("a")
        >>> round(score.log_prob, 4), score.ngram_length, score.oov
        (-1.1513, 1, False)
        """
        bos = flag(bos, "bos")
        if self._binary is not None:
            return State(self, self._binary.start(bos))
        return State(self, self.ngrams.start if bos and self.order > 1 else self.ngrams.root)

    def _advance(self, context: Any, word: str) -> tuple[WordScore, Any]:
        if self._binary is not None:
            full, after = self._binary.advance(context, word)
            return WordScore(LOG_10 * full.log_prob, full.ngram_length, full.oov), after
        matched, penalty = self._follow(context, word_id := self._ids.get(word, self._unknown))
        cost, length = penalty + float(self.ngrams.cost[matched]), bisect_right(self._levels, matched)
        score = WordScore(-cost * self.ngrams.unit, length, word_id == self._unknown)
        return score, matched if length < self.order else int(self.ngrams.suffix[matched])

    def _follow(self, context: int, word: int) -> tuple[int, float]:
        """Follows one word as `automaton.follow` does, in Python: 4 microseconds instead of 99 for calling a kernel."""
        ngrams, penalty = self.ngrams, 0.0
        while context != ngrams.root:
            begin, end = ngrams.children[context : context + 2].tolist()
            child = begin + int(np.searchsorted(ngrams.word[begin:end], word))
            if child < end and ngrams.word[child] == word:
                return child, penalty
            penalty += float(ngrams.backoff[context])
            context = int(ngrams.suffix[context])
        return word, penalty


def _parse(data: bytes, name: str) -> tuple[list[str], NgramAutomaton]:
    words, sections = parse_arpa(data, name)
    if UNKNOWN not in words and UNKNOWN.upper() in words:  # CMU's name, which KenLM reads as well
        words[words.index(UNKNOWN.upper())] = UNKNOWN
    if UNKNOWN not in words:
        unigrams = sections[0]
        words.append(UNKNOWN)
        sections[0] = type(unigrams)(
            np.append(unigrams.words, [[len(words) - 1]], axis=0).astype(np.int32),
            np.append(unigrams.probs, -UNKNOWN_COST),
            np.append(unigrams.backoffs, 0.0),
        )
    longest = sections[-1]  # no n-gram extends these, so backoff weights that some tools write never count
    sections[-1] = replace(longest, backoffs=np.zeros(len(longest.backoffs)))
    if END in words:  # no word follows a sentence's end, so weights that some tools write there never count
        end = words.index(END)
        sections = [replace(part, backoffs=np.where(part.words[:, -1] == end, 0.0, part.backoffs)) for part in sections]
    return words, build(words, sections, name)
