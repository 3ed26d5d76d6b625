"""The command that combines systems: its input, its output, and the tuning of its weights."""

from __future__ import annotations

import json
import re

import pytest

from lattice_simp import Lattice, MissingExtraError, read_nbest, write
from lattice_simp.errors import InputWarning
from lattice_simp.formats import is_text
from lattice_simp.skeleton.automatic import parser_name

ONE = """0 ||| the old cat slept there ||| lm= -1 ||| -1
0 ||| an old cat slept there ||| lm= -2 ||| -9
1 ||| good night ||| lm= -1 ||| -1
2 ||| one two three ||| lm= -1 ||| -1
"""
TWO = "a old cat slept here\ngood morning\none two\n"
THREE = "the old dog slept here\ngood night\none two three\n"
BEST = "the old cat slept here\ngood night\none two three\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.nbest").write_text(ONE)
    (tmp_path / "two.txt").write_text(TWO)
    (tmp_path / "three.txt").write_text(THREE)
    return tmp_path


def test_lists_and_lines_become_lines_and_lists(call, folder):
    done = call("combine", "one.nbest", "two.txt", "three.txt", "--nbest-output", "all.nbest", "--nbest", 2)
    assert (done.returncode, done.stdout, done.stderr) == (0, BEST, "")
    lists = read_nbest("all.nbest")
    assert [len(ranked) for ranked in lists] == [2, 2, 2]
    assert list(lists[0][0].features) == [
        *("Posterior", "Words", "Ngram1", "Ngram2", "Ngram3", "Ngram4"),
        *("Agreement1", "Agreement2", "Agreement3"),
    ]


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("method", ["union", "confusion", "phrases", "rover"])
def test_methods_and_jobs(call, folder, method, jobs):
    done = call("combine", "one.nbest", "two.txt", "three.txt", "--method", method, "--jobs", jobs)
    assert done.returncode == 0
    assert ("no confidences of words" in done.stderr) == (method == "rover")
    assert done.stdout.splitlines()[1:] == BEST.splitlines()[1:]
    if method != "union":  # no system has this string
        assert done.stdout == BEST


def test_one_list_by_itself_is_its_best(call, folder):
    assert call("combine", "one.nbest").stdout == "the old cat slept there\ngood night\none two three\n"


def test_lattices_of_a_folder_and_of_a_file(call, folder):
    (folder / "lattices").mkdir()
    for number, line in enumerate(THREE.splitlines()):
        write(Lattice.from_strings([(line, 0.0)]), folder / "lattices" / f"{number}.slf")
    assert call("combine", "one.nbest", "two.txt", "lattices").stdout == BEST
    write(Lattice.from_strings([("a b", 0.0)]), folder / "single.fst")
    assert call("combine", "single.fst", "-", stdin="a b\n").stdout == "a b\n"


def test_what_is_text_is_detected_by_the_content(folder):
    for text, expected in (
        ("0 1 a\n1\n", False),
        ("0 1 a b 2.5\n1 0.5\n\n", False),
        ("5 3 a\n3 8 b\n8\n", False),  # states of a larger automaton
        ("0 1 a\n1 2 b\n", False),  # without a final state, which the reader reports
        ("0 1 a\n" * 20_000 + "no\n", False),  # the reader reports late lines
        ("2 eggs\n", True),
        ("7 a\n", True),
        ("7 8 houses\n", True),
        ("7 8 houses\n3 9 cats\n", True),
        ("Houses\n7 8 houses\nthe end\n", True),
        ("7 8 houses\nwere sold in the last year\n", True),
        ("(the house) is small\n", True),
        ("[1] Smith and others\n", True),
        ("at 12:30 we left\n", True),
    ):
        (folder / "file.txt").write_text(text)
        assert is_text(folder / "file.txt") == expected, text[:50]


def test_sentences_of_numbers_stay_sentences(call, folder):
    (folder / "numbers.txt").write_text("7 8 houses\n")
    assert call("combine", "numbers.txt", "numbers.txt").stdout == "7 8 houses\n"


