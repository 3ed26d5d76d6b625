"""The analyser, trained on a tiny artificial treebank and tested on unseen sentences; files, faults, morphology."""

from __future__ import annotations

import itertools
import json

import pytest

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token
from lattice_simp.systems.hindi.text import Analyser, AnalyserSettings
from lattice_simp.systems.hindi.text.analyser import CHUNKER, META, TAGGER
from lattice_simp.systems.hindi.text.morphology import (
    ENDINGS,
    WORDS,
    Morphology,
    read_morphology,
    with_dots_of,
    write_morphology,
)

pytest.importorskip("pycrfsuite")

NAMES = ["राम", "सीता", "मोहन", "गीता", "श्याम"]
THINGS = ["रोटी", "फल", "चावल", "सब्ज़ी"]
STEMS = ["खा", "पका", "उठा", "ला"]
ENDS = [("", "या", "या", "yA"), ("", "ता", "ता", "wA")]


def noun(form, tag="NN"):
    return Token(form, tag, form, "n", "m", "sg", "3", "o", "0", "0")


def sentence(name, thing, stem, end, other):
    """Returns a participle, a gerund with its postposition, and a finite verb."""
    _, ending, vibhakti, tam = end
    tokens = (
        noun(name, "NNP"),
        Token("ने", "PSP", "ने", "psp"),
        noun(thing),
        Token(stem + "कर", "VM", stem, "v", "any", "any", "any", "", "कर", "kara"),
        Token(other + "ने", "VM", other, "v", "any", "any", "any", "o", "ना", "nA"),
        Token("से", "PSP", "से", "psp"),
        Token("NULL", "NN", is_empty=True),
        Token("डॉ.", "NNP", "डॉ.", "n"),
        Token(stem + ending, "VM", stem, "v", "m", "sg", "any", "", vibhakti, tam),
        Token("है", "VAUX", "है", "v", "any", "sg", "3", "", "है", "hE"),
        Token("।", "SYM", "।", "punc"),
    )
    ends = [("NP", 2), ("NP", 3), ("VGNF", 4), ("VGNN", 6), ("NP", 7), ("NP", 8), ("VGF", 10), ("BLK", 11)]
    starts = [0, *(end for _, end in ends)]
    return Sentence(tokens, tuple(Chunk(tag, start, end) for start, (tag, end) in zip(starts, ends, strict=False)))


TREEBANK = [sentence(*parts) for parts in itertools.product(NAMES[:4], THINGS[:3], STEMS[:3], ENDS, STEMS[:2])]
SETTINGS = AnalyserSettings(epochs=5, min_count=1)
WORDS_UNSEEN = ["श्याम", "ने", "सब्ज़ी", "लाकर", "पकाने", "से", "डॉ.", "लाता", "है", "।"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    target = tmp_path_factory.mktemp("models") / "hindi"
    Analyser.train(target, TREEBANK, SETTINGS)
    return target


@pytest.fixture
def copied(folder, tmp_path):
    """A folder to break."""
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_unseen_words_get_tags_chunks_and_morphology(folder):
    result = Analyser.load(folder).analyse(WORDS_UNSEEN)
    assert [token.tag for token in result.tokens] == "NNP PSP NN VM VM PSP NNP VM VAUX SYM".split()
    assert [(chunk.tag, chunk.end) for chunk in result.chunks] == [
        ("NP", 2), ("NP", 3), ("VGNF", 4), ("VGNN", 6), ("NP", 7), ("VGF", 9), ("BLK", 10)
    ]  # fmt: skip
    assert [(token.root, token.tam) for token in result.tokens if token.tag == "VM"] == [
        ("ला", "kara"), ("पका", "nA"), ("ला", "wA")
    ]  # fmt: skip
    assert all(chunk.head == -1 for chunk in result.chunks)


def test_a_text(folder):
    pytest.importorskip("indicnlp")
    result = Analyser.load(folder)("राम ने फल खाकर पकाने से डॉ. खाया है। सीता ने रोटी उठाकर खाने से डॉ. उठाया है।")
    assert [(entry.id, len(entry)) for entry in result] == [("1", 10), ("2", 10)]
    assert [chunk.tag for chunk in result[1].chunks] == "NP NP VGNF VGNN NP VGF BLK".split()
    assert Analyser.load(folder)(" \n") == []


def test_training_again_gives_the_same(folder, tmp_path):
    Analyser.train(tmp_path / "again", iter(TREEBANK), SETTINGS)
    for path in folder.iterdir():
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes(), path.name


def test_romanised_tokens(folder):
    table = {"raam": "राम", "ne": "ने"}
    analyser = Analyser.load(folder, lambda word: table.get(word, word))
    assert analyser.analyse(["raam", "ne"]).tokens[0].form == "राम"


def test_empty_input(folder):
    analyser = Analyser.load(folder)
    assert analyser.analyse([]) == Sentence(())
    with pytest.raises(LatticeSimpError, match="token 2 of the sentence is empty"):
        analyser.analyse(["राम", ""])


def test_nothing_to_learn_from(tmp_path):
    untagged = Sentence((Token("राम"),), (Chunk("NP", 0, 1),))
    for each in (
        [],
        [Sentence((Token("राम", "NN"),))],
        [untagged],
        [Sentence((Token("NULL", "NN", is_empty=True),), untagged.chunks)],
    ):
        with pytest.raises(LatticeSimpError, match="no sentences with tags and chunks"):
            Analyser.train(tmp_path / "m", each)
    with pytest.raises(LatticeSimpError, match="training needs at least 2 labels"):
        Analyser.train(tmp_path / "m", [Sentence((Token("राम", "NN"),), untagged.chunks)])


def test_rare_tags_are_not_learnt(tmp_path):
    odd = Sentence((noun("राम", "ODD"),), (Chunk("NP", 0, 1),))
    analyser = Analyser.train(tmp_path / "m", [*TREEBANK, odd], SETTINGS)
    assert "ODD" not in analyser.tagger.labels()


@pytest.mark.parametrize("name", [TAGGER, CHUNKER, META, WORDS, ENDINGS])
def test_missing_and_broken_files(copied, name):
    path = copied / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 - 1])
    with pytest.raises(FormatError, match=name.replace(".", r"\.")):
        Analyser.load(copied)
    path.unlink()
    with pytest.raises(FormatError, match="has no analyser.json" if name == META else "cannot be read"):
        Analyser.load(copied)


