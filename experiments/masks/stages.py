"""The stages: the sentences with their pools of automatic skeletons, and the costs of hypotheses under each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from experiments.files import read_records, sentence_file, write_records
from experiments.masks.safety import Safety, gap_counts, spread_pairs
from experiments.study.decoding import skeleton_path
from experiments.study.making import MODEL, TAGGER, source_language_model, trained_tagger
from experiments.study.nbest import Nbest
from experiments.study.scoring import DECODER, scoring
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Floats
from lattice_simp.ops.compose_gappy import EditCosts
from lattice_simp.pipeline.shards import over_shards, run_all
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.skeleton import Skeleton, SkeletonRecord, read_skeletons, write_skeletons
from lattice_simp.skeleton.automatic import parse_sentences, parser_name
from lattice_simp.skeleton.automatic.diverse import skeleton_pool, tagger_scores
from lattice_simp.support.array_cache import pack_words, read_arrays, unpack_words, write_arrays
from lattice_simp.support.textio import read_lines
from lattice_simp.text.tokeniser import Tokeniser
from lattice_simp.train.tuning import evenly_spread
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.gappy_composition import contained_costs
from lattice_simp.translate.model_files import WEIGHTS, read_weights
from lattice_simp.translate.settings import SkeletonSettings

POOL, MASKS, DETAILS = "mask-pool", "masks.jsonl", "details.jsonl"
"""The names of the stage and its files."""

FEATURES = ("tagger", "start", "middle", "safety")
"""The features of a mask: the tagger's score, a gap at the start, the gaps between kept words, and their safety."""


@dataclass(frozen=True)
class Sentence:
    """A sentence in the model's form, the tokens of its reference, and its pool with (skeletons, `FEATURES`) scores."""

    words: tuple[str, ...]
    reference: str
    skeletons: tuple[Skeleton, ...]
    features: Floats


def pool_stage(config: Mapping[str, Any], skeletons: Path, languages: tuple[str, str]) -> Stage:
    """Returns the stage that chooses the sentences, and makes their skeletons (a skeleton file trains the tagger)."""
    names = ("source", "reference", "words", "sentences", "rate", "safety_pairs")
    inputs = [Path(config["data"], name) for key in ("source", "reference") for name in config[key]]
    settings = [*(config[name] for name in names), parser_name()]
    work = partial(_make, config, skeletons, languages)
    return Stage(POOL, ("prepare", "align"), settings, [*inputs, skeletons], work)


def read_pool(folder: Path) -> list[Sentence]:
    """Reads the files of the stage."""
    records = read_skeletons(folder / MASKS)
    return [
        Sentence(
            tuple(token.lower() for token in record.tokens),
            detail["reference"],
            tuple(Skeleton(tuple(token.lower() for token in record.tokens), kept.mask) for kept in record.skeletons),
            np.array(detail["features"]),
        )
        for record, detail in zip(records, read_records(folder / DETAILS), strict=True)
    ]


def _make(
    config: Mapping[str, Any], skeletons: Path, languages: tuple[str, str], run: Run, folder: Path
) -> dict[str, Any]:
    tagger = trained_tagger(list(read_skeletons(skeletons)), folder / TAGGER)
    model = source_language_model(run, folder)
    safety = _learned_safety(config["safety_pairs"], run)
    run.say(f"{POOL}: what skeletons are made with")
    chosen = _chosen(config, languages)
    records, details = [], []
    for number, parse in enumerate(parse_sentences(tokens for tokens, _ in chosen)):
        pool = [skeleton for skeleton in skeleton_pool(parse, tagger, model, config["rate"]) if skeleton.is_strict]
        if pool:
            records.append(SkeletonRecord(f"{number}", number, tuple(pool)))
            scores = tagger_scores(parse, tagger, config["rate"], pool).tolist()
            others = ((*gap_counts(skeleton, parse), safety.score(parse, skeleton)) for skeleton in pool)
            rows = [[score, *more] for score, more in zip(scores, others, strict=True)]
            details.append({"reference": chosen[number][1], "features": rows})
    write_skeletons(folder / MASKS, records)
    write_records(folder / DETAILS, details)
    (folder / MODEL).unlink()
    return {"sentences": len(records), "skeletons": sum(len(record.skeletons) for record in records)}


def _learned_safety(count: int, run: Run) -> Safety:
    pairs = list(spread_pairs(run.folders["prepare"], run.folders["align"], count))
    parses = parse_sentences(tokens for tokens, _ in pairs)
    return Safety.learn((parse, links) for parse, (_, links) in zip(parses, pairs, strict=True))


