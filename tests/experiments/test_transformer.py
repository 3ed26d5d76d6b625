"""The experiment with a Transformer, on a toy model; its training where torch is installed."""

from __future__ import annotations

import json
import os
import shutil
import sys

import numpy as np
import pytest
from helpers import write_decoder

from experiments.report import signatures_of
from experiments.transformer.report import (
    EQUAL,
    HIERO,
    LATTICE_ALONE,
    LATTICE_BOTH,
    LIST_ALONE,
    LIST_BOTH,
    NETWORK,
    outputs,
    page,
    search_spaces,
    set_figures,
)
from experiments.transformer.sets import SentenceSet, set_files, set_sizes, write_training_text
from experiments.transformer.stages import (
    Entry,
    LatticeSearch,
    Scored,
    Search,
    Searched,
    beam_figures,
    read_scored,
    read_searched,
    stages_of,
    tuned_weight,
)
from lattice_simp import nbest
from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.metrics import Lines, bleu_tok
from lattice_simp.pipeline.runner import Done, run_stages
from lattice_simp.pipeline.shards import write_shard
from lattice_simp.pipeline.stage import Run
from lattice_simp.rescore.neural.export import Architecture, export_model, weight_shapes
from lattice_simp.text.tokeniser import Tokeniser
from lattice_simp.train.config import Config

SOURCES = ("the cat slept", "the cat sat in peace", "the cat sat")
SENTENCES = SentenceSet("toy", SOURCES, Lines(("le chat dormait", "un chat etait assis en paix", "x"), ("A", "B", "C")))
RULES = """[X] ||| the cat ||| le chat ||| P=-0.1 ||| 0-0 1-1
[X] ||| the cat ||| un chat ||| P=-0.3 ||| 0-0 1-1
[X] ||| slept ||| sommeillait ||| P=-0.1 ||| 0-0
[X] ||| slept ||| dormait ||| P=-0.6 ||| 0-0
[X] ||| sat ||| etait assis ||| P=-0.1 ||| 0-0
[X] ||| in peace ||| en paix ||| P=-0.1 ||| 0-0
"""
ARPA = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\n-1\t</s>\n-1\tle\n\n\\end\\\n"
WEIGHTS = {"P": 1.0, "LM": 0.01, "OOV": 1.0, "Glue": 0.0, "WordPenalty": 0.0}
SEARCH = Search(beam=20.0, max_arcs=1000, nbest=3, translation_beam=2, compute_type="float32")
SEARCHES = (LatticeSearch(LATTICE_ALONE, 50, 0.0, 1.0), LatticeSearch(LATTICE_BOTH, 50, 1.0, 0.4))
SETTINGS = (
    "vocabulary: 60\nlayers: 1\nwidth: 16\nheads: 2\ninner: 16\nbatch_tokens: 60\nupdates: {updates}\nwarmup: 2\n"
)
CONFIG = {
    "work": "w",
    "corpora": [{"name": "c", "source": "c/train.de.xz", "target": "c/train.en.xz"}],
    "text": {"source_language": "de", "target_language": "en"},
}


# ---------------------------------------------------------------- choices and figures


def random_lists(seed, count=8):
    """Lists in which neither cost alone puts the best hypotheses first."""
    rng = np.random.default_rng(seed)
    lists, references = [], []
    for _ in range(count):
        words = [" ".join(rng.choice(list("abcdef"), 6)) for _ in range(5)]
        entries = tuple(Entry(word, *rng.normal(size=2).tolist()) for word in words)
        references.append(min(entries, key=lambda value: value.cost(1.0, 3.0)).words)
        lists.append(Scored(entries, 9, words[0], 1.0, 0.5, 0.25))
    return lists, SentenceSet("lists", ("s",) * count, Lines(references, references))


def bleu_with(lists, sentences, weight):
    best = [min(ranked.entries, key=lambda entry: entry.cost(1.0, weight)).words for ranked in lists]
    return bleu_tok().corpus_score(best, [list(sentences.references.tokens)])


