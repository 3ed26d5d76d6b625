"""Conditions on the sentences of a set that give and take phrases."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp import AlignmentSettings, Paraphraser, ParaphraseSettings, Thesaurus, Tree
from lattice_simp.systems.paraphrase.alignment import ALL_CONDITIONS
from lattice_simp.systems.paraphrase.conditions import CONDITIONS
from lattice_simp.systems.paraphrase.sources import SOURCES, whole
from tests.systems.paraphrase.test_evidence import THE, THE_OLD

STOP = "(. .)"


def test_untypical_sentences_give_and_take_no_phrases():
    typical = [f"(S (NP (CD {word}) (NNS men)) (VP (VBD slept) (ADVP (RB here))))" for word in ("3", "three")]
    untypical = "(S (NP (CD three) (NNS men)) (VP (VBD sang) (NP (JJ loud) (NNS songs)) (ADVP (RB yesterday))))"
    words = Thesaurus.english()
    trees = [Tree.from_brackets(text) for text in (typical[0], typical[1], untypical)]
    assert Paraphraser(thesaurus=words).expand(trees).new == 0
    every = ParaphraseSettings(alignment=AlignmentSettings(conditions=tuple(CONDITIONS)))
    assert Paraphraser(every, words).expand(trees).new == 1
    assert Paraphraser(thesaurus=words).expand([trees[0], trees[2]]).new == 2  # of two sentences, both are typical


WHOLE = f"(S (NP {THE}) (VP (VBD slept)) {STOP})"

BROKEN = {
    "no finite verb": f"(S (NP {THE}) (VP (VBG sleeping)) {STOP})",
    "a stop at the beginning": f"(S (. .) (NP {THE}) (VP (VBD slept)) {STOP})",
    "a stop glued to the first word": f"(S (NP (DT .the) (NN man)) (VP (VBD slept)) {STOP})",
    "no stop": f"(S (NP {THE}) (VP (VBD slept)))",
    "a capital after a comma": f"(S (NP {THE}) (VBD slept) (, ,) (WRB When) (PRP he) (VBD was) {STOP})",
}

RIGHT = {
    "a command": f"(S (VP (VB See) (NP {THE})) {STOP})",
    "a quotation": f"(S (`` \") (NP {THE}) (VP (VBD slept)) (. .) ('' \"))",
    "a number first": f"(S (NP (CD 3) (NNS men)) (VP (VBD slept)) {STOP})",
    "a name after a comma": f"(S (ADVP (RB Then)) (, ,) (NP (NNP Ann)) (VP (VBD slept)) {STOP})",
    "a question": "(S (VBD slept) (NP (PRP he)) (. ?))",
}


@pytest.mark.parametrize("case", [*BROKEN, *RIGHT])
def test_which_sentences_are_whole(case):
    trees = [Tree.from_brackets(text) for text in (WHOLE, WHOLE, {**BROKEN, **RIGHT}[case])]
    np.testing.assert_array_equal(whole(trees, {}), [True, True, case in RIGHT])
    assert whole([trees[0], trees[2], trees[2]], {}).all(), "what most sentences lack, none needs"


def test_broken_sentences_give_and_take_no_phrases():
    subjects = [
        f"(S (NP {subject}) (VP (VBD slept)){stop})" for subject, stop in ((THE_OLD, STOP), (THE_OLD, STOP), (THE, ""))
    ]
    trees = [Tree.from_brackets(text) for text in subjects]
    assert not Paraphraser().expand(trees).new
    others = ParaphraseSettings(AlignmentSettings(conditions=tuple(set(ALL_CONDITIONS) - {"whole"})))
    assert Paraphraser(others).expand(trees).new
    assert Paraphraser().expand(trees[1:]).new, "sets of two have no such condition"


def test_every_condition_is_known():
    assert set(SOURCES) < set(ALL_CONDITIONS)
