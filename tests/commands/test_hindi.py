"""`lattice-simp hindi`: from a treebank to clauses and simpler sentences, and messages about bad input."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec

import pytest
from small_treebank import write_bank

from lattice_simp.systems.hindi.clause import parse_bracketed
from lattice_simp.systems.hindi.formats.conllu import read_conllu

pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra 'hindi')")


pytestmark = pytest.mark.slow  # it trains a model


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bank")
    write_bank(folder)
    return folder


@pytest.fixture(scope="module")
def model(bank, program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hindi") / "model"
    without = bank / "held-out.txt"
    without.write_text("b.dat\n", encoding="utf-8")
    done = program("hindi", "train", bank, "--output", folder, "--without", without)
    assert done.returncode == 0, done.stderr
    assert "trained on 60 sentences" in done.stderr
    if find_spec("spacy"):
        assert "parser: UAS 100.0, LAS 100.0 on 60 excluded sentences" in done.stderr
    return folder


@pytest.mark.slow
def test_held_out_sentences_get_their_clauses(bank, model, program):
    done = program("hindi", "evaluate", bank, "--model", model, "--files", bank / "held-out.txt")
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert ["sentences", "60"] in rows
    assert ["well-formed", "100.0"] in rows
    assert next(row for row in rows if row[0] == "types")[3] == "100.0"


@pytest.fixture
def hindi(call):
    def run(*arguments, check=True):
        done = call("hindi", *arguments)
        assert done.returncode == 0 or not check, done.stderr
        return done

    return run


@pytest.mark.parametrize("system", ["model", "rules", "tree"])
def test_systems_write_brackets_with_types(bank, model, hindi, system):
    trained = ["--model", model] if system == "model" else []
    done = hindi("classify", bank / "b.dat", *trained, "--system", system)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 60
    assert all(line.startswith("(main") and line.endswith("। )") for line in lines)
    assert any("(nonfin खाना खाकर )" in line for line in lines)


def test_files_of_broken_sentences_are_refused(hindi, tmp_path):
    rows = ["1\tराम\tराम\tPROPN\tNNP\t_\t2\tnsubj\t_\t_", "2\tसोया\tसो\tVERB\tVM\t_\t0\troot\t_\t_"]
    sound, broken = ("".join(f"{row}\n" for row in lines) + "\n" for lines in (rows, [row[:-4] for row in rows]))
    (tmp_path / "some.conllu").write_text(broken + sound, encoding="utf-8")
    (tmp_path / "none.conllu").write_text(broken, encoding="utf-8")
    done = hindi("classify", tmp_path / "some.conllu", "--system", "rules")
    assert (done.returncode, done.stdout) == (0, "(main राम सोया )\n")
    assert "some.conllu:1: expected 10 columns" in done.stderr
    done = hindi("classify", tmp_path / "none.conllu", "--system", "rules", check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("every sentence was skipped; see the reasons above\n")


def test_json_and_colours_say_the_same(bank, model, hindi):
    def lines(command, to):
        return hindi(command, bank / "b.dat", "--model", model, "--to", to).stdout.splitlines()

    plain, painted = lines("clauses", "brackets"), lines("clauses", "terminal")
    results = list(map(json.loads, lines("classify", "json")))
    for line, second, coloured in zip(plain, results, painted, strict=True):
        assert line.count("(") == len(second["clauses"]) == coloured.count("\x1b[0m") // 2
        assert second["clauses"][0]["type"] == "main"
        assert [word for word in line.split() if word not in "()"] == second["tokens"]


def test_sentences_become_simpler(bank, model, hindi):
    done = hindi("simplify", bank / "b.dat", "--model", model)
    assert done.returncode == 0, done.stderr
    groups = done.stdout.strip().split("\n\n")
    assert len(groups) == 60
    assert any("\n" in group for group in groups)


def test_skeletons_name_the_lines_of_a_text(model, hindi, tmp_path):
    pytest.importorskip("indicnlp", reason="the Indic NLP Library is not installed (the extra 'hindi')")
    lines = ["राम सोया । सीता खाना खाकर सोया ।", "", "मोहन गया ।", "राम खाना खाकर गया ।"]
    (tmp_path / "a.hi").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = hindi("skeletons", tmp_path / "a.hi", "--output", tmp_path / "a.jsonl", "--model", model)
    assert done.stderr.endswith("3 lines, 2 with a skeleton\n")
    records = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [record["line"] for record in records] == [0, 3]
    assert [" ".join(record["tokens"]) for record in records] == [lines[0], lines[3]]
    assert [record["keep"] for record in records] == [["11110011"], ["10011"]]
    result = hindi("clauses", tmp_path / "a.hi", "--model", model, "--to", "json").stdout.splitlines()
    assert [json.loads(entry)["id"] for entry in result] == ["1", "2", "3", "4"]


def test_parsed_text_is_conllu_with_trees(model, hindi, tmp_path):
    pytest.importorskip("indicnlp", reason="the Indic NLP Library is not installed (the extra 'hindi')")
    pytest.importorskip("spacy", reason="spaCy is not installed (the extra 'hindi-parser')")
    (tmp_path / "a.hi").write_text("सीता खाना खाकर सोया । राम आया कि सीता आया ।\n", encoding="utf-8")
    (tmp_path / "a.conllu").write_text(hindi("parse", tmp_path / "a.hi", "--model", model).stdout, encoding="utf-8")
    first, second = read_conllu(tmp_path / "a.conllu")
    relations = {first.tokens[chunk.start].form: (chunk.head, chunk.relation) for chunk in first.chunks}
    assert relations == {"सीता": (3, "k1"), "खाना": (2, "k2"), "खाकर": (3, "vmod"), "सोया": (-1, ""), "।": (3, "rsym")}
    assert second.id == "2"
    marked = hindi("classify", tmp_path / "a.hi", "--model", model, "--system", "tree")
    assert marked.stdout == hindi("classify", tmp_path / "a.conllu", "--system", "tree").stdout


@pytest.mark.parametrize("cause", ["model", "library"])
def test_text_without_a_parser_is_analysed_as_before(model, hindi, tmp_path, monkeypatch, cause):
    pytest.importorskip("indicnlp", reason="the Indic NLP Library is not installed (the extra 'hindi')")
    (tmp_path / "a.hi").write_text("राम आया कि सीता गया ।\n", encoding="utf-8")
    for part in ("analyser", "clauses") if cause == "model" else ("analyser", "clauses", "parser"):
        shutil.copytree(model / part, tmp_path / "model" / part)
    if cause == "library":
        monkeypatch.setattr("lattice_simp.systems.hindi.model.is_installed", lambda name: False)
    message = "pip install 'lattice-simp[hindi-parser]'" if cause == "library" else "the model has no parser"
    done = hindi("simplify", tmp_path / "a.hi", "--model", tmp_path / "model")
    assert done.stdout == "राम आया कि सीता गया ।\n\n"
    assert message in done.stderr
    assert "text is analysed without dependencies" in done.stderr
    for command in (["parse", tmp_path / "a.hi"], ["classify", tmp_path / "a.hi", "--system", "tree"]):
        done = hindi(*command, "--model", tmp_path / "model", check=False)
        assert done.returncode == 2
        assert message in done.stderr


def test_brackets_of_a_text_are_no_clauses(model, hindi, tmp_path):
    pytest.importorskip("indicnlp", reason="the Indic NLP Library is not installed (the extra 'hindi')")
    (tmp_path / "a.hi").write_text("राम (मोहन) सोया।\n", encoding="utf-8")
    written = hindi("clauses", tmp_path / "a.hi", "--model", model).stdout
    words, clauses = parse_bracketed(written.rstrip("\n"))
    assert words == ["राम", "(", "मोहन", ")", "सोया", "।"]
    assert clauses


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["train", "BANK", "--output", "NEW", "--without", "NAMES"], "1 file not in BANK, the first 'c.dat'"),
        (["evaluate", "BANK", "--model", "MODEL", "--files", "NAMES", "--marked", "MARKED"], "leave --files out"),
        (["evaluate", "BANK", "--model", "MODEL", "--files", "MISSING"], "no sentences to evaluate"),
        (["clauses", "TEXT", "--system", "rules"], "--system rules needs analysed words, and plain text"),
        (["simplify", "BANK/b.dat", "--model", "MODEL", "--to", "terminal"], "--to terminal is for clauses"),
    ],
)
def test_what_does_not_fit_is_refused(bank, model, hindi, tmp_path, command, message):
    (tmp_path / "names").write_text("b.dat\nc.dat\n", encoding="utf-8")
    (tmp_path / "missing").write_text("c.dat\n", encoding="utf-8")
    (tmp_path / "marked").write_text("b.dat#1\tmain:1-2\n", encoding="utf-8")
    places = {"BANK": bank, "NEW": tmp_path / "new", "MODEL": model, "NAMES": tmp_path / "names"}
    places |= {"MISSING": tmp_path / "missing", "MARKED": tmp_path / "marked", "TEXT": tmp_path / "names"}
    for name, path in places.items():
        command = [entry.replace(name, str(path)) for entry in command]
        message = message.replace(name, str(path))
    done = hindi(*command, check=False)
    assert done.returncode != 0
    assert message in done.stderr


def test_marked_sentences_that_are_not_there_are_reported(bank, model, hindi, tmp_path):
    (tmp_path / "marked").write_text("b.dat#1\tmain:1-2\nb.dat#999\tmain:1-2\n", encoding="utf-8")
    done = hindi("evaluate", bank, "--model", model, "--marked", tmp_path / "marked")
    assert "sentences\t1" in done.stdout
    assert "lacks 1 of the sentences, beginning with b.dat#999" in done.stderr


def test_romanised_text_is_read_as_hindi(bank, model, hindi, tmp_path):
    pytest.importorskip("indicnlp", reason="the Indic NLP Library is not installed (the extra 'hindi')")
    for name, text in {"roman": "ram khana khaakar soyaa.", "devanagari": "राम खाना खाकर सोया."}.items():
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    wanted = hindi("classify", tmp_path / "devanagari", "--model", model)
    result = hindi("classify", tmp_path / "roman", "--model", model, "--romanised")
    assert result.returncode == 0, result.stderr
    assert result.stdout == wanted.stdout
    assert "खाना खाकर" in result.stdout
    refused = hindi("classify", bank / "b.dat", "--model", model, "--romanised", check=False)
    assert refused.returncode != 0
    assert "--romanised applies to text" in refused.stderr


def test_skeletons_leave_participles_out(bank, model, hindi, tmp_path):
    target = tmp_path / "made.jsonl"
    assert hindi("skeletons", bank / "b.dat", "-o", target, "--model", model).returncode == 0
    records = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    classified = hindi("classify", bank / "b.dat", "--model", model).stdout.splitlines()
    assert [record["line"] for record in records] == [line for line, text in enumerate(classified) if "(nonfin" in text]
    for record in records:
        left_out = [token for token, kept in zip(record["tokens"], record["keep"][0], strict=True) if kept == "0"]
        assert left_out == ["खाना", "खाकर"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["clauses", "{bank}/b.dat"], "or --system rules, because the words of this file are tagged already"),
        (["clauses", "{bank}/held-out.txt"], "a folder that `lattice-simp hindi train` wrote\n"),
        (["clauses", "{bank}/held-out.txt", "--system", "tree"], "conllu, or --from) are tagged already"),
        (["clauses", "{bank}/b.dat", "--model", "{bank}"], "analyser"),
        (["train", "{bank}/held-out.txt", "--output", "{bank}/model"], "no sentences to train on"),
        (["evaluate", "{bank}", "--system", "tree"], "--system tree would be compared with itself"),
    ],
)
def test_what_cannot_be_done_is_reported(bank, model, hindi, arguments, message):
    done = hindi(*(argument.format(bank=bank) for argument in arguments), check=False)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
