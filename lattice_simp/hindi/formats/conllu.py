"""Reads and writes CoNLL-U (universaldependencies.org/format) with the chunks of UD_Hindi-HDTB.

Reading: tags are those in XPOS; chunks stand in MISC (`ChunkId=NP2|ChunkType=head`); a chunk depends on the chunk that
the head of its uppermost token is in, under that token's relation. Files without chunks get some
(`conllu_chunks.py`). Words are read as they stand in the tree: the surface forms of multiword tokens (`3-4`) and empty
nodes (`8.1`) are passed over.

Writing: the head of a chunk has the chunk's relation, all its other tokens depend on that head. Elided words stay
words: those that have the form `NULL` and are in a chunk, as in UD_Hindi-HDTB. Where that would be wrong, MISC says so
(`Elided=Yes`, `Elided=No`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.hindi.formats.conllu_chunks import Word, derived_chunks
from lattice_simp.hindi.formats.conllu_columns import NONE, columns_of_token, fits, word_of_columns
from lattice_simp.hindi.formats.conllu_values import CHUNK
from lattice_simp.hindi.sentence import Chunk, Sentence, place_in_circle
from lattice_simp.support.textio import open_text, read_lines

_COLUMNS = 10
_ROOT = "root"
_EMPTY_CHUNK = "NULL__"
_INSIDE = "lwg__"
_CHUNK_TYPE, _CHUNK_TAG = "ChunkType", "ChunkTag"
_ID = re.compile(r"[1-9]\d*")
_PASSED_OVER = re.compile(r"\d+[-.]\d+")
_NUMBER = re.compile(r"\d+$")
_REMEDY = "mend the file, or leave this sentence out"


@dataclass
class _Lines:
    """The lines of a sentence that is being read."""

    id: str = ""
    words: list[Word] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    broken: FormatError | None = None


def read_conllu(path: Path, problems: list[FormatError] | None = None) -> Iterator[Sentence]:
    """Reads the sentences of a file.

    Args:
        path: of the file; it may be compressed.
        problems: takes the errors of sentences that cannot be read, which are left out; None to raise the first.

    Raises:
        FormatError: a line has not ten columns, words are not numbered one after the other, a head is no word of the
            sentence, or words depend on one another in a circle.
    """
    return sentences_of_conllu(read_lines(path), path, problems)


def sentences_of_conllu(
    lines: Iterable[str], path: Path, problems: list[FormatError] | None = None
) -> Iterator[Sentence]:
    r"""Reads sentences from the lines of a file, see `read_conllu`.

    >>> lines = ["1\tराम\tराम\tPROPN\tNNP\tCase=Nom\t2\tnsubj\t_\tChunkId=NP|ChunkType=head",
    ...     "2\tसोया\tसोना\tVERB\tVM\t_\t0\troot\t_\tChunkId=VGF|ChunkType=head|Tam=yA"]
    >>> sentence, = sentences_of_conllu(lines, Path("x.conllu"))
    >>> [(chunk.tag, chunk.relation, chunk.head) for chunk in sentence.chunks], sentence.tokens[1].root
    ([('NP', 'nsubj', 1), ('VGF', '', -1)], 'सो')
    """
    for block in _blocks(lines, path):
        try:
            yield _sentence(block, path)
        except FormatError as error:
            if problems is None:
                raise
            problems.append(error)


def _blocks(lines: Iterable[str], path: Path) -> Iterator[_Lines]:
    block = _Lines()
    for number, line in enumerate(_closed(lines), start=1):
        if not line.strip():
            if block.words or block.broken:
                yield block
            block = _Lines()
        elif line.startswith("#"):
            name, _, value = line[1:].partition("=")
            block.id = value.strip() if name.strip() == "sent_id" else block.id
        elif not block.broken:
            try:
                _read_word(block, line, path, number)
            except FormatError as error:  # raised where the sentence's turn comes
                block.broken = error


def _closed(lines: Iterable[str]) -> Iterator[str]:
    yield from lines
    yield ""


def _broken(message: str, path: Path, line: int) -> FormatError:
    return FormatError(message, path=path, line=line, remedy=_REMEDY)


def _read_word(block: _Lines, line: str, path: Path, number: int) -> None:
    columns = line.split("\t")
    if len(columns) != _COLUMNS:
        raise _broken(f"{len(columns)} columns, not {_COLUMNS}", path, number)
    if _PASSED_OVER.fullmatch(columns[0]):
        return
    if columns[0] != str(len(block.words) + 1):
        raise _broken(f"the word {columns[0]!r}, where number {len(block.words) + 1} is due", path, number)
    if not columns[1]:
        raise _broken(f"the word {columns[0]} is empty", path, number)
    head = columns[6]
    if head not in ("0", NONE) and not _ID.fullmatch(head):
        raise _broken(f"the head of word {columns[0]} is no number: {head!r}", path, number)
    block.words.append(word_of_columns(columns))
    block.numbers.append(number)


def _sentence(block: _Lines, path: Path) -> Sentence:
    if block.broken:
        raise block.broken
    words = block.words
    for word, number in zip(words, block.numbers, strict=True):
        if word.head >= len(words):
            raise _broken(f"the head {word.head + 1}, but {len(words)} words", path, number)
    if (circle := place_in_circle([word.head for word in words])) is not None:
        raise _broken(f"word {circle + 1} depends on itself, in the end", path, block.numbers[circle])
    return Sentence(tuple(word.token for word in words), _with_heads(words, _chunks(words)), block.id)


def _chunks(words: Sequence[Word]) -> list[Chunk]:
    """Joins neighbours with the same `ChunkId`; in a sentence without any, chunks come from the tree."""
    if not any(CHUNK in word.misc for word in words):
        return derived_chunks(words)
    chunks: list[Chunk] = []
    last: str | None = None
    for place, word in enumerate(words):
        name = word.misc.get(CHUNK)
        if name is None or name != last:
            chunks.append(_chunk(word, name, place))
        else:
            chunks[-1] = Chunk(chunks[-1].tag, chunks[-1].start, place + 1, is_empty=chunks[-1].is_empty)
        last = name
    return chunks


def _chunk(word: Word, name: str | None, place: int) -> Chunk:
    if name is None:  # a word that was left out of the chunks is one by itself
        (chunk,) = derived_chunks([Word(word.token, word.part, word.features, -1, word.relation, word.misc)])
        return Chunk(chunk.tag, place, place + 1)
    tag = word.misc.get(_CHUNK_TAG, _NUMBER.sub("", name.removeprefix(_EMPTY_CHUNK)))
    return Chunk(tag, place, place + 1, is_empty=name.startswith(_EMPTY_CHUNK))


def _with_heads(words: Sequence[Word], chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    chunk_of = [number for number, chunk in enumerate(chunks) for _ in range(chunk.start, chunk.end)]
    found = []
    for chunk in chunks:
        own = range(chunk.start, chunk.end)
        place = next((place for place in own if words[place].misc.get(_CHUNK_TYPE) == "head"), chunk.start)
        while words[place].head in own:
            place = words[place].head
        word = words[place]
        relation = "" if word.head < 0 and word.relation == _ROOT else word.relation
        head = chunk_of[word.head] if word.head >= 0 else -1
        found.append(Chunk(chunk.tag, chunk.start, chunk.end, head, relation, chunk.is_empty))
    return tuple(found)


def write_conllu(path: str | Path, sentences: Iterable[Sentence]) -> None:
    """Writes sentences into a file; reading it gives the same sentences.

    Raises:
        LatticeSimpError: a form that no line can hold, a chunk without tokens, or chunks that depend on one another in
            a circle.
    """
    with open_text(path, "w") as file:
        for sentence in sentences:
            for line in conllu_lines(sentence):
                file.write(line + "\n")


def conllu_lines(sentence: Sentence) -> list[str]:
    r"""Returns the lines of a sentence, the empty one at its end among them.

    >>> from lattice_simp.hindi.sentence import Token
    >>> sentence = Sentence((Token("सोया", "VM", "सो", "v", "m", "sg", tam="yA"),), (Chunk("VGF", 0, 1),), "7")
    >>> conllu_lines(sentence)[2].split("\t")[2:9]
    ['सोना', 'VERB', 'VM', 'Gender=Masc|Number=Sing', '0', 'root', '_']
    >>> conllu_lines(sentence)[2].split("\t")[9]
    'Tam=yA|ChunkId=VGF|ChunkType=head'
    """
    heads, relations = _tree(sentence)
    names = _chunk_names(sentence)
    lines = [f"# sent_id = {sentence.id}"] if sentence.id else []
    lines.append(f"# text = {sentence}")
    for place, token in enumerate(sentence.tokens):
        if not token.form or not fits(token.form):
            raise LatticeSimpError(
                f"token {place + 1} of sentence {sentence.id!r} cannot stand in a line: {token.form!r}"
            )
        lines.append("\t".join(columns_of_token(token, place + 1, heads[place], relations[place], names[place])))
    return [*lines, ""]


def _tree(sentence: Sentence) -> tuple[list[str], list[str]]:
    """Returns the columns HEAD and DEPREL; they are empty where no tree is known."""
    if place_in_circle([chunk.head for chunk in sentence.chunks]) is not None:
        raise LatticeSimpError(f"sentence {sentence.id!r} is no tree: chunks depend on one another in a circle")
    heads, relations = [NONE] * len(sentence), [NONE] * len(sentence)
    places = [_head_place(sentence, chunk) for chunk in sentence.chunks]
    is_tree = len(places) == 1 or any(chunk.head >= 0 for chunk in sentence.chunks)
    for chunk, own in zip(sentence.chunks, places, strict=True):
        if not fits(chunk.relation):
            raise LatticeSimpError(f"a relation of sentence {sentence.id!r} cannot stand in a line: {chunk.relation!r}")
        for place in range(chunk.start, chunk.end):
            heads[place], relations[place] = str(own + 1), _INSIDE + (sentence.tokens[place].tag.lower() or "x")
        heads[own] = str(places[chunk.head] + 1) if chunk.head >= 0 else "0" if is_tree else NONE
        relations[own] = chunk.relation or (_ROOT if chunk.head < 0 and is_tree else NONE)
    return heads, relations


def _head_place(sentence: Sentence, chunk: Chunk) -> int:
    if chunk.start == chunk.end:
        raise LatticeSimpError(f"sentence {sentence.id!r} has a chunk {chunk.tag} without tokens, which has no place")
    head = sentence.head_of(chunk)
    return next(place for place in range(chunk.start, chunk.end) if sentence.tokens[place] is head)


def _chunk_names(sentence: Sentence) -> list[dict[str, str]]:
    """Returns what MISC says of the chunk of each token: names are numbered, so that neighbours stay apart."""
    counts: dict[str, int] = {}
    found: list[dict[str, str]] = []
    for chunk in sentence.chunks:
        name = (_EMPTY_CHUNK if chunk.is_empty else "") + chunk.tag
        counts[name] = counts.get(name, 0) + 1
        own = {CHUNK: name if counts[name] == 1 else f"{name}{counts[name]}"}
        if _NUMBER.search(chunk.tag):
            own[_CHUNK_TAG] = chunk.tag
        head = _head_place(sentence, chunk)
        found += [{**own, _CHUNK_TYPE: "head" if place == head else "child"} for place in range(chunk.start, chunk.end)]
    return found or [{} for _ in sentence.tokens]
