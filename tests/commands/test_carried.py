"""Names, times, features and scales of files pass through commands, or a message says that they are lost."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import lattice_simp as ls
from lattice_simp.formats.nbest import stream_sentences

TIMED = {
    "u-1": [("a cat", -1.0, [[0.5, 0.8], [1.0, 1.5]]), ("the cat", -2.0, [[0.4, 0.8], [1.0, 1.5]])],
    "u-2": [("a dog", -1.5, [[0.0, 0.25], [0.25, 0.9]])],
}
SHARES = {"a cat": [0.9, 0.75], "the cat": [0.5, 0.7], "a dog": [0.25, 1.0]}
"""The confidences of words."""
MOSES = "0 ||| a cat ||| lm= -2 ||| -1\n0 ||| the cat ||| lm= -1 ||| -2\n1 ||| a dog ||| lm= -3 ||| -1.5\n"
KALDI = (
    "u-1 \n0\t1\ta\t1,2,1_1_1\n0\t1\tthe\t1,3,1_1_1\n1\t2\t<eps>\t0,0,1_1\n2\t3\tcat\t1,2,1_1_1_1\n3\n\n"
    "u-2 \n0\t1\ta\t1,2,1\n1\t2\tdog\t1,2,1_1\n2\n\n"
)
SLF = (
    "UTTERANCE=u-1\nlmscale=10 acscale=0.5\nN=3 L=3\nI=0 t=2.0\nI=1 t=2.3\nI=2 t=2.9\nJ=0 S=0 E=1 W=the a=-1 l=-1\n"
    "J=1 S=1 E=2 W=cat a=-1 l=-2\nJ=2 S=1 E=2 W=hat a=-2 l=-1\n"
)
FACTS = {
    "x.jsonl": {"names", "times", "confidences", "lm"},
    "one.jsonl": {"names", "times", "confidences", "lm"},
    "x.nbest": {"lm"},
    "x.lats": {"names", "times", "graph", "acoustic"},
    "x.slf": {"names", "times", "lm", "acoustic", "scales"},
}
"""The parts of each file."""

SAID = {
    "names": ("names of sentences", " utterance"),
    "times": ("times of words", " time"),
    "confidences": ("confidences of words", " posterior"),
    "scales": (" scales", "features acoustic lm"),
}
"""The words for a part in messages; scales are those of features."""

LISTS = {
    "mbr": "lattice mbr FILE",
    "mbr --utility": "lattice mbr FILE --utility wer",
    "mbr of two": "lattice mbr FILE x.nbest",
    "compose": "lattice compose FILE skeleton.nbest",
    "compose --terms": "lattice compose FILE --terms terms",
    "rescore": "rescore nbest FILE --model lm.arpa",
    "rescore --weights": "rescore nbest FILE --model lm.arpa --weights weights.tsv",
    "tokens": "lattice tokens FILE --language en",
    "tokens --case": "lattice tokens FILE --case lower",
    "prune": "lattice prune FILE --beam 99",
    "lm": "lattice lm FILE --model lm.arpa",
    "determinize": "lattice determinize FILE",
    "minimize": "lattice minimize FILE",
    "nbest": "lattice nbest FILE -n 9 --moses",
}
"""The commands that write hypotheses of their input as n-best lists."""

LINES = {
    "texts": "lattice texts FILE",
    "rescore --best": "rescore nbest FILE --model lm.arpa --weights weights.tsv --best",
    "combine": "combine FILE x.nbest",
}
"""The commands that write a line for each sentence."""

LATTICES = {
    "convert": "lattice convert FILE OUT",
    "prune": "lattice prune FILE --beam 99 --output OUT",
    "determinize": "lattice determinize FILE --output OUT",
    "lm": "lattice lm FILE --model lm.arpa --output OUT",
    "mbr": "lattice mbr FILE --output OUT",
    "confusion": "lattice confusion FILE --output OUT",
    "union": "lattice union FILE FILE --output OUT",
    "compose": "lattice compose FILE word.fst --output OUT",
    "gappy": "lattice gappy FILE --output OUT",
}
"""The commands that write a lattice."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Path) -> Path:
    """The working directory, with a file of each kind."""
    monkeypatch.chdir(tmp_path)
    rows = []
    for number, (name, entries) in enumerate(TIMED.items()):
        hypotheses = [
            {"text": text, "score": score, "features": {"lm": score}, "times": times, "confidences": SHARES[text]}
            for text, score, times in entries
        ]
        rows.append(json.dumps({"id": number, "name": name, "hypotheses": hypotheses}) + "\n")
    texts = {"x.jsonl": "".join(rows), "one.jsonl": rows[0], "x.nbest": MOSES, "x.lats": KALDI, "x.slf": SLF}
    texts |= {"skeleton.nbest": "0 ||| cat ||| ||| -1\n1 ||| dog ||| ||| -1\n", "terms": "cat\ndog\n"}
    texts |= {"weights.tsv": "lm\t1\nNGram\t1\n", "lm.arpa": (model / "lm.arpa").read_text()}
    for name, text in texts.items():
        Path(name).write_text(text)
    ls.write(ls.Lattice.from_strings("cat"), "word.fst")
    return tmp_path


