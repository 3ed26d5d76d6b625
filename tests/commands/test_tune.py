"""`lattice-simp tune` and `lattice-simp text`."""

from __future__ import annotations

import json
import shutil
import sys

import numpy as np
import pytest
import sacrebleu

from lattice_simp import Decoder, LanguageModel, Lattice, nbest, write, write_nbest
from lattice_simp.commands.runs.tune import DevelopmentSet
from lattice_simp.errors import InputWarning
from lattice_simp.formats.nbest import read_nbest
from lattice_simp.metrics import sari_corpus
from lattice_simp.rescore.nbest import weighted_nbest
from lattice_simp.support.tables import grammar_path
from lattice_simp.translate.model_files import WEIGHTS, read_weights, write_weights
from lattice_simp.tune import mbr_grid

DEMO = grammar_path("demo/data/rules.gz").parent
REFERENCE = "das haus wurde gestern gebaut .\n"
SOURCE = "the house was built yesterday .\n"


@pytest.fixture
def own_model(model, tmp_path):
    folder = shutil.copytree(model, tmp_path / "model")
    write_weights(folder / WEIGHTS, {**read_weights(folder / WEIGHTS), "LM": 0.01})
    return folder


@pytest.fixture
def files(tmp_path):
    (tmp_path / "dev.en").write_text(SOURCE * 2, encoding="utf-8")
    (tmp_path / "dev.de").write_text(REFERENCE * 2, encoding="utf-8")
    return ("--source", tmp_path / "dev.en", "--reference", tmp_path / "dev.de")


def test_tuned_weights_are_no_worse(call, own_model, files, tmp_path):
    done = call("tune", "weights", own_model, *files, "--rounds", 1, "--restarts", 0, "--output", tmp_path / "w.tsv")
    assert done.returncode == 0, done.stderr
    assert set(read_weights(tmp_path / "w.tsv")) == set(read_weights(own_model / WEIGHTS))
    assert "before" in done.stderr


def test_weights_go_to_standard_output_or_are_compressed(call, own_model, files, tmp_path):
    options = ("tune", "weights", own_model, *files, "--rounds", 1, "--restarts", 0, "--output")
    printed = call(*options, "-")
    assert call(*options, tmp_path / "w.tsv.gz").returncode == 0
    assert (tmp_path / "w.tsv.gz").read_bytes()[:2] == b"\x1f\x8b"
    (tmp_path / "w.tsv").write_text(printed.stdout, encoding="utf-8")
    assert read_weights(tmp_path / "w.tsv") == read_weights(tmp_path / "w.tsv.gz")


@pytest.mark.parametrize("name", ["no/folder/w.tsv", "."])
def test_an_output_that_cannot_be_written_is_reported_before_the_work(call, own_model, files, tmp_path, name):
    done = call("tune", "weights", own_model, *files, "--rounds", 1, "--output", tmp_path / name)
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "round" not in done.stderr


@pytest.mark.parametrize(("command", "options"), [("mbr", []), ("weights", ["--output", "w.tsv"])])
def test_a_development_set_without_words_is_reported(call, own_model, tmp_path, monkeypatch, command, options):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dev").write_text("\n\n", encoding="utf-8")
    done = call("tune", command, own_model, "--source", tmp_path / "dev", "--reference", tmp_path / "dev", *options)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "dev: holds no words (give a development set" in done.stderr


