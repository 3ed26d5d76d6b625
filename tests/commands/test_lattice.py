"""The lattice and skeleton commands."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from helpers import paths, random_lattice, sausage

from lattice_simp import Lattice, nbest, read, read_nbest, shortest_path, to_dot, to_svg, write

NBEST = "0 ||| a x c ||| f= -1 ||| -2\n0 ||| b d ||| f= -2 ||| -1\n1 ||| e ||| f= -1 ||| -1\n"
SKELETON = "0 ||| a c ||| f= -1 ||| -0.5\n1 ||| q ||| f= -1 ||| -1\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full.nbest").write_text(NBEST)
    (tmp_path / "skeleton.nbest").write_text(SKELETON)
    write(Lattice.from_strings([("a x c", 2.0), ("b d", 1.0)]), tmp_path / "full.fst")
    return tmp_path


def test_info_reports_size_and_best_path(call, files):
    lines = dict(line.split("\t") for line in call("lattice", "info", "full.fst").stdout.splitlines())
    assert lines["paths"] == "2"
    assert lines["best string"] == "b d"
    assert lines["acyclic"] == "yes"


def test_info_counts_strings_only_where_that_is_quick(call, files, monkeypatch):
    def counts(lattice):
        write(lattice, files / "a.fst")
        lines = dict(line.split("\t") for line in call("lattice", "info", "a.fst").stdout.splitlines())
        return lines["paths"], lines["strings"]

    twice = sausage(3, 4, np.random.default_rng(1))
    assert counts(twice) == ("64", str(len(nbest(twice, 1000))))
    assert counts(sausage(400, 10)) == ("10^400", "10^400")
    assert counts(sausage(5, 10)) == ("100000", "100000")
    many = sausage(20, 10, np.random.default_rng(1))
    distinct = [len(set(many.olabels[begin : begin + 10].tolist())) for begin in range(0, 200, 10)]
    assert counts(many) == ("1e+20", f"{math.prod(distinct):.6g}")
    for seed in range(10):
        lattice = random_lattice(np.random.default_rng(seed), 8, "ab", epsilon=True, arcs_per_state=3.0)
        assert counts(lattice)[1] == str(len({words for words, _, _ in paths(lattice)})), f"seed {seed}"
    with monkeypatch.context() as patch:
        patch.setattr("lattice_simp.commands.lattices.facts.COUNTED_STATES", 20)
        assert counts(many) == ("1e+20", "not counted")
        assert counts(twice)[1] != "not counted"
    monkeypatch.setattr("lattice_simp.commands.lattices.facts.COUNTED_ARCS", 100)
    assert counts(sausage(20, 10, np.random.default_rng(1))) == ("1e+20", "not counted")


@pytest.mark.parametrize("ending", ["fst", "txt", "slf", "plf", "fst.gz", "txt.xz", "slf.zst"])
def test_conversion_keeps_strings_and_costs(call, files, ending):
    call("lattice", "convert", "full.nbest", f"a.{ending}", "--id", 0)
    hypotheses = nbest(read(files / f"a.{ending}"), 5)
    assert [path.text for path in hypotheses] == ["b d", "a x c"]
    assert [path.cost for path in hypotheses] == pytest.approx([1.0, 2.0], abs=1e-6)


def test_composition_of_lists_counts_what_does_not_fit(call, files):
    done = call("lattice", "compose", "full.nbest", "skeleton.nbest", "--weight", 2)
    assert done.stdout.splitlines()[0].startswith("0 ||| a x c ||| ")
    assert done.stdout.splitlines()[0].endswith("||| -3")
    assert done.stdout.splitlines()[1:] == ["1 ||| e ||| f= -1 ||| -1"]
    assert "2 sentences, 1 without a common hypothesis" in done.stderr


def test_composition_with_edits_always_fits(call, files):
    done = call("lattice", "compose", "full.nbest", "skeleton.nbest", "--edits")
    assert "0 without a common hypothesis" in done.stderr


def test_a_language_model_from_the_command_line(call, files, model):
    (files / "a.txt").write_text("0 1 das 0\n0 1 die 0\n1 2 haus 0\n2\n")
    call("lattice", "lm", "a.txt", "--model", model / "lm.arpa", "--output", "b.fst")
    assert call("lattice", "nbest", "b.fst", "-n", 2).stdout.splitlines()[0].endswith("das haus")


MARKED = """VERSION=1.0
N=5 L=4
lmscale=2
J=0 S=0 E=1 W=!SENT_START a=0 l=0
J=1 S=1 E=2 W=das a=-1 l=-0.5
J=2 S=2 E=3 W=[laugh] a=0 l=0
J=3 S=3 E=4 W=</s> a=0 l=0
""" + "".join(f"I={node}\n" for node in range(5))


def test_a_language_model_does_not_see_marks(call, files, model):
    (files / "a.slf").write_text(MARKED)
    lm = ("lattice", "lm", "a.slf", "--model", model / "lm.arpa", "--output", "b.txt")
    both = pytest.approx(2 + (0.2 + 1 + 0.3 + 1) * math.log(10))  # das </s>

    def best(*options):
        done = call(*lm, *options)
        assert done.returncode == 0, done.stderr
        lost = "b.txt: the format cannot store the features acoustic lm LM\n"
        said, found, _ = done.stderr.partition(lost)
        assert found or "openfst" in options  # the format stores no features
        return nbest(read(files / "b.txt"))[0].cost, said

    assert best("--ignore", "[laugh]") == (both, "the language model ignores 3 arcs: !SENT_START </s> [laugh]\n")
    assert best("--ignore", "x [laugh]\ny", "--engine", "openfst")[0] == pytest.approx(both.expected, abs=1e-5)
    cost, said = best()
    assert cost > both.expected + 5
    assert said == "the language model ignores 2 arcs: !SENT_START </s>\n"
    assert best("--keep-marks")[0] > cost + 5
    assert best("--keep-marks")[1] == ""


def test_a_new_language_model_replaces_the_old_scores(call, files, model):
    (files / "a.slf").write_text(MARKED)
    lm = ("lattice", "lm", "a.slf", "--model", model / "lm.arpa", "--ignore", "[laugh]", "--output", "b.slf")
    refused = call(*lm, "--name", "lm")
    assert refused.returncode == 2
    assert "a.slf: the lattice has a feature 'lm' already (choose another --name, or --replace lm" in refused.stderr
    assert call(*lm, "--name", "lm", "--replace", "lm", "--old-weight", 2, "--weight", 1).returncode == 0
    best = nbest(read(files / "b.slf"))[0]
    assert best.cost == pytest.approx(1 + 2.5 * math.log(10))
    assert best.features == {"acoustic": -1.0, "lm": pytest.approx(-2.5 * math.log(10))}
    assert call(*lm, "--name", "new").returncode == 0
    assert "no feature 'LM' (it has: acoustic, lm)" in call(*lm, "--replace", "LM").stderr
    assert "--old-weight has no effect" in call(*lm, "--old-weight", 2).stderr


def test_loops_are_arcs_of_a_written_acceptor(call, files):
    call("lattice", "gappy", "skeleton.nbest", "--id", 0, "--loops", "rho", "--output", "g.txt")
    assert (files / "g.txt").read_text().count("<rho>") == 3


def test_both_engines_do_the_same(call, files, model):
    (files / "a.txt").write_text("0 1 das 0.25\n0 1 die 1\n1 2 haus 0\n2\n")
    written = []
    for engine in ("arrays", "openfst"):
        results = ["--engine", engine]
        call(
            "lattice",
            "compose",
            "full.nbest",
            "skeleton.nbest",
            "--id",
            0,
            "--edits",
            *results,
            "--output",
            "joint.fst",
        )
        call("lattice", "lm", "a.txt", "--model", model / "lm.arpa", "--beam", 9, *results, "--output", "lm.fst")
        written.append(
            [
                call("lattice", "gappy", "skeleton.nbest", "--id", 0, "--loops", "rho", *results).stdout,
                call("lattice", "prune", "a.txt", "--beam", 0.5, *results).stdout,
                *(call("lattice", "nbest", name, "-n", 9, *results).stdout for name in ("joint.fst", "lm.fst")),
            ]
        )
    assert written[0][:2] == written[1][:2]
    both = [[line.split("\t") for text in entry[2:] for line in text.splitlines()] for entry in written]
    assert len(both[0]) == 4
    assert [words for _, words in both[0]] == [words for _, words in both[1]]
    assert [float(cost) for cost, _ in both[0]] == pytest.approx([float(cost) for cost, _ in both[1]], abs=1e-4)


@pytest.mark.parametrize("ending", ["svg", "dot"])
def test_drawings(call, files, ending):
    call("lattice", "draw", "full.fst", "--output", f"a.{ending}")
    assert "x" in (files / f"a.{ending}").read_text(encoding="utf-8")


@pytest.mark.parametrize(("ending", "begin"), [("png", b"\x89PNG\r\n"), ("pdf", b"%PDF-")])
def test_images(call, files, ending, begin, monkeypatch):
    call("lattice", "draw", "full.fst", "--output", f"a.{ending}", "--title", "one")
    assert (files / f"a.{ending}").read_bytes().startswith(begin)
    done = call("lattice", "draw", "full.fst", "--max-states", 1, "--output", f"b.{ending}")
    assert "1 of 5 states are drawn" in done.stderr
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    done = call("lattice", "draw", "full.fst", "--output", f"c.{ending}")
    assert done.returncode == 2
    assert f"{ending.upper()} needs Graphviz; pip install 'lattice-simp[draw]', or write DOT" in done.stderr
    assert not (files / f"c.{ending}").exists()


def test_a_drawing_of_many_states_says_what_it_leaves_out(call, files):
    done = call("lattice", "draw", "full.fst", "--max-states", 1, "--output", "a.svg")
    assert "1 of 5 states are drawn, those nearest to the start; to see another part, prune it first" in done.stderr
    assert call("lattice", "draw", "full.fst", "--output", "a.dot").stderr == ""
    assert "the 1 of 5 states that are nearest to the start" in (files / "a.svg").read_text(encoding="utf-8")
    assert "->" in (files / "a.dot").read_text(encoding="utf-8")


def test_streams(call, files):
    done = call("lattice", "prune", "-", "--beam", 0, stdin="0 1 a 1\n0 1 b 2\n1\n")
    assert done.stdout.split() == ["0", "1", "a", "1.0", "1", "0.0"]


def test_skeleton_conversion_round_trip(call, files):
    (files / "a.txt").write_text("[[well ,]] the house [[there]] was built\n")
    call("skeleton", "convert", "a.txt", "--output", "b.jsonl")
    call("skeleton", "convert", "b.jsonl", "-o", "c.txt", "--to", "brackets")
    assert (files / "c.txt").read_text() == (files / "a.txt").read_text()
    assert call("skeleton", "convert", "b.jsonl", "--to", "masks").stdout == "00110" + "11\n"
    assert "Mixed" in call("skeleton", "info", "b.jsonl").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lattice", "info", "/no/such/file"], "/no/such/file"),
        (["lattice", "info", "empty"], "empty: "),
        (["lattice", "convert", "full.nbest", "x.fst"], "choose one with --id"),
        (["lattice", "info", "full.fst", "--id", "0"], "is not an n-best list"),
        (["lattice", "info", "noise"], "noise"),
        (["lattice", "info", "cut.fst"], "cut.fst: "),
        (["lattice", "convert", "full.fst", "a.what"], "no known lattice format"),
        (["lattice", "convert", "full.fst", "a.txt", "--from", "slf"], "full.fst"),
        (["lattice", "convert", "full.fst", "a.txt", "--to", "pdf"], "--to"),
        (["lattice", "convert", "full.fst", "/no/such/folder/a.fst"], "cannot be written"),
        (["lattice", "lm", "full.fst"], "--model"),
        (["lattice", "lm", "full.fst", "--model", "noise"], "noise"),
        (
            ["lattice", "lm", "full.fst", "--model", "MODEL", "--weight", "inf"],
            "model LM is inf; give a finite",
        ),
        (["lattice", "nbest", "full.fst", "-n", "0"], "--nbest"),
        (
            ["lattice", "nbest", "full.fst", "-o", "x.slf.gz"],
            "x.slf.gz: strings are not a lattice of the format slf",
        ),
        (["lattice", "nbest", "cyclic.txt"], "cycle"),
        (["lattice", "compose", "-", "-"], "only one of the full lattice and the skeleton can be standard input"),
        (["lattice", "compose", "full.fst", "full.fst", "--weight", "-1"], "the weight is -1.0"),
        (["lattice", "compose", "full.fst", "skeleton.nbest"], "choose one with --id"),
        (["lattice", "draw", "full.fst", "--output", "a.gif"], ".svg, .png, .pdf or .dot"),
        (["lattice", "draw", "full.fst", "--output", "a.svg", "--max-states", "0"], "--max-states"),
        (["lattice", "gappy", "full.nbest", "--id", "7"], "holds no hypotheses of sentence 7"),
        (["lattice", "gappy", "full.nbest", "--id", "0", "--loops", "phi"], "--loops"),
        (["lattice", "prune", "full.fst", "--beam", "-1"], "the beam is -1.0"),
        (["lattice", "prune", "full.fst", "--max-arcs", "1", "--engine", "openfst"], "--max-arcs; use --engine arrays"),
        (["lattice", "nbest", "full.fst", "--scores", "--engine", "openfst"], "--scores; use --engine arrays"),
        (
            ["lattice", "compose", "full.nbest", "skeleton.nbest", "--engine", "openfst"],
            "without --id; use",
        ),
        (["lattice", "prune", "full.fst", "--engine", "slow"], "--engine"),
        (["lattice", "prune", "full.fst"], "give --beam NATS or --max-arcs NUMBER"),
        (["lattice", "compose", "full.fst", "full.fst", "-n", "3"], "--nbest has no effect"),
        (["lattice", "compose", "full.nbest", "terms", "-n", "3"], "terms: looks like plain text, not like a lattice"),
        (["lattice", "gappy", "terms", "--id", "0"], "terms: looks like plain text, not like a lattice"),
        (
            ["lattice", "compose", "full.fst", "full.fst", "--id", "3"],
            "full.fst: is not an n-best list, and holds one lattice (leave --id",
        ),
        (["lattice", "compose", "full.nbest", "full.nbest", "--symbols", "words"], "leave --symbols out"),
        (["lattice", "compose", "one.nbest", "full.nbest"], "full.nbest: hypotheses of sentence 1, but one.nbest ends"),
        (["lattice", "nbest", "some.nbest", "--id", "0"], "some.nbest:2: no total"),
        (["lattice", "nbest", "numbers.txt"], "numbers.txt:2: labels are numbers, and 0 among them (pass --symbols"),
        (["lattice", "info", "numbers.fst"], "numbers.fst: the FST has no symbol table for its labels (give it:"),
        (["lattice", "nbest", "full.fst", "--words"], "full.fst: its labels are words (leave --words out)"),
        (["lattice", "nbest", "full.nbest", "--symbols", "words"], "full.nbest: its labels are words (leave --symbols"),
        (["skeleton", "info", "masks"], "masks:1: masks without their sentences"),
        (["skeleton", "convert", "masks", "--to", "jsonl"], "masks:1: masks without their sentences"),
        (["lattice", "prune"], "Missing argument 'source'. (- reads stdin; run it with --help for usage)"),
        (["lattice", "prune", "full.nbest", "b.nbest"], "argument(s) (b.nbest) (name the output with --output; "),
        (["translate", "model", "a.en"], "argument(s) (a.en) (name the input with --input, or pipe it in; "),
        (["skeleton", "make", "a.en", "b"], "argument(s) (b) (name the output with --output; "),
        (["lattice", "convert", "full.nbest"], "give one output: lattice-simp lattice convert"),
        (["lattice", "convert", "full.nbest", "a.slf"], "a.slf: holds one lattice, but full.nbest several; choose"),
        (["lattice", "convert", "transducer.txt", "a.plf"], "lattice-simp: a.plf: PLF cannot represent transducers"),
        (["lattice", "determinize", "transducer.txt"], "project_output(), or `lattice convert --project output`"),
        (["lattice", "nbest", "cyclic.txt"], "keep n paths with OpenFst: `fstshortestpath --nshortest=n`, in Python"),
        (["lattice", "convert", "cyclic.txt", "-", "--to", "plf"], "lattice-simp: <stdout>: the lattice has a cycle"),
        (["lattice", "confusion", "full.nbest", "--id", "0", "--to", "jsonl"], "'jsonl' is not one of"),
        (["lattice", "prune", "full.fst", "--beam", "1", "--to", "jsonl"], "the output is a lattice, not n-best lists"),
        (["lattice", "frobnicate"], "frobnicate"),
        (["skeleton", "info", "/no/such/file"], "/no/such/file"),
        (["skeleton", "info", "noise"], "noise"),
        (["skeleton", "info", "blank"], "blank:2: a blank line"),
        (["skeleton", "convert", "blank", "--to", "xml"], "--to"),
    ],
)
def test_errors_are_one_line(call, files, model, arguments, message):
    (files / "empty").touch()
    (files / "noise").write_bytes(b"\x80\x00\xffnoise\n")
    (files / "cut.fst").write_bytes((files / "full.fst").read_bytes()[:60])
    (files / "cyclic.txt").write_text("0 0 a\n0\n")
    (files / "transducer.txt").write_text("0 1 a b\n1\n")
    (files / "terms").write_text("Zug\nhat spät\n")
    (files / "blank").write_text("a [[b]]\n\na\n")
    (files / "one.nbest").write_text(NBEST.splitlines(keepends=True)[0])
    (files / "some.nbest").write_text("0 ||| a ||| f= 1 ||| -2\n0 ||| b ||| f= 2\n")
    (files / "numbers.txt").write_text("0 1 7 1\n1 2 0\n2\n")
    write(Lattice.from_strings([("a", 1.0)]), files / "numbers.fst", attach_symbols=False)
    (files / "masks").write_text("10\n\n0110\n")
    done = call(*[model / "lm.arpa" if argument == "MODEL" else argument for argument in arguments])
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("lattice-simp: ")


def test_debug_shows_where_an_error_came_from(call):
    assert "Traceback" in call("lattice", "info", "/no/such/file", "--debug").stderr
    assert "Traceback" in call("--debug", "lattice", "info", "/no/such/file").stderr


def test_standard_input_is_named_in_errors(call):
    done = call("lattice", "info", "-", stdin="0 1 a 0\n0 x b\n1\n")
    assert done.stderr.startswith("lattice-simp: <stdin>:2: ")


def test_every_kind_of_file_comes_through_standard_input(call, files):
    for name in ("full.fst", "skeleton.nbest"):
        options = () if name == "full.fst" else ("--id", 0)
        done = call("lattice", "nbest", "-", *options, stdin=(files / name).read_bytes())
        assert done.stdout in ("1.000000\tb d\n", "0.500000\ta c\n")
    done = call("skeleton", "convert", "-", "--to", "masks", stdin="a [[b]]\n")
    assert done.stdout == "10\n"


def test_words_in_other_files(call, files):
    write(Lattice.from_strings([("good day", 1.0)]), files / "numbers.fst", attach_symbols=False)
    (files / "words").write_text("<epsilon> 0\ngood 1\nday 2\n")
    assert "good day" in call("lattice", "info", "numbers.fst", "--symbols", "words").stdout
    (files / "numbers.txt").write_text("0 1 1\n1 2 2\n2\n")
    call("lattice", "convert", "numbers.txt", "named.txt", "--symbols", "words")
    assert "day" in (files / "named.txt").read_text()
    (files / "words.plf").write_text("((('a',1),),)\n")
    refused = call("lattice", "info", "words.plf", "--symbols", "words")
    assert "its labels are words" in refused.stderr


def test_every_command_takes_the_words_of_numeric_labels(call, files, model):
    (files / "a.txt").write_text("0 1 1 1\n1 2 0 1\n1 2 2 2\n2\n")
    (files / "table").write_text("<eps> 0\ndas 1\nhaus 2\n")
    arguments = ("--symbols", "table")
    for command in (("nbest", "a.txt"), ("prune", "a.txt", "--beam", 0), ("convert", "a.txt", "-"), ("gappy", "a.txt")):
        done = call("lattice", *command, *arguments)
        assert "das" in done.stdout, done.stderr
    assert "das" in call("lattice", "lm", "a.txt", "--model", model / "lm.arpa", *arguments).stdout
    assert "das" in call("lattice", "compose", "a.txt", "a.txt", *arguments).stdout
    call("lattice", "draw", "a.txt", "--output", "a.dot", *arguments)
    assert "das" in (files / "a.dot").read_text()
    assert call("lattice", "nbest", "a.txt", "--words").stdout == "2.000000\t1 0\n"


def test_features_of_a_list_come_back(call, files):
    text = "3 ||| a b ||| LM= -1.25 TM= -1 -2.5 ||| -2\n3 ||| c ||| LM= -7 TM= 0 -1 ||| -3.5\n"
    (files / "a.nbest").write_text(text)
    listed = ("-n", 9, "--moses")
    assert call("lattice", "nbest", "a.nbest", "--id", 3, *listed).stdout == text
    for name in ("a.plf", "a.plf.gz"):
        assert call("lattice", "convert", "a.nbest", name).stderr == ""
        written = read_nbest_text(call("lattice", "nbest", name, *listed).stdout, files)
        assert [(entry.text, entry.cost) for entry in written] == [("a b", 2.0), ("c", 3.5)]
        assert {name: written[0].features[name] for name in ("LM", "TM_0", "TM_1")} == {
            "LM": -1.25,
            "TM_0": -1.0,
            "TM_1": -2.5,
        }
    assert (
        "a.fst: the format cannot store the features LM TM_0 TM_1"
        in call("lattice", "convert", "a.nbest", "a.fst").stderr
    )
    pruned = ("lattice", "prune", "a.plf", "--beam", 9, "--output")
    assert call(*pruned, "b.fst").stderr == "b.fst: the format cannot store the features LM TM_0 TM_1\n"
    assert call(*pruned, "b.plf").stderr == ""
    assert "--moses; use --engine arrays" in call("lattice", "nbest", "a.plf", *listed, "--engine", "openfst").stderr


def read_nbest_text(text, folder):
    (folder / "written.nbest").write_text(text)
    return read_nbest(folder / "written.nbest")[0]


def test_lists_that_begin_at_1_are_composed(call, files):
    for name in ("full", "skeleton"):
        lines = (files / f"{name}.nbest").read_text().splitlines(keepends=True)
        (files / f"{name}1.nbest").write_text("".join(f"{int(line[0]) + 1}{line[1:]}" for line in lines))
    done = call("lattice", "compose", "full1.nbest", "skeleton1.nbest", "--first-id", 1)
    assert [line[0] for line in done.stdout.splitlines()] == ["1", "2"]
    assert "2 sentences, 1 without" in done.stderr
    assert "missing" not in done.stderr
    refused = call("lattice", "compose", "full.nbest", "skeleton1.nbest", "--first-id", 1)
    assert "full.nbest:1: the id 0 is lower than 1 (start counting there: --first-id 0" in refused.stderr


def test_one_path_for_each_string(call, files):
    (files / "a.txt").write_text("0 1 a 1\n0 2 a 2\n1 3 b\n2 3 b\n2 3 c\n3\n")
    for command in ("determinize", "minimize"):
        assert call("lattice", command, "a.txt").stdout.count("\ta\t") == 1
        done = call("lattice", command, "a.txt", "--semiring", "log", "--output", "b.txt")
        assert (done.returncode, done.stderr) == (0, "")
        costs = {path.text: path.cost for path in nbest(read(files / "b.txt"), 9, unique=False)}
        assert costs == pytest.approx({"a b": -math.log(math.exp(-1) + math.exp(-2)), "a c": 2.0}, abs=1e-5)
        done = call("lattice", command, "full.nbest", "--id", 0, "--output", "b.slf")
        assert done.stderr.splitlines() == ["b.slf: features are written to other fields: f (x1=)"]
        done = call("lattice", command, "full.nbest", "--id", 0, "--semiring", "log", "--output", "b.slf")
        assert done.stderr == "b.slf: the result does not have the feature f\n"


def test_a_composed_lattice(call, files):
    options = ("--id", 0, "--beam", 5, "--output", "joint.fst")
    call("lattice", "convert", "full.fst", "full.fst.gz")
    call("lattice", "compose", "full.fst.gz", "skeleton.nbest", *options)
    assert [path.text for path in nbest(read(files / "joint.fst"), 5)] == ["a x c"]
    done = call("lattice", "compose", "full.fst", "skeleton.nbest", "--id", 1)
    assert "the full lattice is written" in done.stderr
    assert "b" in done.stdout


def test_features_of_composed_lists(call, files):
    """A no-break space belongs to its token, so the first hypothesis lacks the skeleton's `a`."""
    (files / "full.nbest").write_text("0 ||| a\u00a0x c ||| f= -1 ||| -2\n0 ||| b ||| f= -1 ||| -1\n")
    (files / "skeleton.nbest").write_text(SKELETON.splitlines(keepends=True)[0])
    done = call("lattice", "compose", "full.nbest", "skeleton.nbest", "--deletion-cost", 1, "--weight", 2)
    assert done.stdout.splitlines() == [
        "0 ||| a\u00a0x c ||| f= -1 Skeleton= -0.5 Edits= -1 ||| -4",
        "0 ||| b ||| f= -1 Skeleton= -0.5 Edits= -2 ||| -4",
    ]
    assert "1 sentence, 0 without" in done.stderr


