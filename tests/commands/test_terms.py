"""Commands that keep hypotheses with the terms of each sentence."""

from __future__ import annotations

import json

import pytest

import lattice_simp as ls

NBEST = """0 ||| das gesetz gilt nicht ||| f= -1 ||| -1
0 ||| die gesetze gelten nicht ||| f= -2 ||| -2
0 ||| die gesetze von new york ||| f= -3 ||| -3
1 ||| ein haus ||| f= -1 ||| -1
1 ||| ein haus am see ||| f= -2 ||| -2
2 ||| ja ||| f= -1 ||| -1
2 ||| ja doch ||| f= -2 ||| -2
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full.nbest").write_text(NBEST)
    (tmp_path / "terms").write_text("gesetze|gesetzen\tgelten|new york\nboot\n\n")
    return tmp_path


def test_each_list_keeps_what_holds_the_terms_of_its_line(call, files):
    done = call("lattice", "compose", "full.nbest", "--terms", "terms")
    assert done.stdout.splitlines() == [*NBEST.splitlines()[1:3], *NBEST.splitlines()[3:]]
    assert done.stderr == "3 sentences, 1 without a common hypothesis (unchanged), 1 without terms\n"
    (files / "list").write_text(
        NBEST.replace("\n1 |||", "\n4 |||").replace("\n2 |||", "\n5 |||").replace("0 |||", "3 |||")
    )
    assert call("lattice", "compose", "list", "--terms", "terms", "--first-id", 3).stdout.count("gesetze") == 2


@pytest.mark.parametrize("source", [("one.txt",), ("--terms", "one")])
def test_an_acceptor_alone_is_written_to_a_folder(call, files, source):
    (files / "one.txt").write_text("0 1 gesetze\n1\n")
    (files / "one").write_text("gesetze\n")
    assert call("lattice", "gappy", *source, "--to", "att", "--output", "made/").returncode == 0
    [made] = (files / "made").iterdir()
    assert "gesetze" in made.read_text()
    failed = call("lattice", "gappy", "full.nbest", "--id", "0", "--to", "att", "--output", "other/")
    assert (failed.returncode, (files / "other").exists()) == (2, False)
    assert "other/: cannot be written: Is a directory" in failed.stderr


def test_terms_stand_in_their_order(call, files):
    (files / "terms").write_text("nicht\tgelten\ngelten\nja\tdoch\n")
    lines = call("lattice", "compose", "full.nbest", "--terms", "terms").stdout.splitlines()
    assert lines == [*NBEST.splitlines()[:5], NBEST.splitlines()[6]]


def test_punctuation_on_terms_is_reported(call, files):
    (files / "text.jsonl").write_text('{"hypotheses": ["Es regnet.", "Es schneit."]}\n{"hypotheses": ["Ja."]}\n')
    (files / "terms").write_text("regnet\nNein\n")
    done = call("lattice", "compose", "text.jsonl", "--terms", "terms", "--to", "jsonl")
    assert [len(json.loads(line)["hypotheses"]) for line in done.stdout.splitlines()] == [2, 1]
    assert "sentence 0 has 'regnet.', which is not the term 'regnet': tokenise" in done.stderr
    (files / "terms").write_text("regnet.\nNein\n")
    assert "which is not the term" not in call("lattice", "compose", "text.jsonl", "--terms", "terms").stderr


def test_a_grammar_of_terms_loses_nothing(call, files):
    done = call("lattice", "gappy", "--terms", "terms", "--id", 0, "--output", "terms.lark")
    (hint,) = done.stderr.splitlines()  # and no word of anything lost
    assert (done.returncode, hint.startswith("terms.lark: blanks separate all tokens")) == (0, True)


def test_missing_terms_at_a_cost(call, files):
    done = call("lattice", "compose", "full.nbest", "--terms", "terms", "--deletion-cost", 7)
    assert "0 without a common hypothesis" in done.stderr
    assert "0 ||| das gesetz gilt nicht ||| f= -1 TermsEdits= -7 ||| -8" in done.stdout.splitlines()


def test_one_sentence_gives_a_lattice(call, files):
    call("lattice", "compose", "full.nbest", "--terms", "terms", "--id", 0, "--output", "a.fst")
    assert [path.text for path in ls.nbest(ls.read("a.fst"), 5)] == [
        "die gesetze gelten nicht",
        "die gesetze von new york",
    ]
    call("lattice", "convert", "full.nbest", "full.fst", "--id", 0)
    (files / "line").write_text("von new york\n")
    call("lattice", "compose", "full.fst", "--terms", "line", "--output", "b.fst")
    assert [path.text for path in ls.nbest(ls.read("b.fst"), 5)] == ["die gesetze von new york"]
    (files / "line").write_text("boot\n")
    done = call("lattice", "compose", "full.fst", "--terms", "line", "--output", "c.fst")
    assert "no hypothesis holds the terms; the full lattice is written" in done.stderr
    assert len(ls.nbest(ls.read("c.fst"), 5)) == 3


def test_the_acceptor_of_terms(call, files):
    call("lattice", "gappy", "--terms", "terms", "--id", 0, "--output", "a.fst")
    expected = ls.term_acceptor([["gesetze", "gesetzen"], ["gelten", "new york"]]).as_lattice()
    written = ls.read("a.fst")
    assert [written.arcs_of(state) for state in written.states()] == [
        expected.arcs_of(state) for state in expected.states()
    ]


def test_the_acceptors_of_all_sentences(call, files):
    """Of terms and of skeletons, in a folder or an archive."""
    for arguments in (("--terms", "terms"), ("full.nbest",)):
        for output in ("many/", "many.lats"):
            done = call("lattice", "gappy", *arguments, "--output", output)
            assert done.returncode == 0, done.stderr
            assert [name for name, _ in ls.read_all(output)] == ["0", "1", "2"]
    call("lattice", "gappy", "--terms", "terms", "--id", 1, "--output", "one.fst")
    call("lattice", "gappy", "--terms", "terms", "--output", "many/")
    assert (files / "many/1.fst").read_bytes() == (files / "one.fst").read_bytes()


def test_each_lattice_of_an_archive_keeps_what_holds_the_terms_of_its_line(call, files):
    """Also after one that cannot be read."""
    lattices = (ls.Lattice.from_strings(row) for row in ([("a b", 1.0), ("c", 2.0)], [("a", 1.0)], [("a d", 1.0)]))
    (files / "folder").mkdir()
    for name, lattice in zip(("1.fst", "3.txt", "10.fst"), lattices, strict=True):
        ls.write(lattice, files / "folder" / name)
    (files / "folder" / "2.fst").write_bytes(b"broken")
    (files / "terms").write_text("x|c\n\n\nx\n")
    done = call("lattice", "compose", "folder", "--terms", "terms", "--output", "out/")
    assert done.returncode == 1
    assert done.stderr.splitlines()[1:] == [
        "3 sentences, 1 without a common hypothesis (unchanged), 1 without terms",
        "lattice-simp: 1 lattice failed",
    ]
    written = {name: [path.text for path in ls.nbest(lattice, 5)] for name, lattice in ls.read_all("out")}
    assert written == {"1": ["c"], "3": ["a"], "10": ["a d"]}
    (files / "terms").write_text("x\n")
    done = call("lattice", "compose", "folder", "--terms", "terms", "--output", "out/")
    assert (done.returncode, "terms: has 1 line, but folder has 4 lattices" in done.stderr) == (2, True)


def test_translations_hold_the_terms(call, model, files):
    """Where one within the beam does; the list, the statistics and the summary say so."""
    sentences = "the house was built\n\nthe bridge was built yesterday\n"
    call("translate", model, "--nbest", 9, "--nbest-output", "plain.nbest", stdin=sentences)
    best, _, last = ls.read_nbest("plain.nbest")
    other = next(entry for entry in best if not set(entry.tokens) <= set(best[0].tokens))
    word = next(word for word in other.tokens if word not in best[0].tokens)
    (files / "terms").write_text(f"nothing|{word}\n\nzeppelin\n")
    done = call(
        *("translate", model, "--terms", "terms", "--stats", "stats", "--nbest", 9, "--nbest-output", "held.nbest"),
        stdin=sentences,
    )
    assert done.stdout.splitlines() == [other.text, "", last[0].text]
    assert "terms held in 1, not in 1 (translated without them" in done.stderr
    held = ls.read_nbest("held.nbest")
    assert held[0][0].cost == pytest.approx(other.cost)
    assert held[0][0].features == pytest.approx(other.features)
    assert all(word in entry.tokens for entry in held[0])
    rows = [json.loads(line) for line in (files / "stats").read_text().splitlines()]
    assert [row["terms"] for row in rows] == [True, None, False]
    done = call("translate", model, "--terms", "terms", stdin="the house\n")
    assert "terms: has 3 lines, but the input has 1 line (give each sentence a line" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "compose full.nbest --terms two",
            "two: has 2 lines, but full.nbest has 3 sentences (give each",
        ),
        (
            "compose full.nbest --terms four",
            "four: has 4 lines, but full.nbest has 3 sentences (give each",
        ),
        ("compose full.nbest --terms empty", "empty:2: term 1 has an empty form: 'a|'"),
        ("compose full.nbest --terms two --id 2", "two: 2 lines, none for sentence 2"),
        ("compose full.fst --terms two", "two: 2 lines for one sentence without a number (give a file of one line"),
        ("gappy --terms two", "two several; choose one with --id, or write all of them with"),
        ("gappy", "give either a file of skeletons or --terms FILE"),
        ("gappy full.nbest --terms two", "give either a file of skeletons or --terms FILE"),
        ("compose full.nbest full.nbest --terms two", "give either a file of skeletons or --terms FILE"),
        ("compose full.nbest --terms two --engine openfst", "the engine openfst does not support --terms"),
        ("compose - --terms -", "can be standard input"),
    ],
)
def test_wrong_files_and_options(call, files, arguments, message):
    for name, text in {"two": "a\nb\n", "four": "a\n\n\n\n", "empty": "a\na|\na\n"}.items():
        (files / name).write_text(text)
    ls.write(ls.Lattice.from_strings([("a b", 1.0)]), "full.fst")
    done = call("lattice", *arguments.split())
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