def test_the_grid_is_printed_and_the_best_point_written(call, own_model, files, monkeypatch):
    gains = mbr_grid.MbrGrid
    monkeypatch.setattr(mbr_grid, "MbrGrid", lambda points, best, bleu: gains(points, best, bleu - 1))
    done = call("tune", "mbr", own_model, *files, "--max-arcs", 50, "--write")
    assert done.returncode == 0, done.stderr
    header, *rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert header == ["scale", "precision", "ratio", "BLEU"]
    scores = [float(row[3]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    best = json.loads((own_model / "settings.json").read_text("utf-8"))["mbr"]
    assert [str(best[name]) for name in header[:3]] == rows[0][:3]
    assert Decoder.load(own_model).settings.mbr is not None


def test_the_best_point_is_written_though_the_table_cannot_be(call, own_model, files, monkeypatch):
    gains = mbr_grid.MbrGrid
    monkeypatch.setattr(mbr_grid, "MbrGrid", lambda points, best, bleu: gains(points, best, bleu - 1))
    with open("/dev/full", "w", encoding="utf-8", buffering=1) as full:
        monkeypatch.setattr(sys, "stdout", full)
        done = call("tune", "mbr", own_model, *files, "--max-arcs", 50, "--write")
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert Decoder.load(own_model).settings.mbr is not None


@pytest.mark.slow
def test_the_bleu_of_the_grid_is_that_of_translations(call, tmp_path):
    """The references are the decisions at a grid point, with few arcs and a narrow beam; translations reach them."""
    folder = shutil.copytree(DEMO, tmp_path / "model")
    write_weights(folder / WEIGHTS, {**dict.fromkeys(read_weights(folder / WEIGHTS), 0.6), "LM": 0.2})
    (folder / "settings.json").write_text('{"beam": 3}', encoding="utf-8")
    records = [json.loads(line) for line in (DEMO / "test.jsonl").read_text("utf-8").splitlines()[5:6]]
    (tmp_path / "dev.en").write_text("".join(" ".join(record["tokens"]) + "\n" for record in records), encoding="utf-8")
    point = ("--mbr-scale", 0.1, "--mbr-precision", 0.5, "--mbr-ratio", 0.6, "--mbr-max-arcs", 60, "--beam", 2)
    source = ("--input", tmp_path / "dev.en")
    expected = call("translate", folder, *point, *source).stdout
    (tmp_path / "dev.de").write_text(expected, encoding="utf-8")
    plain = call("translate", folder, *source).stdout
    assert plain != expected
    files = ("--source", tmp_path / "dev.en", "--reference", tmp_path / "dev.de")
    done = call("tune", "mbr", folder, *files, "--max-arcs", 60, "--beam", 2, "--write")
    assert "100.00 with the best parameters" in done.stderr
    assert call("translate", folder, *source).stdout == expected
    assert call("translate", folder, "--no-mbr", *source).stdout == plain


def test_what_gains_nothing_is_not_written(call, own_model, tmp_path):
    (tmp_path / "dev.en").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "dev.de").write_text("nothing of it\n", encoding="utf-8")
    done = call(
        "tune", "mbr", own_model, "--source", tmp_path / "dev.en", "--reference", tmp_path / "dev.de", "--write"
    )
    assert done.returncode == 0
    assert "does not improve BLEU here; nothing is written" in done.stderr
    assert not (own_model / "settings.json").exists()


def test_lattices_of_other_decoders_are_tuned(call, tmp_path):
    (tmp_path / "1.txt").write_text("0 1 a x:1\n0 1 b y:1\n1\n", encoding="utf-8")
    (tmp_path / "refs").write_text("b\n", encoding="utf-8")
    write_weights(tmp_path / "start.tsv", {"x": 0.5, "y": 1.0})
    arguments = (tmp_path / "1.txt", "--reference", tmp_path / "refs", "--weights", tmp_path / "start.tsv")
    done = call("tune", "lattices", *arguments, "--output", tmp_path / "w.tsv")
    assert done.returncode == 0, done.stderr
    assert set(read_weights(tmp_path / "w.tsv")) == {"x", "y"}
    (tmp_path / "1.txt").write_text("0 1 a x:1\n0 1 b y:1e99\n1\n", encoding="utf-8")
    refused = call("tune", "lattices", *arguments, "--output", tmp_path / "w.tsv").stderr
    assert f"{tmp_path / '1.txt'}: a feature is NaN, infinite or too large for single precision" in refused


def test_lattices_of_a_folder_are_in_the_order_of_their_numbers(call, tmp_path):
    (tmp_path / "lattices").mkdir()
    for number in range(11):
        (tmp_path / "lattices" / f"{number}.txt").write_text(f"0 1 w{number} x:1\n1 2 a\n2 3 b\n3 4 c\n4\n")
    (tmp_path / "refs").write_text("".join(f"w{number} a b c\n" for number in range(11)))
    write_weights(tmp_path / "start.tsv", {"x": 0.5})
    arguments = ("--reference", tmp_path / "refs", "--weights", tmp_path / "start.tsv", "-o", tmp_path / "w.tsv")
    assert "BLEU 100.00 before" in call("tune", "lattices", tmp_path / "lattices", *arguments).stderr


def test_nbest_lists_are_tuned(call, tmp_path):
    (tmp_path / "nbest").write_text("0 ||| a ||| x= 1 0 ||| 0\n0 ||| b ||| x= 0 1 ||| 0\n", encoding="utf-8")
    (tmp_path / "refs").write_text("b\n", encoding="utf-8")
    write_weights(tmp_path / "start.tsv", {"x_0": 1.0, "x_1": 0.5})
    arguments = (tmp_path / "nbest", "--reference", tmp_path / "refs", "--weights", tmp_path / "start.tsv")
    done = call("tune", "nbest", *arguments, "--output", tmp_path / "w.tsv")
    assert done.returncode == 0, done.stderr
    assert set(read_weights(tmp_path / "w.tsv")) == {"x_0", "x_1"}
    (tmp_path / "nbest").write_text((tmp_path / "nbest").read_text().replace("0 |||", "1 |||"))
    assert "has 1 line, but " in call("tune", "nbest", *arguments, "--output", tmp_path / "w.tsv").stderr
    assert call("tune", "nbest", *arguments, "--output", tmp_path / "w.tsv", "--first-id", 1).returncode == 0
    write_weights(tmp_path / "start.tsv", {"TOTAL": 1.0})
    (tmp_path / "total").write_text("0 ||| a ||| TOTAL= 1 ||| 0\n", encoding="utf-8")
    refused = call("tune", "nbest", tmp_path / "total", *arguments[1:], "--output", tmp_path / "w.tsv").stderr
    assert f"lattice-simp: {tmp_path / 'total'}: the n-best list has a feature TOTAL" in refused
    write_weights(tmp_path / "start.tsv", {"y": 1.0})
    refused = call("tune", "nbest", *arguments, "--output", tmp_path / "w.tsv").stderr
    assert f"{tmp_path / 'nbest'}: {tmp_path / 'start.tsv'} has no weight for x_0, x_1 (add a line for each" in refused


def test_lists_start_from_equal_weights(call, tmp_path):
    (tmp_path / "nbest").write_text("0 ||| a ||| x= 1 y= 0.5 ||| 0\n0 ||| b ||| x= 0 y= 1 ||| 0\n", encoding="utf-8")
    (tmp_path / "refs").write_text("b\n", encoding="utf-8")
    write_weights(tmp_path / "start.tsv", {"x": 1.0, "y": 1.0})
    tuned = []
    for more in ((), ("--weights", tmp_path / "start.tsv")):
        files = (tmp_path / "nbest", "--reference", tmp_path / "refs", "--output", tmp_path / "w.tsv")
        done = call("tune", "nbest", *files, *more)
        tuned.append((done.returncode, done.stderr, read_weights(tmp_path / "w.tsv")))
    assert tuned[0] == tuned[1]
    assert tuned[0][0] == 0
    (tmp_path / "nbest").write_text("0 ||| a ||| ||| 0\n", encoding="utf-8")
    assert "nbest: has no features (add some" in call("tune", "nbest", *files).stderr


def test_pieces_of_words_are_reported(call, tmp_path):
    (tmp_path / "nbest").write_text("0 ||| ▁old ▁brid ges ||| x= 1 ||| 0\n0 ||| ▁old ▁house ||| x= 0 ||| 0\n")
    (tmp_path / "refs").write_text("old bridges\n", encoding="utf-8")
    write_weights(tmp_path / "start.tsv", {"x": 1.0})
    arguments = ("--reference", tmp_path / "refs", "--weights", tmp_path / "start.tsv", "-o", tmp_path / "w.tsv")
    notes = [
        call("tune", "nbest", tmp_path / "nbest", *arguments, *more).stderr
        for more in ((), ("--pieces", "sentencepiece"))
    ]
    assert "tokens are pieces of words (▁old); to join them, give --pieces sentencepiece" in notes[0]
    assert "tokens are pieces" not in notes[1]
    (tmp_path / "refs").write_text("▁old ▁brid ges\n", encoding="utf-8")
    assert "tokens are pieces" not in call("tune", "nbest", tmp_path / "nbest", *arguments).stderr


def test_many_features_are_tuned_in_averaged_small_steps(call, tmp_path):
    entries = [("a b c d e", "x= 0 y= 1"), ("a b c d f", "x= 1 y= 0")]
    (tmp_path / "nbest").write_text("".join(f"0 ||| {words} ||| {scores} ||| 0\n" for words, scores in entries))
    (tmp_path / "refs").write_text("a b c d e\n", encoding="utf-8")
    write_weights(tmp_path / "start.tsv", {"x": 1.0, "y": 0.5})
    arguments = (tmp_path / "nbest", "--reference", tmp_path / "refs", "--weights", tmp_path / "start.tsv")
    values = {}
    for optimizer in ("mert", "mira"):
        done = call("tune", "nbest", *arguments, "--optimizer", optimizer, "--output", tmp_path / "w.tsv")
        assert "BLEU 66.87 before, 100.00 after" in done.stderr
        values[optimizer] = read_weights(tmp_path / "w.tsv")
        assert values[optimizer]["y"] > values[optimizer]["x"]
    assert values["mert"] != values["mira"]
    mira = (*arguments, "--optimizer", "mira", "--output", tmp_path / "w.tsv")
    for option in ("--directions", "--restarts"):
        refused = call("tune", "nbest", *mira, option, 2)
        assert refused.returncode == 2
        assert f"{option} has no effect with --optimizer mira. Leave it out." in refused.stderr
    refused = call("tune", "nbest", *arguments, "--optimizer", "pro", "--output", tmp_path / "w.tsv").stderr
    assert "pro" in refused
    assert "Traceback" not in refused


@pytest.mark.parametrize("weights", [{"x": 1.0}, {"x": 1.0, "TOTAL": 1.0}, {"x": 0.2, "TOTAL": 3.0}])
def test_what_tuning_reports_is_what_rescoring_yields(call, tmp_path, weights):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        references = [" ".join(rng.choice(list("abcdefgh"), 12)) for _ in range(6)]
        with open(tmp_path / "nbest", "w") as file:
            for number, line in enumerate(references):
                for _ in range(8):
                    words = [word if rng.random() < 0.8 else "z" for word in line.split()]
                    x, total = rng.normal(size=2) - words.count("z")
                    file.write(f"{number} ||| {' '.join(words)} ||| x= {x} ||| {total}\n")
        (tmp_path / "refs").write_text("\n".join(references) + "\n", encoding="utf-8")
        write_weights(tmp_path / "start.tsv", weights)
        named = ("--reference", tmp_path / "refs", "--weights", tmp_path / "start.tsv", "--output", tmp_path / "w.tsv")
        actual = call("tune", "nbest", tmp_path / "nbest", *named, "--restarts", 1).stderr
        for name, place in (("start.tsv", -4), ("w.tsv", -2)):
            entries = [
                weighted_nbest(path, read_weights(tmp_path / name))[0] for path in read_nbest(tmp_path / "nbest")
            ]
            result = sacrebleu.corpus_bleu([entry.text for entry in entries], [references], tokenize="none", force=True)
            assert float(actual.split()[place]) == pytest.approx(result.score, abs=0.01), (seed, name)


def test_references_in_another_form_than_the_source_are_told(tmp_path, capsys):
    source, reference = tmp_path / "dev.en", tmp_path / "dev.de"
    source.write_text(SOURCE * 4, encoding="utf-8")
    for text, message in (
        (REFERENCE, ""),
        (
            REFERENCE.replace(" .", "."),
            f"punctuation differs ({source}: detached, {reference}: attached): lattice-simp",
        ),
        (REFERENCE.title(), f"the case of words differs ({source}: lower, {reference}: mixed): lattice-simp"),
    ):
        reference.write_text(text * 4, encoding="utf-8")
        DevelopmentSet(source, [reference]).sentences()
        error = capsys.readouterr().err
        assert error.count("\n") == bool(message)
        assert message in error


def test_lists_in_place_of_references_are_told(tmp_path):
    (tmp_path / "dev.en").write_text(SOURCE * 2, encoding="utf-8")
    (tmp_path / "list").write_text("0 ||| das haus ||| -1\n1 ||| ein haus ||| -2\n", encoding="utf-8")
    with pytest.warns(InputWarning, match="list: looks like an n-best list, and each line counts as a sentence"):
        DevelopmentSet(tmp_path / "dev.en", [tmp_path / "list"]).sentences()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.nbest", "a.nbest: looks like n-best lists (tune on them with `tune nbest`)"),
        ("a.slf", "a.slf: is a lattice in the format slf (write text lattices with features: `lattice convert --to"),
        (
            "a.fst",
            "a.fst: is a lattice in the format openfst (write text lattices with features: `lattice convert --to",
        ),
    ],
)
def test_lattices_in_other_formats_are_told(call, tmp_path, name, message):
    lattice = Lattice.from_strings([("das haus", 1.0)])
    if name == "a.nbest":
        write_nbest([nbest(lattice)], tmp_path / name)
    else:
        write(lattice, tmp_path / name)
    (tmp_path / "refs").write_text("das haus\n", encoding="utf-8")
    write_weights(tmp_path / "start.tsv", {"x": 1.0})
    named = ("--reference", tmp_path / "refs", "--weights", tmp_path / "start.tsv", "--output", tmp_path / "w.tsv")
    done = call("tune", "lattices", tmp_path / name, *named)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_model_is_a_folder_and_openfst_no_text(call, tmp_path):
    write(Lattice.from_strings([("das haus", 1.0)]), tmp_path / "a.fst")
    (tmp_path / "dev.en").write_text(SOURCE, encoding="utf-8")
    named = ("--source", tmp_path / "dev.en", "--reference", tmp_path / "dev.en", "--output", tmp_path / "w.tsv")
    assert "dev.en: is not a directory (give the" in call("tune", "weights", tmp_path / "dev.en", *named).stderr
    done = call("evaluate", tmp_path / "a.fst", "--reference", tmp_path / "dev.en")
    assert "a.fst: looks like an OpenFst file, not like text (`lattice nbest` prints its best" in done.stderr


