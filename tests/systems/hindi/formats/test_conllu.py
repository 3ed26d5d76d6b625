"""CoNLL-U: the treebank's columns, chunks with and without marks in the file, and faults."""

from __future__ import annotations

import gzip
from operator import itemgetter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lattice_simp.errors import FormatError
from lattice_simp.support.tables import read_table
from lattice_simp.systems.hindi.formats.conllu import read_conllu
from lattice_simp.systems.hindi.rules import rule_clauses
from lattice_simp.systems.hindi.sentence import Chunk, Token

PLACE = Path("x.conllu")


CELLS = ("number", "form", "lemma", "part", "tag", "features", "head", "relation", "links", "misc")


def line(*cells, **named):
    """Returns a word's line; the cells in order, without the links."""
    ordered = zip((name for name in CELLS if name != "links"), cells, strict=False)
    return "\t".join(map(str, (dict.fromkeys(CELLS, "_") | dict(ordered) | named).values()))


def read(*lines):
    return list(read_conllu(PLACE, lines=lines))


MARKED = (
    "# sent_id = a-1",
    "# text = लड़के ने रोटी खाई है।",
    line(1, "लड़के", "लड़का", "NOUN", "NN", "Case=Acc|Gender=Masc|Number=Sing|Person=3", 4, "nsubj",
         "ChunkId=NP|ChunkType=head|Tam=0|Translit=laṛake|Vib=0_ने"),
    line(2, "ने", "ने", "ADP", "PSP", "AdpType=Post", 1, "case", "ChunkId=NP|ChunkType=child"),
    line(3, "रोटी", "रोटी", "NOUN", "NN", "Case=Nom|Gender=Fem|Number=Sing|Person=3", 4, "obj",
         "ChunkId=NP2|ChunkType=head|Tam=0|Vib=0"),
    line(4, "खाई", "खाना", "VERB", "VM", "Aspect=Perf|Gender=Fem|Number=Sing|VerbForm=Part", 0, "root",
         "ChunkId=VGF|ChunkType=head|Stype=declarative|Tam=yA|Vib=या_है"),
    line(5, "है", "है", "AUX", "VAUX", "Person=3|VerbForm=Fin", 4, "aux",
         "ChunkId=VGF|ChunkType=child|SpaceAfter=No|Tam=hE|Vib=है"),
    line(6, "।", "।", "PUNCT", "SYM", "_", 4, "punct", "ChunkId=BLK|ChunkType=head"),
    "",
)  # fmt: skip


def test_a_sentence_with_chunks():
    (sentence,) = read(*MARKED)
    assert sentence.id == "a-1"
    assert str(sentence) == "लड़के ने रोटी खाई है ।"
    assert sentence.chunks == (
        Chunk("NP", 0, 2, 2, "nsubj"),
        Chunk("NP", 2, 3, 2, "obj"),
        Chunk("VGF", 3, 5),
        Chunk("BLK", 5, 6, 2, "punct"),
    )
    assert sentence.tokens[0] == Token("लड़के", "NN", "लड़का", "n", "m", "sg", "3", "o", "0", "0")
    assert sentence.tokens[3] == Token("खाई", "VM", "खा", "v", "f", "sg", "", "", "या", "yA")
    assert sentence.tokens[4].root == "है"


def test_the_phrase_s_head_may_hang_below_another_of_its_tokens():
    lines = [
        line(1, "a", head=2, relation="x", misc="ChunkId=NP|ChunkType=head"),
        line(2, "b", head=3, relation="y", misc="ChunkId=NP|ChunkType=child"),
        line(3, "c", head=0, relation="root", misc="ChunkId=VGF|ChunkType=head"),
    ]
    (sentence,) = read(*lines)
    assert sentence.chunks[0] == Chunk("NP", 0, 2, 1, "y")


