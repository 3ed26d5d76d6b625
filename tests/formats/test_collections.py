"""Collections of lattices."""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

import lattice_simp as ls
from lattice_simp import Lattice
from lattice_simp.errors import FormatError, InputWarning, LatticeSimpError
from lattice_simp.formats import open_archive
from lattice_simp.formats.collections import entries, is_collection, new_file, read_all

KALDI = """first-utterance\x20
0\t1\thello\t1.5,2.25,3_4_4
0\t1\thullo\t2,2,3_4
1\t2\t<eps>\t,0.5,
1\t3\tworld\t0.5,-1,7
2\t0.25,0.5,
3

second
0 1 yes
1 0.5,0,

"""


def strings(lattice):
    return [(path.text, round(path.cost, 6)) for path in ls.nbest(lattice, 9)]


def test_kaldi_archives(tmp_path):
    path = tmp_path / "lats.txt"
    path.write_text(KALDI, encoding="utf-8")
    first, second = read_all(path)
    assert first[0] == "first-utterance"
    assert strings(first[1]) == [("hello world", 3.25), ("hullo world", 3.5), ("hello", 5.0), ("hullo", 5.25)]
    best, *_, last = ls.nbest(first[1], 9)
    assert best.features == {"graph": -2.0, "acoustic": -1.25, "time": 0.04}
    assert last.features == {"graph": -2.25, "acoustic": -3.0, "time": 0.02}
    assert "time" not in second[1].features
    assert [value.header.name for _, value in (first, second)] == ["first-utterance", "second"]
    assert (second[0], strings(second[1])) == ("second", [("yes", 0.5)])


def test_kaldi_archives_with_numbers_and_with_input_labels(tmp_path):
    path, words = tmp_path / "lats.txt", tmp_path / "words.txt"
    words.write_text("<eps> 0\nhello 1\nworld 2\n", encoding="utf-8")
    path.write_text("u\n0 1 17 1 0.5,1\n0 1 18 0\n1 2 19 2 ,\n2\n\n", encoding="utf-8")
    ((_, lattice),) = read_all(path, symbols_path=words)
    assert strings(lattice) == [("world", 0.0), ("hello world", 1.5)]
    path.write_text("u\n0 1 1 1 0.5\n1 2 2 2\n2\n\n", encoding="utf-8")
    ((_, plain),) = read_all(path, symbols_path=words)
    assert strings(plain) == [("hello world", 0.5)]


def test_a_kaldi_archive_without_its_last_empty_line_is_read_with_a_warning(tmp_path):
    path = tmp_path / "lats"
    path.write_text("u\n0 1 a 1,2\n1\n", encoding="utf-8")
    for reader in (lambda: next(iter(read_all(path)))[1], lambda: ls.read(path)):
        with pytest.warns(InputWarning, match="lats:3: u has no empty line at its end .is the file cut off"):
            assert strings(reader()) == [("a", 3.0)]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("u\n0 1 a 1,2\n", 2, "no empty line"),
        ("u\n0 1 a 1,x\n1\n\n", 2, "no costs"),
        ("u\n0 1 a 1,2\n1 2 3 4 5 6,7\n\n", 3, "not an arc"),
        ("u\n0 1 a 1,2\nx\n\n", 3, "not an arc"),
        ("u\n0 1 a 1\nx\n\n", 3, "not a state number"),
        ("u v\n0 1 a 1,2\n1\n\n", 1, "not the name of an utterance"),
    ],
)
def test_broken_kaldi_archives(tmp_path, text, line, message):
    path = tmp_path / "broken"
    path.write_text(text, encoding="utf-8")
    for reader in (lambda: list(read_all(path, "kaldi")), lambda: ls.read(path, "kaldi")):
        with pytest.raises(FormatError, match=message) as caught:
            reader()
        assert (caught.value.line, str(caught.value.path)) == (line, str(path))


