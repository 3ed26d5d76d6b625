"""The trainer: parity with CTranslate2, a learnable task, resumed runs, faults."""

from __future__ import annotations

# ruff: noqa: E402 - torch may be missing
import random
import shutil

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra `neural-training` is not installed")
pytest.importorskip("ctranslate2", reason="the extra `neural` is not installed")
pytest.importorskip("sentencepiece", reason="the extra `neural` is not installed")

from rescore.neural.conftest import PIECES, SHAPE, random_weights

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.rescore.neural.data import Pairs, batches
from lattice_simp.rescore.neural.export import export_model
from lattice_simp.rescore.neural.loop import CHECKPOINT, averaged_weights, learning_rate
from lattice_simp.rescore.neural.network import Transformer, dropped
from lattice_simp.rescore.neural.scorer import ScoringOptions, TranslationScorer
from lattice_simp.rescore.neural.settings import TrainingSettings
from lattice_simp.rescore.neural.training import train
from lattice_simp.rescore.vocabulary import Sentences

CPU = ScoringOptions(device="cpu", threads=1)


def changed(settings, **values):
    return TrainingSettings.model_validate(settings.model_dump() | values)


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def as_pairs(sources, targets):
    return Pairs(Sentences.of(sources), Sentences.of(targets))


def test_ctranslate2_gives_the_network_s_probabilities(tmp_path):
    """Random weights, batches of sentences of several lengths with unknown pieces inside: the same to 1e-3."""
    weights = random_weights(SHAPE, len(PIECES), 7)
    network = Transformer(SHAPE, {name: torch.from_numpy(weight) for name, weight in weights.items()})
    export_model(tmp_path, SHAPE, weights, PIECES)
    (tmp_path / "lattice_simp.json").write_text('{"subwords": "words"}', encoding="utf-8")
    scorer = TranslationScorer.read(tmp_path, CPU)
    rng = np.random.default_rng(3)
    sources, targets = (
        [rng.choice([0, *range(3, len(PIECES))], size).tolist() for size in sizes]
        for sizes in ((3, 1, 7, 5), (4, 1, 2, 9))
    )
    source, inputs, target = as_pairs(sources, targets).batch(np.arange(4))
    with torch.no_grad():
        logs = network.logits(torch.from_numpy(source), torch.from_numpy(inputs)).log_softmax(-1).numpy()
    assert max(map(len, sources)) + 1 == source.shape[1]
    for row in range(4):
        words = [[PIECES[piece] for piece in side[row]] for side in (sources, targets)]
        size = len(targets[row]) + 1
        result = -logs[row, np.arange(size), target[row, :size]]
        state = [scorer.start(words[0])]
        for position, word in enumerate(words[1]):
            cost, state = scorer.extend(state, [word])
            assert cost[0] == pytest.approx(result[position], abs=1e-3)
        assert scorer.end(state)[0] == pytest.approx(result[-1], abs=1e-3)
        assert scorer.score(words[0], [words[1]])[0] == pytest.approx(result.sum(), abs=1e-3)


def test_dropped_values_are_zero_and_the_mean_stays():
    values = torch.full((50, 401), 3.0)
    for seed, share in enumerate((0.1, 0.3, 0.5)):
        torch.manual_seed(seed)
        first, second = dropped(values, share), dropped(values, share)
        assert sorted(set(first.flatten().tolist())) == pytest.approx([0.0, 3.0 / (1 - share)]), seed
        assert float((first == 0).float().mean()) == pytest.approx(share, abs=0.015), seed
        assert float((first == second).float().mean()) == pytest.approx(share**2 + (1 - share) ** 2, abs=0.015), seed
        torch.manual_seed(seed)
        assert torch.equal(first, dropped(values, share)), seed
    assert dropped(torch.ones(8, dtype=torch.bfloat16), 0.5).dtype is torch.bfloat16


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    """A language of twelve words, translated word by word in the opposite order."""
    folder = tmp_path_factory.mktemp("task")
    choose = random.Random(1)
    words = "ba ce di fo gu ha je ki lo mu na pe".split()
    for name, count in (("train", 1500), ("dev", 40)):
        lines = [choose.choices(words, k=choose.randint(2, 5)) for _ in range(count)]
        (folder / f"{name}.s").write_text("".join(" ".join(line) + "\n" for line in lines), encoding="utf-8")
        translated = [" ".join(word.upper() for word in reversed(line)) + "\n" for line in lines]
        (folder / f"{name}.t").write_text("".join(translated), encoding="utf-8")
    return folder


@pytest.fixture
def settings(task, tmp_path):
    return TrainingSettings(
        source=str(task / "train.s"),
        target=str(task / "train.t"),
        output=str(tmp_path / "run"),
        vocabulary=70,
        layers=1,
        width=64,
        heads=4,
        inner=128,
        batch_tokens=600,
        updates=6,
        warmup=60,
        learning_rate=4e-3,
        dropout=0.1,
        average=3,
        checkpoint_every=2,
        log_every=50,
        device="cpu",
    )


