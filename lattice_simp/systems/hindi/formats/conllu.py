"""Reads CoNLL-U (universaldependencies.org/format) with the chunks of UD_Hindi-HDTB.

Tags come from XPOS, or from UPOS and the features if XPOS is empty or in another tag set, as in UD_Hindi-PUD. MISC
holds chunks (`ChunkId=NP2|ChunkType=head`), TAM and vibhakti. A chunk depends on the chunk of its topmost token's head,
with that token's relation. For files without chunks, `conllu_chunks.py` derives them. Multiword tokens (`3-4`) and
empty nodes (`8.1`) are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.grammars.hindi.verbs import analyse
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.hindi.formats.conllu_chunks import Word, derived_chunks, universal_parts, with_auxiliaries
from lattice_simp.systems.hindi.formats.problems import broken_sentence, report
from lattice_simp.systems.hindi.formats.tagset import other_tag, tag_facts, tagset
from lattice_simp.systems.hindi.sentence import EMPTY, EMPTY_CHUNK, Chunk, Sentence, Token, find_cycle

_COLUMNS = 10
_NONE = "_"
_ROOT = "root"
_CHUNK, _CHUNK_TYPE = "ChunkId", "ChunkType"
_ID = re.compile(r"[1-9][0-9]{0,8}")
_PASSED_OVER = re.compile(r"[0-9]+[-.][0-9]+")
_NUMBER = re.compile(r"\d+$")

GENDERS = {"Masc": "m", "Fem": "f"}
NUMBERS = {"Sing": "sg", "Plur": "pl"}
CASES = {"": "", "Nom": "d"}
OBLIQUE = "o"
INFINITIVE = "ना"


def read_conllu(
    path: Path, problems: list[FormatError] | None = None, lines: Iterable[str] | None = None
) -> Iterator[Sentence]:
    r"""Reads the sentences of a file.

    >>> lines = ["1\tराम\tराम\tPROPN\tNNP\tCase=Nom\t2\tnsubj\t_\tChunkId=NP|ChunkType=head",
    ...     "2\tसोया\tसोना\tVERB\tVM\t_\t0\troot\t_\tChunkId=VGF|ChunkType=head|Tam=yA"]
    >>> sentence, = read_conllu(Path("x.conllu"), lines=lines)
    >>> [(chunk.tag, chunk.relation, chunk.head) for chunk in sentence.chunks], sentence.tokens[1].root
    ([('NP', 'nsubj', 1), ('VGF', '', -1)], 'सो')

    Args:
        path: the path of the file, which may be compressed.
        problems: a list that collects the errors of unreadable sentences, which are skipped; None to raise the first.
        lines: the lines of the file, if already read.

    Raises:
        FormatError: a line does not have ten columns, words are not numbered consecutively, a head is not a word of the
            sentence, or the dependencies form a cycle.
    """
    numbered = enumerate(read_lines(path) if lines is None else lines, start=1)
    for has_text, group in groupby(numbered, key=lambda pair: bool(pair[1].strip())):
        block = list(group)  # errors of the file as a whole are not reported as a sentence's
        try:
            if has_text and (sentence := _sentence(block, path)):
                yield sentence
        except FormatError as error:
            report(error, problems)


def _sentence(block: Iterable[tuple[int, str]], path: Path) -> Sentence | None:
    """Parses a sentence from its numbered lines; None if there are only comments."""
    name = ""
    words: list[Word] = []
    numbers: list[int] = []
    for number, line in block:
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            name = value.strip() if key.strip() == "sent_id" else name
        elif word := _read_word(line, len(words) + 1, path, number):
            words.append(word)
            numbers.append(number)
    for word, number in zip(words, numbers, strict=True):
        if word.head >= len(words):
            raise broken_sentence(
                f"the head {word.head + 1} is outside the sentence of {counted(len(words), 'word')}", path, number
            )
    if (position := find_cycle([word.head for word in words])) is not None:
        raise broken_sentence(f"word {position + 1} is on a cycle of dependencies", path, numbers[position])
    if not words:
        return None
    tokens, chunks = tuple(word.token for word in words), _with_heads(words, _chunks(words))
    is_marked = any(_CHUNK in word.misc for word in words)
    return Sentence(tokens if is_marked else with_auxiliaries(tokens, chunks), chunks, name)


def _read_word(line: str, due: int, path: Path, number: int) -> Word | None:
    """Parses a line of a sentence; None for lines outside the tree."""
    columns = line.split("\t")
    if len(columns) != _COLUMNS:
        raise broken_sentence(f"expected {counted(_COLUMNS, 'column')}, found {len(columns)}", path, number)
    if _PASSED_OVER.fullmatch(columns[0]):
        return None
    if columns[0] != str(due):
        raise broken_sentence(f"expected word {due}, found {columns[0]!r}", path, number)
    if not columns[1]:
        raise broken_sentence(f"word {columns[0]} is empty", path, number)
    if columns[6] not in ("0", _NONE) and not _ID.fullmatch(columns[6]):
        raise broken_sentence(f"the head of word {columns[0]} is not a number: {columns[6]!r}", path, number)
    return _word(columns)


def _word(columns: Sequence[str]) -> Word:
    """Parses a word from its ten columns."""
    form, lemma = columns[1:3]
    part, tag, relation = (_value(columns[position]) for position in (3, 4, 7))
    features, misc = _pairs(columns[5]), _pairs(columns[9])
    lemma = "" if lemma == _NONE and form != _NONE else lemma
    if _CHUNK not in misc and tag not in tagset():
        tag = other_tag(tag, part) or _treebank_tag(part, features, relation) or tag
    stem = _stem(form, lemma) if part in ("VERB", "AUX") else lemma
    person = features.get("Person", "")
    token = Token(
        form,
        tag,
        root=stem or lemma,
        category=tag_facts(tag).category,
        gender=GENDERS.get(features.get("Gender", ""), ""),
        number=NUMBERS.get(features.get("Number", ""), ""),
        person=person + "h" if person and features.get("Polite") == "Form" else person,
        case=CASES.get(features.get("Case", ""), OBLIQUE),
        vibhakti=misc.get("Vib", "").partition("_")[0],  # without the rest of the phrase
        tam=misc.get("Tam", ""),
        is_empty=form == EMPTY and _CHUNK in misc,  # parsed text, in which `NULL` is a word, has no chunks
    )
    head = -1 if columns[6] in ("0", _NONE) else int(columns[6]) - 1
    return Word(token, part, features, head, relation, misc)


def _stem(form: str, lemma: str) -> str:
    """Returns a verb's stem, the treebank's root: lemmas are infinitives, but stems before release 2.14 of HDTB."""
    stem = lemma.removesuffix(INFINITIVE)
    roots = {reading.root for reading in analyse(form)} if stem != lemma else set[str]()
    return lemma if lemma in roots and stem not in roots else stem


def _value(column: str) -> str:
    return "" if column == _NONE else column


def _pairs(column: str) -> dict[str, str]:
    """Parses `Case=Nom|Gender=Masc`."""
    pairs = (entry.partition("=") for entry in _value(column).split("|"))
    return {name: value for name, equals, value in pairs if equals}


def _treebank_tag(part: str, features: Mapping[str, str], relation: str) -> str:
    if part == "PART" and features.get("Polarity") == "Neg":
        return "NEG"
    if part == "AUX" and relation.startswith("cop"):
        return "VM"
    if part == "DET" and features.get("PronType") in ("Ind", "Tot"):
        return "QF"
    if part == "ADJ" and features.get("NumType") == "Ord":
        return "QO"
    if part in ("PRON", "DET", "ADV") and features.get("PronType") == "Int":
        return "WQ"
    return universal_parts().get(part, ("", ""))[0]


def _chunks(words: Sequence[Word]) -> list[Chunk]:
    """Joins adjacent words with the same `ChunkId`; derives chunks from the tree if there are none."""
    if not any(_CHUNK in word.misc for word in words):
        return derived_chunks(words)
    chunks: list[Chunk] = []
    last: str | None = None
    for position, word in enumerate(words):
        name = word.misc.get(_CHUNK)
        if name is None:  # a word outside all chunks forms a chunk
            (chunk,) = derived_chunks([word._replace(head=-1)])
            chunks.append(replace(chunk, start=position, end=position + 1))
        elif name == last:
            chunks[-1] = replace(chunks[-1], end=position + 1)
        else:
            tag = _NUMBER.sub("", name.removeprefix(EMPTY_CHUNK))
            chunks.append(Chunk(tag, position, position + 1, is_empty=name.startswith(EMPTY_CHUNK)))
        last = name
    return chunks


def _with_heads(words: Sequence[Word], chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    chunk_of = [number for number, chunk in enumerate(chunks) for _ in chunk.positions]
    headed = []
    for chunk in chunks:
        positions = chunk.positions
        position = next(
            (position for position in positions if words[position].misc.get(_CHUNK_TYPE) == "head"), chunk.start
        )
        while words[position].head in positions:
            position = words[position].head
        word = words[position]
        relation = "" if word.head < 0 and word.relation == _ROOT else word.relation
        head = chunk_of[word.head] if word.head >= 0 else -1
        headed.append(replace(chunk, head=head, relation=relation))
    return tuple(headed)
