"""The stages `tune` and `test`: tune weights on a development set, and score test sets before and after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import FormatError
from lattice_simp.metrics import bleu as bleu_text
from lattice_simp.metrics import bleu_tok
from lattice_simp.pipeline.stage import RECORD, Run, Stage, json_text, write_json
from lattice_simp.skeleton import read_skeletons
from lattice_simp.support.parallel import read_parallel
from lattice_simp.support.tasks.batch import all_results
from lattice_simp.support.textio import open_text, read_lines
from lattice_simp.text.sacrebleu_tokenisers import USUAL, best_tokeniser, is_unspaced_language
from lattice_simp.text.tokeniser import Tokeniser, model_tokenisers, tokenisers
from lattice_simp.train.config import Config, TestSet
from lattice_simp.train.lengths import balanced, length_ratios
from lattice_simp.train.model import link_or_copy
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.model_files import MADE_OF, WEIGHTS, read_weights, write_weights
from lattice_simp.tune.decode import DecodeOptions, TuningSentence
from lattice_simp.tune.mert import MertOptions
from lattice_simp.tune.metrics import tuned_metric
from lattice_simp.tune.rounds import REACH, SEARCH_GAIN, TuningOptions, tune

ROUNDS = "rounds.json"

BLEU = "bleu"


def tune_stage(config: Config) -> Stage:
    """Returns the stage that tunes the weights on the development set; without one, it keeps them."""
    development = [] if config.tune.development is None else [config.tune.development]
    settings = config.tune.model_dump(mode="json")
    if config.tune.metric == BLEU:
        del settings["metric"]  # keeps earlier stages with BLEU valid
    if config.tune.length_ratio is None:
        del settings["length_ratio"]
    values = {"tune": settings, "text": config.text.model_dump()}
    files = [path for test in development for path in test_set_files(config, test)]
    check, publish = partial(_check_texts, config, development), partial(_publish, config)
    return Stage("tune", ("model",), values, files, partial(_tune, config), version=2, check=check, publish=publish)


def _tune(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    settings, model = config.tune, run.folders["model"]
    weights = read_weights(model / WEIGHTS)
    if settings.development is None:
        write_weights(folder / WEIGHTS, weights)
        return {}
    sources, references = read_development(config, model)
    sentences = [
        TuningSentence(as_tokens(source), tuple(as_tokens(line) for line in lines))
        for source, *lines in zip(sources, *references, strict=True)
    ]
    decoding = DecodeOptions(model, beam=settings.beam, max_arcs=settings.max_arcs, jobs=run.jobs, cluster=run.cluster)
    directions, restarts = settings.random_directions, settings.restarts
    mert = MertOptions(settings.seed, directions, restarts, min_gain=SEARCH_GAIN, reach=REACH)
    result = tune(
        sentences,
        weights,
        decoding,
        TuningOptions(mert, settings.max_rounds, settings.min_gain),
        metric=settings.metric,
        say=run.say,
        progress=run.progress,
    )
    reported = tuned_metric(settings.metric).reported
    rounds = [
        {
            "weights": tuned.weights,
            settings.metric: reported(tuned.score),
            "expected": reported(tuned.expected),
        }
        for tuned in result.rounds
    ]
    write_json(folder / ROUNDS, rounds)
    write_weights(folder / WEIGHTS, result.weights)
    before, after = reported(result.rounds[0].score), reported(result.score)
    record = {"rounds": len(rounds), f"{settings.metric}_before": before, f"{settings.metric}_after": after}
    if settings.length_ratio is not None:
        record["length_ratio"] = float(length_ratios(sources, references).mean())
    return record


def read_development(config: Config, model: Path) -> tuple[list[str], list[list[str]]]:
    """Returns the chosen token lines of the development set, as `read_test_set` does."""
    settings = config.tune
    assert settings.development is not None
    if settings.length_ratio is None:
        return read_test_set(config, settings.development, model)
    assert settings.development.lines is not None
    whole_set = settings.development.model_copy(update={"lines": None})
    sources, references = read_test_set(config, whole_set, model)
    places = balanced(length_ratios(sources, references), settings.development.lines, settings.length_ratio).tolist()
    return [sources[place] for place in places], [[lines[place] for place in places] for lines in references]


# ---------------------------------------------------------------- test sets


def test_stage(config: Config) -> Stage:
    """Returns the stage that translates the test sets with the starting and the tuned weights."""
    values = {"test": [test.model_dump(mode="json") for test in config.test], "text": config.text.model_dump()}
    files = [path for test in config.test for path in test_set_files(config, test)]
    check = partial(_check_texts, config, config.test)
    return Stage("test", ("model", "tune"), values, files, partial(_test, config), check=check)


test_stage.__test__ = False  # type: ignore[attr-defined]  # no test, whatever its name suggests to pytest


def _test(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    model = run.folders["model"]
    scores: dict[str, Any] = {}
    for test in config.test:
        sources, references = read_test_set(config, test, model)
        originals = read_texts(config, test)[1]
        for name, stage in (("start", "model"), ("tuned", "tune")):
            output = folder / f"{test.name}.{name}.txt"
            if not output.exists():
                lines = translate_lines(model, read_weights(run.folders[stage] / WEIGHTS), sources, run)
                with open_text(output, "w") as file:
                    file.writelines(line + "\n" for line in lines)
            score = bleu(list(read_lines(output)), references, originals, tokenisers(config.text)[1])
            scores[f"{test.name}.{name}"] = score._asdict()
            run.say(f"test: {test.name}, {name} weights: {score.summary()}")
    return {"scores": scores}


class Score(NamedTuple):
    """Scores (0 to 100) and their sacrebleu signatures."""

    bleu_tok_lc: float
    bleu_13a: float
    signature_tok_lc: str
    signature_13a: str

    def summary(self) -> str:
        """Returns both scores for the log.

        >>> Score(31.0, 29.5, "case:lc", "case:mixed").summary()
        'BLEU of tokens, ignoring case: 31.00; of text: 29.50'
        """
        of_text = "of text, ignoring case" if "case:lc" in self.signature_13a else "of text"
        return f"BLEU of tokens, ignoring case: {self.bleu_tok_lc:.2f}; {of_text}: {self.bleu_13a:.2f}"


def bleu(hypotheses: list[str], references: list[list[str]], originals: list[list[str]], tokeniser: Tokeniser) -> Score:
    """Scores token lines against those of references, and their text against the references' `originals`.

    For text of languages without blanks, a tokeniser for that language replaces 13a, as the signature says.
    """
    name = best_tokeniser(tokeniser.language) if is_unspaced_language(tokeniser.language) else USUAL
    text = bleu_text(len(originals), tokeniser=name, lowercase=tokeniser.case == "lower")
    tokens = bleu_tok(len(references))
    return Score(
        round(tokens.corpus_score(hypotheses, references), 4),
        round(text.corpus_score([tokeniser.text(line) for line in hypotheses], originals), 4),
        tokens.signature,
        text.signature,
    )


def translate_lines(model: Path, weights: dict[str, float], sources: list[str], run: Run) -> list[str]:
    """Translates token lines with the cheapest hypotheses."""
    lines = [""] * len(sources)
    tasks = [(number, source) for number, source in enumerate(sources) if source]
    factory = partial(_translator, model, weights)
    results = all_results(tasks, factory, jobs=run.jobs, cluster=run.cluster, what="sentence")
    for num_done, (number, line) in enumerate(results, start=1):
        lines[number] = line
        run.progress(num_done, len(tasks))
    return lines


def _translator(model: Path, weights: dict[str, float]) -> Callable[[str], str]:
    decoder = Decoder.load(model).with_weights(weights)
    # Only the cheapest hypothesis is needed, so a narrow beam is enough.
    narrow = replace(decoder, settings=replace(decoder.settings, beam=0.5))
    return lambda source: narrow.translate(source).best.text


def read_test_set(config: Config, test: TestSet, model: Path) -> tuple[list[str], list[list[str]]]:
    """Returns a test set's token lines, see `read_texts`: the sources, and the lines of each reference."""
    source, references = read_texts(config, test)
    of_source, of_target = model_tokenisers(model)
    return list(map(of_source.tokens, source)), [list(map(of_target.tokens, lines)) for lines in references]


