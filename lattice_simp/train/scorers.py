"""Trains the models of `lattice_simp.rescore` on the results of the pipeline's stages.

With the results in the folder `build/en-fr`:

    folders = stage_folders("build/en-fr", ("number", "align", "lexical"))
    train_scorer("bilingual", folders).write("bilingual.scorer")
    train_scorer("class", folders, TrainingOptions(classes=300, order=5)).write("class.scorer")
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lattice_simp.core.blocks import block_numbers
from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.errors import LatticeSimpError
from lattice_simp.lm import LanguageModel
from lattice_simp.pipeline.shards import lists_of, read_shard, shard_paths
from lattice_simp.pipeline.stage import RECORD
from lattice_simp.rescore.kind import Trained, TrainingOptions
from lattice_simp.rescore.table import trained_kinds
from lattice_simp.rescore.vocabulary import Sentences
from lattice_simp.support.textio import open_text
from lattice_simp.text.tokeniser import Side
from lattice_simp.train.alignment.links import read_links
from lattice_simp.train.ngrams.estimate import estimate
from lattice_simp.train.rules.lexical import LexicalTable
from lattice_simp.train.text.vocabulary import read_words


def train_scorer(name: str, folders: Mapping[str, Path], options: TrainingOptions | None = None) -> Trained:
    """Trains a model of the table `SCORERS` on the stage `number` and the other stages that its kind needs.

    Raises:
        LatticeSimpError: there is no such kind, or training failed.
    """
    train = trained_kinds([name])[name].train
    assert train is not None
    return train(StageCorpus(folders), options or TrainingOptions())


def stage_folders(work: str | Path, names: Sequence[str]) -> dict[str, Path]:
    """Finds the complete folders of stages below the `work` folder of a training run.

    Raises:
        LatticeSimpError: a stage is not complete, or there are folders of several runs.
    """
    folders = {}
    for name in names:
        complete = sorted(record.parent for record in Path(work).glob(f"{name}.*/{RECORD}"))
        complete = [folder for folder in complete if not folder.name.endswith((".partial", ".old"))]
        if not complete:
            remedy = f"give the `work` folder of a training run; lattice-simp train CONFIG --to {name} makes the stage"
            raise LatticeSimpError(f"{work}: no complete stage {name} ({remedy})")
        if len(complete) > 1:
            listed = ", ".join(folder.name for folder in complete)
            raise LatticeSimpError(f"{work}: several folders of the stage {name}: {listed}; remove all but one")
        folders[name] = complete[0]
    return folders


@dataclass(frozen=True)
class StageCorpus:
    """The corpus in the folders of stages; see `rescore.kind.Corpus`."""

    folders: Mapping[str, Path]

    def words(self, side: Side) -> list[str]:
        """Returns the words of a side by number."""
        return read_words(self.folders["number"], side)

    def sentences(self, side: Side) -> list[Sentences]:
        """Returns the sentences of a side, shard by shard."""
        return [Sentences(*lists_of(read_shard(path, [side])[side])) for path in shard_paths(self.folders["number"])]

    def links(self) -> list[Sentences]:
        """Returns the links, sorted by target position, shard by shard."""
        return [_sorted_links(*read_links(path)) for path in shard_paths(self.folders["align"])]

    def lexicon(self) -> tuple[Ints, Floats, Floats]:
        """Returns the tables of the stage `lexical`."""
        table = LexicalTable.read(self.folders["lexical"])
        pairs = np.stack([(table.pairs >> 32) - 1, (table.pairs & 0xFFFFFFFF) - 1], axis=1)
        return pairs, table.target_given_source, table.source_given_target  # type: ignore[return-value]

    def ngram_model(self, lines: Iterable[str], options: TrainingOptions) -> LanguageModel:
        """Estimates an n-gram model with `lmplz`."""
        with tempfile.TemporaryDirectory(prefix="classes.") as name:
            text, arpa = Path(name) / "classes.txt", Path(name) / "classes.arpa"
            with open_text(text, "w") as file:
                file.writelines(f"{line}\n" for line in lines)
            estimate(
                text,
                arpa,
                order=options.order,
                prune=options.prune[: options.order],
                memory=options.memory,
                discount_fallback=True,
                temporary=name,
            )
            return LanguageModel.read(arpa, cache=False)


def _sorted_links(offsets: Longs, points: Ints) -> Sentences:
    """Returns links sorted by target position within each sentence."""
    sentence = block_numbers(offsets)
    return Sentences(offsets, points[np.lexsort((points[:, 0], points[:, 1], sentence))])
