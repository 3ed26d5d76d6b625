"""Opening files: compression, atomic writing, UTF-8, standard streams, damage."""

from __future__ import annotations

import builtins
import bz2
import errno
import gzip
import io
import lzma
import os
import stat
import sys

import pytest
import zstandard
from format_helpers import COMPRESSIONS, fuzz

import lattice_simp as ls
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support import compression, textio
from lattice_simp.support.textio import check_writable, open_binary, open_text, read_bytes, read_lines

TEXT = "one\u2028line\u0085 still\x0b\x0c\x1c the\u00a0same\nsecond\r\n\nlast"
LINES = ["one\u2028line\u0085 still\x0b\x0c\x1c the\u00a0same", "second", "", "last"]


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_round_trip(tmp_path, suffix):
    path = tmp_path / f"text.txt{suffix}"
    with open_text(path, "w") as file:
        file.write(TEXT)
    with open_text(path) as file:
        assert file.read() == TEXT
    assert list(read_lines(path)) == LINES
    assert read_bytes(path) == TEXT.encode()
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("suffix", "unpack"),
    [
        (".gz", gzip.decompress),
        (".bz2", bz2.decompress),
        (".xz", lzma.decompress),
        (".zst", lambda data: zstandard.decompress(data, 100)),
    ],
)
def test_other_programs_unpack_what_is_written(tmp_path, suffix, unpack):
    with open_binary(tmp_path / f"x{suffix}", "w") as file:
        file.write(b"abc" * 10)
    assert unpack((tmp_path / f"x{suffix}").read_bytes()) == b"abc" * 10


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_content_determines_the_compression_whatever_the_name(tmp_path, compress):
    (tmp_path / "plain.txt").write_bytes(compress(b"first ") + compress(b"second"))  # two members in a row
    assert read_bytes(tmp_path / "plain.txt") == b"first second"


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
@pytest.mark.parametrize("cut", [7, -9, -1])
def test_cut_off_files(tmp_path, compress, cut):
    path = tmp_path / "cut"
    path.write_bytes(compress(os.urandom(50_000))[:cut])
    with pytest.raises(FormatError, match=r"cut: the compressed data are damaged or cut off.*get the file again"):
        read_bytes(path)
    with pytest.raises(FormatError):
        list(read_lines(path))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_a_compressed_name_without_compressed_content(tmp_path, suffix):
    (tmp_path / f"x{suffix}").write_bytes(b"")
    with pytest.raises(FormatError, match=f"no {suffix[1:]} data in this file"):
        read_bytes(tmp_path / f"x{suffix}")


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_large_content_is_streamed_and_limited(tmp_path, compress):
    path = tmp_path / "bomb"
    path.write_bytes(compress(b"x" * 50_000_000))
    with pytest.raises(FormatError, match="more than 1000000 bytes"):
        read_bytes(path, limit=1_000_000)
    with open_binary(path) as file:
        assert file.read(3) == b"xxx"


def test_long_lines_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(textio, "MAX_LINE_BYTES", 10)
    (tmp_path / "x").write_bytes(b"012345678\n" + b"x" * 11)
    with pytest.raises(FormatError, match="x:2: the line is too long"):
        list(read_lines(tmp_path / "x"))


def test_bad_utf8_names_the_line(tmp_path):
    path = tmp_path / "latin1.txt"
    path.write_bytes("gut\ncafé\n".encode("latin-1"))
    message = r"latin1.txt:2: bytes that are not UTF-8 \(convert the file with iconv"
    with pytest.raises(FormatError, match=message):
        list(read_lines(path))
    with pytest.raises(FormatError, match=message), open_text(path) as file:
        file.read()


def test_byte_order_mark_is_dropped(tmp_path):
    (tmp_path / "bom").write_bytes(b"\xef\xbb\xbfa\nb\n")
    assert list(read_lines(tmp_path / "bom")) == ["a", "b"]
    with open_text(tmp_path / "bom") as file:
        assert file.read() == "a\nb\n"


