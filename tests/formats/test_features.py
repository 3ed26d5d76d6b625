"""Text lattices with features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from format_helpers import assert_same, fuzz, random_lattice

from lattice_simp import Lattice, SymbolTable, nbest, read, write
from lattice_simp.core.features import Features
from lattice_simp.errors import (
    CyclicLatticeError,
    EmptyLatticeError,
    FormatError,
    InvalidLatticeError,
)
from lattice_simp.formats.feature_lattice import parse_features

SEEDS = range(20)
NAMES = ("f0", "f1", "10")


def random_features(seed):
    """Makes a trim lattice without costs some of whose features are 0."""
    rng = np.random.default_rng(seed)
    lattice = random_lattice(seed, words=("a", "b", "it's", "x:1", "naïve"))
    final = np.isfinite(lattice.finals)
    final[0] = True  # at least one path
    arcs, ends = (rng.normal(size=(3, size)) for size in (lattice.num_arcs, lattice.num_states))
    arcs[rng.random(arcs.shape) < 0.3] = 0.0
    ends[:, ~final] = 0.0
    finals, weights = np.where(final, 0.0, np.inf), np.zeros(lattice.num_arcs)
    return replace(lattice, weights=weights, finals=finals, features=Features(NAMES, arcs, ends)).connected()


def test_what_is_written_is_read_back(tmp_path):
    path = tmp_path / "lattice.txt.gz"
    for seed in SEEDS:
        lattice = random_features(seed)
        write(lattice, path, "features")
        again = read(path, "features", lattice.symbols, feature_names=NAMES)
        assert again.symbols is lattice.symbols, f"seed {seed}"
        assert_same(again, lattice)
        assert np.array_equal(again.features.finals, lattice.features.finals), f"seed {seed}"
        assert again.features.arcs.dtype == again.features.finals.dtype == np.float64, f"seed {seed}"
        assert_same(read(path, "features"), replace(lattice, features=lattice.features.select(used_names(lattice))))


def test_scores_keep_double_precision(tmp_path):
    path = tmp_path / "lattice.txt"
    path.write_text("0 1 a lm:0.1\n1 lm:123456.789\n")
    lattice = read(path, "features")
    assert (lattice.features["lm"].tolist(), lattice.features.final("lm").tolist()) == ([-0.1], [0.0, -123456.789])
    write(lattice, path, "features")
    assert path.read_text() == "0 1 a lm:0.1\n1 lm:123456.789\n"


def used_names(lattice):
    """Returns the features that are not 0 everywhere: numbers first."""
    features = lattice.features
    return tuple(name for name in ("10", "f0", "f1") if features[name].any() or features.final(name).any())


def test_costs_become_scores_and_sentence_ends_vanish(tmp_path):
    path = tmp_path / "lattice.txt"
    path.write_text("0 1 <s> lm:2\n1 2 cat 10:0.5\n2 3 </s>\n3 lm:-1 9:4\n")
    symbols = SymbolTable()
    lattice = read(path, "features", symbols)
    assert lattice.features.names == ("9", "10", "lm")
    (first,) = nbest(lattice, 2)
    assert first.tokens == ("cat",)
    assert first.features == {"9": -4.0, "10": -0.5, "lm": -1.0}
    assert symbols.words == ["<epsilon>", "cat"]
    kept = read(path, "features", removed=())
    assert nbest(kept, ignore=())[0].tokens == ("<s>", "cat", "</s>")


def test_state_numbers_of_any_size_take_room_for_the_states_that_are_there():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        names = np.append(0, np.sort(rng.choice(10**18, 5, replace=False)))
        rows = [f"{{{a}}} {{{b}}} w{a}{b} lm:{a + 1} tm:{b}" for a in range(5) for b in range(a + 1, 6)]
        rows += ["{5} lm:2", "{3} tm:1"]
        text = "\n".join(rng.permutation(rows))
        plain = parse_features(text.format(*range(6)).encode())
        assert_same(parse_features(text.format(*names).encode()), plain)
        assert plain.num_states == 6, f"seed {seed}"
    nowhere = parse_features(b"7 268435456 a lm:1\n268435456\n")  # no arcs leave the start
    assert nowhere.empty


def test_states_in_any_order_are_sorted_and_useless_ones_left_out(tmp_path):
    path = tmp_path / "lattice.txt"
    path.write_text("3 1 b x:2\n0 3 a x:1\n0 2 dead x:9\n1\n")
    lattice = read(path, "features")
    assert (lattice.num_states, lattice.olabels.tolist()) == (3, lattice.symbols.lookup(["a", "b"]).tolist())
    assert lattice.features["x"].tolist() == [-1.0, -2.0]
    path.write_text("0 1 a\n1 0 b\n1\n")
    with pytest.raises(CyclicLatticeError):
        read(path, "features")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("0 1 5 a:1\n1 2\n2\n", 2),
        ("0 1 5 a:x\n1\n", 1),
        ("0 1 5 a:nan\n1\n", 1),
        ("0 1 5 a:1e999\n1\n", 1),
        ("0 1 5 a:1\n1 a:1 :2\n", 2),
        ("0 1 5 a:1\n\n1 a:1 a:2\n", 3),
        ("0 1 5 a:1\n1 b:2\n", 2),
        ("0 1 5 a:1\nx\n", 2),
        ("0 -1 5 a:1\n1\n", 1),
        ("0 1 5 a:1\n1\n1\n", 3),
        ("0 1 5 a:1 7\n1\n", 1),
    ],
)
def test_errors_name_the_line(tmp_path, text, line):
    path = tmp_path / "lattice.txt"
    path.write_text(text)
    with pytest.raises(FormatError) as error:
        read(path, "features", feature_names=["a"])
    assert error.value.line == line
    assert str(error.value).startswith(f"{path}:{line}: ")


def test_what_the_format_cannot_hold_is_refused(tmp_path):
    path = tmp_path / "lattice.txt"
    path.write_text("\n")
    with pytest.raises(FormatError, match="empty"):
        read(path, "features")
    path.write_text("0 1 cat\n1\n")
    lattice = read(path, "features")
    with pytest.raises(InvalidLatticeError, match="a b"):
        write(replace(lattice, symbols=SymbolTable(["a b"])), path, "features")
    with pytest.raises(EmptyLatticeError):
        write(Lattice.empty_like(lattice), path, "features")
    with pytest.raises(InvalidLatticeError, match="costs but no features"):
        write(Lattice.from_strings([("a", 1.0)]), path, "features")
    with pytest.raises(InvalidLatticeError, match="transducers"):
        write(random_lattice(3, transducer=True), path, "features")
    with pytest.raises(InvalidLatticeError, match="name 'x y'"):
        write(lattice.with_feature("x y", [1.0]), path, "features")


def test_any_bytes_are_read_or_refused(tmp_path):
    write(random_features(4), tmp_path / "x", "features")
    fuzz((tmp_path / "x").read_bytes(), parse_features, seconds=0.7)


@pytest.mark.parametrize("text", ["0 1 a\n1 2 cat x:1.5\n2\n", "0 1 a\n1 2 b x:1 y:-2e1\n2\n", "0 1 a\n1 x:2\n"])
def test_features_after_arcs_without_them(tmp_path, text):
    """Such a file is no AT&T text, whose words the features would become."""
    path = tmp_path / "x"
    path.write_text(text)
    assert "x" in read(path, "features").features
    with pytest.raises(FormatError, match=r":2: looks like a text lattice with features .*--from features"):
        read(path)


def test_words_like_features_are_words(tmp_path):
    for text in ("0 1 a b:2\n1 2 b c:3\n2\n", "0 1 a:1\n1 2 12:30\n2\n", "0 1 a 0.5\n1 2 b:1 1.5\n2\n"):
        (tmp_path / "x").write_text(text)
        assert read(tmp_path / "x", "att").num_arcs == 2
