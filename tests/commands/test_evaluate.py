"""`lattice-simp evaluate`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from metrics.corpora import random_sentences, with_mistakes
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.ter import TER

from lattice_simp.commands.runs.evaluate_files import named_files
from lattice_simp.commands.shared.options import named_path
from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics import TestKind, choose_tokeniser
from lattice_simp.metrics.report import ResultFormat

WORDS = "the a cat dog house bridge , . was built by near over it".split()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A folder of token files: a reference, a second one, two systems, skeletons, labels."""
    folder = tmp_path_factory.mktemp("evaluate")
    lines = [line + " ." for line in random_sentences(40, 1, longest=14, words=WORDS)]
    files = {"ref": lines, "ref2": with_mistakes(lines, 0.2, 9), "plain": with_mistakes(lines, 0.4, 2)}
    files |= {"gc": with_mistakes(lines, 0.2, 3), "labels": ["odd", "even"] * 20, "short": lines[:39], "empty": []}
    for name, content in files.items():
        (folder / name).write_text("".join(line + "\n" for line in content), encoding="utf-8")
    (folder / "folder").mkdir()
    (folder / "bad").write_bytes(b"a\nb\xff\n" + b"c\n" * 38)
    records = [
        {"id": str(index), "line": index, "tokens": line.split(), "keep": [mask(line), mask(line)[::-1]]}
        for index, line in enumerate(lines)
        if len(line.split()) > 2
    ]
    text = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "skeletons.jsonl").write_text(text, encoding="utf-8")
    return folder


def mask(line: str) -> str:
    count = len(line.split())
    return "0" + "1" * (count - 1) if count % 2 else "10" + "1" * (count - 2)


@pytest.fixture
def run(call, corpus, monkeypatch):
    monkeypatch.chdir(corpus)

    def evaluate(*arguments):
        return call("evaluate", *arguments)

    return evaluate


TEXT = ("--hypothesis", "plain=plain", "gc=gc", "--reference", "ref")
USUAL = (*TEXT, "--tokens")


def lines_of(folder, name):
    return (folder / name).read_text("utf-8").splitlines()


def test_paths_may_hold_the_sign_of_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rate=0.1.arpa").write_text("")
    assert named_path("rate=0.1.arpa") == ("", "rate=0.1.arpa")
    assert named_path("runs/rate=0.1/lm.arpa") == ("", "runs/rate=0.1/lm.arpa")  # a name is no folder
    assert named_path("lm=runs/rate=0.1/lm.arpa") == ("lm", "runs/rate=0.1/lm.arpa")
    assert named_path("lm=rate=0.1.arpa") == ("lm", "rate=0.1.arpa")
    assert named_path("lm.arpa") == ("", "lm.arpa")
    assert named_files(["a=runs/rate=0.1/out.txt"]) == {"a": Path("runs/rate=0.1/out.txt")}
    with pytest.raises(LatticeSimpError, match=r"'runs/rate=0.1/out.txt' is not NAME=FILE"):
        named_files(["runs/rate=0.1/out.txt"])
    (tmp_path / "one.tok.de").write_text("")
    assert named_files(["one.tok.de", "b=one.tok.de"]) == {"one.tok": Path("one.tok.de"), "b": Path("one.tok.de")}


def test_scores_are_printed(run):
    done = run(*USUAL)
    assert done.returncode == 0, done.stderr
    header = done.stdout.splitlines()[2].split()
    assert header == ["system", "BLEU-tok", "chrF2", "TER", "length"]
    rows = [line.split()[:2] for line in done.stdout.splitlines()[4:9]]
    assert [row[0] for row in rows] == ["plain", "plain:", "gc", "gc:", "gc:"]
    assert (rows[1][1], rows[3][1], rows[4][1]) == ("95%", "95%", "p")
    assert "**" in done.stdout