def test_folders_archives_and_single_files_hold_the_same(tmp_path):
    rng = np.random.default_rng(1)
    lattices = [(str(n), ls.Lattice.from_strings([("a b", float(rng.random())), (f"w{n}", 1.0)])) for n in range(12)]
    folder = tmp_path / "lattices"
    folder.mkdir()
    for name, lattice in lattices:
        ls.write(lattice, folder / f"{name}.fst")
    archive = tmp_path / "lattices.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for name, _ in lattices:
            tar.add(folder / f"{name}.fst", arcname=f"{name}.fst")
    expected = [(name, strings(ls.read(folder / f"{name}.fst"))) for name, _ in lattices]
    for source in (folder, archive):
        assert [(name, strings(second)) for name, second in read_all(source)] == expected  # 10 comes after 2
    assert [(name, strings(second)) for name, second in read_all(folder / "3.fst")] == [expected[3]]
    table = ls.SymbolTable()
    assert all(second.symbols is table for _, second in read_all(folder, symbols=table))


MEMBERS = {
    "one.nbest": b"3 ||| a cat ||| LM= -1 ||| -1\n",
    "many.json": b'{"name": "u", "hypotheses": ["a"]}\n{"hypotheses": ["b"]}\n',
    "x/talk.0001.gz": gzip.compress(b"NBestList1.0\n(-100) a hat\n"),
    "x/a.txt": b"0 1 a 0.5\n1\n",
}


@pytest.mark.parametrize("ending", ["tar", "tgz", "zip"])
@pytest.mark.parametrize("is_named", [True, False])
def test_archives_hold_lists_as_folders_do(tmp_path, ending, is_named):
    folder, archive = tmp_path / "folder", tmp_path / (f"lists.{ending}" if is_named else "lists")
    (folder / "x").mkdir(parents=True)
    for name, data in MEMBERS.items():
        (folder / name).write_bytes(data)
    packing = {"tar": "tar", "tgz": "gztar", "zip": "zip"}[ending]
    Path(shutil.make_archive(tmp_path / "packed", packing, folder)).rename(archive)
    expected = {"many-u": "a", "many-1": "b", "one": "a cat", "x/a": "a", "x/talk.0001": "a hat"}
    for source in (folder, archive):
        read = dict(read_all(source))
        assert {name: ls.nbest(lattice)[0].text for name, lattice in read.items()} == expected
        assert read["one"].features["LM"].tolist() == [0.0, -1.0]
        assert read["many-u"].header.name == "u"


def packed(archive, members):
    with tarfile.open(archive, "w") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return archive


def test_zip_archives_within_archives_and_their_damage(tmp_path):
    """The attributes of files that macOS adds are left out."""
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        for name, data in {"a.txt": b"0 1 a\n1\n", "__MACOSX/._a.txt": b"\0\5\x16\7"}.items():
            archive.writestr(name, data)
    whole = zipped.getvalue()
    assert [name for name, _ in read_all(packed(tmp_path / "x.tar", {"in.zip": whole}))] == ["in/a"]
    assert is_collection(tmp_path / "x.tar")
    for damaged in (whole[:-30], whole.replace(b"0 1 a", b"0 1 b"), b"", b"no zip archive"):
        (tmp_path / "x.zip").write_bytes(damaged)
        with pytest.raises(FormatError, match=r"x.zip: a broken zip archive: "):
            list(read_all(tmp_path / "x.zip"))


def test_broken_lists_in_archives_are_skipped(tmp_path):
    broken = {"bad.nbest": b"0 ||| a ||| ||| -1\n0 ||| b\n", "cut.gz": MEMBERS["x/talk.0001.gz"][:-9]}
    archive = packed(tmp_path / "lists.tar", MEMBERS | broken)
    messages = dict[str, str]()
    for entry in entries(archive):
        try:
            entry.load()
        except FormatError as error:
            messages[entry.name] = str(error)
    assert list(messages) == ["bad", "cut"]
    assert f"{archive}:bad.nbest:2: no total, unlike the lines before" in messages["bad"]
    assert f"{archive}:cut.gz: the compressed data are damaged or cut off" in messages["cut"]


def test_warnings_name_the_member_of_an_archive(tmp_path):
    archive = packed(tmp_path / "lists.tar", {"doubt.nbest": b"0 ||| a ||| ||| 1\n0 ||| b ||| ||| 2\n"})
    with pytest.warns(InputWarning, match=r"lists.tar:doubt.nbest:1: scores above 0 that rise"):
        assert [name for name, _ in read_all(archive)] == ["doubt"]


