"""HTK's Standard Lattice Format."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from format_helpers import COMPRESSIONS, WORDS, assert_same, fuzz, random_lattice

import lattice_simp as ls
from lattice_simp import Lattice, SymbolTable
from lattice_simp.core.columns import UNKNOWN_LOG
from lattice_simp.core.header import Header
from lattice_simp.errors import EmptyLatticeError, FormatError, InputWarning, InvalidLatticeError
from lattice_simp.formats import losses, read, slf, write
from lattice_simp.formats.slf import parse_slf, write_slf
from lattice_simp.formats.slf_rows import plain_rows

HTK = r"""# header
VERSION=1.0
UTTERANCE=testf1
lmname=wdnet
lmscale=20.00  wdpenalty=-30.00
vocab=dict
N=5    L=5
I=0    t=0.00
I=1    t=0.36
I=2    t=0.75
I=3    t=0.81
I=4    t=0.90
J=0     S=0    E=1    W=SILENCE   v=0 a=-3239.01   l=0.00
J=1     S=1    E=2    W=FOUR      v=0 a=-3820.77   l=-0.5
J=2     S=1    E=3    W=\"quoted  v=0 a=-4000.00   l=-0.25
J=3     S=2    E=4    W=!NULL     a=0.00 l=0.00
J=4     S=3    E=4    W=it\'s a=-1.5
.
"""

NODES = """VERSION=1.1
base=10
N=4 L=4
I=0 W=!NULL
I=1 t=0.1 W=the v=1
I=2 t=0.1 W="a b"
I=3 W=!NULL
J=0 S=0 E=1 a=-2 l=-1 unknown=7 p=0.25
J=1 S=0 E=2 a=-3 r=-0.5 p=0.75
J=2 S=1 E=3
J=3 S=2 E=3
"""


def _words(lattice):
    return [lattice.symbols[label] for label in lattice.olabels]


def test_htk_words_on_links():
    lattice = parse_slf(HTK.encode())
    assert _words(lattice) == ["SILENCE", "FOUR", '"quoted', "<epsilon>", "it's"]
    assert lattice.weights.tolist() == [3239.01 + 30, 3820.77 + 10 + 30, 4000 + 5 + 30, 0.0, 31.5]
    assert lattice.features["acoustic"].tolist() == [-3239.01, -3820.77, -4000.0, 0.0, -1.5]
    assert lattice.features["lm"].tolist() == [0.0, -0.5, -0.25, 0.0, 0.0]
    assert lattice.finals.tolist() == [np.inf] * 4 + [0.0]


def test_times_of_nodes_are_a_column(tmp_path):
    lattice = parse_slf(HTK.encode())
    np.testing.assert_allclose(lattice.features["time"], [0.36, 0.39, 0.45, 0.15, 0.09])
    assert "time" not in parse_slf(NODES.encode()).features, "some nodes have no time"
    assert parse_slf(NODES.encode()).header.unread == ("t", "unknown", "v")
    write_slf(lattice, tmp_path / "a.slf")
    assert "I=3 t=0.81\n" in (tmp_path / "a.slf").read_text()
    again = parse_slf((tmp_path / "a.slf").read_bytes())
    np.testing.assert_allclose(again.features["time"], lattice.features["time"])
    uneven = lattice.with_feature("time", [0.36, 0.39, 0.45, 0.15, 1.0])
    write_slf(uneven, tmp_path / "b.slf")
    assert " t=" not in (tmp_path / "b.slf").read_text(), "paths to the last node differ"


def test_a_time_that_is_none():
    with pytest.raises(FormatError, match="x:8: t=late is not a finite number"):
        parse_slf(HTK.replace("t=0.00", "t=late").encode(), path="x")


def test_the_time_of_a_word_on_the_start_node():
    text = b"N=2 L=1\nI=0 W=<s> t=0.5\nI=1 W=cat t=0.75\nJ=0 S=0 E=1\n"
    assert parse_slf(text).features["time"].tolist() == [0.0, 0.25]


def test_srilm_words_on_nodes():
    lattice = parse_slf(NODES.encode())
    assert _words(lattice) == ["the", "a b", "<epsilon>", "<epsilon>"]
    np.testing.assert_allclose(lattice.weights, np.array([3, 3.5, 0, 0]) * math.log(10))
    np.testing.assert_allclose(lattice.features["pronunciation"], np.array([0, -0.5, 0, 0]) * math.log(10))
    assert lattice.features["posterior"].tolist()[:2] == [math.log(0.25), math.log(0.75)]
    assert lattice.features["posterior"].tolist()[2:] == [UNKNOWN_LOG, UNKNOWN_LOG]


def test_kaldi_style():
    text = "VERSION=1.0\nUTTERANCE=u\nN=2\tL=1\nI=0\tt=0.00\nI=1\tt=0.1\nJ=0\tS=0\tE=1\tW=cat\tv=0\ta=-3\tl=-2\n"
    lattice = parse_slf(text.encode())
    assert (_words(lattice), lattice.weights.tolist()) == (["cat"], [5.0])


def test_long_names_and_line_ends():
    text = "NODES=2 LINKS=1\nI=0\nI=1\nJ=0 START=0 END=1 WORD=cat acoustic=-1 language=-2"
    for end in ("\n", "\r\n", "\n# comment\n\n"):
        assert parse_slf(text.replace("\n", end).encode()).weights.tolist() == [3.0]


def test_long_names_of_times_and_posteriors():
    text = "NODES=2 LINKS=1\nI=0 time=0\nI=1 time=0.5\nJ=0 START=0 END=1 WORD=cat var=1 acoustic=-1 posterior=0.5\n"
    for line_by_line in ("", "# comment\n"):
        lattice = parse_slf(text.replace("J=", f"{line_by_line}J=").encode())
        assert (lattice.features["time"].tolist(), lattice.features["posterior"].tolist()) == ([0.5], [math.log(0.5)])


def test_probabilities_are_logs_in_memory(tmp_path):
    values = ["0.0", "1e-05", "0.1", "0.3333333333333333", "0.75", "1.0"]
    links = "".join(f"J={place} S=0 E=1 W=w{place} p={value}\n" for place, value in enumerate(values))
    lattice = parse_slf(f"N=2 L=6\nI=0\nI=1\n{links}".encode())
    assert np.exp(lattice.features["posterior"][1:]).tolist() == pytest.approx([float(value) for value in values[1:]])
    write_slf(lattice, tmp_path / "x.slf")
    assert re.findall(r"p=(\S+)", (tmp_path / "x.slf").read_text())[-6:] == values
    write(lattice, tmp_path / "x.plf")
    assert read(tmp_path / "x.plf").features["posterior"].tolist() == lattice.features["posterior"].tolist()


def test_logs_are_no_probabilities():
    for line, comment in ((4, ""), (5, "# comment\n")):
        text = f"N=2 L=1\nI=0\nI=1\n{comment}J=0 S=0 E=1 p=-0.5\n"
        with pytest.raises(
            FormatError, match=rf"x:{line}: p=-0.5 is not a probability \(write probabilities from 0 to"
        ):
            parse_slf(text.encode(), path="x")


def test_linear_scores():
    text = "base=0\nlmscale=2\nwdpenalty=0\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=cat a=0.5 l=0.25\n"
    assert parse_slf(text.encode()).weights.tolist() == [math.log(2) + 2 * math.log(4)]
    with pytest.raises(FormatError, match=":7: a=0 is not a probability"):
        parse_slf(text.replace("a=0.5", "a=0").encode(), path="x")


def test_scales():
    text = (
        "acscale=0.5 ngscale=3 prscale=0 x2scale=2\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 a=-2 n=-1 r=-7 x1=-5 x2=-4 ds=-9\n"
    )
    lattice = parse_slf(text.encode())
    assert lattice.weights.tolist() == [1.0 + 3.0 + 8.0]
    assert set(lattice.features) == {"acoustic", "ngram", "pronunciation", "x1", "x2", "duration"}


def test_start_and_end():
    text = "start=2\nend=0\nN=3 L=2\nI=0\nI=1\nI=2\nJ=0 S=2 E=1 W=a\nJ=1 S=1 E=0 W=b\n"
    lattice = parse_slf(text.encode())
    assert lattice.nextstates.tolist() == [2, 1]
    assert lattice.finals.tolist() == [np.inf, 0.0, np.inf]
    assert_same(parse_slf(text.replace("start=2\nend=0\n", "").encode()), lattice)


def test_a_word_on_the_start_node():
    lattice = parse_slf(b"N=2 L=1\nI=0 W=<s>\nI=1 W=cat\nJ=0 S=0 E=1\n")
    assert (_words(lattice), lattice.nextstates.tolist()) == (["<s>", "cat"], [1, 2])


def test_huge_node_numbers():
    lattice = parse_slf(b"I=999999999999\nI=5\nJ=0 S=5 E=999999999999 W=a\n")
    assert lattice.finals.tolist() == [np.inf, 0.0]


def test_single_node():
    assert parse_slf(b"N=1 L=0\nI=0\n").finals.tolist() == [0.0]


def test_exact_round_trip(tmp_path):
    for seed in range(40):
        path = tmp_path / f"x.slf{COMPRESSIONS[seed % 4]}"
        words = (*WORDS, "two words", "tab\tline\nnul\x005", "'single'", '"double"', "=", "\\101", "\x18345")
        columns = [(), ("acoustic", "lm"), ("acoustic", "lm", "posterior", "x1")][seed % 3]
        lattice = random_lattice(seed, one_final=True, cyclic=seed % 4 == 0, words=words, columns=columns)
        write_slf(lattice, path, utterance="a b", lmscale=12.5, wdpenalty=-0.5)
        again = read(path, "slf")
        for name in columns if lattice.num_arcs else ():
            close = 1e-15 if name == "posterior" else 0.0  # written as a probability
            np.testing.assert_allclose(
                again.features[name], lattice.features[name], rtol=0, atol=close, err_msg=str(seed)
            )
        assert_same(replace(again, features=lattice.features), lattice)
        write_slf(again, tmp_path / "second.slf", utterance="a b", lmscale=12.5, wdpenalty=-0.5)
        write_slf(
            read(tmp_path / "second.slf", "slf"), tmp_path / "third.slf", utterance="a b", lmscale=12.5, wdpenalty=-0.5
        )
        assert (tmp_path / "third.slf").read_bytes() == (tmp_path / "second.slf").read_bytes(), seed


def test_scores_that_add_up_keep_their_scales(tmp_path):
    lattice = parse_slf(HTK.encode())
    write_slf(lattice, tmp_path / "x.slf", lmscale=20.0, wdpenalty=-30.0)
    text = (tmp_path / "x.slf").read_text()
    assert "lmscale=20.0\n" in text
    assert "x1" not in text
    assert_same(read(tmp_path / "x.slf", "slf"), lattice)


def test_bases_and_headers_come_back(tmp_path):
    rng = np.random.default_rng(5)
    for base in ("10", "2", "1.0003", "2.718281828459045"):
        scores = [
            f"a={a:.6g} l={score:.4g}"
            for a, score in zip(rng.normal(-900, 300, 60), rng.normal(-3, 2, 60), strict=True)
        ]
        links = "".join(f"J={index} S=0 E=1 W=w{index} {score}\n" for index, score in enumerate(scores))
        text = f"base={base}\nlmscale=12.7 wdpenalty=-0.3 U=me vocab=a\nN=2 L=60\nI=0 t=0.31\nI=1 t=0.4\n{links}"
        lattice = parse_slf(text.encode())
        write_slf(lattice, tmp_path / "x.slf")
        again = read(tmp_path / "x.slf", "slf")
        assert_same(again, lattice)
        assert again.header.fields == {"base": base, "vocab": "a"}
        assert (again.header.name, again.header.scales) == ("me", {"acoustic": 1.0, "lm": 12.7})
        assert again.header.word_score == pytest.approx(-0.3 * math.log(float(base)))
        assert again.header.start == 0.31
        assert [float(word[2:]) for word in scores[0].split()] == [
            float(word[2:]) for word in (tmp_path / "x.slf").read_text().splitlines()[-60].split()[-2:]
        ]


def test_probabilities_become_logs(tmp_path):
    text = "base=0\nlmscale=2\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=cat a=0.5 l=0.25\n"
    lattice = parse_slf(text.encode())
    write_slf(lattice, tmp_path / "x.slf")
    assert "base=2.718281828459045\n" in (tmp_path / "x.slf").read_text()
    assert_same(read(tmp_path / "x.slf", "slf"), lattice)


def test_nine_fields_of_their_own_and_other_costs(tmp_path):
    """If all fields are used, the last one is replaced by the rest of the costs, which is reported."""
    names = ("acoustic", *(f"x{number}" for number in range(1, 10)))
    lattice = Lattice.from_strings([("a b", 1.0), ("c", 2.0)])
    for number, name in enumerate(names):
        lattice = lattice.with_feature(name, np.full(lattice.num_arcs, number + 0.5))
    write_slf(lattice, tmp_path / "x.slf")
    assert read(tmp_path / "x.slf", "slf").weights.tolist() == lattice.weights.tolist()
    assert ["x9"] in [list(lost) for lost in losses(lattice, tmp_path / "x.slf").values()]


def test_a_start_time_without_times_is_reported_as_lost():
    lattice = replace(Lattice.from_strings("a"), header=Header(start=1.5))
    reported = [list(names) for names in losses(lattice, "x.slf").values()]
    assert ["start time"] in reported
    timed = losses(lattice.with_feature("time", [0.5]), "x.slf")
    assert ["start time"] not in [list(names) for names in timed.values()]


def test_final_costs_become_null_links(tmp_path):
    lattice = Lattice.from_arcs([0], [1], [0.5], [1], [2.5, 1.5], SymbolTable(["a"]))
    write_slf(lattice, tmp_path / "x.slf")
    again = read(tmp_path / "x.slf", "slf")
    assert (_words(again), again.weights.tolist()) == (["a", "<epsilon>", "<epsilon>"], [0.5, 2.5, 1.5])
    assert again.finals.tolist() == [np.inf, np.inf, 0.0]


def test_what_cannot_be_written(tmp_path):
    path = tmp_path / "x.slf"
    with pytest.raises(EmptyLatticeError):
        write_slf(Lattice.empty_like(Lattice.from_strings([("a", 0.0)])), path)
    with pytest.raises(InvalidLatticeError, match="SLF cannot represent the word '!NULL'"):
        write_slf(Lattice.from_strings([("!NULL", 0.0)]), path)
    table = SymbolTable(["a"])
    transducer = Lattice.from_arcs([0], [1], [0.5], [1], [2.5, 1.5], table, inputs=([0], table))
    with pytest.raises(InvalidLatticeError, match="SLF cannot represent transducers"):
        write_slf(transducer, path)
    assert not list(tmp_path.iterdir())


BODY = "N=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a a=-1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x: the file is empty"),
        ("VERSION=1.0\n", "x: the file is empty: no nodes"),
        ("0 1 a\n", "x:1: not an SLF line: '0 1 a'"),
        (BODY.replace("N=2", "N=3"), "x:1: the header announces 3 nodes, but there are 2"),
        (BODY.replace("L=1", "L=4"), "x:1: the header announces 4 links, but there are 1 .*cut off"),
        (BODY.replace("L=1", "L=x"), "x:1: the header announces x links"),
        (BODY.replace("E=1", "E=7"), "x:4: the node 7 has no line I="),
        (BODY.replace("E=1", "E=-1"), "x:4: not a node number: E=-1"),
        (BODY.replace("E=1", ""), "x:4: not a node number: no field E="),
        (BODY.replace("I=1", "I=0"), "x:3: the node 0 occurs twice"),
        (BODY.replace("a=-1", "a=x"), "x:4: a=x is not a finite number"),
        (BODY.replace("a=-1", "a=nan"), "x:4: a=nan is not a finite number"),
        (BODY.replace("a=-1", "a=-inf"), "x:4: a=-inf is not a finite number"),
        (BODY.replace("a=-1", "rubbish"), "x:4: not an SLF field: ' rubbish'"),
        (BODY.replace("W=a", "W=\\377"), "x:4: bytes that are not UTF-8"),
        (BODY.replace("I=1", "I=1 L=sub"), "x:3: sublattices"),
        (f"SUBLAT=sub\n{BODY}\n.\n{BODY}", "x:1: sublattices"),
        (f"{BODY}\n.\n{BODY}", "x:7: another lattice begins"),
        ("base=-1\n" + BODY, "x:1: base=-1 is not a base"),
        ("base=1\n" + BODY, "x:1: base=1 is not a base"),
        ("base=x\n" + BODY, "x:1: base=x is not a finite number"),
        ("acscale=nan\n" + BODY, "x:1: acscale=nan is not a finite number"),
        ("wdpenalty=x\n" + BODY, "x:1: wdpenalty=x is not a finite number"),
        ("dir=b\n" + BODY, "x:1: backward lattices"),
        ("start=9\n" + BODY, "x:1: start=9 is not a node"),
        ("end=x\n" + BODY, "x:1: end=x is not a node"),
        (BODY.replace("L=1", "L=2") + "J=1 S=1 E=0\n", "x: there are 0 nodes that no links lead to"),
        ("I=0\nI=1\n", "x: there are 2 nodes that no links lead to .*start="),
        (BODY.replace("a=-1", "a=-1e99") + "acscale=100\n", "cost"),
    ],
)
def test_broken_files(text, message):
    with pytest.raises(FormatError, match=message):
        parse_slf(text.encode(), path="x")


def test_long_header_rubbish_is_read_in_linear_time():
    text = "VERSION=1.0 " + "x" * 2_000_000 + "\n" + "UTTERANCE=" + '"' * 100_001 + " y\n" + BODY
    assert parse_slf(text.encode()).num_arcs == 1


def line_by_line(data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slf, "plain_rows", lambda *_: None)
        return result_of(data)


def result_of(data):
    """Returns the content of a lattice, or the text of the error."""
    try:
        lattice = parse_slf(data, path="x")
    except FormatError as error:
        return str(error)
    columns = [lattice.sources, lattice.nextstates, lattice.olabels, lattice.weights, lattice.finals]
    features = {
        name: (scores.tolist(), lattice.features.final(name).tolist()) for name, scores in lattice.features.items()
    }
    return [column.tolist() for column in columns], features, list(lattice.symbols), repr(lattice.header)


VALUES = {
    "t": ["0.5", "1", "2.25", "1e-2", "late", "1_0", "inf", "."],
    "W": [
        "cat",
        "!NULL",
        "",
        "a=b",
        "it's",
        '"a b"',
        "'x'",
        r"\\303\\244",
        r"\\377",
        "\u00a0",
        "ä",
        '"open',
        "[sil]",
        "<epsilon>",
    ],
    "a": ["-1.5", "-2e3", "+.5", "1e999", "-", "x", "0"],
    "l": ["-1", "-0.25"],
    "p": ["0.5", "1", "2"],
    "v": ["1", '"q r"', ""],
    "acoustic": ["-7"],
    "WORD": ["dog"],
    "SUBLAT": ["x"],
    "I": ["3"],
}
HEADERS = [
    "VERSION=1.1",
    "# comment",
    "",
    "lmscale=2 wdpenalty=-1",
    "base=10",
    "base=0",
    "base=1",
    "UTTERANCE=u",
    "N=3",
    "L=3",
    "dir=b",
]
HEADERS += ["start=0", "end=7", "  I=9", ".", 'U="a b"', "words without fields"]


def odd_file(rng):
    """Returns the text of a small file; about half of them have something odd."""
    odd = rng.choice([0.0, 0.0, 0.02, 0.1])

    def value(name):
        return str(rng.choice(VALUES[name] if rng.random() < odd else VALUES[name][:2]))

    def line(required, optional):
        fields = [f"{name}={number}" for name, number in required]
        fields += [f"{name}={value(name)}" for name in optional]
        if rng.random() < odd:
            fields += [f"{name}={value(name)}" for name in rng.choice(list(VALUES), 2)] + ["rubbish"][: rng.integers(2)]
        if rng.random() < odd:
            fields[1:] = rng.permutation(fields[1:]).tolist()
        if rng.random() < odd:
            rng.shuffle(fields)
        blank = rng.choice([" ", "  ", "\t"]) if rng.random() < odd else " "
        return blank.join(fields) + (str(rng.choice([" ", "\t", "\r"])) if rng.random() < odd else "")

    def optional(names):
        return [name for name in names if rng.random() < 0.6]

    nodes, names, scores = int(rng.integers(1, 5)), optional("tW"), optional("Walpv")
    lines = [str(header) for header in rng.choice(HEADERS, 2) if rng.random() < 0.3 + odd]
    lines += [line([("I", n)], names if rng.random() >= odd else optional(names)) for n in range(nodes)]
    ends = [(n, n + 1) for n in range(nodes - 1)] + [(0, nodes - 1)] * (nodes > 1)
    lines += [
        line([("J", n), ("S", s), ("E", e)], scores if rng.random() >= odd else optional(scores))
        for n, (s, e) in enumerate(ends)
    ]
    if rng.random() < odd:
        lines.insert(
            int(rng.integers(len(lines) + 1)), str(rng.choice([*HEADERS, "J=1 S=0 E=8", "I=1", "I=x", "J=1 S=0"]))
        )
    if rng.random() < odd:
        lines[-2:] = lines[:-3:-1]
    end = "\r\n" if rng.random() < 0.2 else "\n"
    return (
        end.join(lines) + str(rng.choice([end, "", f"{end}.{end}", f"{end}.{end}I=0{end}", f"{end}{end}"]))
    ).encode()


def test_plain_rows_and_lines_give_the_same(monkeypatch):
    taken = []
    monkeypatch.setattr(slf, "plain_rows", lambda *arguments: taken.append(plain_rows(*arguments)) or taken[-1])
    for seed in range(500):
        data = odd_file(np.random.default_rng(seed))
        assert result_of(data) == line_by_line(data), (seed, data.decode())
    assert sum(plain is not None for plain in taken) > 150


def test_links_before_nodes():
    text = "J=0 S=0 E=1 W=a\nI=0\nI=1\nJ=1 S=0 E=1 W=b\n"
    assert parse_slf(text.encode()).num_arcs == 2


@pytest.mark.parametrize(
    "text",
    [
        HTK.replace('\\"', "").replace("\\'", ""),
        NODES.replace('"a b"', "b"),
        HTK.replace('\\"', "").replace("\\'", "").replace("\n", "\r\n"),
    ],
)
def test_usual_files_are_read_in_columns(text):
    assert plain_rows(text, {"a", "l", "p", "r"}) is not None
    assert result_of(text.encode()) == line_by_line(text.encode())


def test_any_bytes_are_read_or_refused(tmp_path):
    write_slf(random_lattice(1, one_final=True, columns=("lm",)), tmp_path / "x.slf")
    for data in (HTK.encode(), NODES.encode(), (tmp_path / "x.slf").read_bytes()):
        fuzz(data, parse_slf, seconds=0.5)


def test_links_that_lack_a_score_are_named():
    """A missing score is 0, so its path may seem the best; links without words may lack any."""
    text = "N=3 L=3\nI=0\nI=1\nI=2\nJ=0 S=0 E=1 W=a a=-9 l=-1\nJ=1 S=0 E=1 W=b a=-8\nJ=2 S=1 E=2 W=!NULL\n"
    with pytest.warns(InputWarning, match="1 link with a word but without l=, which others have") as caught:
        assert parse_slf(text.encode()).features["lm"].tolist() == [-1.0, 0.0, 0.0]
    assert len(caught) == 1


def test_lattices_of_moses_have_no_lines_of_nodes_and_more_scores(tmp_path):
    """The end is the last node; a node of a hypothesis that was recombined leads nowhere."""
    text = "UTTERANCE=Sentence_0\nVERSION=1.1\nNODES=5\nLINKS=5\n# LM0 1 of 1\nx1scale=0.5\nx12scale=2\n"
    text += "J=0 S=0 E=1 W=das x1=-1 x12=-0.5\nJ=1 S=1 E=2 W=haus x1=-1 x12=-1\nJ=2 S=0 E=2 W=hut x1=-2 x12=-3\n"
    text += "J=3 S=0 E=3 W=ein x1=-1 x12=-1\nJ=4 S=2 E=4\n"
    lattice = parse_slf(text.encode())
    assert [(path.text, path.cost) for path in ls.nbest(lattice, 3)] == [("das haus", 4.0), ("hut", 7.0)]
    assert lattice.header.scales == {"x1": 0.5, "x12": 2.0}
    write_slf(lattice.connected(), tmp_path / "a.slf")
    assert [path.cost for path in ls.nbest(ls.read(tmp_path / "a.slf"), 3)] == [4.0, 7.0]
    with pytest.raises(FormatError, match="the header announces 4 nodes, but a link names 4"):
        parse_slf(text.replace("NODES=5", "NODES=4").encode())
    with pytest.raises(FormatError, match="the header announces 9 links, but there are 5"):
        parse_slf(text.replace("LINKS=5", "LINKS=9").encode())
