"""The experiment with expansions, on made-up sets: from texts to the page, and the grades of the sample."""

from __future__ import annotations

import gzip
import json
from functools import partial

import numpy as np
import pytest
import yaml

from experiments.paraphrase import curve as fluency
from experiments.paraphrase import judging
from experiments.paraphrase.__main__ import earlier, main
from experiments.paraphrase.curve import CURVE, condition_counts, probable
from experiments.paraphrase.judging import main as judge
from experiments.paraphrase.judging import new_sentence, original_sentence, shares
from experiments.paraphrase.report import draw
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
from lattice_simp.systems.judging import JudgingStore, read_study, write_csv
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
    """Returns the sufficiently probable sentences of a set's expansion; words cost 1 by default."""
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


def test_drawn_sentences_are_new():
    trees = [Tree.from_brackets(text) for text in TREES]
    new = {"the man bought a large car", "the man got a big car yesterday"}
    model, draw = model_of({"</s>": 1}), partial(new_sentence, CURVE["unfiltered"], Paraphraser(thesaurus=WORDS))
    for seed in range(10):
        sentence, beside = draw(model, 2, trees, np.random.default_rng(seed))
        assert sentence in new
        assert set(beside) == {" ".join(tree.tokens) for tree in trees}
        assert len(set(sentence.split()) & set(beside[0].split())) >= len(
            set(sentence.split()) & set(beside[1].split())
        )
    assert draw(model, 2, trees[:1], np.random.default_rng(0)) is None


def test_probable_sentences_are_drawn_and_counted_by_their_costs():
    trees = [Tree.from_brackets(text) for text in TREES]
    words = {word for tree in trees for word in tree.tokens}
    model = model_of({**dict.fromkeys(words, 1), "</s>": 1, "large": 3})
    paraphraser = Paraphraser(CURVE["probable"].settings, WORDS)
    drawn = {
        new_sentence(CURVE["probable"], paraphraser, model, 2, trees, np.random.default_rng(i))[0] for i in range(9)
    }
    assert drawn == {"the man got a big car yesterday"}
    numbers = {
        name: condition_counts(condition, Paraphraser(condition.settings, WORDS), trees, model)["sentences"]
        for name, condition in CURVE.items()
    }
    assert numbers["filtered"] == 4
    assert numbers["probable"] == 3


def test_controls_are_shown_beside_other_sentences():
    trees = [Tree.from_brackets(text) for text in (*TREES, TREES[0])]
    for seed in range(5):
        sentence, beside = original_sentence(Paraphraser(), 3, trees, np.random.default_rng(seed))
        assert {sentence, *beside} == {" ".join(tree.tokens) for tree in trees}
        assert sentence not in beside
    assert original_sentence(Paraphraser(), 3, trees[:1], np.random.default_rng(0)) is None


def test_unread_sets_keep_their_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(judging, "read_sets", lambda folder: iter([["a"], ["b"], ["c"]]))
    assert judging._unread_sets(tmp_path, 10, [11]) == {10: ["a"], 12: ["c"]}


def test_answers_of_the_study_become_rows_without_sentences(tmp_path, monkeypatch):
    drawn = [judging.Drawn("filtered", "mine", number, f"a {number}", ("b", "c")) for number in range(3)]
    judging.write_study(tmp_path, drawn, 7)
    study = read_study(tmp_path / judging.STUDY_FILE)
    assert [(item.source, *item.outputs.values()) for item in study.items] == [("b / c", f"a {n}") for n in range(3)]
    answers, output = tmp_path / "answers.csv", tmp_path / judging.JUDGED
    with JudgingStore(tmp_path / "study.db", study) as store:
        for position in range(3):
            answer = "as above" if store.screen("Ada").texts[0] == "a 1" else "right"
            store.answer("Ada", position, {"grammar": answer, "meaning": "right"})
        with open(answers, "w", encoding="utf-8") as file:
            write_csv(study, store.judgements(), file)
    monkeypatch.setattr(judging, "__file__", str(tmp_path / "judging.py"))
    judge([str(answers), str(tmp_path / judging.KEY)])
    assert "a 1" not in output.read_text("utf-8")
    rows = judging.read_judged()
    assert [(row["set"], row["grammar"]) for row in rows] == [("0", "right"), ("1", "as above"), ("2", "right")]
    figures = shares(rows)["filtered"]
    assert (figures["right"]["value"], figures["forgiven"]["value"]) == (66.7, 100.0)
    assert figures["right"]["low"] < 66.7 < figures["right"]["high"]
    assert figures["collections"] == {"mine": {"sentences": 3, "right": 2, "forgiven": 3}}
    earlier_rows = [("6", condition, "mine", "7", "x", "wrong", "wrong") for condition in ("filtered", "paper")]
    lines = ["\t".join(row) for row in (judging.JUDGED_COLUMNS, *earlier_rows)]
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    judge([str(answers), str(tmp_path / judging.KEY)])
    assert {(row["condition"], row["seed"]) for row in judging.read_judged()} == {("filtered", "7"), ("paper", "6")}
    lines = answers.read_text("utf-8").splitlines(keepends=True)
    answers.write_text("".join(lines[:-1]), encoding="utf-8")
    with pytest.raises(FormatError, match="has no answers"):
        judge([str(answers), str(tmp_path / judging.KEY)])


