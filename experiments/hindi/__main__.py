"""`python -m experiments.hindi`: trains clause models on the treebank, compares them with rules on held-out files."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments.hindi.baselines import TwoFields
from experiments.hindi.report import Results, figures, page
from experiments.hindi.systems import BEST, SHIPPED, TEMPLATES, TRAINED, Find, Model, Trained, systems
from experiments.hindi.training import ANALYSER, PARTICIPLES, Treebank, analyser_stage, model_stage, participle_stage
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.hindi.clauses.examples import Example, marked_examples, tree_examples
from lattice_simp.hindi.clauses.model import PARTICIPLES as PARTICIPLES_FILE
from lattice_simp.hindi.clauses.model import ClauseModel
from lattice_simp.hindi.clauses.participles import StartClassifier
from lattice_simp.hindi.clauses.scoring import evaluate
from lattice_simp.hindi.text import Analyser
from lattice_simp.pipeline.lock import locked
from lattice_simp.pipeline.stage import Run, run_stage, stage_keys
from lattice_simp.support.textio import read_lines

FOLDER = Path(__file__).parent

TREEBANK, HELD_OUT, MARKED = "hindi/treebank/hdtb-ssf.tar.xz", "hindi/treebank/dev-files.txt", "hindi/clauses-dev.tsv"

SPEED_SENTENCES = 1000
"""How many sentences the time is taken for."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the experiment; models that are in the work folder already are not trained again."""
    parser = argparse.ArgumentParser(prog="python -m experiments.hindi", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--work", type=Path, default=Path("build/hindi-clauses"))
    parser.add_argument("--command", default="python -m experiments.hindi", help="stands in the results")
    given = parser.parse_args(arguments)
    path = given.data / TREEBANK
    if not path.is_file():
        print(f"the experiment needs the treebank, and {path} is not there", file=sys.stderr)
        return 2
    held_out = {line.strip() for line in read_lines(given.data / HELD_OUT)}
    try:
        analyser, models, best, seconds = train(Treebank(path, held_out), given.work)
    except LatticeSimpError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    problems: list[FormatError] = []
    sets = {
        "hand": list(marked_examples(path, given.data / MARKED, problems)),
        "derived": list(tree_examples(path, problems, only=held_out)),
    }
    for problem in problems:
        print(f"left out: {problem}", file=sys.stderr)
    found = systems(models, best, analyser)
    results = measure(found, sets)
    seconds |= _speed(sets["derived"][:SPEED_SENTENCES], analyser, found[BEST])
    told = figures(results, seconds, given.command)
    (FOLDER / "results.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    notes = (FOLDER / "NOTES.md").read_text(encoding="utf-8") if (FOLDER / "NOTES.md").exists() else ""
    (FOLDER / "RESULTS.md").write_text(page(results, told, notes), encoding="utf-8")
    return 0


def train(treebank: Treebank, work: Path) -> tuple[Analyser, dict[Trained, Model], ClauseModel, dict[str, float]]:
    """Trains what is not there.

    Returns:
        The analyser, the models, the shipped one with the classifier of participles, and the CPU seconds of each.

    Raises:
        LatticeSimpError: a training failed; what is done stays.
    """
    stages = [analyser_stage(treebank), *(model_stage(one, treebank) for one in TRAINED), participle_stage(treebank)]
    keys = stage_keys(stages)
    work.mkdir(parents=True, exist_ok=True)
    run = Run(say=lambda text: print(text, file=sys.stderr))
    with locked(work):
        done = {stage.name: run_stage(stage, keys[stage.name], work, run) for stage in stages}
    models: dict[Trained, Model] = {one: _read(one, done[one.folder][0]) for one in TRAINED}
    participles = StartClassifier.read(done[PARTICIPLES][0] / PARTICIPLES_FILE)
    best = replace(ClauseModel.read(done[SHIPPED.folder][0]), participles=participles)
    seconds = {f"training {name}": record["cpu_seconds"] for name, (_, record) in done.items()}
    return Analyser.load(done[ANALYSER][0]), models, best, seconds


def _read(one: Trained, folder: Path) -> Model:
    kind = ClauseModel if one.kind == "merged" else TwoFields
    return kind.read(folder, TEMPLATES[one.template])


def measure(found: dict[str, Find], sets: dict[str, list[Example]]) -> Results:
    """Scores all systems on all sets; the trees' clauses are the derived set's own."""
    return {
        name: {
            system: evaluate((find(example), example.clauses) for example in own)
            for system, find in found.items()
            if system != "trees" or name == "hand"
        }
        for name, own in sets.items()
    }


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
