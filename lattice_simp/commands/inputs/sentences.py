"""The input of the translate command: sentences or word lattices, their skeletons, and hypotheses for skeletons."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lattice_simp.commands.inputs.lattices import require_hypotheses, utterance
from lattice_simp.commands.inputs.whole_sentences import warn_of_whole_sentences
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import EmptyLatticeError, FormatError, LatticeSimpError, SkeletonError
from lattice_simp.formats.collections import read_all
from lattice_simp.formats.moses.plf import Scores as PlfScores
from lattice_simp.formats.nbest import is_nbest, stream_sentences
from lattice_simp.formats.plain_text import sentence_lines, warn_of_lines
from lattice_simp.formats.terms import TERM_LINES, read_terms
from lattice_simp.skeleton import Skeleton, SkeletonRecord, lines_of_records, read_skeletons
from lattice_simp.skeleton.io import BRACKET_REMEDY
from lattice_simp.support.extras import extra
from lattice_simp.support.json_text import is_json
from lattice_simp.support.parallel import require_parallel
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import read_lines, readable
from lattice_simp.translate.source import Source

if TYPE_CHECKING:
    from lattice_simp.text.tokeniser import Tokeniser

ALL_MASKS = "all"

_MASK = re.compile("[01]{2,}")
_BRACKETS = "put [[ and ]] around the deleted tokens of each sentence, or write JSON lines"


@dataclass(frozen=True)
class Sentence:
    """One task: tokens, masks and probabilities of its skeletons, hypotheses for the skeleton, terms, the tokens' text.

    Of a word lattice, the tokens are those of its best path; it may have a name.
    """

    words: tuple[str, ...]
    masks: tuple[str, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    text: str | None = None
    lattice: Lattice | None = None
    probabilities: tuple[float, ...] = ()
    terms: tuple[tuple[str, ...], ...] = ()
    name: str | None = None


@dataclass(frozen=True)
class SkeletonLists:
    """N-best lists of skeletons: a file, the id of its first sentence, and the feature to use as the score."""

    path: Path
    first_id: int = 0
    cost: str | None = None

    def read(self, count: int) -> dict[int, tuple[Hypothesis, ...]]:
        """Returns the hypotheses of `count` sentences by their numbers; sentences without any are left out.

        Raises:
            FormatError: the file is broken, or holds a sentence beyond the last one.
        """
        streamed = stream_sentences(self.path, self.first_id, cost=self.cost, ignore=MARKS)
        lists = {sentence.number: tuple(sentence.hypotheses) for sentence in streamed if sentence.hypotheses}
        last = max(lists, default=0)
        if last >= count:
            message = f"hypotheses of sentence {last + self.first_id}, but the input has {counted(count, 'line')}"
            remedy = f"ids count from {self.first_id} (--first-id); align the files"
            raise FormatError(message, path=self.path, remedy=remedy)
        return lists


def read_sentences(
    source: str | None,
    skeletons: Path | None,
    mask_index: str,
    skeleton_nbest: SkeletonLists | None,
    tokens: Callable[[str], str] | None = None,
) -> list[Sentence]:
    """Returns the sentences of the input, each with its skeletons.

    Without `source`, the sentences are those of the skeleton file. Skeletons and sentences are in the same order;
    JSON lines for some of the sentences name them by their `line` (from 0).

    Args:
        source: a file of one sentence a line.
        skeletons, mask_index: a skeleton file, and which masks of a sentence to take.
        skeleton_nbest: n-best lists of the skeletons.
        tokens: tokenises a line of text; None if blanks separate tokens already.

    Raises:
        FormatError: the files differ in length, or skeletons belong to other sentences; the message names the line.
    """
    texts = None if source is None else list(sentence_lines(source))
    lines = None if texts is None else [tuple(split_tokens(tokens(line) if tokens else line)) for line in texts]
    records = list(_read_records(skeletons)) if skeletons else []
    if lines is not None:
        warn_of_whole_sentences(lines, source)
    if lines is None:
        lines = [record.tokens if record else () for record in records]
    by_line = _align(lines, records, skeletons) if skeletons else {}
    nbest = skeleton_nbest.read(len(lines)) if skeleton_nbest else {}
    return [
        Sentence(
            words,
            _masks(by_line[number], mask_index) if number in by_line else (),
            nbest.get(number, ()),
            texts[number] if texts and tokens else None,
            probabilities=by_line[number].probabilities if number in by_line and mask_index == ALL_MASKS else (),
        )
        for number, words in enumerate(lines)
    ]


def read_lattices(path: Path, skeleton_nbest: SkeletonLists | None, scores: PlfScores | None) -> list[Sentence]:
    """Returns the word lattices of a file, folder or archive (see `formats/collections.py`) as sentences to translate.

    Args:
        path: the path of the lattices, which keep their order.
        skeleton_nbest: n-best lists of their skeletons.
        scores: the kind of the numbers in PLF; None for probabilities, and for other formats.

    Raises:
        FormatError: a lattice is broken, or `scores` is set for another format than PLF.
        EmptyLatticeError: a lattice holds no hypothesis.
        LatticeSimpError: a lattice has a cycle, or is a transducer.
    """
    options: dict[str, Any] = {} if scores is None else {"scores": scores}
    sentences: list[Sentence] = []
    is_list = is_nbest(path)  # sentences of lists may have no hypotheses
    for name, lattice in read_all(path, "plf" if scores else None, **options):
        if not is_list:
            require_hypotheses(lattice, f"{path}: {name}")
        try:
            smaller = lattice.with_used_symbols()
            words = Source.from_lattice(smaller).best_words
        except EmptyLatticeError:  # counts as an empty line
            words = ()
        except LatticeSimpError as error:
            raise FormatError(f"lattice {name}: {error}", path=path) from None
        sentences.append(Sentence(words, lattice=smaller, name=utterance(name)))
    nbest = skeleton_nbest.read(len(sentences)) if skeleton_nbest else {}
    return [replace(sentence, hypotheses=nbest.get(number, ())) for number, sentence in enumerate(sentences)]


def with_terms(sentences: Sequence[Sentence], path: str, tokens: Callable[[str], str] | None) -> list[Sentence]:
    """Returns the sentences with the terms that their translations must hold, a line of the file `path` for each.

    `tokens` tokenises a form; None if blanks separate tokens already.

    Raises:
        FormatError: the file is broken, or has another number of lines.
    """
    lines = read_terms(path)
    require_parallel(path, len(lines), "the input", len(sentences), remedy=TERM_LINES)
    return [
        replace(sentence, terms=tuple(tuple(tokens(form) if tokens else form for form in term) for term in terms))
        for sentence, terms in zip(sentences, lines, strict=True)
    ]


def model_text(model: Path, *, tokenised: bool) -> tuple[Tokeniser, Tokeniser] | None:
    """Returns the tokenisers of both sides of a model with text settings, unless the input is tokens.

    Raises:
        FormatError: the model's text settings are broken.
        MissingExtraError: a tokeniser's library is not installed.
    """
    from lattice_simp.text.settings import TEXT  # takes long to import

    if tokenised or not (model / TEXT).is_file():
        return None
    with extra("text"):
        from lattice_simp.text.tokeniser import model_tokenisers
    return model_tokenisers(model)


def english_text(*, tokenised: bool) -> tuple[Tokeniser, Tokeniser] | None:
    """Returns the tokenisers of English text, unless the input is tokens.

    Raises:
        MissingExtraError: the tokeniser's library is not installed.
    """
    if tokenised:
        return None
    with extra("text"):
        from lattice_simp.text.tokeniser import english_tokenisers
    return english_tokenisers()


def read_records(path: Path) -> Iterator[SkeletonRecord]:
    """Yields the records of a skeleton file: JSON lines or bracket text, according to its first line.

    Raises:
        FormatError: the file is broken or empty, or there is a blank line in bracket text.
    """
    number = 0
    for number, record in enumerate(_read_records(path), start=1):
        if record is None:
            raise FormatError("a blank line", path=path, line=number, remedy="remove it: a skeleton has tokens")
        yield record
    if number == 0:
        raise FormatError("the file is empty", path=path, remedy=_BRACKETS)


def _read_records(path: Path) -> Iterator[SkeletonRecord | None]:
    """Yields records, or None for a blank line of bracket text."""
    with readable(str(path)) as file:
        if is_json(next((line for line in read_lines(file) if line.strip()), "")):
            yield from read_skeletons(file)
            return
        lines = [line.strip() for line in read_lines(file) if line.strip()]
        if any(map(_MASK.fullmatch, lines)) and all(set(line) <= {"0", "1"} for line in lines):
            raise FormatError("masks without their sentences", path=path, line=1, remedy=_BRACKETS)
        if not any("[[" in line for line in lines):
            warn_of_lines(lines, file)
        for number, line in enumerate(read_lines(file)):
            try:
                yield SkeletonRecord(str(number), number, (Skeleton.from_brackets(line),)) if line.strip() else None
            except SkeletonError as error:
                raise FormatError(str(error), path=file, line=number + 1, remedy=BRACKET_REMEDY) from error


def _align(lines: list[tuple[str, ...]], records: list[SkeletonRecord | None], path: Path) -> dict[int, SkeletonRecord]:
    """Finds the record of each sentence that has one."""
    by_line: dict[int, SkeletonRecord] = {}
    for index, (line, record) in enumerate(zip(lines_of_records(records, len(lines), path), records, strict=True)):
        if (record.tokens if record else ()) != lines[line]:
            message = f"the skeleton's tokens are not those of input line {line + 1}"
            remedy = (
                f"tokenise alike; the file has {counted(len(records), 'skeleton')} for {counted(len(lines), 'line')}"
            )
            raise FormatError(message, path=path, line=index + 1, remedy=remedy)
        if record:
            by_line[line] = record
    return by_line


def _masks(record: SkeletonRecord, mask_index: str) -> tuple[str, ...]:
    """Returns all masks, or the one at the index (the last one, if there are fewer)."""
    masks = tuple(skeleton.to_mask() for skeleton in record.skeletons)
    return masks if mask_index == ALL_MASKS else (masks[min(int(mask_index), len(masks) - 1)],)
