"""Reading SSF: what sentences hold, and what is wrong with broken files."""

from __future__ import annotations

import io
import tarfile

import pytest

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.hindi.formats.ssf import read_ssf
from lattice_simp.hindi.formats.treebank import read_marked, read_treebank
from lattice_simp.hindi.sentence import Chunk, Sentence, Token

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
    assert [chunk.head for chunk in sentence.without_empty.chunks] == [1, -1]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("drel='k1:VGF'", "drel='k1:VGF9'", 4, "depends on 'VGF9', which the sentence does not have"),
        ("1.2\tने", "ने", 6, "no token"),
        ("</Sentence>", "", 3, "the sentence '7' has no end"),
        ("<Sentence id='7'>", "", 14, "ends that has not begun"),
    ],
)
def test_a_broken_sentence_is_named_or_left_out(tmp_path, old, new, line, message):
    path = written(tmp_path, GOOD.replace(old, new, 1) + GOOD)
    with pytest.raises(FormatError, match=rf"a.ssf:{line}: .*{message}"):
        list(read_ssf(path))
    problems = []
    assert [one.id for one in read_ssf(path, problems)] == ["7"]
    assert len(problems) == 1


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
    with pytest.raises(FormatError, match="no archive that can be read"):
        list(read_treebank(archive))


def test_a_broken_sentence_in_an_archive_is_named(tmp_path):
    archive = tmp_path / "bank.tar"
    data = GOOD.replace("k1:VGF", "k1:X").encode()
    with tarfile.open(archive, "w") as file:
        member = tarfile.TarInfo("bank/a.dat")
        member.size = len(data)
        file.addfile(member, io.BytesIO(data))
    with pytest.raises(FormatError, match=r"bank.tar/a.dat:4: "):
        list(read_treebank(archive))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a.dat#1\tmain:1-4 nonfin:3-6", "clauses cross"),
        ("a.dat#1\tmain:1", "no line of the form"),
        ("a.dat#1\tmean:1-4", "no line of the form"),
        ("a.dat\tmain:1-4", "no line of the form"),
        ("a.dat#1\tmain:4-1", "no line of the form"),
    ],
)
def test_marked_clauses_are_checked(tmp_path, line, message):
    path = written(tmp_path, f"a.dat#0\tmain:1-2\n{line}\n", "marked.tsv")
    with pytest.raises(FormatError, match=rf"marked.tsv:2: {message}"):
        read_marked(path)