def test_label_numbers_are_no_words(call, folder):
    (folder / "ids.txt").write_text("0 1 39 39 0.5\n1 2 79 79\n2\n")
    (folder / "ids.ark").write_text("u\n0 1 39 0.5,1,\n1 2 79 0,0,\n2\n\n")
    (folder / "words.txt").write_text("<eps> 0\nthe 39\nhouse 79\n")
    for name in ("ids.txt", "ids.ark"):
        done = call("combine", name, name)
        assert (done.returncode, done.stdout) == (2, ""), done
        assert "labels are numbers (pass" in done.stderr
        assert "--symbols" in done.stderr
        assert call("combine", name, name, "--symbols", "words.txt").stdout == "the house\n"
        assert call("combine", name, name, "--words").stdout == "39 79\n"


def test_a_lattice_without_a_final_state_is_an_error(call, folder):
    (folder / "open.txt").write_text("0 1 a\n1 2 b\n")
    done = call("combine", "open.txt", "one.nbest")
    assert (done.returncode, done.stdout) == (1, "")
    assert "open.txt: the lattice holds no hypothesis: no state is final" in done.stderr


def test_a_sentence_that_one_lacks_is_decided_by_the_others_and_reported(call, folder):
    (folder / "two.txt").write_text("a old cat slept here\n\none two\n")
    done = call("combine", "one.nbest", "two.txt", "three.txt")
    assert (done.returncode, done.stdout) == (0, BEST)
    assert done.stderr == "lattice-simp: two.txt: no output for sentence 1\n"


def test_a_sentence_that_all_lack_stays_empty(call, folder):
    (folder / "one.nbest").write_text(ONE.replace("1 ||| good night ||| lm= -1 ||| -1\n", ""))
    (folder / "two.txt").write_text("a\n\nb\n")
    done = call("combine", "one.nbest", "two.txt", "--output", "out.txt", "--lattices", "made")
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "out.txt").read_text().splitlines()[1] == ""
    assert sorted(path.name for path in (folder / "made").iterdir()) == ["000000.txt", "000002.txt", "weights.tsv"]


@pytest.mark.parametrize("order", [("one.nbest", "short.txt"), ("short.txt", "one.nbest")])
def test_other_numbers_of_sentences_are_one_error_with_both_names(call, folder, order):
    (folder / "short.txt").write_text("a\nb\n")
    done = call("combine", *order, "--output", "out.txt", "--nbest-output", "out.nbest")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "lattice-simp: short.txt: ends after 2 sentences, but one.nbest has more "
        "(give each system's output for the same sentences)"
    ]
    assert not list(folder.glob("out*"))


def test_weights_are_tuned_on_the_lattices(call, folder):
    (folder / "reference.txt").write_text("a old cat slept there\ngood morning\none two three\n")
    systems = ("one.nbest", "two.txt", "three.txt")
    call("combine", *systems, "--lattices", "made", "--output", "before.txt")
    tuned = ("--reference", "reference.txt", "--weights", "made/weights.tsv", "--output", "weights.tsv")
    done = call("tune", "lattices", "made", *tuned)
    assert done.returncode == 0, done.stderr
    (folder / "nothing").mkdir()
    assert "nothing: holds no lattices" in call("tune", "lattices", "nothing", *tuned).stderr
    done = call("combine", *systems, "--weights", "weights.tsv")
    assert done.stdout.splitlines()[1] == "good morning"


def test_english_constituents_recombine(call, folder):
    try:
        parser_name()
    except MissingExtraError as error:
        pytest.skip(str(error))
    (folder / "a.txt").write_text("yesterday we saw the capital of France .\n")
    (folder / "b.txt").write_text("we saw France 's capital yesterday .\n")
    values = {}
    for parse in ((), ("--parse",)):
        call("combine", "a.txt", "b.txt", "--method", "phrases", *parse, "--nbest-output", "made.nbest", "-n", 1000)
        values[parse] = {entry.text for entry in read_nbest("made.nbest")[0]}
    assert values[()] < values["--parse",]
    assert "yesterday we saw France 's capital ." in values["--parse",] - values[()]


