"""Kaldi's binary and text lattices, compared with an encoder that follows the definition byte by byte."""

from __future__ import annotations

import gzip
import struct
from dataclasses import replace

import numpy as np
import pytest
from format_helpers import random_lattice

import lattice_simp as ls
from lattice_simp.errors import FormatError, InvalidLatticeError
from lattice_simp.formats.collections import entries, read_all
from lattice_simp.formats.kaldi import archives as kaldi

WORDS = "<eps> 0\na 1\nthe 2\ncat 3\ndog 12\n"
TYPES = {"lattice4": "ff", "lattice8": "dd", "compactlattice44": "ff", "compactlattice84": "dd"}

# For each state: the final weight (graph, acoustic, alignment) or None, and its arcs: transition, word, weight, state.
STATES = [
    (None, [(7, 1, (1.5, 20.0, (7, 7, 8)), 1), (9, 2, (2.0, 19.5, (9, 9)), 1)]),
    (None, [(0, 0, (0.25, 0.0, ()), 2), (4, 12, (-0.5, 3.0, (4, 5, 6, 6)), 3)]),
    ((0.5, -0.25, (3,)), []),
    ((0.0, 0.0, ()), []),
]


def encoded(states, kind: str, start: int = 0) -> bytes:
    """Returns a lattice's bytes, written one number after the other."""
    is_compact = kind.startswith("compact")

    def weight(value) -> bytes:
        graph, acoustic, alignment = value or (np.inf, np.inf, ())
        data = struct.pack(f"<{TYPES[kind]}", graph, acoustic)
        return data + (struct.pack(f"<i{len(alignment)}i", len(alignment), *alignment) if is_compact else b"")

    texts = b"".join(struct.pack("<i", len(text)) + text.encode() for text in ("vector", kind))
    data = b"\xd6\xfd\xb2\x7e" + texts + struct.pack("<iiQqqq", 2, 0, 3, start, len(states), 0)
    for final, arcs in states:
        data += weight(final) + struct.pack("<q", len(arcs))
        for transition, word, value, target in arcs:
            data += struct.pack("<ii", word if is_compact else transition, word) + weight(value)
            data += struct.pack("<i", target)
    return data


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text(WORDS)
    return path


def facts(lattice):
    return sorted(
        (path.text, round(path.cost, 5), *(round(path.features[name], 5) for name in sorted(path.features)))
        for path in ls.nbest(lattice, 99, unique=False)
    )


def best(lattice):
    return [(path.text, path.cost) for path in ls.nbest(lattice, 9)]


@pytest.mark.parametrize("kind", TYPES)
def test_binary_archives(tmp_path, words, kind):
    path = tmp_path / "lat.1.gz"
    path.write_bytes(gzip.compress(b"".join(f"utt-{n} ".encode() + encoded(STATES, kind) for n in range(3))))
    names, lattices = zip(*read_all(path, symbols_path=words, frame_shift=0.03), strict=True)
    assert names == ("utt-0", "utt-1", "utt-2") == tuple(lattice.header.name for lattice in lattices)
    frames = (3 + 1, 3 + 4, 2 + 1, 2 + 4) if kind.startswith("compact") else (1, 2, 1, 2)
    expected = [("a", 22.0), ("a dog", 24.0), ("the", 22.0), ("the dog", 24.0)]
    for lattice in lattices:
        actual = facts(lattice)
        assert [row[:2] for row in actual] == expected
        assert [row[2] for row in actual] == [-19.75, -23.0, -19.25, -22.5]
        assert [row[3] for row in actual] == [-2.25, -1.0, -2.75, -1.5]
        assert [row[4] for row in actual] == pytest.approx([0.03 * count for count in frames])


def test_another_start_and_words_that_are_numbers(tmp_path):
    (tmp_path / "x").write_bytes(encoded([((0.0, 0.0, ()), []), (None, [(1, 5, (1.0, 2.0, (1,)), 0)])], "lattice4", 1))
    with pytest.raises(FormatError, match=r"x: labels are numbers \(pass --symbols words.txt"):
        ls.read(tmp_path / "x")
    assert [path.text for path in ls.nbest(ls.read(tmp_path / "x", numeric=False), 9)] == ["5"]


