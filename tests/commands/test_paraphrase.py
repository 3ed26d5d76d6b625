"""`lattice-simp paraphrase`: forms of input and output, failures, resumed runs."""

from __future__ import annotations

import json
import warnings
from functools import partial

import pytest
from example import NEW, TAXI

from lattice_simp import Tree, count_paths, read
from lattice_simp.commands.inputs.sentence_sets import read_sets
from lattice_simp.commands.runs import paraphrase as paraphrase_worker
from lattice_simp.errors import InputWarning

PLAIN = ("--trees", "--senses", "0", "--quiet")
ORIGINALS = {"Would you get me a taxi at 10 in the morning ?", "Please get a taxi for me at 10 a.m. ."}
ALONE = "(NP (DT the) (NN house))"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sets.txt").write_text("\n".join([*TAXI, "", ALONE]) + "\n", encoding="utf-8")
    return tmp_path


def test_sentences_are_listed_in_blocks(call, files):
    done = call("paraphrase", "expand", "sets.txt", *PLAIN)
    first, second, end = done.stdout.split("\n\n")
    assert set(first.split("\n")) == NEW | ORIGINALS
    assert set(first.split("\n")[:2]) == ORIGINALS  # no substitutions
    assert (second, end) == ("the house", "")


@pytest.mark.parametrize("action", ["expand", "sample"])
def test_tokens_that_mark_noise_elsewhere_stay(call, files, action):
    (files / "noise.txt").write_text("(S (X [laughter]) (VB go))\n", encoding="utf-8")
    assert set(call("paraphrase", action, "noise.txt", *PLAIN).stdout.split("\n")) == {"[laughter] go", ""}


def test_sets_without_new_sentences_are_counted(call, files):
    options = [option for option in PLAIN if option != "--quiet"]
    done = call("paraphrase", "expand", "sets.txt", *options)
    assert "1 set without new sentences: a set needs two sentences or more" in done.stderr
    (files / "two.txt").write_text(f"{ALONE}\n(VP (VB go))\n", encoding="utf-8")
    done = call("paraphrase", "expand", "two.txt", *options)
    assert "1 set without new sentences: no phrase has an equivalent in another context" in done.stderr
    houses = (
        "(S (NP (PRP he)) (VP (VBZ sees) (DT a) (NX (NN house))))",
        "(S (NP (PRP she)) (VP (VBZ has) (DT an) (NX (JJ old) (NN house))))",
    )
    (files / "filtered.txt").write_text("".join(f"{tree}\n" for tree in houses), encoding="utf-8")
    done = call("paraphrase", "expand", "filtered.txt", *options, "--conditions", "none")
    assert "1 set without new sentences: the filters removed them" in done.stderr


def test_trees_may_go_over_several_lines(call, files):
    whole = call("paraphrase", "expand", "sets.txt", *PLAIN)
    lines = "\n".join(entry.replace(" (", "\n    (", 3) for entry in TAXI)
    (files / "long.txt").write_text(f"{lines}\n\n\n{ALONE.replace(' ', chr(10), 1)}\n", encoding="utf-8")
    assert call("paraphrase", "expand", "long.txt", *PLAIN).stdout == whole.stdout
    (files / "broken.txt").write_text("(S\n (NN a))\n\n(S\n (NN a)\n (CD (2)))\n", encoding="utf-8")
    done = call("paraphrase", "expand", "broken.txt", *PLAIN)
    assert (done.returncode, done.stdout) == (2, "")
    assert "broken.txt:4: a constituent without words: '2'" in done.stderr
    for number in (1, 2):
        (files / f"{number}.txt").write_text("((NP (NN a))\n (VP (VB b)))\n" * number + "(X (NN a))\n" * (2 - number))
    done = call("paraphrase", "count", "--parallel", "1.txt", "--parallel", "2.txt", *PLAIN)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2), done.stderr


def test_of_several_parses_those_that_agree_are_used(call, files):
    """The first parse shares no phrase with the other sentence."""
    whole = call("paraphrase", "expand", "sets.txt", *PLAIN)
    flat = f"(S {' '.join(f'(X {word})' for word in 'Would you get me a taxi at 10 in the morning ?'.split())})"
    (files / "parses.txt").write_text(f"{flat} ||| {TAXI[0]}\n{TAXI[1]}\n\n{ALONE}\n", encoding="utf-8")
    assert call("paraphrase", "expand", "parses.txt", *PLAIN).stdout == whole.stdout
    (files / "broken.txt").write_text(f"{TAXI[0]} ||| (S (X a)\n", encoding="utf-8")
    done = call("paraphrase", "expand", "broken.txt", *PLAIN)
    assert (done.returncode, done.stdout) == (2, "")


def test_json_lines_in_and_out(call, files):
    record = json.dumps({"id": "taxi", "sentences": list(TAXI)})
    (files / "sets.jsonl").write_text(record + "\n" + json.dumps({"sentences": []}) + "\n", encoding="utf-8")
    done = call("paraphrase", "expand", "sets.jsonl", "--to", "json", "--limit", "3", *PLAIN)
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["id"], first["count"], len(first["sentences"])) == ("taxi", 8, 3)
    assert first["sentences"][0]["substitutions"] == 0
    assert second == {"id": "1", "count": 0, "sentences": []}


