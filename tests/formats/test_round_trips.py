"""Round trips of lattice formats: a lattice read again is the same, except for the reported losses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from format_helpers import random_lattice

import lattice_simp as ls
from lattice_simp import Lattice, confusion_network, nbest, reweight
from lattice_simp.core.header import Header
from lattice_simp.errors import InvalidLatticeError, LatticeSimpError
from lattice_simp.formats import FORMATS, KALDI, losses, read, write
from lattice_simp.formats.common import single_final
from lattice_simp.formats.generators.grammar import GRAMMARS
from lattice_simp.formats.htk.slf_fields import COLUMNS as COLUMNS_OF_SLF

WORDS = ("a", "the", "cat", "x=1", "語")
COLUMNS = ("acoustic", "lm", "time", "posterior", "x1", "LM", "Edits")
HEADER = Header("utterance-7", {"acoustic": 0.5, "lm": 12.0, "x1": -1.5}, -0.25, 3.5, {"vocab": "big dict"}, ("v",))
TABLE = "".join(f"{word} {number}\n" for number, word in enumerate(("<eps>", *WORDS)))
NETWORKS = ("mesh", "sausages", "moses-cn")
READ = [name for name in FORMATS if name not in GRAMMARS]


def lattice_of(seed: int) -> Lattice:
    """Returns a lattice with or without features, consistent or inconsistent times, final costs, and a header."""
    rng = np.random.default_rng([seed, 1])
    columns = tuple(name for name in COLUMNS if rng.random() < 0.5)
    lattice = random_lattice(seed, words=WORDS, columns=columns, one_final=seed % 3 == 0, single_precision=True)
    lattice = lattice.connected()
    if lattice.empty:
        return lattice_of(seed + 1000)
    if "posterior" in columns:
        lattice = lattice.with_feature("posterior", np.log(rng.random(lattice.num_arcs)))
    if "time" in columns and seed % 2:
        times = np.sort(rng.integers(0, 1000, lattice.num_states)) / 100
        lattice = lattice.with_feature("time", times[lattice.nextstates] - times[lattice.sources])
    small = replace(lattice, weights=lattice.weights % 20, finals=np.where(np.isfinite(lattice.finals), 1.5, np.inf))
    features = {name: np.round(feature, 3) for name, feature in small.features.items()}
    for name, feature in features.items():
        small = small.with_feature(name, feature, np.where(np.isfinite(small.finals), seed % 2, 0))
    if seed % 4 == 1:  # the header determines costs from the features
        known = [name for name in HEADER.scales if name in small.features]
        words = 0.25 * (small.olabels != 0)
        small = replace(
            small,
            weights=words - sum((HEADER.scales[name] * small.features[name] for name in known), np.zeros(len(words))),
            finals=small.finals - 1.5 - sum(HEADER.scales[name] * small.features.final(name) for name in known),
        )
    return replace(small, header=HEADER) if seed % 2 else small


def holdable(lattice: Lattice, format: str) -> Lattice:
    """Returns the lattice, or its confusion network for formats of networks."""
    if format not in NETWORKS:
        return lattice
    return replace(confusion_network(lattice, 0.2, max_arcs=6), header=lattice.header)  # few paths


def paths(lattice: Lattice, names: list[str]) -> list[tuple]:
    """Returns the strings of all paths, their costs and the sums of these features, in order."""
    hypotheses = nbest(lattice, 100_000, unique=False)
    return sorted(
        (path.tokens, round(path.cost, 4), *(round(path.features[name], 4) for name in names)) for path in hypotheses
    )


def costless(lattice: Lattice) -> Lattice:
    finals = np.where(np.isfinite(lattice.finals), 0.0, np.inf)
    return replace(lattice, weights=0 * lattice.weights, finals=finals)


def columns_of(lattice: Lattice, format: str) -> dict[str, str]:
    """Returns the features in a file, by their names after reading."""
    lost = {phrase: list(names) for phrase, names in losses(lattice, "x", format).items()}
    moved = dict(name.split() for name in lost.pop("features are written to other fields:", []))
    missing = {name for names in lost.values() for name in names}
    columns = {name: name for name in lattice.features if name not in missing}
    return columns | {name: COLUMNS_OF_SLF[place.strip("()=")] for name, place in moved.items()}


def options(path: Path, format: str) -> dict[str, Path]:
    """Returns the options of a format: the numbers of words for Kaldi's binary lattices."""
    table = path.with_name("words.txt")
    table.write_text(TABLE, encoding="utf-8")
    return {"symbols_path": table} if format == "kaldi-binary" else {}


