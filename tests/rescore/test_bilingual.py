"""The bilingual model: sums to one, the forward algorithm against all alignments, prefixes, counts, faults."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.rescore import BilingualScorer, PrefixScorer, score_by_prefixes
from lattice_simp.rescore.bilingual import emission_table
from lattice_simp.rescore.counts import FALLBACK_DISCOUNTS, count_events, discounts, summed
from lattice_simp.rescore.jumps import MAXIMUM_JUMP, UNIFORM

SOURCE_WORDS = [f"s{number}" for number in range(9)]
TARGET_WORDS = [f"t{number}" for number in range(11)]
CUTS = [{}, {"least_word": 1, "least_triple": 1}, {"least_word": 3, "least_pair": 2, "least_triple": 3}]


@pytest.fixture(params=range(len(CUTS)))
def trained(request, linked_corpus):
    data, parts = linked_corpus(request.param)
    return data, BilingualScorer.train(parts, SOURCE_WORDS, TARGET_WORDS, **CUTS[request.param]), CUTS[request.param]


def probabilities(table, bigrams, symbols):
    previous, words = (np.array(column, dtype=np.int32) for column in zip(*bigrams, strict=True))
    return emission_table(previous, words, np.array(symbols, dtype=np.int32), table.arrays)


def test_every_context_sums_to_one(trained):
    table = trained[1]
    targets, symbols = table.boundary + 1, table.source.unknown + 2 + 1
    bigrams = list(itertools.product(range(targets), range(targets)))
    sums = probabilities(table, bigrams, range(symbols)).reshape(targets, targets, symbols).sum(axis=1)
    np.testing.assert_allclose(sums, 1.0, atol=2e-6)


def events(data, source, target):
    """Counts (s, previous, t) as the docstring says, with words for numbers."""
    counts = Counter()
    for s, t, links in zip(*data, strict=True):
        results = [w if w in source else "?" for w in (SOURCE_WORDS[n] for n in s)]
        words = ["|", *(w if w in target else "?" for w in (TARGET_WORDS[n] for n in t)), "|"]
        for j in range(len(t)):
            linked = [results[i] for i, position in links if position == j] or ["NULL"]
            counts.update((symbol, words[j], words[j + 1]) for symbol in linked)
        counts["END", words[-2], "|"] += 1
    return counts


def reference(counts, cuts, target):
    """Returns the interpolated model by its definition: p(t | previous, s)."""
    discount = {}
    marginals = [Counter(), Counter(), counts]
    for (s, _, t), number in counts.items():
        marginals[0][t] += number
        marginals[1][s, t] += number
    for level, table in enumerate(marginals):
        values = np.array(list(table.values()))
        discount[level] = discounts(values)
    totals, contexts = Counter(), Counter()
    for (s, previous, _), number in counts.items():
        totals[s] += number
        contexts[s, previous] += number
    every = [*target, "?", "|"]

    def share(level, number, total, least):
        return (number - discount[level][min(number, 3) - 1]) / total if number and number >= least else 0.0

    size = sum(marginals[0].values())
    flat = {t: share(0, marginals[0][t], size, 1) for t in every}
    rest = (1 - sum(flat.values())) / len(every)
    unigram = {t: value + rest for t, value in flat.items()}

    def pair(t, s):
        inputs = {w: share(1, marginals[1][s, w], totals[s], cuts.get("least_pair", 1)) for w in every}
        return inputs[t] + (1 - sum(inputs.values())) * unigram[t]

    def triple(t, previous, s):
        least = cuts.get("least_triple", 2)
        inputs = {w: share(2, counts[s, previous, w], contexts[s, previous], least) for w in every}
        return inputs[t] + (1 - sum(inputs.values())) * pair(t, s)

    return triple


def test_the_tables_are_the_definition(trained):
    data, scorer, cuts = trained
    table = scorer
    source, target = table.source.words, table.target.words
    frequencies = Counter(word for line in data[1] for word in line)
    assert set(target) == {TARGET_WORDS[n] for n, c in frequencies.items() if c >= cuts.get("least_word", 2)}
    model = reference(events(data, source, target), cuts, target)
    targets, symbols = [*target, "?", "|"], [*source, "?", "END", "NULL"]
    rng = np.random.default_rng(4)
    for _ in range(60):
        previous, word, s = (int(rng.integers(len(names))) for names in (targets, targets, symbols))
        result = probabilities(table, [(previous, word)], [s])[0, 0]
        assert result == pytest.approx(model(targets[word], targets[previous], symbols[s]), rel=1e-5)


def brute_force(scorer, source, hypothesis):
    """Sums over all alignments of the words and the end, each to NULL or to a position of the source."""
    table = scorer
    symbols = [*table.source.numbers(source).tolist(), table.source.unknown + 1]
    positions = len(symbols)
    words = [table.boundary, *table.target.numbers(hypothesis).tolist(), table.boundary]
    null = float(table.arrays.null[0])

    def weight(previous, position):
        if previous == positions:
            return table.arrays.jumps[2 * MAXIMUM_JUMP + 1 + min(position, MAXIMUM_JUMP)]
        return table.arrays.jumps[int(np.clip(position - previous, -MAXIMUM_JUMP, MAXIMUM_JUMP)) + MAXIMUM_JUMP]

    def step(previous, position):
        row = [weight(previous, other) for other in range(positions)]
        share = row[position] / sum(row) if sum(row) > 0 else 1 / positions
        return (1 - UNIFORM) * share + UNIFORM / positions

    total = 0.0
    for alignment in itertools.product([None, *range(positions)], repeat=len(words) - 1):
        probability, index = 1.0, positions
        for j, position in enumerate(alignment, start=1):
            symbol = table.source.unknown + 2 if position is None else symbols[position]
            probability *= probabilities(table, [(words[j - 1], words[j])], [symbol])[0, 0]
            if position is None:
                probability *= null
            else:
                probability *= (1 - null) * step(index, position)
                index = position
        total += probability
    return -math.log(total)


def test_the_forward_sum_is_that_over_all_alignments(trained):
    scorer = trained[1]
    rng = np.random.default_rng(1)
    for length in (0, 1, 2, 3):
        source = rng.choice([*SOURCE_WORDS, "new"], length).tolist()
        hypotheses = [rng.choice([*TARGET_WORDS, "other"], size).tolist() for size in (0, 1, 2, 3, 3)]
        expected = [brute_force(scorer, source, words) for words in hypotheses]
        np.testing.assert_allclose(scorer.score(source, hypotheses), expected, rtol=1e-9)


def test_next_words_sum_to_one_after_any_prefix(trained):
    scorer = trained[1]
    source = ["s0", "s3", "s1", "zzz"]
    prefix = [scorer.start(source)]
    for word in ("t1", "t0", "unseen", "t2"):
        known = [*scorer.target.words, "unseen"]
        costs, _ = scorer.extend(prefix * len(known), known)
        assert np.exp(-costs).sum() + np.exp(-scorer.end(prefix)[0]) == pytest.approx(1.0, abs=2e-6)
        _, prefix = scorer.extend(prefix, [word])


def test_words_add_up_to_the_whole_in_any_batch(trained):
    scorer = trained[1]
    assert isinstance(scorer, PrefixScorer)
    rng = np.random.default_rng(2)
    source = rng.choice(SOURCE_WORDS, 5).tolist()
    hypotheses = [rng.choice(TARGET_WORDS[:3], rng.integers(0, 6)).tolist() for _ in range(40)]
    whole = scorer.score(source, hypotheses)
    for words, cost in zip(hypotheses, whole, strict=True):
        states, total = [scorer.start(source)], 0.0
        for word in words:
            first, states = scorer.extend(states, [word])
            total += first[0]
        assert total + scorer.end(states)[0] == pytest.approx(cost, rel=1e-12)
    np.testing.assert_allclose(score_by_prefixes(scorer, source, hypotheses[::-1])[::-1], whole, rtol=1e-12)


def test_a_file_gives_the_same_model_and_the_same_training_the_same_bytes(trained, linked_corpus, tmp_path):
    _, scorer, cuts = trained
    scorer.write(tmp_path / "a")
    _, parts = linked_corpus(CUTS.index(cuts))
    BilingualScorer.train(parts, SOURCE_WORDS, TARGET_WORDS, **cuts).write(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    again = BilingualScorer.read(tmp_path / "a")
    hypotheses = [["t0", "t1"], ["t5"], []]
    assert again.score(["s0", "s1"], hypotheses).tolist() == scorer.score(["s0", "s1"], hypotheses).tolist()


def test_parts_do_not_matter(linked_corpus):
    _, parts = linked_corpus(7)
    joined = BilingualScorer.train(linked_corpus(7)[1], SOURCE_WORDS, TARGET_WORDS)
    turned = BilingualScorer.train(parts[::-1], SOURCE_WORDS, TARGET_WORDS)
    assert (joined.source, joined.target) == (turned.source, turned.target)
    for name, array, other in zip(joined.arrays._fields, joined.arrays, turned.arrays, strict=True):
        np.testing.assert_allclose(array, other, rtol=1e-9, err_msg=name)


def test_links_matter(linked_corpus):
    """Where each target word is always linked with one source word, order and choice of words show in the costs."""
    numbers = np.arange(4, dtype=np.int32)
    sentence = [numbers.tolist()] * 20
    from rescore.conftest import as_sentences

    side = as_sentences(sentence)
    links = as_sentences([[(n, n) for n in range(4)]] * 20, 2)
    scorer = BilingualScorer.train([(side, side, links)], list("abcd"), list("ABCD"))
    costs = scorer.score(list("abcd"), [list("ABCD"), list("ABDC"), list("ABC"), list("ABCDD")])
    assert costs.argmin() == 0
    assert scorer.score(list("ab"), [list("AB"), list("CD")]).argmin() == 0


def test_broken_files_and_input(tmp_path, linked_corpus):
    _, parts = linked_corpus(0)
    scorer = BilingualScorer.train(parts, SOURCE_WORDS, TARGET_WORDS)
    scorer.write(tmp_path / "model")
    data = (tmp_path / "model").read_bytes()
    (tmp_path / "short").write_bytes(data[:-100])
    (tmp_path / "other").write_bytes(data.replace(b"bilingual 1", b"bilingual 9"))
    (tmp_path / "text").write_text("no model\n", encoding="utf-8")
    for name in ("short", "other", "text", "missing"):
        with pytest.raises(FormatError, match=name):
            BilingualScorer.read(tmp_path / name)
    with pytest.raises(LatticeSimpError, match="no sentences"):
        BilingualScorer.train([], SOURCE_WORDS, TARGET_WORDS)
    with pytest.raises(LatticeSimpError, match="has the number"):
        BilingualScorer.train(parts, SOURCE_WORDS[:2], TARGET_WORDS)
    source, target, links = parts[1]
    with pytest.raises(LatticeSimpError, match="lists of links"):
        BilingualScorer.train([(source, target, parts[0][2])], SOURCE_WORDS, TARGET_WORDS)
    reverse = np.concatenate([links.words[a:b][::-1] for a, b in itertools.pairwise(links.offsets.tolist())])
    with pytest.raises(LatticeSimpError, match="not sorted"):
        BilingualScorer.train([(source, target, links._replace(words=reverse))], SOURCE_WORDS, TARGET_WORDS)
    with pytest.raises(LatticeSimpError, match="outside its sentence"):
        BilingualScorer.train([(source, target, links._replace(words=links.words + 99))], SOURCE_WORDS, TARGET_WORDS)


def test_counting_in_parts(monkeypatch):
    rng = np.random.default_rng(0)
    chunks = [rng.integers(0, 30, rng.integers(0, 40)) for _ in range(12)]
    expected = Counter(np.concatenate(chunks).tolist())
    for merge_after in (0, 50, 10**6):
        monkeypatch.setattr("lattice_simp.rescore.counts.MERGE_AFTER", merge_after)
        keys, numbers = count_events(chunks)
        assert dict(zip(keys.tolist(), numbers.tolist(), strict=True)) == expected
        assert (np.diff(keys) > 0).all()
    empty = np.zeros(0, dtype=np.int64)
    assert [len(column) for column in summed(empty, empty)] == [0, 0]
    assert discounts(np.array([1, 1, 2])).tolist() == list(FALLBACK_DISCOUNTS)
