"""Reads and writes collections of lattices: n-best lists, folders, archives (tar, zip, Kaldi's), PLF files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.core.word_times import longest_overlap
from lattice_simp.errors import FormatError, LatticeSimpError, warn
from lattice_simp.formats import (
    FORMATS,
    READ_ONLY,
    check_format,
    check_labels,
    format_of,
    format_of_data,
    read,
    scaled,
)
from lattice_simp.formats.common import HEAD, natural_order, never
from lattice_simp.formats.julius.lattices import JULIUS, julius_lattices
from lattice_simp.formats.kaldi.archives import is_archive as is_kaldi_archive
from lattice_simp.formats.kaldi.archives import is_script, kaldi_lattices
from lattice_simp.formats.kaldi.sausages import is_sausages, sausage_lattices
from lattice_simp.formats.list_lines import Names, Sentence
from lattice_simp.formats.moses.graphs import is_search_graph, search_graphs
from lattice_simp.formats.moses.networks import is_moses_networks, moses_networks
from lattice_simp.formats.moses.plf import read_plf
from lattice_simp.formats.named_lattices import Load, NamedLattice, refuse_reading
from lattice_simp.formats.nbest import is_nbest, list_stem_of, stream_sentences
from lattice_simp.support.archives import archive_files, archive_stem, is_archive
from lattice_simp.support.atomic import is_growing
from lattice_simp.support.compression import COMPRESSIONS
from lattice_simp.support.textio import Member, open_binary, read_lines, readable, text_begin


class Entry(NamedTuple):
    """A lattice of a collection.

    Attributes:
        name: the lattice's name.
        load: reads the lattice.
        file: the path of its file within the folder or archive; empty if several lattices share a file.
        format: returns the format of its file, a name in `FORMATS`, or None for any other file.
    """

    name: str
    load: Load
    file: str
    format: Callable[[], str | None]


NamedLattices: TypeAlias = Iterator[NamedLattice]

Same = TypeVar("Same")

_ROUNDING = 0.035  # seconds by which words may overlap because recognisers round their times


def read_all(
    path: str | Path,
    format: str | None = None,
    symbols: SymbolTable | None = None,
    *,
    scales: Mapping[str, float] | None = None,
    **options: Any,
) -> Iterator[tuple[str, Lattice]]:
    """Yields the names and the lattices of a file or a folder, one lattice at a time.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "two.nbest"
    >>> _ = path.write_text("0 ||| a cat ||| LM= -1 ||| -1\\n1 ||| a dog ||| LM= -2 ||| -2\\n")
    >>> [(name, lattice.features["LM"].tolist()) for name, lattice in read_all(path)]
    [('0', [0.0, -1.0]), ('1', [0.0, -2.0])]

    The names of the lattices are:

    - in n-best lists: the names of the sentences, or their numbers;
    - in folders, tar and zip archives: the names of files without endings, `FILE-NAME` for each lattice of a file with
      several, and `ARCHIVE/NAME` for the lattices of an archive in a folder or an archive;
    - in Kaldi's archives and script files: the utterances;
    - in PLF files and confusion networks of Moses: the numbers of the lattices, from 0;
    - in search graphs of Moses: the numbers of the sentences;
    - in other files, which hold one lattice: the name of the file.

    A name that occurs again gets a number, so names are distinct.

    Args:
        path: a file of lattices or n-best lists, a folder, or an archive; `-` is standard input.
        format: the files' format, a name in `FORMATS`; None to detect it from their content.
        symbols: the table that numbers the words; it grows as needed. A new one for each file if None.
        scales: weights of features in the costs; other features of a lattice keep those of the file.
        options: options of the format's reader; for n-best lists those of `read_nbest`.

    Raises:
        FormatError: a file is broken, or the folder or archive is empty; an option is not one of the format's reader.
        InvalidLatticeError: a lattice lacks a feature of `scales`.
    """
    options |= {} if scales is None else {"scales": scales}
    return ((entry.name, entry.load()) for entry in entries(path, format, symbols, **options))


def entries(
    path: str | Path, format: str | None = None, symbols: SymbolTable | None = None, **options: Any
) -> Iterator[Entry]:
    """Yields the lattices of `read_all` as entries that are loaded later, so that a broken file can be skipped.

    Raises:
        FormatError: a list or archive is broken, or the folder is empty.
    """
    check_format(format, path)
    names = Names(path)
    for entry in _Reader(format, symbols, options).entries(path):
        yield entry._replace(name=names.distinct(entry.name))


@dataclass(frozen=True)
class _Reader:
    """Reads files, folders and archives with the same options.

    Attributes:
        format: the files' format; None to detect it from their content.
        symbols: the table that numbers the words; None for a new one for each file.
        options: options of the format's reader, and the scales.
    """

    format: str | None
    symbols: SymbolTable | None
    options: dict[str, Any]

    def entries(self, path: str | Path) -> Iterator[Entry]:
        """Yields the lattices of a file, a folder or an archive."""
        with readable(path) as file:
            here = Path(file)
            if here.is_dir():
                files = [member for member in here.rglob("*") if member.is_file() and not is_growing(member)]
                members = (
                    self.members(member, str(member.relative_to(here))) for member in sorted(files, key=natural_order)
                )
                yield from _filled(chain.from_iterable(members), path)
            elif is_archive(here):
                yield from _filled(self.archived(here), path)
            else:
                kind = partial(format_of_parts, here, self.format)
                for name, load in self.lattices(here):
                    yield Entry(name, load, "", kind)

    def members(self, file: Path | Member, name: str) -> Iterator[Entry]:
        """Yields the lattices of a file of a folder or archive, with the file's name in theirs if there are several."""
        stem = list_stem_of(name)
        try:
            if is_archive(file):
                stem = archive_stem(name)
                for entry in self.archived(file):
                    yield entry._replace(name=f"{stem}/{entry.name}", file=entry.file and f"{stem}/{entry.file}")
            elif self.format is None and is_nbest(file):
                yield from self.list_members(file, stem)
            elif self.format is None and is_script(_head(file)):
                remedy = "pass it alone to read the lattices that it lists"
                warn("left out a script file, as archives of the same folder are read", path=file, remedy=remedy)
            else:
                yield from self.lattice_members(file, name)
        except FormatError as error:
            yield Entry(stem, partial(refuse_reading, error), "", partial(_same, None))

    def list_members(self, file: Path | Member, stem: str) -> Iterator[Entry]:
        """Yields the sentences of an n-best list; none if a line is broken."""
        sentences = [sentence for sentence in self.sentences(file) if not sentence.is_missing]
        for sentence in sentences:
            full = stem if len(sentences) == 1 else f"{stem}-{self.name_of(sentence)}"
            load = partial(list_lattice, sentence._replace(name=sentence.name or full), self.symbols)
            yield Entry(full, load, "", partial(_same, None))

    def lattice_members(self, file: Path | Member, name: str) -> Iterator[Entry]:
        """Yields the only lattice of a file, or its lattices one by one."""
        several = self.several(file)
        firsts = [] if several is None else list(islice(several, 2))
        if several is None or len(firsts) < 2:
            kind = partial(format_of, file) if self.format is None else partial(_same, self.format)
            yield Entry(stem_of(name), partial(read, file, self.format, self.symbols, **self.options), name, kind)
            return
        kind = partial(_same, self.format or format_of_data(_head(file)))
        for lattice, load in chain(firsts, several):
            yield Entry(f"{stem_of(name)}-{lattice}", load, "", kind)

    def archived(self, archive: Path | Member) -> Iterator[Entry]:
        """Yields the lattices of the files of a tar or zip archive; raises FormatError if it is damaged."""
        for file in archive_files(archive):
            yield from self.members(file, file.name)

    def lattices(self, path: Path) -> NamedLattices:
        """Yields the lattices of a file that is neither a folder nor an archive."""
        if self.format is None and is_nbest(path):
            for sentence in self.sentences(path):
                yield self.name_of(sentence), partial(list_lattice, sentence, self.symbols)
            return
        several = self.several(path)
        if several is None:
            yield stem_of(path.name), partial(_same, read(path, self.format, self.symbols, **self.options))
        else:
            yield from several

    def sentences(self, path: Path | Member) -> Iterator[Sentence]:
        """Yields the sentences of an n-best list."""
        check_labels(self.reader_options, "nbest", path)
        return stream_sentences(path, **self.options)

    def name_of(self, sentence: Sentence) -> str:
        """Returns the name of a sentence, or its number in the file."""
        return sentence.name or str(sentence.number + self.options.get("first_id", 0))

    @property
    def reader_options(self) -> dict[str, Any]:
        """The options of a format's reader: without the scales, which all formats have."""
        return {name: value for name, value in self.options.items() if name != "scales"}

    def several(self, path: str | Path) -> NamedLattices | None:
        """Returns the lattices of a file whose format holds several, or None for any other file."""
        head = b"" if self.format is not None else text_begin(_head(path))
        name = self.format or next((name for name, (sniff, _) in _SEVERAL.items() if sniff(head)), None)
        if name is None or name not in _SEVERAL:
            return None
        check_labels(self.reader_options, name, path)
        lattices = _SEVERAL[name][1](path, self.symbols, **self.reader_options)
        scales = self.options.get("scales")
        return lattices if scales is None else _all_scaled(lattices, scales, path)


