"""`python -m experiments.hindi_simplification`: simplifies sentences of the treebank, compares them with references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from experiments.experiment import Experiment, Results, program
from experiments.hindi_simplification.judgements import JUDGED, judged_figures, read_judged
from experiments.hindi_simplification.references import Pair, line_of, read_pairs, read_ratings
from experiments.hindi_simplification.report import measure, page
from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.hindi.clause import Clause
from lattice_simp.systems.hindi.from_tree import clauses_of_tree
from lattice_simp.systems.hindi.model import HindiModel, load_what_works
from lattice_simp.systems.hindi.rules import rule_clauses
from lattice_simp.systems.hindi.sentence import Sentence
from lattice_simp.systems.hindi.simplify import simplify

System = Callable[[Sentence], str]
"""A function that returns a line of sentences."""

SOURCE = "sentences as they are"


def systems(model: HindiModel | None) -> dict[str, System]:
    """Returns the systems by the names of their rows; those of a model only if there is one.

    All except the careful ones split every clause, like the references.
    """
    by_name: dict[str, System] = {
        "trees": lambda sentence: _simplified(sentence, clauses_of_tree(sentence)),
        "trees, careful": lambda sentence: _simplified(sentence, clauses_of_tree(sentence), every_clause=False),
        "rules": lambda sentence: _simplified(sentence.without_empty, rule_clauses(sentence.without_empty)),
    }
    if model is not None:
        clauses, analyser = model.clauses, model.analyser

        def by_model(sentence: Sentence, *, every_clause: bool = True) -> str:
            return _simplified(sentence, clauses.clauses(sentence), every_clause=every_clause)

        by_name["model"] = lambda sentence: by_model(sentence.without_empty)
        by_name["model, plain text"] = lambda sentence: by_model(analyser.analyse(str(sentence).split()))
        by_name["model, plain text, careful"] = lambda sentence: by_model(
            analyser.analyse(str(sentence).split()), every_clause=False
        )
        if model.parser is not None:
            by_name["model, parsed text"] = lambda sentence: by_model(_parsed(model, sentence))
            by_name["model, parsed text, careful"] = lambda sentence: by_model(
                _parsed(model, sentence), every_clause=False
            )
    return by_name


def _parsed(model: HindiModel, sentence: Sentence) -> Sentence:
    return next(model.parsed([model.analyser.analyse(str(sentence).split())]))


def _simplified(sentence: Sentence, clauses: Sequence[Clause], *, every_clause: bool = True) -> str:
    simple = simplify(sentence, clauses, every_clause=every_clause)
    return line_of([sentence.words for sentence in simple.sentences])


FOLDER = Path(__file__).parent
REFERENCES, RATINGS, READ = FOLDER / "references.tsv", FOLDER / "ratings.tsv", FOLDER / JUDGED


def simplification(experiment: Experiment) -> Results:
    """Simplifies the sentences with all systems, and measures the outputs."""
    settings = experiment.settings()
    hindi: Path = experiment.options["hindi"]
    if not experiment.options["without_model"] and not hindi.is_dir():
        raise LatticeSimpError(f"{hindi}: there is no Hindi model; make one with: make hindi (or give --without-model)")
    model = None if experiment.options["without_model"] else load_what_works(hindi)
    pairs = read_pairs(Path(settings["data"]) / settings["treebank"], REFERENCES, [])
    outputs = outputs_of(pairs, model)
    figures = {**judged_figures(read_judged(READ)), **measure(pairs, outputs, read_ratings(RATINGS))}
    return Results("Hindi sentences made simpler", figures, page(figures, settings))


def outputs_of(pairs: Sequence[Pair], model: HindiModel | None) -> dict[str, list[str]]:
    """Returns the outputs of all systems, first the unchanged sentences."""
    outputs = {SOURCE: [pair.source for pair in pairs]}
    for name, system in systems(model).items():
        outputs[name] = [system(pair.sentence) for pair in pairs]
    return outputs


main = program(
    __file__,
    __doc__,
    simplification,
    hindi={"type": Path, "default": Path("build/hindi"), "help": "what `make hindi` made"},
    without_model={"action": "store_true", "help": "leave out the rows of a model"},
)

if __name__ == "__main__":
    main()
