"""The translate command as users meet it: streams, jobs, failures, kills."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time

import pytest

from lattice_simp import nbest, read
from lattice_simp.commands.inputs.sentences import Sentence, read_sentences
from lattice_simp.commands.running.journal import Journal
from lattice_simp.commands.running.sentences import name_run
from lattice_simp.commands.runs.translate_worker import TranslateOptions
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.nbest import read_nbest

SENTENCES = ["the house was built", "the bridge was built yesterday", "", "the zeppelin was built", "the house"]
EXPECTED = ["das haus wurde gebaut", "die brücke wurde gebaut gestern", "", "zeppelin wurde gebaut", "das haus"]


def text(lines):
    return "".join(line + "\n" for line in lines)


@pytest.mark.slow
def test_stdin_to_stdout_keeps_every_line(program, model):
    done = program("translate", model, stdin=text(SENTENCES))
    lines = done.stdout.split("\n")[:-1]
    assert len(lines) == len(SENTENCES)
    assert lines[0] == EXPECTED[0]
    assert lines[2] == ""
    assert "zeppelin" in lines[3]
    assert "5 sentences" in done.stderr
    assert "0 failed" in done.stderr


@pytest.mark.slow
def test_the_output_does_not_depend_on_the_number_of_jobs(call, model, tmp_path):
    written = []
    for jobs in (1, 2):
        output, nbest = tmp_path / f"{jobs}.de", tmp_path / f"{jobs}.nbest"
        options = ("--nbest", 3, "--nbest-output", nbest, "--jobs", jobs, "--output", output)
        call("translate", model, *options, stdin=text(SENTENCES))
        written.append((output.read_bytes(), nbest.read_bytes()))
    assert written[0] == written[1]
    assert written[0][0]


@pytest.mark.parametrize("flag", [None, "--optimality-gap", "--exact"])
def test_stats_tell_the_cost_and_the_gap_of_every_sentence(call, model, tmp_path, flag):
    """The n-best list does not change: a gap is not a tunable feature."""
    stats, lists = tmp_path / "stats.jsonl", [tmp_path / "a.nbest", tmp_path / "b.nbest"]
    common = ("translate", model, "--nbest", 1)
    call(*common, "--nbest-output", lists[0], stdin=text(SENTENCES))
    value = () if flag is None else (flag,)
    done = call(*common, *value, "--nbest-output", lists[1], "--stats", stats, stdin=text(SENTENCES))
    assert done.stdout.splitlines()[0] == EXPECTED[0]
    assert lists[0].read_bytes() == lists[1].read_bytes()
    rows = [json.loads(line) for line in stats.read_text(encoding="utf-8").splitlines()]
    assert [row["number"] for row in rows] == list(range(len(SENTENCES)))
    for row, path in zip(rows, read_nbest(lists[1]), strict=True):
        assert row["cost"] == (pytest.approx(path[0].cost) if path[0].tokens else None)
        assert row["optimality_gap"] == (None if flag is None or not path[0].tokens else pytest.approx(0.0, abs=1e-4))
    assert rows[3]["unknown"] == ["zeppelin"]
    assert ("4 of 4 translations are optimal" in done.stderr) == (flag is not None)


def test_a_list_has_as_many_sentences_as_the_text(call, model, tmp_path):
    """The translation of an empty last sentence is empty."""
    call("translate", model, "--nbest", 2, "--nbest-output", tmp_path / "nbest", stdin=text([*SENTENCES, ""]))
    lists = read_nbest(tmp_path / "nbest")
    assert len(lists) == len(SENTENCES) + 1
    assert [entry.tokens for entry in lists[-1]] == [()]
    assert lists[2] == lists[-1]


@pytest.mark.parametrize("strategy", ["gappy", "skeleton-first"])
def test_skeletons_bring_their_own_sentences(call, model, tmp_path, strategy):
    skeletons = tmp_path / "skeletons.txt"
    skeletons.write_text("the bridge was built [[yesterday]]\nthe house was [[yesterday]] built\n", encoding="utf-8")
    done = call("translate", model, "--skeletons", skeletons, "--strategy", strategy)
    assert [set(line.split()) for line in done.stdout.splitlines()] == [
        {"die", "brücke", "wurde", "gebaut", "gestern"},
        {"das", "haus", "wurde", "gestern", "gebaut"},
    ]
    assert "skeleton found in 2" in done.stderr


@pytest.mark.slow
def test_a_killed_run_resumes_to_the_same_bytes(program, model, tmp_path):
    sentences = text(["the house was built yesterday", "", "the bridge was built"] * 100)
    whole, cut = tmp_path / "whole.de", tmp_path / "cut.de"
    (tmp_path / "input").write_text(sentences, encoding="utf-8")
    common = ["translate", model, "--input", tmp_path / "input", "--nbest", 2]
    program(*common, "--output", whole, "--nbest-output", tmp_path / "whole.nbest")
    arguments = [*common, "--output", cut, "--nbest-output", tmp_path / "cut.nbest", "--resume", "--quiet", "--jobs", 2]
    run = subprocess.Popen([program.path, *map(str, arguments)])
    journal = tmp_path / "cut.de.partial"
    wait_for_records(journal, 20)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert not cut.exists()
    done_before = journal.read_bytes().count(b"\n") - 1
    assert done_before > 0
    with open(journal, "ab") as file:
        file.write(b'{"number": 299, "li')  # a record truncated by the kill
    program(*arguments)
    assert cut.read_bytes() == whole.read_bytes()
    assert (tmp_path / "cut.nbest").read_bytes() == (tmp_path / "whole.nbest").read_bytes()
    assert not journal.exists()


def test_a_journal_of_another_run_is_refused(call, model, tmp_path):
    output = tmp_path / "a.de"
    (tmp_path / "a.de.partial").write_text(json.dumps({"run": "another"}) + "\n", encoding="utf-8")
    done = call("translate", model, "--output", output, "--resume", stdin="the house\n")
    assert done.returncode == 2
    assert "belongs to a run with other input and model and options" in done.stderr


@pytest.mark.parametrize(
    ("change", "part"),
    [("input", "input"), ("size", "model"), ("name", "model"), ("time", "model"), ("options", "options")],
)
def test_a_resumed_run_is_the_same_run(call, model, tmp_path, change, part):
    folder = shutil.copytree(model, tmp_path / "model")
    sentences = [Sentence(("the", "house"))]
    with Journal(tmp_path / "a.de", name_run(sentences, folder, TranslateOptions(folder)), resume=False) as journal:
        journal.add({"number": 0, "line": "x", "nbest": [], "reachable": None})
    weights = folder / "weights.tsv"
    if change == "size":
        weights.write_text(weights.read_text() + "\n")
    elif change == "name":
        shutil.copy2(weights, folder / "more.tsv")
    elif change == "time":  # a model that was tuned again may have files of the same size
        os.utime(weights, ns=(weights.stat().st_atime_ns, weights.stat().st_mtime_ns + 1_000_000))
    options = ["--beam", 5] if change == "options" else []
    stdin = "the bridge\n" if change == "input" else "the house\n"
    done = call("translate", folder, "--output", tmp_path / "a.de", "--resume", *options, stdin=stdin)
    assert done.returncode == 2
    assert f"belongs to a run with other {part}; " in done.stderr


def test_an_earlier_run_is_not_overwritten_by_accident(call, model, tmp_path):
    sentences = [Sentence(("the", "house"))]
    with Journal(tmp_path / "a.de", name_run(sentences, model, TranslateOptions(model)), resume=False) as journal:
        journal.add({"number": 0, "line": "from the journal", "nbest": [], "reachable": None})
    arguments = ("translate", model, "--output", tmp_path / "a.de")
    done = call(*arguments, stdin="the house\n")
    assert done.returncode == 2
    assert "holds 1 finished sentences of an earlier run" in done.stderr
    done = call(*arguments, "--resume", stdin="the house\n")
    assert (tmp_path / "a.de").read_text() == "from the journal\n"
    assert "1 from an earlier run" in done.stderr


def test_a_journal_keeps_whole_records_only(tmp_path):
    run = {"input": "1"}
    with Journal(tmp_path / "x", run, resume=False) as journal:
        journal.add({"number": 0, "line": "a"})
    path = tmp_path / "x.partial"
    whole = path.read_bytes()
    for cut in range(1, len(whole)):
        path.write_bytes(whole[:-cut])
        with Journal(tmp_path / "x", run, resume=True) as journal:
            assert 0 not in journal
    path.write_bytes(whole + b'{"number": 1')
    with Journal(tmp_path / "x", run, resume=True) as journal:
        assert journal[0] == {"number": 0, "line": "a"}
        journal.add({"number": 1, "line": "b"})
        assert journal[0]["line"] + journal[1]["line"] == "ab"
    assert [json.loads(line) for line in path.read_text().splitlines()][1:] == [
        {"number": 0, "line": "a"},
        {"number": 1, "line": "b"},
    ]


@pytest.mark.parametrize("line", ["[]", "{}", "invalid JSON", '{"number": {}}x', "\x00\xff"])
def test_a_damaged_journal_is_reported(tmp_path, line):
    (tmp_path / "x.partial").write_bytes(b'{"run": {}}\n{"number": 0}\n' + line.encode("latin-1") + b"\n")
    with pytest.raises(LatticeSimpError, match=r"x\.partial:3: not a record of a journal"):
        Journal(tmp_path / "x", {}, resume=True)


def test_a_journal_serves_one_run_at_a_time(tmp_path):
    with (
        Journal(tmp_path / "x", {}, resume=False),
        pytest.raises(LatticeSimpError, match="another run writes to the same output"),
    ):
        Journal(tmp_path / "x", {}, resume=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["/no/such/model"], "does not exist"),
        (["MODEL", "--resume"], "--resume needs --output"),
        (["MODEL", "--output", "/dev/null", "--resume"], "--resume needs --output"),
        (["MODEL", "--nbest", "3"], "give --nbest N (above 0) and --nbest-output FILE together"),
        (["MODEL", "--nbest-output", "x"], "give --nbest N (above 0) and --nbest-output FILE together"),
        (["MODEL", "--nbest", "3", "--nbest-output", "-"], "are both '-'"),
        (["MODEL", "--stats", "-"], "--output and --stats are both '-'"),
        (["MODEL", "--optimality-gap-order", "0"], "is 0; give a number from 1 up"),
        (["MODEL", "--mask-index", "x"], "--mask-index"),
        (["MODEL", "--input", "/no/such/file"], "/no/such/file"),
        (["MODEL", "--skeletons", "/no/such/file"], "/no/such/file"),
        (["MODEL", "--skeleton-nbest", "/no/such/file"], "/no/such/file"),
        (["MODEL", "--strategy", "clever"], "'skeleton-first'"),
        (["MODEL", "--strategy", "gappy"], "needs --skeletons or --skeleton-nbest"),
        (["MODEL", "--strategy", "skeleton-first"], "needs --skeletons"),
        (["MODEL", "--loops", "phi"], "--loops"),
        (["MODEL", "--gaps", "somewhere"], "--gaps"),
        (["MODEL", "--beam", "-1"], "the beam is -1.0; give a number from 0 up"),
        (["MODEL", "--beam", "nan"], "the beam is nan; give a number"),
        (["MODEL", "--skeleton-weight", "-1"], "the skeleton weight is -1.0; give a number"),
        (
            ["MODEL", "--skeleton-weight", "1"],
            "--skeleton-weight has no effect without --skeletons or --skeleton-nbest",
        ),
        (["MODEL", "--edits"], "--edits has no effect without --skeletons or --skeleton-nbest"),
        (["MODEL", "--skeleton-hypotheses", "0"], "the number of skeleton hypotheses is 0; give a number from 1 up"),
        (["MODEL", "--no-edits", "--deletion-cost", "1"], "contradict"),
        (["MODEL", "--stem-cost", "-1"], "the stem cost is -1.0; give a number"),
        (["MODEL", "--jobs", "0"], "--jobs"),
        (["MODEL", "--time-limit", "0"], "time limit"),
        (["MODEL", "--output", "/dev/full"], "No space left"),
        (["MODEL", "--output", "/no/such/folder/a"], "cannot be written: No such file or directory (make its folder"),
        (
            ["MODEL", "--output", "/tmp/own.de", "--nbest", "1", "--nbest-output", "/tmp/../tmp/own.de"],
            "--output and --nbest-output are one file, '/tmp/own.de' and '/tmp/../tmp/own.de'; give them different",
        ),
        (
            ["MODEL", "--exact", "--nbest", "3", "--nbest-output", "x"],
            "--nbest 3: the exact search keeps only the best",
        ),
        (["MODEL", "--exact", "--mbr-scale", "0.3"], "the exact search keeps one translation, among which MBR cannot"),
        (["MODEL", "--lattices", "/dev/null"], "/dev/null: cannot be created"),
        (["MODEL", "--lattices", "/proc"], "cannot be written"),
        (["MODEL", "--no-such-option"], "--no-such-option"),
        ([], "Missing argument"),
    ],
)
def test_bad_calls_are_one_line(call, model, arguments, message):
    arguments = [model if argument == "MODEL" else argument for argument in arguments]
    done = call("translate", *arguments, stdin="the house\n")
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("lattice-simp: ")


def test_a_missing_model_is_reported_before_text_is_read(call):
    done = call("translate", "/no/such/model", stdin="")
    assert done.returncode == 2
    assert "/no/such/model: does not exist" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("weights.tsv", "feature\tweight\nP\tx\n", "weights.tsv:2:"),
        ("weights.tsv", "feature\tweight\nP\t1\n", "no weight for LM"),
        ("weights.tsv", "P\t1\nLM\t-1\n", "weights.tsv: weights of language models must be finite"),
        ("weights.tsv", "P\t1\nLM\t1\nQ\t1\n", "weights.tsv: Q: not a feature of this model (known are P, LM,"),
        ("rules", "[X] ||| a\n", "rules:1:"),
        ("lm.arpa", "\\data\\\n", "lm.arpa"),
        ("settings.json", "{", "settings.json: invalid JSON"),
        ("settings.json", '{"bem": 1}', "settings.json: unknown settings bem"),
        ("settings.json", '{"max_span": "10"}', "settings.json: max_span is '10'; give a whole number"),
        ("rules.gz", "", "needs one rule table"),
    ],
)
def test_a_broken_model_is_one_line(call, model, tmp_path, name, content, message):
    folder = shutil.copytree(model, tmp_path / "model", ignore=shutil.ignore_patterns(".lattice_simp"))
    (folder / name).write_text(content)
    done = call("translate", folder, "--jobs", 2, stdin="the house\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_folder_of_a_training_names_its_model(call, model, tmp_path):
    shutil.copytree(model, tmp_path / "build" / "model", ignore=shutil.ignore_patterns(".lattice_simp"))
    done = call("translate", tmp_path / "build", stdin="the house\n")
    assert f"needs one rule table, found none (did you mean {tmp_path}/build/model?)" in done.stderr


@pytest.mark.parametrize(
    ("stdin", "skeletons", "nbest", "message"),
    [
        (b"a\n\xff\n", None, None, "2: bytes that are not UTF-8"),
        (b"a b\n", "a [[c]]\n", None, "1: the skeleton's tokens are not those of input line 1"),
        (b"a b\n", "a [[b]]\na [[b]]\n", None, "2: a skeleton of line 2, but the text has 1 line"),
        (b"a b\n", "a [[b\n", None, "1: the gap that opens at token 1"),
        (b"a b\n", '{"tokens": ["a", "b"]}\n', None, "1: 'keep' is missing"),
        (b"a\n\nb c\n", '{"tokens": ["b", "c"], "keep": ["10"], "line": 1}\n', None, "not those of input line 2"),
        (b"a b\n", None, "3 ||| a ||| ||| 1\n", "hypotheses of sentence 3, but the input has 1 line"),
        (b"a b\n", None, "no list\n", "looks like plain text"),
    ],
)
def test_broken_input_is_one_line_and_names_its_place(call, model, tmp_path, stdin, skeletons, nbest, message):
    options = []
    for name, text_ in (("skeletons", skeletons), ("skeleton-nbest", nbest)):
        if text_ is not None:
            (tmp_path / name).write_text(text_)
            options += [f"--{name}", tmp_path / name]
    done = call("translate", model, "--input", "-", *options, stdin=stdin)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_failed_sentence_passes_through_and_is_counted(call, model, tmp_path):
    """Loops at the gaps need one skeleton; the second sentence has two."""
    records = [{"tokens": ["the", "house"], "keep": ["01"]}, {"tokens": ["the", "bridge"], "keep": ["01", "10"]}]
    (tmp_path / "skeletons").write_text(text(map(json.dumps, records)))
    (tmp_path / "lattices").mkdir()
    (tmp_path / "lattices" / "1.fst.gz").touch()
    options = ("--skeletons", tmp_path / "skeletons", "--mask-index", "all", "--gaps", "at-gaps")
    files = ("--lattices", tmp_path / "lattices", "--nbest", 1, "--nbest-output", tmp_path / "nbest")
    done = call("translate", model, *options, *files, "--strict")
    assert done.returncode == 1
    assert done.stdout == "das haus\nthe bridge\n"
    assert "skeletons:2: insertions only at gaps (at-gaps) need exactly one skeleton" in done.stderr
    assert "1 failed" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in (tmp_path / "lattices").iterdir()) == ["0.fst.gz"]
    assert [line.split()[0] for line in (tmp_path / "nbest").read_text().splitlines()] == ["0"]
    assert call("translate", model, *options).returncode == 0
    assert "Traceback" in call("translate", "--debug", model, *options).stderr


def test_a_run_in_which_every_sentence_fails_has_failed(call, model, tmp_path):
    """Loops at the gaps need one skeleton; each sentence with words has two."""
    record = {"tokens": ["the", "bridge"], "keep": ["01", "10"]}
    lines = [{**record, "line": 0}, {**record, "line": 2}]
    (tmp_path / "skeletons").write_text(text(map(json.dumps, lines)))
    options = ("--skeletons", tmp_path / "skeletons", "--mask-index", "all", "--gaps", "at-gaps", "--input", "-")
    done = call("translate", model, *options, stdin="the bridge\n\nthe bridge\n")
    assert (done.returncode, done.stdout) == (1, "the bridge\n\nthe bridge\n")
    assert done.stderr.endswith("lattice-simp: every sentence failed; see the reasons above\n")
    assert call("translate", model, *options, stdin="the bridge\n\nthe bridge\nthe house\n").returncode == 0
    assert call("translate", model, stdin="\n").returncode == 0


def test_some_sentences_have_skeletons(call, model, tmp_path):
    record = {"tokens": ["the", "bridge", "was", "built"], "keep": ["1111", "1011"], "line": 2}
    (tmp_path / "skeletons").write_text(json.dumps(record) + "\n")
    options = ("--skeletons", tmp_path / "skeletons", "--input", "-", "--mask-index", 1, "--strategy", "gappy")
    done = call("translate", model, *options, stdin="the house\n\nthe bridge was built\n")
    assert done.stdout == "das haus\n\ndie brücke wurde gebaut\n"
    assert "skeleton found in 1, not found in 0" in done.stderr


def test_probabilities_of_skeletons_are_read_with_all_of_them(call, model, tmp_path):
    keep, shares = ["0111", "1011"], [0.75, 0.25]
    record = {"tokens": ["the", "bridge", "was", "built"], "keep": keep, "probabilities": shares}
    path = tmp_path / "skeletons"
    path.write_text(json.dumps(record) + "\n")
    assert [sentence.probabilities for sentence in read_sentences(None, path, "all", None)] == [(0.75, 0.25)]
    assert [sentence.probabilities for sentence in read_sentences(None, path, "1", None)] == [()]
    done = call("translate", model, "--skeletons", path, "--mask-index", "all", "--aggregation", "expected")
    assert done.stdout == "die brücke wurde gebaut\n"
    assert "skeleton found in 1, not found in 0" in done.stderr


def test_skeletons_from_elsewhere(call, model, tmp_path):
    (tmp_path / "nbest").write_text("1 ||| das wurde gebaut ||| ||| -1\n2 ||| quux ||| ||| -1\n")
    options = ("--skeleton-nbest", tmp_path / "nbest", "--skeleton-weight", 0)
    stdin = "the bridge was built\n" * 3
    done = call("translate", model, *options, stdin=stdin)
    plain, result = "die brücke wurde gebaut\n", "das brücke wurde gebaut\n"
    assert done.stdout == plain + result + plain
    assert "skeleton found in 1, not found in 1" in done.stderr
    done = call("translate", model, *options, "--deletion-cost", 1, stdin=stdin)
    assert "skeleton found in 2, not found in 0" in done.stderr
    done = call("translate", model, *options, "--first-id", 1, stdin=stdin)
    assert done.stdout == result + plain + plain
    done = call("translate", model, *options, "--first-id", 1, stdin=stdin.split("\n")[0])
    assert "hypotheses of sentence 2, but the input has 1 line (ids count from 1 (--first-id); align" in done.stderr
    done = call("translate", model, "--first-id", 1, stdin=stdin)
    assert "--first-id has no effect without --skeleton-nbest" in done.stderr


def test_lattices_and_lists_agree_with_the_output(call, model, tmp_path):
    folder, best_lists = tmp_path / "lattices", tmp_path / "best.nbest"
    stdin = "the house was ||| built\n\nthe bridge\n"
    done = call("translate", model, "--lattices", folder, "--nbest", 2, "--nbest-output", best_lists, stdin=stdin)
    assert sorted(path.name for path in folder.iterdir()) == ["0.fst.gz", "2.fst.gz"]
    lists = read_nbest(best_lists)
    for number, line in enumerate(done.stdout.splitlines()):
        if not line:
            assert [entry.tokens for entry in lists[number]] == [()]
            continue
        best = nbest(read(folder / f"{number}.fst.gz"), 1)[0]
        assert best.text == line
        assert lists[number][0].text.replace("&#124;", "|") == line
        assert lists[number][0].cost == pytest.approx(best.cost, abs=1e-4)
    weights = {"P": 1.0, "LM": 1.0, "Glue": 0.1, "OOV": 5.0, "WordPenalty": 0.0}
    for entry in [*lists[0], *lists[2]]:
        assert sum(weights[name] * value for name, value in entry.features.items()) == pytest.approx(entry.score)


@pytest.mark.slow
def test_a_time_limit_stops_sentences_and_not_the_run(call, model):
    sentence = " ".join(["the house was built"] * 40)  # too long for an answer to come early
    done = call("translate", model, "--time-limit", 1e-7, "--strict", stdin=f"{sentence}\n\n")
    assert (done.returncode, done.stdout) == (1, f"{sentence}\n\n")
    assert "<stdin>:1: took longer than the time limit" in done.stderr


@pytest.mark.slow
def test_an_interrupt_says_how_to_resume(program, model, tmp_path):
    source, output = tmp_path / "a.en", tmp_path / "a.de"
    source.write_text("the bridge was built yesterday\n" * 5000)
    arguments = [program.path, "translate", model, "--input", source, "--output", output, "--jobs", "2"]
    run = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_for_records(tmp_path / "a.de.partial", 5)
    os.killpg(run.pid, signal.SIGINT)
    _, stderr = run.communicate(timeout=20)  # ends when the last worker has closed its end
    assert run.returncode == 130
    assert stderr == "lattice-simp: interrupted; run the same command with --resume to continue\n"


@pytest.mark.slow
def test_a_stop_of_the_parent_stops_the_workers(program, model, tmp_path):
    source, output = tmp_path / "a.en", tmp_path / "a.de"
    source.write_text("the bridge was built yesterday\n" * 5000)
    arguments = [program.path, "translate", model, "--input", source, "--output", output, "--jobs", "2"]
    run = subprocess.Popen(arguments, stderr=subprocess.PIPE, start_new_session=True)
    wait_for_records(tmp_path / "a.de.partial", 5)
    os.kill(run.pid, signal.SIGKILL)
    _, stderr = run.communicate(timeout=20)  # ends when the last worker has closed its end
    assert stderr == b""


def wait_for_records(journal, count):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (not journal.exists() or journal.read_bytes().count(b"\n") <= count):
        time.sleep(0.005)


@pytest.mark.slow
def test_a_reader_that_goes_away_ends_the_run_quietly(program, model):
    shell = f"yes 'the house was built' | head -2000 | {program.path} translate {model} --quiet | head -1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout == "das haus wurde gebaut\n"
    assert "Traceback" not in done.stderr


NESTED = """\
[X] ||| the ||| das ||| P=-0.2
[X] ||| house ||| haus ||| P=-0.1
[X] ||| old [X,1] ||| alte [X,1] ||| P=-0.3
[X] ||| the [X,1] ||| ein [X,1] ||| P=-0.4
[X] ||| [X,1] house ||| haus [X,1] ||| P=-0.9
"""


def test_an_exact_search_reports_what_is_certain(call, model, tmp_path):
    folder = shutil.copytree(model, tmp_path / "nested")
    for rules in folder.glob("rules*"):
        rules.unlink()
    (folder / "rules.txt").write_text(NESTED)
    done = call("translate", folder, "--exact-seconds", 600, stdin="the old house\nthe house\n\n")
    assert done.returncode == 0, done.stderr
    assert "2 of 2 translations are optimal" in done.stderr
    stopped = call("translate", folder, "--exact-seconds", 0, stdin="the old house\nthe house\n")
    assert "nats of the optimum" in stopped.stderr
    assert "certain" not in call("translate", folder, stdin="the house\n").stderr