def test_a_sentence_is_right_only_in_both_questions():
    answers = [("right", "right"), ("right", "wrong"), ("wrong", "right"), ("as above", "right"), ("as above", "wrong")]
    rows = [
        {"seed": "1", "condition": "paper", "collection": "mine", "grammar": grammar, "meaning": meaning}
        for grammar, meaning in answers
    ]
    figures = shares(rows)["paper"]
    assert [figures[name]["value"] for name in ("grammar", "meaning", "right", "forgiven")] == [40.0, 60.0, 20.0, 40.0]


def test_precision_is_drawn_where_sentences_were_judged(tmp_path):
    share = {"value": 50.0, "low": 40.0, "high": 60.0}
    curve = {"paper": {"growth": 8.0, "sets": [[1, 2], [3, 40]], "judged": {"right": share, "forgiven": share}}}
    draw(curve, tmp_path)
    assert "</svg>" in (tmp_path / "precision-by-yield.svg").read_text("utf-8")
    del curve["paper"]["judged"]
    draw(curve, tmp_path / "other")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["sentences-by-phrases.svg"]


def test_figures_of_the_combination_stay_with_their_date(tmp_path):
    assert earlier(tmp_path / "results.json", ["combination"]) == {}
    (tmp_path / "results.json").write_text('{"date": "2020-01-01", "combination": 1, "right": 2}', encoding="utf-8")
    known = {"combination": 1, "combination_date": "2020-01-01"}
    assert earlier(tmp_path / "results.json", ["combination"]) == known
    (tmp_path / "results.json").write_text(json.dumps({"date": "2021-01-01", **known}), encoding="utf-8")
    assert earlier(tmp_path / "results.json", ["combination"]) == known


@pytest.mark.slow
def test_the_page(tmp_path, monkeypatch):
    pytest.importorskip("spacy")
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

    monkeypatch.setattr(fluency, "estimate", estimate)
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
        "sample": {
            "seed": 1,
            "sentences": 1,
            "beside": 2,
            "conditions": ["paper"],
            "sets": {"mine": {"from": 0, "to": 2}},
        },
    }
    folder = tmp_path / "experiment"
    folder.mkdir()
    (folder / "config.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    main([str(folder), "--output", str(tmp_path / "out")])
    figures = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
    assert figures["collections"]["mine"]["sets"] == 2
    assert figures["phrases_per_set"]["mine"] > 0
    assert figures["sentences_per_set"]["mine"]["mean"] > 2
    study = read_study(next((tmp_path / "work").glob("sample.*")) / judging.STUDY_FILE)
    assert len(study.items) > 1
    assert figures["curve"]["paper"]["all"]["phrases"] >= figures["curve"]["filtered"]["all"]["phrases"]
    assert len(figures["curve"]["paper"]["sets"]) == 2
    assert (tmp_path / "out" / "plots" / "sentences-by-phrases.svg").exists()
    page = (tmp_path / "out" / "RESULTS.md").read_text("utf-8")
    assert "| mine | 2 |" in page
    assert "| given + expanded | chrF2 | edits |" in page
    assert "make them with: make study-en-fr" in page
    assert figures["references"]["human"]["cases"] == 6