def parts_of(path: Path) -> set[str]:
    """Returns the parts that a file of lists or lattices holds."""
    if path.name.endswith((".jsonl", ".nbest")):
        parts = set[str]()
        for sentence in stream_sentences(path):
            parts |= {"names"} if sentence.name is not None else set()
            for entry in sentence.hypotheses:
                parts |= {*entry.features, *({"times"} if entry.times is not None else ())}
                parts |= {"confidences"} if entry.confidences is not None else set()
        return parts
    parts = set()
    with warnings.catch_warnings(action="ignore"):  # of PLF, whose numbers are no probabilities here
        lattices = list(ls.read_all(path))
    for _, lattice in lattices:
        parts |= {{"time": "times", "posterior": "confidences"}.get(name, name) for name in lattice.features}
        parts |= {"names"} if lattice.header.name is not None else set()
        parts |= {"scales"} if set(lattice.header.scales.values()) - {1.0} else set()
    return parts


def silently_lost(source: str, output: Path, messages: str, *, is_text: bool = False) -> set[str]:
    """Returns the parts of a file that neither the output nor the messages mention."""
    lost = FACTS[source] - (set() if is_text else parts_of(output))
    return {part for part in lost if not any(words in messages for words in SAID.get(part, (f" {part}",)))}


@pytest.mark.parametrize("source", ["x.jsonl", "one.jsonl", "x.nbest"])
@pytest.mark.parametrize("command", LISTS)
def test_lists_to_lists(call: Any, folder: Path, command: str, source: str) -> None:
    """JSON lines keep names, times and features; Moses' format keeps features, and a message names the rest."""
    if source == "one.jsonl":
        for name, count in (("skeleton.nbest", 1), ("terms", 1), ("x.nbest", 2)):
            Path(name).write_text("".join(Path(name).read_text().splitlines(keepends=True)[:count]))
    words = LISTS[command].replace("FILE", source).split()
    done = call(*words, "--output", "out.jsonl")
    assert done.returncode == 0, done.stderr
    assert FACTS[source] <= parts_of(Path("out.jsonl")), done.stderr
    assert "cannot store" not in done.stderr
    assert "left out" not in done.stderr
    if "times" in FACTS[source]:
        for sentence in stream_sentences("out.jsonl"):
            times = {text: times for text, _, times in TIMED[str(sentence.name)]}
            assert {entry.text: [list(span) for span in entry.times or ()] for entry in sentence.hypotheses} == times
            for entry in sentence.hypotheses:
                assert list(entry.confidences or ()) == pytest.approx(SHARES[entry.text])
    done = call(*words, "--output", "out.nbest")
    if source != "one.jsonl" or command not in ("prune", "lm", "determinize", "minimize"):  # these write a lattice
        assert done.returncode == 0, done.stderr
        assert not silently_lost(source, Path("out.nbest"), done.stderr), done.stderr
        assert done.stderr.count("cannot store") == ("names" in FACTS[source])


@pytest.mark.parametrize("source", ["x.jsonl", "x.nbest"])
@pytest.mark.parametrize("command", LINES)
def test_lists_to_lines(call: Any, folder: Path, command: str, source: str) -> None:
    """A message names names and times, and nothing else, since features are not expected in text."""
    done = call(*LINES[command].replace("FILE", source).split(), "--output", "out.txt")
    assert done.returncode == 0, done.stderr
    lost = silently_lost(source, Path("out.txt"), done.stderr, is_text=True)
    assert lost == {"lm"}, done.stderr
    assert done.stderr.count("to keep them") == ("names" in FACTS[source])
    if command == "texts":
        call("lattice", "texts", source, "--output", "out.jsonl")
        assert FACTS[source] <= parts_of(Path("out.jsonl"))


