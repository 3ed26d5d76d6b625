"""`lattice-simp lattice collect`, `tokens` and `texts`, and --pieces of the other commands."""

from __future__ import annotations

import json
import re
import warnings
from itertools import islice

import pytest
from helpers import assert_linear

import lattice_simp as ls
from lattice_simp.errors import InputWarning, ScoreWarning
from lattice_simp.formats.plain_text import ColumnCheck, sentence_lines


def test_outputs_of_systems_and_back(call, tmp_path):
    for name, text in (("a", "x y\n\n"), ("b", "x y\nu\n"), ("c", "z\nv\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = call("lattice", "collect", *(tmp_path / name for name in "abc"), "-o", tmp_path / "all.nbest")
    assert done.returncode == 0, done
    lists = ls.read_nbest(tmp_path / "all.nbest")
    assert [[entry.text for entry in entries] for entries in lists] == [["x y", "z"], ["", "u", "v"]]
    assert ls.normalise(ls.Lattice.from_nbest(lists[0])).num_arcs
    done = call("lattice", "texts", tmp_path / "all.nbest", "-n", 3)
    assert done.stdout == "x y\nz\nx y\n\nu\nv\n"
    assert done.stderr == "lists with fewer than 3 hypotheses, repeated from the first: 1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("utt-1 a cat\nutt-2 a dog\n", "begins with a name, such as utt-1,"),
        ("1089-134686-0000 a cat\n1089-134686-0001 a dog\n", "begins with a name, such as 1089-134686-0000,"),
        ("utt-1 -0.5 a cat\nutt-1 -1.5 a dog\n", "begins with a name and a score, such as utt-1 -0.5,"),
        ("a cat (utt-1)\n(utt-2)\n", "ends with a name, such as (utt-1),"),
        ("a cat (utt-1 -250)\n(utt-2 -180)\n", "ends with a name, such as (utt-1 -250),"),
        ("a cat -250\na dog -180\n", "ends with a score, such as -180,"),
        ("-0.5\ta cat\n-1.5\ta dog\n", "begins with a number and a tab, such as -0.5,"),
        ("a cat\t-0.5\na dog\t-1.5e1\n", "ends with a tab and a number, such as -0.5,"),
        ("id\ttitle\tmark\n0\ta cat\t-1\n", "holds a tab before other text, such as a cat,"),
        ("a cat\t" + "x" * 50 + "\na dog\ty\n", f"holds a tab before other text, such as {'x' * 40},"),
    ],
)
def test_names_and_scores_beside_texts_are_told(call, tmp_path, text, message):
    """The references of oracles and the files of `evaluate` are checked, too."""
    (tmp_path / "a").write_text(text, encoding="utf-8")
    (tmp_path / "a.nbest").write_text("0 ||| a cat ||| -1\n1 ||| a dog ||| -1\n", encoding="utf-8")
    reference = ("--reference", tmp_path / "a")
    for command in (
        ("lattice", "collect", tmp_path / "a"),
        ("lattice", "oracle", tmp_path / "a.nbest", *reference),
        ("evaluate", f"x={tmp_path / 'a'}", *reference, "--metrics", "length"),
    ):
        with pytest.warns(InputWarning, match=rf"each line {re.escape(message)} which counts as a word \(cut it off"):
            assert call(*command).returncode == 0


@pytest.mark.parametrize(
    "text", ["utt-1 a cat\nutt-1 a dog\n", "utt-1 a cat\nA dog\n", "5\ta cat\nno tab\n", "utt-1 a cat\n"]
)
def test_other_lines_are_sentences(call, tmp_path, text):
    (tmp_path / "a").write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert call("lattice", "collect", tmp_path / "a").returncode == 0


def test_long_lines_are_checked_in_linear_time():
    """Patterns of columns that try each end of each begin take quadratic time."""
    for begin, repeated in (("", "a "), ("", "\t "), ("", "a-1"), ("1\t", " "), ("", "(a1")):
        assert_linear(lambda count, begin=begin, part=repeated: ColumnCheck("x").see(begin + count * part), 1_000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"choices": [{"message": {"content": "a cat"}}]}\n', "is an n-best list already"),
        ("0 ||| a cat ||| -1\n", "is an n-best list already"),
        ("utt-1 1 0.0 0.5 cat 0.9\n", "is an n-best list already"),
        ("N=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=cat\n", "looks like a lattice, not like text"),
    ],
)
def test_what_holds_no_texts_is_refused(call, tmp_path, text, message):
    (tmp_path / "a").write_text(text, encoding="utf-8")
    done = call("lattice", "collect", tmp_path / "a")
    assert done.returncode == 2
    assert f"a: {message}" in done.stderr, done


