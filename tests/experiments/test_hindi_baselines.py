"""The papers' systems, the baselines of the lattice of Hindi bracketings."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from experiments.hindi.baselines import TwoFields, best_labels, unconstrained
from experiments.hindi.counts import Participle, corrected_counts
from lattice_simp.systems.hindi.clause import ClauseType, parse_bracketed
from lattice_simp.systems.hindi.clauses.crf import CrfSettings, LinearChain
from lattice_simp.systems.hindi.clauses.features import word_features
from lattice_simp.systems.hindi.clauses.labels import Brackets, brackets_of, clauses_of
from lattice_simp.systems.hindi.clauses.model import ClauseModel
from lattice_simp.systems.hindi.clauses.rule_costs import token_classes
from lattice_simp.systems.hindi.clauses.scoring import evaluate
from tests.systems.hindi.clauses.small_sentences import examples_of, sentence_of

pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra 'hindi')")


@pytest.fixture(scope="module")
def examples():
    return examples_of(1, 60)


SETTINGS = CrfSettings(max_iterations=40)


def is_perfect(system, examples):
    result = evaluate((system(sentence), clauses) for sentence, clauses in examples)
    return result.scores["types"].f1 == result.well_formed == 100


def test_two_fields_learn_what_they_saw(examples, tmp_path):
    trained = TwoFields.train(examples, SETTINGS)
    trained.write(tmp_path)
    for model in (trained, TwoFields.read(tmp_path)):
        assert is_perfect(model.unconstrained, examples)
        assert is_perfect(model.brackets, examples)
        assert is_perfect(
            lambda value, m=model: corrected_counts(value, m.unconstrained(value), token_classes(value)), examples
        )


def test_one_field_by_itself_learns_what_it_saw(examples):
    model = ClauseModel.train(examples, SETTINGS, word_features)
    assert is_perfect(lambda sentence: unconstrained(model, sentence), examples)


def test_a_field_gives_the_labels_of_the_library(examples, tmp_path):
    import pycrfsuite

    data = [
        (word_features(first), [str(entry) for entry in brackets_of(clauses, len(first))])
        for first, clauses in examples
    ]
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    settings = CrfSettings(max_iterations=15)
    trainer.set_params(
        {
            "c1": settings.l1,
            "c2": settings.l2,
            "max_iterations": settings.max_iterations,
            "feature.minfreq": settings.min_count,
            "feature.possible_transitions": True,
        }
    )
    for features, labels in data:
        trainer.append(features, labels)
    trainer.train(str(tmp_path / "model"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "model"))
    chain = LinearChain.train(data, settings)
    for features, _ in data:
        best = best_labels(chain.scores(features), chain.transitions)
        assert [chain.labels[label] for label in best] == tagger.tag(features)


# ---------------------------------------------------------------- the papers' count rules


@pytest.mark.parametrize(
    ("labels", "wanted"),
    [
        # 1a: the matrix clause of a complement ends with it.
        ("(main raam ne kahaa (comp ki vaha ghar gayaa )", "(main raam ne kahaa (comp ki vaha ghar gayaa ) )"),
        # It encloses everything joined to the complement, including the end of a nested complement.
        (
            "(main kahaa (comp ki (nonfin khaakar ) gayaa ) aur (coord siitaa soyaa )",
            "(main kahaa (comp ki (coord (nonfin khaakar ) gayaa ) aur (coord siitaa soyaa ) ) )",
        ),
        ("(main kahaa (comp ki kahaa (comp ki gayaa )", "(main kahaa (comp ki kahaa (comp ki gayaa ) ) )"),
        (
            "(main kahaa (comp ki (coord gayaa ) aur (coord soyaa )",
            "(main kahaa (comp ki (coord gayaa ) aur (coord soyaa ) ) )",
        ),
        # Clauses joined to the matrix clause stay outside.
        (
            "(coord kahaa (comp ki gayaa ) aur (coord raam siitaa soyaa",
            "(coord kahaa (comp ki gayaa ) ) aur (coord raam siitaa soyaa )",
        ),
        # The verb before "ki" does not end its clause: its end moves.
        (
            "(main raam kahaa ) (comp ki gayaa ) aur (coord soyaa",
            "(main raam kahaa (comp ki gayaa ) ) aur (coord soyaa )",
        ),
        # 1b: a finite verb ends its clause.
        ("(main raam gayaa", "(main raam gayaa )"),
        # 2a: the start of a non-finite clause.
        ("(main raam khaanaa khaakar ) soyaa )", "(main raam (nonfin khaanaa khaakar ) soyaa )"),
        # 2b: no end before a conjunction, unless on a verb.
        ("(main raam ) aur siitaa soyaa )", "(main raam aur siitaa soyaa )"),
        # 3a: several clauses in a complement get one around them, which holds `ki`; the first one opens behind it.
        (
            "(main kahaa (comp ki shaam gayaa ) aur (coord siitaa soyaa ) )",
            "(main kahaa (comp ki (coord shaam gayaa ) aur (coord siitaa soyaa ) ) )",
        ),
        # Not if the second one has its own `ki`, or if the first one is inside another one already.
        ("(main kahaa (comp ki gayaa ) aur (comp ki soyaa ) )", "(main kahaa (comp ki gayaa ) aur (comp ki soyaa ) )"),
        (
            "(main kahaa (comp ki (coord gayaa ) aur (coord soyaa ) ) )",
            "(main kahaa (comp ki (coord gayaa ) aur (coord soyaa ) ) )",
        ),
        # Equal numbers stay unchanged.
        ("(main raam soyaa )", "(main raam soyaa )"),
    ],
)
def test_count_rules(labels, wanted):
    _, clauses = parse_bracketed(wanted)
    assert clauses_of(corrected(labels)) == clauses


def test_the_readings_of_rule_1c():
    value = "(main raam (nonfin khaanaa khaakar soyaa )"
    assert loose("(main raam (nonfin khaanaa khaakar (main soyaa )") == opens_and_closes(corrected(value))
    as_end = corrected(value, Participle.END)
    assert clauses_of(as_end) == parse_bracketed("(main raam (nonfin khaanaa khaakar ) soyaa )")[1]
    for participle in Participle:
        followed = "(main raam khaakar (coord siitaa soyaa )"
        assert loose(followed) == opens_and_closes(corrected(followed, participle)), "a clause begins behind the verb"


def corrected(labels, *options):
    opens, closes = loose(labels)
    words = [part for part in labels.split() if part[0] not in "()"]
    sentence = sentence_of([(tag_of(word), word) for word in words])
    brackets = [Brackets(opened, count) for opened, count in zip(opens, closes, strict=True)]
    return corrected_counts(sentence, brackets, token_classes(sentence), *options)


def opens_and_closes(brackets):
    return [bracket.opens for bracket in brackets], [bracket.closes for bracket in brackets]


def tag_of(word):
    tags = {"ki": "CCP", "aur": "CCP", "khaakar": "VGNF"}
    return tags.get(word, "VGF" if word in ("kahaa", "gayaa", "soyaa") else "NP")


def loose(text):
    """Reads possibly unbalanced brackets: for each word, those that open before it and the number that close after
    it."""
    opens, closes, waiting = [], [], []
    for part in text.split():
        if part.startswith("("):
            waiting.append(ClauseType(part[1:]))
        elif part == ")":
            closes[-1] += 1
        else:
            opens.append(tuple(waiting))
            closes.append(0)
            waiting = []
    return opens, closes


def test_the_best_labels_are_the_best_of_all():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        scores, transitions = rng.normal(size=(4, 3)), rng.normal(size=(3, 3))
        every = {
            chosen: sum(scores[index, label] for index, label in enumerate(chosen))
            + sum(transitions[first, second] for first, second in pairwise(chosen))
            for chosen in product(range(3), repeat=4)
        }
        assert tuple(best_labels(scores, transitions)) == max(every, key=every.get), seed
