"""`python -m experiments.hindi`: trains clause models on the treebank, compares them with rules on held-out files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments.experiment import Experiment, Results, program
from experiments.hindi import systems
from experiments.hindi.baselines import TwoFields, boundary_scores
from experiments.hindi.report import Both, Scores, figures, page
from experiments.hindi.scoring import attachments, finite, finite_brackets, seconds
from lattice_simp.errors import FormatError
from lattice_simp.pipeline.runner import run_stages
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
    settings, run = experiment.settings(), experiment.run
    path, marked, dev = (Path(settings["data"], settings[name]) for name in ("treebank", "marked", "held_out"))
    held_out = {line.strip() for line in read_lines(dev)}
    done = run_stages(systems.training_stages(systems.Treebank(path, held_out)), Path(settings["work"]), run)
    analyser, parser = Analyser.load(done.folders[systems.ANALYSER]), Parser.load(done.folders[systems.PARSER])
    models = {trained: _read(trained, done.folders[trained.folder]) for trained in systems.TRAINED}
    participles = StartClassifier(LinearChain.read(done.folders[systems.PARTICIPLES] / PARTICIPLES_FILE))
    best = replace(ClauseModel.read(done.folders[systems.SHIPPED.folder]), participles=participles)
    problems: list[FormatError] = []
    sets = {
        "hand": list(marked_examples(path, marked, problems)),
        "derived": list(tree_examples(path, problems, only=held_out)),
    }
    for problem in problems:
        run.say(f"left out: {problem}")
    scores = measure(systems.systems(models, best, analyser, parser), sets)
    spent = {f"training {name}": record["cpu_seconds"] for name, record in done.records.items()}
    spent |= seconds(sets["derived"][: settings["speed_sentences"]], analyser, parser, best)
    results = figures(scores, attachments(sets["derived"], analyser, parser), spent)
    return Results("Clauses of Hindi sentences", results, page(results, settings))


def _read(trained: systems.Trained, folder: Path) -> systems.Model:
    kind = ClauseModel if trained.kind == "merged" else TwoFields
    return kind.read(folder, systems.TEMPLATES[trained.template])


def measure(finders: dict[str, systems.Find], sets: dict[str, list[Example]]) -> Scores:
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
