r"""Reads and writes n-best lists of all known kinds; reading detects the kind from the content.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "list"
>>> _ = path.write_text("0 ||| a c@@ at ||| LM0= -2.5 ||| -4\n2 ||| the cat ||| LM0= -2 ||| -3.5\n")
>>> for sentence in stream_sentences(path, pieces="bpe"):
...     print(sentence.number, [(hypothesis.text, hypothesis.cost) for hypothesis in sentence.hypotheses])
0 [('a cat', 4.0)]
1 []
2 [('the cat', 3.5)]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain, islice, starmap
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from lattice_simp.core.arguments import choice, instance, mapping, whole
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.marks import unmarked
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.common import HEAD, shown
from lattice_simp.formats.ctm import is_ctm, stream_ctm
from lattice_simp.formats.fairseq import is_fairseq, stream_fairseq
from lattice_simp.formats.htk.labels import is_labels, stream_labels
from lattice_simp.formats.icefall import is_icefall, stream_icefall
from lattice_simp.formats.json.nbest import is_json, is_json_nbest, stream_json, write_json
from lattice_simp.formats.julius.results import is_julius, stream_julius
from lattice_simp.formats.list_lines import Names, Sentence
from lattice_simp.formats.moses.nbest import is_moses, stream_moses, write_moses
from lattice_simp.formats.pieces import MarkCheck, PieceKind, joined, pieces_named
from lattice_simp.formats.srilm.lists import is_srilm, stream_srilm
from lattice_simp.formats.unsupported import LISTS as WANTED
from lattice_simp.formats.unsupported import is_no_list, refusal
from lattice_simp.support.compression import COMPRESSIONS
from lattice_simp.support.textio import file_name, open_binary, readable, require_path

__all__ = [
    "LISTS",
    "ListFormat",
    "has_pieces",
    "is_json_name",
    "is_nbest",
    "list_stem_of",
    "read_nbest",
    "stream_sentences",
    "write_nbest",
]

_MOST_SEARCHED = 1 << 24  # bytes
_LOG = re.compile(rb"[^\n]*\b(?:INFO|WARNING|DEBUG|STAT|Namespace)\b")
"""The first line of a log, whose hypotheses may follow a long description of the model."""

_BARS = re.compile(rb"\|\|\|(?:\s|\Z)")


class ListFormat(NamedTuple):
    """A kind of n-best list.

    Attributes:
        sniff: recognises the kind from the first bytes of a file.
        stream: yields all sentences, numbered from 0; takes the path (`-` is standard input), the id of the first
            sentence (without effect where sentences have no ids), and the name of the feature that replaces the score
            (None for the total; an error where there are no features).
        is_file_named: whether the name of a file is that of its sentence, as a file has only one.
    """

    sniff: Callable[[bytes], bool]
    stream: Callable[[str | Path, int, str | None], Iterator[Sentence]]
    is_file_named: bool = False


LISTS: Mapping[str, ListFormat] = {
    "moses": ListFormat(is_moses, stream_moses),
    "json": ListFormat(is_json_nbest, stream_json),
    "fairseq": ListFormat(is_fairseq, stream_fairseq),
    "htk": ListFormat(is_labels, stream_labels),
    "ctm": ListFormat(is_ctm, stream_ctm),
    "julius": ListFormat(is_julius, stream_julius),
    "icefall": ListFormat(is_icefall, stream_icefall),
    "srilm": ListFormat(is_srilm, stream_srilm, is_file_named=True),
}
"""The kinds by name: Moses (also cdec, Joshua, Marian), JSON, fairseq, HTK's labels, CTM, Julius, icefall, SRILM."""


