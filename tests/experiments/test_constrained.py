"""The experiment with constrained search, with a stand-in for the model."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from experiments.constrained.__main__ import Sentence, means, translations
from experiments.constrained.report import FREE, SYSTEMS, page
from lattice_simp.support.settings_file import read_settings
from lattice_simp.support.tables import read_table

FOLDER = Path(__file__).parents[2] / "experiments" / "constrained"
CONFIG = {"beam": 4, "max_tokens": 5, "examples": [["A cat.", "Un chat."]]}


class Model:
    """Writes `x`, seldom ends, and hardly ever writes required words."""

    tokens = (None, b" x", b" chat", b" dort", b" chats")
    ends = (0,)

    def step(self, prompt):
        assert prompt.endswith("English: The cat sleeps.\nFrench:")
        return lambda prefixes: np.log(np.tile([0.04, 0.94, 0.01, 0.005, 0.005], (len(prefixes), 1)))

    def text(self, tokens):
        return b"".join(self.tokens[token] for token in tokens).decode().strip()


def test_the_search_holds_what_masks_do_not():
    row = {"source": "The cat sleeps.", "terms": "chat|chats ; dort", "skeletons": "chat dort=0 | chats dort=1.5"}
    sentence = Sentence.of(row)
    assert sentence.terms == [["chat", "chats"], ["dort"]]
    assert sentence.skeletons == [("chat dort", 0.0), ("chats dort", 1.5)]
    rows = translations(Model(), sentence, CONFIG)
    assert list(rows) == list(SYSTEMS)
    assert rows[FREE]["text"] == ""
    assert math.isinf(rows[FREE]["terms"])
    for system, (kind, is_search) in SYSTEMS.items():
        if kind:
            assert rows[system]["ended"] == is_search, system
        if is_search:
            assert rows[system]["text"] == "chat dort"
            assert rows[system]["score"] == pytest.approx(math.log(0.01 * 0.005 * 0.04))
            assert rows[system][kind] == 0.0
    figures = means([rows["terms, constrained search"]] * 2, [rows[FREE]] * 2)
    assert (figures["ended"], figures["terms"], figures["tokens"]) == (1.0, 1.0, 3.0)
    assert figures["loss"] == pytest.approx(-math.log(0.01 * 0.005), abs=1e-3)
    missing = means([rows["terms, masks only"]], [rows[FREE]])
    assert (missing["ended"], missing["terms"], missing["score"], missing["loss"]) == (0.0, 0.0, None, None)
    results = {"sentences": 1, "pieces": 5, "systems": dict.fromkeys(SYSTEMS, missing)}
    texts = {system: row["text"] for system, row in rows.items()}
    shown = page({**results, "examples": [texts]}, CONFIG)
    assert "| terms, masks only | 0 % | 0 % | 0 % | - | - | - |" in shown[1]
    assert "| 1 | terms, constrained search | chat dort |" in shown[2]


def test_the_sentences():
    """Each skeleton has separate words, and the cheapest one costs nothing."""
    rows = read_table(FOLDER / "sentences.tsv", ("source", "terms", "skeletons"))
    sentences = [Sentence.of(row) for row in rows]
    assert len(sentences) == read_settings(FOLDER / "config.yaml", ())["count"]
    for sentence in sentences:
        assert len(sentence.terms) >= 2, sentence
        assert min(cost for _, cost in sentence.skeletons) == 0, sentence
