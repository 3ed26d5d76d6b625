"""Mutation tests: the table of errors, and outcomes in an artificial project."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from experiments import mutants
from experiments.mutants import library
from experiments.mutants.library import sampled
from experiments.mutants.operators import edits
from experiments.mutants.running import Mutant, Outcome, Workshop, read_mutants
from lattice_simp.errors import FormatError, LatticeSimpError

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "experiments" / "mutants" / "mutants.tsv"
MUTANTS = read_mutants(TABLE)

HEAD = "name\tfile\tbefore\tafter\ttests\n"


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_text_of_each_mutant_is_once_in_its_file(mutant):
    changed = mutant.applied((ROOT / mutant.file).read_text(encoding="utf-8"))
    if mutant.file.endswith(".py"):
        compile(changed, mutant.file, "exec")  # a slip of the pen would make any test fail
    for test in mutant.tests.split():
        assert (ROOT / test).is_file(), test


def test_there_are_enough_mutants_and_their_files_are_copied():
    assert len(MUTANTS) >= 40
    copied = yaml.safe_load((TABLE.parent / "config.yaml").read_text(encoding="utf-8"))["copied"]
    assert all((ROOT / name).exists() for name in copied)
    for mutant in MUTANTS:
        for path in (mutant.file, *mutant.tests.split()):
            assert path.split("/")[0] in copied


def test_the_share_of_the_last_run_goes_into_the_study_s_results(tmp_path, monkeypatch):
    monkeypatch.setattr(mutants, "__file__", str(tmp_path / "__init__.py"))
    assert mutants.killed_pct() is None
    (tmp_path / "results.json").write_text('{"mutants_killed_pct": 87.5}', encoding="utf-8")
    assert mutants.killed_pct() == 87.5


# ---------------------------------------------------------------- a project of one function


@pytest.fixture
def workshop(tmp_path):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "twice.py").write_text("def twice(x):\n    return 2 * x\n", encoding="utf-8")
    test = "from code_twice import twice\n\n\ndef test_twice():\n    assert twice(2) == 4\n"
    (tmp_path / "code" / "test_twice.py").write_text(test.replace("code_twice", "twice"), encoding="utf-8")
    return Workshop(tmp_path, ["code"], 60)


def mutant(after, before="2 * x", name="wrong", tests="code/test_twice.py"):
    return Mutant(name, "code/twice.py", before, after, tests)


@pytest.mark.slow
def test_a_mutant_is_killed_if_a_test_fails(workshop):
    entries = [mutant("3 * x"), mutant("x + 2", name="the same for 2")]
    assert [outcome for _, outcome in workshop.outcomes(entries)] == [Outcome.SEEN, Outcome.SURVIVED]
    assert "2 * x" in (workshop.root / "code" / "twice.py").read_text(encoding="utf-8")


@pytest.mark.slow
def test_slow_tests_see_mutants_where_markers_select_them(workshop):
    path = workshop.root / "code" / "test_twice.py"
    text = path.read_text(encoding="utf-8").replace("def test_", "@pytest.mark.slow\ndef test_")
    path.write_text(f"import pytest\n{text}\n\ndef test_nothing():\n    pass\n", encoding="utf-8")
    for markers, expected in (("not slow", Outcome.SURVIVED), ("", Outcome.SEEN)):
        outcomes = replace(workshop, markers=markers).outcomes([mutant("3 * x")])
        assert [outcome for _, outcome in outcomes] == [expected]


@pytest.mark.slow
def test_a_mutant_that_hangs_is_neither_seen_nor_not_and_what_it_started_ends(workshop):
    """A pipe is closed only when its last writer, the mutant's child, has ended."""
    pipe = workshop.root / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    child = f"subprocess.Popen(['sh', '-c', 'echo begun; sleep 60; echo late'], stdout=open({str(pipe)!r}, 'w'))"
    child = f"import subprocess, time; {child}; time.sleep(60)"
    hung = mutant(f"__import__('builtins').exec({child!r}) or 2 * x", name="hung")
    [(_, outcome)] = replace(workshop, seconds=10).outcomes([hung], check=False)
    assert outcome == Outcome.TOO_SLOW
    os.set_blocking(reader, True)
    with open(reader, encoding="utf-8") as file:
        assert file.read() == "begun\n"


@pytest.mark.slow
def test_a_mutant_that_cannot_be_imported_is_seen_if_its_tests_can_be_collected_without_it(workshop):
    broken = mutant("2 * x\n\n\nraise RuntimeError")
    assert [outcome for _, outcome in workshop.outcomes([broken], check=False)] == [Outcome.SEEN]
    (workshop.root / "code" / "test_twice.py").write_text("import nothing_of_this_name\n", encoding="utf-8")
    with pytest.raises(LatticeSimpError, match="mutant 'wrong': its tests cannot be run"):
        list(workshop.outcomes([broken], check=False))


