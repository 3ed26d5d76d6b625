"""Commands keep formats, file names, scores, times and headers of lattices, and report losses."""

from __future__ import annotations

import math
import tarfile

import numpy as np
import pytest

from lattice_simp import LanguageModel, Lattice, determinize, minimize, nbest, prune, read, read_nbest, write
from lattice_simp.ops.apply_lm import apply_lm

SLF = """VERSION=1.0
UTTERANCE=utt{number}
lmname=old.arpa
base=10 tscale=1.0
acscale=0.5 lmscale=12.0 prscale=2.0 wdpenalty=-0.25
N=4 L=5
I=0 t=2.5
I=1 t=2.75
I=2 t=3.0
I=3 t=3.5
J=0 S=0 E=1 W=das a=-10.5 l=-1.5 r=-0.125
J=1 S=0 E=1 W=die a=-11.25 l=-1.0 r=0
J=2 S=1 E=2 W=haus a=-8.0 l=-2.25 r=-0.5
J=3 S=1 E=2 W=brücke a=-8.5 l=-3.0 r=0
J=4 S=2 E=3 W=!NULL a=-1.0 l=0 r=0
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of SLF files with several endings, one compressed, and one without an ending of the format."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    for number, name in enumerate(("a.slf", "b.lat", "c.htk")):
        (tmp_path / "in" / name).write_text(SLF.format(number=number), encoding="utf-8")
    write(read("in/a.slf"), "in/d.slf.gz")
    with tarfile.open("in.tar", "w") as archive:
        archive.add("in", arcname=".")
    return tmp_path


def header(path):
    """Returns the header's facts."""
    lines = path.read_text(encoding="utf-8").splitlines()
    facts = {}
    for line in lines[: lines.index(next(line for line in lines if line.startswith("N=")))]:
        facts |= dict(part.split("=") for part in line.split())
    return facts


def cost_by_fields(path):
    """Returns the costs of links by HTK's formula, from the text of a file."""
    facts, costs = header(path), {}
    for line in path.read_text(encoding="utf-8").splitlines():
        link = dict(part.split("=", 1) for part in line.split()) if line.startswith("J=") else {}
        if link:
            score = float(facts["acscale"]) * float(link["a"]) + float(facts["lmscale"]) * float(link["l"])
            score += float(facts["prscale"]) * float(link["r"]) + float(facts["wdpenalty"]) * (link["W"] != "!NULL")
            costs[link["W"]] = -score * math.log(float(facts["base"]))
    return costs


@pytest.mark.parametrize("source", ["in", "in.tar"])
@pytest.mark.parametrize(
    ("command", "operation"),
    [
        (["prune", "--beam", "1000"], lambda lattice: prune(lattice, 1000)),
        (["prune", "--max-arcs", "3"], lambda lattice: prune(lattice, max_arcs=3)),
        (["determinize"], determinize),
        (["minimize"], minimize),
    ],
)
def test_batches_keep_formats_names_scores_and_headers(call, folder, source, command, operation):
    done = call("lattice", *command, source, "--output", "out/")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["a.slf", "b.lat", "c.htk", "d.slf.gz"]
    for number, name in enumerate(("a.slf", "b.lat", "c.htk")):
        original, actual = read(f"in/{name}"), read(f"out/{name}")
        expected = {path.tokens: path for path in nbest(operation(original), 99)}
        assert {path.tokens for path in nbest(actual, 99)} == expected.keys()
        for path in nbest(actual, 99):
            assert path.cost == pytest.approx(expected[path.tokens].cost, abs=1e-9)
            assert path.features == pytest.approx(expected[path.tokens].features, abs=1e-9)
        facts = header(folder / "out" / name)
        assert facts["UTTERANCE"] == f"utt{number}"
        kept = {"lmname": "old.arpa", "base": "10", "tscale": "1.0", "acscale": "0.5", "lmscale": "12.0"}
        assert kept.items() <= facts.items()
        assert (facts["prscale"], facts["wdpenalty"]) == ("2.0", "-0.25")
        assert "x1scale" not in facts
        words = [actual.symbols[label] for label in actual.olabels.tolist()]
        costs = cost_by_fields(folder / "out" / name)
        assert [costs[word if word != "<epsilon>" else "!NULL"] for word in words] == pytest.approx(
            actual.weights.tolist(), abs=1e-9
        )
        if command[0] != "minimize":
            assert actual.header.start == 2.5