def test_json_holds_sacrebleus_scores_and_the_command(run, corpus):
    done = run(*USUAL, "--reference", "ref2", "--language", "en", "--metrics", "bleu,ter", "--to", "json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert [metric["name"] for metric in document["metrics"]] == ["BLEU-tok", "BLEU-13a", "TER"]
    assert document["metrics"][0]["signature"].startswith("nrefs:2|case:lc|eff:no|tok:none")
    references = [lines_of(corpus, name) for name in ("ref", "ref2")]
    expected = BLEU(tokenize="none", lowercase=True, force=True).corpus_score(lines_of(corpus, "gc"), references).score
    assert document["scores"]["systems"][1]["scores"]["BLEU-tok"]["value"] == pytest.approx(expected, rel=1e-12)
    assert document["baseline"] == "plain"
    assert document["command"][0] == "lattice-simp"


def test_text_of_tokens_is_as_readers_see_it(run, tmp_path):
    (tmp_path / "tok").write_text("he said : no , sir .\n", encoding="utf-8")
    (tmp_path / "text").write_text("He said: no, sir.\n", encoding="utf-8")
    done = run(
        *(f"a={tmp_path / 'tok'}", "--reference", tmp_path / "tok", "--text-reference", tmp_path / "text"),
        *("--tokens", "--language", "en", "--metrics", "bleu-13a,chrf", "--to", "json"),
    )
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout)["scores"]["systems"][0]["scores"]
    assert [scores[name]["value"] for name in ("BLEU-13a", "chrF2")] == pytest.approx([100.0, 100.0])