def test_shares_and_a_language_model(call, folder, model):
    (folder / "a.txt").write_text("die haus\n")
    (folder / "b.txt").write_text("das haus\n")
    for lm_weight, best in ((0.0, "die haus"), (5.0, "das haus")):
        options = ("--share", 3, "--share", 1, "--lm", model / "lm.arpa", "--lm-weight", lm_weight)
        assert call("combine", "a.txt", "b.txt", *options, "--method", "union").stdout == f"{best}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--share", 1), "1 share for 2 systems"),
        (("--scale", 1, "--scale", 2, "--scale", 3), "3 scales for 2 systems"),
        (("--weights", "weights.tsv"), "the weight 'Fluency' has no feature"),
        (("--method", "best"), "'best' is not one of"),
        (("--parse",), "--parse has no effect with --method confusion"),
        (("--empty-confidence", 0.5), "--empty-confidence has no effect with --method confusion"),
        (("--method", "rover", "--confidence-weight", 2), "confidence_weight is 2.0; give a number from 0 to 1"),
    ],
)
def test_options_that_do_not_fit(call, folder, arguments, message):
    (folder / "weights.tsv").write_text("feature\tweight\nFluency\t1\n")
    done = call("combine", "two.txt", "three.txt", *arguments, "--output", "out.txt")
    assert done.returncode != 0
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_recognisers_vote_with_the_confidences_of_words(call, folder):
    (folder / "one.ctm").write_text("u 1 0.0 0.2 the 0.9\nu 1 0.2 0.3 cat 0.3\n")
    (folder / "two.ctm").write_text("u 1 0.0 0.2 the 0.9\nu 1 0.2 0.3 bat 0.9\n")
    (folder / "three.txt").write_text("the cat\n")
    systems = ("one.ctm", "two.ctm", "three.txt")
    done = call("combine", *systems, "--method", "rover", "--confidence-weight", 0.9)
    assert done.stdout == "the bat\n"
    assert done.stderr.splitlines() == [
        "lattice-simp: three.txt: no confidences of words, so these count by frequency",
        "<stdout>: text cannot store the names of sentences and the confidences of words; to keep them, give "
        "--nbest-output a name that ends in .jsonl",
        "<stdout>: the result does not have the feature time",
    ]
    done = call("combine", *systems, "--method", "rover", "--confidence-weight", 0)
    assert done.stdout == "the cat\n"
    assert "frequency" not in done.stderr
    done = call("combine", *systems)
    assert done.stdout == "the cat\n"
    assert "<stdout>: the confidences of words do not count and are lost; --method rover uses them" in done.stderr


def test_recognisers_that_vote_give_words_with_times(call, folder):
    (folder / "one.ctm").write_text("u 1 5.0 0.2 the 0.9\nu 1 5.2 0.3 cat 0.3\nv 1 1.0 0.5 yes 0.8\n")
    (folder / "two.ctm").write_text("u 1 5.0 0.2 the 0.9\nu 1 5.4 0.3 cat 0.9\nu 1 6.0 0.5 sat 0.9\n")
    systems = ("one.ctm", "two.ctm", "--method", "rover", "--empty-confidence", 0.1)
    done = call("combine", *systems, "--nbest-output", "voted.jsonl", "-n", 1)
    assert done.stdout == "the cat sat\nyes\n"
    assert done.stderr.splitlines()[1:] == ["lattice-simp: two.ctm: no output for v"]
    done = call("lattice", "ctm", "voted.jsonl")
    lines = ["u 1 5.000 0.200 the 0.9000", "u 1 5.300 0.300 cat 0.6000", "u 1 6.000 0.500 sat 0.9000"]
    lines.append("v 1 1.000 0.500 yes 0.8000")
    assert done.stdout.splitlines() == lines
    call("combine", *systems, "--nbest-output", "surest.jsonl", "-n", 1, "--word-confidence", "maximum")
    assert "u 1 5.300 0.300 cat 0.9000" in call("lattice", "ctm", "surest.jsonl").stdout
    done = call("combine", *systems, "--lattices", "lattices")
    assert "the times of words and the confidences of words" in done.stderr
    (folder / "reference").write_text("the cat sat\nyes\n")
    options = ("--weights", "lattices/weights.tsv", "--reference", "reference", "--output", "tuned.tsv")
    done = call("tune", "lattices", "lattices", *options)
    assert done.returncode == 0, done.stderr


