"""`lattice-simp skeleton annotation import`, `export` and `progress`."""

from __future__ import annotations

import json
import re
import sys

import pytest

from lattice_simp.skeleton import read_skeletons
from lattice_simp.systems.annotation import AnnotationStore

TEXT = "The old mill was sold again .\n\nSo it goes , she said .\n"
RECORDS = (
    '{"id": "a.1", "line": 4, "tokens": ["so", "it", "goes"], "keep": ["011", "111"]}\n'
    '{"id": "a.2", "line": 5, "tokens": ["well", ",", "no"], "keep": ["001", "001"], "annotators": ["Zoe", "Ada"]}\n'
)
COMMAND = ("skeleton", "annotation")


@pytest.fixture
def files(quick_path, monkeypatch):
    monkeypatch.chdir(quick_path)
    (quick_path / "talk.en").write_text(TEXT, "utf-8")
    (quick_path / "made.jsonl").write_text(RECORDS, "utf-8")
    return quick_path


def test_sentences_go_in(call, files):
    done = call(*COMMAND, "import", "talk.db", "talk.en", "--shortenings", 2, "--checks", 1, "--lease", 60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "2 new sentences of 2, 0 judgements\nrequired: 2 shortenings of each sentence, 1 check of each"
    )
    with AnnotationStore("talk.db") as store:
        assert [(sentence.id, sentence.line, " ".join(sentence.tokens)) for sentence in store.sentences()] == [
            ("talk.0", 0, "The old mill was sold again ."),
            ("talk.2", 2, "So it goes , she said ."),
        ]
    again = call(*COMMAND, "import", "talk.db", "talk.en", "--lease", 90)
    assert again.stdout.startswith("0 new sentences of 2")
    with AnnotationStore("talk.db") as store:
        result = store.settings
        assert (result.shortenings, result.checks, result.lease) == (2, 1, 90)  # unmentioned values stay


def test_tokens_are_made_of_plain_text(call, files):
    pytest.importorskip("sacremoses", reason="sacremoses is not installed (the extra 'train')")
    text = "\u201cSo it goes,\u201d she said. It didn't.\n"
    assert call(*COMMAND, "import", "talk.db", "-", "--language", "en", stdin=text).returncode == 0
    with AnnotationStore("talk.db") as store:
        assert " ".join(store.sentences()[0].tokens) == "\u201c So it goes , \u201d she said . It didn 't ."


def test_bracket_text_is_refused_before_annotators_see_its_brackets(call, files):
    (files / "talk.txt").write_text("So [ it ]] goes .\nThe mill [[that was old]] stood .\n", "utf-8")
    done = call(*COMMAND, "import", "talk.db", "talk.txt")
    assert done.returncode == 2
    assert done.stderr.startswith("lattice-simp: talk.txt:2: holds a skeleton as bracket text (make JSON lines:")
    assert not (files / "talk.db").exists()


def test_judgements_go_in_and_out_and_in(call, files):
    assert call(*COMMAND, "import", "talk.db", "made.jsonl", "--annotator", "Bob").returncode == 0
    assert call(*COMMAND, "export", "talk.db", "--output", "out.jsonl").returncode == 0
    records = list(read_skeletons("out.jsonl"))
    assert [record.annotators for record in records] == [("Bob", "annotator 2"), ("Zoe", "Ada")]
    assert [record.skeletons for record in records] == [record.skeletons for record in read_skeletons("made.jsonl")]
    assert [(record.id, record.line) for record in records] == [("a.1", 4), ("a.2", 5)]
    assert call(*COMMAND, "import", "again.db", "out.jsonl").returncode == 0
    assert call(*COMMAND, "export", "again.db").stdout == (files / "out.jsonl").read_text("utf-8")
    assert call(*COMMAND, "import", "talk.db", "out.jsonl").stdout.startswith("0 new sentences of 2, 4 judgements")
    with AnnotationStore("talk.db") as store:
        assert len(store.events()) == 4


def needs_the_extra():
    for name in ("crowdkit", "nltk"):
        pytest.importorskip(name, reason=f"{name} is not installed (the extra 'annotation')")


@pytest.mark.slow
def test_one_skeleton_and_all_that_happened(call, files):
    needs_the_extra()
    call(*COMMAND, "import", "talk.db", "-", stdin=RECORDS)
    with AnnotationStore("talk.db") as store:
        store.check("Dora", "a.1", {"111": True})
    for what in ("skeletons", "tokens"):
        done = call(*COMMAND, "export", "talk.db", "--what", what)
        assert [json.loads(line)["keep"] for line in done.stdout.splitlines()] == [["011"], ["001"]], done.stderr
    events = [json.loads(line) for line in call(*COMMAND, "export", "talk.db", "--what", "events").stdout.splitlines()]
    assert [event["task"] for event in events] == ["shorten"] * 4 + ["check"]
    assert events[-1]["bad"] == {"111": True}


