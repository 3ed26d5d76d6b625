"""Applies a language model to lattices, in place of older scores if there are any."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

import numpy as np

from lattice_simp.commands.inputs.unknown_words import ScoredWords
from lattice_simp.commands.running.lattices import LatticeRun
from lattice_simp.commands.shared.messages import say
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON
from lattice_simp.engines import ENGINES, Engine
from lattice_simp.errors import FormatError
from lattice_simp.lm import LanguageModel
from lattice_simp.ops.apply_lm import without_model
from lattice_simp.support.plurals import counted


@dataclass(frozen=True)
class ModelScores:
    """The scores of a language model that lattices get, and the older ones that they lose.

    Attributes:
        model: the model.
        name: the feature for its scores.
        weight: its weight; None for that of the older scores.
        beam, word_penalty: as for `apply_lm`.
        engine: see `engines.py`.
        replaced: the feature with the older scores, if any.
        old_model: the model of the older scores, if the costs hold them without a feature.
        old_weight: the weight of the older scores; None for the feature's scale in the lattice.
        ignored: labels that are not words.
    """

    model: LanguageModel
    name: str
    weight: float | None
    beam: float | None
    word_penalty: float
    engine: Engine
    replaced: str | None
    old_model: LanguageModel | None
    old_weight: float | None
    ignored: Collection[str]

    def write(self, run: LatticeRun, source: str, output: str, to: str | None) -> None:
        """Writes the lattices of a run of the file `source` with the new scores; see `applied`."""
        if not run.is_many:
            self._say_ignored(run.lattice)
        words = ScoredWords(self.model)
        run.write(partial(self.applied, source=source, words=words), output, to, replaced=self.replaced)
        words.warn(source)

    def applied(self, lattice: Lattice, source: str, words: ScoredWords) -> Lattice:
        """Returns a lattice of the file `source` with the new scores, and adds the words that the model scores.

        Raises:
            FormatError: the lattice has a feature of this name already.
            LatticeSimpError: it does not have the feature to replace.
        """
        words.add_arcs(lattice, self.ignored)
        scale = lattice.header.scales.get(self.replaced or "", 1.0) if self.old_weight is None else self.old_weight
        if self.replaced is not None:
            lattice = lattice.without_feature(self.replaced, scale)
        if self.name in lattice.features:
            remedy = f"choose another --name, or --replace {self.name} to remove the old scores from the costs"
            raise FormatError(f"the lattice has a feature {self.name!r} already", path=source, remedy=remedy)
        if self.old_model is not None:
            lattice = without_model(lattice, self.old_model, scale, ignore=self.ignored)
        models = {self.name: (self.model, scale if self.weight is None else self.weight)}
        return ENGINES[self.engine].apply_lm(  # type: ignore[no-any-return]
            lattice, models, beam=self.beam, word_penalty=self.word_penalty, ignore=self.ignored
        )

    def _say_ignored(self, lattice: Lattice) -> None:
        """Prints on stderr the words that are hidden from the model."""
        symbols = lattice.symbols
        labels = {label: word for word in sorted(self.ignored) if (label := symbols.find(word) or EPSILON) != EPSILON}
        count = int(np.isin(lattice.olabels, list(labels)).sum())
        if count:
            words = " ".join(labels[label] for label in labels if (lattice.olabels == label).any())
            say(f"the language model ignores {counted(count, 'arc')}: {words}")
