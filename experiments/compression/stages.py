"""The stages of the experiment: parsed sets, taggers, a language model, and the measurements of the methods."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from experiments.files import write_lines
from experiments.timing import cpu_time
from lattice_simp import LanguageModel
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.skeleton import Skeleton, automatic, read_skeletons
from lattice_simp.skeleton.automatic import (
    DeletionTagger,
    OptimalSettings,
    Parse,
    agreement,
    align_pairs,
    dependency_skeletons,
    optimal_skeletons,
    parse_sentences,
    parser_name,
    read_parses,
    token_f1,
    write_parses,
)
from lattice_simp.skeleton.automatic.deletion_tree import deletion_tree
from lattice_simp.skeleton.automatic.features import FEATURE_VERSION
from lattice_simp.skeleton.automatic.optimal import model_form
from lattice_simp.support.tables import grammar_path
from lattice_simp.support.textio import read_lines
from lattice_simp.text.tokeniser import Tokeniser
from lattice_simp.train.ngrams.estimate import estimate

Config = dict[str, Any]


@dataclass(frozen=True)
class Example:
    """A parsed sentence, and its human skeletons."""

    parse: Parse
    references: tuple[Skeleton, ...]


@dataclass(frozen=True)
class Domain:
    """One kind of text; no test sentence is among the training sentences of any domain.

    `skipped` counts compressions that are not subsequences of their sentences, `compressions` all of them.
    """

    name: str
    train: tuple[Example, ...]
    test: tuple[Example, ...]
    compressions: int
    skipped: int

    @property
    def rate(self) -> float:
        """The mean compression rate of the training part, which is the target of methods."""
        rates = [reference.compression_rate for example in self.train for reference in example.references]
        return sum(rates) / len(rates)


_Pair = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]
_Kept = list[tuple[tuple[str, ...], tuple[Skeleton, ...]]]

_PARTS = ("train", "test")


def domain_files(entry: dict[str, Any], config: Config) -> list[Path]:
    """Returns the files of a set."""
    names = [entry["both"]] if "both" in entry else [name for part in _PARTS for name in entry[part]]
    paths = [Path(config["data"], name) for name in names]
    return [file for path in paths for file in (_pair_files(path) if _is_pair(path) else (path,))]


def parse_domain(entry: dict[str, Any], config: Config, run: Run, folder: Path) -> dict[str, Any]:
    """Parses the sentences of a set with a compression by deletion; resumes a killed run."""
    counts = {}
    for part, pairs in _pairs(entry, config).items():
        sentences = [tokens for tokens, _ in _aligned(pairs)[0]]
        if not _parse_file(folder, part).exists():
            write_parses(_parse_file(folder, part), parse_sentences(sentences))
        counts[part] = len(sentences)
    return counts


def load_domains(config: Config, folders: Mapping[str, Path]) -> list[Domain]:
    """Reads, aligns and splits all sets; the stages' folders hold their parses."""
    domains = [_load(entry, config, folders[f"parses-{entry['name']}"]) for entry in config["sets"]]
    tested = {example.parse.tokens for domain in domains for example in domain.test}
    return [
        replace(domain, train=tuple(pair for pair in domain.train if pair.parse.tokens not in tested))
        for domain in domains
    ]


def _load(entry: dict[str, Any], config: Config, folder: Path) -> Domain:
    examples: dict[str, tuple[Example, ...]] = {}
    skipped, compressions = 0, 0
    for part, pairs in _pairs(entry, config).items():
        kept, others = _aligned(pairs)
        parses = read_parses(_parse_file(folder, part))
        examples[part] = tuple(Example(parse, references) for parse, (_, references) in zip(parses, kept, strict=True))
        skipped += others
        compressions += sum(len(words) for _, words in pairs)
    return Domain(entry["name"], **examples, compressions=compressions, skipped=skipped)


def _pairs(entry: dict[str, Any], config: Config) -> dict[str, list[_Pair]]:
    data, raw = Path(config["data"]), entry["name"] in config["raw_text"]
    if "both" not in entry:
        return {part: [pair for path in entry[part] for pair in _read(data / path, raw)] for part in _PARTS}
    pairs = list(_read(data / entry["both"], raw))
    cut = round(config["train_share"] * len(pairs))
    return {"train": pairs[:cut], "test": pairs[cut:]}


def _parse_file(folder: Path, part: str) -> Path:
    return folder / f"{part}.parses.jsonl"


def _is_pair(path: Path) -> bool:
    return path.name.endswith(".valid")


def _pair_files(path: Path) -> tuple[Path, Path]:
    return path.with_name(f"{path.name}.orig.xz"), path.with_name(f"{path.name}.comp.xz")


def _read(path: Path, raw: bool) -> Iterator[_Pair]:
    if path.parent.name == "skeletons":
        for record in read_skeletons(path):
            yield record.tokens, tuple(skeleton.words for skeleton in record.skeletons)
        return
    tokeniser = Tokeniser("en", case="keep")

    def tokens(text: str) -> tuple[str, ...]:
        return tuple((tokeniser.tokens(text) if raw else text).split())

    if _is_pair(path):
        lines = zip(*map(read_lines, _pair_files(path)), strict=True)
        for original, compressed in lines:
            yield tokens(original), (tokens(compressed),)
        return
    for line in read_lines(path):
        fields = json.loads(line)
        yield tokens(fields["text"]), tuple(map(tokens, fields["summaries"]))


def _aligned(pairs: Sequence[_Pair]) -> tuple[_Kept, int]:
    """Returns the sentences with their compressions as skeletons, and the number of those that are not subsequences."""
    kept_pairs, skipped = [], 0
    for tokens, summaries in pairs:
        skeletons, others = align_pairs((tokens, words) for words in summaries)
        skipped += others
        kept = tuple(skeleton for skeleton in skeletons if skeleton)
        if kept:
            kept_pairs.append((tokens, kept))
    return kept_pairs, skipped


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
    with cpu_time() as timer:
        skeletons = [method(example.parse, rate) for example in examples]
    return {**describe(skeletons, examples, model), "cpu_ms_a_sentence": round(1000 * timer.seconds / len(examples), 2)}


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
