"""A sample to be judged by reading, and the table of the grades.

`make paraphrase` writes the sheet, `build/paraphrase/sample.*/sheet.tsv`: sentences of both conditions in random order,
each beside the sentence of its set that has most words in common with it, and two empty columns. Put 1 or 0 into each:
whether the sentence is grammatical (as good as the one beside it), and whether it means the same.
`python -m experiments.paraphrase.judging SHEET` reads the grades and writes `judged.tsv` here, which has no sentences.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from experiments.paraphrase.data import CODE, Config, read_sets, thesaurus
from lattice_simp import (
    Expansion,
    Hypothesis,
    LanguageModel,
    Lattice,
    LatticeSimpError,
    Paraphraser,
    ParaphraseSettings,
    Tree,
    apply_lm,
    determinize,
    intersect,
    nbest,
    sample,
    union,
)
from lattice_simp.errors import FormatError
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.textio import open_text, read_lines
from lattice_simp.train.ngrams.estimate import estimate

SHEET, KEY, JUDGED = "sheet.tsv", "key.tsv", "judged.tsv"

UNFILTERED, FILTERED = "unfiltered", "filtered"

GRADES = ("grammar", "meaning")

_SLACK = 1e-6
"""Costs in nats that differ by less are equal."""

_TRIES = 200
"""Sentences drawn from a set until one is new, and probable enough."""


@dataclass(frozen=True)
class Drawn:
    """A sentence of the sample: its condition, collection, set (a line, from 0), itself, and one of its set."""

    condition: str
    collection: str
    set: int
    sentence: str
    given: str

    @property
    def name(self) -> str:
        """A name of the sentence that does not tell it."""
        return blake2b(self.sentence.encode(), digest_size=6).hexdigest()


def model_stage(config: Config) -> Stage:
    """Returns the stage that estimates the language model."""
    settings = config["language_model"]
    files = [Path(config["data"], text["file"]) for text in settings["texts"]]
    return Stage("model", (), settings, files, partial(_estimate, settings, files))


def _estimate(settings: Config, files: Sequence[Path], run: Run, folder: Path) -> dict[str, Any]:
    import spacy

    tokenizer = spacy.blank("en").tokenizer
    text = folder / "text.txt.gz"
    count = 0
    with open_text(text, "w") as file:
        for path, part in zip(files, settings["texts"], strict=True):
            for line in islice(read_lines(path), part.get("from", 0), part.get("to")):
                words = [token.text for token in tokenizer(line.strip()) if not token.is_space]
                file.write(" ".join(words) + "\n")
                count += bool(words)
    estimate(text, folder / "model.arpa.gz", order=settings["order"], memory=500, discount_fallback=True)
    return {"sentences": count}


def sample_stage(config: Config) -> Stage:
    """Returns the stage that draws the sample and writes the sheet."""
    settings = config["sample"]
    needs = ["model", *(f"parse {name}" for name in settings["collections"])]
    return Stage("sample", needs, [settings, config["senses"]], [*CODE, Path(__file__)], partial(_draw, config))


def _draw(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    sampling = config["sample"]
    model = LanguageModel.read(run.folders["model"] / "model.arpa.gz")
    words = thesaurus(config)
    sets = {name: list(read_sets(run.folders[f"parse {name}"])) for name in sampling["collections"]}
    generator = np.random.default_rng(sampling["seed"])
    drawn = []
    filtered = ParaphraseSettings(max_substitutions=sampling["max_substitutions"])
    for condition, settings in ((UNFILTERED, ParaphraseSettings(filters=())), (FILTERED, filtered)):
        paraphraser = Paraphraser(settings, words)
        sampled = _sampled(condition, sets, paraphraser, model if condition == FILTERED else None, generator)
        drawn += list(islice(sampled, sampling["sentences"]))
    order = generator.permutation(len(drawn)).tolist()
    _write(folder, [drawn[number] for number in order])
    return {"drawn": len(drawn)}


def _sampled(
    condition: str,
    sets: Mapping[str, Sequence[list[Tree]]],
    paraphraser: Paraphraser,
    model: LanguageModel | None,
    generator: np.random.Generator,
) -> Iterator[Drawn]:
    """Yields a new sentence of a random set of each collection in turn, until no set is left; each set gives one."""
    orders = {name: iter(generator.permutation(len(parsed)).tolist()) for name, parsed in sets.items()}
    while orders:
        for name in list(orders):
            chosen = None
            for number in orders[name]:
                chosen = one_new(paraphraser, sets[name][number], model, generator)
                if chosen is not None:
                    yield Drawn(condition, name, number, *chosen)
                    break
            if chosen is None:
                del orders[name]


def one_new(
    paraphraser: Paraphraser, trees: list[Tree], model: LanguageModel | None, generator: np.random.Generator
) -> tuple[str, str] | None:
    """Draws one new sentence uniformly; returns it and the sentence of the set that is most like it."""
    try:
        expansion = paraphraser.expand_trees(trees)
        if expansion.new <= 0:
            return None
        lattice = expansion.lattice if model is None else probable(paraphraser.expand_each(trees), model)
    except LatticeSimpError:
        return None
    for path in sample(lattice, _TRIES, seed=generator, uniform=True):
        if path.tokens not in expansion.sentences and path.cost <= _SLACK:
            return path.text, " ".join(max(expansion.sentences, key=partial(_common, path)))
    return None


def probable(expansions: Sequence[Expansion], model: LanguageModel) -> Lattice:
    """Returns the sentences that are as probable as the ones that they are made of: the paths that cost 0 or less.

    A sentence is compared with its own origin, since a set has plain sentences, of which anything made would be
    probable enough beside the others, and difficult ones, of which nothing would. Of sentences with fewer words, each
    word takes off what a word of the set costs in the mean, so that it does not pay to leave words out; of longer ones
    it does not, so that it does not pay to add frequent ones.

    Args:
        found: the expansion of each sentence of a set (`Paraphraser.expand_each`).
        model: what costs are by; a sentence's own is taken from those that are made of it.
    """
    sentences = [expansion.sentences[0] for expansion in expansions]
    costs = [-model.score(list(words)) for words in sentences]
    word = sum(costs) / sum(map(len, sentences))
    lattices, most = [], []
    for expansion, cost, sentence in zip(expansions, costs, sentences, strict=True):
        short, long = _by_length(expansion.lattice, len(sentence))
        for lattice, penalty in ((short, -word), (long, 0.0)):
            if lattice.num_states:
                most.append(cost + penalty * len(sentence))
                lattices.append(_within(lattice, model, penalty, most[-1]))
    return determinize(union(*lattices, costs=[-probability for probability in most]))


def _within(lattice: Lattice, model: LanguageModel, penalty: float, most: float) -> Lattice:
    """Returns the lattice under a model, without what is only on paths that cost more than a bound, or the best."""
    models = {"LM": (model, 1.0)}
    best = nbest(apply_lm(lattice, models, beam=0.0, word_penalty=penalty))[0]
    return apply_lm(lattice, models, beam=max(most - best.cost, 0.0) + _SLACK, word_penalty=penalty)


def _by_length(lattice: Lattice, most: int) -> tuple[Lattice, Lattice]:
    """Returns the sentences with at most so many words, and those with more."""
    words, levels = len(lattice.symbols) - 1, np.arange(most + 2)
    sources = np.repeat(levels, words)
    labels, goals = np.tile(np.arange(1, words + 1), most + 2), np.minimum(sources + 1, most + 1)
    parts = []
    for ends in (levels <= most, levels > most):
        finals = np.where(ends, 0.0, np.inf)
        counting = Lattice.from_arcs(sources, labels, np.zeros(len(labels)), goals, finals, lattice.symbols)
        parts.append(intersect(lattice, counting))
    return parts[0], parts[1]


def _common(path: Hypothesis, sentence: tuple[str, ...]) -> float:
    """Returns how much two sentences have in common: the share of their words that are in both."""
    words, sentence_words = set(path.tokens), set(sentence)
    return len(words & sentence_words) / len(words | sentence_words)


def _write(folder: Path, drawn: Sequence[Drawn]) -> None:
    with open_text(folder / SHEET, "w") as sheet, open_text(folder / KEY, "w") as key:
        sheet.write("\t".join(("row", "given", "sentence", *GRADES)) + "\n")
        key.write("row\tcondition\tcollection\tset\tsentence\n")
        for row, entry in enumerate(drawn, start=1):
            sheet.write(f"{row}\t{entry.given}\t{entry.sentence}\t\t\n")
            key.write(f"{row}\t{entry.condition}\t{entry.collection}\t{entry.set}\t{entry.name}\n")


def read_sheet(sheet: Path) -> list[tuple[str, ...]]:
    """Returns the rows of `judged.tsv`: the key of each sentence, and its grades.

    Raises:
        FormatError: a row without its grades, or without its key.
    """
    keys = [line.split("\t")[1:] for line in islice(read_lines(sheet.with_name(KEY)), 1, None)]
    rows = [line.split("\t") for line in islice(read_lines(sheet), 1, None)]
    if len(rows) != len(keys):
        raise FormatError(f"{len(rows)} rows, but the key has {len(keys)}", path=sheet, remedy="keep all rows")
    for number, row in enumerate(rows, start=2):
        if len(row) != 3 + len(GRADES) or not set(row[3:]) <= {"0", "1"}:
            raise FormatError("a row without its grades", path=sheet, line=number, remedy="give each 0 or 1")
    return [(*key, *row[3:]) for key, row in zip(keys, rows, strict=True)]


def right(rows: Iterable[Mapping[str, str]]) -> dict[str, Any]:
    """Returns the percentages of each condition: grammatical, of the same meaning, both.

    >>> right([{"condition": "filtered", "grammar": "1", "meaning": grade} for grade in "101"])["filtered"]
    {'sentences': 3, 'grammar': 100, 'meaning': 66.7, 'right': 66.7}
    """
    table: dict[str, Any] = {}
    known = list(rows)
    for condition in dict.fromkeys(row["condition"] for row in known):
        judged = [row for row in known if row["condition"] == condition]
        grades = [[row[name] == "1" for name in GRADES] for row in judged]
        shares = [round(100 * mean(grade[i] for grade in grades), 1) for i in range(len(GRADES))]
        table[condition] = {
            "sentences": len(judged),
            **dict(zip(GRADES, shares, strict=True)),
            "right": round(100 * mean(all(grade) for grade in grades), 1),
        }
    return table


def read_judged() -> list[dict[str, str]]:
    """Returns the rows of `judged.tsv`; none if nobody has judged."""
    path = Path(__file__).with_name(JUDGED)
    if not path.exists():
        return []
    header, *rows = (line.split("\t") for line in read_lines(path))
    return [dict(zip(header, row, strict=True)) for row in rows]


def main(arguments: Sequence[str]) -> None:
    """Writes `judged.tsv` from a sheet that was filled in."""
    rows = sorted(read_sheet(Path(arguments[0])))
    with open_text(Path(__file__).with_name(JUDGED), "w") as file:
        for row in [("condition", "collection", "set", "sentence", *GRADES), *rows]:
            file.write("\t".join(row) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
