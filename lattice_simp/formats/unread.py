r"""What is no lattice and no n-best list looks like, told by its beginning: errors name the kind and the way out.

A kind is a row of a table here, or one of the signatures of binary files of `support.signatures`.

>>> print(refusal(b"name x\nnodes 3 NULL a b\n", "a.pfsg").message)
looks like a PFSG of SRILM, which is not supported
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from lattice_simp.errors import FormatError
from lattice_simp.support.signatures import HEAD, Signature, signature

LATTICES = "lattices are read as OpenFst, AT&T, PLF, SLF and Kaldi's archives"
LISTS = "n-best lists are read as Moses writes them (also cdec, Joshua, Marian), JSON lines, and logs of fairseq"


class Kind(NamedTuple):
    """A kind of text files that are not read as lattices or n-best lists.

    Attributes:
        name: what errors call it, with its article.
        pattern: what its files begin with, without white space before.
        remedy: what a user may do.
    """

    name: str
    pattern: re.Pattern[bytes]
    remedy: str


_SRILM = "write SLF: lattice-tool {0}-in-lattice FILE -write-htk ..."
_KALDI = "write its lattices as text: lattice-copy ark:FILE ark,t:-"
_HTK = "write lattices or n-best lists, too"
_MODEL = "it is a language model: give it with --model or --lm"
_JSON = 'write a line a sentence: {"id": 0, "hypotheses": [{"text": "a cat", "score": -1.5}]}'
_NUMBER = rb"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_TWO = (_NUMBER, _NUMBER)
_TAG = rb"[A-Z.,:$][\w$|=.-]*"
_FEATURES = (
    rb"\d+[ \t]+\d+[ \t]+\S+(?:(?:[ \t]+[^\s:]*[^\s\d:][^\s:]*:%b)+|(?:[ \t]+[^\s:]+:%b){3,})[ \t]*\r?(?:\n|\Z)" % _TWO
)

KINDS = tuple(
    Kind(name, re.compile(pattern), remedy)
    for name, pattern, remedy in (
        ("a PFSG of SRILM", rb"name[ \t]+\S+\s*?\nnodes[ \t]+\d", _SRILM.format("")),
        ("a word mesh of SRILM", rb"(?:name[ \t]+\S+\s*?\n)?numaligns[ \t]+\d", _SRILM.format("-read-mesh ")),
        ("a word lattice of SRILM", rb"version[ \t]+\d+\s*?\n(?:name|initial|node)\b", "write SLF or n-best lists"),
        ("a language model (ARPA)", rb"\\data\\", _MODEL),
        ("a Kaldi archive of sausages, posteriors or vectors", rb"\S+[ \t]+\[\s+%b\s+[-\d\]]" % _NUMBER, _KALDI),
        ("a list of Kaldi's files (.scp)", rb"\S+[ \t]+\S+\.ark:\d+\s", "copy them: lattice-copy scp:FILE ark,t:-"),
        (
            "a CTM file, best words and times alone",
            rb"(?!\d+\s)\S+[ \t]+[0-9AB][ \t]+\d+\.\d+[ \t]+%b[ \t]+[^\s\d]\S*(?:[ \t]+%b)?[ \t]*\r?(?:\n|\Z)" % _TWO,
            _HTK,
        ),
        ("a search graph of Moses", rb"\d+ hyp=\d+ stack=\d+", "write SLF: moses -output-search-graph-slf"),
        ("a lattice of CMU Sphinx", rb"# getcwd:", "write SLF: -outlatfmt htk"),
        ("labels of HTK (MLF)", rb"#!MLF!#", _HTK),
        ("HTML", rb"(?i)<!doctype html|<html\b", "save the file itself, not the page that shows it"),
        ("XML", rb"<\?xml\b|<svg\b", ""),
        ("a program", rb"#!\s*/", ""),
        ("a drawing (DOT)", rb"(?:strict\s+)?(?:di)?graph\s*\w*\s*\{", "give the lattice that it shows"),
        ("a grammar, GBNF or Lark", rb'root[ \t]*::=|start[ \t]*:\s*["/]', "give the lattice that it was made of"),
        ("parsed text (CoNLL-U)", rb"(?:#[^\n]*\n)*1(?:-\d+)?\t[^\t\n]*(?:\t[^\t\n]*){6,}", ""),
        ("parse trees", rb"\(\s*(?:%b\s*)?\(\s*%b\s+(?:\(|[^\s()]+\s*\))" % (_TAG, _TAG), ""),
        ("a text lattice with features", _FEATURES, "name its format: `lattice convert --from features`"),
        ("subtitles", rb"WEBVTT|1\s*\n\d\d:\d\d:\d\d[,.]", ""),
        ("JSON", rb'\{\s*(?:"[^"\n]*"\s*:|\}\s*\Z)|\[\s*(?:[\["{]|%b\s*,|\]\s*\Z)' % _NUMBER, _JSON),
        ("a symbol table", rb"(?:<eps>|<epsilon>|<blk>|<blank>)[ \t]+0\s+\S+[ \t]+\d+\s", "give it with --symbols"),
    )
)
"""The kinds; the first one that fits counts."""

MOST_MATCHED = 1 << 12
"""Bytes that patterns are matched with: some of them take time by the square of a field's length."""

_PLAIN = {
    LATTICES: "make n-best lists of plain text with `lattice collect`",
    LISTS: "make them of plain text with `lattice collect`, of lattices with `lattice nbest -n 100 --moses`",
}


def kind_of(head: bytes) -> Kind | Signature | None:
    """Returns the kind of file that is not read, by its beginning; None for all other files."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:MOST_MATCHED]
    return signature(head[:HEAD]) or next((kind for kind in KINDS if kind.pattern.match(text)), None)


def refusal(head: bytes, path: str | Path | None, wanted: str = LATTICES) -> FormatError:
    """Returns the error of a file of no known format, of its beginning: what it looks like, and what is read."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        return FormatError("the file is empty", path=path, remedy=wanted)
    kind = kind_of(head)
    if kind is not None:
        name, remedy = f"{kind.name}, which is not supported", kind.remedy
    elif b"\0" in text:
        name, remedy = "binary data of no known kind", ""
    elif (line := _line_of_bad_utf8(head)) is not None:
        remedy = "convert the file with iconv -t UTF-8"
        return FormatError("bytes that are not UTF-8", path=path, line=line, remedy=remedy)
    else:
        name = f"plain text, not like {'a lattice' if wanted == LATTICES else 'n-best lists'}"
        remedy = _PLAIN[wanted]
    return FormatError(f"looks like {name}", path=path, remedy="; ".join(filter(None, (remedy, wanted))))


def _line_of_bad_utf8(head: bytes) -> int | None:
    """Returns the line of the first bytes that are not UTF-8; the last character may be cut off."""
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return head.count(b"\n", 0, error.start) + 1
    return None