def test_parallel_files_and_counts(call, files):
    for number, text in enumerate(TAXI):
        (files / f"{number}.txt").write_text(f"{text}\n\n{ALONE}\n", encoding="utf-8")
    done = call("paraphrase", "count", "--parallel", "0.txt", "--parallel", "1.txt", *PLAIN)
    records = list(map(json.loads, done.stdout.splitlines()))
    assert [(record["given"], record["phrases"], record["sentences"], record["new"]) for record in records] == [
        (2, 3, 8, 6),
        (0, 0, 0, 0),
        (1, 0, 1, 0),
    ]
    (files / "1.txt").write_text("\n", encoding="utf-8")
    done = call("paraphrase", "count", "--parallel", "0.txt", "--parallel", "1.txt", *PLAIN)
    assert "1.txt: has 1 line, but 0.txt has 3 lines" in done.stderr


def test_lattices_are_written(call, files):
    call("paraphrase", "expand", "sets.txt", "--lattices", "made", "--output", "out.txt", *PLAIN)
    assert [count_paths(read(files / "made" / f"{number}.fst")) for number in range(2)] == [8, 1]


def test_samples_have_a_seed(call, files):
    outputs = [call("paraphrase", "sample", "sets.txt", "-n", "20", "--seed", seed, *PLAIN).stdout for seed in "112"]
    assert outputs[0] == outputs[1] != outputs[2]
    assert set(outputs[0].split("\n\n")[0].split("\n")) <= NEW | ORIGINALS


def test_a_language_model_ranks_and_prunes(call, files, tmp_path):
    words = ["<unk>", "</s>", "Would", "Please", "get", "taxi"]
    grams = "".join(f"-{1 + 2 * (word == 'Would')}\t{word}\n" for word in words)
    arpa = f"\\data\\\nngram 1={len(words) + 1}\n\n\\1-grams:\n-99\t<s>\n{grams}\n\\end\\\n"
    (tmp_path / "lm.arpa").write_text(arpa, encoding="utf-8")
    done = call("paraphrase", "expand", "sets.txt", "--lm", "lm.arpa", "--beam", "0.5", *PLAIN)
    assert all(line.startswith("Please") for line in done.stdout.split("\n\n")[0].split("\n"))
    counted = json.loads(call("paraphrase", "count", "sets.txt", "--lm", "lm.arpa", *PLAIN).stdout.splitlines()[0])
    assert 0 < counted["within_beam"] <= counted["sentences"] == 8
    weighted = ("paraphrase", "sample", "sets.txt", "--weighted", *PLAIN)
    assert call(*weighted, "--lm", "lm.arpa").stdout
    assert "--weighted needs --lm" in call(*weighted).stderr


def test_pairs_are_reported(call, files):
    record = json.loads(call("paraphrase", "align", "sets.txt", *PLAIN).stdout.splitlines()[0])
    new = [pair for pair in record["pairs"] if not pair["identical"] and not pair["composed"]]
    assert ["get me a taxi", "get a taxi for me"] in [entry["phrases"] for entry in new]
    assert len(new) == 3


def test_synonyms_of_a_file(call, files):
    (files / "two.txt").write_text("(NP (DT a) (NN cab))\n(NP (DT the) (NN taxi))\n", encoding="utf-8")
    (files / "words.tsv").write_text("cab\ttaxi\n", encoding="utf-8")
    record = json.loads(call("paraphrase", "count", "two.txt", "--synonyms", "words.tsv", *PLAIN).stdout)
    assert record["links"] == {"synonym": 1}
    (files / "words.tsv").write_text("cab taxi\n", encoding="utf-8")
    done = call("paraphrase", "count", "two.txt", "--synonyms", "words.tsv", *PLAIN)
    assert "words.tsv:1: only one word or phrase, 'cab taxi' (separate synonyms with tabs)" in done.stderr


def test_conditions_can_be_chosen(call, files):
    (files / "two.txt").write_text(
        "(S (NP (DT a) (JJ big) (NN cab)) (VP (VBD came)))\n"
        "(S (NP (DT a) (JJ red) (NN cab)) (VP (VBD came) (ADVP (RB late))))\n",
        encoding="utf-8",
    )
    for action in ("count", "align"):
        outputs = [
            call("paraphrase", action, "two.txt", "--conditions", text, *PLAIN).stdout for text in ("all", "none")
        ]
        assert ["a red cab" in output or '"phrases": 2' in output for output in outputs] == [False, True], action


def test_a_set_that_fails_is_passed_through(call, files):
    done = call("paraphrase", "expand", "sets.txt", "--max-states", "4", "--trees", "--senses", "0", "-o", "out.txt")
    assert "sets.txt:1: the deterministic lattice has more than 4 states" in done.stderr
    assert "2 sets" in done.stderr
    assert (files / "out.txt").read_text("utf-8") == "\n".join([*TAXI, "", "the house"]) + "\n\n"


