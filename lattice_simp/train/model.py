"""The stages `language-model` and `model`: estimate the language model, and put a model directory together."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.plain_text import sentence_lines
from lattice_simp.lm import LanguageModel
from lattice_simp.lm.mixture import mixed, mixture_weights, write_arpa
from lattice_simp.pipeline.shards import SIDES, read_shard, shard_paths
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.atomic import replacing
from lattice_simp.support.groups import grouped
from lattice_simp.support.textio import open_binary, open_text, write_text
from lattice_simp.text.settings import TEXT
from lattice_simp.text.tokeniser import tokenisers
from lattice_simp.train.config import Config, Language
from lattice_simp.train.ngrams.estimate import estimate, find_lmplz
from lattice_simp.train.rules.simplicity import FEATURES as SIMPLICITY
from lattice_simp.train.rules.simplicity import with_simplicity
from lattice_simp.train.rules.swaps import START_WEIGHT, SWAP, with_swaps
from lattice_simp.train.rules.table import FILE, PROVENANCE
from lattice_simp.train.text.clean import has_reserved_word
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.model_files import SETTINGS, WEIGHTS, write_weights

ARPA = "lm.arpa"

SMALL = 1 << 20
"""Files up to this many bytes are copied rather than linked."""

START_WEIGHTS = {
    "LM": 1.0,
    "TargetGivenSource": 0.5,
    "SourceGivenTarget": 0.4,
    "LexicalTargetGivenSource": 0.2,
    "LexicalSourceGivenTarget": 0.2,
    "RulePenalty": 0.0,
    "Hierarchical": 0.1,
    "CountOne": 0.2,
    "CountTwo": 0.1,
    "CountMore": 0.0,
    "WordPenalty": -1.0,
    "Glue": 0.2,
    "OOV": 10.0,
}
"""Where tuning starts: a plausible balance, with a reward for words that offsets part of their language-model costs."""


def language_model_stage(config: Config) -> Stage:
    """Returns the stage that estimates the language model from the target side and further texts."""
    options = config.language_model
    settings = options.model_dump(mode="json", exclude={"texts", "memory_mb", "arpa", "mix_for"}) | {
        "text": config.text.model_dump()
    }
    work = partial(_language_model, config)
    texts = [config.path(path) for path in options.texts]
    if options.mix_for is not None:
        settings["corpora"] = [corpus.name for corpus in config.corpora]
        texts.append(config.path(options.mix_for))
        work = partial(_mixture, config)
    if options.arpa is None:
        return Stage("language-model", ("prepare",), settings, texts, work, check=find_lmplz)
    files = [*texts, config.path(options.arpa)]
    return Stage("language-model", ("prepare",), settings | {"given": True}, files, work)


def _language_model(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    settings = config.language_model
    if settings.arpa is not None:
        with open_binary(config.path(settings.arpa)) as source, open_binary(folder / ARPA, "w") as target:
            shutil.copyfileobj(source, target)
        return {"bytes": (folder / ARPA).stat().st_size}
    lines = _estimate(settings, (line for _, line in _sentences(config, run)), folder / ARPA)
    return {"sentences": lines, "bytes": (folder / ARPA).stat().st_size}


def _estimate(settings: Language, sentences: Iterable[str], arpa: Path) -> int:
    """Estimates a model of sentences; returns their number."""
    text = arpa.with_suffix(".text")
    lines = 0
    with open_text(text, "w") as file:
        for line in sentences:
            file.write(line + "\n")
            lines += 1
    how = settings.model_dump(include={"order", "prune", "discount_fallback"})
    estimate(text, arpa, **how, memory=settings.memory_mb, temporary=arpa.parent)
    text.unlink()
    return lines


def _mixture(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    """Estimates a model for each origin of sentences, and mixes them."""
    settings = config.language_model
    assert settings.mix_for is not None
    sentences = grouped(_sentences(config, run))
    counts, models = {}, []
    for number, origin in enumerate(sentences):
        arpa = folder / f"{number}.arpa"
        try:
            counts[origin] = _estimate(settings, sentences[origin], arpa)
        except LatticeSimpError as error:
            raise LatticeSimpError(f"{origin}: {error}") from error
        models.append(LanguageModel.read(arpa, cache=False))
        arpa.unlink()
    tokeniser = tokenisers(config.text, run.folders["prepare"])[1]
    result = mixture_weights(models, map(tokeniser.tokens, sentence_lines(config.path(settings.mix_for))))
    write_arpa(folder / ARPA, *mixed(models, result.weights))
    return {
        "sentences": sum(counts.values()),
        "bytes": (folder / ARPA).stat().st_size,
        "mixture": {
            origin: {"sentences": counts[origin], "weight": weight}
            for origin, weight in zip(sentences, result.weights.tolist(), strict=True)
        },
        "perplexity_equal_weights": result.perplexities[0],
        "perplexity": result.perplexity,
    }


def _sentences(config: Config, run: Run) -> Iterator[tuple[str, str]]:
    """Yields the sentences of the language model, each with its origin: the name of a corpus, or of a text's file."""
    names = [corpus.name for corpus in config.corpora]
    for path in run.each(shard_paths(run.folders["prepare"])):
        shard = read_shard(path, ["target", "corpus"])
        for number, line in zip(shard["corpus"].to_pylist(), shard["target"].to_pylist(), strict=True):
            yield names[number], line
    tokeniser = tokenisers(config.text, run.folders["prepare"])[1]
    for path in config.language_model.texts:
        for tokens in map(tokeniser.tokens, sentence_lines(config.path(path))):
            if tokens and not has_reserved_word(tokens):
                yield str(path), tokens