def ctm(*names, word="cat"):
    return "".join(f"{name} 1 0.0 0.5 {name} 0.9\n{name} 1 0.5 0.5 {word} 0.9\n" for name in names)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (("u-1", "u-2", "u-3"), ("u-1", "u-3"), ["u-1", "u-2", "u-3"]),
        (("u-1", "u-2"), ("u-2", "u-1"), ["u-1", "u-2"]),
        (("u-2",), ("u-1", "u-2", "u-3"), ["u-1", "u-2", "u-3"]),
        (("u-1", "u-3"), ("u-2", "u-3"), ["u-1", "u-2", "u-3"]),
        (("u-2", "u-10", "u-11"), ("u-1", "u-10"), ["u-1", "u-2", "u-10", "u-11"]),
        (("u-1", "u-4"), ("u-1", "u-2", "u-3", "u-4"), ["u-1", "u-2", "u-3", "u-4"]),
        (("u-1", "u-2"), ("u-1",), ["u-1", "u-2"]),
    ],
)
def test_sentences_with_other_names_are_paired_by_name(call, folder, first, second, expected):
    """Systems may lack sentences, or have them in another order."""
    (folder / "one.ctm").write_text(ctm(*first))
    (folder / "two.ctm").write_text(ctm(*second))
    note = "lattice-simp: the systems have different sentences, which are paired by name"
    done = call("combine", "one.ctm", "two.ctm")
    assert (done.returncode, done.stdout.splitlines()) == (0, [f"{name} cat" for name in expected])
    assert done.stderr.splitlines()[0] == note
    for place, source in ((first, "one"), (second, "two")):
        lacking = [f"{source}.ctm: no output for {name}" for name in expected if name not in place]
        assert [
            line.removeprefix("lattice-simp: ") for line in done.stderr.splitlines() if f"{source}.ctm" in line
        ] == lacking
    done = call("lattice", "mbr", "one.ctm", "two.ctm", "--utility", "wer", "--output", "out.jsonl")
    assert (done.returncode, done.stderr) == (0, f"{note}\n")
    assert [entries[0].text for entries in read_nbest("out.jsonl")] == [f"{name} cat" for name in expected]
    assert call("lattice", "union", "one.ctm", "two.ctm", "--output", "made/").returncode == 0
    rows = [line.split("\t") for line in call("lattice", "nbest", "made").stdout.splitlines()]
    assert sorted((row[0], row[-1]) for row in rows) == sorted((name, f"{name} cat") for name in expected)


def test_sentences_with_the_same_name_are_paired_in_order_or_refused(call, folder):
    """The numbers that the reader adds to repeated names are not those of sentences."""

    def lists(*sentences):
        return "".join(json.dumps({"name": name, "hypotheses": [text]}) + "\n" for name, text in sentences)

    commands = (
        ("combine", "one.jsonl", "two.jsonl"),
        ("lattice", "mbr", "one.jsonl", "two.jsonl"),
        ("lattice", "union", "one.jsonl", "two.jsonl", "--output", "made/"),
    )
    (folder / "one.jsonl").write_text(lists(("s", "a"), ("s", "b"), ("s", "c"), ("t", "d")))
    for second in ([("s", "b"), ("s", "c"), ("t", "d")], [("s", "a"), ("s-2", "x"), ("t", "d")]):
        (folder / "two.jsonl").write_text(lists(*second))
        for command in commands:
            with pytest.warns(InputWarning, match="the name s again"):
                done = call(*command)
            assert done.returncode == 2
            assert re.search("two.jsonl: [12] sentences? with the name 's', but 3 in one.jsonl .give each", done.stderr)
    (folder / "two.jsonl").write_text(lists(("s", "a"), ("s", "b"), ("s", "c"), ("r", "x"), ("t", "d")))
    with pytest.warns(InputWarning, match="the name s again"):
        assert call(*commands[0]).stdout.splitlines() == ["a", "b", "c", "x", "d"]


def test_sentences_without_common_names_are_paired_by_number(call, folder):
    (folder / "one.ctm").write_text(ctm("u-1", "u-2"))
    (folder / "two.ctm").write_text(ctm("v-1", "v-2", word="hat"))
    done = call("combine", "one.ctm", "two.ctm")
    assert len(done.stdout.splitlines()) == 2
    assert "sentence 0 is u-1 in one.ctm, v-1 in two.ctm; sentences are paired by number" in done.stderr
    (folder / "two.ctm").write_text(ctm("v-1"))
    assert "two.ctm: ends after 1 sentence, but one.ctm has more" in call("combine", "one.ctm", "two.ctm").stderr