@pytest.mark.parametrize("name", ["missing", "", "no/such/folder", "nul\0byte"])
def test_files_that_cannot_be_read(tmp_path, name):
    with pytest.raises(FormatError, match="cannot be read"):
        read_bytes(f"{tmp_path}/{name}")


def test_files_that_may_not_be_read(tmp_path, monkeypatch):
    def refused(*arguments, **options):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(builtins, "open", refused)
    with pytest.raises(FormatError, match=r"cannot be read: Permission denied \(ask for the permission to read it\)"):
        read_bytes(tmp_path / "a.txt")


@pytest.mark.parametrize("name", ["", "new/", "no/such/folder", "nul\0byte"])
def test_files_that_cannot_be_written(tmp_path, name):
    with pytest.raises(LatticeSimpError, match="cannot be written"), open_binary(f"{tmp_path}/{name}", "w"):
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", "new/", "no/such/folder", "nul\0byte"])
def test_what_cannot_be_written_is_found_out_before(tmp_path, name):
    with pytest.raises(LatticeSimpError, match="cannot be written"):
        check_writable(f"{tmp_path}/{name}")


def test_what_can_be_written_stays_as_it_is(tmp_path):
    (tmp_path / "old").write_text("text")
    for name in (tmp_path / "old", tmp_path / "new", "/dev/null", "-"):
        check_writable(name)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert (tmp_path / "old").read_text() == "text"


@pytest.mark.parametrize(
    ("number", "remedy"),
    [(errno.ENOSPC, "free some space"), (errno.ENOENT, "make its folder"), (errno.EACCES, "choose")],
)
def test_the_remedy_is_that_of_the_fault(tmp_path, monkeypatch, number, remedy):
    def fail(name, mode):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(builtins, "open", fail)
    with pytest.raises(LatticeSimpError, match=rf"cannot be written: .* \({remedy}"), open_text(tmp_path / "x", "w"):
        pass


class _FullDisk(io.FileIO):
    def write(self, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, suffix):
    path = tmp_path / f"x{suffix}"
    path.write_bytes(b"old")
    monkeypatch.setattr(builtins, "open", lambda name, mode: io.BufferedWriter(_FullDisk(name, mode)))
    with (
        pytest.raises(LatticeSimpError, match=r"x.*cannot be written: No space left on device"),
        open_text(path, "w") as file,
    ):
        file.write("new" * 1_000_000)
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_a_writer_that_stops_leaves_nothing(tmp_path, error):
    def write():
        with open_text(tmp_path / "x.gz", "w") as file:
            file.write("half")
            raise error

    with pytest.raises(error):
        write()
    assert not list(tmp_path.iterdir())


def test_the_file_appears_when_it_is_complete(tmp_path):
    with open_text(tmp_path / "x", "w") as file:
        file.write("half")
        file.flush()
        assert not (tmp_path / "x").exists()
    assert (tmp_path / "x").read_text() == "half"