@pytest.mark.slow
def test_what_others_found_bad_counts_in_what_is_exported_and_in_reliability(call, files):
    """Two of three annotators kept the same words, which all checkers judged as bad."""
    needs_the_extra()
    tokens = list("abcdef")
    record = {"id": "a.1", "line": 1, "tokens": tokens, "keep": ["110000", "110000", "001111"], "annotators": [*"ABC"]}
    call(*COMMAND, "import", "talk.db", "-", stdin=json.dumps(record) + "\n")

    def exported(what):
        return json.loads(call(*COMMAND, "export", "talk.db", "--what", what).stdout)["keep"]

    def reliability():
        lines = call(*COMMAND, "progress", "talk.db").stdout.splitlines()
        rows = dict(line.split("\t", 1) for line in lines if line)
        return {name: float(rows[name].split("\t")[5]) for name in "ABC"}

    assert exported("skeletons") == exported("tokens") == ["110000"]
    assert reliability()["A"] > reliability()["C"]
    with AnnotationStore("talk.db") as store:
        for name in ("Dora", "Eve", "Fay"):
            store.check(name, "a.1", {"110000": True, "001111": False})
    assert exported("skeletons") == exported("tokens") == ["001111"]
    assert reliability()["A"] < reliability()["C"]


def test_progress(call, files):
    needs_the_extra()
    call(*COMMAND, "import", "talk.db", "made.jsonl", "--shortenings", 2, "--checks", 1)
    done = call(*COMMAND, "progress", "talk.db")
    figures = dict(line.split("\t", 1) for line in done.stdout.splitlines() if line)
    assert figures["sentences to shorten, done"] == "2"
    assert figures["shortenings, remaining"] == "0"
    assert figures["skeletons to check"] == "3"
    assert figures["checks, remaining"] == "3"
    assert figures["shortenings, Krippendorff's alpha"] == "0.686"
    assert figures["Zoe"].split("\t")[:5] == ["1", "0", "0", "0.333", "1.000"]
    assert 0.5 < float(figures["Zoe"].split("\t")[5]) < 1
    assert not done.stderr


def test_progress_without_the_libraries_that_compute_alpha_and_reliability(call, files, monkeypatch):
    call(*COMMAND, "import", "talk.db", "made.jsonl")
    for name in ("crowdkit.aggregation", "nltk.metrics.agreement", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    done = call(*COMMAND, "progress", "talk.db")
    figures = dict(line.split("\t", 1) for line in done.stdout.splitlines() if line)
    assert figures["shortenings"] == "4"
    assert figures["shortenings, Krippendorff's alpha"] == "-"
    assert figures["Zoe"].split("\t") == ["1", "0", "0", "0.333", "1.000", "-"]
    assert re.fullmatch(
        r"lattice-simp: alpha and reliability are missing: .*; pip install 'lattice-simp\[annotation\]'\n", done.stderr
    )
    done = call(*COMMAND, "export", "talk.db", "--what", "skeletons")
    assert done.returncode == 2
    assert re.fullmatch(r"lattice-simp: .* is missing; pip install 'lattice-simp\[annotation\]'\n", done.stderr)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["import", "talk.db", "nowhere.en"], "nowhere.en"),
        (["import", "talk.db", "empty.en"], "empty.en: the file is empty"),
        (["import", "talk.db", "broken.jsonl"], "broken.jsonl:1: mask position 1 is 'x'"),
        (["import", "no/such/talk.db", "made.jsonl"], "no/such/talk.db: unable to open database file"),
        (["import", "made.jsonl", "talk.en"], "made.jsonl: file is not a database"),
        (["import", "talk.db", "made.jsonl", "--checks", "0"], "checks is 0; give a number above 0"),
        (["import", "talk.db", "made.jsonl", "--checks", "9" * 20], "9; give a number above 0 and up to 1000000000"),
        (["import", "talk.db", "made.jsonl", "--lease", "inf"], "lease is inf; give a number above 0"),
        (["import", "talk.db", "twice.jsonl"], "another sentence already has the id 'a.1'"),
        (["import", "talk.db", "unlike.jsonl"], "'annotator 1' has already judged the sentence 'a.1'"),
        (["import", "talk.db", "made.jsonl", "--language", "en"], "--language tokenises text"),
        (["export", "nowhere.db"], "nowhere.db: unable to open database file"),
        (["export", "none.db", "--what", "skeletons"], "there are no judgements to aggregate"),
        (["export", "none.db", "-o", "no/such/out.jsonl"], "no/such/out.jsonl"),
        (["export", "none.db", "--what", "all"], "--what"),
        (["progress", "empty.en"], "empty.en: the file is empty"),
    ],
)
def test_what_is_wrong_is_one_line(call, files, arguments, message):
    first = RECORDS.splitlines(keepends=True)[0]
    (files / "empty.en").write_text("", "utf-8")
    (files / "broken.jsonl").write_text(first.replace("011", "0x1"), "utf-8")
    (files / "twice.jsonl").write_text(first + first.replace('"so"', '"but"'), "utf-8")
    (files / "unlike.jsonl").write_text(first + first.replace("011", "110"), "utf-8")
    AnnotationStore("none.db", create=True).close()
    done = call(*COMMAND, *arguments)
    assert done.returncode in (1, 2), done
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    if "talk.db" in arguments and (files / "talk.db").exists():
        with AnnotationStore("talk.db") as store:
            assert not store.sentences()  # no partial import


def test_judgements_of_the_shared_skeletons(call, shared, files):
    path = shared / "data" / "skeletons" / "newstest2014.jsonl.xz"
    if not path.exists():
        pytest.skip(f"no {path}")
    assert call(*COMMAND, "import", "news.db", path).stdout.startswith("500 new sentences of 500, 1,000 judgements")
    call(*COMMAND, "export", "news.db", "-o", "news.jsonl")
    assert [skeleton.skeletons for skeleton in read_skeletons("news.jsonl")] == [
        skeleton.skeletons for skeleton in read_skeletons(path)
    ]
