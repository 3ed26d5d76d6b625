"""`python -m experiments.hindi_simplification`: simplifies sentences of the treebank, compares them with references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from experiments.experiment import HINDI, Experiment, Results, program, require_made
from experiments.hindi_simplification.judgements import JUDGED, judged_figures, read_judged
from experiments.hindi_simplification.references import line_of, read_pairs, read_ratings
from experiments.hindi_simplification.report import measure, page
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

        def by_model(read: Callable[[Sentence], Sentence], *, every_clause: bool = True) -> System:
            def simplified(sentence: Sentence) -> str:
                known = read(sentence)
                return _simplified(known, model.clauses.clauses(known), every_clause=every_clause)

            return simplified

        def analysed(sentence: Sentence) -> Sentence:
            return model.analyser.analyse(str(sentence).split())

        by_name["model"] = by_model(lambda sentence: sentence.without_empty)
        readers = {"plain text": analysed}
        if model.parser is not None:
            readers["parsed text"] = lambda sentence: next(model.parsed([analysed(sentence)]))
        for name, read in readers.items():
            by_name[f"model, {name}"] = by_model(read)
            by_name[f"model, {name}, careful"] = by_model(read, every_clause=False)
    return by_name


def _simplified(sentence: Sentence, clauses: Sequence[Clause], *, every_clause: bool = True) -> str:
    simple = simplify(sentence, clauses, every_clause=every_clause)
    return line_of([sentence.words for sentence in simple.sentences])


FOLDER = Path(__file__).parent
REFERENCES, RATINGS, READ = FOLDER / "references.tsv", FOLDER / "ratings.tsv", FOLDER / JUDGED


def simplification(experiment: Experiment) -> Results:
    """Simplifies the sentences with all systems, and measures the outputs."""
    settings = experiment.settings()
    hindi: Path = experiment.options["hindi"]
    model = None
    if not experiment.options["without_model"]:
        require_made(hindi, "Hindi model", "hindi (or give --without-model)")
        model = load_what_works(hindi)
    pairs = read_pairs(Path(settings["data"]) / settings["treebank"], REFERENCES, [])
    outputs = {SOURCE: [pair.source for pair in pairs]}
    outputs |= {name: [system(pair.sentence) for pair in pairs] for name, system in systems(model).items()}
    figures = {**judged_figures(read_judged(READ)), **measure(pairs, outputs, read_ratings(RATINGS))}
    return Results("Hindi sentences made simpler", figures, page(figures, settings))


main = program(
    __file__,
    __doc__,
    simplification,
    hindi=HINDI,
    without_model={"action": "store_true", "help": "leave out the rows of a model"},
)

if __name__ == "__main__":
    main()
