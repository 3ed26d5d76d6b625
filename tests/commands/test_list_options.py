"""`--cost` and `--pieces` of all commands that read n-best lists, and warnings about their content."""

from __future__ import annotations

import pytest

MARIAN = (
    "0 ||| ▁das ▁alte ▁Ha us ||| F0= -3 F1= -1 ||| -0.1\n"
    "0 ||| ▁das ▁Ha us ||| F0= -1 F1= -2 ||| -0.2\n"
    "0 ||| ▁ein ▁Ha us ||| F0= -2 F1= -3 ||| -0.3\n"
)
WEIGHTS = "feature\tweight\nF0\t1\nF1\t0.5\n"
ARPA = "\\data\\\nngram 1=3\n\n\\1-grams:\n-1\t<unk>\n-1\t<s>\n-1\t</s>\n\n\\end\\\n"

OF_LISTS = {
    "nbest": "lattice nbest marian.nbest -n 3",
    "one sentence": "lattice nbest marian.nbest -n 3 --id 0",
    "prune": "lattice prune marian.nbest --id 0 --beam 99",
    "lm": "lattice lm marian.nbest --model lm.arpa --output lm.fst",
    "mbr": "lattice mbr marian.nbest --utility wer",
    "confidence": "lattice confidence marian.nbest",
    "oracle": "lattice oracle marian.nbest --reference text",
    "union": "lattice union marian.nbest marian.nbest",
    "confusion": "lattice confusion marian.nbest",
    "tokens": "lattice tokens marian.nbest",
    "texts": "lattice texts marian.nbest -n 3",
    "compose": "lattice compose marian.nbest marian.nbest",
    "tune": "tune nbest marian.nbest --reference text --weights weights.tsv -o tuned.tsv --restarts 1 --directions 1",
    "rescore": "rescore nbest marian.nbest --model lm.arpa",
    "combine": "combine marian.nbest marian.nbest",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = {
        "marian.nbest": MARIAN,
        "weights.tsv": WEIGHTS,
        "lm.arpa": ARPA,
        "text": "das Haus\n",
        "plain.txt": "a b\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", OF_LISTS)
def test_every_command_takes_a_feature_as_the_cost(folder, call, name):
    arguments = OF_LISTS[name].split()
    done = call(*arguments, "--cost", "F2")
    assert done.returncode == 2, done.stdout
    assert done.stderr.splitlines()[-1].startswith("lattice-simp: ")
    assert "marian.nbest:1: the feature 'F2', which replaces the score, is missing (take one of F0, F1)" in done.stderr
    assert call(*arguments, "--cost", "F0").returncode == 0


def test_the_feature_ranks(folder, call):
    assert call(*OF_LISTS["nbest"].split()).stdout.splitlines()[0].endswith("▁das ▁alte ▁Ha us")
    lines = call(*OF_LISTS["nbest"].split(), "--cost", "F0", "--pieces", "sentencepiece").stdout.splitlines()
    assert [line.split("\t")[-1] for line in lines] == ["das Haus", "ein Haus", "das alte Haus"]
    assert call("lattice", "texts", "marian.nbest", "--cost", "F1").stdout == "▁das ▁alte ▁Ha us\n"
    done = call("lattice", "compose", "marian.nbest", "marian.nbest", "--cost", "F0", "-n", "1")
    assert done.stdout.startswith("0 ||| ▁das ▁Ha us |||")


def test_each_system_of_a_combination_has_its_cost(folder, call):
    (folder / "one.nbest").write_text("0 ||| a b ||| A= -1 ||| -9\n0 ||| b b ||| A= -9 ||| -1\n", encoding="utf-8")
    (folder / "two.nbest").write_text("0 ||| a b ||| B= -1 ||| -9\n0 ||| b b ||| B= -9 ||| -1\n", encoding="utf-8")
    (folder / "text").write_text("b b\n", encoding="utf-8")
    systems = ("combine", "one.nbest", "two.nbest", "text", "--method", "union")
    assert call(*systems).stdout == "b b\n"
    costs = ("--cost", "A", "--cost", "B", "--cost", "total")
    assert call(*systems, *costs).stdout == "a b\n"
    assert "2 --cost for 3 systems; give one for all, or one for each" in call(*systems, *costs[:4]).stderr


def test_skeletons_in_words_meet_pieces(folder, call):
    (folder / "skeleton.nbest").write_text("0 ||| ein Haus ||| F0= -1 ||| -1\n", encoding="utf-8")
    for options in ((), ("--id", "0")):
        done = call("lattice", "compose", "marian.nbest", "skeleton.nbest", "--pieces", "sentencepiece", *options)
        assert (done.returncode, "ein" in done.stdout, "alte" in done.stdout) == (0, True, False)


@pytest.mark.parametrize(
    "arguments",
    [
        "lattice nbest lattice.txt --cost F0",
        "lattice oracle lattice.txt --reference text --cost F0",
        "lattice compose lattice.txt marian.nbest --cost F0",
        "combine plain.txt marian.nbest --cost F0",
        "combine plain.txt marian.nbest --cost F0 --cost F0",
        "lattice texts marian.nbest --pieces bpe",
        "lattice mbr words.nbest --pieces sentencepiece",
        "lattice nbest lattice.txt --pieces sentencepiece",
        "lattice collect plain.txt --pieces sentencepiece",
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(folder, call, arguments):
    (folder / "lattice.txt").write_text("0 1 a 1\n1 2 b 1\n2\n", encoding="utf-8")
    (folder / "words.nbest").write_text("0 ||| das Haus ||| LM= -1 ||| -1\n", encoding="utf-8")
    done = call(*arguments.split())
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert "leave --cost out" in done.stderr or "--pieces" in done.stderr


def test_warnings_are_one_line_each(folder, program):
    text = "0 ||| das |0-0| Haus|UNK|UNK|UNK |1-1| ||| LM= -1 ||| 0.5\n" * 3
    (folder / "marks.nbest").write_text(text, encoding="utf-8")
    done = program("lattice", "nbest", "marks.nbest", "-n", "2")
    assert done.stdout == "-0.500000\tdas Haus\n"
    first, second = done.stderr.splitlines()
    assert first.startswith("lattice-simp: marks.nbest:1: removed marks of Moses, such as |0-0| (")
    assert second.startswith("lattice-simp: marks.nbest:1: the score 0.5 is above 0")
    done = program("lattice", "nbest", "-", stdin=text)
    assert done.stderr.startswith("lattice-simp: <stdin>:1: removed marks of Moses")


@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_json_skeletons_with_blanks_are_no_bracket_text(folder, call, blank):
    record = f'{{{blank}"tokens":{blank}["a", "b"], "keep": ["10"]}}\n'
    (folder / "skeletons.jsonl").write_text(record, encoding="utf-8")
    done = call("skeleton", "convert", "skeletons.jsonl", "--output", "brackets.txt")
    assert (done.returncode, (folder / "brackets.txt").read_text()) == (0, "a [[b]]\n"), done.stderr
    (folder / "skeletons.jsonl").write_text(f'{{{blank}"tokens": ["a"]}}\n', encoding="utf-8")
    assert "skeletons.jsonl:1: 'keep' is missing" in call("skeleton", "info", "skeletons.jsonl").stderr