def test_elided_phrases_and_equal_neighbours():
    lines = [
        line(1, "NULL", tag="VM", head=0, relation="root", misc="ChunkId=NULL__VGF|ChunkType=head"),
        line(2, "a", tag="NN", head=1, relation="k1", misc="ChunkId=NP|ChunkType=head"),
        line(3, "b", tag="NN", head=1, relation="k2", misc="ChunkId=NP2|ChunkType=head"),
    ]
    tokens = (Token("NULL", "VM", category="v", is_empty=True), Token("a", "NN", category="n"))
    (sentence,) = read(*lines)
    assert sentence.tokens == (*tokens, Token("b", "NN", category="n"))
    assert sentence.chunks == (
        Chunk("VGF", 0, 1, is_empty=True),
        Chunk("NP", 1, 2, 0, "k1"),
        Chunk("NP", 2, 3, 0, "k2"),
    )


def test_null_is_elided_in_treebanks_only():
    words = [line(1, "NULL"), line(2, "a", misc="ChunkId=NP")]
    assert [token.is_empty for token in read(*words)[0].tokens] == [False, False]
    words = [line(1, "NULL", misc="ChunkId=VGF"), line(2, "a", misc="ChunkId=NP")]
    assert [token.is_empty for token in read(*words)[0].tokens] == [True, False]


def test_multiword_tokens_and_empty_nodes_are_passed_over():
    lines = [
        line("1-2", "उसने"),
        line(1, "उस", "वह", "PRON", "PRP", "_", 3, "nsubj", "ChunkId=NP"),
        line(2, "ने", "ने", "ADP", "PSP", "_", 1, "case", "ChunkId=NP"),
        line("2.1", "रोटी"),
        line(3, "खाया", "खाना", "VERB", "VM", "_", 0, "root", "ChunkId=VGF"),
    ]
    (sentence,) = read(*lines)
    assert str(sentence) == "उस ने खाया"
    assert [(chunk.tag, chunk.head) for chunk in sentence.chunks] == [("NP", 1), ("VGF", -1)]


UNMARKED = list(read_table(Path(__file__).with_name("chunks.tsv"), ("name", "words", "chunks"), full=True))


@pytest.mark.parametrize("row", UNMARKED, ids=itemgetter("name"))
def test_chunks_from_the_tree(row):
    words = [word.split("|") for word in row["words"].split()]
    lines = [
        line(number, form, part=part, features=features or "_", head=head, relation=relation)
        for number, (form, part, features, head, relation) in enumerate(words, start=1)
    ]
    (sentence,) = read(*lines)
    forms = [token.form for token in sentence.tokens]
    chunks = [f"{chunk.tag}:{'+'.join(forms[chunk.start : chunk.end])}" for chunk in sentence.chunks]
    assert " ".join(chunks) == row["chunks"]


def test_tags_from_universal_ones():
    words = ["नहीं|PART|Polarity=Neg", "ही|PART|", "सब|DET|PronType=Tot", "यह|DET|PronType=Dem", "पहला|ADJ|NumType=Ord",
             "कि|SCONJ|", "क्या|PRON|PronType=Int", "?|SYM|"]  # fmt: skip
    lines = [
        line(number, form, part=part, features=features or "_", head=0, relation="root")
        for number, (form, part, features) in enumerate((word.split("|") for word in words), start=1)
    ]
    (sentence,) = read(*lines)
    assert [token.tag for token in sentence.tokens] == ["NEG", "RP", "QF", "DEM", "QO", "CC", "WQ", "SYM"]


def test_tags_of_another_treebank_give_way_to_universal_ones():
    words = [
        "इस|DET|DT|3|det",
        "पर|ADP|IN|1|case",
        "लिखते|VERB|VBI|4|xcomp",
        "हुए|VERB|VXH|5|acl",
        "रोया|VERB|VBI|0|root",
        "भी|PART|EMPH|5|dep",
        "कौन|PRON|WP|5|nsubj",
    ]
    lines = [
        line(number, form, part=part, tag=tag, head=head, relation=relation)
        for number, (form, part, tag, head, relation) in enumerate((word.split("|") for word in words), start=1)
    ]
    (sentence,) = read(*lines)
    assert [token.tag for token in sentence.tokens] == ["DEM", "PSP", "VM", "VAUX", "VM", "RP", "WQ"]
    assert not [clause for clause in rule_clauses(sentence) if clause.end - clause.start == 1]


