"""A sample of sentences for judging by reading, and the shares of its judgements.

`make paraphrase` writes a study to `build/paraphrase/sample.*/`: sentences of all conditions of the curve and original
sentences of the sets, in random order, each below the most similar sentences of its set. A separate key holds the
conditions. Judge them on the page of `lattice-simp judge serve study.yaml` or in the table of `lattice-simp judge
sheet`, write the answers with `lattice-simp judge export study.yaml --output answers.csv`, and then

    python -m experiments.paraphrase.judging answers.csv key.tsv

puts them into `judged.tsv`, which has no sentences, in the place of earlier ones of the same conditions. The
instructions are those of `STUDY`.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from experiments.files import write_lines, write_records
from experiments.paraphrase import curve
from experiments.paraphrase.curve import CURVE, FILTERED, SLACK, Condition, read_model
from experiments.paraphrase.expanding import CODE, Config, read_sets, thesaurus, unread
from experiments.report import percentage, rows_by
from lattice_simp import LanguageModel, LatticeSimpError, Paraphraser, Tree, sample
from lattice_simp.errors import FormatError
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.tables import read_table
from lattice_simp.support.textio import read_lines, write_text

SENTENCES, BESIDE, STUDY_FILE, KEY, JUDGED = "sentences.jsonl", "beside.txt", "study.yaml", "key.tsv", "judged.tsv"

ORIGINAL = "original"
"""The condition of the control: sentences of the sets themselves."""

QUESTIONS = ("grammar", "meaning")

RIGHT, FORGIVEN, WRONG = "right", "as above", "wrong"
"""The answers to both questions."""

KEY_COLUMNS = ("id", "seed", "condition", "collection", "set", "sentence")
JUDGED_COLUMNS = (*KEY_COLUMNS[1:], *QUESTIONS)

STUDY = {
    "title": "Paraphrases",
    "instructions": """Some sentences were written by people, others were made of parts of the sentences above them. \
Judge each as you would judge a sentence that somebody shows to a foreign learner. Be strict: in doubt, it is wrong. \
Spaces between tokens, quotation marks and the spelling of one variety of English are no faults.

Grammar is right if a careful writer would print the sentence as it is: forms, articles, prepositions, word order, \
capitals and punctuation included; nothing is doubled, and nothing that must be there is missing.

The meaning is right if somebody who reads this sentence instead of those above learns the same. It is wrong if it is \
nonsense, says something that they do not say, or lacks something that most of them say.