@pytest.mark.parametrize("command", ["determinize", "minimize"])
def test_a_deterministic_lattice_has_so_many_states_at_most(call, files, command):
    done = call("lattice", command, "full.fst", "--max-states", 2, "--output", "small.fst")
    assert done.returncode == 2
    assert "more than 2 states; prune" in done.stderr
    assert not (files / "small.fst").exists()
    assert call("lattice", command, "full.fst", "--max-states", 5, "--output", "small.fst").returncode == 0


def test_the_n_best_strings_are_drawn(call, files):
    call("lattice", "draw", "full.fst", "--nbest", 1, "--output", "a.svg", "--title", "The best")
    drawing = (files / "a.svg").read_text(encoding="utf-8")
    assert "The best" in drawing
    assert ">x<" not in drawing


@pytest.mark.parametrize("ending", ["svg", "dot"])
def test_the_best_path_is_marked(call, files, ending):
    lattice = read(files / "full.fst")
    draw = {"svg": to_svg, "dot": to_dot}[ending]
    marked = draw(lattice, highlight=shortest_path(lattice).arcs)
    assert marked != draw(lattice)
    call("lattice", "draw", "full.fst", "--mark-best", "--output", f"best.{ending}")
    assert (files / f"best.{ending}").read_text(encoding="utf-8") == marked


