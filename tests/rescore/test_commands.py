"""`lattice-simp rescore` and the training on the pipeline's folders, on a toy language pair."""

from __future__ import annotations

import shutil
from functools import partial

import numpy as np
import pytest
from train.toy import toy_arpa, toy_pairs, toy_tokens, write_config, write_toy_data

from lattice_simp import Lattice, write
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.nbest import read_nbest, write_nbest
from lattice_simp.pipeline.shards import SIDES
from lattice_simp.pipeline.stage import Run
from lattice_simp.rescore import read_scorers
from lattice_simp.rescore.kind import TrainingOptions
from lattice_simp.train.config import read_config
from lattice_simp.train.pipeline import train
from lattice_simp.train.rules.lexical import LexicalTable
from lattice_simp.train.scorers import stage_folders, train_scorer
from lattice_simp.train.text.vocabulary import read_words
from lattice_simp.translate.model_files import write_weights


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A work folder with everything up to the lexical tables."""
    folder = tmp_path_factory.mktemp("scorers")
    config = write_config(folder / "config.yaml", write_toy_data(folder), folder / "work")
    train(read_config(config), Run(), last="lexical")
    return folder / "work"


@pytest.fixture(scope="module")
def models(work, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    train_scorer("bilingual", stage_folders(work, ("number", "align"))).write(folder / "bilingual.scorer")
    train_scorer("model1", stage_folders(work, ("number", "lexical"))).write(folder / "model1.scorer")
    arpa = toy_arpa([toy_tokens(target) for _, target in toy_pairs(100, seed=8)])
    (folder / "lm.arpa").write_text(arpa, encoding="utf-8")
    return folder


@pytest.fixture
def command(call):
    return partial(call, "rescore")


def held_out(count=12):
    return [(toy_tokens(s).split(), toy_tokens(t).split()) for s, t in toy_pairs(count, seed=77)]


def test_the_bilingual_model_prefers_translations(models):
    """Among the translations of all held-out sentences the right one is the cheapest, nearly always."""
    pairs = held_out(20)
    scorers = read_scorers(models / "bilingual.scorer") | read_scorers(models / "model1.scorer")
    for name, least in (("Bilingual", 18), ("InverseModel1", 15)):
        targets = [target for _, target in pairs]
        right = sum(
            float(costs[number]) <= costs.min() + 1e-9
            for number, costs in enumerate(scorers[name].score(source, targets) for source, _ in pairs)
        )
        assert right >= least, name


def test_the_tables_are_those_of_the_pipeline(work, models):
    folders = stage_folders(work, ("number", "lexical"))
    table = LexicalTable.read(folders["lexical"])
    source, target = (read_words(folders["number"], side) for side in SIDES)
    actual = read_scorers(models / "model1.scorer")["Model1"].table
    for key, forward, backward in zip(table.pairs, table.target_given_source, table.source_given_target, strict=True):
        s, t = int(key >> 32) - 1, int(key & 0xFFFFFFFF) - 1
        for probabilities, expected in ((actual.target_given_source, forward), (actual.source_given_target, backward)):
            cells = actual.cells([source[s]] if s >= 0 else [], [target[t]] if t >= 0 else [], probabilities)
            assert cells[0, 0] == pytest.approx(expected)


@pytest.mark.usefixtures("lmplz")
def test_class_models_are_trained(work, tmp_path):
    sweeps = []
    values = {"progress": lambda *sweep: sweeps.append(sweep)}
    options = TrainingOptions(classes=8, order=3, least_class_word=1, memory=100, **values)
    scorer = train_scorer("class", stage_folders(work, ("number",)), options)
    assert [number for number, _, _ in sweeps] == list(range(1, len(sweeps) + 1))
    scorer.write(tmp_path / "class.scorer")
    result = read_scorers(tmp_path / "class.scorer")["Class"]
    rng = np.random.default_rng(1)
    for _, target in held_out(5):
        shuffled = [rng.permutation(target).tolist() for _ in range(6)]
        assert result.score([], [target, *shuffled]).argmin() == 0
    # All words, the unknown one and the end have the sum 1 after any prefix.
    state = [result.start([])]
    for word in ("the", "cat"):
        words = [*result.vocabulary.words, "never-seen"]
        total = np.exp(-result.extend(state * len(words), words)[0]).sum() + np.exp(-result.end(state)[0])
        assert total == pytest.approx(1.0, abs=1e-3)
        _, state = result.extend(state, [word])


def test_stages_must_be_complete_and_single(work, tmp_path):
    copy = shutil.copytree(work, tmp_path / "work")
    (number,) = copy.glob("number.*")
    with pytest.raises(LatticeSimpError, match=r"no complete stage rules \(give the `work` folder"):
        stage_folders(copy, ("number", "rules"))
    shutil.copytree(number, copy / "number.0123")
    with pytest.raises(LatticeSimpError, match="several folders of the stage number"):
        stage_folders(copy, ("number",))


def test_train_writes_files(command, work, tmp_path):
    done = command("train", work, "--output", tmp_path / "out", "-k", "bilingual", "-k", "model1")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["bilingual.scorer", "model1.scorer"]
    assert (tmp_path / "out" / "bilingual.scorer").stat().st_size > 1000
    assert command("train", tmp_path, "--output", tmp_path / "out").returncode == 2
    assert (
        "choose from bilingual, model1, class" in command("train", work, "--output", tmp_path, "--kind", "ngram").stderr
    )
    with pytest.raises(LatticeSimpError, match="choose from bilingual, model1, class"):
        train_scorer("ngram", {})


@pytest.fixture
def lists(tmp_path):
    """N-best lists of the right and other translations, the right one last; and the source lines."""
    pairs = held_out()
    groups = []
    for number, (_, target) in enumerate(pairs):
        others = [pairs[(number + step) % len(pairs)][1] for step in (1, 2, 3)]
        entries = [
            Hypothesis(tuple(words), float(position), {"LM_0": -float(len(words)), "LM_1": -1.0})
            for position, words in enumerate([*others, target])
        ]
        groups.append((number, entries))
    write_nbest(groups, tmp_path / "full.nbest")
    (tmp_path / "source").write_text("".join(" ".join(source) + "\n" for source, _ in pairs), encoding="utf-8")
    return tmp_path / "full.nbest", ("--source", tmp_path / "source"), [" ".join(target) for _, target in pairs]


def test_lists_that_begin_at_1_are_scored(command, models, lists, tmp_path):
    path, source, _ = lists
    groups = list(enumerate(read_nbest(path)))
    write_nbest(groups, tmp_path / "later.nbest", first_id=1)
    options = (*source, "-m", models / "bilingual.scorer", "--output")
    assert command("nbest", path, *options, tmp_path / "usual").returncode == 0
    assert "--first-id 1" in command("nbest", tmp_path / "later.nbest", *options, tmp_path / "wrong").stderr
    assert command("nbest", tmp_path / "later.nbest", *options, tmp_path / "later", "--first-id", 1).returncode == 0
    assert read_nbest(tmp_path / "later", first_id=1) == read_nbest(tmp_path / "usual")


def test_nbest_lists_are_scored(command, models, lists, tmp_path):
    path, source, _ = lists
    output = tmp_path / "scored.nbest"
    arguments = ("--model", f"My={models / 'bilingual.scorer'}", "-m", models / "model1.scorer", "-m")
    done = command("nbest", path, *source, *arguments, models / "lm.arpa", "--output", output)
    assert done.returncode == 0, done.stderr
    before, after = read_nbest(path), read_nbest(output)
    scorer = read_scorers(models / "bilingual.scorer")["Bilingual"]
    lines = [line.split() for line in (tmp_path / "source").read_text("utf-8").splitlines()]
    assert len(after) == len(before)
    for number, entries in enumerate(after):
        assert [entry.tokens for entry in entries] == [entry.tokens for entry in before[number]]
        assert list(entries[0].features) == ["LM_0", "LM_1", "My", "Model1", "InverseModel1", "NGram"]
        costs = scorer.score(lines[number], [entry.tokens for entry in entries])
        assert [-entry.features["My"] for entry in entries] == pytest.approx(costs.tolist())


def test_language_models_need_no_source(command, models, lists, tmp_path):
    path, source, _ = lists
    for best in ((), ("--best", "--weights", tmp_path / "w.tsv")):
        write_weights(tmp_path / "w.tsv", {"LM_0": 0.0, "LM_1": 0.0, "NGram": 1.0})
        without = command("nbest", path, "-m", models / "lm.arpa", *best)
        assert without.returncode == 0, without.stderr
        assert without.stdout == command("nbest", path, *source, "-m", models / "lm.arpa", *best).stdout
    done = command("nbest", path, "-m", models / "lm.arpa", "-m", models / "model1.scorer")
    assert done.returncode == 2
    assert "Model1, InverseModel1: the model needs source sentences; give them with --source" in done.stderr


def test_weights_choose_the_best(command, models, lists, tmp_path):
    path, source, expected = lists
    weights = {"LM_0": 0.0, "LM_1": 0.0, "Bilingual": 1.0}
    write_weights(tmp_path / "w.tsv", weights)
    done = command("nbest", path, *source, "-m", models / "bilingual.scorer", "--weights", tmp_path / "w.tsv", "--best")
    assert done.returncode == 0, done.stderr
    actual = done.stdout.splitlines()
    assert len(actual) == len(expected)
    assert sum(first == right for first, right in zip(actual, expected, strict=True)) >= len(expected) - 1


def test_weights_alone_weigh_the_features_of_the_lists(command, tmp_path):
    (tmp_path / "x").write_text("0 ||| a ||| f= -1 g= -4 ||| -9\n0 ||| b ||| f= -2 g= -1 ||| -1\n")
    write_weights(tmp_path / "w.tsv", {"f": 1.0, "g": 0.0})
    done = command("nbest", tmp_path / "x", "--weights", tmp_path / "w.tsv")
    assert (done.returncode, done.stdout) == (0, "0 ||| a ||| f= -1 g= -4 ||| -1\n0 ||| b ||| f= -2 g= -1 ||| -2\n")
    refused = command("nbest", tmp_path / "x")
    assert refused.returncode == 2
    assert "give models with --model, or --weights" in refused.stderr


def test_lattices_are_searched(command, models, lists, tmp_path):
    path, source, expected = lists
    folder = tmp_path / "lattices"
    folder.mkdir()
    for number, entries in enumerate(read_nbest(path)):
        suffix = ".gz" if number % 2 else ""
        write(Lattice.from_strings([(entry.text, entry.cost) for entry in entries]), folder / f"{number}.fst{suffix}")
    arguments = ("lattices", folder, *source, "-m", models / "bilingual.scorer")
    done = command(*arguments, "--lattice-weight", 0, "--best")
    assert done.returncode == 0, done.stderr
    actual = done.stdout.splitlines()
    assert sum(first == right for first, right in zip(actual, expected, strict=True)) >= len(expected) - 1
    done = command(*arguments, "--nbest", 3, "--model-weight", 0.5, "--output", tmp_path / "out.nbest")
    assert done.returncode == 0, done.stderr
    for hypothesis, entries in zip(read_nbest(path), read_nbest(tmp_path / "out.nbest"), strict=True):
        costs = {entry.tokens: entry.cost for entry in hypothesis}
        assert len(entries) == 3
        for entry in entries:
            assert entry.features["Lattice"] == pytest.approx(-costs[entry.tokens])
            score = entry.features["Lattice"] + 0.5 * entry.features["Bilingual"]
            assert entry.score == pytest.approx(score)


def test_empty_lines_have_no_lattices(command, models, tmp_path):
    """`translate --lattices` writes none for them."""
    write(Lattice.from_strings("the cat"), tmp_path / "1.fst")
    (tmp_path / "source").write_text("\nle chat\n\n", encoding="utf-8")
    arguments = ("--source", tmp_path / "source", "-m", models / "bilingual.scorer")
    done = command("lattices", tmp_path, *arguments, "--best")
    assert (done.returncode, done.stdout) == (0, "\nthe cat\n\n"), done.stderr
    assert command("lattices", tmp_path, *arguments).stdout.startswith("1 ||| the cat ||| ")


def test_errors_of_lattices_name_their_files(command, models, tmp_path):
    write(
        Lattice.from_arcs([0, 0], [1, 2], [0.0, 0.0], [0, 1], [np.inf, 0.0], SymbolTable(["a", "b"])),
        tmp_path / "0.fst",
    )
    (tmp_path / "source").write_text("le chat\n", encoding="utf-8")
    done = command("lattices", tmp_path, "--source", tmp_path / "source", "-m", models / "bilingual.scorer")
    assert f"lattice-simp: {tmp_path / '0.fst'}: the lattice has a cycle" in done.stderr


def test_lattices_beyond_the_source_are_refused(command, models, tmp_path):
    write(Lattice.from_strings("a"), tmp_path / "0.fst")
    write(Lattice.from_strings("a"), tmp_path / "1.fst.gz")
    (tmp_path / "source").write_text("le chat\n", encoding="utf-8")
    done = command("lattices", tmp_path, "--source", tmp_path / "source", "-m", models / "bilingual.scorer")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"source: has 1 line, but {tmp_path} holds the lattice 1, counted from 0 (give a source line" in done.stderr


def test_faults_are_one_line(command, models, lists, tmp_path):
    path, source, _ = lists
    (tmp_path / "one").write_text("le chat\n", encoding="utf-8")
    bilingual, model1 = models / "bilingual.scorer", models / "model1.scorer"
    write_weights(tmp_path / "w.tsv", {"NGram": 1.0})
    (tmp_path / "broken.scorer").write_bytes(bilingual.read_bytes()[:1000])
    for arguments, message in (
        (("nbest", path, *source, "-m", tmp_path / "none"), "does not exist"),
        (("nbest", path, *source, "-m", tmp_path / "broken.scorer"), "no complete arrays"),
        (("nbest", path, *source, "-m", bilingual, "-m", bilingual), "two models are named Bilingual"),
        (
            ("nbest", path, *source, "-m", f"LM_0={bilingual}"),
            f"lattice-simp: {path}: sentence 0: the n-best list has a feature LM_0 already",
        ),
        (
            ("nbest", path, "-m", models / "lm.arpa", "--weights", tmp_path / "w.tsv"),
            f"lattice-simp: {path}: sentence 0: the weights lack the feature LM_0",
        ),
        (("nbest", path, *source, "-m", bilingual, "--best"), "--best needs --weights"),
        (("nbest", path, "--source", tmp_path / "one", "-m", bilingual), "has a sentence 1, but"),
        (("lattices", tmp_path, *source, "-m", bilingual), "holds no lattice 0.fst.gz"),
        (("lattices", tmp_path, *source, "-m", model1), "needs complete hypotheses"),
        (("lattices", tmp_path, *source, "-m", bilingual, *("--model-weight", 1) * 2), "2 model weights"),
        (("train-neural", tmp_path / "none.yaml"), "cannot be read"),
    ):
        done = command(*arguments)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), (arguments, done.stderr)
        assert message in done.stderr
