"""Tests whether expanded references judge better: some of four references are expanded, and another one judges.

Outputs are scored against the known references, and against these with one more: the closest path of a lattice. A
metric is better if its scores agree more with those of a reference that it does not know. There are two kinds of
outputs: those of real systems (Hindi to English), with three known references; and one of the references itself, intact
and damaged, with two known ones. The latter differ like right translations, and by known damage, but such errors are
artificial.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from experiments.files import finished_stages
from experiments.paraphrase.expanding import CODE, Config, read_sets, thesaurus
from experiments.report import plain_table
from lattice_simp import Hypothesis, Lattice, Paraphraser, ParaphraseSettings, Tree, recombine
from lattice_simp.core.kernel import Floats
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics import Metric, bleu_tok, chrf, closest_references
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.scores.edits import edit_distances
from lattice_simp.support.textio import read_lines
from lattice_simp.text.english.spacy_parser import tokenise
from lattice_simp.text.tokeniser import tokenisers
from lattice_simp.train.config import read_config

ROWS = "correlations.json"

GIVEN, RECOMBINED, EXPANDED = "given", "given + recombined", "given + expanded"
"""The references of a metric: three; one more, the closest recombination of their words; of their phrases."""

CONDITIONS = (GIVEN, RECOMBINED, EXPANDED)

HUMAN, SYSTEMS = "human", "systems"
"""The kinds of outputs."""

OUTPUT = "output.txt"

DAMAGES = (0.0, 0.1, 0.3)
"""The shares of a reference's words to damage for artificial systems."""

METRICS = (bleu_tok, partial(chrf, lowercase=True))

EDITS = "edits"
"""A judge: minus the word edits to its reference for each of its words."""

Outputs: TypeAlias = Mapping[str, Sequence[str]]
"""The lines of tokens of each system."""


@dataclass(frozen=True)
class Scores:
    """The scores of systems: (systems, sentences), and (systems,) on all sentences."""

    sentences: Floats
    systems: Floats


@dataclass(frozen=True)
class Case:
    """The outputs of systems, as lower-case tokens, the numbers of the metric's references, and that of the judge."""

    outputs: Outputs
    known: tuple[int, ...]
    judge: int


def references_stage(config: Config) -> Stage:
    """Returns the stage that computes the correlations; systems are left out if their experiment has not run."""
    settings = config["references"]
    parsed = f"parse {settings['collection']}"
    files = [path / OUTPUT for path in system_folders(Path(settings["translations"])).values()]
    work = partial(_correlate, config, parsed)
    return Stage("references", (parsed,), [config["senses"], settings], [*CODE, *files], work)


def system_folders(work: Path) -> dict[str, Path]:
    """Returns the folders with the outputs of the systems from Hindi to English; none if there are fewer than two."""
    finished = finished_stages(work, "translated-*")
    folders = {path.name.removeprefix("translated-").partition(".")[0]: path for path in finished}
    return folders if len(folders) > 1 else {}


def _correlate(config: Config, parsed: str, run: Run, folder: Path) -> dict[str, Any]:
    settings = config["references"]
    every = list(read_sets(run.folders[parsed]))[: settings["sets"]]
    most = max(map(len, every))
    kept = [number for number, references in enumerate(every) if len(references) == most]
    sets = [every[number] for number in kept]
    paraphraser = Paraphraser(ParaphraseSettings(), thesaurus(config))

    def expand(trees: Sequence[Tree]) -> Lattice:
        return paraphraser.expand_trees(trees).lattice

    kinds = {HUMAN: human_cases(texts_of(sets), settings["seed"])}
    outputs = _read_outputs(Path(settings["translations"]), kept)
    if outputs:
        kinds[SYSTEMS] = [Case(outputs, numbers, judge) for numbers, judge in _rotations(range(most), most - 1)]
    results = {kind: correlations(cases, sets, expand, run) for kind, cases in kinds.items()}
    write_json(folder / ROWS, results)
    return {"sentences": len(sets), "kinds": list(results)}


