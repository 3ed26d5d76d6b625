"""Trains a joint model on the output of a training run: numbered sentences and word alignments.

    work: build/en-fr               # `lattice-simp train config.yaml --to align`
    output: build/en-fr-joint       # the run's folder; the model is build/en-fr-joint/joint.scorer

A killed run resumes from its last checkpoint, and produces the same bytes on the same machine. `settings.py` has the
other settings.
"""

from __future__ import annotations

import importlib
import itertools
import math
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lattice_simp.core.blocks import places_in_blocks
from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.errors import LatticeSimpError
from lattice_simp.rescore.exchange import exchange_classes
from lattice_simp.rescore.joint.affiliations import affiliations
from lattice_simp.rescore.joint.examples import Batch, Examples, batch, batches, flat, joined
from lattice_simp.rescore.joint.model import JointModel, Matrix, Widths, weight_shapes
from lattice_simp.rescore.joint.network import costs, initial_weights
from lattice_simp.rescore.joint.settings import JointSettings
from lattice_simp.rescore.joint.symbols import TargetSymbols, target_symbols
from lattice_simp.rescore.jumps import JumpCounts, count_jumps, fit_weights
from lattice_simp.rescore.kind import Corpus
from lattice_simp.rescore.neural.run_folder import CHECKPOINT, check_same_run, cosine_rate, resume, save
from lattice_simp.rescore.vocabulary import Sentences, Vocabulary, frequent, word_counts
from lattice_simp.support.extras import Late, extra
from lattice_simp.support.plurals import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch  # type: ignore[import-not-found,unused-ignore]
else:
    torch = Late("torch", "neural-training")

MODEL, SETTINGS = "joint.scorer", "settings.json"

_FREE = frozenset("checkpoint_every log_every threads output".split())
"""Settings that may change when a run resumes."""


@dataclass(frozen=True, eq=False)
class TrainingData:
    """All sentence pairs, and the vocabulary, the symbols and the weights of jumps of a `JointModel`."""

    examples: Examples
    source: Vocabulary
    target: TargetSymbols
    jumps: Floats


def train(settings: JointSettings, corpus: Corpus, say: Callable[[str], None] = lambda text: None) -> Path:
    """Trains a model and returns its file.

    Raises:
        LatticeSimpError: a corpus without sentences, or a folder that holds a run with other settings.
        MissingExtraError: torch is not installed.
    """
    with extra("neural-training"):
        importlib.import_module("torch")
    folder = Path(settings.output)
    folder.mkdir(parents=True, exist_ok=True)
    check_same_run(settings, folder / SETTINGS, _FREE)
    data = prepare(settings, corpus, say)
    say(f"{counted(data.examples.num_sentences, 'pair')}, {counted(data.target.size, 'symbol')}")
    run = _Run(settings, data, folder, say)
    run.finish()
    model = JointModel(data.source, data.target, data.jumps, run.arrays())
    model.write(folder / MODEL)
    return folder / MODEL


def prepare(settings: JointSettings, corpus: Corpus, say: Callable[[str], None] = lambda text: None) -> TrainingData:
    """Learns classes, and converts the corpus to symbols; the same corpus gives the same result."""
    source, target = joined(corpus.sentences("source")), joined(corpus.sentences("target"))
    positions = affiliations(source, target, joined(corpus.links()))
    symbols, target_numbers = _target_symbols(settings, corpus.words("target"), target, say)
    vocabulary, source_numbers = _most_frequent(source, corpus.words("source"), settings.source_words)
    examples = Examples(
        flat(source, source_numbers, vocabulary.unknown + 1), flat(target, target_numbers, symbols.boundary), positions
    )
    return TrainingData(examples, vocabulary, symbols, _jumps(source, target, positions))


def _target_symbols(
    settings: JointSettings, words: list[str], target: Sentences, say: Callable[[str], None]
) -> tuple[TargetSymbols, Ints]:
    """Returns the target's symbols, and the symbol of each word number."""
    counts = word_counts([target], len(words))
    vocabulary, numbers = frequent(counts, words, settings.least_word)
    if vocabulary.unknown == 0:
        raise LatticeSimpError(f"{settings.work}: no word occurs {settings.least_word} times; there is too little text")
    exchanged = exchange_classes(
        [Sentences(target.offsets, numbers[target.words])],
        vocabulary.unknown,
        min(settings.classes, vocabulary.unknown),
        sweeps=settings.sweeps,
        progress=lambda sweep, moves, likelihood: say(f"classes: sweep {sweep}, {counted(moves, 'word')} moved"),
    )
    kept = counts[counts >= settings.least_word]
    symbols = target_symbols(vocabulary, kept, exchanged.classes, settings.target_words)
    return symbols, symbols.symbols[numbers]


def _most_frequent(side: Sentences, words: list[str], size: int) -> tuple[Vocabulary, Ints]:
    """Returns the vocabulary of the most frequent words, and the number of each word in it."""
    counts = word_counts([side], len(words))
    least = np.partition(counts, -size)[-size] if size < len(counts) else 1
    return frequent(counts, words, max(1, int(least)))