def test_lists_are_minimized_before_they_are_drawn(call, files):
    (files / "list").write_text("0 ||| a b c ||| f= -1 ||| -2\n0 ||| d b c ||| f= -2 ||| -1\n")

    def states(*options):
        assert call("lattice", "draw", *options, "--output", "a.dot").returncode == 0
        return (files / "a.dot").read_text(encoding="utf-8").count("style=solid")

    assert states("list") == 3
    assert states("list", "--separate") == 5
    call("lattice", "convert", "list", "list.fst", "--id", 0)
    assert states("list.fst") == 5
    assert states("list.fst", "--nbest", 2) == 3
    assert states("list.fst", "--nbest", 2, "--separate") == 5
    call("lattice", "draw", "list", "--output", "a.dot")
    assert read_dot_costs(files / "a.dot") == {"a": "2", "d": "1"}


def read_dot_costs(path):
    return dict(re.findall(r'label="(\w+)/(\S+)"', path.read_text(encoding="utf-8")))


def test_confusion_networks_are_drawn_with_probabilities(call, files):
    for ending in ("fst", "plf", "sausages", "slf"):
        call("lattice", "confusion", "full.fst", "--output", f"network.{ending}")
        call("lattice", "draw", f"network.{ending}", "--output", "a.dot")
        assert "b 0.73" in (files / "a.dot").read_text(encoding="utf-8"), ending
    call("lattice", "draw", "network.fst", "--numbers", "costs", "--output", "a.dot")
    assert "b/0.31326" in (files / "a.dot").read_text(encoding="utf-8")


