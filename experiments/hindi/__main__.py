"""`python -m experiments.hindi`: trains clause models on the treebank, compares them with rules on held-out files."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from experiments.hindi.report import Results, figures, page
from experiments.hindi.systems import BEST, TRAINED, Find, model, systems
from lattice_simp.errors import FormatError
from lattice_simp.formats.textio import read_lines
from lattice_simp.hindi.clauses.examples import Example, marked_examples, tree_examples
from lattice_simp.hindi.clauses.scoring import evaluate
from lattice_simp.hindi.formats.treebank import read_treebank
from lattice_simp.hindi.from_tree import clauses_of_tree
from lattice_simp.hindi.sentence import Sentence
from lattice_simp.hindi.text import Analyser

FOLDER = Path(__file__).parent

TREEBANK, HELD_OUT, MARKED = "hindi/treebank/hdtb-ssf.tar.xz", "hindi/treebank/dev-files.txt", "hindi/clauses-dev.tsv"

SPEED_SENTENCES = 1000
"""How many sentences the time is taken for."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the experiment; models that are in the work folder already are not trained again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--work", type=Path, default=Path("build/hindi-clauses"))
    parser.add_argument("--command", default="python -m experiments.hindi", help="stands in the results")
    given = parser.parse_args(arguments)
    if not (given.data / TREEBANK).is_file():
        print(f"the experiment needs the treebank, and {given.data / TREEBANK} is not there", file=sys.stderr)
        return 2
    given.work.mkdir(parents=True, exist_ok=True)
    held_out = {line.strip() for line in read_lines(given.data / HELD_OUT)}
    problems: list[FormatError] = []
    named = list(read_treebank(given.data / TREEBANK, problems))
    training = [sentence for name, sentence in named if name not in held_out]
    print(f"{len(training)} sentences to train on; {len(problems)} cannot be read", file=sys.stderr)
    sets = {
        "hand": list(marked_examples(given.data / TREEBANK, given.data / MARKED, [])),
        "derived": list(tree_examples(given.data / TREEBANK, [], only=held_out)),
    }
    results, seconds = _run(training, sets, given.work)
    found = figures(results, seconds, given.command)
    (FOLDER / "results.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    notes = (FOLDER / "NOTES.md").read_text(encoding="utf-8") if (FOLDER / "NOTES.md").exists() else ""
    (FOLDER / "RESULTS.md").write_text(page(results, found, notes), encoding="utf-8")
    return 0


def _run(training: list[Sentence], sets: dict[str, list[Example]], work: Path) -> tuple[Results, dict[str, float]]:
    seconds: dict[str, float] = {}
    analyser = _analyser(training, work / "analyser", seconds)
    examples: list[Example] = []
    models = {}
    for one in TRAINED:
        if not examples and not (work / one.folder).exists():
            examples = [own for own in map(_example, training) if own.sentence.tokens]
        begin = time.process_time()
        models[one] = model(one, examples, work)
        _remember(work, f"training {one.folder}", time.process_time() - begin, seconds)
        print(f"{one.folder}: {time.process_time() - begin:.0f} s", file=sys.stderr)
    found = systems(models, analyser)
    results: Results = {}
    for name, own in sets.items():
        results[name] = {
            system: evaluate((find(example), example.clauses) for example in own)
            for system, find in found.items()
            if system != "trees" or name == "hand"
        }
    seconds |= _speed(sets["derived"][:SPEED_SENTENCES], analyser, found[BEST])
    return results, seconds


def _example(sentence: Sentence) -> Example:
    return Example.of(sentence, clauses_of_tree(sentence))


def _analyser(training: list[Sentence], folder: Path, seconds: dict[str, float]) -> Analyser:
    begin = time.process_time()
    if not folder.exists():
        partial = folder.with_suffix(".partial")
        partial.mkdir(exist_ok=True)
        Analyser.train(partial, training)
        partial.rename(folder)
    _remember(folder.parent, "training analyser", time.process_time() - begin, seconds)
    return Analyser.load(folder)


def _remember(work: Path, what: str, spent: float, seconds: dict[str, float]) -> None:
    """Keeps what a training took: a later run that finds the model there tells it again."""
    path = work / "seconds.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    known.setdefault(what, spent)
    path.write_text(json.dumps(known), encoding="utf-8")
    seconds[what] = known[what]


def _speed(examples: list[Example], analyser: Analyser, find: Find) -> dict[str, float]:
    lines = [str(example.sentence) for example in examples]
    begin = time.process_time()
    for line in lines:
        analyser.analyse(line.split())
    middle = time.process_time()
    for example in examples:
        find(example)
    return {
        f"tags and chunks of {len(lines)} sentences": middle - begin,
        f"brackets and types of {len(lines)} sentences": time.process_time() - middle,
    }


if __name__ == "__main__":
    sys.exit(main())