def _chosen(config: Mapping[str, Any], languages: tuple[str, str]) -> list[tuple[list[str], str]]:
    """Returns the source tokens, in their original case, and the references of the chosen sentences."""
    cased, target = Tokeniser(languages[0], case="keep"), Tokeniser(languages[1])
    shortest, longest = config["words"]
    texts = (
        zip(*(read_lines(Path(config["data"], name)) for name in names), strict=True)
        for names in zip(config["source"], config["reference"], strict=True)
    )
    every = [(cased.tokens(source).split(), reference) for source, reference in chain.from_iterable(texts)]
    fitting = [pair for pair in every if shortest <= len(pair[0]) <= longest]
    return [(tokens, target.tokens(reference)) for tokens, reference in evenly_spread(fitting, config["sentences"])]


SKELETONS, COSTS = "mask-skeletons", "mask-costs"
"""The names of the stages."""


def skeletons_stage(config: Mapping[str, Any]) -> Stage:
    """Returns the stage that decodes the skeletons, and scores their hypotheses."""
    settings = [config["hypotheses"], config["scorers"]]
    return Stage(SKELETONS, ("model", "tune", "scorers", POOL), settings, (), partial(_skeletons, config))


def _skeletons(config: Mapping[str, Any], run: Run, folder: Path) -> dict[str, Any]:
    every = (skeleton for sentence in read_pool(run.folders[POOL]) for skeleton in sentence.skeletons)
    skeletons = list({kept.words: kept for kept in every}.values())
    factory = partial(_skeleton_maker, dict(run.folders), config["hypotheses"], config["scorers"], folder)
    run_all(over_shards(run, factory, skeletons, lambda kept: skeleton_path(folder, kept).exists()))
    return {"skeletons": len(skeletons)}


def _skeleton_maker(
    folders: Mapping[str, Path], count: int, scorers: Iterable[str], folder: Path
) -> Callable[[Skeleton], None]:
    decoder = Decoder.load(folders["model"]).with_weights(read_weights(folders["tune"] / WEIGHTS))
    score = scoring(folders["scorers"], scorers)

    def make(skeleton: Skeleton) -> None:
        paths = decoder.exact_nbest(skeleton.words, count)[1]
        words = [path.text for path in paths]
        hypotheses = Nbest(words, -np.array([path.cost for path in paths])[:, None], (DECODER,))
        hypotheses.with_features(score(skeleton, words)).write(skeleton_path(folder, skeleton))

    return make


# ---------------------------------------------------------------- costs


def costs_stage(config: Mapping[str, Any]) -> Stage:
    """Returns the stage that decodes the sentences, and computes the cost of each hypothesis under each skeleton."""
    settings = [config["taken"], config["full"], config["beam"], config["edits"]]
    return Stage(COSTS, ("model", "tune", SKELETONS, POOL), settings, (), partial(_costs, config))


def read_costs(folder: Path, number: int) -> tuple[list[str], Floats, Floats]:
    """Returns a sentence's hypotheses, their costs, and their costs under each skeleton, (skeletons, hypotheses)."""
    arrays = read_arrays(sentence_file(folder, number))
    return unpack_words(arrays["words"]), arrays["full"], arrays["skeletons"]


def _costs(config: Mapping[str, Any], run: Run, folder: Path) -> dict[str, Any]:
    tasks = list(enumerate(read_pool(run.folders[POOL])))
    factory = partial(_costs_maker, dict(run.folders), config, folder)
    run_all(over_shards(run, factory, tasks, lambda task: sentence_file(folder, task[0]).exists()))
    return {}


def _costs_maker(
    folders: Mapping[str, Path], config: Mapping[str, Any], folder: Path
) -> Callable[[tuple[int, Sentence]], None]:
    decoder = Decoder.load(folders["model"]).with_weights(read_weights(folders["tune"] / WEIGHTS))
    decoder = replace(decoder, settings=replace(decoder.settings, beam=config["beam"], mbr=None))
    how = SkeletonSettings(weight=1.0, edits=EditCosts(**config["edits"]))

    def make(task: tuple[int, Sentence]) -> None:
        number, sentence = task
        paths = decoder.translate(sentence.words, strategy="plain").nbest(config["full"])
        words = [path.text for path in paths]
        lists = [Nbest.read(skeleton_path(folders[SKELETONS], skeleton)) for skeleton in sentence.skeletons]
        rows = [contained_costs(words, relative_hypotheses(nbest_list, config["taken"]), how) for nbest_list in lists]
        full = np.array([path.cost for path in paths])
        write_arrays(
            sentence_file(folder, number), {"words": pack_words(words), "full": full, "skeletons": np.vstack(rows)}
        )

    return make


def relative_hypotheses(nbest_list: Nbest, count: int) -> list[Hypothesis]:
    """Returns a skeleton's best hypotheses by decoder and scorers, with their costs above the first."""
    best = nbest_list.best(dict.fromkeys(nbest_list.names, 1.0), count)
    return [replace(path, cost=path.cost - best[0].cost) for path in best]