def read_nbest(
    path: str | Path,
    first_id: int = 0,
    *,
    pieces: PieceKind = "none",
    cost: str | None = None,
    scales: Mapping[str, float] | None = None,
    ignore: Collection[str] = (),
) -> list[list[Hypothesis]]:
    """Returns the n-best list of each sentence in a file; the kind of file is detected from the content.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cat.nbest"
    >>> _ = path.write_text("0 ||| a cat ||| LM= -1.5 ||| -1.5\\n0 ||| the cat ||| LM= -2 ||| -2\\n")
    >>> [[hypothesis.text for hypothesis in hypotheses] for hypotheses in read_nbest(path)]
    [['a cat', 'the cat']]

    Sentences without hypotheses are empty lists, so that the lists stay parallel to the lines of the text. For large
    files, and for the names of sentences, `lattice_simp.formats.nbest.stream_sentences` yields one sentence at a time.

    Args:
        path: the file; `-` is standard input.
        first_id: the id of the first sentence in the file; sentences are numbered from 0 in any case.
        pieces: `bpe` or `sentencepiece` to join subwords into words.
        cost: the feature that replaces the total as the score, such as `F0`, the log probability in Marian's lists,
            whose total may be divided by the length; `-NAME` or `-total` if the value is a cost, as in Nematus' lists.
        scales: weights of features; their weighted sum replaces the total as the score.
        ignore: tokens to remove because they are not words, for example `MARKS`; by default none.

    Raises:
        FormatError: the file is broken, of an unknown kind (the message says what it looks like), or its subwords lack
            the marks of their kind.
        LatticeSimpError: `pieces` is unknown, or there are both `cost` and `scales`.
    """
    sentences = stream_sentences(path, first_id, pieces=pieces, cost=cost, scales=scales, ignore=ignore)
    return [sentence.hypotheses for sentence in sentences]


def stream_sentences(
    path: str | Path,
    first_id: int = 0,
    *,
    pieces: PieceKind = "none",
    cost: str | None = None,
    scales: Mapping[str, float] | None = None,
    ignore: Collection[str] = (),
) -> Iterator[Sentence]:
    """Yields the n-best lists of a file with the names of their sentences; arguments and errors as for `read_nbest`.

    Names of sentences are distinct: one that occurs again gets a number. A list of SRILM has the name of its file.
    """
    if cost is not None and scales is not None:
        raise LatticeSimpError("the cost and the scales both set the score; give one of them")
    check, names, first_id = MarkCheck(pieces, path), Names(path), whole(first_id, "first_id")
    if cost is not None:
        instance(cost, str, "the cost, the name of a feature,")
    scales = None if scales is None else mapping(scales, "the scales")
    with readable(path) as file:
        kind = _kind(file)
        sentences = kind.stream(file, first_id, cost)
        for sentence in _file_named(sentences, path) if kind.is_file_named else sentences:
            name = None if sentence.name is None else names.distinct(sentence.name)
            if not sentence.hypotheses:  # there may be many, for missing ids
                yield sentence._replace(name=name)
                continue
            hypotheses = unmarked(sentence.hypotheses, ignore)
            check.see(hypothesis.tokens for hypothesis in hypotheses)
            if scales is not None:
                hypotheses = [_scaled(hypothesis, scales, path, sentence.number) for hypothesis in hypotheses]
            yield Sentence(sentence.number, [joined(hypothesis, pieces) for hypothesis in hypotheses], name)
    check.finish()


def _scaled(hypothesis: Hypothesis, scales: Mapping[str, float], path: str | Path, number: int) -> Hypothesis:
    """Returns a hypothesis whose score is the weighted sum of its features."""
    missing = next((name for name in scales if name not in hypothesis.features), None)
    if missing is not None:
        names = ", ".join(hypothesis.features) or "none"
        message = f"a hypothesis of sentence {number} has no feature {missing!r}"
        raise FormatError(message, path=path, remedy=f"its features are: {names}")
    return hypothesis.with_cost(0.0 - sum(scale * hypothesis.features[name] for name, scale in scales.items()))


def _file_named(sentences: Iterator[Sentence], path: str | Path) -> Iterator[Sentence]:
    """Names the only sentence of a file after the file."""
    first, name = list(islice(sentences, 2)), file_name(path)
    if len(first) == 1 and name is not None:
        first = [first[0]._replace(name=list_stem_of(name))]
    return chain(first, sentences)


def _kind(file: str | Path) -> ListFormat:
    """Returns the kind of a list; lines with Moses' separators go to its reader, which reports their errors."""
    kind = _sniffed(file)
    if kind is not None:
        return kind
    with open_binary(file) as opened:
        head = opened.read(HEAD)
    if _BARS.search(head.split(b"\n", 1)[0]) is None or is_no_list(head):
        raise refusal(head, file, WANTED)
    return LISTS["moses"]


def has_pieces(path: str | Path, pieces: PieceKind) -> bool:
    """Returns whether the tokens of a list are subwords of a kind: whether one of them has its mark."""
    kind = pieces_named(pieces)
    return kind is not None and kind.mark_any(
        hypothesis.tokens for sentence in stream_sentences(path) for hypothesis in sentence.hypotheses
    )