def test_lines_of_plf_and_sentences_of_lists(tmp_path):
    plf = tmp_path / "two.plf"
    plf.write_text("((('a',1,1),),)\n((('b',0.5,1),),)\n", encoding="utf-8")
    assert [(name, strings(second)[0][0]) for name, second in read_all(plf)] == [("0", "a"), ("1", "b")]
    nbest = tmp_path / "list"
    nbest.write_text("1 ||| a ||| F= 1 ||| -1\n3 ||| b ||| F= 2 ||| -2\n", encoding="utf-8")
    assert [(name, second.num_arcs) for name, second in read_all(nbest, first_id=1)] == [("1", 1), ("2", 0), ("3", 1)]


def test_what_is_broken_names_its_place(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(FormatError, match="holds no lattices"):
        list(read_all(empty))
    archive = tmp_path / "bad.tar"
    with tarfile.open(archive, "w") as tar:
        info = tarfile.TarInfo("x/1.fst")
        info.size = 4
        tar.addfile(info, io.BytesIO(b"\xff\xfe\x00\x01"))
    with pytest.raises(FormatError, match=r"bad\.tar:x/1\.fst"):
        list(read_all(archive))
    archive.write_bytes(archive.read_bytes()[:700])
    with pytest.raises(FormatError, match=r"bad\.tar"):
        list(read_all(archive))
    with pytest.raises(LatticeSimpError, match="leads out"):
        new_file(tmp_path / "out", "../x.fst", set())


def all_strings(path, **options):
    return [(name, strings(lattice)) for name, lattice in read_all(path, **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("u \n2\t0\tthe\t1,1,1\n0\t1\tcat\t2,2,2\n1\n\n", [("u", [("the cat", 6.0)])]),  # the first state is the start
        ("u \n0\t1,2,3\n\nv \n0\t1\tthe\t1,1,\n1\n\n", [("u", [("", 3.0)]), ("v", [("the", 2.0)])]),
        ("u \n\nv \n\nw \n0\t1\tthe\t1,1,\n1\n\n", [("u", []), ("v", []), ("w", [("the", 2.0)])]),
        ("u \n0\t1\tthe\t1,1,\n0\t2\ta\t1,1,\n1\n2\tInfinity,Infinity,\n\n", [("u", [("the", 2.0)])]),
        ("u \n0 1 the 1,2,3\n1 2 1,000\n2\n\n", [("u", [("the 1,000", 3.0)])]),  # no cost, and a comma in the word
        ("u \n0 99999999999 cat 1,1,1\n99999999999\n\n", [("u", [("cat", 2.0)])]),
        ("u \n0 1 the the\n1 2 cat cat\n2\n\n", [("u", [("the cat", 0.0)])]),  # a transducer without costs
        ("u \n0 1 the 0.5\n1 2 cat 1\n2\n\n", [("u", [("the cat", 1.5)])]),
    ],
)
def test_kaldi_lattices_of_any_shape(tmp_path, text, expected):
    (tmp_path / "ark").write_text(text)
    assert all_strings(tmp_path / "ark") == expected


def test_numbers_of_words_are_no_costs(tmp_path):
    """Kaldi writes automata with both labels, and omits costs of 0."""
    (tmp_path / "words.txt").write_text("<eps> 0\nthe 1\ncat 12\ndog 40\n")
    (tmp_path / "ark").write_text("u \n0\t1\t1\t1\n1\t2\t12\t12\n1\t2\t40\t40\n2\n\n")
    result = all_strings(tmp_path / "ark", symbols_path=tmp_path / "words.txt")
    assert [(name, sorted(second)) for name, second in result] == [("u", [("the cat", 0.0), ("the dog", 0.0)])]


def test_a_kaldi_lattice_without_its_name_is_refused(tmp_path):
    (tmp_path / "one").write_text("2\t0\tthe\t1,1,1\n0\t1\tcat\t2,2,2\n1\n")
    with pytest.raises(
        FormatError, match=r"one:1: costs as in Kaldi's lattices.*write a line with the name of the utterance"
    ):
        ls.read(tmp_path / "one")


def test_compressed_files_in_an_archive(tmp_path):
    (tmp_path / "a.txt").write_text("0 1 cat 0.5\n1\n")
    with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as archive:
        packed = gzip.compress((tmp_path / "a.txt").read_bytes())
        member = tarfile.TarInfo("b.txt.gz")
        member.size = len(packed)
        archive.addfile(member, io.BytesIO(packed))
    assert all_strings(tmp_path / "all.tar.gz") == [("b", [("cat", 0.5)])]


def test_no_lattice_takes_the_place_of_another(tmp_path):
    written = set()
    assert [new_file(tmp_path / "out", name, written) for name in ("u.fst", "v.fst")] == sorted(written)
    with pytest.raises(LatticeSimpError, match=r"u\.fst: two lattices would have this name; rename one of them"):
        new_file(tmp_path / "out", "u.fst", written)
    for name in ("rec.000", "rec.001", "u.txt"):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / name).write_text("0 1 cat 0.5\n1\n")
    assert [name for name, _ in read_all(tmp_path / "in")] == ["rec.000", "rec.001", "u"]


