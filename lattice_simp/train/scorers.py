"""Trains the scorers of `lattice_simp.rescore` on what the pipeline's stages left in their folders.

folders = stage_folders("build/en-fr", ("number", "align", "lexical"))
train_bilingual(folders).write("bilingual.scorer")
train_model1(folders).write("model1.scorer")
train_class_model(folders, classes=300, order=5).write("class.scorer")
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.errors import LatticeSimpError
from lattice_simp.lm import LanguageModel
from lattice_simp.pipeline.shards import SIDES, lists_of, read_shard, shard_paths
from lattice_simp.pipeline.stage import RECORD
from lattice_simp.rescore.bilingual import BilingualScorer
from lattice_simp.rescore.classes import ClassScorer, class_name
from lattice_simp.rescore.exchange import exchange_classes
from lattice_simp.rescore.model1 import WordTable
from lattice_simp.rescore.vocabulary import Sentences, frequent, word_counts
from lattice_simp.support.textio import open_text
from lattice_simp.train.alignment.links import read_links
from lattice_simp.train.ngrams.estimate import estimate
from lattice_simp.train.rules.lexical import LexicalTable
from lattice_simp.train.text.vocabulary import read_words

Folders = Mapping[str, Path]


def stage_folders(work: str | Path, names: Sequence[str]) -> dict[str, Path]:
    """Finds the complete folders of stages below the `work` folder of a training run.

    Raises:
        LatticeSimpError: a stage is not complete, or there are folders of several runs.
    """
    found = {}
    for name in names:
        complete = sorted(record.parent for record in Path(work).glob(f"{name}.*/{RECORD}"))
        complete = [folder for folder in complete if not folder.name.endswith((".partial", ".old"))]
        if not complete:
            raise LatticeSimpError(f"{work}: no complete stage {name}; run lattice-simp train CONFIG --to {name}")
        if len(complete) > 1:
            listed = ", ".join(folder.name for folder in complete)
            raise LatticeSimpError(f"{work}: several folders of the stage {name}: {listed}; remove all but one")
        found[name] = complete[0]
    return found


def train_bilingual(
    folders: Folders, *, least_word: int = 2, least_pair: int = 1, least_triple: int = 2
) -> BilingualScorer:
    """Estimates the bilingual model from the stages `number` and `align`; the cuts are those of `train_table`."""
    parts = [
        (
            Sentences(*lists_of(table["source"])),
            Sentences(*lists_of(table["target"])),
            _sorted_links(*read_links(folders["align"] / path.name)),
        )
        for path, table in _shards(folders)
    ]
    words = [read_words(folders["number"], side) for side in SIDES]
    return BilingualScorer.train(parts, *words, least_word=least_word, least_pair=least_pair, least_triple=least_triple)


def train_model1(folders: Folders) -> WordTable:
    """Takes over the tables of the stage `lexical`, with the words of the stage `number`."""
    table = LexicalTable.read(folders["lexical"])
    pairs = np.stack([(table.pairs >> 32) - 1, (table.pairs & 0xFFFFFFFF) - 1], axis=1)
    source, target = (read_words(folders["number"], side) for side in SIDES)
    return WordTable.from_pairs(source, target, pairs, table.target_given_source, table.source_given_target)


@dataclass(frozen=True)
class ClassOptions:
    """How a class model is trained.

    Attributes:
        classes: how many classes.
        least_word: words that occur less often are unknown.
        sweeps: of the exchange algorithm, at most.
        order: of the n-gram model.
        prune: its counts, see `estimate`.
        memory: its memory, see `estimate`.
    """

    classes: int = 300
    least_word: int = 3
    sweeps: int = 10
    order: int = 5
    prune: tuple[int, ...] = (0, 0, 0, 1)
    memory: str | int = "30%"


def train_class_model(
    folders: Folders,
    options: ClassOptions | None = None,
    *,
    progress: Callable[[int, int, float], None] = lambda sweep, moves, likelihood: None,
) -> ClassScorer:
    """Learns classes of the target words of the stage `number`, then an n-gram model over classes, with `lmplz`.

    Raises:
        LatticeSimpError: too few words for the classes; `lmplz` failed.
        MissingExtraError: `lmplz` is not there.
    """
    own = options or ClassOptions()
    parts = [Sentences(*lists_of(table["target"])) for _, table in _shards(folders)]
    words = read_words(folders["number"], "target")
    counts = word_counts(parts, len(words))
    vocabulary, numbers = frequent(counts, words, own.least_word)
    parts = [Sentences(part.offsets, numbers[part.words]) for part in parts]
    found = exchange_classes(parts, vocabulary.unknown, own.classes, sweeps=own.sweeps, progress=progress)
    with tempfile.TemporaryDirectory(prefix="classes.") as name:
        text, arpa = Path(name) / "classes.txt", Path(name) / "classes.arpa"
        _write_classes(text, parts, found.classes)
        prune = own.prune[: own.order]
        estimate(text, arpa, order=own.order, prune=prune, memory=own.memory, discount_fallback=True, temporary=name)
        trie = LanguageModel.read(arpa, cache=False).trie
    return ClassScorer.from_classes(vocabulary.words, counts[counts >= own.least_word], found.classes, trie)


def _write_classes(path: Path, parts: Sequence[Sentences], classes: Ints) -> None:
    names = np.array(
        [class_name(number) for number in range(int(classes.max()) + 1)] + [class_name(None)], dtype=object
    )
    own = np.append(classes, len(names) - 1)
    with open_text(path, "w") as file:
        for part in parts:
            shown = names[own[part.words]].tolist()
            for begin, end in zip(part.offsets[:-1].tolist(), part.offsets[1:].tolist(), strict=True):
                file.write(" ".join(shown[begin:end]) + "\n")


def _shards(folders: Folders) -> Iterator[tuple[Path, Any]]:
    for path in shard_paths(folders["number"]):
        yield path, read_shard(path, SIDES)


def _sorted_links(offsets: Longs, points: Ints) -> Sentences:
    """Returns links sorted by target position within each sentence."""
    sentence = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return Sentences(offsets, points[np.lexsort((points[:, 0], points[:, 1], sentence))])