def _read_outputs(translations: Path, kept: Sequence[int]) -> dict[str, list[str]]:
    folders = system_folders(translations)
    if not folders:
        return {}
    text = tokenisers(read_config(translations / "config.yaml", []).text)[1].text
    lines = {name: list(read_lines(path / OUTPUT)) for name, path in folders.items()}
    return {name: [" ".join(tokenise(text(texts[number]))).lower() for number in kept] for name, texts in lines.items()}


def human_cases(texts: Sequence[Sequence[str]], seed: int) -> list[Case]:
    """Returns the cases in which one reference is the output, another one judges, and the others are given."""
    cases = []
    for human in range(len(texts[0])):
        lines = [references[human] for references in texts]
        outputs = {f"{share:.0%} damaged": damaged(lines, share, seed) for share in DAMAGES}
        others = [number for number in range(len(texts[0])) if number != human]
        cases += [Case(outputs, numbers, judge) for numbers, judge in _rotations(others, len(others) - 1)]
    return cases


def damaged(lines: Sequence[str], share: float, seed: int) -> list[str]:
    """Returns lines with a share of the words dropped or swapped with the next word, equally often.

    >>> damaged(["a b c d e f g h"], 0.0, 1), damaged(["a b c d e f g h"], 0.5, 1)
    (['a b c d e f g h'], ['a b d g f'])
    """
    rng = np.random.default_rng(seed)
    results = []
    for line in lines:
        words = line.split()
        for place in np.flatnonzero(rng.random(len(words)) < share)[::-1].tolist():
            word = words.pop(place)
            if rng.random() < 0.5:
                words.insert(place + 1, word)
        results.append(" ".join(words))
    return results


def texts_of(sets: Sequence[Sequence[Tree]]) -> list[list[str]]:
    """Returns the references of each set; lower-case tokens."""
    return [[" ".join(tree.tokens).lower() for tree in trees] for trees in sets]


def _rotations(numbers: Sequence[int], count: int) -> list[tuple[tuple[int, ...], int]]:
    """Returns the known references and the judge of each rotation; each reference is the judge once."""
    return [(chosen, judge) for judge in numbers for chosen in combinations((n for n in numbers if n != judge), count)]


def correlations(
    cases: Sequence[Case], sets: Sequence[Sequence[Tree]], expand: Callable[[Sequence[Tree]], Lattice], run: Run
) -> dict[str, Any]:
    """Returns how well metrics with the known references of each case agree with its judge, in the mean of cases."""
    texts = texts_of(sets)
    lattices = _Lattices(sets, expand)
    agreements: dict[tuple[str, str, str], list[dict[str, float]]] = {}
    for case in run.each(cases):
        judge = [references[case.judge] for references in texts]
        known_references = [[references[number] for references in texts] for number in case.known]
        extra_references = {
            GIVEN: None,
            RECOMBINED: closest_references(lattices.recombined(case.known), case.outputs, known_references[0]),
            EXPANDED: closest_references(lattices.expanded(case.known), case.outputs, known_references[0]),
        }
        judged = {EDITS: edit_scores(case.outputs, judge)}
        for make in METRICS:
            metric = make(num_references=1)
            judged[metric.name] = metric_scores(metric, case.outputs, [judge])
        for condition, extra in extra_references.items():
            for make in METRICS:
                metric = make(num_references=len(known_references) + (extra is not None))
                scores = metric_scores(metric, case.outputs, known_references, extra)
                for truth in (metric.name, EDITS):
                    agreements.setdefault((condition, metric.name, truth), []).append(agreement(scores, judged[truth]))
    means = [
        {
            "references": condition,
            "metric": metric,
            "judge": truth,
            **_mean(rows),
            "better": _better(rows, agreements[GIVEN, metric, truth]),
            "by_case": rows,
        }
        for (condition, metric, truth), rows in agreements.items()
    ]
    counts = {"sentences": len(sets), "cases": len(cases), "given": len(cases[0].known), "failed": lattices.failed}
    return {**counts, "systems": list(cases[0].outputs), "rows": means}


