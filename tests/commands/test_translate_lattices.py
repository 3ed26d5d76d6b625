"""Word lattices as input of the translate command."""

from __future__ import annotations

import pytest

from lattice_simp import Lattice, read, write
from lattice_simp.commands.inputs.sentences import Sentence
from lattice_simp.commands.running.sentences import name_run
from lattice_simp.commands.runs.translate_worker import TranslateOptions
from lattice_simp.formats.nbest import read_nbest

PLF = """\
((('the',0.5,1),('a',0.5,1),),(('house',0.75,1),('bridge',0.25,1),),)

((('the',1.0,1),),(('*EPS*',0.5,1),('old',0.5,1),),(('bridge',1.0,1),),)
"""


@pytest.fixture
def lattices(tmp_path):
    path = tmp_path / "asr.plf"
    path.write_text(PLF, encoding="utf-8")
    return path


def test_a_line_for_each_lattice(call, model, lattices, tmp_path):
    nbest = tmp_path / "out.nbest"
    options = ("--nbest", 3, "--nbest-output", nbest, "--lattices", tmp_path / "out", "--beam", 20)
    done = call("translate", model, "--input-lattices", lattices, *options)
    assert done.stdout.splitlines() == ["das haus", "", "die brücke"], done.stderr
    assert "3 sentences" in done.stderr
    first = next(iter(read_nbest(nbest)))
    assert first[0].features["Input"] == pytest.approx(-0.9808, abs=1e-4)  # log(.5 * .75)
    assert read(tmp_path / "out" / "0.fst.gz").num_arcs > 0


def test_folders_of_other_formats(call, model, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for number, text in enumerate(["the house", "the bridge was built"]):
        write(Lattice.from_strings([(text, 1.0), ("zz", 9.0)]), folder / f"{number}.slf")
    done = call("translate", model, "--input-lattices", folder, "--quiet")
    assert done.stdout.splitlines() == ["das haus", "die brücke wurde gebaut"]


def test_the_numbers_of_plf_may_be_logs_or_costs(call, model, tmp_path):
    path = tmp_path / "logs.plf"
    path.write_text("((('house',-9.0,1),('bridge',-1.0,1),),)\n", encoding="utf-8")
    assert call("translate", model, "--input-lattices", path, "--plf-scores", "log").stdout == "brücke\n"
    assert call("translate", model, "--input-lattices", path, "--plf-scores", "cost").stdout == "haus\n"


def test_options_that_exclude_each_other(call, model, lattices):
    done = call("translate", model, "--input-lattices", lattices, "--input", lattices)
    assert (done.returncode, "give only one of them" in done.stderr) == (2, True)
    done = call("translate", model, "--plf-scores", "log", stdin="a\n")
    assert (done.returncode, "no effect without --input-lattices" in done.stderr) == (2, True)


def test_broken_lattices_are_named(call, model, tmp_path):
    path = tmp_path / "bad.plf"
    path.write_text("((('a',1.0,1),),)\n((('a',1.0,1)\n", encoding="utf-8")
    done = call("translate", model, "--input-lattices", path)
    assert (done.returncode, f"{path}:2: " in done.stderr) == (2, True), done.stderr


def test_other_costs_make_another_run(model):
    runs = [
        name_run([Sentence(("a",), lattice=Lattice.from_strings([("a", cost)]))], model, TranslateOptions(model))[
            "input"
        ]
        for cost in (1.0, 2.0, 1.0)
    ]
    assert runs[0] == runs[2] != runs[1]
