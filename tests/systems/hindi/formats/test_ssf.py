"""Reading SSF: the content of sentences, and faults of broken files."""

from __future__ import annotations

import io
import random
import tarfile

import pytest

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.systems.hindi.formats.ssf import read_ssf
from lattice_simp.systems.hindi.formats.treebank import read_marked, read_treebank
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token, find_cycle

GOOD = """<document>
<head>anything</head>
<Sentence id='7'>
1\t((\tNP\t<fs name='NP' drel='k1:VGF'>
1.1\tराम\tNNP\t<fs af='राम,n,m,sg,3,d,0,0' name='राम'>
1.2\tने\tPSP\t<fs af='ने,psp,,,,,,'>
\t))
2\t((\tNULL__NP\t<fs name='NULL__NP' drel='k2:VGF'>
2.1\tNULL\tNN\t<fs af=',,,,,,,'>
\t))
3\t((\tVGF\t<fs voicetype="active" name="VGF">
3.1\tखाया\tVM\t<fs af='खा,v,m,sg,any,,या,yA'>
\t))
</Sentence>
</document>
"""


def written(tmp_path, text, name="a.ssf"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_sentence_has_its_tokens_chunks_and_tree(tmp_path):
    (sentence,) = read_ssf(written(tmp_path, GOOD))
    assert (sentence.id, str(sentence), len(sentence)) == ("7", "राम ने खाया", 4)
    assert [(chunk.tag, chunk.head, chunk.relation, chunk.is_empty) for chunk in sentence.chunks] == [
        ("NP", 2, "k1", False),
        ("NP", 2, "k2", True),
        ("VGF", -1, "", False),
    ]
    assert sentence.tokens[3] == Token("खाया", "VM", "खा", "v", "m", "sg", "any", "", "या", "yA")
    assert sentence.postpositions(sentence.chunks[0]) == ["ने"]
    assert [token.is_empty for token in sentence.tokens] == [False, False, True, False]
    assert [chunk.head for chunk in sentence.without_empty.chunks] == [1, -1]


def test_null_is_elided_in_capitals_or_in_an_elided_phrase(tmp_path):
    text = GOOD.replace("\tराम\t", "\tnull\t").replace("\tNULL\t", "\tnull\t").replace("\tने\t", "\tNULL\t")
    (sentence,) = read_ssf(written(tmp_path, text))
    assert [(token.form, token.is_empty) for token in sentence.tokens] == [
        ("null", False),
        ("NULL", True),
        ("null", True),
        ("खाया", False),
    ]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("drel='k1:VGF'", "drel='k1:VGF9'", 4, "depends on the unknown chunk 'VGF9'"),
        ("drel='k1:VGF'", "drel='k1'", 4, "a dependency without a chunk: 'k1'"),
        ("drel='k1:VGF'", "dmrel='k1:'", 4, "a dependency without a chunk: 'k1:'"),
        ("drel='k1:VGF'", "drel='k1:NP'", 4, "a chunk is on a cycle of dependencies"),
        ('name="VGF"', "name='VGF' drel='k2:NP'", 4, "a chunk is on a cycle of dependencies"),
        ("1.2\tने", "ने", 6, "expected a token"),
        ("</Sentence>", "", 3, "the sentence '7' has no end"),
        ("<Sentence id='7'>", "", 14, "</Sentence> without the beginning"),
    ],
)
def test_a_broken_sentence_is_named_or_left_out(tmp_path, old, new, line, message):
    path = written(tmp_path, GOOD.replace(old, new, 1) + GOOD)
    with pytest.raises(FormatError, match=rf"a.ssf:{line}: .*{message}"):
        list(read_ssf(path))
    problems = []
    assert [entry.id for entry in read_ssf(path, problems)] == ["7"]
    assert len(problems) == 1


def test_circles_are_found_as_by_walking():
    generator = random.Random(5)
    for _ in range(300):
        heads = [generator.randrange(-1, 5) for _ in range(5)]
        circular = set()
        for position in range(5):
            way = [position]
            while way[-1] >= 0 and len(way) < 7:
                way.append(heads[way[-1]])
            circular |= {position} if position in way[1:] else set()
        cycle = find_cycle(heads)
        assert cycle in circular if circular else cycle is None