def written(lattice: Lattice, path: Path, format: str) -> bool:
    """Writes a lattice; returns whether the format can represent its costs."""
    try:
        write(lattice, path, format, **options(path, format))
    except LatticeSimpError:
        assert format in ("plf", "features")  # probabilities beyond floating point; costs without features
        return False
    return True


@pytest.mark.parametrize("format", READ)
@pytest.mark.parametrize("seeds", [16, pytest.param(60, marks=pytest.mark.slow)])
def test_what_a_format_does_not_hold_is_named(format, seeds, tmp_path):
    count = 0
    for seed in range(seeds):
        lattice = holdable(lattice_of(seed), format)
        if not written(lattice, tmp_path / "x", format):
            continue
        count += 1
        again = read(tmp_path / "x", format, **options(tmp_path / "x", format))
        columns = columns_of(lattice, format)
        held = {
            name: column for name, column in columns.items() if lattice.features[name].any() or column in again.features
        }
        assert set(again.features) >= set(held.values()), seed
        if format == "features":  # it stores no costs, and reports it
            lattice, again = costless(lattice), costless(again)
        if format in KALDI and lattice.header.scales.get("acoustic", 1.0) != 1.0 and "acoustic" in lattice.features:
            again = reweight(again, {"graph": 1.0, "acoustic": lattice.header.scales["acoustic"]})  # scales are lost
        expected, hypotheses = paths(lattice, list(held)), paths(again, list(held.values()))
        assert [entry[0] for entry in expected] == [entry[0] for entry in hypotheses], seed
        for first, second in zip(expected, hypotheses, strict=True):
            assert second[1:] == pytest.approx(first[1:], rel=1e-4, abs=2e-3), (seed, first[0], held)
    assert count > seeds // 4


@pytest.mark.parametrize("format", READ)
def test_headers_are_held_or_named(format, tmp_path):
    for seed in range(1, 60, 2):
        lattice = holdable(lattice_of(seed), format)
        if not written(lattice, tmp_path / "x", format):
            continue
        again = read(tmp_path / "x", format, **options(tmp_path / "x", format)).header
        reported = losses(lattice, "x", format)
        lost = {name for names in reported.values() for name in names}
        if format in KALDI:
            assert "vocab" in lost, seed
            assert again.name == HEADER.name, seed
            unscaled = [
                names
                for message, names in reported.items()
                if message.startswith("costs are written without their scales")
            ]
            assert bool(unscaled and unscaled[0]) == ("acoustic" in lattice.features), seed
            continue
        if format != "slf":
            assert {"vocab"} <= lost, seed
            assert again.name == (None if "utterance" in lost else HEADER.name), seed
            assert "scales" in lost or not (lattice.features and format in ("plf", "features")), seed
            continue
        assert replace(again, scales={}, start=0.0, unread=()) == replace(HEADER, scales={}, start=0.0, unread=()), seed
        kept = {name: scale for name, scale in HEADER.scales.items() if name in lattice.features}
        assert {name: again.scales[name] for name in kept} == kept, seed
        assert "time" not in lattice.features or "time" in lost or again.start == HEADER.start, seed
        assert "v=" in lost, seed