@pytest.mark.parametrize("word", ["e", "E", "-", "_", "."])
def test_words_of_letters_and_marks_that_numbers_have(tmp_path, word):
    (tmp_path / "x").write_text(f"u \n0\t1\t{word}\t1.5,-2e-3,1_1\n1\n\n")
    assert ls.nbest(ls.read(tmp_path / "x"))[0].tokens == (word,)


@pytest.mark.parametrize(("step", "changes"), [(7, 100), pytest.param(1, 400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", TYPES)
def test_every_cut_and_every_changed_byte_is_a_typed_error_or_a_lattice(tmp_path, words, kind, step, changes):
    data = b"utt-0 " + encoded(STATES, kind) + b"utt-1 " + encoded(STATES, kind)
    path, rng, failures = tmp_path / "x.ark", np.random.default_rng(5), 0
    for cut in range(1, len(data), step):
        path.write_bytes(data[:cut])
        if cut == len(data) // 2:
            continue
        with pytest.raises(FormatError) as caught:
            list(read_all(path, "kaldi-binary", symbols_path=words))
        assert "\n" not in str(caught.value), caught.value
    for _ in range(changes):
        changed = bytearray(data)
        changed[rng.integers(len(data))] = rng.integers(256)
        path.write_bytes(changed)
        try:
            list(read_all(path, "kaldi-binary", symbols_path=words))
        except FormatError:
            failures += 1
    assert failures > changes // 8


def test_a_cut_lattice_leaves_those_before_it(tmp_path, words):
    data = encoded(STATES, "compactlattice44")
    path = tmp_path / "x.ark"
    path.write_bytes(b"one " + data + b"two " + data[:-5])
    first, second = entries(path, symbols_path=words)
    assert (first.name, second.name, first.load().num_arcs) == ("one", "two", 4)
    with pytest.raises(FormatError, match=r"x\.ark: the lattice 'two' is cut off"):
        second.load()


@pytest.mark.parametrize("name", [b"one ", b"two "])
def test_a_lattice_is_not_lost_in_a_damaged_name(tmp_path, words, name):
    """Without its header, a lattice would be part of the next name."""
    data = b"".join(each + encoded(STATES, "compactlattice44") for each in (b"one ", b"two ", b"three "))
    begin, path = data.index(name), tmp_path / "x.ark"
    for damage in (b"\xff" * 8, bytes(8)):
        path.write_bytes(data[: begin + 2] + damage + data[begin + 10 :])
        with pytest.raises(FormatError, match=r"x\.ark: (?:the name of an utterance is missing|looks like a Kaldi)"):
            list(read_all(path, "kaldi-binary", symbols_path=words))
        assert all(entry.name.isprintable() for entry in entries(path, "kaldi-binary", symbols_path=words))


def test_labels_without_a_word(tmp_path):
    (tmp_path / "words.txt").write_text("<eps> 0\na 1\n")
    (tmp_path / "x").write_bytes(b"u " + encoded(STATES, "compactlattice44"))
    with pytest.raises(FormatError, match=r"x: a label without a word: '2' \(pass the words.txt of this model\)"):
        list(read_all(tmp_path / "x", symbols_path=tmp_path / "words.txt"))


@pytest.mark.parametrize("archive", ["u \n0\t1\ta\t1,2,\n1\n\n", "u [ a 0.6 b 0.4 ]\n"])
def test_words_where_the_table_expects_numbers(archive, tmp_path):
    (tmp_path / "words.txt").write_text("<eps> 0\na 1\n")
    (tmp_path / "x").write_text(archive)
    with pytest.raises(FormatError, match=r"a label that is not a natural number: 'a' \(leave words.txt out if"):
        list(read_all(tmp_path / "x", symbols_path=tmp_path / "words.txt"))
    assert [ls.shortest_path(lattice).text for _, lattice in read_all(tmp_path / "x")] == ["a"]


def test_binary_lattices_are_written_as_they_are_read(tmp_path, words):
    states = [(final, [(w, w, value, to) for _, w, value, to in arcs]) for final, arcs in STATES]
    results = [
        (final and (*final[:2], (1,) * len(final[2])), [(t, w, (*v[:2], (1,) * len(v[2])), to) for t, w, v, to in arcs])
        for final, arcs in states
    ]
    data = b"utt-7 " + encoded(STATES, "compactlattice44")
    (tmp_path / "x.ark").write_bytes(data)
    lattice = ls.read(tmp_path / "x.ark", symbols_path=words)
    ls.write(lattice, tmp_path / "y.ark", symbols_path=words)
    assert (tmp_path / "y.ark").read_bytes() == b"utt-7 " + encoded(results, "compactlattice44")
    ls.write(lattice, tmp_path / "z.ark.gz", symbols_path=words, frame_shift=0.005)
    again = ls.read(tmp_path / "z.ark.gz", symbols_path=words, frame_shift=0.005)
    assert facts(again) == facts(lattice)
    with pytest.raises(
        InvalidLatticeError, match=r"hold numbers; 'a' is not a number \(pass --output-symbols words.txt"
    ):
        ls.write(lattice, tmp_path / "y.ark")


@pytest.mark.parametrize("seed", range(12))
def test_text_and_binary_hold_the_same(tmp_path, words, seed):
    lattice = random_lattice(seed, words=("a", "the", "cat", "dog"), single_precision=True).connected()
    if lattice.empty:
        return
    rng = np.random.default_rng(seed)
    finals = np.where(np.isfinite(lattice.finals), 0.5, np.inf)
    lattice = replace(lattice, weights=lattice.weights % 20, finals=finals)
    acoustic = -rng.integers(0, 99, lattice.num_arcs) / 4
    lattice = lattice.with_feature("acoustic", acoustic).with_feature(
        "time", rng.integers(0, 9, lattice.num_arcs) / 100
    )
    ls.write(lattice, tmp_path / "x.ark", symbols_path=words)
    ls.write(ls.read(tmp_path / "x.ark", symbols_path=words), tmp_path / "y.lats", symbols_path=words)
    ls.write(ls.read(tmp_path / "y.lats", symbols_path=words), tmp_path / "z.ark", symbols_path=words)
    assert (tmp_path / "x.ark").read_bytes().partition(b" ")[2] == (tmp_path / "z.ark").read_bytes().partition(b" ")[2]
    actual = facts(ls.read(tmp_path / "y.lats", symbols_path=words))
    expected = facts(lattice)
    assert [row[0] for row in actual] == [row[0] for row in expected]
    for row, (_, cost, acoustic_score, *_) in zip(actual, expected, strict=True):
        assert row[1:3] == pytest.approx((cost, acoustic_score), abs=1e-3)


@pytest.mark.parametrize("folder", ["", "my lattices"])
def test_lists_of_places(tmp_path, words, monkeypatch, folder):
    tmp_path = tmp_path / folder
    tmp_path.mkdir(exist_ok=True)
    pairs = [(f"utt-{n}", ls.Lattice.from_strings([("a cat", float(n)), ("the dog", 2.0)])) for n in range(3)]
    with kaldi.binary_archive(tmp_path / "lat.scp", symbols_path=words) as add:
        for name, lattice in pairs:
            add(name, lattice)
    assert [name for name, _ in read_all(tmp_path / "lat.ark", symbols_path=words)] == ["utt-0", "utt-1", "utt-2"]
    monkeypatch.chdir(tmp_path)
    lines = (tmp_path / "lat.scp").read_text().splitlines()
    (tmp_path / "few.scp").write_text("\n".join(line.replace(f"{tmp_path}/", "") for line in (lines[2], lines[0])))
    results = [(name, best(lattice)) for name, lattice in read_all(tmp_path / "few.scp", symbols_path=words)]
    assert results == [(name, best(lattice)) for name, lattice in (pairs[2], pairs[0])]
    (tmp_path / "text.ark").write_text("u \n0\t1\ta\t1,2,\n1\n\nv \n0\t1\tcat\t1,2,\n1\n\n")
    position = (tmp_path / "text.ark").read_text().index("v ") + 2
    (tmp_path / "text.scp").write_text(f"v text.ark:{position}\n")
    assert [(name, facts(second)[0][0]) for name, second in read_all(tmp_path / "text.scp")] == [("v", "cat")]
    for line, message in (("u gunzip -c lat.1.gz |", "not the location of"), ("u lat.ark:3", "cut off|broken|name")):
        (tmp_path / "bad.scp").write_text(f"{lines[0]}\n{line}\n")
        with pytest.raises(FormatError, match=message):
            list(read_all(tmp_path / "bad.scp", symbols_path=words))


def test_costs_that_are_not_acoustic_are_the_graphs(tmp_path):
    (tmp_path / "x.lats").write_text("u \n0\t1\ta\t1.5,20,3_3\n0\t1\tthe\t2.5,10,3\n1\t0.5,0.25,\n\n")
    lattice = ls.reweight(ls.read(tmp_path / "x.lats"), {"graph": 2.0, "acoustic": 0.5})
    ls.write(lattice, tmp_path / "y.lats")
    text = "u \n0\t1\ta\t1.5,20.0,1_1\n0\t1\tthe\t2.5,10.0,1\n1\t0.5,0.25,\n\n"  # unscaled
    assert (tmp_path / "y.lats").read_text() == text
    phrase = "costs are written without their scales; pass --scales again for"
    assert ls.formats.losses(lattice, "y.lats")[phrase] == ["graph", "acoustic"]
    assert ls.formats.losses(lattice, "y.lats")["the format cannot store these parts of the header:"] == []
    more = replace(lattice, weights=lattice.weights + 1.0)
    ls.write(more, tmp_path / "z.lats")
    assert facts(ls.reweight(ls.read(tmp_path / "z.lats"), {"graph": 1.0, "acoustic": 0.5}))[0][1] == pytest.approx(
        facts(more)[0][1]
    )
    assert list(ls.formats.losses(more, "z.lats")["all costs except acoustic ones are written as"]) == ["graph costs"]


def test_nothing_is_written_of_a_lattice_that_accepts_nothing(tmp_path):
    empty = ls.Lattice.from_strings([("a", 1.0)])
    empty = replace(empty, finals=np.full(2, np.inf))
    with kaldi.text_archive(tmp_path / "x.lats") as add:
        add("u 1", replace(empty, finals=np.full(2, np.inf)))
        add("v", ls.Lattice.from_strings([("", 0.5)]))
        add("w", ls.Lattice.from_strings([("a", 0.5)]))
    results = [(name, lattice.empty, facts(lattice)) for name, lattice in read_all(tmp_path / "x.lats")]
    assert [name for name, *_ in results] == ["u_1", "v", "w"]
    assert [len(rows) for *_, rows in results] == [0, 1, 1]


def test_what_an_archive_does_not_hold_of_alignments_is_named(tmp_path):
    """Times come back from the number of frames; the transitions of each frame do not."""
    path = tmp_path / "lats.txt"
    path.write_text("utt-1 \n0\t1\ta\t1.5,20,3_3_4\n1\n\n", encoding="utf-8")
    ((_, lattice),) = read_all(path)
    phrase = "alignments are written with their lengths, but without"
    assert list(ls.formats.losses(lattice, tmp_path / "copy.ark")[phrase]) == ["transition ids"]
    assert not list(ls.formats.losses(lattice.without_feature("time"), tmp_path / "copy.ark")[phrase])


def test_archives_without_words(tmp_path):
    """Binary archives of epsilons alone need no table; text archives may begin with an utterance without words."""
    epsilon = ls.Lattice.from_arcs([0], [0], [1.5], [1], [np.inf, 0.0], ls.SymbolTable())
    ls.write(epsilon, tmp_path / "x.ark")
    assert [entry.text for entry in ls.nbest(ls.read(tmp_path / "x.ark"), 2)] == [""]
    expected = {
        "u \n0\n\n": [""],
        "u \n0\r\n\r\n": [""],
        "u \n0\n\nv \n0\t1\ta\t1,2,\n1\n\n": ["", "a"],
        "u \n\nv \n\n": [None, None],
    }
    for text, best in expected.items():
        (tmp_path / "x.lats").write_bytes(text.encode())
        paths = [ls.nbest(lattice, 2) for _, lattice in read_all(tmp_path / "x.lats")]
        assert [found[0].text if found else None for found in paths] == best, text
    for text in ("Houses\n0\n7 8 houses\n", "Houses\n7\n\n", "yes\n\n", "7\n0\n\n", "a b \n\n"):
        assert not kaldi.is_archive(text.encode()), text
