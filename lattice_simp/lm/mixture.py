"""Linear mixtures of language models: weights by expectation maximisation, and the mixture as one backoff model.

Schwenk and Koehn, "Large and Diverse Language Models for Statistical Machine Translation", IJCNLP 2008, take the
weights that give a development text the least perplexity. The mixture is a backoff model again, as with SRILM's
`ngram -mix-lm`: every n-gram that any model holds gets the mixture of their probabilities, and the remaining
probability of each context is distributed by the shorter context.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from lattice_simp.core.kernel import Floats, Ints
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.lm.arpa import LOG_ZERO, NgramSection
from lattice_simp.lm.automaton import END, LOG_10, START, UNKNOWN
from lattice_simp.lm.combined import Part, unite
from lattice_simp.lm.model import LanguageModel
from lattice_simp.support.textio import open_text

LEAST_GAIN = 1e-6
"""The relative gain in perplexity below which the search for weights ends."""

MAX_ROUNDS = 1000

_ROUNDING = 1e-7
"""The least remaining probability: files hold about seven digits, so anything below is a rounding error."""


@dataclass(frozen=True)
class MixtureWeights:
    """The weights of a mixture, and the text's perplexity in each round, from equal weights to these."""

    weights: Floats
    perplexities: tuple[float, ...]

    @property
    def perplexity(self) -> float:
        """The text's perplexity with these weights."""
        return self.perplexities[-1]


def mixture_weights(models: Sequence[LanguageModel], sentences: Iterable[str | Sequence[str]]) -> MixtureWeights:
    """Returns the weights, which sum to 1, of the mixture with the least perplexity on a text.

    >>> text = "\\\\data\\\\\\nngram 1=4\\n\\n\\\\1-grams:\\n-9 <s>\\n{} a\\n{} b\\n-0.3 </s>\\n\\n\\\\end\\\\\\n"
    >>> models = [LanguageModel.from_bytes(text.format(*logs).encode()) for logs in ((-0.4, -1), (-1, -0.4))]
    >>> mixture_weights(models, ["a a a b"]).weights.round(2).tolist()
    [0.92, 0.08]

    Args:
        models: of any kind and order.
        sentences: the text; each sentence a string, split at its blanks, or tokens. Empty ones are ignored.

    Raises:
        LatticeSimpError: no models, or no sentence.
    """
    tokens = [words for words in map(as_tokens, sentences) if words]
    if not models or not tokens:
        raise LatticeSimpError("a mixture needs models, and a text with words to optimise their weights for")
    probabilities = word_probabilities(models, tokens)
    weights = np.full(len(models), 1 / len(models))
    perplexities: list[float] = []
    while True:
        shares = weights * probabilities
        totals = shares.sum(axis=1)
        perplexities.append(float(np.exp(-np.log(totals).mean())))
        last = perplexities[-2] if len(perplexities) > 1 else np.inf
        if last - perplexities[-1] <= LEAST_GAIN * perplexities[-1] or len(perplexities) == MAX_ROUNDS:
            return MixtureWeights(weights, tuple(perplexities))
        weights = (shares / totals[:, None]).mean(axis=0)


def word_probabilities(models: Sequence[LanguageModel], sentences: Sequence[Sequence[str]]) -> Floats:
    """Returns (words and ends of sentences, models) the probability of each word after those before it.

    The probability of a word that a model does not know is 0, or that of `<unk>` if no model knows the word.
    """
    columns, unknown = [], []
    for model in models:
        scores = [score for words in sentences for score in model.full_scores(words)]
        columns.append(np.exp([score.log_prob for score in scores]))
        unknown.append([score.oov for score in scores])
    probabilities, out = np.stack(columns, axis=1), np.array(unknown).T
    return np.where(out & ~out.all(axis=1, keepdims=True), 0.0, probabilities)


def mixed(models: Sequence[LanguageModel], weights: Sequence[float] | Floats) -> tuple[list[str], list[NgramSection]]:
    """Returns a linear mixture of models as one backoff model: its words, and its n-grams by order.

    Each n-gram that any model holds has its probability in the mixture, and the probabilities of all words after a
    context sum to 1 if those of the models do. In a model that does not know a word, the word has probability 0, and a
    context that begins with it is the same as the shorter one.

    Args:
        models: models of ARPA files.
        weights: the weights of the models, not negative; they should sum to 1. Models of weight 0 are left out.

    Raises:
        LatticeSimpError: no weight is positive, or a model is a KenLM binary, whose n-grams cannot be listed.
    """
    used = [(model, float(weight)) for model, weight in zip(models, weights, strict=True) if weight > 0]
    if not used:
        raise LatticeSimpError("a mixture needs a model with a positive weight")
    for model, _ in used:
        if model.needs_successors:
            raise LatticeSimpError(f"{model.name}: is a KenLM binary, which cannot be mixed; give the ARPA file")
    words = list(dict.fromkeys([UNKNOWN, START, END, *chain.from_iterable(model.words for model, _ in used)]))
    parts = []
    for model, _ in used:
        numbers = {word: number for number, word in enumerate(model.words)}
        names: Ints = np.array([numbers.get(word, -1) for word in words], dtype=np.int32)
        parts.append(Part(model.ngrams, names, [names]))
    union = unite(parts, len(words), max(model.order for model, _ in used))
    share = np.array([weight for _, weight in used])[:, None]
    costs = np.stack([part.costs(union) for part in parts])
    probs = (share * np.exp(-LOG_10 * costs)).sum(axis=0)
    backoffs = _backoffs(probs, union.parent, union.suffix)
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log10(probs), LOG_ZERO)
    rows: list[Ints] = [np.arange(len(words), dtype=np.int32)[:, None]]
    for above, (begin, end) in zip(union.levels, pairwise(union.levels[1:]), strict=False):
        rows.append(np.column_stack((rows[-1][union.parent[begin:end] - above], union.word[begin:end])))
    sections = [
        NgramSection(grams, logs[begin:end], backoffs[begin:end])
        for grams, (begin, end) in zip(rows, pairwise(union.levels), strict=True)
    ]
    return words, sections


def _backoffs(probs: Floats, parent: Ints, suffix: Ints) -> Floats:
    """Returns (nodes,) log10 backoff weights, which distribute a context's remaining probability by the shorter one."""
    longer = np.flatnonzero(parent < len(parent) - 1)
    listed, shorter = (
        np.bincount(parent[longer], weights=values[longer], minlength=len(parent)) for values in (probs, probs[suffix])
    )
    left, left_shorter = (np.maximum(1.0 - sums, _ROUNDING) for sums in (listed, shorter))
    return np.log10(left / left_shorter) + 0.0


def write_arpa(path: str | Path, words: Sequence[str], sections: Sequence[NgramSection]) -> None:
    """Writes a model as an ARPA file, compressed by the name's ending.

    Args:
        path: the file to write.
        words: the words by number.
        sections: the n-grams by order, as `parse_arpa` returns them.
    """
    with open_text(path, "w") as file:
        file.write("\\data\\\n")
        file.writelines(f"ngram {order}={len(section.probs)}\n" for order, section in enumerate(sections, start=1))
        for order, section in enumerate(sections, start=1):
            file.write(f"\n\\{order}-grams:\n")
            ending = order < len(sections)
            for row, prob, backoff in zip(section.words.tolist(), section.probs, section.backoffs, strict=True):
                end = f"\t{backoff:.7g}" if ending else ""
                file.write(f"{prob:.7g}\t{' '.join([words[word] for word in row])}{end}\n")
        file.write("\n\\end\\\n")