def test_references_in_another_form_than_lattices_are_told(call, tmp_path):
    words = REFERENCE.split()
    for number in range(4):
        arcs = [f"{state} {state + 1} {word} x:0.5" for state, word in enumerate(words)]
        (tmp_path / f"{number}.txt").write_text("\n".join([*arcs, str(len(words)), ""]), encoding="utf-8")
    (tmp_path / "refs").write_text(REFERENCE.replace(" .", ".") * 4, encoding="utf-8")
    write_weights(tmp_path / "start.tsv", {"x": 1.0})
    named = ("--reference", tmp_path / "refs", "--weights", tmp_path / "start.tsv", "--output", tmp_path / "w.tsv")
    done = call("tune", "lattices", tmp_path, *named, "--restarts", 0)
    assert done.returncode == 0, done.stderr
    assert f"punctuation differs ({tmp_path}: detached, {tmp_path / 'refs'}: attached)" in done.stderr


@pytest.fixture
def simplifications(tmp_path):
    """Three simplifications of a sentence: none, one that SARI likes best, and one that BLEU likes best."""
    lines = ["he resides there now and then", "he lives there", "he resides there now and"]
    entries = [f"0 ||| {line} ||| none= {int(n == 0)} best= {int(n == 1)} ||| 0\n" for n, line in enumerate(lines)]
    (tmp_path / "nbest").write_text("".join(entries), encoding="utf-8")
    (tmp_path / "simple").write_text("he lives there now and\n", encoding="utf-8")
    (tmp_path / "simple2").write_text("he lives there\n", encoding="utf-8")
    (tmp_path / "complex").write_text("he resides there now and then\n", encoding="utf-8")
    write_weights(tmp_path / "start.tsv", {"none": 1.0, "best": 0.5})
    files = ("--reference", tmp_path / "simple", "--reference", tmp_path / "simple2", "--output", tmp_path / "w.tsv")
    return (tmp_path / "nbest", *files, "--weights", tmp_path / "start.tsv")