def test_pruning_everything_leaves_the_bytes_of_a_copy(call, folder):
    call("lattice", "convert", "in/a.slf", "copy.slf")
    call("lattice", "prune", "in/a.slf", "--beam", 1000, "--output", "pruned.slf")
    assert (folder / "copy.slf").read_bytes() == (folder / "pruned.slf").read_bytes()


@pytest.mark.parametrize("command", [["mbr"], ["mbr", "--utility", "wer"], ["confusion"], ["lm"]])
def test_new_costs_in_slf_are_exact_and_what_is_lost_is_reported_once(call, folder, model, command):
    options = ["--model", model / "lm.arpa"] if command == ["lm"] else []
    done = call("lattice", *command, "in", *options, "--output", "out/")
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == len(set(done.stderr.splitlines())) <= 2
    said = {
        "mbr": "out/: costs that its scores do not explain are in a field that SRILM reads and HTK ignores: x1=",
        "confusion": "out/: the result does not have the features acoustic lm pronunciation",
        "lm": "out/: features are written to other fields: LM (x1=)",
    }
    assert said[command[0]] in done.stderr
    call("lattice", *command, "in/a.slf", *options, "--output", "alone.slf")
    call("lattice", *command, "in/a.slf", *options, "--output", "alone.txt")
    values = {path.tokens: path.cost for path in nbest(read("out/a.slf"), 99)}
    assert values == pytest.approx({path.tokens: path.cost for path in nbest(read("alone.txt"), 99)}, abs=1e-9)
    assert (folder / "alone.slf").read_bytes() == (folder / "out" / "a.slf").read_bytes()
    assert header(folder / "alone.slf")["UTTERANCE"] == "utt0"


def test_a_replaced_language_model_is_in_its_field(call, folder, model):
    done = call("lattice", "lm", "in", "--model", model / "lm.arpa", "--replace", "lm", "--weight", 9, "-o", "out/")
    assert (done.returncode, done.stderr) == (0, "")
    language_model = LanguageModel.read(model / "lm.arpa")
    original, result = read("in/a.slf"), read("out/a.slf")
    facts = header(folder / "out" / "a.slf")
    assert (facts["lmscale"], facts["acscale"], facts["wdpenalty"]) == ("9.0", "0.5", "-0.25")
    assert "x1scale" not in facts
    old = {path.tokens: path for path in nbest(original, 99)}
    for path in nbest(result, 99):
        before, score = old[path.tokens], language_model.score(path.tokens)
        assert path.features["lm"] == pytest.approx(score, abs=1e-6)
        assert path.features["acoustic"] == pytest.approx(before.features["acoustic"])
        assert path.features["time"] == pytest.approx(before.features["time"])
        assert path.cost == pytest.approx(before.cost + 12 * before.features["lm"] - 9 * score, abs=1e-6)
    by_hand = call("lattice", "lm", "in/a.slf", "--model", model / "lm.arpa", "--replace", "lm", "--weight", 9)
    ended = call(
        *("lattice", "lm", "in/a.slf", "--model", model / "lm.arpa", "--replace", "lm", "--weight", 9),
        *("--old-weight", 12),
    )
    assert by_hand.stdout == ended.stdout


def test_a_new_language_model_has_the_weight_of_the_old_one(call, folder, model):
    lm = ("lattice", "lm", "in/a.slf", "--model", model / "lm.arpa", "--replace", "lm", "--to", "slf")
    by_default, by_hand = call(*lm), call(*lm, "--weight", 12)
    assert "lmscale=12.0" in by_default.stdout
    assert by_default.stdout == by_hand.stdout
    assert call(*lm, "--old-weight", 9).stdout == call(*lm, "--old-weight", 9, "--weight", 9).stdout != by_hand.stdout


