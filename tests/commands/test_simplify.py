"""The simplify command: text in, text out, explanations, failures, wrong arguments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import needs

from lattice_simp import read_graphs
from lattice_simp.formats.nbest import read_nbest

needs("skeletons", "spacy")

HIGGS = Path(__file__).parents[1] / "systems" / "simplify" / "higgs.xml"
LINES = "the old judge , who was tired , held the principal man .\n\nthe principal man .\n"


@pytest.fixture(scope="module")
def simplifier(tmp_path_factory):
    simplifier_model = pytest.importorskip("simplifier_model")
    return simplifier_model.write_model(tmp_path_factory.mktemp("model"))


def test_a_line_for_each_line(call, simplifier, tmp_path):
    explained, nbest = tmp_path / "explained.jsonl", tmp_path / "out.nbest"
    options = ("--steps", "split,substitute", "--explain", explained, "--nbest", 3, "--nbest-output", nbest)
    done = call("simplify", simplifier, *options, stdin=LINES)
    lines = done.stdout.splitlines()
    assert (len(lines), lines[1]) == (3, "")
    assert "main man" in lines[2]
    assert "3 sentences" in done.stderr
    assert "substitutions" in done.stderr
    records = [json.loads(line) for line in explained.read_text(encoding="utf-8").splitlines()]
    assert [record["simple"] for record in records] == lines
    assert {"words": "principal", "by": "main"} in records[2]["substitutions"]
    assert [records[1][kind] for kind in ("splits", "deletions", "substitutions", "reorderings")] == [[], [], [], []]
    lists = list(read_nbest(nbest))
    assert lists[0][0].features["Input:Splits"] == len(records[0]["splits"])


def test_text_is_spaced_like_its_source(call):
    pytest.importorskip("sacremoses", reason="sacremoses is not installed (the extra 'text')")
    done = call("simplify", stdin='Numerous shops are open 24/7," he said at 6:00.\n')
    assert done.stdout == 'Many shops are open 24/7," he said at 6:00.\n', done.stderr


def test_tokens_without_blanks_and_escapes_are_written_as_in_the_source(call):
    pytest.importorskip("sacremoses", reason="sacremoses is not installed (the extra 'text')")
    source = "Numerous shops sell <T_3> from a_b.txt , 55/56 &quot; men &quot; said .\nThey &apos;ve commenced work .\n"
    done = call("simplify", stdin=source)
    expected = "Many shops sell <T_3> from a_b.txt, 55/56 &quot;men&quot; said.\nThey&apos;ve started work.\n"
    assert done.stdout == expected, done.stderr


def test_without_a_model(call):
    pytest.importorskip("sacremoses", reason="sacremoses is not installed (the extra 'text')")
    text = "Approximately 40 individuals were injured.\nMr. Brown commenced work.\n"
    done = call("simplify", stdin=text)
    assert done.stdout == "About 40 people were hurt.\nMr. Brown started work.\n", done.stderr
    assert call("simplify", "--tokenised", stdin="The judge commenced work .\n").stdout == "The judge started work .\n"
    refused = call("simplify", "--mode", "bold", stdin=text)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "lattice-simp: --mode bold needs a trained model (name its folder)\n"


def test_steps_and_searches(call, simplifier):
    assert call("simplify", simplifier, "--steps", "substitute", stdin=LINES).stdout.splitlines()[0] == (
        "The old judge , who was tired , held the main man ."
    )
    greedy = call("simplify", simplifier, "--search", "greedy", "--rerank", 3, stdin=LINES)
    assert len(greedy.stdout.splitlines()) == 3


def test_long_sentences_are_passed_through_and_told(call, simplifier):
    long = "word " * 101 + "."
    done = call("simplify", simplifier, stdin=f"{long}\nthe principal man .\n")
    assert done.stdout.splitlines()[0] == " ".join(long.split())
    assert "<stdin>:1: 102 tokens, more than the 100 that are parsed; copied to the output" in done.stderr
    assert "1 failed" in done.stderr


@pytest.mark.slow
def test_the_output_does_not_depend_on_the_number_of_jobs(call, simplifier):
    first, second = (call("simplify", simplifier, "--jobs", jobs, stdin=LINES * 3).stdout for jobs in (1, 2))
    assert first == second


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--steps", "split,drop"), "'drop' is not one of split,delete,substitute"),
        (("--resume",), "--resume needs --output FILE"),
        (("--nbest", 2), "give --nbest N (above 0) and --nbest-output FILE together"),
    ],
)
def test_wrong_options(call, simplifier, options, message):
    done = call("simplify", simplifier, *options, stdin=LINES)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize("lines", [LINES, ""])
def test_a_model_without_operations_is_named(call, model, lines):
    done = call("simplify", model, stdin=lines)
    assert done.returncode == 2
    assert "operations.tsv" in done.stderr


def test_a_text_in_place_of_a_model_is_told(call, tmp_path):
    (tmp_path / "a.txt").write_text(LINES, encoding="utf-8")
    done = call("simplify", tmp_path / "a.txt", stdin="")
    assert done.returncode == 2
    assert "a.txt: is a file, not the folder of a model (no model is needed: lattice-simp simplify < " in done.stderr
    done = call("simplify", "-", stdin=LINES)
    assert done.returncode == 2
    assert "-: does not exist (no model is needed: lattice-simp simplify < FILE)" in done.stderr


def test_a_line_without_a_change_is_as_it_was(call, simplifier):
    """The model's tokeniser would put blanks into times and addresses."""
    lines = ["Time 10:30, ratio 3:1.", "See www.example.com/x_y or AT&T.", "iPhone sales rose."]
    done = call("simplify", simplifier, "--steps", "split", stdin="".join(f"{line}\n" for line in lines))
    assert done.stdout.splitlines() == lines


@pytest.fixture(scope="module")
def higgs(tmp_path_factory):
    """Returns the folder of a model for the sentence of a graph."""
    return pytest.importorskip("higgs_model").write_model(tmp_path_factory.mktemp("higgs"))


def test_graphs_take_the_place_of_parses(call, higgs):
    source = " ".join(next(read_graphs(HIGGS)).tokens)
    options = ("--graphs", HIGGS, "--tokenised", "--mode", "bold")
    done = call("simplify", higgs, *options, stdin=f"{source}\nHe published it , which was long .\n\n")
    assert done.stdout.splitlines() == [
        "In 1964 Peter Higgs wrote his paper explaining Higgs mechanism . "
        "Higgs mechanism predicted a new elementary particle .",
        "He wrote it , which was long .",
        "",
    ]
    assert done.stderr.splitlines()[0] == "<stdin>:2: no semantic graph; only words were replaced"
    assert "0 failed" in done.stderr
    assert "1 by substitution alone" in done.stderr


def test_graphs_of_other_sentences(call, higgs, tmp_path):
    other = call("simplify", higgs, "--graphs", HIGGS, "--mode", "bold", stdin="It rained .\n")
    assert other.returncode == 2
    assert f"{HIGGS}: none of the graphs has the tokens of a sentence" in other.stderr
    assert "--tokenised" in other.stderr
    (tmp_path / "broken.xml").write_text("<sentence>", encoding="utf-8")
    broken = call("simplify", higgs, "--graphs", tmp_path / "broken.xml", stdin="It rained .\n")
    assert (broken.returncode, broken.stdout) == (2, "")
    assert "broken.xml:1: invalid XML" in broken.stderr
