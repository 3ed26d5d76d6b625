"""`python -m experiments.hindi_simplification`: simplifies sentences of the treebank, compares them with references."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from experiments.experiment import Experiment, Results, options, run_experiment
from experiments.hindi_simplification.judgements import JUDGED, judged_figures, read_judged
from experiments.hindi_simplification.ratings import read_ratings
from experiments.hindi_simplification.references import Pair, read_pairs
from experiments.hindi_simplification.report import measure, page
from experiments.hindi_simplification.systems import SOURCE, systems
from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.hindi.model import HindiModel, load_what_works

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


_PARSER = options("experiments.hindi_simplification", __doc__, FOLDER)
_PARSER.add_argument("--hindi", type=Path, default=Path("build/hindi"), help="what `make hindi` made")
_PARSER.add_argument("--without-model", action="store_true", help="leave out the rows of a model")
main = partial(run_experiment, _PARSER, simplification)

if __name__ == "__main__":
    main()