def test_the_weight_has_the_best_bleu_of_all_weights():
    for seed in range(5):
        lists, sentences = random_lists(seed)
        result = tuned_weight([scored.entries for scored in lists], sentences)
        assert result["before"] == pytest.approx(bleu_with(lists, sentences, 1.0)), seed
        assert result["after"] == pytest.approx(bleu_with(lists, sentences, result["weight"])), seed
        best = max(bleu_with(lists, sentences, weight) for weight in np.linspace(0, 6, 61))
        assert result["after"] >= best - 1e-6, seed
        assert best == pytest.approx(100.0), seed  # with the weight 3


def test_beams_are_measured_by_cost_bleu_and_seconds():
    searches = [LatticeSearch("1 prefixes", 1, 1.0, 0.4)]
    results = [
        {"1 prefixes": Searched(line, cost, 0.5)}
        for line, cost in zip(SENTENCES.references.tokens, (1, 2, 6), strict=True)
    ]
    assert beam_figures(searches, results, SENTENCES) == {
        "1 prefixes": {"beam": 1, "cost": 3.0, "bleu": 100.0, "seconds": 0.5}
    }


def test_rows_take_the_best_of_each_list_under_the_weights_of_the_search():
    entries = (Entry("a", 1.0, 9.0), Entry("b", 2.0, 5.0), Entry("c", 4.5, 4.0))
    scored = [Scored(entries, 9, "own", 1.0, 0.5, 0.25)]
    results = [{LATTICE_ALONE: Searched("d", 3.0, 2.0), LATTICE_BOTH: Searched("b", 4.0, 4.0)}]
    rows = outputs(scored, results, SEARCHES)
    assert {name: row.lines for name, row in rows.items()} == {
        HIERO: ["a"],
        NETWORK: ["own"],
        LIST_ALONE: ["c"],
        LIST_BOTH: ["b"],
        LATTICE_ALONE: ["d"],
        LATTICE_BOTH: ["b"],
    }
    assert [row.seconds[0] for row in rows.values()] == [1.0, 0.25, 1.5, 1.5, 3.0, 5.0]
    spaces = search_spaces(scored, results, SEARCHES)
    assert spaces[LATTICE_ALONE] == {"better": 1.0, "worse": 0.0, "gain": 1.0}
    assert spaces[LATTICE_BOTH] == {"better": 0.0, "worse": 0.0, "gain": pytest.approx(0.0)}


def test_rounding_makes_no_search_better_or_worse():
    scored = [Scored((Entry("a", 1.0, 1.0),), 9, "a", 1.0, 1.0, 1.0)] * 3
    costs = (1.0 + EQUAL / 2, 1.0 - 2 * EQUAL, 1.0 + 2 * EQUAL)
    results = [{LATTICE_ALONE: Searched("a", cost, 0.0)} for cost in costs]
    shares = search_spaces(scored, results, SEARCHES[:1])[LATTICE_ALONE]
    assert (shares["better"], shares["worse"]) == (pytest.approx(1 / 3), pytest.approx(1 / 3))


# ---------------------------------------------------------------- the stages


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """A random Transformer over pieces of the toy's words, made without torch."""
    pytest.importorskip("ctranslate2", reason="the extra `neural` is not installed")
    pytest.importorskip("sentencepiece", reason="the extra `neural` is not installed")
    from lattice_simp.rescore.neural.data import PIECE_MODEL, piece_names, train_pieces
    from lattice_simp.rescore.neural.segmentation import SegmentationSettings
    from lattice_simp.rescore.neural.settings import TrainingSettings

    folder = tmp_path_factory.mktemp("network")
    for name, lines in (("de", SOURCES), ("en", SENTENCES.references.tokens)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines * 9), encoding="utf-8")
    settings = TrainingSettings(source=f"{folder}/de", target=f"{folder}/en", output="", vocabulary=60)
    train_pieces(settings, folder / PIECE_MODEL)
    names, rng = piece_names(folder / PIECE_MODEL), np.random.default_rng(3)
    shape = Architecture(layers=1, width=16, heads=2, inner=16, positions=300)
    weights = {
        name: (rng.normal(size=size) * 0.5 + name.endswith("norm.weight")).astype("f4")
        for name, size in weight_shapes(shape, len(names)).items()
    }
    export_model(folder, shape, weights, names)
    SegmentationSettings(source=PIECE_MODEL, target=PIECE_MODEL).write(folder)
    return folder


