"""The joint model inside lattices: each path has the network's costs of its words, computed one by one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from helpers import arc_paths, random_lattice
from rescore.joint.conftest import SOURCE, TARGET, random_model
from rescore.joint.test_scorer import defined_encoding, defined_probability
from tiny_decoder import ARPA, tiny_decoder

from lattice_simp import Lattice, SymbolTable, nbest, read, shortest_path, write
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.nbest import read_nbest
from lattice_simp.rescore.joint import model as model_module
from lattice_simp.rescore.joint.lattice import apply_joint
from lattice_simp.translate.derivation import affiliations

SEEDS = range(25)


def random_case(seed):
    """Returns a sentence and a lattice with epsilons whose arcs tell any of its tokens."""
    rng = np.random.default_rng(seed)
    source = rng.choice([*SOURCE, "other"], rng.integers(1, 5)).tolist()
    lattice = random_lattice(rng, int(rng.integers(3, 9)), [*TARGET, "other"], epsilon=True, columns=["LM"])
    table = SymbolTable(f"word@{token}" for token in range(len(source)))
    labels = rng.integers(1, len(source) + 1, lattice.num_arcs)
    return source, replace(lattice, ilabels=np.where(lattice.olabels > 0, labels, 0).astype("i4"), isymbols=table)


def defined_cost(model, encoded, words, tokens):
    symbols, log_shares = model.target.of(words)
    padded = [model.target.boundary] * 3 + symbols.tolist() + [model.target.boundary]
    cost = -log_shares.sum()
    for place, token in enumerate([*tokens, len(encoded) - 1]):
        cost -= np.log(defined_probability(model, encoded[token], padded[place : place + 3], padded[place + 3]))
    return cost


def signatures(lattice):
    """Returns (words, tokens, cost, features but for the model's, the model's) of each path, sorted."""
    tokens = affiliations(lattice)
    results = []
    for arcs, end in arc_paths(lattice):
        words = lattice.olabels[arcs] > 0
        features = lattice.features.of_path(np.array(arcs, dtype=np.int32), end)
        joint = features.pop("JointAligned", 0.0)
        spelled = tuple(lattice.symbols.decode(lattice.olabels[arcs][words]))
        cost = lattice.weights[arcs].sum() + lattice.finals[end]
        results.append((spelled, tuple(tokens[arcs][words].tolist()), cost, features["LM"], joint))
    return sorted(results, key=lambda path: (path[:2], round(path[3], 6)))


def test_every_path_costs_what_its_words_cost():
    checked = 0
    for seed in SEEDS:
        source, lattice = random_case(seed)
        model = random_model(seed)
        encoded = defined_encoding(model, source)
        before, after = signatures(lattice), signatures(apply_joint(lattice, source, model, weight=0.7))
        assert len(before) == len(after)
        for old, new in zip(before, after, strict=True):
            assert new[:2] == old[:2]
            assert new[3] == pytest.approx(old[3])
            expected = defined_cost(model, encoded, *new[:2])
            assert -new[4] == pytest.approx(expected, rel=1e-5, abs=1e-5), seed
            assert new[2] == pytest.approx(old[2] + 0.7 * expected, rel=1e-5, abs=1e-5), seed
            checked += 1
    assert checked > 60


def test_many_events_cost_what_few_do(monkeypatch):
    cases = [random_case(seed) for seed in SEEDS]
    expected = [apply_joint(lattice, source, random_model(1)).weights for source, lattice in cases]
    monkeypatch.setattr(model_module, "_ROWS", 3)
    for (source, lattice), weights in zip(cases, expected, strict=True):
        assert apply_joint(lattice, source, random_model(1)).weights == pytest.approx(weights, rel=1e-5)


def test_the_best_path_may_change():
    source, model = ["s0", "s1"], random_model(2)
    labels = SymbolTable(["word@0", "word@1"])
    lattice = Lattice.from_arcs(
        [0, 0], [1, 2], [1.0, 1.1], [1, 1], [np.inf, 0.0], SymbolTable(["a", "b"]), inputs=([1, 2], labels)
    )
    encoded = defined_encoding(model, source)
    costs = {
        "a": 1.0 + 9 * defined_cost(model, encoded, ["a"], [0]),
        "b": 1.1 + 9 * defined_cost(model, encoded, ["b"], [1]),
    }
    best = shortest_path(apply_joint(lattice, source, model, weight=9.0))
    assert best.text == min(costs, key=costs.get)
    assert best.cost == pytest.approx(min(costs.values()), rel=1e-5)
    other = shortest_path(apply_joint(lattice, source, model, weight=-9.0))
    assert other.text != best.text


def test_a_lattice_that_accepts_nothing_stays_empty():
    lattice = replace(Lattice.empty_like(random_case(1)[1]))
    scored = apply_joint(lattice, ["s0"], random_model(1))
    assert scored.empty
    assert "JointAligned" in scored.features


def test_what_does_not_fit_is_refused():
    source, lattice = random_case(3)
    model = random_model(1)
    with pytest.raises(LatticeSimpError, match="does not record the source token"):
        apply_joint(lattice.project_output(), source, model)
    with pytest.raises(LatticeSimpError, match=r"belongs to token \d, and the source has 0"):
        apply_joint(lattice, [], model)
    with pytest.raises(LatticeSimpError, match="a feature 'LM' already"):
        apply_joint(lattice, source, model, name="LM")
    with pytest.raises(LatticeSimpError, match="weight of the joint model is nan"):
        apply_joint(lattice, source, model, weight=float("nan"))


# ---------------------------------------------------------------- the command


WORDS = ["das haus habe ich gesehen", "ich habe das alte haus"]


@pytest.fixture
def translated(tmp_path):
    """A folder with lattices, a joint model and the source sentences; and the lattices."""
    decoder = tiny_decoder(beam=8.0).with_settings({"word_arcs": "affiliated"})
    lattices = [decoder.lattice(words) for words in WORDS]
    for number, lattice in enumerate(lattices):
        write(lattice, tmp_path / f"{number}.fst.gz")
    (tmp_path / "source.txt").write_text("\n".join(WORDS) + "\n")
    random_model(5).write(tmp_path / "joint.scorer")
    return tmp_path, lattices


@pytest.fixture
def command(translated, call):
    folder, _ = translated
    return partial(call, "rescore", "joint", folder, "--source", folder / "source.txt")


def test_the_command_searches_lattices_exactly(command, translated):
    folder, lattices = translated
    done = command("-m", folder / "joint.scorer", "--model-weight", 3.0, "-n", 50, "--lattices", folder / "b")
    assert done.returncode == 0
    assert done.stderr == f"{folder / 'b'}: the format cannot store the features Lattice JointAligned\n"
    (folder / "new.nbest").write_text(done.stdout)
    lists = read_nbest(folder / "new.nbest")
    for number, (lattice, words) in enumerate(zip(lattices, WORDS, strict=True)):
        expected = nbest(apply_joint(lattice, words.split(), random_model(5), weight=3.0), 50)
        assert [entry.text for entry in lists[number]] == [entry.text for entry in expected]
        assert len(expected) > 3
        for first, path in zip(lists[number], expected, strict=True):
            assert first.cost == pytest.approx(path.cost, abs=1e-3)
            assert first.features["JointAligned"] == pytest.approx(path.features["JointAligned"], abs=1e-3)
            assert first.cost == pytest.approx(
                -first.features["Lattice"] - 3 * first.features["JointAligned"], abs=1e-3
            )
        again = shortest_path(read(folder / "b" / f"{number}.fst.gz"))
        assert (again.text, again.cost) == (expected[0].text, pytest.approx(expected[0].cost, abs=1e-3))


def test_the_command_can_search_by_the_model_alone(command, translated):
    folder, lattices = translated
    done = command("-m", folder / "joint.scorer", "--lattice-weight", 0, "--best")
    assert done.returncode == 0
    scored = [
        apply_joint(lattice, words.split(), random_model(5)) for lattice, words in zip(lattices, WORDS, strict=True)
    ]
    best = [max(nbest(entry, 10_000, unique=False), key=lambda path: path.features["JointAligned"]) for entry in scored]
    assert done.stdout.splitlines() == [path.text for path in best]


def test_faults_of_the_command_are_one_line(command, translated):
    folder, lattices = translated
    model = folder / "joint.scorer"
    (folder / "lm.arpa").write_text(ARPA)
    for arguments, message in (
        (("-m", folder / "lm.arpa"), "NGram is not a joint model"),
        (("-m", model, "--model-weight", 1, "--model-weight", 2), "2 model weights for 1 model: Joint"),
    ):
        done = command(*arguments)
        assert done.returncode == 2
        assert message in done.stderr
    write(lattices[1].project_output(), folder / "1.fst.gz")
    done = command("-m", model)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert "1.fst.gz: the lattice does not record the source token" in line


def test_a_lattice_without_hypotheses_is_refused_by_name(translated, command):
    folder, _ = translated
    (folder / "dead.txt").write_text("0 1 a a\n")
    write(read(folder / "dead.txt"), folder / "1.fst.gz")
    done = command("--model", folder / "joint.scorer")
    assert (done.returncode, done.stderr) == (
        1,
        f"lattice-simp: {folder / '1.fst.gz'}: the lattice holds no hypothesis: no state is final\n",
    )