@pytest.mark.parametrize("source", ["x.jsonl", "x.lats", "x.nbest"])
def test_combined_lists(call: Any, folder: Path, source: str) -> None:
    """Lists of combinations have names; messages name those that folders lose, and times. Features are new ones."""
    options = ("--nbest-output", "out.jsonl", "--lattices", "out")
    done = call("combine", source, "x.nbest", *options, "--output", "out.txt")
    assert done.returncode == 0, done.stderr
    lost = silently_lost(source, Path("out.jsonl"), done.stderr)
    assert lost == FACTS[source] - {"names", "times", "confidences"}, done.stderr
    assert ("names" in parts_of(Path("out.jsonl"))) == ("names" in FACTS[source])
    assert ("out: the format cannot store these parts of the header: utterance" in done.stderr) == (source != "x.nbest")
    Path("y.jsonl").write_text(Path("x.jsonl").read_text().replace("u-2", "u-3"))
    for command in (("combine",), ("lattice", "mbr"), ("lattice", "compose")):
        done = call(*command, "x.jsonl", "y.jsonl", "--output", "out.txt")
        assert "sentence 1 is u-2 in x.jsonl, u-3 in y.jsonl; sentences are paired by number" in done.stderr


@pytest.mark.parametrize("source", ["x.lats", "x.slf"])
@pytest.mark.parametrize("output", ["out.jsonl", "out.nbest"])
def test_lattices_to_lists(call: Any, folder: Path, source: str, output: str) -> None:
    """The best paths of lattices have names and times in JSON lines."""
    done = call("lattice", "nbest", source, "-n", 9, "--moses", "--output", output)
    assert not silently_lost(source, Path(output), done.stderr), done.stderr
    if output == "out.jsonl":
        assert FACTS[source] - {"scales"} <= parts_of(Path(output))
        before, after = (call("lattice", "ctm", file).stdout for file in (source, output))
        assert [line.split()[:5] for line in before.splitlines()] == [line.split()[:5] for line in after.splitlines()]


@pytest.mark.parametrize("output", ["out.slf", "out.lats", "out.txt", "out.plf"])
@pytest.mark.parametrize("source", ["one.jsonl", "x.nbest", "x.slf", "x.lats"])
@pytest.mark.parametrize("command", LATTICES)
def test_to_lattices(call: Any, folder: Path, command: str, source: str, output: str) -> None:
    """Messages name what a lattice format, or the operation, does not keep."""
    words = LATTICES[command].replace("FILE", source).replace("OUT", output).split()
    if (command, output) == ("gappy", "out.plf"):
        pytest.skip("loops are not acyclic")
    done = call(*words, *(() if source == "x.slf" else ("--id", "0")))
    assert done.returncode == 0, done.stderr
    assert not silently_lost(source, Path(output), done.stderr), done.stderr


def test_translations_have_the_names_of_lattices(call: Any, folder: Path, model: Path) -> None:
    rows = [{"name": name, "hypotheses": ["the house"]} for name in TIMED]
    Path("in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    words = ("translate", model, "--input-lattices", "in.jsonl", "--output", "out.txt")
    done = call(*words, "--nbest", 1, "--nbest-output", "out.jsonl")
    assert [sentence.name for sentence in stream_sentences("out.jsonl")] == list(TIMED), done.stderr
    assert "cannot store" not in done.stderr
    assert (
        "text cannot store the names of sentences; to keep them, give --nbest-output a name that ends in .jsonl\n"
        in call(*words).stderr
    )


def test_oracle_strings_are_in_the_order_of_the_lattices(call: Any, folder: Path) -> None:
    Path("reference").write_text("a cat\na dog\n")
    for source in ("x.jsonl", "x.lats", "x.nbest"):
        done = call("lattice", "oracle", source, "--reference", "reference", "--output", "out.txt")
        assert Path("out.txt").read_text() == "a cat\na dog\n"
        assert ("order of the lattices, without the names of sentences\n" in done.stderr) == (source != "x.nbest"), (
            source
        )
        assert "without the names" not in call("lattice", "oracle", source, "--reference", "reference").stderr
