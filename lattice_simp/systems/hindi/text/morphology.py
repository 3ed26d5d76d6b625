"""Roots and inflection of tagged tokens: the most frequent analysis of a word, or of words with the same ending."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lattice_simp.errors import FormatError
from lattice_simp.grammars.hindi.spelling import folded, tidied
from lattice_simp.support.textio import open_text, read_lines
from lattice_simp.systems.hindi.sentence import MORPHOLOGY, Sentence, Token

WORDS, ENDINGS = "words.tsv", "endings.tsv"

_WORD_COLUMNS = ("form", "tag", "context", *MORPHOLOGY)
_ENDING_COLUMNS = ("ending", "tag", "cut", "added", *MORPHOLOGY[1:])

REMEDY = "train the analyser again"

LONGEST_ENDING = 5
"""The longest ending in letters, including vowel signs."""

SMALLEST_COUNT = 2
"""The least number of words with a useful ending."""

_DOT = "\u093c"

_DECISIVE = frozenset({"PSP", "NST", "VAUX"})
"""The tags of following words that determine a word's case, or a verb's tense and aspect."""

Word = tuple[str, str, str]
"""A form, its tag, and its context ("" for unknown contexts)."""

Ending = tuple[str, str]
"""The ending of a form, and its tag."""


class Inflected(NamedTuple):
    """An inflection: the ending of the form, the ending of the root, and the other fields of `MORPHOLOGY`."""

    cut: str
    added: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Morphology:
    """A lexicon of forms, and one of endings for unknown forms.

    Attributes:
        words: the values of `MORPHOLOGY` for each word, most frequent words first.
        endings: the common inflection of words with each ending.
    """

    words: Mapping[Word, tuple[str, ...]]
    endings: Mapping[Ending, Inflected]

    @classmethod
    def learn(cls, sentences: Iterable[Sentence]) -> Morphology:
        """Learns both lexicons from the tokens of sentences."""
        value_counts: defaultdict[Word, Counter[tuple[str, ...]]] = defaultdict(Counter)
        for sentence in sentences:
            tags = [token.tag for token in sentence.tokens]
            chunks = [chunk.tag for chunk in sentence.chunks for _ in chunk.positions] or [""] * len(tags)
            for token, context in zip(sentence.tokens, contexts(tags, chunks), strict=True):
                form = folded(token.form)
                root = with_dots_of(form, token.root)
                values = (root, *(getattr(token, name) for name in MORPHOLOGY[1:]))
                value_counts[form, token.tag, ""][values] += 1
                value_counts[form, token.tag, context][values] += 1
        return cls(_words(value_counts), _endings(value_counts))

    def apply(self, forms: Sequence[str], tags: Sequence[str], chunks: Sequence[str]) -> tuple[Token, ...]:
        """Returns tokens with morphology for forms, their tags, and the tags of their chunks."""
        return tuple(map(self._token, forms, tags, contexts(tags, chunks)))

    def _token(self, form: str, tag: str, context: str) -> Token:
        key = folded(form)
        values = self.words.get((key, tag, context)) or self.words.get((key, tag, ""))
        return Token(form, tag, *(values or self._guess(form, key, tag)))

    def _guess(self, form: str, key: str, tag: str) -> tuple[str, ...]:
        for size in range(min(LONGEST_ENDING, len(key)), -1, -1):
            inflected = self.endings.get((key[len(key) - size :], tag))
            if inflected is not None:
                return (_root(form, key, inflected), *inflected.values)
        return (form, *[""] * (len(MORPHOLOGY) - 1))


def _root(form: str, key: str, ending: Inflected) -> str:
    if not ending.cut and not ending.added:
        return form
    return tidied(key.removesuffix(ending.cut) + ending.added)


def contexts(tags: Sequence[str], chunks: Sequence[str]) -> Iterator[str]:
    """Yields the context that determines a token's inflection: its chunk, and the next tag if decisive.

    >>> list(contexts(["NN", "PSP", "VM"], ["NP", "NP", "VGF"]))
    ['NP PSP', 'NP', 'VGF']
    """
    for chunk, following in zip(chunks, [*tags[1:], ""], strict=True):
        yield f"{chunk} {following}" if following in _DECISIVE else chunk


def _words(value_counts: Mapping[Word, Counter[tuple[str, ...]]]) -> dict[Word, tuple[str, ...]]:
    """Returns the most frequent values, keeping only contexts that make a difference."""
    best = {word: _first(counts) for word, counts in value_counts.items()}
    order = sorted(value_counts, key=lambda word: (-value_counts[word].total(), word))
    return {word: best[word] for word in order if not word[2] or best[word] != best[word[0], word[1], ""]}


def _endings(value_counts: Mapping[Word, Counter[tuple[str, ...]]]) -> dict[Ending, Inflected]:
    """Returns the inflections of endings; each form counts once, as frequent verbs are irregular."""
    counts: defaultdict[Ending, Counter[Inflected]] = defaultdict(Counter)
    for (form, tag, context), values in value_counts.items():
        inflected = None if context else _inflected(form, _first(values))
        if inflected is not None:
            for size in range(len(inflected.cut), min(LONGEST_ENDING, len(form)) + 1):
                counts[form[len(form) - size :], tag][inflected] += 1
    best: dict[Ending, Inflected] = {}
    for ending in sorted(counts, key=lambda ending: (len(ending[0]), ending)):
        (inflected, count), *_ = counts[ending].most_common(1)
        if count >= SMALLEST_COUNT and inflected != _shorter(best, ending):
            best[ending] = inflected
    return best


def _shorter(best: Mapping[Ending, Inflected], ending: Ending) -> Inflected | None:
    """Returns the inflection of the longest known ending that is shorter than this one."""
    form, tag = ending
    return next((best[form[cut:], tag] for cut in range(1, len(form) + 1) if (form[cut:], tag) in best), None)


def _inflected(form: str, values: tuple[str, ...]) -> Inflected | None:
    root = folded(values[0])
    common = next((size for size in range(min(len(form), len(root)), 0, -1) if form[:size] == root[:size]), 0)
    if not common or len(form) - common > LONGEST_ENDING:
        return None
    return Inflected(form[common:], root[common:], values[1:])


def with_dots_of(form: str, root: str) -> str:
    """Adds the dots below letters of a form to its root, as the treebank often omits them.

    >>> with_dots_of(folded("बढ\u093cते"), "बढ") == tidied("बढ\u093c")
    True
    """
    if _DOT not in form:
        return root
    plain, common = folded(root), 0
    dotted = ""
    for letter in form:
        if common < len(plain) and letter == plain[common]:
            common += 1
        elif letter != _DOT:
            break
        dotted += letter
    return tidied(dotted + plain[common:])


def _first(counts: Counter[tuple[str, ...]]) -> tuple[str, ...]:
    return min(counts, key=lambda values: (-counts[values], values))


def write_morphology(folder: Path, morphology: Morphology) -> None:
    """Writes `words.tsv` and `endings.tsv`."""
    _write(folder / WORDS, _WORD_COLUMNS, ((*word, *values) for word, values in morphology.words.items()))
    endings = (
        (*ending, inflected.cut, inflected.added, *inflected.values) for ending, inflected in morphology.endings.items()
    )
    _write(folder / ENDINGS, _ENDING_COLUMNS, endings)


def read_morphology(folder: Path) -> Morphology:
    """Reads files written by `write_morphology`; raises FormatError if one is missing or broken."""
    words = {
        (form, tag, context): tuple(values) for form, tag, context, *values in _read(folder / WORDS, _WORD_COLUMNS)
    }
    endings = {
        (ending, tag): Inflected(cut, added, tuple(values))
        for ending, tag, cut, added, *values in _read(folder / ENDINGS, _ENDING_COLUMNS)
    }
    return Morphology(words, endings)


def _write(path: Path, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    with open_text(path, "w") as file:
        file.write("\t".join(columns) + "\n")
        for row in rows:
            line = "\t".join(row)
            # A form that would break the table cannot occur in a text either.
            if line.count("\t") == len(columns) - 1 and not set("\n\r") & set(line):
                file.write(line + "\n")


def _read(path: Path, columns: tuple[str, ...]) -> Iterator[list[str]]:
    lines = read_lines(path)
    header = next(lines, "").split("\t")
    if tuple(header) != columns:
        raise FormatError(f"expected the columns {', '.join(columns)}", path=path, line=1, remedy=REMEDY)
    for number, line in enumerate(lines, start=2):
        fields = line.split("\t")
        if len(fields) != len(columns):
            message = f"expected {len(columns)} fields, found {len(fields)}"
            raise FormatError(message, path=path, line=number, remedy=REMEDY)
        yield fields
