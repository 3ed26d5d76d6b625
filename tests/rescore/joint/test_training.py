"""Training: the network is that of the model, a task is learned, a killed run goes on to the same bytes, faults."""

from __future__ import annotations

# ruff: noqa: E402 - torch may be missing
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra `neural-training` is not installed")

from rescore.joint.conftest import TurnedCorpus

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.rescore import JointScorer
from lattice_simp.rescore.joint import training
from lattice_simp.rescore.joint.examples import batch
from lattice_simp.rescore.joint.model import JointModel
from lattice_simp.rescore.joint.network import costs
from lattice_simp.rescore.joint.settings import JointSettings, read_settings
from lattice_simp.rescore.joint.training import CHECKPOINT, prepare, train

SMALL = {
    "classes": 5,
    "target_words": 18,
    "source_words": 20,
    "source_width": 12,
    "target_width": 8,
    "hidden": 24,
    "epochs": 3,
    "batch_words": 150,
    "warmup": 10,
    "learning_rate": 0.01,
    "checkpoint_every": 40,
    "threads": 1,
}


def settings(folder, **values):
    return JointSettings(work="work", output=str(folder), **{**SMALL, **values})


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def trained(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("joint")
    said = []
    return train(settings(folder), corpus, said.append), said


def test_the_network_is_that_of_the_model(trained, corpus):
    model, data = JointModel.read(trained[0]), prepare(settings("unused"), corpus)
    sentences = np.arange(40, 60)
    actual = batch(data.examples, sentences, model.target.boundary)
    weights = {name: torch.from_numpy(np.array(weight)) for name, weight in model.weights.items()}
    total, words = 0.0, corpus.words("source")
    for sentence in sentences.tolist():
        begin, end = data.examples.target.offsets[sentence : sentence + 2]
        source = corpus.source.words[slice(*corpus.source.offsets[sentence : sentence + 2])]
        symbols = data.examples.target.words[begin:end]
        padded = [model.target.boundary] * 3 + symbols.tolist()
        histories = np.array([padded[place : place + 3] for place in range(len(symbols))])
        encoded = model.encode([words[number] for number in source.tolist()])
        result = model.costs(encoded, histories, np.arange(len(symbols)), symbols)
        total += result[np.arange(len(symbols)), data.examples.positions[begin:end]].sum()
    assert total == pytest.approx(float(sum(costs(weights, actual, model.target.class_begins))), rel=1e-3)


def test_a_task_is_learned(trained):
    path, said = trained
    scorer = JointScorer.read(path)
    good, bad, worse = scorer.score(["s1", "s5", "s9"], [["t10", "t6", "t2"], ["t2", "t6", "t10"], ["t3", "t3", "t3"]])
    assert good < 0.3 * min(bad, worse)
    perplexities = [float(line.split("perplexity ")[1].split()[0]) for line in said if "perplexity" in line]
    assert len(perplexities) > 2
    assert perplexities[-1] < 1.2 < perplexities[0]


def test_a_killed_run_goes_on_to_the_same_bytes(trained, corpus, tmp_path, monkeypatch):
    class Killed(BaseException):
        pass

    measure = training._Run.measure

    def killing(run):
        if run.update == 80:  # the checkpoint of this update is written
            raise Killed
        return measure(run)

    with monkeypatch.context() as patched:
        patched.setattr(training._Run, "measure", killing)
        with pytest.raises(Killed):
            train(settings(tmp_path), corpus)
    said = []
    assert train(settings(tmp_path), corpus, said.append).read_bytes() == trained[0].read_bytes()
    assert any(f"update 80: continuing from {tmp_path / CHECKPOINT}" in line for line in said)


def test_half_precision_learns_as_well(corpus, tmp_path):
    scorer = JointScorer.read(train(settings(tmp_path, precision="bf16"), corpus))
    good, bad = scorer.score(["s1", "s5"], [["t6", "t2"], ["t2", "t6"]])
    assert good < 0.5 * bad


def test_a_folder_holds_one_run(corpus, tmp_path):
    train(settings(tmp_path, epochs=0.1), corpus)
    with pytest.raises(LatticeSimpError, match="holds a run with another hidden"):
        train(settings(tmp_path, epochs=0.1, hidden=32), corpus)
    (tmp_path / CHECKPOINT).write_bytes(b"broken")
    with pytest.raises(FormatError, match=r"checkpoint\.pt"):
        train(settings(tmp_path, epochs=0.1), corpus)


def test_too_little_text(tmp_path):
    with pytest.raises(LatticeSimpError, match="no sentence pairs of 1 to 0"):
        train(
            settings(tmp_path / "a", longest=0 + 1, held_out=0).model_copy(update={"longest": 0}),
            TurnedCorpus.random(1, 5, 2),
        )
    with pytest.raises(LatticeSimpError, match="no word occurs 99 times"):
        train(settings(tmp_path / "b", least_word=99), TurnedCorpus.random(1, 5, 9))


def test_settings_are_read_from_a_file(tmp_path):
    path = tmp_path / "joint.yaml"
    path.write_text("work: build\noutput: out\nhidden: 64\n", encoding="utf-8")
    outcome = read_settings(path, ["epochs=0.5"])
    assert (outcome.work, outcome.output) == (str(tmp_path / "build"), str(tmp_path / "out"))
    assert (outcome.hidden, outcome.epochs) == (64, 0.5)
    path.write_text("work: build\noutput: out\nhiden: 64\n", encoding="utf-8")
    with pytest.raises(FormatError, match="hiden"):
        read_settings(path)
