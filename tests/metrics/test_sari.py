"""SARI against manual calculations, its definition written as loops, and published figures."""

from __future__ import annotations

import lzma
import random

import pytest
from metrics.corpora import random_sentences, with_mistakes

from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics import (
    METRICS,
    MetricOptions,
    SignificanceTest,
    TestKind,
    compare,
    measure,
    sari,
    sari_corpus,
)
from lattice_simp.metrics.metric import Lines
from lattice_simp.scores.sari import ADD, DELETE, KEEP, OPERATIONS

FEW = ["a", "b", "c", "."]
"""So few words that n-grams occur twice, and are kept once."""


def parts(make, hypotheses, references, source, **options):
    """The scores of the operations, by name."""
    return {
        operation: make(len(references), operation, **options).corpus_score(hypotheses, references, source)
        for operation in OPERATIONS
    }


# ---------------------------------------------------------------- by hand


def test_two_references_by_hand():
    source, references, hypothesis = (
        ["he resides there ."],
        [["he lives there ."], ["he lives here ."]],
        ["he lives there ."],
    )
    # Kept words: he, there, . by 1, 1/2 and 1 of the references; everything to keep is kept. "there ." likewise: 1/2.
    keep = 100 * (2 * (5 / 6) / (1 + 5 / 6) + 2 * (1 / 2) / (1 + 1 / 2)) / 4
    # At each order, half of the references' additions.
    add = 100 * 2 * (1 / 2) / (1 + 1 / 2)
    assert parts(sari, hypothesis, references, source) == pytest.approx({KEEP: keep, DELETE: 100.0, ADD: add})
    # 2 of 2 + 1 deletions of words are made, 4 of 2 + 2 + 1 of bigrams, and all of longer n-grams.
    delete = 100 * (4 / 5 + 8 / 9 + 1 + 1) / 4
    expected = {KEEP: keep, DELETE: delete, ADD: add}
    assert parts(sari_corpus, hypothesis, references, source) == pytest.approx(expected)
    whole = sari_corpus(2).corpus_score(hypothesis, references, source)
    assert whole == pytest.approx(sum(expected.values()) / 3)


def test_a_word_that_comes_twice_and_is_kept_once_by_hand():
    """The variants differ: the source has two, the output and the reference one."""
    source, references, hypothesis = ["x x"], [["x"]], ["x"]
    quarter = 25.0  # nothing else than words, and for deletion the bigram
    assert parts(sari, hypothesis, references, source) == {KEEP: quarter, DELETE: quarter, ADD: 0.0}
    assert parts(sari_corpus, hypothesis, references, source) == {KEEP: quarter, DELETE: 2 * quarter, ADD: 0.0}


def test_the_corpus_variant_sums_and_the_other_one_averages():
    source, references = ["a b", "a b c d e f"], [["a", "a b c d e f"]]
    hypotheses = ["a b", "a b c d e f"]
    assert parts(sari, hypotheses, references, source)[KEEP] == pytest.approx(100 * ((2 / 3) / 4 + 1) / 2)
    words, pairs = 2 * (7 / 8) / (1 + 7 / 8), 2 * (5 / 6) / (1 + 5 / 6)
    assert parts(sari_corpus, hypotheses, references, source)[KEEP] == pytest.approx(100 * (words + pairs + 2) / 4)


def test_case_and_references_order_do_not_matter():
    source, references = ["The old car stopped ."], [["the car stopped ."], ["The car is slow ."]]
    for make in (sari, sari_corpus):
        score = make(2).corpus_score(["THE car stopped ."], references, source)
        assert make(2).corpus_score(["the car STOPPED ."], references[::-1], ["the old CAR stopped ."]) == score
        assert score > 50


EASSE = (
    ["About 95 species are currently accepted.", "The U.S. mayor, who'd drafted the law (1995), resigned."],
    ["About 95 species are now accepted.", "The mayor drafted the law. He resigned in 1995!"],
    [
        ["About 95 species are currently known.", "The U.S. mayor drafted the law in 1995. He resigned."],
        ["About 95 species are now accepted.", "The mayor wrote the law. He resigned."],
    ],
)
"""Sources, outputs and references, as text."""


def test_the_corpus_variant_of_text_is_that_of_easse():
    """Recorded from EASSE's `corpus_sari` and its parts, with its default options."""
    source, outputs, references = EASSE
    lines = {"out": Lines(text=outputs)}, [Lines(text=reference) for reference in references]
    metrics = [sari_corpus(2), *(sari_corpus(2, part) for part in (ADD, KEEP, DELETE))]
    result = compare(measure(*lines, metrics, Lines(text=source))).scores["out"].values()
    assert [entry.value for entry in result] == pytest.approx(
        [68.62208652618135, 55.4022988505747, 65.625, 84.83896072796935]
    )


