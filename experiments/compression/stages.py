"""The stages of the experiment: parses, taggers, a language model, and the measurements of the methods."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from experiments.compression.data import Config, Domain, Example, domain_files, parse_domain
from experiments.files import write_lines
from lattice_simp import LanguageModel, Skeleton
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.skeleton import automatic
from lattice_simp.skeleton.automatic import (
    DeletionTagger,
    OptimalSettings,
    Parse,
    agreement,
    dependency_skeletons,
    optimal_skeletons,
    parser_name,
    token_f1,
)
from lattice_simp.skeleton.automatic.deletion_tree import deletion_tree
from lattice_simp.skeleton.automatic.features import FEATURE_VERSION
from lattice_simp.skeleton.automatic.optimal import model_form
from lattice_simp.support.tables import grammar_path
from lattice_simp.support.textio import read_lines
from lattice_simp.text.tokeniser import Tokeniser
from lattice_simp.train.ngrams.estimate import estimate

Method = Callable[[Parse, float], list[Skeleton]]


def methods(
    tagger: DeletionTagger, news: DeletionTagger, model: LanguageModel, candidates: int, seed: int
) -> dict[str, Method]:
    """Returns the methods by name; `own` is the tagger of the domain, `news` that of the news skeletons."""
    rng = random.Random(seed)
    no_model = OptimalSettings(lm_weight=0.0)

    def at_random(parse: Parse, rate: float) -> list[Skeleton]:
        chosen = set(rng.sample(range(len(parse)), _count(parse, rate)))
        return [Skeleton(parse.tokens, tuple(position in chosen for position in range(len(parse))))]

    return {
        "keep everything": lambda parse, rate: [Skeleton(parse.tokens, (True,) * len(parse))],
        "first tokens": _first,
        "random tokens": at_random,
        "dependency": lambda parse, rate: dependency_skeletons(parse, rate, candidates),
        "dependency, root kept": lambda parse, rate: dependency_skeletons(parse, rate, candidates, promote=False),
        "tagger (own domain)": lambda parse, rate: tagger.skeletons(parse, rate, candidates),
        "tagger (own domain), own rate": lambda parse, rate: tagger.skeletons(parse, None, candidates),
        "tagger (own domain), no repair": lambda parse, rate: tagger.skeletons(parse, rate, candidates, repair=False),
        "tagger (news)": lambda parse, rate: news.skeletons(parse, rate, candidates),
        "optimal: tree": lambda parse, rate: optimal_skeletons(parse, rate=rate, candidates=candidates),
        "optimal: tree, LM": lambda parse, rate: optimal_skeletons(parse, model, rate=rate, candidates=candidates),
        "optimal: tagger (own domain)": lambda parse, rate: optimal_skeletons(
            parse, tagger=tagger, rate=rate, candidates=candidates, settings=no_model
        ),
        "optimal: tagger (own domain), LM": lambda parse, rate: optimal_skeletons(
            parse, model, tagger=tagger, rate=rate, candidates=candidates
        ),
        "optimal: tagger (news), LM": lambda parse, rate: optimal_skeletons(
            parse, model, tagger=news, rate=rate, candidates=candidates
        ),
    }


def _count(parse: Parse, rate: float) -> int:
    return max(1, round(rate * len(parse)))


def _first(parse: Parse, rate: float) -> list[Skeleton]:
    kept = _count(parse, rate)
    return [Skeleton(parse.tokens, tuple(position < kept for position in range(len(parse))))]


Row = dict[str, Any]


def measure(method: Method, examples: Sequence[Example], rate: float, model: LanguageModel) -> Row:
    """Makes skeletons of all sentences, and compares them with the references."""
    begin = time.process_time()
    skeletons = [method(example.parse, rate) for example in examples]
    seconds = time.process_time() - begin
    return {**describe(skeletons, examples, model), "cpu_ms_a_sentence": round(1000 * seconds / len(examples), 2)}


def describe(skeletons: Sequence[Sequence[Skeleton]], examples: Sequence[Example], model: LanguageModel) -> Row:
    """Returns the agreement with references, and language model costs and broken bonds of the first candidates."""
    result = agreement(skeletons, [example.references for example in examples])
    first = [candidates[0] for candidates in skeletons]
    scores = [
        fmean(token_f1(skeleton, reference) for reference in example.references)
        for skeleton, example in zip(first, examples, strict=True)
    ]
    return {
        "sentences": result.sentences,
        "f1_mean": round(result.mean_f1, 4),
        "f1_mean_half_width_95": round(1.96 * stdev(scores) / math.sqrt(len(scores)), 4),
        "f1_best": round(result.best_f1, 4),
        "f1_best_of_candidates": round(result.oracle_f1, 4),
        "f1_by_reference": [round(value, 4) for value in result.f1_by_reference],
        "exact": round(result.exact, 4),
        "rate": round(result.rate, 4),
        "reference_rate": round(result.reference_rate, 4),
        "lm_nats_a_token": round(lm_cost(first, model), 3),
        "broken_bonds": round(
            fmean(broken_bonds(skeleton, example.parse) for skeleton, example in zip(first, examples, strict=True)), 4
        ),
        "gap_types": {str(kind): round(share, 3) for kind, share in result.gap_types.items()},
    }


def lm_cost(skeletons: Sequence[Skeleton], model: LanguageModel) -> float:
    """Returns the nats per token, including the ends of sentences."""
    texts = [[model_form(word, model) for word in skeleton.words] for skeleton in skeletons]
    return -sum(model.score(words) for words in texts) / sum(len(words) + 1 for words in texts)


def broken_bonds(skeleton: Skeleton, parse: Parse) -> float:
    """Returns the share of words that are kept without their head, or deleted although obligatory for a kept head.

    The highest kept word needs no head.
    """
    tree = deletion_tree(parse)
    words = [position for position, word in enumerate(tree.words) if word and tree.heads[position] >= 0]
    alone = [position for position in words if skeleton.mask[position] and not skeleton.mask[tree.heads[position]]]
    missing = [
        position
        for position in words
        if not skeleton.mask[position] and skeleton.mask[tree.heads[position]] and math.isinf(tree.costs[position])
    ]
    has_root = any(
        skeleton.mask[position] for position, head in enumerate(tree.heads) if head < 0 and tree.words[position]
    )
    broken = len(alone) + len(missing) - (0 if has_root else min(1, len(alone)))
    return broken / max(1, len(words))


NEWS = "news"

LANGUAGE_MODEL, ARPA = "language-model", "lm.arpa.gz"

ALL = "all four"
"""The tagger trained on the sentences of all sets."""

ACROSS = "across"
"""The stage that tests each tagger on each set."""

_SKIPPED = {
    True: ("tagger (news)", "optimal: tagger (news), LM"),
    False: ("dependency, root kept", "tagger (own domain), no repair"),
}
"""The methods to leave out of each set: duplicates of others, and variants measured on news only."""

_LAYOUT = ("report.py", "__main__.py")
"""The files that affect the page only."""


def parses_stage(entry: dict[str, Any], config: Config) -> Stage:
    """Returns the stage that parses a set."""
    settings = [entry, config["train_share"], entry["name"] in config["raw_text"], parser_name()]
    work = partial(parse_domain, entry, config)
    return Stage(f"parses-{entry['name']}", (), settings, domain_files(entry, config), work)


def language_model_stage(config: Config) -> Stage:
    """Returns the stage that estimates the model of lower-cased English."""
    settings = config["language_model"]
    texts = [Path(config["data"], name) for name in settings["texts"]]
    return Stage(LANGUAGE_MODEL, (), settings, texts, partial(_estimate, settings, texts))


def _estimate(settings: Mapping[str, Any], texts: Sequence[Path], run: Run, folder: Path) -> dict[str, Any]:
    lines = chain.from_iterable(islice(read_lines(path), settings["lines"]) for path in texts)
    text = write_lines(folder / "text.zst", map(Tokeniser("en").tokens, lines))
    estimate(text, folder / ARPA, order=settings["order"], prune=settings["prune"], memory=500, temporary=folder)
    text.unlink()
    return {}


def tagger_stages(domains: Sequence[Domain]) -> list[Stage]:
    """Returns the stages that train a tagger for each set, and one for all together."""
    training = {domain.name: domain.train for domain in domains}
    training[ALL] = tuple(example for domain in domains for example in domain.train)
    needs = [f"parses-{domain.name}" for domain in domains]
    return [
        Stage(tagger_name(name), needs, FEATURE_VERSION, (), partial(_train, examples))
        for name, examples in training.items()
    ]


def tagger_name(name: str) -> str:
    """Returns the name of a tagger's stage."""
    return f"tagger-{name}".replace(" ", "-")