def _jumps(source: Sentences, target: Sentences, positions: Ints) -> Floats:
    """Returns the weights of jumps from one word's affiliation to the next one's."""
    word_positions = np.delete(positions, target.offsets[1:] + np.arange(target.num_sentences))
    columns = places_in_blocks(target.offsets)
    counts = JumpCounts.none()
    links = np.column_stack([word_positions, columns]).astype(np.int32)
    count_jumps(np.diff(source.offsets), target.offsets, target.offsets, links, counts)
    return fit_weights(counts.buckets, counts.departures)


class _Run:
    """A run in its folder; mutable."""

    def __init__(self, settings: JointSettings, data: TrainingData, folder: Path, say: Callable[[str], None]) -> None:
        self.settings, self.data, self.folder, self.say = settings, data, folder, say
        torch.set_num_threads(settings.threads or os.cpu_count() or 1)
        target = data.target
        widths = Widths(settings.source_width, settings.target_width, settings.hidden)
        shapes = weight_shapes(widths, data.source.unknown + 2, target.size, len(target.class_begins) - 1)
        self.weights = initial_weights(shapes, settings.seed)
        self.optimiser = torch.optim.Adam(self.weights.values(), lr=0.0, fused=True)
        self.learned, self.held_out = _split(data.examples, settings)
        words = np.diff(data.examples.target.offsets)[self.learned].sum()
        self.updates = max(1, round(settings.epochs * float(words) / settings.batch_words))
        self.update = 0

    def finish(self) -> None:
        """Runs the remaining updates."""
        settings = self.settings
        self._resume()
        losses, words, begin = [], 0, time.monotonic()
        for sentences in self._sentences():
            losses.append(self._learn(batch(self.data.examples, sentences, self.data.target.boundary)))
            words += losses[-1][1]
            last = self.update == self.updates
            if self.update % settings.log_every == 0 or last:
                rate, mean = words / max(1e-9, time.monotonic() - begin), sum(loss for loss, _ in losses) / words
                self.say(f"update {self.update} of {self.updates}: {mean:.4f} nats a word, {rate:,.0f} words/s")
                losses, words, begin = [], 0, time.monotonic()
            if self.update % settings.checkpoint_every == 0 or last:
                save(
                    {"update": self.update, "weights": self.weights, "optimiser": self.optimiser.state_dict()},
                    self.folder / CHECKPOINT,
                )
                self.say(f"update {self.update}: perplexity {math.exp(self.measure()):.2f} on held-out words")

    def arrays(self) -> dict[str, Matrix]:
        """Returns the current weights."""
        return {name: weight.detach().numpy() for name, weight in self.weights.items()}

    def measure(self) -> float:
        """Returns the mean cost (nats) of held-out words given their affiliations; infinite if there are none."""
        total, words = 0.0, 0
        for sentences in np.array_split(self.held_out, max(1, len(self.held_out) // 200)):
            if len(sentences):
                examples = batch(self.data.examples, sentences, self.data.target.boundary)
                with torch.no_grad():
                    total += float(sum(costs(self.weights, examples, self.data.target.class_begins)))
                words += len(examples.words)
        return total / words if words else math.inf

    def _sentences(self) -> Iterator[Longs]:
        """Yields the sentences of the remaining updates; counts each update before it is done."""
        settings, update = self.settings, 0
        for epoch in itertools.count():
            for sentences in batches(self.data.examples, self.learned, settings.batch_words, settings.seed + epoch):
                if update == self.updates:
                    return
                update += 1
                if update > self.update:
                    self.update = update
                    yield sentences

    def _learn(self, examples: Batch) -> tuple[float, int]:
        settings = self.settings
        for group in self.optimiser.param_groups:
            group["lr"] = cosine_rate(settings.learning_rate, settings.warmup, self.update, self.updates)
        with torch.autocast("cpu", torch.bfloat16, enabled=settings.precision == "bf16"):
            class_cost, word_cost = costs(self.weights, examples, self.data.target.class_begins)
        loss = class_cost + word_cost
        (loss / len(examples.words)).backward()
        torch.nn.utils.clip_grad_norm_(list(self.weights.values()), settings.clip)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        return float(loss.detach()), len(examples.words)

    def _resume(self) -> None:
        path = self.folder / CHECKPOINT
        if resume(path, torch.device("cpu"), self.weights, self.optimiser, self._restore):
            self.say(f"update {self.update}: continuing from {path}")

    def _restore(self, state: dict[str, Any]) -> None:
        self.update = int(state["update"])


def _split(examples: Examples, settings: JointSettings) -> tuple[Longs, Longs]:
    """Returns the sentences to learn from, which are neither empty nor too long, and those held out of them."""
    source, target = (np.diff(side.offsets) - 1 for side in (examples.source, examples.target))
    usable = np.flatnonzero((np.minimum(source, target) > 0) & (np.maximum(source, target) <= settings.longest))
    if len(usable) == 0:
        raise LatticeSimpError(f"{settings.work}: no sentence pairs of 1 to {settings.longest} words to train on")
    count = min(settings.held_out, len(usable) // 10)
    chosen = np.linspace(0, len(usable) - 1, count).astype(np.int64)
    return np.delete(usable, chosen), usable[chosen]
