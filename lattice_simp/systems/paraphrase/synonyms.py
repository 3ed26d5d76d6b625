"""Words that mean the same: groups of a thesaurus, those of WordNet or of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from lattice_simp.core.symbols import as_sentences, as_tokens, split_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.common import is_plain
from lattice_simp.support.tables import grammar_table
from lattice_simp.support.textio import read_lines

WORDNET = Path("/usr/share/wordnet")
"""Where Debian's package wordnet-base has the database."""

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""The parts of speech of WordNet, with the names of their files."""

SENSES = 3
"""Senses of a word that count, unless told otherwise: WordNet has the most frequent ones first."""

_PART_OF_TAG = {"N": "n", "V": "v", "J": "a", "R": "r"}


@dataclass(frozen=True)
class Thesaurus:
    """Groups of words that mean the same, by lemma and part of speech.

    >>> thesaurus = Thesaurus.from_groups([["morning", "a.m."]])
    >>> thesaurus.related("morning", "NN", "a.m.", "RB"), thesaurus.related("morning", "NN", "evening", "NN")
    (True, False)

    Attributes:
        groups: the numbers of the groups by (lemma, part of speech: n, v, a, r, or "" for any).
    """

    groups: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    @classmethod
    def from_groups(cls, groups: str | Iterable[str | Iterable[str]]) -> Thesaurus:
        """Makes a thesaurus of groups of lemmas, each a list or a string of them; a single string is one group."""
        found: dict[tuple[str, str], set[str]] = {}
        for group in as_sentences(groups):
            words = [word.lower() for word in as_tokens(group)]
            for word in words:
                found.setdefault((word, ""), set()).add(f"group {words[0]}")
        return cls({key: frozenset(own) for key, own in found.items()})

    @classmethod
    @cache
    def english(cls) -> Thesaurus:
        """Returns the groups of `grammars/english/synonyms.tsv`: numerals, abbreviations.

        >>> Thesaurus.english().related("3", "CD", "three", "CD")
        True
        """
        return cls.from_groups(row["words"].split() for row in grammar_table("english/synonyms.tsv", ("words",)))

    @classmethod
    def read(cls, path: str | Path) -> Thesaurus:
        """Reads a table of groups: one a line, its words separated by tabs."""
        return cls.from_groups(
            [word.strip(" ") for word in line.split("\t") if word.strip(" ")] for line in read_lines(path)
        )

    @classmethod
    def read_wordnet(cls, folder: str | Path = WORDNET, senses: int = SENSES) -> Thesaurus:
        """Reads WordNet's index files (`index.noun` ...), in which a lemma's synsets come by frequency.

        The files are read here, since NLTK's reader wants a file that distributions leave out (`lexnames`) and allows
        no folder outside its own.

        Raises:
            LatticeSimpError: the folder has no such files, or a line of another form.
        """
        found: dict[tuple[str, str], frozenset[str]] = {}
        for part, name in PARTS.items():
            path = Path(folder, f"index.{name}")
            if not path.is_file():
                raise LatticeSimpError(
                    f"{path}: there is no such file; give the folder of WordNet's index files "
                    "(Debian: apt install wordnet-base)"
                )
            for line in read_lines(path):
                if line.startswith(" "):  # the licence
                    continue
                cells = split_tokens(line)
                try:  # lemma, part, synsets, pointers, their kinds, senses, tagged senses, offsets
                    count, kinds = (int(cell) for cell in cells[2:4] if is_plain(cell))
                    offsets = cells[6 + kinds : 6 + kinds + count]
                except (ValueError, IndexError):
                    raise LatticeSimpError(f"{path}: a line that is not of an index: {line[:40]!r}") from None
                found[cells[0].replace("_", " "), part] = frozenset(part + own for own in offsets[:senses])
        return cls(found)

    def joined(self, other: Thesaurus) -> Thesaurus:
        """Returns a thesaurus with the groups of both."""
        none: frozenset[str] = frozenset()
        keys = {*self.groups, *other.groups}
        return Thesaurus({key: self.groups.get(key, none) | other.groups.get(key, none) for key in keys})

    def related(self, lemma: str, tag: str, other: str, other_tag: str) -> bool:
        """Tells whether two words are in one group; those of WordNet hold for one part of speech, and not for names."""
        return not self._of(lemma, tag).isdisjoint(self._of(other, other_tag))

    def _of(self, lemma: str, tag: str) -> frozenset[str]:
        none: frozenset[str] = frozenset()
        part = "" if tag.startswith("NNP") else _PART_OF_TAG.get(tag[:1], "")
        return self.groups.get((lemma, ""), none) | self.groups.get((lemma, part), none)