@pytest.mark.slow
def test_a_task_is_learned_and_the_model_scores(settings, task, tmp_path):
    result = changed(
        settings,
        updates=400,
        dropout=0.0,
        schedule="cosine",
        checkpoint_every=10,
        validate_every=400,
        development_source=str(task / "dev.s"),
        development_target=str(task / "dev.t"),
    )
    said = []
    folder = train(result, said.append)
    last = next(line for line in said if "BLEU" in line)
    assert float(last.split("BLEU ")[1]) > 90, "; ".join(said)
    scorer = TranslationScorer.read(folder, CPU)
    source = "ba ce di".split()
    costs = scorer.score(source, [["DI", "CE", "BA"], ["BA", "CE", "DI"], ["DI", "CE"], ["DI", "CE", "BA", "BA"]])
    assert costs.argmin() == 0
    assert costs[0] + 1 < costs[1:].min()


def test_a_killed_run_goes_on_as_if_nothing_had_happened(settings, tmp_path, monkeypatch):
    train(settings)
    whole = averaged_weights(tmp_path / "run")
    other = changed(settings, output=str(tmp_path / "killed"))
    from lattice_simp.rescore.neural.loop import Training

    update = Training._update

    def dies(self, *arguments):
        if self.position.update == 4:
            raise KeyboardInterrupt
        return update(self, *arguments)

    monkeypatch.setattr(Training, "_update", dies)
    with pytest.raises(KeyboardInterrupt):
        train(other)
    monkeypatch.undo()
    said = []
    train(other, said.append)
    assert any("update 2: continuing" in line for line in said)
    for name, weight in averaged_weights(tmp_path / "killed").items():
        np.testing.assert_array_equal(weight, whole[name], err_msg=name)
    assert len(list((tmp_path / "killed").glob("weights.*"))) == 3


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_mixed_precision_learns_the_same_to_its_precision(settings, tmp_path, precision):
    """The same updates in lower precision lead to nearly the same weights."""
    train(settings)
    other = changed(settings, precision=precision, output=str(tmp_path / precision))
    said = []
    train(changed(other, log_every=1), said.append)
    assert all(np.isfinite(float(line.split("loss ")[1].split(",")[0])) for line in said if "loss" in line)
    result, lower = averaged_weights(tmp_path / "run"), averaged_weights(tmp_path / precision)
    name = "encoder.0.feed.inner.weight"
    assert 0 < abs(result[name] - lower[name]).max() < 0.02


def test_averages_are_means(settings, tmp_path):
    train(settings)
    paths = sorted((tmp_path / "run").glob("weights.*"))
    states = [torch.load(path, weights_only=True) for path in paths]
    assert len(states) == 3
    for name, weight in averaged_weights(tmp_path / "run").items():
        np.testing.assert_allclose(weight, np.mean([state[name].numpy() for state in states], axis=0), atol=1e-7)


def test_other_settings_and_broken_checkpoints_are_refused(settings, tmp_path):
    train(changed(settings, updates=2))
    with pytest.raises(LatticeSimpError, match="another width"):
        train(changed(settings, width=32))
    train(changed(settings, updates=4))  # more updates are not another run
    shutil.copy(tmp_path / "run" / "settings.json", tmp_path / "run" / CHECKPOINT)
    with pytest.raises(FormatError, match="no checkpoint"):
        train(settings)


def test_texts_of_different_lengths_are_refused(settings, task, tmp_path):
    (tmp_path / "short").write_text("BA CE\n" * 200, encoding="utf-8")
    with pytest.raises(FormatError, match=r"ends after .* but .* has more"):
        train(changed(settings, target=str(tmp_path / "short")))


def test_batches_hold_every_sentence_once_and_keep_the_limit():
    rng = np.random.default_rng(0)
    sources, targets = ([[5] * int(size) for size in rng.integers(1, 30, 200)] for _ in range(2))
    pairs = as_pairs(sources, targets)
    first = batches(pairs, 100, 1, 0)
    assert sorted(np.concatenate(first).tolist()) == list(range(200))
    for rows in first:
        source, inputs, target = pairs.batch(rows)
        assert max(source.size, target.size) <= 100 or len(rows) == 1
        assert inputs.shape == target.shape
    assert [rows.tolist() for rows in first] == [rows.tolist() for rows in batches(pairs, 100, 1, 0)]
    assert [rows.tolist() for rows in first] != [rows.tolist() for rows in batches(pairs, 100, 1, 1)]
    padded = sum(pairs.batch(rows)[2].size for rows in first)
    assert padded < 2.0 * sum(len(target) + 1 for target in targets)


def test_learning_rates():
    settings = TrainingSettings(source="s", target="t", output="o", learning_rate=2.0, warmup=10, updates=100)
    assert [learning_rate(settings, n) for n in (5, 10, 40)] == pytest.approx([1.0, 2.0, 1.0])
    cosine = changed(settings, schedule="cosine")
    assert [learning_rate(cosine, n) for n in (10, 55, 100)] == pytest.approx([2.0, 1.0, 0.0])
