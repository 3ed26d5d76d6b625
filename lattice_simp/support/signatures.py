r"""Recognises files that are not UTF-8 text by their first bytes, so that errors name the kind and the remedy.

>>> signature(b"PK\x03\x04\x14\x00").name
'a zip archive'
>>> signature(b"a cat") is None
True
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

HEAD = 1 << 10
"""The number of bytes that signatures look at."""


class Signature(NamedTuple):
    """A kind of file.

    Attributes:
        name: its name in errors, with the article.
        pattern: the first bytes of its files.
        remedy: advice to the user.
    """

    name: str
    pattern: re.Pattern[bytes]
    remedy: str


def signatures(*rows: tuple[str, bytes, str], flags: re.RegexFlag = re.NOFLAG) -> tuple[Signature, ...]:
    """Returns the kinds of files with these names, patterns and remedies."""
    return tuple(Signature(name, re.compile(pattern, flags), remedy) for name, pattern, remedy in rows)


def first_match(kinds: Iterable[Signature], head: bytes) -> Signature | None:
    """Returns the first kind whose files begin with these bytes, or None."""
    return next((kind for kind in kinds if kind.pattern.match(head)), None)


_CONVERT = "convert the file with iconv -f {0} -t UTF-8"
_UNPACK = "unpack it first"
_EXPORT = "export its content as text"
_PICKLE = "write its content as text, such as JSON, with the program that made it: loading pickles can run any code"
_KALDI = "write text: lattice-copy ark:FILE ark,t:- | utils/int2sym.pl -f 3 words.txt > lattices.txt"

ZIP = "a zip archive"
"""The kind of zip archives without a more special kind."""

INSPECT_LOG = rb"PK\x03\x04.{26}(?:_journal/|(?:header|summaries|reductions)\.json|samples/)"
"""The beginning of a log of Inspect, a zip archive: the name of its first file."""

SIGNATURES = signatures(
    ("UTF-32 text", rb"\xff\xfe\0\0|\0\0\xfe\xff", _CONVERT.format("UTF-32")),
    ("UTF-16 text", rb"\xff\xfe|\xfe\xff", _CONVERT.format("UTF-16")),
    ("UTF-16 text without its mark", rb"(?:[\t\n\r -~]\0){4}", _CONVERT.format("UTF-16LE")),
    ("UTF-16 text without its mark", rb"(?:\0[\t\n\r -~]){4}", _CONVERT.format("UTF-16BE")),
    ("a NumPy archive (.npz)", rb"PK\x03\x04.{26}[\w./-]{1,200}\.npy", _EXPORT),
    ("a PyTorch file", rb"PK\x03\x04.{26}[\w./-]{1,200}\.pkl", "write text, such as k2.to_str(fsa, openfst=True)"),
    ("a log of Inspect", INSPECT_LOG, "write its texts first: lattice-simp lattice texts"),
    (ZIP, rb"PK(?:\x03\x04|\x05\x06|\x07\x08)", f"{_UNPACK}; most commands read one of lattices or lists"),
    ("a 7z archive", rb"7z\xbc\xaf\x27\x1c", _UNPACK),
    ("a RAR archive", rb"Rar!\x1a\x07", _UNPACK),
    ("a file packed by lz4", rb"\x04\x22\x4d\x18", _UNPACK),
    ("a file packed by compress", rb"\x1f\x9d", _UNPACK),
    ("a file packed by lzip", rb"LZIP[\0\x01]", _UNPACK),
    ("a NumPy array", rb"\x93NUMPY", _EXPORT),
    ("a Python pickle", rb"\x80[\x02-\x05]", _PICKLE),
    ("a PNG image", rb"\x89PNG", _EXPORT),
    ("a JPEG image", rb"\xff\xd8\xff", _EXPORT),
    ("a GIF image", rb"GIF8[79]a", _EXPORT),
    ("a WebP image", rb"RIFF.{4}WEBP", _EXPORT),
    ("a TIFF image", rb"II\*\0|MM\0\*", _EXPORT),
    ("a BMP image", rb"BM.{4}\0{4}", _EXPORT),
    ("a PDF document", rb"%PDF-", _EXPORT),
    ("a PostScript document", rb"%!PS-", _EXPORT),
    ("an old Office document", rb"\xd0\xcf\x11\xe0", _EXPORT),
    ("sound (WAVE)", rb"RIFF.{4}WAVE", "recognise the speech first"),
    ("sound (FLAC)", rb"fLaC\0", "recognise the speech first"),
    ("sound (Ogg)", rb"OggS\0", "recognise the speech first"),
    ("sound (MP3)", rb"ID3[\x02-\x04]\0|\xff[\xf2\xf3\xfb]", "recognise the speech first"),
    ("an HDF5 file", rb"\x89HDF", _EXPORT),
    ("a SQLite database", rb"SQLite format 3\0", _EXPORT),
    ("an Arrow file", rb"ARROW1\0\0|\xff{4}.{2}\0\0\x10\0{3}", _EXPORT),
    ("a Parquet file", rb"PAR1.{0,16}[\0-\x08]", _EXPORT),
    ("a model (GGUF)", rb"GGUF[\0-\x10]\0", "it is a model, not its output"),
    ("a program", rb"\x7fELF|MZ.{2,60}\0\0\0", "give a file of data"),
    ("a KenLM binary", rb"mmap lm http://kheafield", "it is a language model: give it with --model or --lm"),
    ("an HFST binary", rb"HFST\0", "write text: hfst-fst2txt"),
    ("an lttoolbox binary", rb"LTTB[\0-\xff]{0,7}\0", "write text: lt-print"),
    (
        "a Kaldi archive in binary without lattices, or a damaged one",
        rb"\S{1,200} (?:\0B|\xd6\xfd\xb2\x7e)|\0B",
        _KALDI,
    ),
    ("a Kaldi lattice in binary", rb"\xd6\xfd\xb2\x7e.{4}\w{1,30}.{4}\w*lattice", _KALDI),
    ("an OpenFst archive (FAR)", rb"\x5c(?:\xf3\xb2\x7e|\x51\x56\0)", "take its automata out: farextract"),
    ("an OpenFst symbol table in binary", rb"\x74\xfb\xb2\x7e", "give it with --symbols"),
    flags=re.DOTALL,
)


def signature(head: bytes) -> Signature | None:
    """Returns the kind of file that begins with these bytes; None for text and for unknown kinds."""
    return first_match(SIGNATURES, head)
