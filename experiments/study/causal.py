"""Stages that rescore lists with a pretrained causal language model, beside the parts of the stronger model.

It reads cased text, so words get their most frequent case in the corpora. Its pieces of words are restricted to those
of the corpora and the hypotheses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from experiments.causal.model import read_scorer, scorer_settings, translation_prompt
from experiments.files import sentence_file
from experiments.study.config import Causal, Study
from experiments.study.decoding import Sentences
from experiments.study.nbest import Nbest
from experiments.study.rescoring import ListTask, TuningSet, best_step, list_tasks, read_lists, write_best
from experiments.study.scoring import DECODER, STRONG, strong_weights
from experiments.study.sentences import DEVELOPMENT
from experiments.study.systems import System
from lattice_simp.pipeline.shards import over_shards, run_all
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.rescore.causal import CausalScorer
from lattice_simp.support.textio import read_lines
from lattice_simp.text.truecase import read_casing, write_casing
from lattice_simp.train.config import Config
from lattice_simp.train.text.truecase import learn_casing
from lattice_simp.translate.model_files import WEIGHTS, read_weights

CAUSAL = "Causal"
"""The feature for minus the model's cost of a translation."""

TEXT = "causal-text"
"""The stage that reads the corpora for the model."""

PROMPT, PIECES = "prompt.json", "pieces.json"
SIDES = ("source", "target")

_WORD = re.compile(r"\w[\w'’-]*")


def text_stage(study: Study, config: Config) -> Stage:
    """Returns the stage that makes the prompt, and finds the case of words and the pieces in the corpora."""
    assert study.causal is not None
    files = [path for corpus in config.corpora for path in (corpus.source, corpus.target)]
    settings = study.causal.model_dump(exclude={"hypotheses"})
    work = partial(_read_text, study.causal, config)
    return Stage(TEXT, (), settings, [config.path(path) for path in files], work)


def _read_text(causal: Causal, config: Config, run: Run, folder: Path) -> dict[str, Any]:
    columns = [[config.path(getattr(corpus, side)) for corpus in config.corpora] for side in SIDES]
    for side, paths in zip(SIDES, columns, strict=True):
        words = [" ".join(_WORD.findall(line)) for line in chain.from_iterable(map(read_lines, paths))]
        write_casing(learn_casing([pa.chunked_array([words])]), folder / f"casing.{side}.txt")
    shown = next(corpus for corpus in config.corpora if corpus.name == causal.examples_of)
    paths = [config.path(shown.source), config.path(shown.target)]
    languages = (config.text.source_language, config.text.target_language)
    prompt = translation_prompt(paths, languages, causal.examples, causal.longest_example)
    write_json(folder / PROMPT, [prompt, *languages])
    lines = chain.from_iterable(map(read_lines, columns[1]))
    pieces = _scorer(causal, folder).only_pieces_of(lines).pieces or ()
    write_json(folder / PIECES, sorted(pieces))
    return {"pieces": len(pieces)}


def _scorer(causal: Causal, text: Path) -> CausalScorer:
    """Reads the model, with the prompt and the pieces in a folder."""
    prompt, source, target = read_json(text / PROMPT)
    scorer = read_scorer(scorer_settings(prompt, (source, target)), causal.dtype)
    path = text / PIECES
    return replace(scorer, pieces=frozenset(read_json(path))) if path.exists() else scorer


def causal_stage(study: Study, system: System, sentences: Sentences) -> Stage:
    """Returns the stage that scores the best hypotheses of a system's rescored lists, and tunes the weights again."""
    assert study.causal is not None
    before = (TEXT, STRONG, f"rescored-{system.name}", f"translated-{system.name}")
    work = partial(_rescore, study, system, sentences)
    return Stage(f"causal-{system.name}", before, [study.causal.model_dump(), study.seed], (), work)


def _rescore(study: Study, system: System, sentences: Sentences, run: Run, folder: Path) -> dict[str, Any]:
    rescored, translated = (run.folders[f"{stage}-{system.name}"] for stage in ("rescored", "translated"))
    assert study.causal is not None
    factory = partial(_list_scorer, study.causal, run.folders[TEXT], rescored, folder)
    done = over_shards(
        run, factory, list_tasks(sentences), lambda task: sentence_file(folder, task[1], task[0]).exists()
    )
    run_all(done)
    lists = read_lists(folder, sentences)
    parts = strong_weights(run.folders)
    scorers = tuple(name for name in parts if name != DECODER)
    tuning_set = TuningSet.of(lists[DEVELOPMENT], sentences[DEVELOPMENT], (*scorers, CAUSAL))
    both, without = (tuning_set.only((DECODER, *scorers, *more)) for more in ((CAUSAL,), ()))
    step = best_step(run.folders[STRONG])
    weights = both.learned(parts, step, study.seed)
    write_best(weights, lists, translated, folder)
    return {
        "bleu_after": both.bleu(weights),
        "bleu_held_out": both.cross_validated(parts, step, study.seed),
        "bleu_held_out_without": without.cross_validated(parts, step, study.seed),
    }


def _list_scorer(causal: Causal, text: Path, rescored: Path, folder: Path) -> Callable[[ListTask], None]:
    scorer = _scorer(causal, text)
    source_casing, target_casing = (read_casing(text / f"casing.{side}.txt") for side in SIDES)
    weights = read_weights(rescored / WEIGHTS)

    def cased(words: Iterable[str], casing: dict[str, str]) -> list[str]:
        return [casing.get(word, word) for word in words]

    def work(task: ListTask) -> None:
        name, number, words = task
        ranked = Nbest.read(sentence_file(rescored, number, name)).sorted(weights).first(causal.hypotheses)
        hypotheses = [cased(line.split(), target_casing) for line in ranked.words]
        scores = -scorer.score(cased(words, source_casing), hypotheses)
        ranked.with_features(Nbest(ranked.words, scores[:, None], (CAUSAL,))).write(sentence_file(folder, number, name))

    return work
