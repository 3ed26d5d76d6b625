"""The experiment with expansions, on made-up sets: from texts to the page, and the grades of the sample."""

from __future__ import annotations

import gzip
import json

import pytest
import yaml

from experiments.paraphrase import judging
from experiments.paraphrase.judging import main as judge
from experiments.paraphrase.judging import one_new, probable, read_sheet
from lattice_simp import (
    AlignmentSettings,
    FormatError,
    LanguageModel,
    Paraphraser,
    ParaphraseSettings,
    Thesaurus,
    Tree,
    nbest,
)
from lattice_simp.systems.paraphrase.conditions import CONDITIONS

TREES = [
    "(S (NP (DT the) (NN man)) (VP (VBD bought) (NP (DT a) (JJ big) (NN car))))",
    "(S (NP (DT the) (NN man)) (VP (VBD got) (NP (DT a) (JJ large) (NN car)) (ADVP (RB yesterday))))",
]


WORDS = Thesaurus.from_groups([["big", "large"], ["bought", "got"]])


def model_of(costs):
    """Makes a unigram model of costs in powers of ten."""
    grams = "".join(f"-{cost}\t{word}\n" for word, cost in costs.items())
    head = f"\\data\\\nngram 1={len(costs) + 2}\n\n\\1-grams:\n-99\t<s>\n-9\t<unk>\n"
    return LanguageModel.from_bytes(f"{head}{grams}\n\\end\\\n".encode())


LOOSE = ParaphraseSettings(alignment=AlignmentSettings(conditions=tuple(CONDITIONS)))


def probable_texts(texts, costs, settings=None):
    """Returns the sentences of a set's expansion that pass a model; words cost 1 unless told."""
    trees = [Tree.from_brackets(text) for text in texts]
    words = {word for tree in trees for word in tree.tokens}
    model = model_of({**dict.fromkeys(words, 1), "</s>": 1, **costs})
    lattice = probable(Paraphraser(settings or ParaphraseSettings(), WORDS).expand_each(trees), model)
    return {path.text for path in nbest(lattice, 20) if path.cost <= 1e-6} - {" ".join(tree.tokens) for tree in trees}


def test_probable_sentences_are_as_probable_as_their_origins():
    assert probable_texts(TREES, {"large": 3}) == {"the man got a big car yesterday"}


def test_words_neither_come_nor_go_because_they_are_frequent():
    trees = [
        "(S (NP (DT the) (NN man)) (VP (VBD bought) (NP (DT a) (JJ red) (NN car))))",
        "(S (NP (DT the) (NN man)) (VP (VBD sold) (NP (DT a) (NN car))))",
    ]
    assert probable_texts(trees, {"red": 3}, LOOSE) == {"the man bought a car"}
    assert probable_texts(trees, {"red": 0.5, "car": 2}, LOOSE) == set()
    assert Paraphraser(LOOSE).expand([Tree.from_brackets(tree) for tree in trees]).count == 4


def test_what_is_drawn_is_new():
    import numpy as np

    trees = [Tree.from_brackets(text) for text in TREES]
    for seed in range(10):
        sentence, second = one_new(Paraphraser(thesaurus=WORDS), trees, None, np.random.default_rng(seed))
        assert sentence in {"the man bought a large car", "the man got a big car yesterday"}
        assert second in {" ".join(tree.tokens) for tree in trees}
    assert one_new(Paraphraser(), trees[:1], None, np.random.default_rng(0)) is None


def test_grades_are_read_without_sentences(tmp_path, monkeypatch):
    drawn = [judging.Drawn("filtered", "mine", number, f"a {number}", "b") for number in range(3)]
    judging._write(tmp_path, drawn)
    sheet = tmp_path / judging.SHEET
    with pytest.raises(FormatError, match=r"sheet\.tsv:2: a row without its grades"):
        read_sheet(sheet)
    head, *rows = sheet.read_text("utf-8").splitlines()
    sheet.write_text("\n".join([head, *(row[:-1] + "1\t0" for row in rows)]) + "\n", encoding="utf-8")
    monkeypatch.setattr(judging, "__file__", str(tmp_path / "judging.py"))
    judge([str(sheet)])
    assert "a 1" not in (tmp_path / judging.JUDGED).read_text("utf-8")
    assert judging.right(judging.read_judged())["filtered"] == {
        "sentences": 3,
        "grammar": 100.0,
        "meaning": 0.0,
        "right": 0.0,
    }
    sheet.write_text("\n".join([head, *rows[1:]]) + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match="keep all rows"):
        read_sheet(sheet)


def test_the_page(tmp_path, monkeypatch):
    pytest.importorskip("spacy")
    from experiments.paraphrase.__main__ import main

    names = ["one.txt", "two.txt", "three.txt"]
    texts = [
        ["The old man bought a big car.", "A dog ran."],
        ["Today the old man bought a large car.", "A dog ran fast."],
        ["The man got a car.", "A dog was running."],
    ]
    for name, lines in zip(names, texts, strict=True):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    wordnet = tmp_path / "wordnet"
    wordnet.mkdir()
    for part in ("noun", "verb", "adj", "adv"):
        (wordnet / f"index.{part}").write_text("  1 licence\n", encoding="utf-8")

    def estimate(text, arpa, **options):
        arpa.write_bytes(
            gzip.compress(b"\\data\\\nngram 1=3\n\n\\1-grams:\n-99\t<s>\n-1\t<unk>\n-1\t</s>\n\n\\end\\\n")
        )

    monkeypatch.setattr(judging, "estimate", estimate)
    monkeypatch.setattr("experiments.paraphrase.__main__.read_judged", list)
    values = {
        "data": str(tmp_path),
        "work": str(tmp_path / "work"),
        "wordnet": str(wordnet),
        "senses": 2,
        "collections": {"mine": {"files": names}},
        "counted_sets": {},
        "some_sets": 2,
        "thousand": "mine",
        "language_model": {"order": 2, "texts": [{"file": "one.txt", "to": 1}]},
        "study": str(tmp_path / "none"),
        "references": {"collection": "mine", "sets": 2, "translations": str(tmp_path / "none"), "seed": 1},
        "sample": {"collections": ["mine"], "sentences": 1, "max_substitutions": 2, "seed": 1},
    }
    folder = tmp_path / "experiment"
    folder.mkdir()
    (folder / "config.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    main([str(folder), "--output", str(tmp_path / "out")])
    figures = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
    assert figures["collections"]["mine"]["sets"] == 2
    assert figures["phrases_per_set"]["mine"] > 0
    assert figures["sentences_per_set"]["mine"]["mean"] > 2
    sheet = next((tmp_path / "work").glob("sample.*")) / judging.SHEET
    assert len(sheet.read_text("utf-8").splitlines()) > 1
    page = (tmp_path / "out" / "RESULTS.md").read_text("utf-8")
    assert "| mine | 2 |" in page
    assert "| given + expanded | chrF2 | edits |" in page
    assert "make them with: make study-en-fr" in page
    assert figures["references"]["human"]["cases"] == 6