def test_lists_in_place_of_references_are_told(call, tmp_path):
    (tmp_path / "a").write_text('{"hypotheses": ["a cat"]}\n', encoding="utf-8")
    (tmp_path / "b").write_text("utt-1 1 0.0 0.5 cat 0.9\n", encoding="utf-8")
    with pytest.warns(InputWarning, match=": looks like ") as caught:
        call("evaluate", f"x={tmp_path / 'a'}", "--reference", tmp_path / "b", "--metrics", "length")
    output, reference = sorted(str(warning.message) for warning in caught)
    assert "a: looks like an n-best list, and each line counts as a sentence (write its texts first" in output
    assert "b: looks like CTM, a word on each line, and each line counts" in reference
    assert f"write its texts first: lattice-simp lattice texts {tmp_path / 'b'})" in reference
    (tmp_path / "a").write_text("0 ||| a ||| -1\n0 ||| b ||| -1\n", encoding="utf-8")
    (tmp_path / "b").write_text("a cat\n", encoding="utf-8")
    with pytest.warns(InputWarning, match="a: looks like an n-best list"):
        done = call("evaluate", f"x={tmp_path / 'a'}", "--reference", tmp_path / "b", "--metrics", "length")
    assert (done.returncode, "has 2 lines, but" in done.stderr) == (2, True)


@pytest.mark.parametrize("kind", ["0 ||| a cat ||| -1", "utt-1 1 0.0 0.5 cat 0.9"])
def test_the_first_lines_tell_of_lists_before_there_are_results(tmp_path, kind):
    (tmp_path / "a").write_text(f"{kind}\n" * 500, encoding="utf-8")
    lines = sentence_lines(tmp_path / "a")
    with pytest.warns(InputWarning, match="a: looks like ") as caught:
        assert len(list(islice(lines, 11))) == 11
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(lines)) == 489