def format_of_parts(path: str | Path, format: str | None) -> str | None:
    """Returns the format of a file of lattices, or None for folders, archives and n-best lists."""
    if format is not None:
        return format
    return None if Path(path).is_dir() or is_archive(path) or is_nbest(path) else format_of_data(_head(path))


def _all_scaled(lattices: NamedLattices, scales: Mapping[str, float], path: str | Path) -> NamedLattices:
    for name, load in lattices:
        yield name, partial(_load_scaled, load, scales, path)


def _load_scaled(load: Load, scales: Mapping[str, float], path: str | Path) -> Lattice:
    return scaled(load(), scales, path)


def list_lattice(sentence: Sentence, symbols: SymbolTable | None = None) -> Lattice:
    """Returns the lattice of an n-best list, with its name; warns if its words overlap in time."""
    if any(entry.times and longest_overlap(entry.times) > _ROUNDING for entry in sentence.hypotheses):
        remedy = "JSON lines keep their times: `lattice tokens --output NAME.jsonl`"
        warn("words that overlap in time follow each other in lattices", remedy=remedy)
    lattice = Lattice.from_nbest(sentence.hypotheses, symbols)
    return lattice if sentence.name is None else replace(lattice, header=replace(lattice.header, name=sentence.name))


def _same(value: Same) -> Same:
    return value


