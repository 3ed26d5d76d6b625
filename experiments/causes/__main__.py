"""`python -m experiments.causes`: finds why gappy composition as in the paper gains less than with one weight."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from experiments.causes.report import BLEU, page
from experiments.experiment import Experiment, Results, program
from experiments.files import sentence_file, write_lines
from experiments.halving import by_key, summed_costs
from experiments.report import scores_of
from experiments.study.config import Study, read_study
from experiments.study.decoding import Sentences, read_space, skeletons_stage, spaces_stage
from experiments.study.measuring import compare_by_bleu, read_variants
from experiments.study.rescoring import rescored_stage
from experiments.study.scoring import scorers_stage, scores_stage, skeleton_nbest
from experiments.study.sentences import DEVELOPMENT, StudySentence, read_sentences, set_files, set_names, test_names
from experiments.study.tables import failure_rate
from experiments.study.translating import Output, read_outputs, translations_stage
from experiments.study.tuning import weights_stage
from experiments.study.variant_stages import hand_variants_stage
from lattice_simp.pipeline.runner import Done, run_stages
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.skeleton import read_skeletons, write_skeletons
from lattice_simp.support.textio import read_lines
from lattice_simp.train.config import Config, Corpus, TestSet
from lattice_simp.train.model import link_or_copy
from lattice_simp.train.pipeline import train
from lattice_simp.train.tuning import evenly_spread
from lattice_simp.translate.model_files import WEIGHTS, read_weights

NAMES = ("half0", "half1")


def study_of(settings: Mapping[str, Any], every: int) -> tuple[Study, Config]:
    """Returns the study, trained on every n-th pair with the first half as development set, and its training.

    The halves' skeletons are written into the work folder, and so are the corpora unless all pairs are used.
    """
    work = Path(settings["work"]).absolute()
    overrides = [f"data={json.dumps(settings['data'])}", f"work={json.dumps(str(work))}"]
    _, config = read_study(Path(settings["study"]), overrides)
    development = config.tune.development
    assert development is not None
    tuned, tested = write_halves(config, development, settings["sentences"], work)
    work = work if every == 1 else work / f"every{every}"
    values = {
        "work": work,
        "corpora": tuple(thinned(config, corpus, every, work) for corpus in config.corpora),
        "rules": config.rules.model_copy(update={"only_for": (tuned.skeletons, tested.skeletons)}),
        "tune": config.tune.model_copy(update={"development": tuned}),
        "test": (tested,),
    }
    study = Study.model_validate({**settings["protocol"], "test_sets": {tested.name: "seen"}})
    return study, config.model_copy(update=values)


def write_halves(config: Config, development: TestSet, sentences: int, work: Path) -> list[TestSet]:
    """Writes the skeletons of evenly spread sentences of a set, every other one for each half."""
    assert development.skeletons is not None
    chosen = evenly_spread(list(read_skeletons(config.path(development.skeletons))), sentences)
    work.mkdir(parents=True, exist_ok=True)
    halves = []
    for number, name in enumerate(NAMES):
        path = work / f"{name}.jsonl"
        write_skeletons(path, chosen[number :: len(NAMES)])
        halves.append(development.model_copy(update={"name": name, "skeletons": path}))
    return halves


def thinned(config: Config, corpus: Corpus, every: int, work: Path) -> Corpus:
    """Writes every n-th pair of a corpus."""
    if every == 1:
        return corpus
    work.mkdir(parents=True, exist_ok=True)
    paths = {}
    for side, path in (("source", corpus.source), ("target", corpus.target)):
        paths[side] = work / f"{corpus.name}.{side}"
        write_lines(paths[side], islice(read_lines(config.path(path)), 0, None, every))
    return corpus.model_copy(update=paths)


@dataclass(frozen=True)
class Fold:
    """A fold that is done: its stages, and the sentences that were translated."""

    done: Done
    name: str
    sentences: list[StudySentence]

    def outputs(self, systems: Sequence[str]) -> dict[str, list[Output]]:
        """Returns the translations of systems and of variants."""
        folders = self.done.folders
        outputs = {system: read_outputs(folders[f"translated-{system}"] / f"{self.name}.jsonl") for system in systems}
        return outputs | read_variants(folders, self.name)


def run_folds(study: Study, config: Config, names: tuple[str, str], run: Run) -> list[Fold]:
    """Trains on a config that is tuned on the first half and tested on the second one, and runs both folds."""
    done = train(config, run, last="tune")
    sets = set_names(config)
    sentences = {name: read_sentences(config, name, done.folders["model"], {}) for name in sets}
    inputs = set_files(config, sets)
    shared = [
        spaces_stage(study, sentences, inputs),
        skeletons_stage(study, sentences, inputs),
        scorers_stage(study),
        scores_stage(study, sentences),
    ]
    done = run_stages(shared, config.work, run, done=done)
    other = dict(zip((names[0], DEVELOPMENT), sentences.values(), strict=True))
    return [
        _fold(study, config.work, sentences, done, run),
        _fold(study, config.work, other, run_stages([_swapped(names)], config.work, run, done=done), run),
    ]


def _fold(study: Study, work: Path, sentences: Sentences, done: Done, run: Run) -> Fold:
    (name,) = test_names(sentences)
    tested = {name: sentences[name]}
    stages = []
    for system in study.chosen:
        is_plain = system.name == "plain"  # whose rescored lists make the stronger model one score
        stages.append(weights_stage(study, system, sentences))
        stages.append(translations_stage(study, system, sentences if is_plain else tested))
        stages += [rescored_stage(study, system, sentences)] if is_plain else []
    stages.append(hand_variants_stage(study, tested))
    return Fold(run_stages(stages, work, run, done=done), name, sentences[name])


def _swapped(names: tuple[str, str]) -> Stage:
    """Returns the stage that gives the spaces the names of the other fold."""
    work = partial(_rename, {DEVELOPMENT: names[0], names[1]: DEVELOPMENT})
    return Stage("spaces", ("spaces",), ["the other fold", names], (), work)


def _rename(names: Mapping[str, str], run: Run, folder: Path) -> dict[str, Any]:
    for path in run.folders["spaces"].glob("*.arrays"):
        name, ending = path.name.split(".", 1)
        link_or_copy(path, folder / f"{names[name]}.{ending}")
    return {}


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


PARTS = ("value", "gain", "p", "gain_interval")
SYSTEM = "gc-strong"


def causes(experiment: Experiment) -> Results:
    """Runs the unfinished stages of training, tuning and translation, and measures."""
    settings = experiment.settings()
    sizes: dict[str, Any] = {}
    records: dict[str, Mapping[str, Any]] = {}
    for name, every in settings["sizes"].items():
        study, config = study_of(settings, every)
        folds = run_folds(study, config, NAMES, experiment.run)
        sizes[name] = size_figures(study, config, folds)
        for fold in folds:
            records |= by_key(fold.done.records)
    figures = {"sizes": sizes, "stages": summed_costs(records)}
    return Results("Gappy composition: what makes the difference", figures, page(figures, settings))


def size_figures(study: Study, config: Config, folds: Sequence[Fold]) -> dict[str, Any]:
    """Returns the figures of the systems of a training."""
    systems = [system.name for system in study.chosen]
    outputs = [fold.outputs(systems) for fold in folds]
    both = {row: [output for fold in outputs for output in fold[row]] for row in outputs[0]}
    sentences = [sentence for fold in folds for sentence in fold.sentences]
    together = scores_of(compare_by_bleu(both, sentences, config), PARTS)
    alone = [
        scores_of(compare_by_bleu(rows, fold.sentences, config)) for rows, fold in zip(outputs, folds, strict=True)
    ]
    rows = {
        row: {
            "score": together[row][BLEU],
            "gains": [scores[row][BLEU]["gain"] for scores in alone],
            "failed": failure_rate(both[row]) if any(output.reachable is not None for output in both[row]) else None,
        }
        for row in both
    }
    pairs = folds[0].done.records["prepare"]["pairs"]
    failures = failure_figures(study, folds, SYSTEM)
    return {"pairs": pairs, "sentences": len(sentences), "rows": rows, "failures": failures}


main = program(__file__, __doc__, causes)

if __name__ == "__main__":
    main()