def test_sari_of_what_is_its_reference():
    """If there is nothing to add, delete or keep, that part is 0/0, which counts as 0."""
    source, outputs, _ = EASSE
    assert sari_corpus().corpus_score(outputs, [outputs], source) == pytest.approx(100)
    assert sari_corpus().corpus_score(source, [source], source) == pytest.approx(100 / 3)
    assert sari().corpus_score(source, [source], source) == pytest.approx(100 / 3)
    assert sari_corpus().corpus_score(["about it"], [["about it"]], ["on it"]) < 50  # no n-grams of orders 3 and 4


def test_both_variants_take_text():
    source, references = ["He resides there."], [["He lives there."], ["He lives here."]]
    tokens = ["he resides there ."], [["he lives there ."], ["he lives here ."]]
    metric = sari_corpus(2)
    expected = metric.corpus_score(["he lives there ."], tokens[1], tokens[0])
    assert metric.corpus_score(["He lives there."], references, source) == expected
    assert sari_corpus(2, tokenise_source=False).corpus_score(["He lives there."], references, source) != expected
    outputs, text = {"new": Lines(text=["He lives there."])}, [Lines(text=lines) for lines in references]
    measured = measure(outputs, text, [sari(2)], Lines(text=source))
    expected = sari(2).corpus_score(["he lives there ."], tokens[1], tokens[0])
    assert compare(measured).scores["new"]["SARI"].value == expected
    assert measured.metrics[0].signature.endswith("|tokens-of-text:13a")
    with pytest.raises(LatticeSimpError, match="SARI needs tokens of all systems and references, and of the source"):
        measure(outputs, text, [sari(2)], Lines(tokens=source))
    with pytest.raises(LatticeSimpError, match="SARI-corpus needs --source"):
        measure(outputs, text, [metric])
    with pytest.raises(LatticeSimpError, match=r"the source has 2 lines for 1 hypothesis$"):
        metric.corpus_score(["a"], [["a"]], ["a", "b"])


# ---------------------------------------------------------------- by definition


def count(tokens, gram):
    return sum(tokens[begin : begin + len(gram)] == list(gram) for begin in range(len(tokens)))


def grams_of(sentences, order):
    return {tuple(tokens[begin : begin + order]) for tokens in sentences for begin in range(len(tokens) - order + 1)}


