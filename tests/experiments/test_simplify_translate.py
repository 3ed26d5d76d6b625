"""Simplified sentences as skeletons, with a model that can be read at a glance."""

from __future__ import annotations

import pytest
from helpers import write_decoder

from experiments.files import output_file
from experiments.simplify_translate.report import headline
from experiments.simplify_translate.translating import KINDS, PLAIN, SYSTEMS, Search, System, _translator
from experiments.study.decoding import make_space, write_space
from lattice_simp import Decoder

RULES = """[X] ||| the cat ||| le chat ||| P=-0.1 ||| 0-0 1-1
[X] ||| slept ||| sommeillait ||| P=-0.1 ||| 0-0
[X] ||| slept ||| dormait ||| P=-0.6 ||| 0-0
[X] ||| was asleep ||| dormait ||| P=-0.1 ||| 0-0
[X] ||| sat ||| etait assis ||| P=-0.1 ||| 0-0
[X] ||| in peace ||| en paix ||| P=-0.1 ||| 0-0
"""
ARPA = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\n-1\t</s>\n-1\tle\n\n\\end\\\n"
WEIGHTS = {"P": 1.0, "LM": 0.01, "OOV": 1.0, "Glue": 0.0, "WordPenalty": 0.0}
SEARCH = Search(hypotheses=10, edited_hypotheses=10, beam=8.0, weights=(0.5, 2.0))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_decoder(tmp_path_factory.mktemp("model"), RULES, ARPA, WEIGHTS)


def translations(model, simplified):
    """Returns the outputs of "the cat slept in peace"; all kinds simplify it alike."""
    systems = [(system, 1.0) for system in SYSTEMS]
    space = make_space(Decoder.load(model), ("the", "cat", "slept", "in", "peace"), max_arcs=1000)
    write_space(space, model / "space.arrays")
    work = _translator(SEARCH, systems, model, model)
    return work((model / "space.arrays", dict.fromkeys(KINDS, tuple(simplified.split()))))


def test_another_word_in_the_simplified_sentence_changes_the_whole(model):
    result = translations(model, "the cat was asleep")
    assert result[PLAIN] == ("le chat sommeillait en paix", True)
    assert result["joint, translated plainly"] == ("le chat dormait", True)
    assert result["joint, gappy, 1.0"] == ("le chat dormait en paix", True)
    assert result["joint, gappy with edits, 1.0"] == ("le chat dormait en paix", True)


def test_what_is_not_in_the_lattice_is_reported_unless_deviations_are_tolerated(model):
    result = translations(model, "the cat sat")
    assert result["greedy, gappy, 1.0"] == (result[PLAIN][0], False), "the plain system's, and marked"
    words, contained = result["greedy, gappy with edits, 1.0"]
    assert contained
    assert words.startswith("le chat")


def test_the_headline_is_what_the_development_set_chose():
    weights = {system.name: 0.5 for system in SYSTEMS if system.composed}
    best = System("deletions", composed=True)
    scores = {f"{name}, 0.5": 20.0 for name in weights} | {f"{name}, 1.0": 25.0 for name in weights}
    scores |= {f"{best.name}, 0.5": 21.0, "joint, translated plainly": 99.0}
    records = {"simplified-weights": {"bleu": scores, "weights": weights}}
    assert headline(records) == "deletions, gappy"


def test_every_system_has_a_file_of_its_own(tmp_path):
    assert len({output_file(tmp_path, system.name) for system in SYSTEMS}) == len(SYSTEMS) == 9
