"""`python -m experiments.hindi`: trains clause models on the treebank, compares them with rules on held-out files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments.experiment import Experiment, Results, program
from experiments.hindi.baselines import TwoFields, boundary_scores
from experiments.hindi.report import Both, Scores, figures, page
from experiments.hindi.scoring import attachments, finite, finite_brackets, seconds
from experiments.hindi.systems import (
    ANALYSER,
    PARSER,
    PARTICIPLES,
    SHIPPED,
    TEMPLATES,
    TRAINED,
    Find,
    Model,
    Reader,
    Trained,
    Treebank,
    analyser_stage,
    model_stage,
    parser_stage,
    participle_stage,
    systems,
)
from lattice_simp.errors import FormatError
from lattice_simp.pipeline.runner import run_stages
from lattice_simp.pipeline.stage import Run
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.hindi.clause import Clause
from lattice_simp.systems.hindi.clauses.crf import LinearChain
from lattice_simp.systems.hindi.clauses.examples import Example, marked_examples, tree_examples
from lattice_simp.systems.hindi.clauses.labels import Brackets
from lattice_simp.systems.hindi.clauses.model import PARTICIPLES as PARTICIPLES_FILE
from lattice_simp.systems.hindi.clauses.model import ClauseModel
from lattice_simp.systems.hindi.clauses.participles import StartClassifier
from lattice_simp.systems.hindi.clauses.scoring import evaluate
from lattice_simp.systems.hindi.parsing import Parser
from lattice_simp.systems.hindi.text import Analyser


def clauses(experiment: Experiment) -> Results:
    """Does the missing training, and scores all systems."""
    settings = experiment.settings()
    data = Path(settings["data"])
    path = data / settings["treebank"]
    held_out = {line.strip() for line in read_lines(data / settings["held_out"])}
    analyser, parser, models, best, spent = train(Treebank(path, held_out), Path(settings["work"]), experiment.run)
    problems: list[FormatError] = []
    sets = {
        "hand": list(marked_examples(path, data / settings["marked"], problems)),
        "derived": list(tree_examples(path, problems, only=held_out)),
    }
    for problem in problems:
        experiment.run.say(f"left out: {problem}")
    scores = measure(systems(models, best, Reader(analyser, parser)), sets)
    spent |= seconds(sets["derived"][: settings["speed_sentences"]], analyser, parser, best)
    results = figures(scores, attachments(sets["derived"], analyser, parser), spent)
    return Results("Clauses of Hindi sentences", results, page(results, settings))


def train(
    treebank: Treebank, work: Path, run: Run
) -> tuple[Analyser, Parser, dict[Trained, Model], ClauseModel, dict[str, float]]:
    """Does the missing training.

    Returns:
        The analyser, the parser, the models (the shipped one with the classifier of participles), and the CPU seconds
        of each.

    Raises:
        LatticeSimpError: a training failed; finished ones are kept.
    """
    stages = [analyser_stage(treebank), *(model_stage(kind, treebank) for kind in TRAINED), participle_stage(treebank)]
    stages.append(parser_stage(treebank))
    done = run_stages(stages, work, run)
    models: dict[Trained, Model] = {kind: _read(kind, done.folders[kind.folder]) for kind in TRAINED}
    participles = StartClassifier(LinearChain.read(done.folders[PARTICIPLES] / PARTICIPLES_FILE))
    best = replace(ClauseModel.read(done.folders[SHIPPED.folder]), participles=participles)
    spent = {f"training {name}": record["cpu_seconds"] for name, record in done.records.items()}
    return Analyser.load(done.folders[ANALYSER]), Parser.load(done.folders[PARSER]), models, best, spent


def _read(trained: Trained, folder: Path) -> Model:
    kind = ClauseModel if trained.kind == "merged" else TwoFields
    return kind.read(folder, TEMPLATES[trained.template])


def measure(finders: dict[str, Find], sets: dict[str, list[Example]]) -> Scores:
    """Scores all systems on all sets; the clauses of trees are those of the derived set."""
    return {
        name: {
            system: _both([(find(example), example.clauses) for example in examples])
            for system, find in finders.items()
            if system != "trees" or name == "hand"
        }
        for name, examples in sets.items()
    }


def _both(pairs: list[tuple[Sequence[Brackets], list[Clause]]]) -> Both:
    finite_scores = evaluate((finite_brackets(brackets), finite(reference)) for brackets, reference in pairs)
    return Both(evaluate(pairs), finite_scores, boundary_scores(pairs))


main = program(__file__, __doc__, clauses)

if __name__ == "__main__":
    main()