def f1(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def by(above, below):
    return above / below if below else 0.0


def figures(source, hypothesis, references, order):
    """Returns for each operation the (system, references, correct, sentence variant's correct) of each n-gram."""
    number = len(references)
    values = {operation: [] for operation in OPERATIONS}
    for gram in sorted(grams_of([source, hypothesis, *references], order)):
        before, after = number * count(source, gram), number * count(hypothesis, gram)
        wanted = sum(count(tokens, gram) for tokens in references)
        kept, to_keep = min(before, after), min(before, wanted)
        deleted, to_delete = max(0, before - after), max(0, before - wanted)
        added, to_add = int(after > 0 and not before), int(wanted > 0 and not before)
        values[KEEP].append((kept, to_keep, min(kept, to_keep), min(kept, to_keep)))
        values[DELETE].append((deleted, to_delete, min(deleted, to_delete), max(0, deleted - wanted)))
        values[ADD].append((added, to_add, added * to_add, added * to_add))
    return values


def expected_of_sentence(source, hypothesis, references):
    scores = dict.fromkeys(OPERATIONS, 0.0)
    for order in range(1, 5):
        for operation, rows in figures(source, hypothesis, references, order).items():
            system = [by(alone, first) for first, _, _, alone in rows if first]
            others = [by(alone, other) for _, other, _, alone in rows if other]
            precision, recall = by(sum(system), len(system)), by(sum(others), len(others))
            scores[operation] += 25 * (precision if operation == DELETE else f1(precision, recall))
    return scores


def expected_of_corpus(source, hypotheses, references):
    scores = dict.fromkeys(OPERATIONS, 0.0)
    for order in range(1, 5):
        rows = [figures(*sentence, order) for sentence in zip(source, hypotheses, references, strict=True)]
        for operation in OPERATIONS:
            first, other, correct = (sum(entry[at] for row in rows for entry in row[operation]) for at in range(3))
            scores[operation] += 25 * f1(by(correct, first), by(correct, other))
    return scores


def corpus(seed):
    """A source, outputs and one to three references, all with repeated words; some lines are empty."""
    source = random_sentences(6, seed, longest=9, words=FEW)
    outputs = with_mistakes(source, 0.5, seed + 1) if seed % 3 else random_sentences(6, seed + 2, longest=9, words=FEW)
    references = [with_mistakes(source, 0.6, seed + 3 + number) for number in range(1 + seed % 3)]
    return source, outputs, references


def test_random_corpora_have_the_scores_of_the_definition():
    seen = set()
    for seed in range(60):
        source, outputs, references = corpus(seed)
        tokens = [[line.split() for line in lines] for lines in (source, outputs)]
        wanted = [[line.split() for line in lines] for lines in zip(*references, strict=True)]
        alone = [expected_of_sentence(*entry) for entry in zip(*tokens, wanted, strict=True)]
        mean = {operation: sum(entry[operation] for entry in alone) / len(alone) for operation in OPERATIONS}
        summed = expected_of_corpus(*tokens, wanted)
        assert parts(sari, outputs, references, source) == pytest.approx(mean), seed
        assert parts(sari_corpus, outputs, references, source) == pytest.approx(summed), seed
        legacy = parts(sari_corpus, outputs, references, source, tokenise_source=False)
        assert legacy == pytest.approx(summed), seed
        for make, second in ((sari, mean), (sari_corpus, summed)):
            whole = make(len(references)).corpus_score(outputs, references, source)
            assert whole == pytest.approx(sum(second.values()) / 3), seed
            seen.add(round(whole, 3))
    assert len(seen) > 100


def test_the_order_of_sentences_does_not_matter_and_parts_add_up_to_resamples():
    source, outputs, references = corpus(7)
    rows = sari_corpus(len(references)).rows(outputs, references, source)
    order = random.Random(1).sample(range(len(source)), len(source))
    chosen = [[lines[index] for index in order[:4]] for lines in (source, outputs, *references)]
    again = sari_corpus(len(references)).corpus_score(chosen[1], chosen[2:], chosen[0])
    assert float(sari_corpus().score(rows[order[:4]].sum(axis=0))) == pytest.approx(again)


@pytest.mark.parametrize("kind", TestKind)
def test_a_better_system_is_significantly_better(kind):
    source = random_sentences(60, 3)
    references = [with_mistakes(source, 0.4, 4), with_mistakes(source, 0.4, 5)]
    lines = [Lines(tokens=each) for each in (source, *references)]
    metrics = [make(2) for make in (sari, sari_corpus)]
    measured = measure({"source": lines[0], "reference": lines[1]}, lines[1:], metrics, lines[0])
    scores = compare(measured, "source", SignificanceTest(kind, 200)).scores["reference"]
    for metric in metrics:
        assert scores[metric.name].p < 0.02
        assert scores[metric.name].gain > 10


# ---------------------------------------------------------------- published figures

GOLDEN = {"Dress": 37.08, "PBMT-R": 38.56, "SBMT-SARI": 39.96, "Hybrid": 31.40}
"""The scores of TurkCorpus outputs in the tests of EASSE."""


@pytest.fixture(scope="module")
def turk(shared):
    folder = shared / "data" / "simplify" / "turk"
    if not folder.is_dir():
        pytest.skip(f"no TurkCorpus at {folder}")

    def lines(name):
        with lzma.open(folder / f"{name}.xz", "rt", encoding="utf-8") as file:
            return file.read().splitlines()

    references = [lines(f"legacy/test.8turkers.tok.turk.{number}") for number in range(8)]
    return (
        lines("legacy/test.8turkers.tok.norm"),
        references,
        {name: lines(f"outputs/{name}.tok.low") for name in GOLDEN},
    )


@pytest.mark.shared
def test_published_figures(turk):
    source, references, outputs = turk
    metric = METRICS["sari-legacy"](MetricOptions(len(references)))
    for name, golden in GOLDEN.items():
        assert metric.corpus_score(outputs[name], references, source) == pytest.approx(golden, abs=0.05), name


@pytest.mark.shared
def test_no_other_variant_gives_the_published_figures(turk):
    source, references, outputs = turk
    for name in ("sari", "sari-corpus"):
        metric = METRICS[name](MetricOptions(len(references)))
        assert abs(metric.corpus_score(outputs["Dress"], references, source) - GOLDEN["Dress"]) > 0.4
