"""The same work with alternative packages, in their best use; results are compared."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import kenlm
import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

import lattice_simp as ls
from experiments.bench import peer_lattices
from experiments.bench.figures import Figures, compared, installed
from experiments.bench.oracle_data import read_by_kenlm
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.metrics import Lines, bleu, compare
from lattice_simp.metrics import measure as measure_lines
from lattice_simp.scores.edits import edit_distances
from lattice_simp.support.extras import Late

Lists = list[list[Hypothesis]]

CHRF_LISTS, BLEU_LISTS = 10, 2
"""Lists of minimum Bayes risk by chrF, and by BLEU, where sacrebleu scores each pair of hypotheses."""

CONSENSUS = ((200, 10), (50, 100))
"""Lists for the consensus: how many, and hypotheses in each."""


def measure_lists(lists: Lists) -> Figures:
    """Measures consensus and minimum Bayes risk of lists, and a significance test of two systems."""
    return {**_consensus(lists), **_chrf(lists[:CHRF_LISTS]), **_bleu(lists[:BLEU_LISTS]), **_significance(lists)}


def _consensus(lists: Lists) -> Figures:
    """Finds the consensus of each list, against unisson; nearly all are equal: ties may differ."""
    unisson = installed("unisson")
    if unisson is None:
        return {}
    figures: Figures = {}
    for count, length in CONSENSUS:
        texts = [[replace(entry, cost=0.0) for entry in entries[:length]] for entries in lists[:count]]
        tokens = [[entry.tokens for entry in entries] for entries in texts]

        def ours(texts: Lists = texts) -> list[str]:
            return [ls.consensus_nbest(entries, ignore=()).text for entries in texts]

        def theirs(tokens: list[list[tuple[str, ...]]] = tokens) -> list[str]:
            return unisson.consensus_batch(tokens)

        same = [mine == other for mine, other in zip(ours(), theirs(), strict=True)]
        if np.mean(same) < 0.98:
            raise AssertionError("unisson finds other texts")
        name = f"peer_consensus_of_{length}_best_vs_unisson"
        figures |= compared(name, _count(ours), _count(theirs))
    return figures


def _count(texts: Callable[[], list[str]]) -> Callable[[], list[float]]:
    return lambda: [float(len(texts()))]


def _chrf(lists: Lists) -> Figures:
    """Finds the best expected chrF in each list, against fastchrf's matrices of scores."""
    fastchrf = installed("fastchrf")
    if fastchrf is None:
        return {}
    texts = [[entry.text for entry in entries] for entries in lists]

    def theirs() -> list[float]:
        matrices = fastchrf.pairwise_chrf(texts, texts)
        return [
            -float((np.array(matrix) @ shares_of(entries)).max())
            for entries, matrix in zip(lists, matrices, strict=True)
        ]

    return compared("peer_mbr_chrf_of_lists_vs_fastchrf", lambda: risks(lists, "chrf"), theirs)


def _bleu(lists: Lists) -> Figures:
    """Finds the best expected sentence BLEU in each list, against sacrebleu's scores of pairs."""
    metric = BLEU(effective_order=True, tokenize="none")

    def theirs() -> list[float]:
        best = []
        for entries in lists:
            texts, shares = [entry.text for entry in entries], shares_of(entries)
            scores = [[metric.sentence_score(text, [other]).score for other in texts] for text in texts]
            best.append(-float((np.array(scores) @ shares).max()))
        return best

    return compared("peer_mbr_bleu_of_lists_vs_sacrebleu", lambda: risks(lists, "bleu"), theirs)


def risks(lists: Lists, utility: str) -> list[float]:
    """Returns minus the best expected utility of each list."""
    return [ls.mbr_nbest(entries, utility, ignore=())[0].cost for entries in lists]


def shares_of(entries: list[Hypothesis]) -> np.ndarray:
    """Returns the probabilities of hypotheses by their costs."""
    shares = np.exp([-entry.cost for entry in entries])
    return shares / shares.sum()