def is_collection(path: str | Path, format: str | None = None) -> bool:
    """Returns whether a path may hold several lattices: anything that `read_all` reads except single lattices."""
    members: Iterator[Any]
    if format in JULIUS:
        members = julius_lattices(path, kind=format)
    elif Path(path).is_dir() or is_archive(path):
        return True
    elif is_nbest(path):
        members = (sentence for sentence in stream_sentences(path) if not sentence.is_missing)
    else:
        head = text_begin(_head(path))
        if is_kaldi_archive(head) or is_sausages(head):
            return True
        if is_search_graph(head):
            members = search_graphs(path)
        elif is_moses_networks(head):
            members = moses_networks(path)
        else:
            members = read_lines(path) if _is_plf(head) else iter(())
    return len(list(islice(members, 2))) > 1


def new_file(folder: str | Path, name: str, written: set[Path]) -> Path:
    """Returns the path for a new file in a folder; creates the folder and adds the path to `written`.

    Raises:
        LatticeSimpError: the folder cannot be made, or the name leads out of it, holds a null character, or is in
            `written`.
    """
    if "\0" in name:
        raise LatticeSimpError(f"{folder}: the name {name!r} holds a null character; rename the entry")
    target = Path(folder, name)
    if Path(folder).resolve() not in target.resolve().parents:
        raise LatticeSimpError(f"{folder}: the name {name!r} leads out of it; rename the entry")
    if target in written:
        raise LatticeSimpError(f"{target}: two lattices would have this name; rename one of them")
    written.add(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LatticeSimpError(f"{target.parent}: cannot be made: {error.strerror}") from error
    return target


def _is_plf(head: bytes) -> bool:
    return bool(FORMATS["plf"].sniff(head))


def _plf_lattices(path: str | Path, symbols: SymbolTable | None = None, **options: Any) -> NamedLattices:
    """Yields the numbers of a file's lines, from 0, and functions that return their lattices."""
    for number, lattice in enumerate(read_plf(path, symbols, **options)):
        yield str(number), partial(_same, lattice)


_SEVERAL: Mapping[str, tuple[Callable[[bytes], bool], Callable[..., NamedLattices]]] = {
    "kaldi": (is_kaldi_archive, kaldi_lattices),
    "kaldi-binary": (never, kaldi_lattices),
    "sausages": (is_sausages, sausage_lattices),
    "moses-cn": (is_moses_networks, moses_networks),
    "moses-graph": (is_search_graph, search_graphs),
    **{name: (never, partial(julius_lattices, kind=name)) for name in JULIUS},
    "plf": (_is_plf, _plf_lattices),
}
"""The formats of files with several lattices: functions that recognise them by their first bytes, and that read them.

Those of Julius are not recognised, since their files hold lists, too.
"""


def stem_of(name: str) -> str:
    """Removes the endings of format and compression from a file name."""
    path = Path(name)
    if path.suffix in COMPRESSIONS:
        path = path.with_suffix("")
    suffixes = {suffix for kind in (FORMATS | READ_ONLY).values() for suffix in kind.suffixes}
    return str(path.with_suffix("")) if path.suffix in suffixes else str(path)


def _filled(members: Iterator[Entry], path: str | Path) -> Iterator[Entry]:
    """Yields the entries; raises an error if there are none."""
    is_empty = True
    for entry in members:
        is_empty = False
        yield entry
    if is_empty:
        raise FormatError("holds no lattices", path=path, remedy="pass a folder or an archive with lattice files")


def _head(path: str | Path) -> bytes:
    with open_binary(path) as file:
        return file.read(HEAD)
