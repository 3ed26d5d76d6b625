"""The commands that combine systems and decide by their agreement."""

from __future__ import annotations

import math

import pytest

from lattice_simp import Lattice, nbest, read, read_nbest, write
from lattice_simp.errors import InputWarning
from lattice_simp.support.threads import in_threads


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.nbest").write_text("0 ||| a b ||| f= -1 ||| -7\n0 ||| c ||| f= -2 ||| -7\n")
    write(Lattice.from_strings([("a b", 0.0)]), tmp_path / "two.fst")
    (tmp_path / "ends.txt").write_text("0 1 a 0\n0 1 b 0\n1 2 c 0\n1\n2\n")
    (tmp_path / "line").write_text("a\n")
    (tmp_path / "lines").write_text("a\nb\n")
    return tmp_path


def probabilities(path):
    return sorted((path.text, round(math.exp(-path.cost), 4)) for path in nbest(read(path), 9, unique=False))


def test_posteriors_of_archives_are_in_the_format_of_the_name(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.nbest").write_text("0 ||| a ||| ||| -1\n0 ||| b ||| ||| -1\n1 ||| c ||| ||| -1\n")
    call("lattice", "convert", "two.nbest", "two.lats")
    call("lattice", "convert", "two.nbest", "one.lats", "--id", 0)
    for name, count in (("one", 1), ("two", 2)):
        done = call("lattice", "posteriors", f"{name}.lats", "--output", f"{name}.plf")
        assert done.returncode == 0, done.stderr
        lines = (tmp_path / f"{name}.plf").read_text().splitlines()
        assert len(lines) == count
        assert all("'posterior':" in line for line in lines)


def test_systems_are_joined_by_their_posteriors(call, files):
    call("lattice", "union", "one.nbest", "two.fst", "--share", 3, "--share", 1, "--output", "both.fst")
    assert probabilities("both.fst") == [("a b", 0.25), ("a b", 0.375), ("c", 0.375)]
    call("lattice", "union", "one.nbest", "two.fst", "--output", "both.fst")
    assert probabilities("both.fst") == [("a b", 0.25), ("a b", 0.5), ("c", 0.25)]


def test_lists_of_several_systems_decide_together(call, files):
    """The expected errors of a hypothesis are those under the systems, weighted by their shares."""
    (files / "first.nbest").write_text("0 ||| a b ||| f= -1 ||| -7\n0 ||| a c ||| f= -2 ||| -7\n")
    (files / "second.nbest").write_text("0 ||| a c ||| g= -1 ||| -900\n1 ||| e ||| g= -1 ||| -1\n")
    shares = ("--share", 0.6, "--share", 0.4)
    with pytest.warns(InputWarning, match="first.nbest: ends after 1 sentence, but second.nbest has 2 "):
        done = call("lattice", "mbr", "first.nbest", "second.nbest", *shares, "--utility", "wer", "-n", 1)
    first, second = (line.split(" ||| ") for line in done.stdout.splitlines())
    assert (first[:3], float(first[3])) == (["0", "a c", "g= -1"], pytest.approx(-0.3))
    assert second == ["1", "e", "g= -1", "0"]
    for arguments, message in [
        (("first.nbest", "two.fst"), "two.fst: not an n-best list (give n-best lists, or join lattices"),
        (("first.nbest", "second.nbest", "--share", 1), "1 share for 2 files"),
        (("first.nbest", "second.nbest", "--share", 1, "--share", 0), "the shares must be positive numbers"),
    ]:
        done = call("lattice", "mbr", *arguments)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert message in done.stderr


def test_lists_are_decided_in_threads(call, files, monkeypatch):
    """The output does not depend on the number of threads, which is passed on."""
    (files / "many.nbest").write_text("".join(f"{n} ||| a b ||| ||| -1\n{n} ||| a c ||| ||| -1.5\n" for n in range(9)))
    used = []
    threads = "lattice_simp.support.threads.in_threads"
    monkeypatch.setattr(threads, lambda function, items, jobs: used.append(jobs) or in_threads(function, items, jobs))
    for utility in ("linear", "chrf"):
        for sources in (["many.nbest"], ["many.nbest", "many.nbest"]):
            runs = [call("lattice", "mbr", *sources, "--utility", utility, "--jobs", jobs) for jobs in (1, 3)]
            assert runs[0].stdout == runs[1].stdout != ""
            assert runs[0].returncode == runs[1].returncode == 0
    assert used == [1, 3] * 4


def test_pruned_hypotheses_are_not_reported_as_repeated(call, files):
    lines = [f"0 ||| a b{number} ||| ||| -{number}\n" for number in range(1, 13)]
    (files / "many.nbest").write_text("".join([*lines, "0 ||| <s> a b1 ||| ||| -9\n"]))
    done = call("lattice", "mbr", "many.nbest", "--utility", "wer", "--max-calls", 40)
    assert done.stdout.count("\n") < 12
    assert "many.nbest: left out 1 hypothesis with the words of a better one" in done.stderr


def test_systems_are_joined_sentence_by_sentence(call, files):
    """The mixtures of many sentences are those of each one; their folder keeps names and formats of lattices."""
    (files / "first.nbest").write_text("0 ||| a ||| ||| -1\n0 ||| b ||| ||| -1\n1 ||| c ||| ||| -2\n")
    (files / "second.nbest").write_text("0 ||| a ||| ||| -5\n1 ||| d ||| ||| -5\n")
    pair = ("lattice", "union", "first.nbest", "second.nbest", "--share", 3, "--share", 1)
    assert call(*pair, "--output", "joined").returncode == 0
    for number in (0, 1):
        call(*pair, "--id", number, "--output", "one.fst")
        assert probabilities(f"joined/{number}.fst") == probabilities("one.fst")
    assert probabilities("joined/1.fst") == [("c", 0.75), ("d", 0.25)]
    for name in ("first", "second"):
        call("lattice", "convert", f"{name}.nbest", f"{name}/", "--to", "slf")
    call("lattice", "union", "first", "second", "--share", 3, "--share", 1, "--output", "slf")
    assert sorted(file.name for file in (files / "slf").iterdir()) == ["0.slf", "1.slf"]
    assert probabilities("slf/1.slf") == [("c", 0.75), ("d", 0.25)]
    assert "with --output FOLDER/" in call(*pair).stderr
    (files / "second.nbest").write_text("0 ||| a ||| ||| -5\n")
    assert "second.nbest: ends after 1 sentence, but first.nbest has more" in call(*pair, "-o", "out/").stderr


def test_a_union_may_keep_the_costs(call, files):
    call("lattice", "union", "one.nbest", "two.fst", "--no-normalised", "--output", "both.slf")
    assert sorted(path.cost for path in nbest(read("both.slf"), 9, unique=False)) == [0.0, 7.0, 7.0]
    assert "f" not in read("both.slf").features  # SLF stores no other features


def test_posteriors_are_fields_of_slf_and_features_elsewhere(call, files):
    done = call("lattice", "posteriors", "ends.txt")
    assert [line.rsplit(" ", 1)[1] for line in done.stdout.splitlines() if line.startswith("J")] == [
        *["p=0.5"] * 4,
        "p=0.5",
    ]
    call("lattice", "posteriors", "ends.txt", "--output", "a.plf")
    assert "{'weight':1.0,'posterior':0.5}" in (files / "a.plf").read_text()
    scores = read("a.plf").features["posterior"]
    assert scores.tolist() == pytest.approx([math.log(0.5)] * 5)
    call("lattice", "posteriors", "ends.txt", "--output", "a.slf")
    call("lattice", "convert", "a.slf", "b.plf")
    assert read("b.plf").features["posterior"].tolist() == pytest.approx([math.log(0.5)] * 5)
    call("lattice", "convert", "a.plf", "b.slf")
    assert (files / "b.slf").read_text().count("p=0.5\n") == 5


LIST = """0 ||| a b ||| f= -1 ||| -1
0 ||| c d ||| f= -2 ||| -1.1
0 ||| c e ||| f= -3 ||| -1.1
2 ||| x ||| f= -1 ||| -1
"""


@pytest.mark.parametrize("utility", ["linear", "chrf", "bleu", "wer"])
def test_lists_are_decided_sentence_by_sentence(call, files, utility):
    done = call("lattice", "mbr", "-", "--utility", utility, "-n", 2, stdin=LIST)
    lines = done.stdout.splitlines()
    assert [line.split(" ||| ")[:3] for line in lines] == [
        ["0", "c d", "f= -2"],
        ["0", "c e", "f= -3"],
        ["2", "x", "f= -1"],
    ]


def test_lattices_are_decided_to_lattices(call, files):
    (files / "list.nbest").write_text(LIST)
    call("lattice", "convert", "list.nbest", "full.fst", "--id", 0)
    for utility in ("linear", "chrf", "wer"):
        for source in (["full.fst"], ["list.nbest", "--id", 0]):
            call("lattice", "mbr", *source, "--utility", utility, "--scale", 0.5, "--output", "decided.fst")
            assert nbest(read("decided.fst"), 1)[0].text == "c d"
    call("lattice", "mbr", "full.fst", "--utility", "chrf", "--paths", 1, "--output", "decided.fst")
    assert [path.text for path in nbest(read("decided.fst"), 3)] == ["a b"]


def test_a_confusion_network_in_each_format(call, files):
    (files / "full.nbest").write_text("0 ||| a b c ||| f= -1 ||| 0\n0 ||| a c ||| f= -1 ||| 0\n")
    call("lattice", "confusion", "full.nbest", "--output", "a.plf")
    assert (files / "a.plf").read_text() == "((('a',1.0,1),),(('*EPS*',0.5,1),('b',0.5,1),),(('c',1.0,1),),)\n"
    call("lattice", "confusion", "full.nbest", "--output", "a.slf")
    for name in ("a.plf", "a.slf"):
        assert [path.text for path in nbest(read(name), 9)] in (["a c", "a b c"], ["a b c", "a c"])
    done = call("lattice", "posteriors", "a.slf")
    assert done.stdout.count(" p=0.5") == 2
    assert call("lattice", "confusion", "full.nbest").stdout.splitlines()[0] == "0\t1\ta\t0.0"


def test_what_two_systems_say_counts_twice(call, files):
    lines = "0 ||| a ||| f= -1 ||| -1.5\n0 ||| b ||| f= -1 ||| -1\n1 ||| c ||| f= -1 ||| 0\n"
    call("lattice", "union", "-", "-o", "one.fst", "--id", 0, stdin=lines)
    (files / "also.nbest").write_text("0 ||| a ||| f= -1 ||| -1.5\n0 ||| d ||| f= -1 ||| -1\n")
    call("lattice", "union", "one.fst", "also.nbest", "--output", "both.fst")
    assert nbest(read("both.fst"), 1)[0].text in ("b", "d")
    call("lattice", "mbr", "both.fst", "--utility", "wer", "--output", "decided.fst")
    assert nbest(read("decided.fst"), 1)[0].text == "a"


PLF = "((('a',0.5,1),('b',0.3,1),),(('c',1.0,1),),)\n((('x',1.0,1),),)\n"


def test_the_oracle_of_a_corpus(call, files):
    (files / "full.plf").write_text(PLF)
    (files / "one.ref").write_text("b c\ny x x\n")
    (files / "two.ref").write_text("b c\nz z z\n")
    done = call("lattice", "oracle", "full.plf", "--reference", "one.ref", "--output", "best.txt")
    assert done.stdout == "sentences\t2\noracle WER\t40.00\nbest path WER\t60.00\n"
    assert (files / "best.txt").read_text() == "b c\nx\n"
    both = ["--reference", "one.ref", "--reference", "two.ref"]
    assert call("lattice", "oracle", "full.plf", *both).stdout == done.stdout
    done = call("lattice", "oracle", "-", "--reference", "one.ref", "--metric", "bleu", stdin=PLF)
    assert done.stdout.startswith("sentences\t2\noracle BLEU\t0.00\n")  # no 4-grams


def test_commands_agree_on_the_word_error_rate(call, files):
    """Of several references, the nearest counts with its own length."""
    (files / "hyp").write_text("a b c\nx y\n")
    (files / "one.ref").write_text("a b\nx\n")
    (files / "two.ref").write_text("a b c d e f g x\ny x\n")
    (files / "weights.tsv").write_text("feature\tweight\nf\t1\n")
    (files / "hyp.nbest").write_text("0 ||| a b c ||| f= -1 ||| -1\n1 ||| x y ||| f= -1 ||| -1\n")
    references = ("--reference", "one.ref", "--reference", "two.ref")
    oracle = call("lattice", "oracle", "hyp.nbest", *references)
    assert oracle.stdout.splitlines()[1:] == ["oracle WER\t66.67", "best path WER\t66.67"]
    weights = ("--weights", "weights.tsv", "--output", "new.tsv")
    tuned = call("tune", "nbest", "hyp.nbest", *references, *weights, "--metric", "wer")
    assert "WER 66.67 before" in tuned.stderr
    scored = call("evaluate", "hyp=hyp", *references, "--tokens", "--metrics", "wer")
    assert "66.67" in scored.stdout, scored.stderr


def test_oracles_of_lists_and_files(call, files):
    (files / "full.ref").write_text("a b c d e\n\nx\n")
    (files / "list.nbest").write_text(
        "0 ||| a b c d e ||| f= -1 ||| -2\n0 ||| a b d ||| f= -1 ||| -1\n2 ||| x ||| f= -1 ||| -1\n"
    )
    done = call("lattice", "oracle", "list.nbest", "--reference", "full.ref", "--metric", "bleu")
    assert done.stdout.splitlines()[1] == "oracle BLEU\t100.00"
    (files / "two.ref").write_text("a b\nb c\n")
    done = call("lattice", "oracle", "two.fst", "ends.txt", "--reference", "two.ref")
    assert "oracle WER\t0.00" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["union", "one.nbest", "two.fst", "--share", "1"], "1 share for 2 files; give --share once for each"),
        (["union", "one.nbest", "--share", "-1"], "the share of a lattice is -1.0"),
        (["union", "one.nbest", "--scale", "0"], "the scale of the costs is 0.0"),
        (["union", "one.nbest", "--scale", "2", "--no-normalised"], "--scale has no effect with --no-normalised"),
        (["union", "-", "-"], "only one file can be standard input"),
        (["union", "one.nbest", "/no/such/file"], "/no/such/file"),
        (["posteriors", "ends.txt", "--output", "a.fst"], "openfst cannot store the feature posterior; write .slf"),
        (["posteriors", "ends.txt", "--output", "a.lats"], "kaldi cannot store the feature posterior; write .slf"),
        (["posteriors", "ends.txt", "--output", "a.pfsg"], "pfsg cannot store the feature posterior; write .slf"),
        (["posteriors", "ends.txt", "--to", "mesh"], "mesh cannot store the feature posterior; write .slf"),
        (["posteriors", "ends.txt", "--output", "a.what"], "no known lattice format"),
        (["mbr", "one.nbest", "--utility", "comet"], "Invalid value for '--utility': 'comet' is not one of"),
        (["mbr", "samples.jsonl", "-n", "1"], "samples.jsonl: looks like JSON"),
        (["mbr", "one.nbest", "--scale", "0"], "the scale of the costs is 0.0"),
        (
            ["mbr", "one.nbest", "--utility", "wer", "--mbr-ratio", "0.5"],
            "--mbr-ratio has no effect with --utility wer. Leave it out.",
        ),
        (["mbr", "one.nbest", "--utility", "wer", "--max-calls", "2"], "max_calls is 2; 2 hypotheses and 2 ref"),
        (["confusion", "one.nbest", "--scale", "-1"], "the scale of the costs is -1.0"),
        (["confusion", "one.nbest", "--max-arcs", "0"], "--max-arcs"),
        (["oracle", "one.nbest"], "--reference"),
        (
            ["oracle", "two.fst", "two.fst", "--reference", "line"],
            "line: has 1 line, but two.fst, two.fst has 2",
        ),
        (
            ["oracle", "two.fst", "--reference", "line", "--reference", "lines"],
            "lines: has 2 lines, but line has 1",
        ),
        (["oracle", "two.fst", "--reference", "line", "--metric", "ter"], "--metric"),
        (["posteriors", "ends.txt", "--scale", "0"], "the scale of the costs is 0.0"),
    ],
)
def test_errors_are_one_line(call, files, arguments, message):
    (files / "samples.jsonl").write_text('{"prompt": "x", "drafts": ["a b", "a c"]}\n')
    done = call("lattice", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", ["union", "mbr", "posteriors", "confusion", "oracle"])
def test_help_has_an_example(call, command):
    assert f"Example: lattice-simp lattice {command}" in " ".join(call("lattice", command, "--help").stdout.split())


NUMBERS = "0 1 1 1\n0 1 2 2\n1\n"
"""A lattice whose labels need a table."""


@pytest.fixture
def folder(files):
    """Two lattices with numeric labels, their table, and references."""
    (files / "in").mkdir()
    for name in ("1", "10"):
        (files / "in" / f"{name}.txt").write_text(NUMBERS)
    (files / "words.syms").write_text("<eps>\t0\na\t1\nb\t2\n")
    (files / "alone.txt").write_text(NUMBERS)
    return files / "in"


@pytest.mark.parametrize(
    ("command", "ending"),
    [
        (["mbr"], "txt"),
        (["mbr", "--utility", "chrf"], "txt"),
        (["confusion"], "txt"),
        (["confusion", "--to", "openfst"], "fst"),
        (["confusion", "--to", "plf"], "plf"),
        (["posteriors"], "slf"),
        (["posteriors", "--to", "plf"], "plf"),
    ],
)
def test_a_folder_gives_a_folder(call, files, folder, command, ending):
    options = ("--symbols", "words.syms", "--output")
    done = call("lattice", *command, "in", *options, "out/", "--jobs", 2)
    assert (done.returncode, done.stderr) == (0, "")
    call("lattice", *command, "alone.txt", *options, f"result.{ending}")
    for name in ("1", "10"):
        assert (files / "out" / f"{name}.{ending}").read_bytes() == (files / f"result.{ending}").read_bytes()
    assert {path.text for path in nbest(read(f"result.{ending}"), 3)} == {"a", "b"}
    if ending != "plf":  # PLF files hold several lattices
        done = call("lattice", *command, "in", *options, "out.fst" if command != ["posteriors"] else "out.slf")
        assert "holds one lattice, but " in done.stderr
        assert " several; choose one with --id, or write all of them with --output FOLDER/" in done.stderr
    done = call("lattice", *command, "in", "--words", "--output", "out/")
    assert (done.returncode, done.stderr) == (0, "")
    options = {"numeric": False} if ending == "txt" else {}
    numbers = [path.text for text in ("1", "10") for path in nbest(read(f"out/{text}.{ending}", **options), 3)]
    assert sorted(numbers) == ["1", "1", "2", "2"]


def test_lists_of_many_sentences_give_a_folder_of_networks(call, files):
    (files / "many.nbest").write_text("0 ||| a b ||| ||| -1\n1 ||| c ||| ||| -1\n")
    assert call("lattice", "confusion", "many.nbest", "--output", "out/").returncode == 0
    assert call("lattice", "confusion", "many.nbest", "--output", "named").returncode == 0
    for folder in ("out", "named"):
        assert [read(files / folder / f"{number}.fst").num_arcs for number in (0, 1)] == [2, 1]
    (files / "many.lats").write_text(KALDI)
    for source, output in (("many.nbest", "out.nbest"), ("many.lats", "out.nbest"), ("many.lats", "out.jsonl.gz")):
        done = call("lattice", "confusion", source, "--output", output)
        assert "lattices are not written as n-best lists; write them with --output FOLDER/, then" in done.stderr
        assert not (files / output).exists()


def test_names_of_lists_give_lists(call, files):
    (files / "many.lats").write_text(KALDI)
    for output in ("out.nbest", "out.nbest.gz", "out.jsonl"):
        assert call("lattice", "nbest", "many.lats", "--output", output).returncode == 0
        assert [entry.text for entries in read_nbest(files / output) for entry in entries] == ["a", "b"]


def test_labels_of_systems_and_oracles(call, files, folder):
    call("lattice", "union", "alone.txt", "in/1.txt", "--symbols", "words.syms", "--output", "both.fst")
    assert {path.text for path in nbest(read("both.fst"), 3)} == {"a", "b"}
    assert (
        "leave --symbols out"
        not in call("lattice", "union", "one.nbest", "alone.txt", "--symbols", "words.syms").stderr
    )
    done = call("lattice", "oracle", "in", "--reference", "lines", "--symbols", "words.syms", "--output", "best")
    assert done.stdout.startswith("sentences\t2\noracle WER\t0.00\n")
    assert (files / "best").read_text() == "a\nb\n"
    refused = call("lattice", "mbr", "one.nbest", "--symbols", "words.syms")
    assert (
        "one.nbest: its labels are words (leave --symbols out; to write numbers, pass --output-symbols)"
        in refused.stderr
    )


def test_oracles_of_lists_that_begin_at_one(call, files):
    (files / "from1.nbest").write_text("1 ||| a ||| ||| -1\n2 ||| b ||| ||| -1\n")
    done = call("lattice", "oracle", "from1.nbest", "--reference", "lines", "--first-id", 1)
    assert done.stdout.startswith("sentences\t2\noracle WER\t0.00\n")
    assert (
        "lines: has 2 lines, but from1.nbest has 3"
        in call("lattice", "oracle", "from1.nbest", "--reference", "lines").stderr
    )


KALDI = "callA\n0 1 a 1,0,\n0 1 b 2,0,\n1 0,0,\n\ncallB\n0 1 b 1,0,\n1 0,0,\n\n"


@pytest.mark.parametrize(
    ("references", "note"),
    [
        (
            "callB b\ncallA a\ncallC c\n",
            "lattice, so lines are matched by name; lines with other names, not used: 1\n",
        ),
        ("a (callA)\nb (callB)\n", "each line ends with the name of a lattice, so lines are matched by name\n"),
        ("a\nb\n", ""),
    ],
)
def test_references_with_the_names_of_their_lattices(call, files, references, note):
    (files / "lat.txt").write_text(KALDI)
    (files / "ref").write_text(references)
    for source in ("lat.txt", "-"):
        done = call("lattice", "oracle", source, "--reference", "ref", stdin=KALDI)
        assert done.stdout == "sentences\t2\noracle WER\t0.00\nbest path WER\t0.00\n", done.stderr
        assert note in done.stderr
        assert bool(note) == bool(done.stderr)


def test_references_whose_lines_hold_more_than_names(call, files):
    """In files of NIST, channels, speakers and times would count as words."""
    (files / "lat.txt").write_text(KALDI)
    (files / "ref").write_text("callA 1 x 0.0 9.0 a\ncallB 1 x 0.0 9.0 b\n")
    with pytest.warns(UserWarning, match=r"ref: looks like references of NIST \(stm\), and each line counts"):
        call("lattice", "oracle", "lat.txt", "--reference", "ref")


def test_references_that_lack_a_name(call, files):
    (files / "lat.txt").write_text(KALDI)
    (files / "ref").write_text("callA a\ncallC b\n")
    done = call("lattice", "oracle", "lat.txt", "--reference", "ref")
    assert done.returncode == 2
    assert (
        "ref: no line begins with the name 'callB' of a lattice, as those of other lattices do (give each"
        in done.stderr
    )
    (files / "turn.fst").write_bytes((files / "two.fst").read_bytes())
    (files / "one").write_text("turn left\n")  # the name of a file does not name its only sentence
    assert call("lattice", "oracle", "turn.fst", "--reference", "one").stderr == ""


@pytest.mark.parametrize(("tokens", "pieces"), [("▁a ▁b c", "sentencepiece"), ("a b@@ c", "bpe"), ("▁ b @@", "")])
def test_decisions_between_pieces_of_words(call, files, tokens, pieces):
    (files / "pieces.nbest").write_text(f"0 ||| {tokens} ||| f= -1 ||| -1\n0 ||| a bd ||| f= -1 ||| -2\n")
    warning = f"pieces.nbest: tokens are pieces of words ({tokens.split()[pieces == 'bpe']}); to join them, give"
    for utility in ("linear", "chrf"):
        done = call("lattice", "mbr", "pieces.nbest", "--utility", utility)
        assert done.returncode == 0, done.stderr
        assert done.stderr == (f"{warning} --pieces {pieces}\n" if pieces else "")
        if pieces:
            assert call("lattice", "mbr", "pieces.nbest", "--utility", utility, "--pieces", pieces).stderr == ""