def _train(examples: Sequence[Example], run: Run, folder: Path) -> dict[str, Any]:
    pairs = [(example.parse, reference) for example in examples for reference in example.references]
    DeletionTagger.train(folder, pairs, meta={"parser": parser_name()})
    return {"skeletons": len(pairs)}


def measured_stages(
    config: Config, domains: Sequence[Domain], taggers: Mapping[str, DeletionTagger], model: LanguageModel
) -> list[Stage]:
    """Returns the stages that measure the methods on each set, and the taggers on all sets.

    They run again when the code of a method, or a table of English, has changed.
    """
    programs = sorted(Path(automatic.__file__).parent.glob("*.py"))
    programs += sorted(path for path in Path(__file__).parent.glob("*.py") if path.name not in _LAYOUT)
    english = grammar_path("english/deletable.tsv").parent
    programs += sorted([*english.glob("*.py"), *english.glob("*.tsv")])
    needs = [LANGUAGE_MODEL, *map(tagger_name, taggers)]
    stages = []
    for domain in domains:
        compared = methods(taggers[domain.name], taggers[NEWS], model, config["candidates"], config["seed"])
        rows: dict[str, Callable[[], Any]] = {
            name: partial(measure, method, domain.test, domain.rate, model)
            for name, method in compared.items()
            if name not in _SKIPPED[domain.name == NEWS]
        }
        settings = [domain.name, config["candidates"], config["seed"]]
        stages.append(Stage(f"measured-{domain.name}", needs, settings, programs, partial(_measure, rows)))
    pairs = {
        f"{name} on {domain.name}": partial(tagger_f1, tagger, domain, model)
        for name, tagger in taggers.items()
        for domain in domains
    }
    return [*stages, Stage(ACROSS, needs, None, programs, partial(_measure, pairs))]


