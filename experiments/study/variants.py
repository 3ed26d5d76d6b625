"""The stage of the variants: other loops, sizes, edits, gap positions and skeletons, under the weights of one system.

None of them is tuned by itself, so that the difference is theirs alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.study.composing import SKELETON, Composed, Composition, compose
from experiments.study.config import Study
from experiments.study.decoding import Sentences, other_kinds, space_path
from experiments.study.nbest import Nbest, joined
from experiments.study.scoring import skeleton_nbest
from experiments.study.sentences import HAND, HAND_LONG, HAND_MADE, SETS, TEST, StudySentence
from experiments.study.spaces import Space
from experiments.study.systems import SYSTEMS, System
from experiments.study.translating import Output, write_outputs
from experiments.study.tuning import Task, needs
from lattice_simp.ops.gappy_compose import EditCosts
from lattice_simp.train.shards import over_shards, run_all
from lattice_simp.train.stage import Run, Stage
from lattice_simp.translate.model_files import WEIGHTS, read_weights

BASES = ("gc-strong",)
"""The systems whose weights the variants are run with."""

RELATIVE = "Relative"
"""The feature of pooled lists."""

CANDIDATES = 3
"""Skeletons of each kind that the decoder picks from."""


@dataclass(frozen=True)
class Variant:
    """A way to compose.

    Attributes:
        name: of its row.
        kinds: of skeletons; the first of each is taken.
        how: see `Composition`.
        candidates: of each kind, so many skeletons are taken.
        pick: compose with each skeleton alone and take the best, instead of with all of their hypotheses at once.
    """

    name: str
    kinds: tuple[str, ...]
    how: Composition
    candidates: int = 1
    pick: bool = False

    @property
    def settings(self) -> list[Any]:
        """What a stage's key depends on: the same in every process, which the address of a function is not."""
        edits = self.how.edits
        prices = None if edits is None else [edits.deletion, edits.substitution, edits.stem, edits.stem_of.__qualname__]
        how = [self.how.hypotheses, self.how.loops, self.how.beam, prices]
        return [self.name, self.kinds, how, self.candidates, self.pick]


def variants(study: Study) -> list[Variant]:
    """Gives the variants with hand-made skeletons."""
    usual = Composition(study.hypotheses, beam=study.beam)
    edits = EditCosts()
    return [
        *(Variant(f"n={n}", (HAND,), replace(usual, hypotheses=n)) for n in (1, 10, 100, study.hypotheses)),
        Variant("n=1 with edits", (HAND,), replace(usual, hypotheses=1, edits=edits)),
        Variant("n=100 with edits", (HAND,), replace(usual, hypotheses=100, edits=edits)),
        Variant("rho", (HAND,), replace(usual, loops="rho")),
        Variant("long skeletons", (HAND_LONG,), usual),
        Variant("both skeletons", HAND_MADE, usual),
        Variant("picked of both", HAND_MADE, usual, pick=True),
    ]


def automatic_variants(study: Study, kinds: tuple[str, ...]) -> list[Variant]:
    """Gives the variants with automatic skeletons."""
    usual = Composition(study.hypotheses, beam=study.beam)
    found = [Variant(f"automatic ({kind})", (kind,), usual) for kind in kinds]
    found.append(Variant("automatic (all)", kinds, usual))
    return [*found, Variant("automatic (picked)", kinds, usual, candidates=CANDIDATES, pick=True)]


def variants_stage(study: Study, sentences: Sentences) -> Stage:
    """Gives the stage that translates both sets with the variants of the hand-made skeletons."""
    return _stage("variants", variants(study), sentences, (), SETS)


def automatic_variants_stage(study: Study, sentences: Sentences) -> Stage:
    """Gives the stage that translates the test set with automatic skeletons."""
    every = automatic_variants(study, other_kinds(sentences))
    return _stage("automatic-variants", every, sentences, ("automatic-scores",), (TEST,))


def _stage(
    name: str, every: list[Variant], sentences: Sentences, more: tuple[str, ...], sets: tuple[str, ...]
) -> Stage:
    before = (*needs(_system("gc-strong")), *(f"weights-{base}" for base in BASES), *more)
    return Stage(name, before, [one.settings for one in every], (), partial(_run, every, sentences, sets))