def model_stage(config: Config) -> Stage:
    """Returns the stage that puts together a model directory with starting weights."""
    settings = {"text": config.text.model_dump(), "start": START_WEIGHTS, "max_span": config.rules.max_span}
    if _has_simplicity(config):
        settings["simplicity"] = SIMPLICITY
    if _has_swaps(config):
        settings["swaps"] = START_WEIGHT
    return Stage("model", ("prepare", "rules", "language-model"), settings, (), partial(_model, config))


def _has_simplicity(config: Config) -> bool:
    return config.simplify is not None and config.simplify.simplicity


def _has_swaps(config: Config) -> bool:
    return config.simplify is not None and config.simplify.swaps


def _model(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    for source in (run.folders["rules"] / FILE, run.folders["language-model"] / ARPA):
        link_or_copy(source, folder / source.name)
    grammar = Grammar.read(folder / FILE)
    if _has_simplicity(config):
        grammar = with_simplicity(grammar, LanguageModel.read(folder / ARPA, cache=False))
    if _has_swaps(config):
        grammar = with_swaps(grammar)
    if _has_simplicity(config) or _has_swaps(config):
        (folder / FILE).unlink()  # it may belong to the other stage
        grammar.write(folder / FILE)
    more = [name for name in grammar.feature_names if name.startswith(PROVENANCE) or name in SIMPLICITY]
    swap = {SWAP: START_WEIGHT} if _has_swaps(config) else {}
    write_weights(folder / WEIGHTS, START_WEIGHTS | dict.fromkeys(more, 0.0) | swap)
    write_text(folder / SETTINGS, json.dumps({"max_span": config.rules.max_span}) + "\n")
    write_text(folder / TEXT, json.dumps(config.text.model_dump()) + "\n")
    if config.text.case == "true":
        for side in SIDES:
            link_or_copy(run.folders["prepare"] / f"casing.{side}.txt", folder / f"casing.{side}.txt")
    return {}


def link_or_copy(source: Path, target: Path) -> None:
    """Hard-links a large file, or copies it if that fails.

    Small files are copied: users edit them, and the files of a stage must not change.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as growing:
        if source.stat().st_size > SMALL:
            with suppress(OSError):
                os.link(source, growing)
                return
        shutil.copyfile(source, growing)