def _measure(rows: Mapping[str, Callable[[], Any]], run: Run, folder: Path) -> dict[str, Any]:
    """Writes a file for each row, keeping the files of a killed run."""
    for number, (name, make) in enumerate(rows.items()):
        path = folder / f"{number:02d}.json"
        if not path.exists():
            write_json(path, {"name": name, "row": make()})
            run.say(f"{folder.name.partition('.')[0]}: {name}")
    return {}


def read_rows(folder: Path) -> dict[str, Any]:
    """Returns the rows of a complete stage by name."""
    files = sorted(folder.glob("[0-9][0-9].json"))
    return {entry["name"]: entry["row"] for entry in (read_json(path) for path in files)}


def tagger_f1(tagger: DeletionTagger, domain: Domain, model: LanguageModel) -> float:
    """Returns the mean F1 of a tagger's skeletons on a set."""
    skeletons = [tagger.skeletons(example.parse, domain.rate) for example in domain.test]
    f1: float = describe(skeletons, domain.test, model)["f1_mean"]
    return f1


def people(examples: Sequence[Example], model: LanguageModel) -> Row | None:
    """Compares the first reference of each sentence with its other references, if any."""
    several = [example for example in examples if len(example.references) > 1]
    if len(several) < 2:
        return None
    others = [Example(example.parse, example.references[1:]) for example in several]
    row = describe([example.references[:1] for example in several], others, model)
    return {**row, "f1_by_reference": [1.0, *row["f1_by_reference"]]}