def test_a_mutant_whose_text_is_not_there_is_an_error(workshop):
    for before in ("4 * x", "x"):  # not there; there twice
        with pytest.raises(LatticeSimpError, match=r"mutant 'wrong': its text occurs [02] times in code/twice.py"):
            list(workshop.outcomes([mutant("3 * x"), mutant("y", before)]))
    with pytest.raises(LatticeSimpError, match="occurs 1 times"):
        list(workshop.outcomes([mutant("2 * x")]))


@pytest.mark.slow
def test_tests_that_fail_anyway_or_cannot_be_run_kill_nothing(workshop):
    with pytest.raises(LatticeSimpError, match="mutant 'wrong': its tests cannot be run"):
        list(workshop.outcomes([mutant("2 *")]))
    (workshop.root / "code" / "twice.py").write_text("def twice(x):\n    return 2 * x + 1\n", encoding="utf-8")
    with pytest.raises(LatticeSimpError, match="the tests fail without any mutant"):
        list(workshop.outcomes([mutant("3 * x")]))


def test_tables_that_are_broken(tmp_path):
    path = tmp_path / "mutants.tsv"
    path.write_text(HEAD + 'a\tb.py\t"c"\\nd\te\tf\n', encoding="utf-8")
    assert read_mutants(path) == [Mutant("a", "b.py", '"c"\nd', "e", "f")]
    path.write_text(HEAD + "a\tb\tc\td\te\na\tb\tc\td\te\n", encoding="utf-8")
    with pytest.raises(FormatError, match="two mutants have the same name"):
        read_mutants(path)
    path.write_text(HEAD + "a\tb\tc\td\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"mutants.tsv, line 2: is not a mutant|mutants.tsv:2: is not a mutant"):
        read_mutants(path)


def test_errors_of_the_library_compile_and_change_something():
    text = 'def f(a, b):\n    """Adds."""\n    if a < b and not a:\n        return min(a + 1, b)\n    return b\n'
    values = {edit.what: edit.applied(text) for edit in edits(text)}
    assert set(values) == {
        "< -> <=",
        "and -> or",
        "not left out",
        "condition turned round",
        "min -> max",
        "+ -> -",
        "1 -> 2",
    }
    for what, changed in values.items():
        assert changed != text, what
        compile(changed, what, "exec")
    assert "a <= b and not a" in values["< -> <="]
    assert "max(a + 1, b)" in values["min -> max"]


@pytest.mark.parametrize(
    "line",
    [
        "READ_BYTES = 1 << 20",
        "found = np.full(n, -1)",
        "while used + 2 > len(pool): pool, other = grown(pool), grown(other)",
        "BUSY_SECONDS: float = 3.0",
        "pool = np.empty(64, dtype=np.int32)",
        "file = gzip.open(path, compresslevel=6)",
        "def __repr__(self): return 1 + 2",
    ],
)
def test_errors_that_only_change_speed_are_left_out(line):
    assert not list(edits(line + "\n"))


def test_large_numbers_become_much_smaller():
    assert [edit.what for edit in edits("MAX_ARCS, BEAM, n = 2000, 10.0, 99\n")] == [
        "2000 -> 200",
        "10.0 -> 11.0",
        "99 -> 100",
    ]


def test_tests_of_a_file_are_those_of_the_files_that_import_it_and_of_the_nearest_room_that_has_any():
    assert "tests/formats/test_openfst.py" in library.tests_of("lattice_simp/core/fst_bytes.py")
    assert "tests/serve/test_translate.py" in library.tests_of("lattice_simp/serve/translate/translator.py")
    assert "tests/skeleton/automatic/test_chain.py" in library.tests_of("lattice_simp/skeleton/automatic/chain.py")
    assert "tests/skeleton/test_io.py" not in library.tests_of("lattice_simp/skeleton/automatic/length_acceptor.py")
    for file in ("lattice_simp/cli.py", "lattice_simp/ops/prune.py"):
        tests = library.tests_of(file)
        assert tests[0] == file
        assert len(tests) == len(set(tests)) > 1


@pytest.mark.slow
def test_a_sample_covers_all_rooms_and_is_another_one_for_each_seed():
    first, same, other = (sampled(60, seed) for seed in (1, 1, 2))
    assert [mutant.name for mutant in first] == [mutant.name for mutant in same]
    assert len({mutant.name for mutant in first} & {mutant.name for mutant in other}) < 20
    rooms = {mutant.room for mutant in (*first, *other)}
    assert {"core", "ops", "formats", "translate", "lm", "systems/hindi", "commands"} <= rooms
    for mutant in first:
        assert mutant.applied((ROOT / mutant.file).read_text()) != (ROOT / mutant.file).read_text()
        assert all((ROOT / test).exists() for test in mutant.tests.split())