@pytest.fixture(scope="module")
def hiero(tmp_path_factory):
    return write_decoder(tmp_path_factory.mktemp("hiero"), RULES, ARPA, WEIGHTS)


def test_lists_and_lattices_hold_what_the_systems_say(hiero, network, tmp_path):
    """If all prefixes fit, the search finds the cheapest of all strings, even beyond the list of three."""
    from experiments.network import read_network
    from lattice_simp import Decoder

    before = Done({"tune": hiero}, {"tune": {"key": "toy"}})
    done = run_stages(stages_of(SENTENCES, hiero, network, SEARCH, SEARCHES), tmp_path, Run(), done=before)
    scored, outcome = read_scored(done.folders, SENTENCES), read_searched(done.folders, SENTENCES)
    decoder, scorer = Decoder.load(hiero), read_network(network, "float32")
    for line, second, searched in zip(SOURCES, scored, outcome, strict=True):
        every = nbest(decoder.lattice(line, 20.0), 1000)
        costs = scorer.score(line.split(), [entry.tokens for entry in every])
        assert [entry.words for entry in second.entries] == [entry.text for entry in every[:3]]
        assert [entry.lattice_cost for entry in second.entries] == pytest.approx(
            [entry.cost for entry in every[:3]], abs=1e-4
        )
        assert [entry.model_cost for entry in second.entries] == pytest.approx(costs[:3].tolist(), abs=1e-3)
        for how in SEARCHES:
            best = min(
                how.lattice_weight * entry.cost + how.model_weight * cost
                for entry, cost in zip(every, costs, strict=True)
            )
            assert searched[how.name].cost == pytest.approx(best, abs=1e-3), (line, how.name)
        assert min(second.decoding, second.scoring, second.translating) > 0
    rows = outputs(scored, outcome, SEARCHES)
    measurements = SENTENCES.measured({name: output.lines for name, output in rows.items()}, Tokeniser("fr"))
    figures = set_figures(rows, measurements, search_spaces(scored, outcome, SEARCHES))
    assert figures["spaces"][LATTICE_ALONE]["worse"] == 0.0
    assert json.loads(json.dumps(figures)) == figures
    choices = {
        "sentences": 2,
        "model_weight": {"weight": 0.5, "before": 1.0, "after": 2.0},
        "beams": {"4 prefixes": {"cost": 1.5, "bleu": 30.0, "seconds": 0.1}},
        "spaces": {},
    }
    every = {"choices": choices, "sets": {"toy": figures}, "signatures": signatures_of(measurements.metrics)}
    config = {"tests": {"toy": "made up"}, "nbest": 3, "model_weight": 0.5, "prefixes": 4}
    text, _, scores, spaces = page(every, config)
    assert "gives the Transformer the weight 0.500" in text
    assert f"toy (made up; n = {len(SOURCES)})" in scores
    assert f"| {LATTICE_BOTH} |" in scores
    assert f"| toy | {LATTICE_BOTH} | 0.0 | 0.0 |" in spaces


