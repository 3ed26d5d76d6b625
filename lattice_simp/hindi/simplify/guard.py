"""No word of content is lost, and no sentence stands without its verb."""

from __future__ import annotations

from collections.abc import Sequence

from lattice_simp.hindi.sentence import Sentence
from lattice_simp.hindi.simplify.clause_tree import is_joining
from lattice_simp.hindi.simplify.complexity import VERBS
from lattice_simp.hindi.simplify.model import Refusal, Word


def lost_tokens(sentence: Sentence, sentences: Sequence[Sequence[Word]]) -> list[int]:
    """Returns the tokens that no sentence has, but for marks and words that only join clauses."""
    kept = {place for words in sentences for word in words for place in word.sources}
    return [at for at in range(len(sentence)) if at not in kept and not is_joining(sentence, at)]


def has_verb(sentence: Sentence, words: Sequence[Word]) -> bool:
    """Whether a sentence has a verb: one of the source's finite ones, or one that was made finite."""
    finite = {
        at
        for chunk in sentence.chunks
        if chunk.tag == "VGF"
        for at in range(chunk.start, chunk.end)
        if sentence.tokens[at].tag in VERBS and not sentence.tokens[at].is_empty
    }
    return any(word.is_verb or not finite.isdisjoint(word.sources) for word in words)


def check(sentence: Sentence, names: Sequence[str], sentences: Sequence[Sequence[Word]]) -> list[Refusal]:
    """Returns the splits that leave a sentence without a verb; if there are none, whether a word is lost.

    Args:
        sentence: the source.
        names: of the splits that made the sentences.
        sentences: their words.

    Returns:
        Refusals in the order of the sentences; the name is "" where no split is to blame.
    """
    if len(sentences) < 2:
        return []
    found = [
        Refusal(name, "would leave a sentence without a verb")
        for name, words in zip(names, sentences, strict=True)
        if not has_verb(sentence, words)
    ]
    if found:
        return found
    return [Refusal("", f"would lose {sentence.tokens[at].form}") for at in lost_tokens(sentence, sentences)[:1]]