def test_strange_settings(copied):
    meta = json.loads((copied / META).read_text())
    for changed, message in (
        ({**meta, "features": 99}, "features of version 99"),
        ({**meta, "abbreviations": "डॉ."}, "no list of abbreviations"),
        ([], "features of version None"),
    ):
        (copied / META).write_text(json.dumps(changed))
        with pytest.raises(FormatError, match=message):
            Analyser.load(copied)
    (copied / META).write_text(json.dumps(meta))
    (copied / CHUNKER).write_bytes((copied / TAGGER).read_bytes())
    with pytest.raises(FormatError, match="no chunker: it has the label"):
        Analyser.load(copied)


def test_frequent_values_and_contexts_win():
    direct, oblique = (Token("घर", "NN", "घर", "n", "m", "sg", "3", case, "0", "0") for case in "do")
    alone = Sentence((direct,), (Chunk("NP", 0, 1),))
    before = Sentence((oblique, Token("में", "PSP", "में", "psp")), (Chunk("NP", 0, 2),))
    morphology = Morphology.learn([alone, alone, alone, before, before])
    assert morphology.apply(["घर"], ["NN"], ["NP"]) == (direct,)
    assert morphology.apply(["घर", "में"], ["NN", "PSP"], ["NP", "NP"])[0] == oblique
    assert morphology.apply(["घर"], ["NN"], ["XP"]) == (direct,)


def test_endings_of_unknown_words():
    def verb(form, root, tam):
        return Sentence((Token(form, "VM", root, "v", tam=tam),), (Chunk("VGF", 0, 1),))

    known = [verb("बोला", "बोल", "yA"), verb("खेला", "खेल", "yA"), verb("बोलता", "बोल", "wA"), verb("खेलता", "खेल", "wA")]
    morphology = Morphology.learn([*known, *[verb("गया", "जा", "yA1")] * 9])
    results = [morphology.apply([form], ["VM"], ["VGF"])[0] for form in ("देखा", "देखता", "गया", "ZZ")]
    assert [(token.root, token.tam) for token in results] == [("देख", "yA"), ("देख", "wA"), ("जा", "yA1"), ("ZZ", "")]
    assert morphology.apply(["देखा"], ["NN"], ["NP"])[0] == Token("देखा", "NN", "देखा")


def test_morphology_comes_back(tmp_path):
    morphology = Morphology.learn(TREEBANK)
    write_morphology(tmp_path, morphology)
    assert read_morphology(tmp_path) == morphology
    lines = (tmp_path / WORDS).read_text().splitlines()
    (tmp_path / WORDS).write_text("\n".join([*lines[:4], lines[4] + "\tmore"]) + "\n")
    with pytest.raises(FormatError, match=r"words\.tsv:5: expected 11 fields, found 12"):
        read_morphology(tmp_path)


def test_dots_below_letters():
    assert with_dots_of("बढ\u093cते", "बढ") == "ब\u095d"
    assert with_dots_of("बढते", "ब\u095d") == "ब\u095d"
    assert with_dots_of("पढ\u093cाया", "पढा") == "प\u095dा"
    assert with_dots_of("गया", "जा") == "जा"