def test_the_network_s_own_translation_is_words(network):
    from experiments.network import read_network, translated

    scorer = read_network(network, "float32")
    pieces = scorer.segmentation.source(SOURCES[0].split())
    result = scorer.translator.translate_batch(
        [pieces], beam_size=2, max_decoding_length=2 * len(pieces) + 10, disable_unk=True
    )[0]
    processor = pytest.importorskip("sentencepiece").SentencePieceProcessor(model_file=str(network / "pieces.spm"))
    assert translated(scorer, SOURCES[0].split(), 2) == " ".join(processor.DecodePieces(result.hypotheses[0]).split())


def test_a_network_of_other_pieces_cannot_translate(network, tmp_path):
    from experiments.network import read_network, translated

    shutil.copytree(network, tmp_path / "words")
    (tmp_path / "words" / "lattice_simp.json").write_text('{"subwords": "words"}', encoding="utf-8")
    with pytest.raises(LatticeSimpError, match="not a piece of SentencePiece"):
        translated(read_network(tmp_path / "words", "float32"), ["the", "cat"], 1)


# ---------------------------------------------------------------- text and training


def test_training_text_is_that_of_the_other_system(tmp_path):
    rows = [(f"satz {number}", f"sentence {number}") for number in range(5)]
    for number, part in enumerate((rows[:3], rows[3:])):
        columns = dict(zip(("source", "target"), map(list, zip(*part, strict=True)), strict=True))
        write_shard(tmp_path / "prepared" / f"{number:06d}.parquet", columns)
    write_training_text(tmp_path / "prepared", SENTENCES, ("de", "en"), tmp_path / "text")
    lines = {path.name: path.read_text(encoding="utf-8").splitlines() for path in (tmp_path / "text").iterdir()}
    assert lines == {
        "train.de": [first for first, _ in rows],
        "train.en": [other for _, other in rows],
        "val.de": list(SOURCES),
        "val.en": list(SENTENCES.references.tokens),
    }


def test_the_validation_set_comes_first():
    sizes = set_sizes({"validation_lines": 5, "lines": None, "tests": {"one": "new", "two": "seen"}})
    assert list(sizes.items()) == [("val", 5), ("one", None), ("two", None)]
    result = set_files(Config.model_validate(CONFIG), "one", 7)
    assert (str(result.source), list(map(str, result.references)), result.lines) == ("c/one.de.xz", ["c/one.en.xz"], 7)


@pytest.mark.slow
def test_a_stopped_training_goes_on_and_a_finished_one_is_not_done_again(tmp_path):
    pytest.importorskip("torch", reason="the extra `neural-training` is not installed")
    from experiments.transformer import stages as module

    text = tmp_path / "work" / "text"
    text.mkdir(parents=True)
    for name in ("train", "val"):
        for language, lines in (("de", SOURCES), ("en", SENTENCES.references.tokens)):
            (text / f"{name}.{language}").write_text("".join(f"{line}\n" for line in lines * 9), encoding="utf-8")
    training = tmp_path / "experiment" / "training.yaml"
    training.parent.mkdir()
    said = []
    for updates in (2, 2, 4):
        training.write_text(
            f"source: x\ntarget: x\noutput: x\nthreads: 1\ndevice: cpu\n{SETTINGS.format(updates=updates)}",
            encoding="utf-8",
        )
        settings = module.network_settings(training, ("de", "en"), tmp_path / "work")
        assert os.path.samefile(settings.source, text / "train.de")
        model = module.trained_network(settings, Run(say=said.append))
        assert (model / "model.bin").exists()
    assert [line for line in said if "done before" in line or "continuing" in line] == [
        "network: done before (2 updates)",
        f"update 2: continuing from {settings.output}/checkpoint.pt",
    ]
    assert module.translated(module.read_network(model, "float32"), SOURCES[0].split(), 2) is not None


def test_without_torch_an_untrained_network_is_refused(tmp_path, monkeypatch):
    from experiments.transformer.stages import trained_network
    from lattice_simp.rescore.neural.settings import TrainingSettings

    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match="neural-training"):
        trained_network(TrainingSettings(source="a", target="b", output=str(tmp_path / "x")), Run())
