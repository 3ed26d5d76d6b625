"""The language model of the experiment, and the sufficiently probable sentences of an expansion."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from experiments.paraphrase.data import Config
from lattice_simp import Expansion, LanguageModel, Lattice, apply_lm, determinize, intersect, nbest, union
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.textio import open_text, read_lines
from lattice_simp.train.ngrams.estimate import estimate

MODEL = "model.arpa.gz"

SLACK = 1e-6
"""Costs that differ by fewer nats count as equal."""


def model_stage(config: Config) -> Stage:
    """Returns the stage that estimates the language model."""
    settings = config["language_model"]
    files = [Path(config["data"], text["file"]) for text in settings["texts"]]
    return Stage("model", (), settings, files, partial(_estimate, settings, files))


def _estimate(settings: Config, files: Sequence[Path], run: Run, folder: Path) -> dict[str, Any]:
    import spacy

    tokenizer = spacy.blank("en").tokenizer
    text = folder / "text.txt.gz"
    count = 0
    with open_text(text, "w") as file:
        for path, part in zip(files, settings["texts"], strict=True):
            for line in islice(read_lines(path), part.get("from", 0), part.get("to")):
                words = [token.text for token in tokenizer(line.strip()) if not token.is_space]
                file.write(" ".join(words) + "\n")
                count += bool(words)
    estimate(text, folder / MODEL, order=settings["order"], memory=500, discount_fallback=True)
    return {"sentences": count}


def read_model(folder: Path) -> LanguageModel:
    """Reads the model of the stage."""
    return LanguageModel.read(folder / MODEL)


def probable(expansions: Sequence[Expansion], model: LanguageModel) -> Lattice:
    """Returns the sentences that are as probable as their originals, as the paths of cost 0 or less.

    Each sentence is compared with its original rather than with a typical sentence of the set: paraphrases of plain
    sentences would always be probable enough, and those of difficult ones never. A sentence shorter than the original
    is charged the set's mean cost of a word for each missing word, so that leaving words out does not pay; a longer one
    gets no credit, so that adding frequent words does not pay.

    Args:
        expansions: the expansion of each sentence of a set (`Paraphraser.expand_each`).
        model: the model of the costs; the cost of a sentence is subtracted from those of its paraphrases.
    """
    sentences = [expansion.sentences[0] for expansion in expansions]
    costs = [-model.score(list(words)) for words in sentences]
    word = sum(costs) / sum(map(len, sentences))
    lattices, most = [], []
    for expansion, cost, sentence in zip(expansions, costs, sentences, strict=True):
        short, long = _by_length(expansion.lattice, len(sentence))
        for lattice, penalty in ((short, -word), (long, 0.0)):
            if lattice.num_states:
                most.append(cost + penalty * len(sentence))
                lattices.append(_within(lattice, model, penalty, most[-1]))
    return determinize(union(*lattices, costs=[-probability for probability in most]))


def _within(lattice: Lattice, model: LanguageModel, penalty: float, most: float) -> Lattice:
    """Returns the lattice under a model, without arcs that are only on paths above a bound; the best path stays."""
    models = {"LM": (model, 1.0)}
    best = nbest(apply_lm(lattice, models, beam=0.0, word_penalty=penalty))[0]
    return apply_lm(lattice, models, beam=max(most - best.cost, 0.0) + SLACK, word_penalty=penalty)


def _by_length(lattice: Lattice, most: int) -> tuple[Lattice, Lattice]:
    """Returns the sentences with at most this many words, and the longer ones."""
    words, levels = len(lattice.symbols) - 1, np.arange(most + 2)
    sources = np.repeat(levels, words)
    labels, goals = np.tile(np.arange(1, words + 1), most + 2), np.minimum(sources + 1, most + 1)
    parts = []
    for ends in (levels <= most, levels > most):
        finals = np.where(ends, 0.0, np.inf)
        counting = Lattice.from_arcs(sources, labels, np.zeros(len(labels)), goals, finals, lattice.symbols)
        parts.append(intersect(lattice, counting))
    return parts[0], parts[1]