def test_a_model_on_costs_alone_has_the_usual_fields(call, folder, model):
    write(Lattice.from_strings([("das haus", 1.5), ("die brücke", 2.0)]), "plain.fst")
    done = call(
        *("lattice", "lm", "plain.fst", "--model", model / "lm.arpa", "--weight", 9, "--word-penalty", 0.5),
        *("--output", "b.slf"),
    )
    assert done.stderr == "b.slf: features are written to other fields: LM (l=)\n"
    result = read("b.slf")
    assert result.header.scales == {"acoustic": 1.0, "lm": 9.0}
    assert result.header.word_score == -0.5
    assert {path.text: round(-path.features["acoustic"], 6) for path in nbest(result, 9)} == {
        "das haus": 1.5,
        "die brücke": 2.0,
    }


def test_mixed_folders_keep_each_format(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    lattice = Lattice.from_strings([("a b", 1.0), ("c", 2.0)])
    for name in ("1.fst", "2.txt", "3.plf", "4.att.gz"):
        write(lattice, f"in/{name}")
    (tmp_path / "in" / "5.slf").write_text(SLF.format(number=5), encoding="utf-8")
    for command in (["prune", "--beam", 9], ["mbr"], ["confusion"], ["determinize"], ["minimize"]):
        done = call("lattice", *command, "in", "--output", f"{command[0]}/")
        assert done.returncode == 0, done.stderr
        names = sorted(path.name for path in (tmp_path / command[0]).iterdir())
        assert names == ["1.fst", "2.txt", "3.plf", "4.att.gz", "5.slf"]
        for name in names[:4]:
            assert nbest(read(f"{command[0]}/{name}"))[0].text in ("a b", "c")
    done = call("lattice", "prune", "in", "--beam", 9, "--to", "openfst", "--output", "fst/")
    assert done.stderr.splitlines() == [
        "fst/: the format cannot store the features acoustic lm pronunciation time",
        "fst/: the format cannot store these parts of the header: utterance start time lmname tscale",
    ]
    assert sorted(path.name for path in (tmp_path / "fst").iterdir()) == [f"{number}.fst" for number in range(1, 6)]


def test_a_member_that_its_format_cannot_hold_is_left_out(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    write(Lattice.from_strings([("a", 1.0)]), "in/1.slf")
    (tmp_path / "in" / "2.fst").write_bytes(b"")
    write(Lattice.from_strings([("a b", -1e99), ("c b", 3.0)]), "in/3.slf")
    done = call("lattice", "prune", "in", "--beam", 9, "--to", "openfst", "--output", "out/")
    assert done.returncode == 1
    assert "in: 3: " in done.stderr
    assert "2 lattices failed" in done.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["1.fst"]


def test_results_never_replace_their_input(call, folder):
    before = (folder / "in" / "a.slf").read_bytes()
    done = call("lattice", "prune", "in", "--beam", 0, "--output", "in/")
    assert (done.returncode, "the results would replace the input" in done.stderr) == (2, True)
    assert (folder / "in" / "a.slf").read_bytes() == before


def test_features_that_stdout_does_not_hold_are_reported(call, folder):
    done = call("lattice", "prune", "in/a.slf", "--beam", 9)
    assert "<stdout>: the format cannot store the features acoustic lm pronunciation time\n" in done.stderr
    done = call("lattice", "prune", "in/a.slf", "--beam", 9, "--to", "slf")
    assert (done.stdout.splitlines()[1], done.stderr) == ("UTTERANCE=utt0", "")


def test_an_engine_that_drops_features_says_so(call, folder):
    done = call("lattice", "prune", "in/a.slf", "--beam", 9, "--engine", "openfst", "--output", "b.slf")
    assert "b.slf: the result does not have the features acoustic lm pronunciation time\n" in done.stderr
    assert header(folder / "b.slf")["UTTERANCE"] == "utt0"


NBEST = "0 ||| a x c ||| f= -1 ||| -2\n0 ||| b d ||| f= -2 ||| -1\n0 ||| e ||| f= -3 ||| -3\n1 ||| e ||| f= -1 ||| -1\n"


@pytest.mark.parametrize(
    "command",
    [
        ["nbest", "full.nbest", "-n", 9],
        ["prune", "full.nbest", "--beam", 99],
        ["mbr", "full.nbest"],
        ["lm", "full.nbest", "--model", "MODEL"],
        ["compose", "full.nbest", "full.nbest"],
        ["determinize", "full.nbest"],
        ["collect", "text"],
        ["tokens", "full.nbest"],
    ],
)
def test_the_ending_decides_what_lists_are(call, tmp_path, monkeypatch, model, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full.nbest").write_text(NBEST)
    (tmp_path / "text").write_text("a x c\ne\n")
    command = [model / "lm.arpa" if entry == "MODEL" else entry for entry in command]
    for output in ("out.jsonl", "out.jsonl.gz"):
        assert call("lattice", *command, "--output", output).returncode == 0
    assert (tmp_path / "out.jsonl").read_text().startswith('{"id": 0, "hypotheses": [')
    moses = ["--moses"] if command[0] == "nbest" else []
    call("lattice", *command, *moses, "--output", "out.nbest")
    assert read_nbest("out.jsonl") == read_nbest("out.nbest") == read_nbest("out.jsonl.gz")


def test_lists_without_skeletons_are_cut_to_n(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full.nbest").write_text(NBEST)
    (tmp_path / "skeleton.nbest").write_text("1 ||| q ||| f= -1 ||| -1\n")
    for n, expected in ((1, ["b d"]), (2, ["b d", "a x c"]), (3, ["a x c", "b d", "e"])):
        call("lattice", "compose", "full.nbest", "skeleton.nbest", "-n", n, "--output", "out.nbest")
        assert [entry.text for entry in read_nbest("out.nbest")[0]] == expected


def test_header_scales_follow_a_language_model(model):
    lattice = Lattice.from_strings([("das haus", 1.5)])
    scored = apply_lm(lattice, {"A": (LanguageModel.read(model / "lm.arpa"), 0.5)}, word_penalty=2.0)
    assert (scored.header.scales, scored.header.word_score) == ({"A": 0.5}, -2.0)
    assert scored.without_feature("A", 0.5).header.scales == {}
    assert np.isclose(nbest(scored.without_feature("A", 0.5))[0].cost, 1.5 + 4.0)


def test_translations_and_gappy_acceptors_lose_features(call, model, tmp_path):
    folder = tmp_path / "lattices"
    done = call("translate", model, "--lattices", folder, stdin="the house\n\n")
    assert f"{folder}: the format cannot store the feature LM" in done.stderr
    assert call("translate", model, "--lattices", folder, "--quiet", stdin="the house\n").stderr == ""
    (tmp_path / "list").write_text("0 ||| a b ||| F= -1 G= 2 ||| -1\n", encoding="utf-8")
    done = call("lattice", "gappy", tmp_path / "list", "--output", tmp_path / "gappy.txt")
    assert done.stderr == f"{tmp_path / 'gappy.txt'}: the result does not have the features F G\n"


def test_lattices_without_hypotheses_are_refused_by_name(call, model, tmp_path):
    (tmp_path / "dead.txt").write_text("0 1 a\n", encoding="utf-8")
    write(read(tmp_path / "dead.txt"), tmp_path / "0.fst.gz")
    (tmp_path / "source").write_text("the house\n", encoding="utf-8")
    named = "the lattice holds no hypothesis: no state is final\n"
    done = call("rescore", "lattices", tmp_path, "--source", tmp_path / "source", "--model", model / "lm.arpa")
    assert (done.returncode, done.stderr) == (1, f"lattice-simp: {tmp_path / '0.fst.gz'}: {named}")
    weights = ("--weights", model / "weights.tsv", "--output", tmp_path / "new.tsv")
    done = call("tune", "lattices", tmp_path / "dead.txt", "--reference", tmp_path / "source", *weights)
    assert (done.returncode, done.stderr) == (1, f"lattice-simp: {tmp_path / 'dead.txt'}: {named}")
