"""Thesauri: groups of synonyms from WordNet or a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from lattice_simp.core.arguments import instance
from lattice_simp.core.symbols import as_sentences, as_tokens, split_tokens
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.common import is_plain
from lattice_simp.support.plurals import counted
from lattice_simp.support.tables import grammar_table
from lattice_simp.support.textio import read_lines, require_path

WORDNET = Path("/usr/share/wordnet")
"""The location of the database in Debian's package wordnet-base."""

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""The parts of speech of WordNet with the names of their files."""

SENSES = 3
"""The default number of senses of a word; WordNet lists the most frequent ones first."""

_PART_OF_TAG = {"N": "n", "V": "v", "J": "a", "R": "r"}


@dataclass(frozen=True)
class Thesaurus:
    """Groups of synonyms by lemma and part of speech.

    >>> thesaurus = Thesaurus.from_groups([["morning", "a.m."]])
    >>> thesaurus
    Thesaurus(2 entries)
    >>> thesaurus.related("morning", "NN", "a.m.", "RB"), thesaurus.related("morning", "NN", "evening", "NN")
    (True, False)

    Attributes:
        groups: the names of groups by (lemma, part of speech), where the part is n, v, a, r, or "" for any.
    """

    groups: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Thesaurus({counted(len(self.groups), 'entry', 'entries')})"

    @classmethod
    def from_groups(cls, groups: str | Iterable[str | Iterable[str]]) -> Thesaurus:
        """Returns a thesaurus of groups of lemmas, each a list or a string; a single string is one group.

        >>> Thesaurus.from_groups([["big", "large"], "tiny small"]).related("big", "JJ", "large", "JJ")
        True
        """
        groups_of: dict[tuple[str, str], set[str]] = {}
        for group in as_sentences(groups):
            words = [word.lower() for word in as_tokens(group)]
            for word in words:
                groups_of.setdefault((word, ""), set()).add(f"group {words[0]}")
        return cls({key: frozenset(names) for key, names in groups_of.items()})

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
        """Reads a table of groups, one on each line, with words separated by tabs.

        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "groups.tsv"
        >>> _ = path.write_text("big\\tlarge\\n")
        >>> Thesaurus.read(path).related("big", "JJ", "large", "JJ")
        True

        Raises:
            FormatError: a line has a single word.
        """
        groups = [[word.strip(" ") for word in line.split("\t") if word.strip(" ")] for line in read_lines(path)]
        for number, group in enumerate(groups, start=1):
            if len(group) == 1:
                message = f"only one word or phrase, {group[0]!r}"
                raise FormatError(message, path=path, line=number, remedy="separate synonyms with tabs")
        return cls.from_groups(groups)

    @classmethod
    def or_english(cls, thesaurus: Thesaurus | None) -> Thesaurus:
        """Returns the thesaurus, or that of English if None."""
        if thesaurus is None:
            return cls.english()
        instance(thesaurus, Thesaurus, "the thesaurus", "Thesaurus.from_groups(groups)")
        return thesaurus

    @classmethod
    def read_wordnet(cls, folder: str | Path = WORDNET, senses: int = SENSES) -> Thesaurus:
        """Reads WordNet's index files (`index.noun` ...), which list the synsets of a lemma by frequency.

        NLTK's reader needs a file that distributions omit (`lexnames`) and does not read other folders.

        Raises:
            LatticeSimpError: the folder lacks these files, or a line has another form.
        """
        groups: dict[tuple[str, str], frozenset[str]] = {}
        for part, name in PARTS.items():
            path = Path(require_path(folder), f"index.{name}")
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
                    raise LatticeSimpError(f"{path}: expected a line of an index, found {line[:40]!r}") from None
                groups[cells[0].replace("_", " "), part] = frozenset(part + offset for offset in offsets[:senses])
        return cls(groups)

    def joined(self, other: Thesaurus) -> Thesaurus:
        """Returns a thesaurus with the groups of both.

        >>> thesaurus = Thesaurus.from_groups(["big large"]).joined(Thesaurus.from_groups(["small little"]))
        >>> thesaurus.related("big", "JJ", "large", "JJ"), thesaurus.related("small", "JJ", "little", "JJ")
        (True, True)
        """
        instance(other, Thesaurus, "the other thesaurus", "Thesaurus.from_groups(groups)")
        both = {key: self.groups[key] | other.groups[key] for key in self.groups.keys() & other.groups.keys()}
        return Thesaurus({**self.groups, **other.groups, **both})

    def related(self, lemma: str, tag: str, other: str, other_tag: str) -> bool:
        """Returns whether two words share a group; those of WordNet apply to one part of speech and not to names."""
        return not self.groups_of(lemma, tag).isdisjoint(self.groups_of(other, other_tag))

    def groups_of(self, lemma: str, tag: str) -> frozenset[str]:
        """Returns the groups of a word; names have none of WordNet's.

        >>> sorted(Thesaurus.from_groups(["big large"]).groups_of("large", "JJ"))
        ['group big']
        """
        none: frozenset[str] = frozenset()
        part = "" if tag.startswith("NNP") else _PART_OF_TAG.get(tag[:1], "")
        return self.groups.get((lemma, ""), none) | self.groups.get((lemma, part), none)