@pytest.mark.parametrize(
    ("form", "lemma", "root"),
    [
        ("बनाया", "बनाना", "बना"),
        ("बनाया", "बना", "बना"),
        ("बनी", "बनना", "बन"),
        ("सुनाते", "सुना", "सुना"),
        ("जाना", "जाना", "जा"),
        ("थी", "था", "था"),
    ],
)
def test_lemmas_of_verbs_are_infinitives_or_stems(form, lemma, root):
    (sentence,) = read(line(1, form, lemma, "VERB", "VM", head=0, relation="root"))
    assert sentence.tokens[0].root == root


FAULTS = {
    "nine columns": (["1\ta\t_\t_\t_\t_\t0\troot\t_"], 1, "expected 10 columns, found 9"),
    "blanks for tabulators": (["1 a _ _ _ _ 0 root _ _"], 1, "expected 10 columns, found 1"),
    "a number missing": ([line(1, "a", head=0), line(3, "b", head=1)], 2, "expected word 2, found '3'"),
    "no number": ([line("x", "a", head=0)], 1, "expected word 1, found 'x'"),
    "no form": ([line(1, "", head=0)], 1, "empty"),
    "a head that is not a number": (["# c", line(1, "a", head="b")], 2, "is not a number: 'b'"),
    "a head too far": (
        [line(1, "a", head=0), line(2, "b", head=3)],
        2,
        "the head 3 is outside the sentence of 2 words",
    ),
    "its own head": ([line(1, "a", head=1)], 1, "is on a cycle of dependencies"),
    "a cycle": ([line(1, "a", head=0), line(2, "b", head=3), line(3, "c", head=2)], 2, "is on a cycle of dependencies"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_name_file_and_line(name):
    lines, number, message = FAULTS[name]
    with pytest.raises(FormatError, match=message) as caught:
        read(*lines)
    assert caught.value.line == number
    assert caught.value.path == PLACE
    problems: list[FormatError] = []
    whole = line(1, "घर", head=0, relation="root")
    results = list(read_conllu(PLACE, problems, [whole, "", *lines, "", whole]))
    assert [str(sentence) for sentence in results] == ["घर", "घर"]
    assert [problem.line for problem in problems] == [number + 2]


def test_only_comments_make_no_sentence():
    assert read("# newdoc", "", "", "# sent_id = 1", "") == []


FORMS = st.one_of(
    st.sampled_from(["_", "NULL", "राम", "#", "1", "a b", "|", "\\s", "="]),
    st.text(st.characters(exclude_characters="\t\r\n", exclude_categories=("Cs",)), min_size=1, max_size=5),
)


@given(st.lists(st.tuples(FORMS, FORMS, FORMS, FORMS), min_size=1, max_size=4))
def test_whatever_the_columns_hold_the_words_are_read(words):
    lines = [
        line(number, form, lemma, tag=tag, features=rest, head=number - 1, relation="x", misc=rest)
        for number, (form, lemma, tag, rest) in enumerate(words, start=1)
    ]
    (sentence,) = read(*lines)
    assert [token.form for token in sentence.tokens] == [form for form, *_ in words]
    assert [token.tag for token in sentence.tokens] == ["" if tag == "_" else tag for _, _, tag, _ in words]


def test_files(tmp_path):
    path = tmp_path / "some.conllu.gz"
    path.write_bytes(gzip.compress(("\n".join(MARKED) + "\n").encode() * 3))
    assert list(read_conllu(path)) == read(*MARKED) * 3
    with pytest.raises(FormatError, match=r"missing\.conllu"):
        list(read_conllu(tmp_path / "missing.conllu"))
