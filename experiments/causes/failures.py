"""Why a translation contains none of the translations of its skeleton."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from experiments.causes.folds import Fold
from experiments.files import sentence_file
from experiments.study.config import Study
from experiments.study.scoring import skeleton_nbest
from experiments.study.spaces import read_space
from lattice_simp.translate.model_files import WEIGHTS, read_weights


def failure_figures(study: Study, folds: Sequence[Fold], system: str) -> dict[str, Any]:
    """Compares the sentences of which a system reaches no translation of the skeleton with the others.

    Returns:
        By `failed` and `reached`: their number; the mean source words, arcs of the space, and words of the skeleton;
        and of how many each one of the skeleton's hypotheses has a word that the space does not have (`missing_word`).
    """
    rows: dict[str, list[tuple[float, ...]]] = {"failed": [], "reached": []}
    for fold in folds:
        outputs = fold.outputs([system])[system]
        weights = read_weights(fold.done.folders["tune"] / WEIGHTS)
        kind = study.system(system).skeleton or ""
        for number, (output, sentence) in enumerate(zip(outputs, fold.sentences, strict=True)):
            if output.reachable is None:
                continue
            space = read_space(sentence_file(fold.done.folders["spaces"], number, fold.name))
            known = set(space.symbols)
            skeleton = sentence.skeletons[kind][0]
            hypotheses = skeleton_nbest(fold.done.folders, skeleton, "strong", weights).words
            missing = all(not known.issuperset(line.split()) for line in hypotheses)
            row = (len(sentence.words), space.num_arcs, len(skeleton.words), missing)
            rows["reached" if output.reachable else "failed"].append(row)
    return {name: _figures(entries) for name, entries in rows.items()}


def _figures(rows: Sequence[tuple[float, ...]]) -> dict[str, float]:
    words, arcs, kept, missing = np.array(rows, dtype=float).reshape(-1, 4).T
    means = {"words": words, "arcs": arcs, "skeleton_words": kept}
    figures = {name: round(float(column.mean()), 1) for name, column in means.items() if len(rows)}
    return {"sentences": len(rows), **figures, "missing_word": int(missing.sum())}