def write_nbest(
    groups: Iterable[list[Hypothesis] | tuple[int, Iterable[Hypothesis]] | Sentence],
    path: str | Path,
    *,
    first_id: int = 0,
    style: Literal["moses", "cdec"] = "moses",
) -> None:
    """Writes n-best lists as JSON lines if the file name ends in `.jsonl`, and in Moses' format otherwise.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cat.nbest"
    >>> write_nbest([(0, [Hypothesis(("a", "cat"), 1.5, {"LM": -1.5})])], path)
    >>> path.read_text()
    '0 ||| a cat ||| LM= -1.5 ||| -1.5\\n'

    Args:
        groups: the list of each sentence, in order, as `read_nbest` returns them; or the numbers of sentences, from 0,
            with their hypotheses. JSON lines have the names of a `Sentence`, too.
        path: the file; `-` is standard output.
        first_id: the id of sentence 0.
        style: the style of Moses' format: "moses" writes `Name= values`, "cdec" `Name=value` for single values.

    Raises:
        InvalidLatticeError: words or names could not be read back.
        LatticeSimpError: the file cannot be written, or a group has no number or no hypotheses.
    """
    first_id = whole(first_id, "first_id")
    choice(style, ("moses", "cdec"), "style")
    if not np.iterable(groups):
        raise TypeError(f"expected a list of n-best lists, not {groups!r:.80}")
    sentences = starmap(_sentence_of, enumerate(groups))
    path = require_path(path)
    if is_json_name(path):
        write_json(sentences, path, first_id=first_id)
    else:
        write_moses(sentences, path, first_id=first_id, style=style)


def _sentence_of(index: int, group: object) -> Sentence:
    """Returns the sentence of a list, numbered by its index, or of a number and its hypotheses.

    Raises:
        LatticeSimpError: the group is something else, such as a single hypothesis.
    """
    if isinstance(group, list):
        group = (index, group)
    if not isinstance(group, tuple) or len(group) < 2 or not hasattr(group[0], "__index__"):
        remedy = "for the list of one sentence, write_nbest([hypotheses], path)"
        raise LatticeSimpError(
            f"expected lists of hypotheses, or pairs of a number and a list, found {shown(repr(group))} ({remedy})"
        )
    hypotheses = list(group[1])
    wrong = next((entry for entry in hypotheses if not isinstance(entry, Hypothesis)), None)
    if wrong is not None:
        remedy = "make them with ls.Hypothesis(tokens, cost)"
        message = f"sentence {group[0]}: expected hypotheses, found {shown(repr(wrong))}"
        raise LatticeSimpError(f"{message} ({remedy})")
    return Sentence(group[0], hypotheses, getattr(group, "name", None))


def is_json_name(path: str | Path) -> bool:
    """Returns whether a file name has the ending of JSON lines.

    >>> is_json_name("a.jsonl.gz"), is_json_name("a.nbest")
    (True, False)
    """
    return _ending(path) == ".jsonl"


def is_list_name(path: str | Path) -> bool:
    """Returns whether a file name has an ending of n-best lists.

    >>> is_list_name("a.jsonl"), is_list_name("a.nbest.gz"), is_list_name("a.txt")
    (True, True, False)
    """
    return _ending(path) in (".jsonl", ".nbest")


def _ending(path: str | Path) -> str:
    """Returns the ending of a file's name without that of a compression."""
    return next((suffix for suffix in reversed(Path(path).suffixes) if suffix not in COMPRESSIONS), "")


def is_nbest(path: str | Path) -> bool:
    """Recognises an n-best list of any kind by its first bytes."""
    return _sniffed(path) is not None


def list_stem_of(name: str) -> str:
    """Removes the endings of compression and of its kind from the file name of an n-best list; numbers stay.

    >>> list_stem_of("a/u-1.score.gz"), list_stem_of("talk.007"), list_stem_of("u-1.json")
    ('a/u-1', 'talk.007', 'u-1')
    """
    path = Path(name)
    if path.suffix in COMPRESSIONS:
        path = path.with_suffix("")
    return str(path.with_suffix("") if path.suffix[1:].isalpha() else path)


def _sniffed(path: str | Path) -> ListFormat | None:
    if Path(path).is_dir():
        return None
    with open_binary(path) as file:
        head = file.read(HEAD)
        if len(head) == HEAD and (is_json(head) or _LOG.match(head)):  # what tells the kind may come late
            head += file.read(_MOST_SEARCHED)
    return next((kind for kind in LISTS.values() if kind.sniff(head)), None)