def read_texts(config: Config, test: TestSet) -> tuple[list[str], list[list[str]]]:
    """Returns the raw lines of a test set: the source's, and those of each reference.

    Raises:
        FormatError: a file is broken or empty, or the files have different numbers of lines.
    """
    source, *references = read_parallel([config.path(path) for path in (test.source, *test.references)])
    chosen = chosen_lines(config, test, len(source))
    return [source[line] for line in chosen], [[lines[line] for line in chosen] for lines in references]


def chosen_lines(config: Config, test: TestSet, count: int) -> list[int]:
    """Returns the lines (from 0) of a test set's files, which have `count`, that belong to it.

    Raises:
        FormatError: the skeleton file is broken, or names a line that is not there.
    """
    if test.skeletons is None:
        return evenly_spread(range(count), test.lines)
    path = config.path(test.skeletons)
    lines = [record.line for record in read_skeletons(path)]
    outside = next((line for line in lines if not 0 <= line < count), None)
    if outside is not None:
        message = f"names line {outside} of {config.path(test.source)}, which has {count} (counted from 0)"
        raise FormatError(message, path=path, remedy="give the skeletons of this text")
    return evenly_spread(lines, test.lines)


Item = TypeVar("Item")


def evenly_spread(items: Sequence[Item], count: int | None) -> list[Item]:
    """Returns `count` of the items, evenly spread, since the beginning of a set may have a single origin.

    >>> evenly_spread("abcdef", 3), evenly_spread("ab", 3), evenly_spread("ab", None)
    (['a', 'c', 'e'], ['a', 'b'], ['a', 'b'])
    """
    if count is None or count >= len(items):
        return list(items)
    return [items[index * len(items) // count] for index in range(count)]


def _check_texts(config: Config, tests: Sequence[TestSet]) -> None:
    for test in tests:
        read_texts(config, test)


def test_set_files(config: Config, test: TestSet) -> list[Path]:
    """Returns all files of a test set: the source, the references, and the skeletons if there are any."""
    skeletons = [] if test.skeletons is None else [test.skeletons]
    return [config.path(path) for path in (test.source, *test.references, *skeletons)]


# ---------------------------------------------------------------- the result


def _publish(config: Config, run: Run) -> None:
    finish_model(run.folders["model"], run.folders["tune"], config.model_folder)
    run.say(f"model: {config.model_folder}")


def finish_model(model: Path, tuned: Path, target: Path) -> None:
    """Writes the model directory with the tuned weights unless it is up to date; other files in it stay."""
    made_of = {"model": model.name, "weights": tuned.name}
    if (target / MADE_OF).is_file() and (target / MADE_OF).read_text(encoding="utf-8") == json_text(made_of):
        return
    write_json(target / MADE_OF, {})  # decoders refuse the model until all files are there
    for path in sorted(model.iterdir()):
        if path.is_file() and path.name not in (WEIGHTS, RECORD):
            link_or_copy(path, target / path.name)
    link_or_copy(tuned / WEIGHTS, target / WEIGHTS)
    write_json(target / MADE_OF, made_of)