def _significance(lists: Lists) -> Figures:
    """Compares two systems by BLEU and paired bootstrap resampling, against sacrebleu; scores and p are equal."""
    columns = [[entry.text for entries in lists for entry in entries[start::3]] for start in range(3)]
    size = min(map(len, columns))
    references, first, second = (column[:size] for column in columns)

    metric = bleu()

    def ours() -> list[float]:
        systems = {"first": Lines(text=first), "second": Lines(text=second)}
        scores = compare(measure_lines(systems, [Lines(text=references)], [metric]), "first").scores
        baseline, system = (scores[name][metric.name] for name in systems)
        assert system.p is not None
        return [baseline.value, system.value, system.p]

    def theirs() -> list[float]:
        systems: list[tuple[str, Sequence[str]]] = [("first", first), ("second", second)]
        metrics = {"BLEU": BLEU(references=[references])}
        scores: dict[str, Any] = PairedTest(systems, metrics, references=None, test_type="bs", n_samples=1000)()[1]
        baseline, system = scores["BLEU"]
        return [baseline.score, system.score, system.p_value]

    return compared("peer_significance_vs_sacrebleu", ours, theirs)


LOG_10 = float(np.log(10.0))

LISTS, LENGTH, WORDS, VOCABULARY = 200, 100, 20, 2000
"""Artificial lists: their number, the hypotheses in each, their words, and the size of the vocabulary."""

rapidfuzz_distance, rapidfuzz_process = Late("rapidfuzz.distance"), Late("rapidfuzz.process")


def measure(shared: Path) -> Figures:
    """Measures language models on lists, oracles and minimum Bayes risk of lists, and files."""
    folder = shared / "data" / "oracles" / "hiero-multi30k"
    model = ls.LanguageModel.read(folder / "lm4.arpa.gz")
    words = [word for word in model.words if not word.startswith("<")]
    lists = random_lists(words[:VOCABULARY])
    with tempfile.TemporaryDirectory() as scratch:
        return {
            **_language_model(lists, model, read_by_kenlm(folder / "lm4.arpa.gz")),
            **_oracle(lists),
            **_minimum_bayes_risk(lists),
            **measure_lists(lists),
            **peer_lattices.files([ls.Lattice.from_nbest(entries) for entries in lists], Path(scratch)),
            **peer_lattices.measure(words, Path(scratch)),
        }


def random_lists(words: Sequence[str]) -> list[list[Hypothesis]]:
    """Returns lists whose hypotheses differ from the first one in a few words."""
    rng = np.random.default_rng(1)
    lists = []
    for _ in range(LISTS):
        first = rng.integers(len(words), size=WORDS)
        entries = []
        for number in range(LENGTH):
            labels = np.where(rng.random(WORDS) < 0.15, rng.integers(len(words), size=WORDS), first)
            entries.append(Hypothesis(tuple(words[label] for label in labels.tolist()), 0.1 * number))
        lists.append(entries)
    return lists


def _language_model(lists: list[list[Hypothesis]], model: ls.LanguageModel, peer: kenlm.Model) -> Figures:
    """Scores each hypothesis, against a loop over KenLM's scores of whole sentences."""

    def ours() -> list[float]:
        return [score for entries in lists for score in model.scores([entry.tokens for entry in entries]).tolist()]

    def theirs() -> list[float]:
        return [LOG_10 * peer.score(" ".join(entry.tokens)) for entries in lists for entry in entries]

    return compared("peer_lm_of_lists_vs_kenlm", ours, theirs, tolerance=1e-3)


def _oracle(lists: list[list[Hypothesis]]) -> Figures:
    """Finds the fewest word errors in each list, against rapidfuzz."""
    references = [entries[-1].tokens for entries in lists]

    def ours() -> list[float]:
        return [
            float(edit_distances(reference, [entry.tokens for entry in entries[:-1]]).min())
            for reference, entries in zip(references, lists, strict=True)
        ]

    def theirs() -> list[float]:
        distance = rapidfuzz_distance.Levenshtein.distance
        return [
            float(min(distance(reference, entry.tokens) for entry in entries[:-1]))
            for reference, entries in zip(references, lists, strict=True)
        ]

    return compared("peer_oracle_wer_of_lists_vs_rapidfuzz", ours, theirs)


def _minimum_bayes_risk(lists: list[list[Hypothesis]]) -> Figures:
    """Finds the hypotheses with the fewest expected word errors, against rapidfuzz's matrices of distances."""

    def theirs() -> list[float]:
        risks = []
        for entries in lists:
            tokens = [entry.tokens for entry in entries]
            matrix = rapidfuzz_process.cdist(tokens, tokens, scorer=rapidfuzz_distance.Levenshtein.distance)
            risks.append(float((matrix @ shares_of(entries)).min()))
        return risks

    return compared("peer_mbr_wer_of_lists_vs_rapidfuzz", lambda: risks(lists, "wer"), theirs)