def test_text_is_scored_as_it_is_by_default(run, corpus, tmp_path):
    """One table holds all metrics of text and of tokens, equal to sacrebleu's scores of the same files."""
    for name in ("ref", "gc", "plain"):
        text = (corpus / name).read_text("utf-8").title().replace(" .", ".").replace(" ,", ",")
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = (f"gc={tmp_path / 'gc'}", "--reference", tmp_path / "ref", "--source", tmp_path / "plain")
    metrics = "bleu,chrf,ter,length,sari,sari-corpus,edits-source,split,fkgl"
    done = run(*files, "--metrics", metrics, "--to", "json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    scores = {name: score["value"] for name, score in document["scores"]["systems"][0]["scores"].items()}
    assert list(scores)[:4] == ["BLEU-13a", "chrF2", "TER", "length"]
    assert {metric["reads"] for metric in document["metrics"]} == {"text"}
    command = [sys.executable, "-m", "sacrebleu", tmp_path / "ref", "-i", tmp_path / "gc", "-w", "6", "-f", "json"]
    theirs = json.loads(
        subprocess.run([*command, "-m", "bleu", "chrf", "ter"], capture_output=True, check=True, text=True).stdout
    )
    for their, ours in zip(theirs, ("BLEU-13a", "chrF2", "TER"), strict=True):
        assert scores[ours] == pytest.approx(their["score"], abs=1e-6), ours
    assert 0 < scores["SARI"] < 100
    assert scores["edits-source"] > 0
    with_language = json.loads(run(*files, "--metrics", metrics, "--language", "en", "--to", "json").stdout)
    assert with_language["scores"] == document["scores"]


def test_tokens_that_are_taken_for_text_are_reported(run):
    done = run(*TEXT, "--metrics", "ter")
    assert done.stderr == "ref: most lines end in a full stop after a space; if spaces separate tokens, give --tokens\n"
    assert run(*USUAL, "--metrics", "ter").stderr == ""


def test_words_that_carry_their_stops_are_split(run, tmp_path):
    (tmp_path / "source").write_text("It fell and it broke.\nIt fell.\n", encoding="utf-8")
    (tmp_path / "output").write_text("It fell. It broke.\nIt fell.\n", encoding="utf-8")
    files = (f"a={tmp_path / 'output'}", "--reference", tmp_path / "source", "--source", tmp_path / "source")
    for form in ("--text", "--tokens"):
        done = run(*files, form, "--metrics", "split,sentences", "--to", "json")
        scores = json.loads(done.stdout)["scores"]["systems"][0]["scores"]
        assert [score["value"] for score in scores.values()] == [50, 1.5], form


def test_metrics_of_text_take_tokens_joined_by_blanks(run, corpus):
    """The table says so; the figure is sacrebleu's of the same files."""
    done = run(*USUAL, "--metrics", "bleu-13a,bleu-text,bleu-tok", "--to", "json")
    document = json.loads(done.stdout)
    assert [metric["name"] for metric in document["metrics"]] == ["BLEU-13a", "BLEU-tok"]
    assert document["metrics"][0]["signature"].endswith("|text-of-tokens:blanks")
    assert document["metrics"][0]["reads"] == "tokens"
    expected = BLEU(force=True).corpus_score(lines_of(corpus, "gc"), [lines_of(corpus, "ref")]).score
    assert document["scores"]["systems"][1]["scores"]["BLEU-13a"]["value"] == pytest.approx(expected, rel=1e-12)


JAPANESE = (
    ("私は昨日東京へ行きました。", "猫が庭で鳴いている。"),
    ("私は昨日京都へ行きました。", "犬が庭で鳴いている。"),
)
THAI = ("ผมชอบกินข้าวผัดมาก", "วันนี้อากาศดีมาก"), ("ผมชอบกินข้าวต้มมาก", "วันนี้อากาศดีมาก")


@pytest.mark.parametrize(
    ("language", "lines", "theirs", "ter"),
    [
        ("zh", JAPANESE, "zh", {"normalized": True, "asian_support": True}),
        ("zh-CN", JAPANESE, "zh", {"normalized": True, "asian_support": True}),
        ("ja", JAPANESE, None, {"normalized": True, "asian_support": True}),
        ("th", THAI, "char", None),
        ("tha", THAI, "char", None),
    ],
)
def test_languages_without_blanks(run, tmp_path, language, lines, theirs, ter):
    """Each language gets suitable tokens; scores are sacrebleu's, and METEOR has its parameters for any language."""
    reference, output = lines
    for name, content in (("ref", reference), ("out", output)):
        (tmp_path / name).write_text("".join(line + "\n" for line in content), encoding="utf-8")
    files = (f"a={tmp_path / 'out'}", "--reference", tmp_path / "ref", "--source", tmp_path / "ref")
    metrics = ("--metrics", "bleu,ter,length,sari,sari-corpus,edits-reference", "--to", "json")
    done = run(*files, *metrics, "--language", language)
    assert done.returncode == 0, done.stderr
    theirs = theirs or choose_tokeniser(language).name
    assert done.stderr.count("\n") == (theirs == "char" and language == "ja")  # MeCab is missing
    document = json.loads(done.stdout)
    scores = {name: score["value"] for name, score in document["scores"]["systems"][0]["scores"].items()}
    expected = BLEU(tokenize=theirs, force=True).corpus_score(output, [reference]).score
    assert scores[f"BLEU-{theirs}"] == pytest.approx(expected, rel=1e-12)
    texts = [output, reference]
    if ter is None:
        texts = [[" ".join(line) for line in text] for text in texts]
    assert scores["TER"] == pytest.approx(TER(**(ter or {})).corpus_score(texts[0], [texts[1]]).score, rel=1e-12)
    assert 0 < scores["TER"] < 60
    assert 0 < scores["edits-reference"] < 3
    assert f"tok:{theirs}" in document["metrics"][0]["signature"]
    assert done.stderr == "" or "pip install 'sacrebleu[ja]'" in done.stderr
    explicit = run(*files, *metrics, "--tokeniser", "char", "--language", language)
    assert "tok:char" in explicit.stdout
    assert explicit.stderr == ""


def test_whole_sentences_as_tokens_are_reported_once(run, tmp_path):
    for name, content in zip(("ref", "out"), JAPANESE, strict=True):
        (tmp_path / name).write_text("".join(line + "\n" for line in content), encoding="utf-8")
    files = (f"a={tmp_path / 'out'}", "--reference", tmp_path / "ref")
    for options in ((), ("--tokens",), ("--language", "en"), ("--tokeniser", "none")):
        done = run(*files, *options)
        assert done.returncode == 0
        assert done.stderr.startswith(f"{tmp_path / 'ref'}: whole sentences are single tokens"), options
        assert done.stderr.count("\n") == 1
    assert run(*files, "--metrics", "chrf").stderr == ""


def test_breakdowns_go_by_skeletons_lengths_and_labels(run):
    done = run(
        *(*USUAL, "--metrics", "ter", "--skeletons", "skeletons.jsonl", "--by", "gap-type,gaps,length"),
        *("--groups", "labels", "--length-edges", "4,8", "--samples", 50, "--to", "json"),
    )
    assert done.returncode == 0, done.stderr
    by = {breakdown["by"]: breakdown for breakdown in json.loads(done.stdout)["breakdowns"]}
    assert list(by) == ["gap type", "gaps", "length", "group"]
    labels = {name: [group["label"] for group in value["groups"]] for name, value in by.items()}
    assert labels == {
        "gap type": ["Middle", "Start", "None"],  # None: only punctuation is deleted
        "gaps": ["1"],
        "length": ["up to 4", "5-8", "over 8"],
        "group": ["odd", "even"],
    }
    for entry in by.values():
        assert entry["left_out"] + sum(group["sentences"] for group in entry["groups"]) == 40
    assert by["gap type"]["left_out"] > 0


def test_another_mask_gives_other_gap_types(run):
    done = run(*USUAL, "--metrics", "ter", "--skeletons", "skeletons.jsonl", "--by", "gap-type", "--mask-index", 1)
    assert "End " in done.stdout
    assert "Start" not in done.stdout


SIMPLIFICATION = (
    "sari,sari-corpus,sari-corpus-keep,fkgl,edits-source,unchanged,edits-reference,identical,split,sentences"
)


@pytest.mark.parametrize("test", TestKind)
def test_one_command_gives_all_columns_of_simplification(run, test):
    """The last system is the reference itself, the first one the source."""
    systems = ("same=plain", "made=gc", "gold=ref", "--source", "plain", "--reference", "ref", "--reference", "ref2")
    done = run(*systems, "--metrics", SIMPLIFICATION, "--test", test.value, "--samples", 200, "--to", "json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    directions = {metric["name"]: metric["higher_is_better"] for metric in document["metrics"]}
    assert [name.lower() for name in directions] == SIMPLIFICATION.split(",")
    lower = {name for name, higher in directions.items() if higher is False}
    assert lower == {"FKGL", "edits-reference"}
    same, second, gold = (system["scores"] for system in document["scores"]["systems"])
    assert (same["edits-source"]["value"], same["unchanged"]["value"], same["split"]["value"]) == (0, 100, 0)
    assert (gold["edits-reference"]["value"], gold["identical"]["value"]) == (0, 100)
    assert same["SARI"]["value"] < second["SARI"]["value"] < gold["SARI"]["value"]
    for name, score in gold.items():
        low, high = score["interval"]
        assert low <= score["value"] + 1e-9, name
        assert score["value"] - 1e-9 <= high, name
    assert gold["SARI-corpus"]["p"] < 0.05
    assert gold["edits-reference"]["gain"] < 0
    assert gold["edits-reference"]["p"] < 0.05


def test_the_table_says_where_lower_is_better(run):
    done = run(
        "same=plain", "made=gc", "--source", "plain", "--reference", "ref", "--metrics", "sari,fkgl,edits-reference"
    )
    assert "lower is better: FKGL, edits-reference" in done.stdout


@pytest.mark.parametrize("format", ResultFormat)
@pytest.mark.parametrize("test", TestKind)
def test_every_format_goes_to_a_file(run, tmp_path, format, test):
    arguments = (*USUAL, "--metrics", "length", "--samples", 20, "--test", test.value, "--to", format.value)
    done = run(*arguments, "--output", tmp_path / "out")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    start = {"text": "Scores\n", "markdown": "**Scores**\n", "latex": r"\begin{table}", "json": "{\n"}[format.value]
    assert (tmp_path / "out").read_text("utf-8").startswith(start)


def test_plots_are_written(run, tmp_path):
    pytest.importorskip("matplotlib")
    done = run(*USUAL, "--metrics", "ter", "--groups", "labels", "--plots", tmp_path / "plots")
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert names == [f"ter.group.{kind}.{ending}" for kind in ("gain", "quality") for ending in ("png", "svg")]


@pytest.mark.skipif(shutil.which("java") is None, reason="no Java")
def test_meteor_is_a_column(run, monkeypatch, tmp_path):
    monkeypatch.setenv("LATTICE_SIMP_CACHE", str(tmp_path))
    done = run(*USUAL, "--metrics", "meteor", "--language", "de", "--to", "json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert "l:de|norm" in document["metrics"][0]["signature"]
    plain, gc = (system["scores"]["METEOR"]["value"] for system in document["scores"]["systems"])
    assert 10 < plain < gc < 100
    assert len(list((tmp_path / "meteor").iterdir())) == 2


@pytest.mark.skipif(shutil.which("java") is None, reason="no Java")
def test_meteor_of_languages_without_blanks(run, monkeypatch, tmp_path):
    """The jar does not know Chinese: exact matches of sacrebleu's tokens, with the parameters of any language."""
    monkeypatch.setenv("LATTICE_SIMP_CACHE", str(tmp_path))
    for name, content in zip(("ref", "out"), JAPANESE, strict=True):
        (tmp_path / name).write_text("".join(line + "\n" for line in content), encoding="utf-8")
    files = (f"a={tmp_path / 'out'}", f"same={tmp_path / 'ref'}", "--reference", tmp_path / "ref")
    done = run(*files, "--metrics", "meteor", "--language", "zh", "--to", "json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert "|l:other|" in document["metrics"][0]["signature"]
    assert document["metrics"][0]["signature"].endswith("|tokens-of-text:zh")
    first, same = (system["scores"]["METEOR"]["value"] for system in document["scores"]["systems"])
    assert 30 < first < same
    assert same > 99


def test_some_metrics_need_no_reference(run):
    metrics = ("--metrics", "fkgl,edits-source,unchanged,split,sentences", "--source", "gc", "--to", "json")
    without, with_reference = (run("a=plain", *more, *metrics) for more in ((), ("--reference", "ref")))
    assert json.loads(without.stdout)["scores"] == json.loads(with_reference.stdout)["scores"]


def test_empty_lines_count_and_are_reported(run, corpus):
    lines = (corpus / "plain").read_text().splitlines()
    (corpus / "gaps").write_text("\n".join(["", *lines[1:-1], " "]) + "\n")
    done = run("a=plain", "gaps", "--reference", "ref", "--metrics", "bleu", "--samples", "10")
    assert "40 sentences" in done.stdout
    assert "gaps:1: 2 of 40 lines are empty; they count as sentences\n" in done.stderr


ERRORS = [
    (("--reference", "ref"), "give systems' outputs as NAME=FILE"),
    (("a=plain",), "bleu compares with references; give --reference"),
    (("a=plain", "--metrics", "fkgl,chrf"), "chrf compares with references"),
    (("a=plain", "--metrics", "fkgl", "--text-reference", "ref"), "need --reference"),
    (("nowhere", "--reference", "ref"), "'nowhere' is not NAME=FILE, and no file"),
    (("plain", "plain", "--reference", "ref"), "two systems are named 'plain'"),
    (("a=", "--reference", "ref"), "is not NAME=FILE"),
    (("a=plain", "a=gc", "--reference", "ref"), "two systems are named 'a'"),
    (("folder", "--reference", "ref"), "folder: is a folder (give a file with one sentence per line)"),
    ((*USUAL, "--language", "german"), "'german' is not an ISO code of a language, such as de"),
    (("a=nowhere", "--reference", "ref"), "nowhere: cannot be read"),
    (
        ("a=short", "--reference", "ref"),
        "short: has 39 lines, but ref has 40 lines",
    ),
    (("a=plain", "--reference", "ref", "--reference", "short"), "short: has 39 lines, but ref has 40"),
    (("a=empty", "--reference", "ref"), "empty: the file is empty"),
    (("a=bad", "--reference", "ref"), "bad:2: bytes that are not UTF-8"),
    ((*USUAL, "--metrics", "bleu,rouge"), "--metrics: unknown 'rouge'; known are bleu,"),
    ((*USUAL, "--metrics", ","), "--metrics: no names"),
    ((*USUAL, "--metrics", "meteor"), "METEOR needs --language"),
    ((*USUAL, "--metrics", "meteor", "--language", "hi"), "does not know the language 'hi'"),
    ((*USUAL, "--metrics", "meteor", "--language", "de", "--meteor-heap", "x"), "a Java heap of 'x'"),
    ((*USUAL, "--baseline", "none"), "--baseline none: no such system"),
    ((*USUAL, "--by", "colour"), "--by: unknown 'colour'"),
    ((*USUAL, "--by", "gap-type"), "--by gap-type needs --skeletons"),
    ((*USUAL, "--by", "length", "--length-edges", "9,x"), "--length-edges 9,x"),
    (
        (*USUAL, "--by", "length", "--source", "short"),
        "short: has 39 lines, but ref has 40 lines",
    ),
    ((*USUAL, "--metrics", "sari"), "SARI needs --source"),
    ((*USUAL, "--tokeniser", "x"), "unknown tokeniser 'x'; known are 13a, intl, zh, ja-mecab"),
    ((*USUAL, "--groups", "short"), "short: has 39 lines, but the first reference has 40 lines"),
    ((*USUAL, "--plots", "plots"), "choose groups with --by"),
    ((*TEXT, "--text-reference", "ref"), "--text-reference needs --tokens"),
    ((*USUAL, "--text-reference", "ref"), "--text-reference needs --language"),
    ((*USUAL, "--language", "en", *("--text-reference", "ref") * 2), "2 --text-reference for 1"),
    ((*USUAL, "--samples", "0"), "--samples"),
    ((*USUAL, "--output", "nowhere/out"), "cannot be written"),
]


@pytest.mark.parametrize(("arguments", "message"), ERRORS)
def test_what_makes_no_sense_is_one_line(run, arguments, message):
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_the_closest_path_of_a_lattice_is_one_more_reference(run, corpus):
    lists = [f"{n} ||| {line} ||| f= 0 ||| 0\n" for n, line in enumerate(lines_of(corpus, "plain"))]
    (corpus / "lattices.nbest").write_text("".join(lists), encoding="utf-8")
    first, more = (
        json.loads(run(*USUAL, *extra, "--metrics", "bleu,ter", "--to", "json").stdout)
        for extra in ((), ("--reference-lattices", "lattices.nbest"))
    )
    scores = [
        [each["scores"]["systems"][number]["scores"]["BLEU-tok"]["value"] for each in (first, more)]
        for number in (0, 1)
    ]
    assert scores[0][1] == pytest.approx(100.0)
    assert scores[1][0] <= scores[1][1] < 100.0


def test_lattices_of_references_that_do_not_fit(run, corpus):
    (corpus / "few.nbest").write_text("0 ||| a ||| f= 0 ||| 0\n1 ||| b ||| f= 0 ||| 0\n", encoding="utf-8")
    done = run(*USUAL, "--reference-lattices", "few.nbest")
    assert done.returncode == 2
    assert done.stderr == ("lattice-simp: few.nbest: 2 lattices of references for 40 sentences; give one for each\n")
    done = run(*TEXT, "--reference-lattices", "few.nbest")
    assert "--reference-lattices compares tokens" in done.stderr
    assert "bad:2" in run(*USUAL, "--reference-lattices", "bad").stderr
