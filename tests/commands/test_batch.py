"""One command over many lattices."""

from __future__ import annotations

import tarfile

import pytest

import lattice_simp as ls
from lattice_simp.cli import main
from lattice_simp.errors import InputWarning

ARPA = "\\data\\\nngram 1=5\n\n\\1-grams:\n-99 <s>\n-1 </s>\n-0.5 a\n-1.5 b\n-2 <unk>\n\n\\end\\\n"


@pytest.fixture
def lists(tmp_path):
    path = tmp_path / "lists.nbest"
    lines = [
        f"{n} ||| {word} ||| TM= {-cost} ||| {-cost}\n" for n in range(30) for word, cost in (("b", 1), ("a x", 1.5))
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "lm.arpa"
    path.write_text(ARPA, encoding="utf-8")
    return path


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return ended.value.code


def test_lists_go_through_a_model_and_are_as_one_by_one(lists, model, tmp_path, capsys):
    for jobs in (1, 3):
        output = tmp_path / f"scored{jobs}.nbest"
        assert run("lattice", "lm", lists, "--model", model, "--jobs", jobs, "--output", output) == 0
        scored = ls.read_nbest(output)
        language_model = ls.LanguageModel.read(model)
        assert len(scored) == 30
        for hypothesis, entries in zip(ls.read_nbest(lists), scored, strict=True):
            hypotheses = ls.nbest(ls.apply_lm(ls.Lattice.from_nbest(hypothesis), {"LM": (language_model, 1.0)}), 9)
            assert [(path.text, pytest.approx(path.cost)) for path in hypotheses] == [(e.text, e.cost) for e in entries]
            assert {"TM", "LM"} == set(entries[0].features)


SPEECH = {
    "x.slf": """VERSION=1.0
lmscale=7.0
wdpenalty=-0.5
N=3 L=3
I=0
I=1
I=2
J=0 S=0 E=1 W=a a=-10 l=-1
J=1 S=0 E=1 W=b a=-11 l=-2.5
J=2 S=1 E=2 W=a a=-12 l=-3
""",
    "x.lats": "x \n0 1 a 3.5,100,\n0 1 b 2.5,102,\n1 2 a 4,50,\n2 0,0,\n\n",
}


@pytest.mark.parametrize(
    ("file", "scales"), [("x.slf", {}), ("x.slf", {"acoustic": 0.5}), ("x.lats", {"acoustic": 0.1})]
)
def test_a_replaced_model_is_that_of_python(model, tmp_path, file, scales):
    """The scales of other scores and the word penalty stay; the new scores get the scale of the old ones."""
    source, old_path = tmp_path / file, tmp_path / "old.arpa"
    source.write_text(SPEECH[file])
    old_path.write_text(ARPA.replace("-0.5 a", "-1 a"))
    flags = [f"--scales={name}={scale}" for name, scale in scales.items()]
    flags += ["--replace", "lm"] if file == "x.slf" else ["--old-model", old_path]
    written, ours = (tmp_path / f"{name}-{file}" for name in ("command", "python"))
    assert run("lattice", "lm", source, "--model", model, *flags, "--output", written) == 0
    new, old = ls.LanguageModel.read(model), ls.LanguageModel.read(old_path)
    lattice = ls.read(source, scales=scales)
    if file == "x.slf":
        scored = ls.apply_lm(lattice.without_feature("lm"), {"lm": (new, lattice.header.scales["lm"])})
    else:
        scored = ls.apply_lm(lattice, {"old": (old, -1.0), "LM": (new, 1.0)})
    ls.write(scored, ours)
    assert ours.read_text() == written.read_text()
    if file == "x.slf":
        assert {"lmscale=7.0", "wdpenalty=-0.5"} <= set(ours.read_text().splitlines())


SAME_NAMES = {
    "u.lats": "u \n0 1 a\n1\n\nv \n0 1 c\n1\n\nu \n0 1 b\n1\n\n",
    "u.jsonl": "".join(f'{{"name": "{name}", "hypotheses": ["{word}"]}}\n' for name, word in ("ua", "vc", "ub")),
}


@pytest.mark.parametrize("file", SAME_NAMES)
def test_a_chosen_name_that_occurs_again_is_reported(tmp_path, capsys, file):
    (tmp_path / file).write_text(SAME_NAMES[file])
    for chosen, word in (("u", "a"), ("u-2", "b"), ("0", "a"), ("2", "b")):
        with pytest.warns(InputWarning, match="the name u again; it becomes u-2"):
            assert run("lattice", "nbest", tmp_path / file, "--id", chosen) == 0
        assert capsys.readouterr().out == f"0.000000\t{word}\n"


def test_folders_and_archives(lists, tmp_path, capsys):
    folder, archive = tmp_path / "lattices", tmp_path / "lattices.tar"
    assert run("lattice", "prune", lists, "--beam", 9, "--output", f"{folder}/") == 0
    assert len(list(folder.iterdir())) == 30
    with tarfile.open(archive, "w") as tar:
        tar.add(folder, arcname=".")
    outputs = []
    for source in (lists, folder, archive):
        assert run("lattice", "nbest", source, "--jobs", 2, "-n", 2) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert sorted(outputs[0].splitlines()) == sorted(outputs[2].splitlines())  # in the archive's order
    assert outputs[0].splitlines()[:3] == ["0\t1.000000\tb", "0\t1.500000\ta x", "1\t1.000000\tb"]
    assert run("lattice", "nbest", folder, "--moses") == 0
    assert capsys.readouterr().out.splitlines()[29] == "29 ||| b |||  ||| -1"
    assert run("lattice", "info", archive) == 0
    table = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert len(table) == 31
    assert {dict(zip(table[0], row, strict=True))["best string"] for row in table[1:]} == {"b"}


def test_one_that_fails_is_reported_and_the_others_are_written(lists, tmp_path, capsys):
    folder = tmp_path / "lattices"
    assert run("lattice", "prune", lists, "--beam", 9, "--output", f"{folder}/") == 0
    whole = (folder / "7.fst").read_bytes()
    (folder / "7.fst").write_bytes(whole[: len(whole) // 2])
    pruned = tmp_path / "pruned"
    for jobs in (1, 2):
        assert run("lattice", "prune", folder, "--beam", 1, "--jobs", jobs, "--output", f"{pruned}{jobs}/") == 1
        errors = capsys.readouterr().err
        assert "7: " in errors
        assert "1 lattice failed" in errors
        assert len(list((tmp_path / f"pruned{jobs}").iterdir())) == 29


def test_several_lattices_do_not_fit_into_one_file(tmp_path, lists, capsys):
    folder = tmp_path / "lattices"
    run("lattice", "prune", lists, "--beam", 9, "--output", f"{folder}/")
    assert run("lattice", "prune", folder, "--beam", 1, "--output", tmp_path / "one.fst") == 2
    assert "with --output FOLDER/" in capsys.readouterr().err
    assert run("lattice", "nbest", lists, "--id", 3) == 0
    assert capsys.readouterr().out == "1.000000\tb\n"


ARCHIVE = """first \n0 1 cat 1.5,2,\n1 0,0,\n\nsecond \n0 1 dog 0.5,0,\n1 0,0,\n\n"""


@pytest.fixture
def places(tmp_path, monkeypatch):
    """The same two lattices in every kind of collection, with their names there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.ark").write_text(ARCHIVE)
    (tmp_path / "two.nbest").write_text("0 ||| cat ||| ||| -3.5\n1 ||| dog ||| ||| -0.5\n")
    (tmp_path / "two.plf").write_text("((('cat',0.5,1),),)\n((('dog',0.5,1),),)\n")
    (tmp_path / "two").mkdir()
    for name, word in (("first", "cat"), ("second", "dog")):
        (tmp_path / "two" / f"{name}.txt").write_text(f"0 1 {word}\n1\n")
    with tarfile.open("two.tar", "w") as archive:
        archive.add("two/first.txt", "first.txt")
        archive.add("two/second.txt", "second.txt")
    names = ("first", "second")
    return {"two.ark": names, "two.nbest": ("0", "1"), "two.plf": ("0", "1"), "two": names, "two.tar": names}


SINGLE = {
    "convert": (".txt", lambda text: [line.split()[2] for line in text.splitlines() if len(line.split()) > 2]),
    "prune": (".txt", lambda text: [line.split()[2] for line in text.splitlines() if len(line.split()) > 2]),
    "draw": (".dot", lambda text: [word for word in ("cat", "dog") if f'"{word}' in text]),
    "minimize": (".txt", lambda text: [line.split()[2] for line in text.splitlines() if len(line.split()) > 2]),
}


@pytest.mark.parametrize("command", SINGLE)
def test_one_of_several_lattices_is_chosen_by_name_or_number(places, tmp_path, capsys, command):
    ending, words = SINGLE[command]
    output = (f"out{ending}",) if command == "convert" else ("--output", f"out{ending}")
    output += ("--beam", 9) if command == "prune" else ()
    for place, names in places.items():
        for number, word in enumerate(("cat", "dog")):
            for chosen in {names[number], str(number)}:
                assert run("lattice", command, place, *output, "--id", chosen) == 0, (place, capsys.readouterr().err)
                assert words((tmp_path / f"out{ending}").read_text()) == [word], (place, chosen)
        for wrong in ("2", "third", "-1"):
            capsys.readouterr()
            assert run("lattice", command, place, *output, f"--id={wrong}") == 2
            error = capsys.readouterr().err
            assert f"lattice-simp: {place}: holds no " in error, error
            assert wrong in error
            assert names[0] in error
            assert names[1] in error
            assert "from 0" in error, error
        if command not in ("prune", "minimize"):  # commands on many lattices
            assert run("lattice", command, place, *output) == 2
            error = capsys.readouterr().err
            if command == "convert":
                assert "holds one lattice, but " in error, error
                assert "with --output FOLDER/" in error, error
                continue
            assert "2 " in error, error
            assert "expected one (choose one with --id: " in error, error


def test_an_archive_of_one_lattice_needs_no_name(tmp_path, capsys):
    path = tmp_path / "one.ark"
    path.write_text(ARCHIVE[: ARCHIVE.index("second")])
    for command in ("convert", "draw", "minimize"):
        output = tmp_path / f"out.{'dot' if command == 'draw' else 'txt'}"
        assert run("lattice", command, path, *(() if command == "convert" else ("--output",)), output) == 0
        assert "cat" in output.read_text(), capsys.readouterr().err


def test_one_lattice_has_no_ids(tmp_path, capsys):
    (tmp_path / "one.txt").write_text("0 1 a\n1\n")
    assert run("lattice", "nbest", tmp_path / "one.txt", "--id", "one") == 2
    assert "one.txt: is not an n-best list, and holds one lattice (leave --id out)" in capsys.readouterr().err


def test_an_option_that_fits_no_lattice_is_one_error(lists, model, tmp_path, capsys):
    folder = tmp_path / "lattices"
    run("lattice", "prune", lists, "--beam", 9, "--output", f"{folder}/")
    capsys.readouterr()
    for jobs in (1, 3):
        for options, message in (
            (("prune", folder, "--beam", -1, "--output", f"{tmp_path / 'out'}/"), "the beam is -1.0; give"),
            (
                ("posteriors", folder, "--scale", -1, "--output", f"{tmp_path / 'out'}/"),
                "the scale of the costs is -1.0",
            ),
            (
                ("confusion", folder, "--scale", 0, "--output", f"{tmp_path / 'out'}/"),
                "the scale of the costs is 0.0; give",
            ),
            (("lm", lists, "--model", model, "--replace", "No", "--output", tmp_path / "out.nbest"), "'No'"),
            (("confidence", folder, "--scale", -2), "the scale of the costs is -2.0"),
        ):
            assert run("lattice", *options, "--jobs", jobs) == 2, options
            errors = capsys.readouterr().err.splitlines()
            assert len(errors) == 1, errors
            assert message in errors[0], errors


def test_different_errors_are_reported_each_and_the_same_in_a_row_once(tmp_path, capsys):
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(9):
        text = {0: "0 1 a\n1\n", 5: "0 1 a\n1\n", 8: "0 1 a b c d\n"}.get(number, "0 1 a\n")
        (folder / f"{number}.txt").write_text(text)
    assert run("lattice", "nbest", folder) == 1
    out, errors = capsys.readouterr()
    assert [line.split("\t")[0] for line in out.splitlines()] == ["0", "5"]
    said = errors.splitlines()
    assert f"{folder}: 1: the lattice holds no hypothesis: no state is final; skipped, and 3 more with the" in said[0]
    assert f"{folder}: 6: the lattice holds no hypothesis" in said[1]
    assert "8.txt" in said[2]
    assert said[3:] == ["lattice-simp: 7 lattices failed"]


def test_words_where_a_table_expects_numbers_are_one_error(tmp_path, capsys):
    """The errors of an archive's lattices differ in their lines and words only."""
    archive, table = tmp_path / "x.lats", tmp_path / "words.txt"
    archive.write_text("".join(f"{word} \n0 1 {word} 1,2,\n1\n\n" for word in "abc"))
    table.write_text("<eps> 0\na 1\n")
    assert run("lattice", "nbest", archive, "--symbols", table) == 2
    [said] = capsys.readouterr().err.splitlines()
    assert said.startswith(f"lattice-simp: {archive}: all 3 lattices fail: {archive}:2: a label that is not a natural")


@pytest.mark.parametrize(
    "command", ["convert", "lm", "nbest", "prune", "mbr", "confusion", "posteriors", "info", "draw"]
)
@pytest.mark.parametrize("text", ["0 1 a\n", "0 1 a\n2\n", "0 1 a\n1 0 b\n2 1 c\n3\n", "u\n0 1 a 1,2,\n\n"])
def test_a_lattice_without_hypotheses_is_an_error(tmp_path, model, capsys, command, text):
    (tmp_path / "x").write_text(text)
    more = {"convert": (tmp_path / "out.fst",), "lm": ("--model", model), "prune": ("--beam", 3)}
    more["draw"] = ("--output", tmp_path / "out.dot")
    code = run("lattice", command, tmp_path / "x", *more.get(command, ()))
    out, error = capsys.readouterr()
    assert code in (1, 2), (out, error)
    assert "the lattice holds no hypothesis: no " in error or "gives several" in error or "--output FOLDER/" in error, (
        error
    )
    assert not (tmp_path / "out.fst").exists()
    assert out == "" or command == "info"


@pytest.mark.parametrize("command", ["nbest", "determinize", "confusion", "mbr"])
def test_a_cycle_is_reported_with_the_file(call, tmp_path, command):
    (tmp_path / "x.txt").write_text("0 1 a a 1\n1 0 b b 1\n1 0.5\n")
    done = call("lattice", command, tmp_path / "x.txt")
    assert done.returncode == 2
    assert done.stderr.startswith(f"lattice-simp: {tmp_path / 'x.txt'}: the lattice has a cycle")


def test_a_list_of_several_sentences_of_which_one_has_hypotheses(call, tmp_path):
    """Each sentence is a member; a list that begins with a later sentence holds that one only."""
    path, archive = tmp_path / "x.jsonl", tmp_path / "x.lats"
    path.write_text('{"id": 0, "hypotheses": []}\n{"id": 1, "hypotheses": ["a"]}\n')
    assert [line.split("\t")[0] for line in call("lattice", "info", path).stdout.splitlines()] == ["name", "0", "1"]
    assert call("lattice", "convert", path, archive).returncode == 0
    assert [(name, lattice.empty) for name, lattice in ls.read_all(archive)] == [("0", True), ("1", False)]
    path.write_text("4 ||| a ||| ||| -1\n")
    assert "best string\ta\n" in call("lattice", "info", path).stdout


def test_a_file_stays_if_no_lattice_can_be_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad").mkdir()
    for name in ("first", "second"):
        (tmp_path / "bad" / f"{name}.txt").write_text("0 1 cat\n1 0 dog\n2 x\n")
    for output in ("good.ark", "good.plf"):
        (tmp_path / output).write_text("old")
        assert run("lattice", "convert", "bad", output) != 0
        assert f"{output}: not written" in capsys.readouterr().err
        assert (tmp_path / output).read_text() == "old"


def test_a_warning_is_printed_once(program, tmp_path):
    """The command reads the file twice, and libraries that it imports between change Python's filters of warnings."""
    cut = '{"name": "b", "choices": [{"text": "b", "finish_reason": "length"}]}\n'
    (tmp_path / "x.jsonl").write_text('{"name": "a", "hypotheses": ["a"]}\n' + cut)
    done = program("lattice", "nbest", tmp_path / "x.jsonl")
    assert done.stderr.count("was cut off") == 1
