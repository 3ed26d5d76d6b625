"""Conditions that depend on the whole set: the substitutions that each allows, with their direction."""

from __future__ import annotations

import pytest

from lattice_simp import AlignmentSettings, Thesaurus, Tree
from lattice_simp.systems.paraphrase.alignment import ALL_CONDITIONS
from lattice_simp.systems.paraphrase.evidence import EVIDENCE
from lattice_simp.systems.paraphrase.grammar import acquire


def substitutions(subjects, *conditions):
    """Returns the pairs of an original and a replacement among subjects of otherwise equal sentences."""
    trees = [Tree.from_brackets(f"(S (NP {subject}) (VP (VBD slept)))") for subject in subjects]
    settings = AlignmentSettings(min_linked=0.4, max_unlinked=2, conditions=conditions)
    grammar = acquire(trees, Thesaurus.english(), settings)
    return {
        (" ".join(original.words), " ".join(replacement.words))
        for original, replacements in grammar.substitutes.items()
        for replacement in replacements
    }


THE, THE_OLD, AN_OLD, OLD = (
    "(DT the) (NN man)",
    "(DT the) (JJ old) (NN man)",
    "(DT an) (JJ old) (NN man)",
    "(JJ old) (NN man)",
)

ADDED, OMITTED = ("the man", "the old man"), ("the old man", "the man")

CASES = {
    "a detail may be added, not left out": ("kept", [THE, THE_OLD], {ADDED}),
    "a synonym keeps its word": (
        "kept",
        ["(CD 3) (NNS men)", "(CD three) (NNS men)"],
        {("3 men", "three men"), ("three men", "3 men")},
    ),
    "one sentence in four does not support a detail": ("supported", [THE, THE_OLD, THE, THE], {OMITTED}),
    "two in four do": ("supported", [THE, THE_OLD, THE_OLD, THE], {ADDED, OMITTED}),
    "one in two does": ("supported", [THE, THE_OLD], {ADDED, OMITTED}),
    "a form of one sentence in four": (
        "supported",
        ["(JJ old) (NNS peoples)", *["(JJ old) (NN people)"] * 3],
        {("old peoples", "old people")},
    ),
    "a synonym of one sentence in four": (
        "supported",
        ["(CD 3) (NNS men)", *["(CD three) (NNS men)"] * 3],
        {("3 men", "three men")},
    ),
    "a synonym of two in seven": (
        "supported",
        [*["(CD 3) (NNS men)"] * 2, *["(CD three) (NNS men)"] * 5],
        {("3 men", "three men"), ("three men", "3 men")},
    ),
    "a rare determiner": ("determined", [THE_OLD, AN_OLD, THE_OLD], {("an old man", "the old man")}),
    "a noun that others have a determiner for": ("determined", [THE_OLD, OLD, THE_OLD], {("old man", "the old man")}),
    "a noun that most have no determiner for": ("determined", [THE_OLD, OLD, OLD], {("the old man", "old man")}),
    "a noun that half have no determiner for": ("determined", [THE_OLD, OLD, AN_OLD, OLD], set()),
    "a possessive pronoun": (
        "determined",
        [THE_OLD, "(PRP$ his) (JJ old) (NN man)"],
        {("his old man", "the old man")},
    ),
    "a quantifier": (
        "determined",
        ["(DT any) (JJ old) (NN man)", *[OLD] * 3, *[THE_OLD] * 5],
        {("old man", "the old man")},
    ),
    "equally frequent determiners of two sentences": (
        "determined",
        [THE_OLD, AN_OLD],
        {("an old man", "the old man"), ("the old man", "an old man")},
    ),
    "equally frequent determiners of four": ("determined", [THE_OLD, AN_OLD, THE_OLD, AN_OLD], set()),
    "a detail that the original may have in other words": (
        "unsaid",
        [f"(NP {THE}) (PP (IN of) (NN age))", f"(NP {THE_OLD}) (PP (IN of) (NN sense))"],
        {OMITTED},
    ),
    "a detail that the original lacks": ("unsaid", [THE, THE_OLD], {ADDED, OMITTED}),
    "the second part of a contraction": ("sound", ["(POS 's) (JJ old) (NN man)", THE_OLD], set()),
    "a conjunction at the end": ("sound", [f"{THE} (CC and)", THE_OLD], set()),
    "an article before another determiner": ("sound", ["(DT the) (DT this) (JJ old) (NN man)", THE_OLD], set()),
    "a repeated word": ("sound", [f"(DT the) {THE}", THE_OLD], set()),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_condition_allows(case):
    name, subjects, expected = CASES[case]
    assert substitutions(subjects, name) == expected
    assert substitutions(subjects) >= expected | {pair[::-1] for pair in expected}


def test_every_condition_has_a_case():
    assert {name for name, _, _ in CASES.values()} == set(EVIDENCE)
    assert set(EVIDENCE) < set(ALL_CONDITIONS)