def test_arcs_that_are_left_out_are_counted(call, files):
    write(sausage(2, 50), files / "many.fst")
    done = call("lattice", "draw", "many.fst", "--output", "a.svg")
    assert done.stderr == "80 of 100 arcs are drawn, the best between two states\n"


def test_a_reader_that_leaves_is_no_error(files, program):
    write(sausage(5000, 10), files / "long.fst")
    for name, taken in (("long.fst", 5), ("full.fst", 0)):
        ours, theirs = os.pipe()
        if not taken:
            os.close(ours)
        with subprocess.Popen(
            [program.path, "lattice", "convert", name, "-"], stdout=theirs, stderr=subprocess.PIPE
        ) as process:
            os.close(theirs)
            if taken:
                assert os.read(ours, taken)
                os.close(ours)
            assert process.stderr.read() == b"", name
            assert process.wait() == 141, name


@pytest.mark.parametrize("command", ["", "lattice", "lattice info", "translate", "tune nbest", "evaluate"])
def test_help_is_short_for_those_who_are(call, command):
    assert call(*command.split(), "-h").stdout == call(*command.split(), "--help").stdout != ""


@pytest.mark.parametrize(
    "command",
    ["", "translate", "demo", "lattice", "skeleton", "skeleton info", "skeleton convert"]
    + [
        f"lattice {name}"
        for name in ("info", "convert", "lm", "gappy", "compose", "nbest", "prune", "determinize", "minimize", "draw")
    ],
)
def test_help_has_an_example(call, command):
    done = call(*command.split(), "--help")
    assert done.returncode == 0
    assert command in ("", "lattice", "skeleton") or "Example: lattice-simp" in " ".join(done.stdout.split())


