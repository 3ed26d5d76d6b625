"""The name of a run depends on everything that affects its results, so that `--resume` never mixes two runs."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from lattice_simp import Hypothesis, Lattice
from lattice_simp.commands.inputs.sentences import Sentence
from lattice_simp.commands.running.sentences import name_run


@dataclass(frozen=True)
class Options:
    model: Path
    beam: float = 8.0
    strategy: str = "plain"


LATTICE = Lattice.from_strings([("the house", 1.0), ("a house", 2.0)])
PLAIN = Sentence(("the", "house"), ("10",), (Hypothesis(("das",), 1.0),), "the house", LATTICE, (1.0,))


@pytest.fixture
def model(tmp_path):
    (tmp_path / "model").mkdir()
    for name in ("rules", "weights"):
        (tmp_path / "model" / name).write_text(name[:5], "utf-8")
        os.utime(tmp_path / "model" / name, ns=(10**18, 10**18))
    return tmp_path / "model"


def changed(model, change, sentences=(PLAIN, PLAIN), options=None):
    """Returns the parts of a run's name that a change of its model, sentences or options alters."""
    before = name_run([PLAIN, PLAIN], model, Options(model))
    assert before == name_run([PLAIN, PLAIN], model, Options(model)), "the same run has another name"
    change()
    after = name_run(sentences, model, options or Options(model))
    return {part for part in before if before[part] != after[part]}


@pytest.mark.parametrize("change", ["time", "size", "name", "more", "less"])
def test_a_change_of_a_models_files_is_another_model(model, change):
    weights = model / "weights"
    changes = {
        "time": lambda: os.utime(weights, ns=(10**18, 10**18 + 1)),
        "size": lambda: (weights.write_text("weight", "utf-8"), os.utime(weights, ns=(10**18, 10**18))),
        "name": lambda: weights.rename(model / "weighty"),
        "more": lambda: (model / "copy").touch(),
        "less": weights.unlink,
    }
    assert changed(model, changes[change]) == {"model"}


@pytest.mark.parametrize(
    "other",
    [
        {"words": ("a", "house")},
        {"masks": ("01",)},
        {"hypotheses": (Hypothesis(("das",), 1.5),)},
        {"text": "The house"},
        {"lattice": None},
        {"lattice": Lattice.from_strings([("the house", 1.0), ("a house", 2.5)])},
        {"lattice": Lattice.from_strings([("the house", 1.0), ("no house", 2.0)])},
        {"lattice": LATTICE.with_feature("LM", [0.0] * LATTICE.num_arcs)},
        {"probabilities": (0.5,)},
    ],
)
def test_a_change_of_a_sentence_is_another_input(model, other):
    assert changed(model, lambda: None, [PLAIN, replace(PLAIN, **other)]) == {"input"}


def test_the_number_and_the_order_of_sentences_count(model):
    second = replace(PLAIN, text="two")
    assert name_run([PLAIN, second], model, Options(model)) != name_run([second, PLAIN], model, Options(model))
    assert changed(model, lambda: None, [PLAIN]) == {"input"}


def test_every_option_counts_but_where_the_model_is(model):
    assert changed(model, lambda: None, options=Options(model, beam=5.0)) == {"options"}
    assert changed(model, lambda: None, options=Options(model, strategy="gappy")) == {"options"}
    assert changed(model, lambda: None, options=Options(model / "elsewhere")) == set()


def test_a_model_that_is_no_folder_has_a_name(model):
    assert name_run([], model / "weights", Options(model)) == name_run([], model / "none", Options(model))