class _Lattices:
    """The lattices of some references of each set; `failed` counts too large ones, which the references replace."""

    def __init__(self, sets: Sequence[Sequence[Tree]], expand: Callable[[Sequence[Tree]], Lattice]) -> None:
        self._sets, self._expand, self.failed = sets, expand, 0

    def recombined(self, numbers: tuple[int, ...]) -> Iterator[Lattice]:
        for trees in self._chosen(numbers):
            yield recombine(Hypothesis(tuple(token.lower() for token in tree.tokens)) for tree in trees)

    def expanded(self, numbers: tuple[int, ...]) -> Iterator[Lattice]:
        for trees in self._chosen(numbers):
            try:
                yield lowered(self._expand(trees))
            except LatticeSimpError:
                self.failed += 1
                yield Lattice.from_strings((" ".join(tree.tokens).lower(), 0.0) for tree in trees)

    def _chosen(self, numbers: tuple[int, ...]) -> Iterator[list[Tree]]:
        return ([trees[number] for number in numbers] for trees in self._sets)


def lowered(lattice: Lattice) -> Lattice:
    """Returns an acceptor with its words in lower case.

    >>> from lattice_simp import nbest
    >>> [path.text for path in nbest(lowered(Lattice.from_strings([("The Cat", 0.0)])), 1)]
    ['the cat']
    """
    table = SymbolTable()
    labels = np.array([0, *(table.add(word.lower()) for word in list(lattice.symbols)[1:])], dtype=np.int32)
    olabels = labels[lattice.olabels]
    return replace(lattice, ilabels=olabels, olabels=olabels, symbols=table)


# ---------------------------------------------------------------- scores


def metric_scores(
    metric: Metric, outputs: Outputs, references: Sequence[Sequence[str]], extra: Outputs | None = None
) -> Scores:
    """Returns a metric's scores, all systems at once; `extra` is one more reference for each system."""
    count = len(outputs)
    hypotheses = [line for lines in outputs.values() for line in lines]
    columns = [list(lines) * count for lines in references]
    if extra is not None:
        columns.append([line for name in outputs for line in extra[name]])
    rows = metric.rows(hypotheses, columns).reshape(count, len(references[0]), -1)
    return Scores(np.asarray(metric.score(rows)), np.asarray(metric.score(rows.sum(axis=1))))


def edit_scores(outputs: Outputs, reference: Sequence[str]) -> Scores:
    """Returns minus the word edits for each word of a reference."""
    tokens = [line.split() for line in reference]
    edits = 0.0 - np.array(
        [
            [edit_distances(line.split(), [near])[0] for line, near in zip(lines, tokens, strict=True)]
            for lines in outputs.values()
        ]
    )
    lengths = np.array([max(len(near), 1) for near in tokens])
    return Scores(edits / lengths, edits.sum(axis=1) / lengths.sum())


# ---------------------------------------------------------------- correlations


def agreement(scores: Scores, truth: Scores) -> dict[str, float]:
    """Returns the correlations of scores with those of a judge.

    `sentences` (Pearson and Kendall) are those of each system's sentences, in the mean of systems; `pairs` is Kendall's
    tau of the systems on each sentence, over all pairs that the judge does not score alike; `systems` is Pearson's of
    the systems on all sentences.
    """
    return {
        "sentences_pearson": float(
            np.mean([pearson(*pair) for pair in zip(scores.sentences, truth.sentences, strict=True)])
        ),
        "sentences_kendall": float(
            np.mean([kendall(*pair) for pair in zip(scores.sentences, truth.sentences, strict=True)])
        ),
        "pairs": paired_tau(scores.sentences, truth.sentences),
        "systems_pearson": pearson(scores.systems, truth.systems),
    }