def _system(name: str) -> System:
    return next(system for system in SYSTEMS if system.name == name)


def _run(every: list[Variant], sentences: Sentences, sets: tuple[str, ...], run: Run, folder: Path) -> dict[str, Any]:
    tasks = [(name, number, sentence) for name in sets for number, sentence in enumerate(sentences[name])]
    factory = partial(_worker, every, dict(run.folders), folder)
    run_all(over_shards(run, factory, tasks, lambda task: _file(folder, task[0], task[1]).exists()))
    seconds: dict[str, float] = {}
    for name in sets:
        files = [
            json.loads(_file(folder, name, number).read_text(encoding="utf-8"))
            for number in range(len(sentences[name]))
        ]
        for row in files[0]:
            write_outputs(folder / f"{name}.{row}.jsonl", [Output(*own[row][:3]) for own in files])
            seconds[row] = seconds.get(row, 0.0) + sum(own[row][3] for own in files)
    return {"seconds_by_variant": seconds}


def row_name(base: str, variant: str) -> str:
    """Gives the name of a variant's file under the weights of a base system."""
    return f"{base}, {variant}".replace("/", "-")


def _file(folder: Path, name: str, number: int) -> Path:
    return folder / f"{name}.{number:06d}.json"


def _worker(every: list[Variant], folders: Mapping[str, Path], folder: Path) -> Callable[[Task], None]:
    plain = read_weights(folders["tune"] / WEIGHTS)
    weights = {base: read_weights(folders[f"weights-{base}"] / WEIGHTS) for base in BASES}

    def work(task: Task) -> None:
        name, number, sentence = task
        space = Space.read(space_path(folders["spaces"], name, number))
        found = {}
        for base in BASES:
            for variant in every:
                begin = time.process_time()
                composed = _compose(variant, space, sentence, folders, _system(base), plain, weights[base])
                spent = time.process_time() - begin
                best = (composed.nbest.words[0], composed.reachable, composed.skeletons[0], spent)
                found[row_name(base, variant.name)] = best
        path = _file(folder, name, number)
        temporary = path.with_suffix(".new")
        temporary.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
        temporary.replace(path)

    return work


def _compose(
    variant: Variant,
    space: Space,
    sentence: StudySentence,
    folders: Mapping[str, Path],
    system: System,
    plain: Mapping[str, float],
    weights: Mapping[str, float],
) -> Composed:
    skeletons = [one for kind in variant.kinds for one in sentence.skeletons.get(kind, ())[: variant.candidates]]
    lists = [skeleton_nbest(folders, skeleton, system.scorer or "", plain) for skeleton in skeletons]
    if not lists:
        return compose(space, None, weights, 1, variant.how)
    if len(lists) == 1:
        return compose(space, lists[0], weights, 1, variant.how)
    if not variant.pick:
        pooled = joined([relative(own.first(variant.how.hypotheses), weights) for own in lists])
        how = replace(variant.how, hypotheses=len(pooled.words))
        return compose(space, pooled, {**weights, SKELETON + RELATIVE: 1.0}, 1, how)
    composed = [(compose(space, own, weights, 1, variant.how), own) for own in lists]
    reached = [(one, own) for one, own in composed if one.reachable]
    if not reached:
        return composed[0][0]
    return min(reached, key=lambda pair: _regret(*pair, weights))[0]


def relative(nbest: Nbest, weights: Mapping[str, float]) -> Nbest:
    """Gives a list whose one feature is minus what each hypothesis costs beyond the best: so lists can be pooled."""
    costs = nbest.costs(weights, SKELETON)
    return Nbest(nbest.words, (costs.min() - costs)[:, None], (RELATIVE,))


def _regret(composed: Composed, skeletons: Nbest, weights: Mapping[str, float]) -> float:
    """Gives what a composition costs beyond the best translation of its skeleton alone.

    Skeletons have different lengths, so that their costs say nothing; what the full sentence costs with each one, and
    how far its skeleton is from its own best, can be compared.
    """
    return composed.costs[0] - float(np.min(skeletons.costs(weights, SKELETON)))
