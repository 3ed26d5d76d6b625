"""One command over many lattices."""

from __future__ import annotations

import tarfile

import pytest

import lattice_simp as ls
from lattice_simp.cli import main

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
        main([str(own) for own in arguments])
    return ended.value.code


def test_lists_go_through_a_model_and_are_as_one_by_one(lists, model, tmp_path, capsys):
    for jobs in (1, 3):
        output = tmp_path / f"scored{jobs}.nbest"
        assert run("lattice", "lm", lists, "--model", model, "--jobs", jobs, "--output", output) == 0
        scored = ls.read_nbest(output)
        language_model = ls.LanguageModel.read(model)
        assert len(scored) == 30
        for own, entries in zip(ls.read_nbest(lists), scored, strict=True):
            one = ls.nbest(ls.apply_lm(ls.Lattice.from_nbest(own), {"LM": (language_model, 1.0)}), 9)
            assert [(path.text, pytest.approx(path.cost)) for path in one] == [(e.text, e.cost) for e in entries]
            assert {"TM", "LM"} == set(entries[0].features)


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


def test_one_that_fails_is_told_and_the_others_are_written(lists, tmp_path, capsys):
    folder = tmp_path / "lattices"
    assert run("lattice", "prune", lists, "--beam", 9, "--output", f"{folder}/") == 0
    whole = (folder / "7.fst").read_bytes()
    (folder / "7.fst").write_bytes(whole[: len(whole) // 2])
    pruned = tmp_path / "pruned"
    for jobs in (1, 2):
        assert run("lattice", "prune", folder, "--beam", 1, "--jobs", jobs, "--output", f"{pruned}{jobs}/") == 1
        errors = capsys.readouterr().err
        assert "7: " in errors
        assert "1 lattices failed" in errors
        assert len(list((tmp_path / f"pruned{jobs}").iterdir())) == 29


def test_several_lattices_do_not_fit_into_one_file(tmp_path, lists, capsys):
    folder = tmp_path / "lattices"
    run("lattice", "prune", lists, "--beam", 9, "--output", f"{folder}/")
    assert run("lattice", "prune", folder, "--beam", 1, "--output", tmp_path / "one.fst") == 2
    assert "give --output FOLDER/" in capsys.readouterr().err
    assert run("lattice", "nbest", lists, "--id", 3) == 0
    assert capsys.readouterr().out == "1.000000\tb\n"