Choose "as above" if there are faults, but some sentence above has all of them at the same words: the fault of grammar \
itself, or the detail that the others contradict or lack.""",
    "labels": {"source": "Others of the set", "output": "Sentence"},
    "source": BESIDE,
    "systems": {"all": SENTENCES},
    "questions": {
        name: {"kind": "choice", "ask": ask, "options": [RIGHT, FORGIVEN, WRONG]}
        for name, ask in zip(QUESTIONS, ("Is it correct English?", "Does it say the same?"), strict=True)
    },
}
"""The study without its seed."""

_TRIES = 200
"""The number of tries to draw a new and sufficiently probable sentence from a set."""


@dataclass(frozen=True)
class Drawn:
    """A sentence of the sample: its condition, collection, set (a line, from 0), itself, and others of its set."""

    condition: str
    collection: str
    set: int
    sentence: str
    beside: tuple[str, ...]

    @property
    def name(self) -> str:
        """A name that does not reveal the sentence."""
        return blake2b(self.sentence.encode(), digest_size=6).hexdigest()


Draw = Callable[[list[Tree], np.random.Generator], tuple[str, tuple[str, ...]] | None]
"""A function that draws a sentence of a set, and those to show beside it; None if there is none."""


def sample_stage(config: Config) -> Stage:
    """Returns the stage that draws the sample and writes the study."""
    settings = config["sample"]
    needs = ["model", *map(unread, settings["sets"])]
    code = [*CODE, *(Path(str(module)) for module in (__file__, curve.__file__))]
    return Stage("sample", needs, [settings, config["senses"]], code, partial(_draw, config))


def _draw(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    sampling = config["sample"]
    model, words = read_model(run.folders["model"]), thesaurus(config)
    sets = {
        name: _unread_sets(run.folders[unread(name)], part["from"], part.get("without", ()))
        for name, part in sampling["sets"].items()
    }
    draws: dict[str, Draw] = {
        name: partial(new_sentence, condition, Paraphraser(condition.settings, words), model, sampling["beside"])
        for name, condition in CURVE.items()
        if name in sampling["conditions"]
    }
    draws[ORIGINAL] = partial(original_sentence, Paraphraser(CURVE[FILTERED].settings, words), sampling["beside"])
    generator = np.random.default_rng(sampling["seed"])
    drawn = [
        entry
        for name, draw in draws.items()
        for entry in islice(_sampled(name, sets, draw, generator), sampling["sentences"])
    ]
    order = generator.permutation(len(drawn)).tolist()
    write_study(folder, [drawn[number] for number in order], sampling["seed"])
    return {"drawn": len(drawn)}


def _unread_sets(folder: Path, first: int, without: Sequence[int]) -> dict[int, list[Tree]]:
    """Returns the sets of a folder by their lines, without some lines."""
    return {line: trees for line, trees in enumerate(read_sets(folder), start=first) if line not in without}


def _sampled(
    condition: str, sets: Mapping[str, Mapping[int, list[Tree]]], draw: Draw, generator: np.random.Generator
) -> Iterator[Drawn]:
    """Yields a sentence of a random set of each collection in turn, until no set is left; each set gives one."""
    orders = {name: iter(generator.permutation(list(parsed)).tolist()) for name, parsed in sets.items()}
    while orders:
        for name in list(orders):
            entries = ((number, draw(sets[name][number], generator)) for number in orders[name])
            number, entry = next(((number, entry) for number, entry in entries if entry), (-1, None))
            if entry is None:
                del orders[name]
            else:
                yield Drawn(condition, name, number, *entry)


def new_sentence(
    condition: Condition,
    paraphraser: Paraphraser,
    model: LanguageModel,
    beside: int,
    trees: list[Tree],
    generator: np.random.Generator,
) -> tuple[str, tuple[str, ...]] | None:
    """Draws a new sentence uniformly from those that meet a condition; returns it and the most similar originals."""
    try:
        expansion, lattice = condition.lattice(paraphraser, trees, model)
    except LatticeSimpError:
        return None
    if expansion.new <= 0:
        return None
    for path in sample(lattice, _TRIES, seed=generator, uniform=True):
        if path.tokens not in expansion.sentences and path.cost <= SLACK:
            return path.text, most_similar(path.tokens, expansion.sentences, beside)
    return None


def original_sentence(
    paraphraser: Paraphraser, beside: int, trees: list[Tree], generator: np.random.Generator
) -> tuple[str, tuple[str, ...]] | None:
    """Draws a sentence of a set; returns it and the most similar others, or None if there are no others."""
    sentences = list(dict.fromkeys(paraphraser.expand_trees(trees).sentences))
    tokens = sentences.pop(int(generator.integers(len(sentences))))
    return (" ".join(tokens), most_similar(tokens, sentences, beside)) if sentences else None


def most_similar(tokens: Sequence[str], sentences: Iterable[Sequence[str]], count: int) -> tuple[str, ...]:
    """Returns the sentences with the most words in common with another one.

    >>> most_similar("a b".split(), ["c d".split(), "a b c".split(), "a d".split()], 2)
    ('a b c', 'a d')
    """
    words = set(tokens)

    def common(sentence: Sequence[str]) -> float:
        return len(words & set(sentence)) / len(words | set(sentence))

    ranked = sorted(dict.fromkeys(map(tuple, sentences)), key=common, reverse=True)
    return tuple(" ".join(sentence) for sentence in ranked[:count])


def write_study(folder: Path, drawn: Sequence[Drawn], seed: int) -> None:
    """Writes the study, its texts, and the key."""
    numbered = list(enumerate(drawn, start=1))
    write_records(folder / SENTENCES, ({"id": str(number), "text": entry.sentence} for number, entry in numbered))
    write_lines(folder / BESIDE, (" / ".join(entry.beside) for entry in drawn))
    rows = [(number, seed, entry.condition, entry.collection, entry.set, entry.name) for number, entry in numbered]
    write_lines(folder / KEY, ("\t".join(map(str, row)) for row in [KEY_COLUMNS, *rows]))
    write_text(folder / STUDY_FILE, json.dumps({**STUDY, "seed": seed}, indent=2, ensure_ascii=False) + "\n")


def read_answers(answers: Path, key: Path) -> list[tuple[str, ...]]:
    """Returns the rows of `judged.tsv`: the key of each sentence, and the answers."""
    answer_of: dict[tuple[str, str], str] = {}
    for row in csv.DictReader(read_lines(answers)):
        answer_of[row["item"], row["question"]] = row["answer"]
    rows = []
    for entry in read_table(key, KEY_COLUMNS, full=True):
        name = entry["id"]
        if not all((name, question) in answer_of for question in QUESTIONS):
            raise FormatError(f"sentence {name} has no answers", path=answers, remedy="judge all sentences")
        rows.append((*(entry[column] for column in KEY_COLUMNS[1:]), *(answer_of[name, each] for each in QUESTIONS)))
    return rows


def shares(rows: Iterable[Mapping[str, str]]) -> dict[str, Any]:
    """Returns the percentages of each condition with Wilson's intervals.

    `grammar`, `meaning` and `right`, both, are strict. `forgiven` ignores faults that a sentence of the set has, too.

    >>> rows = [{"seed": "1", "condition": "filtered", "collection": "asset", "grammar": "right", "meaning": answer}
    ...         for answer in ("right", "as above", "wrong", "right")]
    >>> table = shares(rows)["filtered"]
    >>> table["right"], table["forgiven"]["value"]
    ({'value': 50.0, 'low': 15.0, 'high': 85.0}, 75.0)
    """
    table: dict[str, Any] = {}
    for condition, judged in rows_by(rows, "condition").items():
        table[condition] = {
            "sentences": len(judged),
            "seed": int(judged[0]["seed"]),
            **{name: percentage(row[name] == RIGHT for row in judged) for name in QUESTIONS},
            "right": percentage(_is_right(row, (RIGHT,)) for row in judged),
            "forgiven": percentage(_is_right(row, (RIGHT, FORGIVEN)) for row in judged),
            "collections": {name: _counts(part) for name, part in sorted(rows_by(judged, "collection").items())},
        }
    return table


def _is_right(row: Mapping[str, str], accepted: Sequence[str]) -> bool:
    return all(row[name] in accepted for name in QUESTIONS)


def _counts(judged: Sequence[Mapping[str, str]]) -> dict[str, int]:
    return {
        "sentences": len(judged),
        "right": sum(_is_right(row, (RIGHT,)) for row in judged),
        "forgiven": sum(_is_right(row, (RIGHT, FORGIVEN)) for row in judged),
    }


def read_judged() -> list[dict[str, str]]:
    """Returns the rows of `judged.tsv`; none if nobody has judged."""
    path = Path(__file__).with_name(JUDGED)
    if not path.exists():
        return []
    return [{column: row[column] for column in JUDGED_COLUMNS} for row in read_table(path, JUDGED_COLUMNS, full=True)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Puts the exported answers into `judged.tsv`, with the key."""
    parser = argparse.ArgumentParser(prog="python -m experiments.paraphrase.judging")
    parser.add_argument("answers", type=Path, help="answers.csv of `lattice-simp judge export`")
    parser.add_argument("key", type=Path, help="key.tsv of the stage of the sample")
    options = parser.parse_args(arguments)
    rows = [dict(zip(JUDGED_COLUMNS, row, strict=True)) for row in read_answers(options.answers, options.key)]
    conditions = {row["condition"] for row in rows}
    rows += [row for row in read_judged() if row["condition"] not in conditions]
    lines = sorted("\t".join(row[column] for column in JUDGED_COLUMNS) for row in rows)
    write_lines(Path(__file__).with_name(JUDGED), ["\t".join(JUDGED_COLUMNS), *lines])


if __name__ == "__main__":
    main()