@pytest.mark.parametrize("first", READ)
@pytest.mark.parametrize("second", READ)
@pytest.mark.parametrize("count", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_plain_lattices_go_from_each_format_to_each(first, second, count, tmp_path):
    for seed in range(count):
        lattice = random_lattice(seed, words=WORDS, one_final=True, single_precision=True).connected()
        features = {"features"} & {first, second}
        if lattice.empty or not lattice.num_arcs:
            continue
        lattice = replace(lattice, weights=np.abs(lattice.weights) % 8)
        for format in (first, second):
            lattice = holdable(lattice, format)
        if features:
            lattice = replace(lattice, weights=0 * lattice.weights)
        once, twice = tmp_path / "x", tmp_path / "y"
        write(lattice, once, first, **options(once, first))
        if first == "pfsg" and second in NETWORKS:  # its words are on nodes, so a network does not stay a chain
            with pytest.raises(InvalidLatticeError, match="can only hold confusion networks"):
                write(read(once, first), twice, second, **options(twice, second))
            return
        write(read(once, first, **options(once, first)), twice, second, **options(twice, second))
        # Costs of PFSG are multiples of 1/10000.5; those of networks are not exact in single precision.
        tolerance = 6e-4 if "pfsg" in (first, second) else 1.1e-4 if {first, second} & set(NETWORKS) else 0.0
        again = paths(read(twice, second, **options(twice, second)), [])
        expected = paths(lattice, [])
        assert [path[0] for path in again] == [path[0] for path in expected], seed
        assert [path[1] for path in again] == pytest.approx([path[1] for path in expected], rel=0, abs=tolerance), seed


def test_costs_in_slf_are_what_other_readers_make_of_the_fields(tmp_path):
    """The cost of each arc is the sum of scaled fields as computed by SRILM, to the last bits."""
    for seed in range(60):
        lattice = lattice_of(seed)
        write(lattice, tmp_path / "x.slf")
        header, links = {}, []
        for line in (tmp_path / "x.slf").read_text().splitlines():
            fields = dict(part.split("=", 1) for part in line.replace('"big dict"', "dict").split(" "))
            if "J" in fields:
                links.append(fields)
            elif "I" not in fields:
                header |= fields
        names = {"a": "ac", "l": "lm", **{f"x{number}": f"x{number}" for number in range(1, 10)}}
        again = read(tmp_path / "x.slf")
        costs = sorted(single_final(lattice)[0].weights.tolist())
        assert sorted(again.weights.tolist()) == pytest.approx(costs, rel=1e-13, abs=1e-13), seed
        for index, link in enumerate(links):
            score = sum(float(header[f"{name}scale"]) * float(link[key]) for key, name in names.items() if key in link)
            score += float(header["wdpenalty"]) * (link["W"] != "!NULL")
            assert -score == pytest.approx(again.weights[index], abs=1e-9), seed


EMPTY = {
    "the empty string": ls.Lattice.from_strings([("", 0.0)]),
    "an epsilon": ls.Lattice.from_arcs([0], [0], [0.0], [1], [np.inf, 0.0], ls.SymbolTable()),
    "nothing": ls.Lattice.from_strings([]),
}


@pytest.mark.parametrize(
    "suffix", [".lats", ".ark", ".sausages", ".txt", ".plf", ".cn", ".mesh", ".slf", ".fst", ".pfsg"]
)
@pytest.mark.parametrize("name", EMPTY)
def test_lattices_without_words_are_recognised(tmp_path: Path, name: str, suffix: str) -> None:
    """They are written so that they are read again, or refused."""
    path, lattice = tmp_path / f"x{suffix}", EMPTY[name]
    if name == "nothing" and suffix not in (".lats", ".ark", ".txt", ".fst"):
        with pytest.raises(ls.EmptyLatticeError):
            ls.write(lattice, path)
        return
    ls.write(lattice, path)
    assert [entry.text for entry in ls.nbest(ls.read(path), 2)] == [entry.text for entry in ls.nbest(lattice, 2)]


@pytest.mark.parametrize("word", ["New York", "a\tb", "a\nb", " ", "a "])
def test_words_with_blanks(tmp_path: Path, word: str) -> None:
    """JSON lines keep them; Moses' format refuses them."""
    entries = [ls.Hypothesis((word, "c"), 1.0, times=((0.0, 1.0), (1.0, 2.0)))]
    ls.write_nbest([(0, entries)], tmp_path / "x.jsonl")
    [[again]] = ls.read_nbest(tmp_path / "x.jsonl")
    assert (again, again.times) == (entries[0], entries[0].times)
    with pytest.raises(ls.InvalidLatticeError, match=r"cannot represent the words .*\(write JSON lines"):
        ls.write_nbest([(0, entries)], tmp_path / "x.nbest")


@pytest.mark.parametrize("name", ["x.nbest", "x.jsonl"])
@pytest.mark.parametrize("tokens", [("",), ("a", ""), ("", "a"), ("a", "", "b"), ("", "")])
def test_words_without_letters_are_refused(tmp_path: Path, tokens: tuple[str, ...], name: str) -> None:
    with pytest.raises(InvalidLatticeError, match="an n-best list cannot represent the"):
        ls.write_nbest([(0, [ls.Hypothesis(tokens, 1.0)])], tmp_path / name)
    assert not (tmp_path / name).exists()


def test_the_name_of_the_empty_word_is_no_word(tmp_path: Path) -> None:
    with pytest.raises(ls.InvalidLatticeError, match="the word <epsilon> of 'a <epsilon> b' is the name of the empty"):
        ls.Lattice.from_strings("a <epsilon> b")
    (tmp_path / "x.nbest").write_text("0 ||| a <epsilon> b ||| ||| -1\n1 ||| a <eps> b ||| ||| -1\n")
    assert [entry.text for entries in ls.read_nbest(tmp_path / "x.nbest") for entry in entries] == [
        "a <epsilon> b",
        "a <eps> b",
    ]
    lattices = ls.read_all(tmp_path / "x.nbest")
    with pytest.raises(ls.InvalidLatticeError, match="leave it out, or give the word another name"):
        next(lattices)


BLANKS_AND_MARKS = ["\u3000", "\\\u3000", "a\x0b", "\ufeff", "\ufeffa", "a\x0cb", "\x0c"]


@pytest.mark.parametrize("suffix", [".mesh", ".cn", ".pfsg", ".sausages", ".txt", ".plf", ".slf", ".fst", ".lats"])
def test_words_with_rare_blanks_and_byte_order_marks(tmp_path: Path, suffix: str) -> None:
    """They are kept, or refused: no character is lost, and the file is recognised."""
    kept = 0
    for word in BLANKS_AND_MARKS:
        path, lattice = tmp_path / f"x{suffix}", Lattice.from_strings([([word, "b"], 0.0)])
        try:
            ls.write(lattice, path)
        except InvalidLatticeError as error:
            assert "hold the word" in str(error)  # noqa: PT017
            continue
        kept += 1
        assert [hypothesis.tokens for hypothesis in ls.nbest(ls.read(path), 2)] == [(word, "b")]
    assert kept == (0 if suffix in (".mesh", ".cn", ".pfsg") else len(BLANKS_AND_MARKS))


def test_words_that_a_table_numbers_0_are_refused(tmp_path: Path) -> None:
    """They would become epsilons."""
    table = tmp_path / "words.txt"
    table.write_text("<eps> 0\na 1\n")
    lattice = Lattice.from_strings("a <eps>")
    for name in ("x.lats", "x.ark", "x.sausages"):
        with pytest.raises(InvalidLatticeError, match="no number for '<eps>', except 0, which means epsilon"):
            ls.write(lattice, tmp_path / name, symbols_path=table)


def test_features_without_a_name_are_refused_in_plf(tmp_path: Path) -> None:
    lattice = Lattice.from_strings("a").with_feature("", [-1.0])
    with pytest.raises(InvalidLatticeError, match="a feature whose name is empty"):
        ls.write(lattice, tmp_path / "x.plf")


def test_lattices_with_features_that_could_not_be_read_back(tmp_path: Path) -> None:
    """Cycles are refused, and sentence ends that the reader removes are reported."""
    words = ls.SymbolTable(["a", "</s>"])
    loop = Lattice.from_arcs([0], [1], [0.0], [0], [0.0], words)
    with pytest.raises(ls.CyclicLatticeError):
        ls.write(loop, tmp_path / "x", "features")
    lost = losses(Lattice.from_strings("a </s>", words), "x", "features")
    assert ["</s>"] in lost.values()
    assert ["</s>"] not in losses(Lattice.from_strings("a", words), "x", "features").values()


@pytest.mark.parametrize("cost", [0.0, 1.0, 0.25])
@pytest.mark.parametrize("name", ["0", "12", "u"])
@pytest.mark.parametrize("suffix", [".txt", ".lats", ".ark", ".fst"])
def test_costs_of_the_empty_string_are_recognised(tmp_path: Path, name: str, cost: float, suffix: str) -> None:
    """A number and a cost of 1 look like a word with its probability."""
    lattice = replace(Lattice.from_strings([("", cost)]), header=Header(name))
    ls.write(lattice, tmp_path / f"x{suffix}")
    [hypothesis] = ls.nbest(ls.read(tmp_path / f"x{suffix}"), 2)
    assert (hypothesis.text, hypothesis.cost) == ("", cost)
