"""A field's lattice composed with acceptors, against all labellings, one by one."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from experiments.hindi import bracket_acceptors
from experiments.hindi.bracket_acceptors import AcceptorSearch, token_symbols, written
from lattice_simp.grammars.hindi.bracket_rules import breaches, cheapest_well_formed
from lattice_simp.grammars.hindi.rewriting import alphabet
from lattice_simp.systems.hindi.clauses.labels import Brackets
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token

LABELS = ("-/0", "-/1", "-/2", "comp/0", "main+nonfin/0", "main/0", "nonfin/1")
SYMBOLS = ("NP", "", "KAR", "FIN", "SAY", "KI", "COMMA")
COSTS = {"1a verb": 1.5, "1b": 0.5, "1c": 2.0, "2a argument": 0.7, "no verb": 1.1, "two verbs": 3.0, "participle": 0.9}


def by_hand(scores, transitions, symbols):
    """Returns (cost, labelling) of every well-formed labelling, costs against the best labelling of all."""
    every = []
    best = -np.inf
    for chosen in product(range(len(LABELS)), repeat=len(scores)):
        score = sum(scores[place, label] for place, label in enumerate(chosen))
        score += sum(transitions[first, second] for first, second in pairwise(chosen))
        best = max(best, score)
        names = written([Brackets.parse(LABELS[label]) for label in chosen], symbols)
        if cheapest_well_formed(alphabet().string(["BOS", *names, "EOS"]), costs={}).num_states():
            broken = sum(COSTS.get(name, 0.0) * count for name, count in breaches(names).items())
            every.append((broken - score, " ".join(LABELS[label] for label in chosen)))
    return sorted((cost + best, words) for cost, words in every)


def test_the_best_labellings_are_those_of_all():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        scores = 4 * rng.normal(size=(rng.integers(1, 4), len(LABELS)))
        transitions = rng.normal(size=(len(LABELS), len(LABELS)))
        symbols = [str(entry) for entry in rng.choice(SYMBOLS, size=len(scores))]
        wanted = by_hand(scores, transitions, symbols)
        n = min(5, len(wanted))
        hypotheses = AcceptorSearch(LABELS, transitions, COSTS).nbest(scores, symbols, max(n, 1))
        assert [cost for _, cost in hypotheses] == pytest.approx([cost for cost, _ in wanted[:n]], abs=1e-4), seed
        assert [" ".join(map(str, first)) for first, _ in hypotheses] == [words for _, words in wanted[:n]], seed


def test_without_a_well_formed_labelling_or_room_for_it_nothing_comes_back(monkeypatch):
    search = AcceptorSearch(["-/1"], np.zeros((1, 1)))
    assert search.nbest(np.zeros((2, 1)), ["NP", "FIN"]) == []
    search = AcceptorSearch(["main/1"], np.zeros((1, 1)))
    assert len(search.nbest(np.zeros((2, 1)), ["FIN", "FIN"])) == 1
    monkeypatch.setattr(bracket_acceptors, "MAX_ARCS", 1)
    assert search.nbest(np.zeros((2, 1)), ["FIN", "FIN"]) == []


def test_a_phrase_has_one_symbol_and_marks_have_their_own():
    tokens = (Token("raam", "NNP"), Token("ne", "PSP"), Token(",", "SYM"), Token("khaa", "VM"), Token("liyaa", "VAUX"))
    sentence = Sentence((*tokens, Token(".", "SYM")), (Chunk("NP", 0, 3), Chunk("VGF", 3, 6)))
    assert token_symbols(sentence) == ["NE", "", "COMMA", "", "FIN", "STOP"]
    assert token_symbols(Sentence(tokens)) == [""] * 5