def test_failures_name_the_line_of_the_set(call, files):
    (files / "two.txt").write_text("\n".join(["", ALONE, "", "", *TAXI]) + "\n", encoding="utf-8")
    row = json.dumps({"sentences": TAXI})
    (files / "two.jsonl").write_text(f'{{"sentences": [{json.dumps(ALONE)}]}}\n\n{row}\n', encoding="utf-8")
    for name, sentence in zip(("first.txt", "second.txt"), TAXI, strict=True):
        (files / name).write_text(f"{ALONE}\n{sentence}\n", encoding="utf-8")
    options = ("--max-states", "4", "--trees", "--senses", "0")
    assert "two.txt:5: the deterministic" in call("paraphrase", "count", "two.txt", *options).stderr
    assert "two.jsonl:3: the deterministic" in call("paraphrase", "count", "two.jsonl", *options).stderr
    parallel = ("--parallel", "first.txt", "--parallel", "second.txt")
    assert "first.txt:2: the deterministic" in call("paraphrase", "count", *parallel, *options).stderr
    done = call("paraphrase", "count", "two.txt", "--output", "missing/x", *options)
    assert "missing/x: cannot be written" in done.stderr


def test_an_interrupted_run_goes_on(call, files, monkeypatch):
    call("paraphrase", "count", "sets.txt", "-o", "whole.jsonl", *PLAIN)
    original, done = paraphrase_worker.ACTIONS["count"], []

    def count(tools, trees, number, stop=True):
        if stop and number == 1:
            raise KeyboardInterrupt
        done.append(number)
        return original(tools, trees, number)

    monkeypatch.setitem(paraphrase_worker.ACTIONS, "count", count)
    stopped = call("paraphrase", "count", "sets.txt", "-o", "out.jsonl", *PLAIN)
    assert stopped.returncode == 130
    assert "--resume to continue" in stopped.stderr
    assert not (files / "out.jsonl").exists()
    monkeypatch.setitem(paraphrase_worker.ACTIONS, "count", partial(count, stop=False))
    assert call("paraphrase", "count", "sets.txt", "-o", "out.jsonl", "--resume", *PLAIN).returncode == 0
    assert (files / "out.jsonl").read_bytes() == (files / "whole.jsonl").read_bytes()
    assert done == [0, 1]
    assert "--resume needs --output" in call("paraphrase", "count", "sets.txt", "--resume", *PLAIN).stderr


def test_align_takes_the_options_of_alignment(call, files):
    tree = "(S (NP (DT an) (JJ {}) (NN man)) (VP (VBD slept)))"
    (files / "men.txt").write_text("\n".join(map(tree.format, ("old", "young"))) + "\n", encoding="utf-8")

    def categories(*options):
        done = call("paraphrase", "align", "men.txt", *PLAIN, "--conditions", "none", *options)
        assert (done.returncode, done.stderr) == (0, "")
        return [pair["category"] for pair in json.loads(done.stdout)["pairs"]]

    assert "NP" in categories("--min-linked", "0")
    assert "NP" not in categories("--min-linked", "1")
    assert "NP" not in categories("--min-linked", "0", "--max-unlinked", "0")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--filters", "mood,no"), "unknown filter 'no'; known are mood"),
        (("--conditions", "no"), "unknown condition 'no'; known are heads"),
        (("--min-linked", "2"), "--min-linked 2.0: give a share between 0 and 1"),
        (("--depth", "-1"), "--depth -1: give 0 or more"),
        (("--lm", "nowhere.arpa", "--wordnet", "nowhere", "--senses", "1"), "nowhere.arpa"),  # before words are read
        (("--wordnet", "nowhere", "--senses", "1"), "index.noun: there is no such file"),
        (("--parallel", "sets.txt"), "not both"),
    ],
)
def test_options_that_mean_nothing(call, files, options, message):
    done = call("paraphrase", "count", "sets.txt", "--trees", "--quiet", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(NP (DT the)\n", "bad.txt:1: brackets that do not match"),
        (f"{ALONE}\n\nno tree\n", "bad.txt:3: not a tree"),
        ('{"id": 1}\n', "bad.txt:1: is not a set of sentences"),
        ('{"sentences": ["(NP"]}\n', "bad.txt:1: brackets"),
        ("\n\n", "bad.txt: the file is empty"),
    ],
)
def test_broken_sets_are_reported(call, files, text, message):
    (files / "bad.txt").write_text(text, encoding="utf-8")
    done = call("paraphrase", "count", "bad.txt", *PLAIN)
    assert done.returncode == 2
    assert message in done.stderr


def test_lists_in_place_of_sets_are_told(tmp_path):
    (tmp_path / "a").write_text("0 ||| a cat ||| -1\n0 ||| the cat ||| -2\n", encoding="utf-8")
    with pytest.warns(InputWarning, match="a: looks like an n-best list, and each line counts as a sentence"):
        read_sets(str(tmp_path / "a"))
    (tmp_path / "trees").write_text(f"{ALONE}\n{ALONE}\n", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read_sets(str(tmp_path / "trees"), Tree.from_brackets)) == 1