def test_nbest_lists_are_tuned_for_sari(call, tmp_path, simplifications):
    done = call("tune", "nbest", *simplifications, "--metric", "sari", "--source", tmp_path / "complex")
    assert done.returncode == 0, done.stderr
    metric = sari_corpus(2, tokenise_source=False)
    lines = [[(tmp_path / name).read_text("utf-8").strip()] for name in ("simple", "simple2", "complex")]
    scores = [metric.corpus_score([text], lines[:2], lines[2]) for text in (lines[2][0], "he lives there")]
    assert done.stderr.strip().endswith(f"SARI {scores[0]:.2f} before, {scores[1]:.2f} after")
    weights = read_weights(tmp_path / "w.tsv")
    assert weights["best"] > max(weights["none"], 0.0)


def test_lattices_are_tuned_for_sari(call, tmp_path, simplifications):
    lattice = tmp_path / "1.txt"
    lattice.write_text("0 1 he\n1 2 resides none:-1\n1 2 lives best:-1\n2 3 there\n3\n", encoding="utf-8")  # costs
    done = call("tune", "lattices", lattice, *simplifications[1:], "--metric", "sari", "--source", tmp_path / "complex")
    assert done.returncode == 0, done.stderr
    weights = read_weights(tmp_path / "w.tsv")
    assert weights["best"] > weights["none"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--metric", "sari"), "--metric sari needs --source"),
        (("--source", "complex"), "--source has no effect with --metric bleu; leave it out, or use sari"),
        (("--metric", "sari", "--source", "longer"), "has 2 lines, but "),
        (("--metric", "meteor"), "meteor"),
        (("--metric", "wer", "--source", "complex"), "--source has no effect with --metric wer"),
    ],
)
def test_metrics_and_sources_that_do_not_fit_are_one_line(call, tmp_path, simplifications, options, message):
    (tmp_path / "longer").write_text("a\nb\n", encoding="utf-8")
    options = [tmp_path / part if part in ("complex", "longer") else part for part in options]
    done = call("tune", "nbest", *simplifications, *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_model_is_tuned_for_sari(call, own_model, files, tmp_path):
    done = call("tune", "weights", own_model, *files, "--metric", "sari", "--rounds", 1, "-o", tmp_path / "w.tsv")
    assert done.returncode == 0, done.stderr
    assert "SARI" in done.stderr.splitlines()[-1]


def test_a_feature_called_total_is_refused(call, tmp_path):
    (tmp_path / "nbest").write_text("0 ||| a ||| TOTAL= 1 ||| 0\n", encoding="utf-8")
    (tmp_path / "refs").write_text("b\n", encoding="utf-8")
    write_weights(tmp_path / "w.tsv", {"TOTAL": 1.0})
    named = ("--reference", tmp_path / "refs", "--weights", tmp_path / "w.tsv", "--output", tmp_path / "o.tsv")
    done = call("tune", "nbest", tmp_path / "nbest", *named)
    assert done.returncode == 2
    assert "the n-best list has a feature TOTAL" in done.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("--strategy", "gappy"), "needs --skeletons"),
        (("--strategy", "best"), "--strategy"),
        (("--reference", "short"), "has 1 line, but "),
        (("--reference", "blank"), "blank: holds no words"),
    ],
)
def test_what_makes_no_sense_is_one_line(call, own_model, files, tmp_path, change, message):
    (tmp_path / "short").write_text(REFERENCE, encoding="utf-8")
    (tmp_path / "blank").write_text("\n" * len((SOURCE * 2).splitlines()), encoding="utf-8")
    change = tuple(tmp_path / part if part in ("short", "blank") else part for part in change)
    done = call("tune", "weights", own_model, *files, *change, "--output", tmp_path / "w.tsv")
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_text_to_tokens_and_back(call, model, tmp_path):
    folder = shutil.copytree(model, tmp_path / "model")
    text = {"source_language": "en", "target_language": "de", "case": "true"}
    (folder / "text.json").write_text(json.dumps(text), encoding="utf-8")
    for side in ("source", "target"):
        (folder / f"casing.{side}.txt").write_text("the\n", encoding="utf-8")
    tokens = call("text", "tokenise", folder, stdin="The house, he said.\n")
    assert tokens.stdout == "the house , he said .\n"
    back = call("text", "detokenise", folder, "--side", "source", stdin=tokens.stdout)
    assert back.stdout == "The house, he said.\n"