def test_the_version(call):
    assert call("--version").stdout.startswith("lattice-simp ")


@pytest.mark.slow
@pytest.mark.parametrize("arcs", [2, 20000])
def test_a_pipe_is_read_once_and_whole(program, tmp_path, arcs):
    """A shell's `<(zcat ...)` cannot be reopened for format detection."""
    text = "".join(f"{arc}\t{arc + 1}\tw{arc}\t0.5\n" for arc in range(arcs)) + f"{arcs}\n"
    (tmp_path / "big.att").write_text(text)
    for source in (f"<(cat {tmp_path}/big.att)", f"/dev/stdin < <(cat {tmp_path}/big.att)"):
        command = f"{program.path} lattice info {source}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, timeout=60)
        assert dict(line.split("\t") for line in done.stdout.splitlines())["arcs"] == str(arcs)


def test_a_language_model_may_be_a_pipe(program, model, tmp_path):
    (tmp_path / "list").write_text("0 ||| das haus ||| f= -1 ||| -1\n")
    command = f"{program.path} lattice lm {tmp_path}/list --model <(cat {model}/lm.arpa) --output {tmp_path}/scored.fst"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert not read(tmp_path / "scored.fst").empty


@pytest.mark.parametrize(
    "words",
    [
        "union good.txt BAD --output o.fst",
        "compose BAD good.txt",
        "compose good.txt BAD",
        "gappy BAD",
        "oracle good.txt BAD --reference r",
        "nbest BAD",
        "confidence BAD",
    ],
)
def test_errors_of_lattices_name_the_file(words, call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.txt").write_text("0 1 a a\n1\n")
    (tmp_path / "bad.txt").write_text("0 1 a a\n1 0 b b\n1\n")
    (tmp_path / "r").write_text("a\na\n")
    failed = call("lattice", *words.replace("BAD", "bad.txt").split())
    assert failed.returncode == 2
    assert failed.stderr.startswith("lattice-simp: bad.txt: the lattice has a cycle")


def test_the_error_for_lacking_times_names_the_file(call, tmp_path):
    (tmp_path / "a.txt").write_text("0 1 a a\n1\n")
    assert call("lattice", "ctm", tmp_path / "a.txt").stderr.startswith(f"lattice-simp: {tmp_path}/a.txt: the lattice")


def test_one_side_of_a_transducer(call, tmp_path):
    (tmp_path / "lexicon.txt").write_text("0 1 Haus house 0.5\n1\n")
    for side, words in (("input", "Haus"), ("output", "house")):
        done = call("lattice", "convert", tmp_path / "lexicon.txt", "-", "--project", side)
        assert done.stdout.splitlines()[0] == f"0\t1\t{words}\t0.5", done
