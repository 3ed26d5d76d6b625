"""A tiny random translation model, made without a training library."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.rescore.neural.export import END, START, UNKNOWN, Architecture, export_model, weight_shapes
from lattice_simp.rescore.neural.segmentation import SegmentationSettings

PIECES = [UNKNOWN, START, END, "a", "b", "c", "d@@", "e"]
SHAPE = Architecture(layers=2, width=16, heads=2, inner=24, positions=40)


def random_weights(shape, vocabulary, seed):
    rng = np.random.default_rng(seed)
    return {
        name: (rng.normal(size=size) * (0.4 if len(size) == 2 else 0.2) + name.endswith("norm.weight")).astype("f4")
        for name, size in weight_shapes(shape, vocabulary).items()
    }


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """A model over words and one pair of subwords: `de` is cut into `d@@ e`."""
    pytest.importorskip("ctranslate2")
    folder = tmp_path_factory.mktemp("tiny")
    export_model(folder, SHAPE, random_weights(SHAPE, len(PIECES), 1), PIECES)
    (folder / "codes").write_text("#version: 0.2\nx y</w>\n", encoding="utf-8")
    SegmentationSettings(subwords="bpe", source="codes", target="codes").write(folder)
    return folder