def pearson(first: Floats, second: Floats) -> float:
    """Returns Pearson's correlation; 0 if one side does not vary.

    >>> pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])).__round__(6)
    1.0
    """
    if not (np.ptp(first) and np.ptp(second)):
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def kendall(scores: Floats, other: Floats) -> float:
    """Returns Kendall's tau-b; 0 if one side does not vary.

    >>> kendall(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])).__round__(4)
    0.3333
    """
    first, second = (np.sign(values[:, None] - values[None, :]) for values in (scores, other))
    below = np.sqrt(np.abs(first).sum() * np.abs(second).sum())
    return float((first * second).sum() / below) if below else 0.0


def paired_tau(scores: Floats, truth: Floats) -> float:
    """Returns Kendall's tau over the pairs of systems on each sentence, except for pairs that the truth scores alike.

    >>> paired_tau(np.array([[1.0, 2.0], [2.0, 2.0], [3.0, 1.0]]), np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 2.0]]))
    0.2
    """
    first, second = (np.sign(values[:, None] - values[None, :]) for values in (scores, truth))
    pairs = np.abs(second).sum()
    return float((first * second).sum() / pairs) if pairs else 0.0


def _mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: round(float(np.mean([row[name] for row in rows])), 4) for name in rows[0]}


def _better(rows: Sequence[Mapping[str, float]], baseline: Sequence[Mapping[str, float]]) -> int:
    """Returns the number of cases in which the sentences' correlation exceeds that with the known references alone."""
    return sum(row["sentences_pearson"] > other["sentences_pearson"] for row, other in zip(rows, baseline, strict=True))


# ---------------------------------------------------------------- the page


def read_correlations(folder: Path) -> dict[str, Any]:
    """Returns the figures of the stage."""
    return read_json(folder / ROWS)


_ABOUT = """Outputs are scored against some of the four English references of a Hindi sentence, and against these and
one more. *Recombined* adds, for each output, the closest path of the references' recombination at common words.
*Expanded* adds the closest sentence that their phrases make. Another reference, which none of them uses, judges: by
the same metric against it alone, or by word edits to it.

*Sentences* is the correlation over a system's sentences, *pairs* Kendall's tau over the pairs of systems on a
sentence, and *systems* the correlation over the systems' scores, which are too few to be conclusive. *Better* counts
the cases in which Pearson's correlation exceeds that with the given references alone. All figures are means of {cases}
cases, one for each choice of the given references and of the judge."""

_KINDS = {
    HUMAN: "One reference is the output, unchanged and with shares of its words dropped or moved ({systems}); {given} "
    "are given, and another one judges ({sentences:,} sentences). {failed:,} expansions were too large. By word edits, "
    "the damaged outputs are nearer to a translation in other words, because they are shorter: edits cannot judge "
    "systems here.",
    SYSTEMS: "The outputs of systems ({systems}; `make hindi-english`); {given} references are given, and the fourth "
    "judges ({sentences:,} sentences). {failed:,} expansions were too large.",
}


def references_parts(kinds: Mapping[str, Any]) -> list[str]:
    """Returns the paragraphs and the tables of the page."""
    cases = " and ".join(f"{results['cases']}" for results in kinds.values())
    parts = ["## Expanded references", _ABOUT.format(cases=cases)]
    for kind, results in kinds.items():
        parts += [_KINDS[kind].format(**{**results, "systems": ", ".join(results["systems"])}), _table(results["rows"])]
    return parts


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    correlations = ("sentences, Pearson", "better", "sentences, Kendall", "pairs", "systems")
    cells = []
    for row in sorted(rows, key=lambda row: (row["metric"], row["judge"])):
        better = "" if row["references"] == GIVEN else f"{row['better']} of {len(row['by_case'])}"
        others = (f"{row[name]:.3f}" for name in ("sentences_kendall", "pairs", "systems_pearson"))
        names = (row["references"], row["metric"], row["judge"])
        cells.append((*names, f"{row['sentences_pearson']:.3f}", better, *others))
    return plain_table(("references", "metric", "judge", *correlations), cells, words=3)