def test_modes_and_links_survive(tmp_path):
    path, link = tmp_path / "target", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    with open_text(link, "w") as file:
        file.write("new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_devices_are_written_in_place():
    with open_text("/dev/null", "w") as file:
        file.write("x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_text_that_utf8_cannot_hold(tmp_path):
    with pytest.raises(LatticeSimpError, match="UTF-8 cannot encode"), open_text(tmp_path / "x", "w") as file:
        file.write("\ud800")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("compress", [bytes, gzip.compress, zstandard.compress])
def test_standard_input(monkeypatch, compress):
    for read in (read_bytes, lambda path: "\n".join(read_lines(path)).encode()):
        stream = io.TextIOWrapper(io.BytesIO(compress(b"a\nb")))
        monkeypatch.setattr(sys, "stdin", stream)
        assert read("-") == b"a\nb"
        assert not stream.buffer.closed


def test_standard_output(capfdbinary):
    print("before ", end="")
    with open_text("-", "w") as file:
        file.write("café\n")
    print("after")
    assert capfdbinary.readouterr().out == "before café\nafter\n".encode()


def test_standard_output_of_text_alone(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with open_text("-", "w") as file:
        file.write("café\n")
    assert sys.stdout.getvalue() == "café\n"


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_fuzzed_compression(tmp_path, compress):
    path = tmp_path / "fuzzed"

    def read(data: bytes) -> None:
        path.write_bytes(data)
        read_bytes(path, limit=1 << 26)

    fuzz(compress(b"0 1 a 0.5\n1\n" * 50), read, seconds=0.7)


def test_bombs_are_refused_and_dense_files_are_not(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "FREE_BYTES", 1 << 20)
    packers = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstandard.compress}
    lines = "\n".join(f"{number} ||| a b c ||| f= -{number}" for number in range(40_000)).encode()
    for suffix, pack in packers.items():
        path = tmp_path / f"lines{suffix}"
        path.write_bytes(pack(lines))
        assert textio.read_bytes(path) == lines
        path.write_bytes(pack(b"\0" * (1 << 20)))  # as much as any file may have
        assert len(textio.read_bytes(path)) == 1 << 20
        size = 1 << 23
        path.write_bytes(pack(b"\0" * size))
        if size < compression.MAX_RATIO * path.stat().st_size:
            continue  # gzip packs to about a thousandth at most
        for read in (textio.read_bytes, lambda path: list(textio.read_lines(path))):
            with pytest.raises(
                FormatError, match=rf"lines\{suffix}: unpacks to more than 1000 times its size \(unpack"
            ):
                read(path)
        with pytest.raises(FormatError, match="more than 1000 times"):
            textio.read_bytes(textio.Member("a.tar", path.name, path.read_bytes()))


class OtherPath:
    """A path of another library: its file is `__fspath__`, and not its text."""

    def __init__(self, path):
        self.path = str(path)

    def __fspath__(self):
        return self.path


def test_any_object_with_a_path_is_a_path(tmp_path):
    lattice = ls.Lattice.from_strings([("a cat", 1.0), ("the cat", 2.0)])
    expected = [(path.text, path.cost) for path in ls.nbest(lattice, 2)]
    for name in ("a.txt", "b.slf", "c.plf", "d.fst", "e.slf.gz"):
        path = OtherPath(tmp_path / name)
        ls.write(lattice, path)
        for result in (ls.read(path), *(entry for _, entry in ls.read_all(path))):
            assert [(entry.text, round(entry.cost, 5)) for entry in ls.nbest(result, 2)] == expected
    assert len(list(ls.read_all(OtherPath(tmp_path)))) == 5
    for name in ("a.nbest", "a.jsonl", "a.jsonl.xz"):
        path = OtherPath(tmp_path / name)
        ls.write_nbest([ls.nbest(lattice, 2)], path)
        assert [[(entry.text, entry.cost) for entry in entries] for entries in ls.read_nbest(path)] == [expected]
    model = "\\data\\\nngram 1=3\n\n\\1-grams:\n-1 <s>\n-1 </s>\n-1 a\n\n\\end\\\n"
    (tmp_path / "a.arpa").write_text(model)
    assert ls.LanguageModel.read(OtherPath(tmp_path / "a.arpa")).name == str(tmp_path / "a.arpa")
    missing, unknown = OtherPath(tmp_path / "missing"), OtherPath(tmp_path / "a.unknown")
    readers = (
        ls.read,
        ls.read_nbest,
        ls.LanguageModel.read,
        ls.TokenVocabulary.read,
        lambda path: [*ls.read_all(path)],
    )
    for read in readers:
        with pytest.raises(FormatError, match=f"^{tmp_path}/missing: "):
            read(missing)
    with pytest.raises(LatticeSimpError, match=f"^{tmp_path}/a.unknown: "):
        ls.write(lattice, unknown)
