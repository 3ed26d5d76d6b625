"""Tokens that remember their source positions, and functions that remove words from a sentence cleanly."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lattice_simp.grammars.english.lexicon import begins_with_vowel
from lattice_simp.grammars.english.stops import ends_sentence
from lattice_simp.text.english.punctuation import mark_kind, mark_pairs, place_punctuation

DASHES = frozenset({"-", "--", "–", "—"})

_ENDS = frozenset({".", "!", "?"})

_LINKS = frozenset({",", ";", ":"})
"""The marks after which a sentence goes on; a full stop before them is that of an abbreviation."""

_ARTICLES = {"a": ("a", "an"), "an": ("a", "an"), "A": ("A", "An"), "An": ("A", "An")}


@dataclass(frozen=True)
class Token:
    """A token of a simplified sentence.

    Attributes:
        text: the written form.
        position: the position in the source sentence (from 0); None for an inserted word.
        copied: whether the source token also occurs elsewhere (the shared entity of two clauses).
    """

    text: str
    position: int | None = None
    copied: bool = False

    def shifted(self, number: int) -> Token:
        """Returns the token of a sentence that follows this many tokens."""
        return self if self.position is None else replace(self, position=self.position + number)


Sentence = tuple[Token, ...]


def source_sentence(tokens: Sequence[str]) -> Sentence:
    """Returns the source tokens as a sentence."""
    return tuple(Token(text, position) for position, text in enumerate(tokens))


def divided(tokens: Sequence[str]) -> list[tuple[str, ...]]:
    """Divides tokens into sentences, at full stops, question and exclamation marks outside of brackets and quotations.

    >>> [" ".join(sentence) for sentence in divided("He met Dr . Lee ( No ! ) . She left .".split())]
    ['He met Dr . Lee ( No ! ) .', 'She left .']
    """
    pairs = mark_pairs(tokens)
    inside = {position for first, last in pairs for position in range(first + 1, last + 1)}
    closing = {last for _, last in pairs}
    is_lower = not any(token[:1].isupper() for token in tokens)
    begins = [0]
    for place in range(2, len(tokens)):
        stop = place - 2 if place - 1 in closing else place - 1
        if (
            tokens[stop] in _ENDS
            and tokens[place] not in _ENDS
            and place not in inside
            and _begins(tokens, stop, place, is_lower)
        ):
            begins.append(place)
    return [tuple(tokens[first:last]) for first, last in pairwise((*begins, len(tokens)))]


def _begins(tokens: Sequence[str], stop: int, place: int, is_lower: bool) -> bool:
    """Returns whether a sentence begins at a place behind a stop."""
    word = next((token for token in tokens[place:] if mark_kind(token) is None), "")
    is_abbreviated = tokens[stop] == "." and not ends_sentence(tokens[stop - 1], " ".join(tokens[place:]))
    return (word[:1].isupper() or word[:1].isdigit() or (is_lower and word.isalpha())) and not is_abbreviated


def words(sentence: Iterable[Token]) -> tuple[str, ...]:
    """Returns the texts of the tokens.

    >>> words((Token("It", 0), Token("rained", 1)))
    ('It', 'rained')
    """
    return tuple(token.text for token in sentence)


def without(sentence: Sentence, gone: Collection[int], kept_commas: Collection[int] = ()) -> Sentence:
    """Removes the tokens with these source positions, their copies and the punctuation that belongs to them.

    >>> " ".join(words(without(source_sentence("She , an actress , sang .".split()), {2, 3})))
    'She sang .'

    Args:
        sentence: any sentence.
        gone: the source positions to remove.
        kept_commas: the source positions of commas that still separate something.
    """
    keep = [token.position is None or token.position not in gone for token in sentence]
    if all(keep):
        return sentence
    texts, near = words(sentence), _beside_gaps(sentence, keep)
    separating = [token.position in kept_commas for token in sentence]
    placed = place_punctuation(texts, keep, separating)
    stays = [
        kept and (is_placed or not beside or separates)
        for kept, is_placed, beside, separates in zip(keep, placed, near, separating, strict=True)
    ]
    return with_articles(
        tuple(token for token, kept in zip(sentence, stays, strict=True) if kept),
        {token.position for token, kept in zip(sentence, stays, strict=True) if not kept},
    )


def _beside_gaps(sentence: Sentence, keep: Sequence[bool]) -> list[bool]:
    """Returns which punctuation marks are next to a gap, possibly across other marks."""
    marks = [mark_kind(token.text) is not None for token in sentence]
    near = [False] * len(keep)
    for step in (1, -1):
        gap = False
        for index in range(len(keep))[::step]:
            if not marks[index]:
                gap = not keep[index]
            elif gap or not keep[index]:
                near[index] = gap = True
    return near


def with_articles(sentence: Sentence, gone: Collection[int | None]) -> Sentence:
    """Corrects `a` and `an` where the word after them was removed.

    >>> words(with_articles((Token("an", 0), Token("man", 2)), {1}))
    ('a', 'man')
    """
    result = list(sentence)
    for index, token in enumerate(sentence[:-1]):
        if token.text in _ARTICLES and token.position is not None and token.position + 1 in gone:
            article, before_vowel = _ARTICLES[token.text]
            text = before_vowel if begins_with_vowel(sentence[index + 1].text) else article
            result[index] = replace(token, text=text)
    return tuple(result)


def capitalised(sentence: Sentence) -> Sentence:
    """Capitalises the first word.

    >>> words(capitalised((Token('"'), Token("it"), Token("rains"))))
    ('"', 'It', 'rains')
    """
    for index, token in enumerate(sentence):
        if mark_kind(token.text) is None:
            first = replace(token, text=token.text[:1].upper() + token.text[1:])
            return (*sentence[:index], first, *sentence[index + 1 :])
    return sentence


def finished(tokens: Sequence[str], source: Sequence[str]) -> tuple[str, ...]:
    """Returns tokens in written form: first words capitalised, `a` or `an` as the next word requires.

    >>> finished("an cat slept . it was an old one .".split(), "an ill cat slept .".split())
    ('A', 'cat', 'slept', '.', 'It', 'was', 'an', 'old', 'one', '.')
    >>> finished('yahoo ! was sold .'.split(), 'Yahoo ! was sold .'.split())
    ('Yahoo', '!', 'was', 'sold', '.')
    >>> finished("police in Ames , La . , said no .".split(), "police in Ames , La . , announced no .".split())[4:8]
    ('La', '.', ',', 'said')
    >>> finished("Lee ( Mass . ) bought it .".split(), "Lee ( Mass . ) purchased it .".split())[4:6]
    (')', 'bought')

    Keeps articles before a word that also follows them in the source, lower case after a mark, and words with inner
    capitals (`iPhone`).
    """
    before_lower = {token for token, following in pairwise(source) if following[:1].islower()}
    lowered_pairs = {(token.lower(), following.lower()) for token, following in pairwise(source)}
    beside = set(pairwise(source))
    written, starts = list[str](), True
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else ""
        if token in ("a", "an") and following and (token, following.lower()) not in lowered_pairs:
            token = "an" if begins_with_vowel(following) else "a"
        kind = mark_kind(token)
        if starts and kind is None:
            before = tokens[index - 1] if index else ""
            goes_on = (before, token) in beside or (mark_kind(before) == "close" and before in before_lower)
            if not goes_on and not any(letter.isupper() for letter in token[1:]):
                token = token[:1].upper() + token[1:]
            starts = False
        written.append(token)
        starts = kind == "stop" or (starts and token not in _LINKS)
    return tuple(written)
