"""Do expanded references judge better? Three of four references expand, the fourth judges.

Outputs of real systems (Hindi to English) are scored against three references, and against these and one more: the
closest path of a lattice. It is a better metric if its scores agree more with what the fourth reference says, which it
has not seen. Each reference is the judge once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from experiments.paraphrase.data import CODE, Config, read_sets, thesaurus
from lattice_simp import Hypothesis, Lattice, Paraphraser, ParaphraseSettings, Tree, recombine
from lattice_simp.core.kernel import Floats
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.evaluate import Metric, bleu_tok, chrf, closest_references, meteor
from lattice_simp.ops.utilities import wer
from lattice_simp.pipeline.stage import RECORD, Run, Stage, write_json
from lattice_simp.skeleton.automatic.spacy_parser import tokenise
from lattice_simp.support.textio import read_lines
from lattice_simp.train.config import read_config
from lattice_simp.train.text.tokeniser import tokenisers

ROWS = "correlations.json"

GIVEN, RECOMBINED, EXPANDED = "given", "given + recombined", "given + expanded"
"""The references of a metric: three; one more, the closest recombination of their words; of their phrases."""

CONDITIONS = (GIVEN, RECOMBINED, EXPANDED)

EDITS = "edits"
"""What the judge says: minus the word edits to the fourth reference for each of its words."""

Outputs: TypeAlias = Mapping[str, Sequence[str]]
"""Of each system, lines of tokens."""


@dataclass(frozen=True)
class Scores:
    """The scores of systems.

    Attributes:
        sentences: (systems, sentences).
        systems: (systems,), on all sentences.
    """

    sentences: Floats
    systems: Floats


def references_stage(config: Config, name: str, translations: Path) -> Stage:
    """Returns the stage that finds the correlations on a collection of four references.

    Args:
        translations: the work folder of the experiment that translated the collection's source.
    """
    files = [path / "output.txt" for path in system_folders(translations).values()]
    work = partial(_correlate, config, f"parse {name}", translations)
    return Stage("references", (f"parse {name}",), [config["senses"], name], [*CODE, *files], work)


def system_folders(work: Path) -> dict[str, Path]:
    """Returns the folders with the outputs of the systems from Hindi to English.

    Raises:
        LatticeSimpError: there are not two of them.
    """
    found = {
        path.parent.name.removeprefix("translated-").partition(".")[0]: path.parent
        for path in sorted(work.glob(f"translated-*/{RECORD}"), key=lambda path: path.stat().st_mtime)
        if not path.parent.name.endswith(".partial")
    }
    if len(found) < 2:
        raise LatticeSimpError(f"{work}: there are no outputs of two systems; make them with: make hindi-english")
    return found


def _correlate(config: Config, parsed: str, translations: Path, run: Run, folder: Path) -> dict[str, Any]:
    text = tokenisers(read_config(translations / "config.yaml", []).text)[1].text
    outputs = {
        name: [" ".join(tokenise(text(line))).lower() for line in read_lines(path / "output.txt")]
        for name, path in system_folders(translations).items()
    }
    sets = list(read_sets(run.folders[parsed]))
    paraphraser = Paraphraser(ParaphraseSettings(), thesaurus(config))

    def expand(trees: Sequence[Tree]) -> Lattice:
        return paraphraser.expand_trees(trees).lattice

    rows = correlations(outputs, sets, expand, run)
    write_json(folder / ROWS, rows)
    return {"failed": rows["failed"], "sentences": rows["sentences"]}


def correlations(
    outputs: Outputs, sets: Sequence[Sequence[Tree]], expand: Callable[[Sequence[Tree]], Lattice], run: Run
) -> dict[str, Any]:
    """Returns how well metrics with three references agree with the fourth, by condition, metric and judge.

    Args:
        outputs: of each system, for each set; lower-case tokens.
        sets: the references' trees; sets of other sizes than the largest are left out.
        expand: returns the lattice of what the phrases of some trees make.
    """
    most = max(map(len, sets))
    kept = [number for number, own in enumerate(sets) if len(own) == most]
    outputs = {name: [lines[number] for number in kept] for name, lines in outputs.items()}
    texts = [[" ".join(tree.tokens).lower() for tree in sets[number]] for number in kept]
    lattices = _Lattices([sets[number] for number in kept], expand)
    metrics = (bleu_tok, partial(chrf, lowercase=True), partial(meteor, "en"))
    found: dict[tuple[str, str, str], list[dict[str, float]]] = {}
    for judge in run.each(range(most)):
        fourth = [own[judge] for own in texts]
        given = [[own[number] for own in texts] for number in range(most) if number != judge]
        own_references = {
            GIVEN: None,
            RECOMBINED: closest_references(lattices.recombined(judge), outputs, given[0]),
            EXPANDED: closest_references(lattices.expanded(judge), outputs, given[0]),
        }
        said = {EDITS: edit_scores(outputs, fourth)}
        for make in metrics:
            own = make(references=1)
            said[own.name] = metric_scores(own, outputs, [fourth])
        for condition, extra in own_references.items():
            for make in metrics:
                metric = make(references=len(given) + (extra is not None))
                scores = metric_scores(metric, outputs, given, extra)
                for truth in (metric.name, EDITS):
                    row = agreement(scores, said[truth])
                    found.setdefault((condition, metric.name, truth), []).append(row)
    means = [
        {"references": condition, "metric": metric, "judge": truth, **_mean(rows), "by_judge": rows}
        for (condition, metric, truth), rows in found.items()
    ]
    return {"sentences": len(kept), "systems": list(outputs), "failed": lattices.failed, "rows": means}


class _Lattices:
    """The lattices of all references but one.

    Attributes:
        failed: how many expansions are too large; there, the closest of the given references counts twice.
    """

    def __init__(self, sets: Sequence[Sequence[Tree]], expand: Callable[[Sequence[Tree]], Lattice]) -> None:
        self._sets, self._expand, self.failed = sets, expand, 0

    def recombined(self, judge: int) -> Iterator[Lattice]:
        for trees in self._given(judge):
            yield recombine(Hypothesis(tuple(token.lower() for token in tree.tokens)) for tree in trees)

    def expanded(self, judge: int) -> Iterator[Lattice]:
        for trees in self._given(judge):
            try:
                yield lowered(self._expand(trees))
            except LatticeSimpError:
                self.failed += 1
                yield Lattice.from_strings((" ".join(tree.tokens).lower(), 0.0) for tree in trees)

    def _given(self, judge: int) -> Iterator[list[Tree]]:
        return ([tree for number, tree in enumerate(own) if number != judge] for own in self._sets)


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
    metric: Metric, outputs: Outputs, references: Sequence[Sequence[str]], own: Outputs | None = None
) -> Scores:
    """Returns a metric's scores; all systems' lines are counted at once.

    Args:
        references: of all systems.
        own: of each system, one more.
    """
    count = len(outputs)
    hypotheses = [line for lines in outputs.values() for line in lines]
    columns = [list(lines) * count for lines in references]
    if own is not None:
        columns.append([line for name in outputs for line in own[name]])
    rows = metric.rows(hypotheses, columns).reshape(count, len(references[0]), -1)
    return Scores(np.asarray(metric.score(rows)), np.asarray(metric.score(rows.sum(axis=1))))


def edit_scores(outputs: Outputs, reference: Sequence[str]) -> Scores:
    """Returns minus the word edits for each word of a reference."""
    one = np.array([1], dtype=np.int32)
    edits = np.array(
        [
            [
                float(wer([tuple(line.split()), tuple(own.split())])(0, one)[0])
                for line, own in zip(lines, reference, strict=True)
            ]
            for lines in outputs.values()
        ]
    )
    lengths = np.array([max(len(line.split()), 1) for line in reference])
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
            np.mean([pearson(*own) for own in zip(scores.sentences, truth.sentences, strict=True)])
        ),
        "sentences_kendall": float(
            np.mean([kendall(*own) for own in zip(scores.sentences, truth.sentences, strict=True)])
        ),
        "pairs": paired_tau(scores.sentences, truth.sentences),
        "systems_pearson": pearson(scores.systems, truth.systems),
    }


def pearson(one: Floats, other: Floats) -> float:
    """Returns Pearson's correlation, 0 where one side does not vary.

    >>> pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])).__round__(6)
    1.0
    """
    if not (np.ptp(one) and np.ptp(other)):
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])


def kendall(one: Floats, other: Floats) -> float:
    """Returns Kendall's tau-b, 0 where one side does not vary.

    >>> kendall(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])).__round__(4)
    0.3333
    """
    first, second = (np.sign(values[:, None] - values[None, :]) for values in (one, other))
    below = np.sqrt(np.abs(first).sum() * np.abs(second).sum())
    return float((first * second).sum() / below) if below else 0.0


def paired_tau(scores: Floats, truth: Floats) -> float:
    """Returns Kendall's tau over the pairs of systems on each sentence: those in order less those that are not.

    >>> paired_tau(np.array([[1.0, 2.0], [2.0, 2.0], [3.0, 1.0]]), np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 2.0]]))
    0.2

    Args:
        scores, truth: (systems, sentences). Pairs that the truth scores alike do not count.
    """
    first, second = (np.sign(values[:, None] - values[None, :]) for values in (scores, truth))
    pairs = np.abs(second).sum()
    return float((first * second).sum() / pairs) if pairs else 0.0


def _mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: round(float(np.mean([row[name] for row in rows])), 4) for name in rows[0]}


# ---------------------------------------------------------------- the page


def read_correlations(folder: Path) -> dict[str, Any]:
    """Returns what the stage wrote."""
    found: dict[str, Any] = json.loads((folder / ROWS).read_text(encoding="utf-8"))
    return found


_ABOUT = """The outputs of systems from Hindi ({systems}; `make hindi-english`) for {sentences:,} sentences with four
references each: three are given, the fourth judges, each in turn. *Recombined* adds to the three, for each output, the
closest path of their recombination at common words, *expanded* that of what their phrases make. *Sentences*: the
correlation over a system's sentences; *pairs*: Kendall's tau over the pairs of systems on a sentence; *systems*: over
the systems' scores, of which there are too few, and too alike, to say much. The judge is the same metric with the fourth
reference alone, or the word edits to it. {failed} of {expansions:,} expansions were too large."""


def _counts(found: Mapping[str, Any]) -> dict[str, int]:
    return {name: found[name] for name in ("sentences", "failed")}


def references_parts(found: Mapping[str, Any]) -> list[str]:
    """Returns the paragraphs and the table of the page."""
    expansions = found["sentences"] * len(found["rows"][0]["by_judge"])
    about = _ABOUT.format(systems=", ".join(found["systems"]), expansions=expansions, **_counts(found))
    lines = [
        "| references | metric | judge | sentences, Pearson | sentences, Kendall | pairs | systems |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    for row in sorted(found["rows"], key=lambda one: (one["metric"], one["judge"])):
        names = ("sentences_pearson", "sentences_kendall", "pairs", "systems_pearson")
        cells = " | ".join(f"{row[name]:.3f}" for name in names)
        lines.append(f"| {row['references']} | {row['metric']} | {row['judge']} | {cells} |")
    return ["## Expanded references", about, "\n".join(lines)]