def test_chunks_that_do_not_fit_are_refused():
    token = Token("a")
    for chunks in ((Chunk("NP", 0, 2),), (Chunk("NP", 1, 2),), (Chunk("NP", 0, 1, 4),), (Chunk("NP", 0, 0),)):
        with pytest.raises(LatticeSimpError):
            Sentence((token,), chunks)


def test_a_folder_and_an_archive_read_alike(tmp_path):
    folder = tmp_path / "bank"
    folder.mkdir()
    for name in ("b.dat", "a.dat", "notes.txt"):
        written(folder, GOOD, name)
    archive = tmp_path / "bank.tar.xz"
    with tarfile.open(archive, "w:xz") as file:
        file.add(folder, "bank")
    assert [name for name, _ in read_treebank(folder)] == ["a.dat", "b.dat"]
    assert list(read_treebank(archive)) == list(read_treebank(folder))
    assert [name for name, _ in read_treebank(archive, only=["b.dat"])] == ["b.dat"]
    archive.write_bytes(archive.read_bytes()[:200])
    with pytest.raises(FormatError, match="unreadable archive"):
        list(read_treebank(archive))


def test_files_of_one_name_are_all_read(tmp_path):
    folder = tmp_path / "bank"
    for name, number in (("two", "2"), ("one", "1")):
        (folder / name).mkdir(parents=True)
        written(folder / name, GOOD.replace("id='7'", f"id='{number}'"), "a.dat")
    archive = tmp_path / "bank.tar"
    with tarfile.open(archive, "w") as file:
        file.add(folder / "two", "two")
        file.add(folder / "one", "one")
    results = [(name, sentence.id) for name, sentence in read_treebank(archive, only=["a.dat"])]
    assert results == [("a.dat", "1"), ("a.dat", "2")]
    assert [(name, sentence.id) for name, sentence in read_treebank(folder)] == results


def test_one_file_is_chosen_by_its_name_too(tmp_path):
    path = written(tmp_path, GOOD)
    assert [name for name, _ in read_treebank(path, only=["a.ssf"])] == ["a.ssf"]
    assert list(read_treebank(path, only=["b.ssf"])) == []


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".xz"])
def test_an_archive_broken_in_the_middle_is_refused(tmp_path, ending):
    archive = tmp_path / f"bank.tar{ending}"
    generator = random.Random(3)
    with tarfile.open(archive, "w:" + ending.removeprefix(".")) as file:
        for name in ("a.dat", "b.dat"):
            noise = "".join(chr(generator.randrange(0x905, 0x939)) for _ in range(4000))
            data = (noise + "\n" + GOOD).encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            file.addfile(member, io.BytesIO(data))
    whole = archive.read_bytes()
    second = whole.find(b"b.dat") if not ending else len(whole) // 2
    for start, length in ((second, 600), (len(whole) // 2, 400), (len(whole) // 3, 400)):
        if not ending and start != second:  # bytes inside a file's text are not checked by tar
            continue
        archive.write_bytes(whole[:start] + b"\x55" * length + whole[start + length :])
        with pytest.raises(FormatError, match="unreadable archive"):
            list(read_treebank(archive))


def test_a_broken_sentence_in_an_archive_is_named(tmp_path):
    archive = tmp_path / "bank.tar"
    data = GOOD.replace("k1:VGF", "k1:X").encode()
    with tarfile.open(archive, "w") as file:
        member = tarfile.TarInfo("bank/a.dat")
        member.size = len(data)
        file.addfile(member, io.BytesIO(data))
    with pytest.raises(FormatError, match=r"bank.tar/bank/a.dat:4: "):
        list(read_treebank(archive))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a.dat#1\tmain:1-4 nonfin:3-6", "clauses cross"),
        ("a.dat#1\tmain:1", "expected FILE#SENTENCE"),
        ("a.dat#1\tmean:1-4", "expected FILE#SENTENCE"),
        ("a.dat\tmain:1-4", "expected FILE#SENTENCE"),
        ("a.dat#1\tmain:4-1", "expected FILE#SENTENCE"),
    ],
)
def test_marked_clauses_are_checked(tmp_path, line, message):
    path = written(tmp_path, f"a.dat#0\tmain:1-2\n{line}\n", "marked.tsv")
    with pytest.raises(FormatError, match=rf"marked.tsv:2: {message}"):
        read_marked(path)