def test_a_model_without_text_settings_is_reported(call, model):
    done = call("text", "tokenise", model, stdin="a\n")
    assert done.returncode == 2
    assert "text.json" in done.stderr


MODEL = "\\data\\\nngram 1=4\n\n\\1-grams:\n-9 <s>\n{} a\n{} b\n-0.3 </s>\n\n\\end\\\n"


def test_a_mixture_is_written_with_its_weights(call, tmp_path):
    for name, logs in {"x": (-0.4, -1), "y": (-1, -0.4)}.items():
        (tmp_path / f"{name}.arpa").write_text(MODEL.format(*logs), encoding="utf-8")
    (tmp_path / "dev").write_text("a a a b\n\n", encoding="utf-8")
    models = [tmp_path / "x.arpa", tmp_path / "y.arpa"]
    done = call("tune", "mixture", *models, "--development", tmp_path / "dev", "--output", tmp_path / "mixed.arpa.gz")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"model\tweight\n{models[0]}\t0.9157\n{models[1]}\t0.0843\n"
    assert "with equal weights" in done.stderr
    words = [LanguageModel.read(path, cache=False).score("a", bos=False, eos=False) for path in models]
    mixed = LanguageModel.read(tmp_path / "mixed.arpa.gz", cache=False).score("a", bos=False, eos=False)
    assert np.exp(mixed) == pytest.approx(0.9157 * np.exp(words[0]) + 0.0843 * np.exp(words[1]), abs=1e-4)


def test_a_mixture_needs_a_text(call, tmp_path):
    (tmp_path / "x.arpa").write_text(MODEL.format(-1, -1), encoding="utf-8")
    (tmp_path / "dev").write_text("\n", encoding="utf-8")
    done = call("tune", "mixture", tmp_path / "x.arpa", "--development", tmp_path / "dev", "--output", tmp_path / "m")
    assert done.returncode == 2
    assert "dev: the file is empty (give a development text, one sentence per line)" in done.stderr
