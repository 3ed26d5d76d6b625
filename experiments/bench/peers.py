"""The same work with alternative packages, in their best use; results are compared."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import kenlm
import numpy as np

import lattice_simp as ls
from experiments.bench import peer_lattices, peer_lists
from experiments.bench.figures import Figures, compared
from experiments.bench.oracle_data import read_by_kenlm
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.scores.edits import edit_distances
from lattice_simp.support.extras import Late

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
            **peer_lists.measure_lists(lists),
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
            risks.append(float((matrix @ peer_lists.shares_of(entries)).min()))
        return risks

    return compared("peer_mbr_wer_of_lists_vs_rapidfuzz", lambda: peer_lists.risks(lists, "wer"), theirs)
