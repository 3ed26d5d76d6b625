"""Minimum Bayes risk of lists by BLEU, as mbrs computes it, in an environment with numpy 1 (for unbabel-comet)."""

from __future__ import annotations

from pathlib import Path

from experiments.bench.figures import Figures, compared, installed
from experiments.bench.peers import BLEU_LISTS, random_lists, risks

WORKERS = 2
"""Processes of mbrs; their CPU time counts."""


def measure(shared: Path) -> Figures:
    """Finds the best expected sentence BLEU in each list, against mbrs, which scores each pair of hypotheses."""
    torch, metrics, decoders = map(installed, ("torch", "mbrs.metrics", "mbrs.decoders"))
    if torch is None or metrics is None or decoders is None:
        return {}
    metric = metrics.MetricBLEU(metrics.MetricBLEU.Config(tokenize="none", num_workers=WORKERS))
    decoder = decoders.DecoderMBR(decoders.DecoderMBR.Config(), metric)
    lists = random_lists([f"word{number}" for number in range(2000)])[:BLEU_LISTS]

    def theirs() -> list[float]:
        best = []
        for entries in lists:
            texts = [entry.text for entry in entries]
            costs = torch.tensor([entry.cost for entry in entries])
            best.append(-decoder.decode(texts, texts, reference_lprobs=-costs).score[0])
        return best

    return compared("peer_mbr_bleu_of_lists_vs_mbrs", lambda: risks(lists, "bleu"), theirs, tolerance=1e-3)