def test_lattices_in_place_of_outputs_are_told(call, tmp_path):
    (tmp_path / "b").write_text("a cat\n", encoding="utf-8")
    for name, text in (("slf", "N=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=cat\n"), ("att", "0 1 a\n1 2 cat\n2\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        best = f"lattice-simp lattice nbest {tmp_path / name} --moses | lattice-simp lattice texts -"
        with pytest.warns(InputWarning, match="looks like a lattice, and each line") as caught:
            call("evaluate", f"x={tmp_path / name}", "--reference", tmp_path / "b", "--metrics", "length")
        assert best in str(caught[0].message)


def test_lists_become_lists_of_another_kind(call, tmp_path):
    """`convert` writes lattices, and names the command that writes lists."""
    answer = {"choices": [{"message": {"content": "a cat"}}, {"message": {"content": "a hat"}}]}
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(answer)}\n" * 2, encoding="utf-8")
    refused = call("lattice", "convert", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert "(to write n-best lists, use `lattice tokens`)" in refused.stderr
    for name in ("b.nbest", "b.jsonl"):
        assert call("lattice", "tokens", tmp_path / "a.jsonl", "-o", tmp_path / name).returncode == 0
        assert ls.read_nbest(tmp_path / name) == ls.read_nbest(tmp_path / "a.jsonl")


def test_answers_without_choices_are_told(call, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"object": "chat.completion", "choices": []}\n', encoding="utf-8")
    assert "a.jsonl: no sentence has hypotheses (" in call("lattice", "nbest", tmp_path / "a.jsonl").stderr


def test_sentences_that_a_list_leaves_out_are_empty_lines_and_told(call, tmp_path):
    (tmp_path / "a.nbest").write_text("2 ||| x ||| -1\n4 ||| y ||| -1\n", encoding="utf-8")
    done = call("lattice", "texts", tmp_path / "a.nbest")
    assert done.stdout == "\n\nx\n\ny\n"
    assert done.stderr == "sentences without hypotheses, with empty lines: 3 (sentences count from id 0 on)\n"
    assert call("lattice", "texts", tmp_path / "a.nbest", "--first-id", 2).stdout == "x\n\ny\n"


def test_lines_for_each_sentence_with_pieces(call, tmp_path):
    (tmp_path / "a").write_text("x@@ y\nx y\nu\nu\n", encoding="utf-8")
    done = call("lattice", "collect", tmp_path / "a", "-n", 2, "--pieces", "bpe", "-o", tmp_path / "all.jsonl.gz")
    assert done.returncode == 0, done
    assert [[entry.text for entry in entries] for entries in ls.read_nbest(tmp_path / "all.jsonl.gz")] == [
        ["xy", "x y"],
        ["u"],
    ]
    (tmp_path / "source").write_text("s t\nw\n", encoding="utf-8")
    arguments = ("--source", tmp_path / "source", "-o", tmp_path / "out.jsonl")
    assert call("lattice", "texts", tmp_path / "all.jsonl.gz", *arguments).returncode == 0
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").open(encoding="utf-8")]
    assert [(row["source"], len(row["hypotheses"])) for row in rows] == [("s t", 2), ("w", 1)]


def test_last_sentences_without_hypotheses_keep_their_places(call, tmp_path, monkeypatch):
    """Moses writes no lines for them, so only the source sentences tell how many there are."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("L", "0 ||| a ||| f= 1 ||| -1\n"), ("source", "s\nt\nu\n"), ("W", "f\t1\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    for command in (
        ("lattice", "texts", "L", "--source", "source", "-o", "out.jsonl"),
        ("rescore", "nbest", "L", "--source", "source", "--weights", "W", "-o", "out.jsonl"),
    ):
        done = call(*command)
        assert done.returncode == 0, done
        assert done.stderr == "L: no hypotheses for the last 2 sentences of source, whose lists are empty\n"
        assert [len(entries) for entries in ls.read_nbest("out.jsonl")] == [1, 0, 0]
    for command in (("lattice", "oracle", "L"), ("tune", "nbest", "L", "--weights", "W", "-o", "tuned")):
        done = call(*command, "--reference", "source")
        assert done.returncode == 2, done
        assert "source: has 3 lines, but L has 1 sentence (" in done.stderr
        assert "`lattice texts LISTS --source FILE --output NAME.jsonl` adds their empty lists" in done.stderr
    assert call("lattice", "oracle", "out.jsonl", "--reference", "source").stdout.startswith("sentences\t3\n")


def test_tokens_of_detokenised_text(call, tmp_path):
    rows = [{"id": 0, "hypotheses": [{"text": "No, he\u2019s late.", "score": -1.5}, {"text": "", "score": -2}]}]
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def tokens(*options):
        done = call("lattice", "tokens", tmp_path / "samples.jsonl", *options, "-o", tmp_path / "out.nbest")
        assert done.returncode == 0, done
        return [(entry.text, entry.cost) for entry in ls.read_nbest(tmp_path / "out.nbest")[0]]

    assert tokens() == [("No, he\u2019s late.", 1.5), ("", 2.0)]
    assert tokens("--language", "en") == [("No , he 's late .", 1.5), ("", 2.0)]
    assert tokens("--language", "en", "--case", "lower")[0][0] == "no , he 's late ."
    assert tokens("--case", "lower")[0][0] == "no, he\u2019s late."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("collect", "A", "B"), "B: ends after 1 line, but A has more"),
        (("collect", "B", "A"), "B: ends after 1 line, but A has more"),
        (("collect", "A", "-n", "3"), "2 lines, not a multiple of 3"),
        (("collect", "-", "-"), "only one file can be standard input"),
        (("texts", "A"), "A: is not an n-best list (make n-best lists of plain text with `lattice collect`)"),
        (("texts", "L", "--source", "A"), "plain text cannot hold --source"),
        (("texts", "L", "--source", "B", "-o", "x.jsonl"), "L: has a sentence 1, but B has 1 line"),
    ],
)
def test_what_does_not_fit(call, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    for name, text in (("A", "x\ny\n"), ("B", "x\n"), ("L", "0 ||| a\n1 ||| b\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = call("lattice", *arguments)
    assert done.returncode == 2, done
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "x.jsonl").exists()


def test_pieces_of_lists_and_lattices(call, tmp_path):
    (tmp_path / "list").write_text(
        "0 ||| the hous@@ es ||| F= -1 ||| -1\n0 ||| a hous@@ e ||| F= -2 ||| -2\n", encoding="utf-8"
    )
    (tmp_path / "skeleton").write_text("0 ||| houses ||| F= -1 ||| -1\n", encoding="utf-8")
    (tmp_path / "text").write_text("the houses\n", encoding="utf-8")
    assert call("lattice", "convert", tmp_path / "list", tmp_path / "x.fst").returncode == 0
    for source in ("list", "x.fst"):
        done = call("lattice", "nbest", tmp_path / source, "-n", 2, "--pieces", "bpe")
        assert done.stdout == "1.000000\tthe houses\n2.000000\ta house\n"
        arguments = (tmp_path / source, "--reference", tmp_path / "text", "--pieces", "bpe")
        assert "oracle WER\t0.00" in call("lattice", "oracle", *arguments).stdout
    done = call("lattice", "compose", tmp_path / "list", tmp_path / "skeleton", "--pieces", "bpe")
    assert "the houses" in done.stdout
    assert "house |||" not in done.stdout
    done = call("lattice", "mbr", tmp_path / "list", "--utility", "wer", "--pieces", "bpe")
    assert "the houses |||" in done.stdout


def test_grammars(call, tmp_path):
    (tmp_path / "list").write_text("0 ||| a b ||| F= -1 ||| -1\n", encoding="utf-8")
    assert call("lattice", "gappy", tmp_path / "list", "-o", tmp_path / "gappy.fst").returncode == 0
    done = call("lattice", "convert", tmp_path / "gappy.fst", tmp_path / "x.gbnf", "--spacing", "text")
    message = f"{tmp_path / 'x.gbnf'}: a grammar cannot store costs\n"
    assert (done.returncode, done.stderr) == (0, message)
    expected = ls.gappy_acceptor(ls.read_nbest(tmp_path / "list")[0])
    ls.write(expected, tmp_path / "y.gbnf", spacing="text")
    assert (tmp_path / "x.gbnf").read_bytes() == (tmp_path / "y.gbnf").read_bytes()
    done = call("lattice", "gappy", tmp_path / "list", "-o", tmp_path / "z.gbnf")
    assert (done.returncode, "convert it with `lattice convert --spacing text`" in done.stderr) == (0, True)
    done = call("lattice", "convert", tmp_path / "list", "-", "--to", "lark")
    assert done.stdout == 'start: "a" " " "b"\n'
    done = call("lattice", "convert", tmp_path / "list", tmp_path / "x.fst", "--spacing", "text")
    assert (done.returncode, "--spacing has no effect with the format openfst; it applies to" in done.stderr) == (
        2,
        True,
    )
    done = call("lattice", "convert", tmp_path / "x.gbnf", tmp_path / "x.fst", "--from", "gbnf")
    assert (done.returncode, "cannot be read" in done.stderr) == (2, True)


ROWS = [
    {"text": "we saw the hous@@ es", "score": -1.5, "features": {"F": -1.5, "G": -3}},
    {"text": "we saw a hous@@ e", "score": -2, "features": {"F": -2, "G": -1}},
]
UNIGRAMS = {"the": -2, "houses": -2, "a": -0.5, "we": -1, "saw": -1}
JSON_LINES = "".join(json.dumps({"id": number, "hypotheses": ROWS}) + "\n" for number in (0, 2))


def test_lists_of_json_lines_with_pieces_are_rescored_and_tuned_from_standard_input(call, tmp_path):
    arpa = "\\data\\\nngram 1=8\n\n\\1-grams:\n" + "".join(
        f"{score}\t{word}\n" for word, score in {"<unk>": -5, "<s>": -99, "</s>": -1, **UNIGRAMS}.items()
    )
    (tmp_path / "lm.arpa").write_text(arpa + "\n\\end\\\n", encoding="utf-8")
    scored = ("rescore", "nbest", "-", "--model", f"LM={tmp_path / 'lm.arpa'}", "--pieces", "bpe")
    done = call(*scored, "--output", tmp_path / "scored.nbest", stdin=JSON_LINES)
    assert done.returncode == 0, done
    first, second, third = ls.read_nbest(tmp_path / "scored.nbest")
    assert [entry.text for entry in first] == [entry.text for entry in third] == ["we saw the houses", "we saw a house"]
    assert (second, first[0].features["F"]) == ([], -1.5)
    logarithm = 2.302585092994046
    assert [entry.features["LM"] / logarithm for entry in first] == pytest.approx([-7, -8.5])  # of words, not of pieces

    (tmp_path / "refs").write_text("we saw a house\n\nwe saw a house\n", encoding="utf-8")
    (tmp_path / "start.tsv").write_text("feature\tweight\nF\t1\nG\t0.1\n", encoding="utf-8")
    tuned = ("tune", "nbest", "-", "--reference", tmp_path / "refs", "--weights", tmp_path / "start.tsv", "--output")
    done = call(*tuned, tmp_path / "w.tsv", "--pieces", "bpe", stdin=JSON_LINES)
    assert done.returncode == 0, done
    assert "100.00 after" in done.stderr
    assert "100.00 after" not in call(*tuned, tmp_path / "w.tsv", stdin=JSON_LINES).stderr  # pieces are not words
    for command, broken, message in [
        (tuned[:-1], '{"id": 0}\n', "<stdin>: looks like JSON with the key 'id', which is not supported (write one"),
        (tuned[:-1], "", "<stdin>: the file is empty"),
        (tuned[:-1], JSON_LINES.replace('"G"', '"H"'), "start.tsv has no weight for H ("),
        (scored, '{"id": 0, "hypotheses": 1}\n', "<stdin>:1: "),
    ]:
        output = ("--output", tmp_path / "none")
        done = call(*command, *output, stdin=broken)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
        assert message in done.stderr


def test_texts_of_lists_that_another_command_scored_come_without_a_word(call, tmp_path):
    """`lattice mbr` writes expected utilities, which are above 0; `texts` uses only their order."""
    (tmp_path / "scored.nbest").write_text("0 ||| x y ||| 83.5\n0 ||| z ||| 12.1\n", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = call("lattice", "texts", tmp_path / "scored.nbest")
    assert (done.returncode, done.stdout, done.stderr) == (0, "x y\n", "")
    with pytest.warns(ScoreWarning, match="the score 83.5 is above 0"):
        call("lattice", "confidence", tmp_path / "scored.nbest")


def test_words_with_line_breaks_stay_in_the_line_of_their_sentence(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ({"hypotheses": [{"tokens": tokens, "score": -1}]} for tokens in (["a\nb", "c"], ["d\re\tf"]))
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (tmp_path / "lines").write_text("a b c\nd e f\n", encoding="utf-8")
    assert call("lattice", "texts", "a.jsonl").stdout == "a b c\nd e f\n"
    assert call("combine", "a.jsonl").stdout == "a b c\nd e f\n"
    assert call("lattice", "nbest", "a.jsonl").stdout == "0\t1.000000\ta b c\n1\t1.000000\td e f\n"
    call("lattice", "oracle", "a.jsonl", "--reference", "lines", "--output", "oracles")
    assert (tmp_path / "oracles").read_text() == "a b c\nd e f\n"


@pytest.mark.parametrize(
    "command",
    [
        ("lattice", "tokens", "FILE"),
        ("lattice", "texts", "list", "--source", "FILE", "-o", "texts.jsonl"),
        ("combine", "FILE", "words"),
        ("lattice", "confidence", "list", "--hypotheses", "FILE"),
        ("paraphrase", "count", "--parallel", "FILE", "--parallel", "words"),
        ("skeleton", "annotation", "import", "talk.db", "FILE"),
    ],
)
def test_names_beside_sentences_are_told(call, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list").write_text("0 ||| a cat ||| -1\n1 ||| a dog ||| -1\n", encoding="utf-8")
    (tmp_path / "words").write_text("a cat\na dog\n", encoding="utf-8")
    (tmp_path / "FILE").write_text("utt-1 a cat\nutt-2 a dog\n", encoding="utf-8")
    with pytest.warns(InputWarning, match="^FILE: each line begins with a name, such as utt-1,"):
        call(*command)


def test_lists_on_standard_input_are_told(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.warns(InputWarning, match="^<stdin>: looks like an n-best list.* lattice texts -"):
        call("skeleton", "annotation", "import", "talk.db", "-", stdin="0 ||| a ||| -1\n")