def test_every_kind_comes_through_standard_input(tmp_path, monkeypatch):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("0 1 cat 0.5\n1\n")
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        tar.add(folder / "a.txt", "a.txt")
    for content, expected in (
        (KALDI.encode(), ["first-utterance", "second"]),
        (b"0 ||| cat\n1 ||| dog\n", ["0", "1"]),
        (b"((('a',1,1),),)\n((('b',0.5,1),),)\n", ["0", "1"]),
        (b"0 1 cat 0.5\n1\n", ["stdin"]),
        (archive.getvalue(), ["a"]),
    ):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert [name for name, _ in read_all("-")] == expected
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{}\n")))
    with pytest.raises(FormatError, match="<stdin>: looks like JSON"):
        list(read_all("-"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"id": 0, "hypotheses": ["a cat"]}\n')))
    assert [entry.text for entry in ls.read_nbest("-")[0]] == ["a cat"]


def test_archives_of_numbers_need_their_words(tmp_path):
    path, words = tmp_path / "ark", tmp_path / "words.txt"
    words.write_text("<eps> 0\nyes 39\nno 79\n")
    for arcs in ("0 1 39 1,2,3_4\n1 2 79 ,,\n", "0 1 5 39 1,2\n1 2 7 79 1,2\n", "0 1 39 39 0.5\n1 2 79 79\n"):
        path.write_text(f"u \n{arcs}2\n\n")
        with pytest.raises(FormatError, match=r"ark:2: labels are numbers \(pass --symbols words.txt.*numeric=False"):
            list(read_all(path))
        assert strings(next(read_all(path, symbols_path=words))[1])[0][0] == "yes no"
        assert strings(next(read_all(path, numeric=False))[1])[0][0] == "39 79"
    path.write_text("u \n0 1 5 1,2,\n1\n\nv \n0 1 five 1,2,\n1\n\n")  # a number among words
    assert [strings(lattice)[0][0] for _, lattice in read_all(path)] == ["5", "five"]
    with pytest.raises(FormatError, match=r"its labels are words \(leave --isymbols out"):
        list(read_all(path, isymbols_path=words))


@pytest.mark.parametrize("text", ["((('a',1,1),),)\n", "0 ||| a\n", "N=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a\n"])
def test_words_take_no_symbol_table(tmp_path, text):
    (tmp_path / "x").write_text(text)
    with pytest.raises(FormatError, match=r"x: its labels are words \(leave --symbols out"):
        list(read_all(tmp_path / "x", symbols_path=tmp_path / "words.txt"))


NESTED = {
    "x/lat.1.gz": gzip.compress(KALDI.encode()),
    "nets.txt": b"u-1  [ the 0.75 a 0.25 ] [ cat 1 ]\nu-2  [ yes 1 ]\n",
    "one.sausages": b"u-3  [ no 1 ]\n",
    "two.plf": b"((('a', 1, 1),),)\n((('b', 1, 1),),)\n",
    "words.cn": b"a 0.75 c 0.25\n\nb 0.75 *EPS* 0.25\n\n",
}
NAMES = {
    "nets-u-1": "the cat",
    "nets-u-2": "yes",
    "one": "no",
    "two-0": "a",
    "two-1": "b",
    "words-0": "a",
    "words-1": "b",
    "x/lat.1-first-utterance": "hello world",
    "x/lat.1-second": "yes",
}


def best(lattice):
    return ls.nbest(lattice)[0].text


def test_files_of_several_lattices_in_folders_and_archives(tmp_path):
    """Each lattice has the name of its file before its own, and a file of a single lattice that of the file."""
    (tmp_path / "x").mkdir()
    for name, data in NESTED.items():
        (tmp_path / name).write_bytes(data)
    folder = {name: best(lattice) for name, lattice in read_all(tmp_path)}
    archive = packed(tmp_path / "all.tar", NESTED)
    assert folder == {name: best(lattice) for name, lattice in read_all(archive)} == NAMES
    formats = {entry.name: entry.format() for entry in entries(archive)}
    assert formats["two-1"] == "plf"
    assert formats["x/lat.1-second"] == "kaldi"
    inner = {"in/part.tar.gz": gzip.compress(archive.read_bytes()), "z.txt": b"0 1 a\n1\n"}
    outer = packed(tmp_path / "outer.tar", inner)
    assert {name: best(lattice) for name, lattice in read_all(outer)} == {
        **{f"in/part/{name}": text for name, text in NAMES.items()},
        "z": "a",
    }


def test_broken_files_of_several_lattices(tmp_path):
    """The lattices before the error, and those of other files, are read."""
    broken = {"bad.plf": NESTED["two.plf"] + b"((x\n", "cut.tar": packed(tmp_path / "cut", NESTED).read_bytes()[:700]}
    archive = packed(tmp_path / "all.tar", broken | NESTED)
    read, messages = dict[str, str](), dict[str, str]()
    for entry in entries(archive):
        try:
            read[entry.name] = best(entry.load())
        except FormatError as error:
            messages[entry.name] = str(error)
    before = {"bad-0": "a", "bad-1": "b", "cut/x/lat.1-first-utterance": "hello world", "cut/x/lat.1-second": "yes"}
    assert read == NAMES | before
    assert "all.tar:bad.plf:3: " in messages["bad"]
    assert "all.tar:cut.tar: a broken tar archive" in messages["cut"]


def test_kaldi_archives_in_folders_are_read_once(tmp_path):
    """A script file that lists the lattices of archives beside it is left out, with a warning."""
    from lattice_simp.formats.kaldi import archives as kaldi

    with kaldi.binary_archive(tmp_path / "lat.scp") as add:
        for name in ("u-1", "u-2"):
            add(name, ls.Lattice.from_strings([(name[2:], 1.0)]))
    with pytest.warns(InputWarning, match=r"lat.scp: left out a script file"):
        read = {name: best(lattice) for name, lattice in read_all(tmp_path, numeric=False)}
    assert read == {"lat-u-1": "1", "lat-u-2": "2"}


@pytest.mark.parametrize("damage", ["bit", "cut"])
def test_damaged_headers_in_tar_archives_are_errors(tmp_path, damage):
    """The members after it are not lost without a message."""
    archive = packed(tmp_path / "all.tar", {f"{name}.txt": b"0 1 a\n1\n" for name in "abc"})
    data = bytearray(archive.read_bytes())
    second = 2 * tarfile.BLOCKSIZE  # after the header and the data of the first member
    if damage == "bit":
        data[second] ^= 1
    else:
        del data[second + 100 :]
    archive.write_bytes(data)
    lattices = ls.read_all(archive)
    assert next(lattices)[0] == "a"
    with pytest.raises(FormatError, match=r"all\.tar: a broken tar archive: the header of a member is damaged"):
        next(lattices)


def test_scales_of_one_lattice_and_of_many(tmp_path):
    """`read` and `read_all` take the same scales; features that these do not name keep those of the file."""
    slf = "lmscale=10\nwdpenalty=-1\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a a=-3 l=-0.5\n"
    (tmp_path / "x.slf").write_text(slf)
    (tmp_path / "y.lats").write_text("u \n0 1 a 2,3,\n1\n\nv \n0 1 a 4,5,\n1\n\n")
    (tmp_path / "z.nbest").write_text("0 ||| a ||| acoustic= -7 ||| -1\n")
    costs = {name: lattice.weights.tolist() for name, lattice in read_all(tmp_path, scales={"acoustic": 2.0})}
    assert costs == {"x": [12.0], "y-u": [8.0], "y-v": [14.0], "z": [14.0]}
    assert ls.read(tmp_path / "x.slf", scales={"acoustic": 2.0}).weights.tolist() == [12.0]
    for read in (ls.read, lambda path, **options: list(read_all(path, **options))):
        with pytest.raises(ls.InvalidLatticeError, match=r"x\.slf: the lattice has no feature 'graph'"):
            read(tmp_path / "x.slf", scales={"graph": 2.0})
        with pytest.raises(FormatError, match=r"x.slf: unknown option 'scale' \(options are scales, symbols_path"):
            read(tmp_path / "x.slf", scale=2.0)
        with pytest.raises(FormatError, match=r"x.slf: is not an n-best list; ls.join_pieces"):
            read(tmp_path / "x.slf", pieces="bpe")


def test_options_of_lists_apply_to_lists_of_folders(tmp_path):
    (tmp_path / "z.nbest").write_text("1 ||| c@@ at ||| acoustic= -7 ||| -1\n2 ||| a ||| acoustic= -8 ||| -1\n")
    lattices = read_all(tmp_path, cost="acoustic", pieces="bpe", first_id=1)
    assert [(name, best(lattice), lattice.weights.sum()) for name, lattice in lattices] == [
        ("z-1", "cat", 7.0),
        ("z-2", "a", 8.0),
    ]


SAME_NAMES = {
    "u.lats": "u \n0 1 a\n1\n\nu \n0 1 b\n1\n\nu-2 \n0 1 c\n1\n\n",
    "u.sausages": "u [ a 1.0 ]\nu [ b 1.0 ]\nu-2 [ c 1.0 ]\n",
    "u.jsonl": "".join(
        f'{{"id": "{name}", "hypotheses": ["{word}"]}}\n' for name, word in (("u", "a"), ("u", "b"), ("u-2", "c"))
    ),
}


@pytest.mark.parametrize("file", SAME_NAMES)
def test_names_are_distinct(tmp_path, file):
    """A name that occurs again gets a number; a lattice that had this name then gets another one."""
    (tmp_path / file).write_text(SAME_NAMES[file])
    with pytest.warns(InputWarning, match="again; it becomes") as warnings:
        lattices = {name: best(lattice) for name, lattice in read_all(tmp_path / file)}
    assert lattices == {"u": "a", "u-2": "b", "u-2-2": "c"}
    assert len({str(warning.message) for warning in warnings}) == 2  # one for each name


@pytest.mark.filterwarnings("ignore::lattice_simp.errors.InputWarning")
def test_names_of_files_are_distinct(tmp_path):
    """Files may differ in their endings only, and tar archives may hold a file twice."""
    files = {"u.att": b"0 1 a\n1\n", "u.txt": b"0 1 b\n1\n", "u-2.txt": b"0 1 c\n1\n"}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert {name: best(lattice) for name, lattice in read_all(tmp_path)} == {"u-2": "c", "u": "a", "u-3": "b"}
    archive = packed(tmp_path / "x.tar", files)
    with tarfile.open(archive, "a") as tar:
        tar.add(tmp_path / "u-2.txt", "u.txt")
    lattices = {name: best(lattice) for name, lattice in read_all(archive)}
    assert lattices == {"u": "a", "u-2": "b", "u-2-2": "c", "u-3": "c"}


def test_null_characters_in_names_are_refused(tmp_path):
    with pytest.raises(LatticeSimpError, match=r"the name 'a\\x00b.txt' holds a null character; rename the entry"):
        new_file(tmp_path, "a\0b.txt", set())


@pytest.mark.parametrize("name", ["a\0b", " u", "u ", "\ufeffu", "a b", "\n", "\u2028u"])
@pytest.mark.parametrize("format", ["kaldi", "sausages", "kaldi-binary"])
def test_names_that_archives_cannot_hold_are_changed_with_a_warning(tmp_path, name, format):
    with open_archive(tmp_path / "x", format) as add:
        with pytest.warns(InputWarning, match="blanks in names are written as '_', or left out"):
            add(name, Lattice.from_strings(""))
        add("v", Lattice.from_strings(""))
    names = [name for name, _ in read_all(tmp_path / "x")]
    assert names == [{"a\0b": "a_b", "a b": "a_b", "\n": "0"}.get(name, "u"), "v"]


def test_one_lattice_of_a_folder(tmp_path):
    with pytest.raises(FormatError, match=r"is a folder \(read its lattices with read_all\)"):
        ls.read(tmp_path)
