"""`python -m experiments.mutants`: checks whether the tests of the study detect errors in its code."""

from __future__ import annotations

from experiments.experiment import Experiment, Results, program
from experiments.mutants.report import ROOT, page
from experiments.mutants.running import Outcome, Workshop, read_mutants


def mutants(experiment: Experiment) -> Results:
    """Runs all mutants."""
    values = experiment.settings()
    every = read_mutants(ROOT / values["mutants"])
    workshop = Workshop(ROOT, values["copied"], values["seconds"], markers="")
    killed_by_mutant = {}
    for mutant, outcome in workshop.outcomes(every, experiment.run.jobs):
        killed_by_mutant[mutant] = outcome is not Outcome.SURVIVED
        experiment.run.say(f"{len(killed_by_mutant)} of {len(every)}: {mutant.name}: {outcome}")
    survived = [mutant.name for mutant, killed in killed_by_mutant.items() if not killed]
    share = 100 * sum(killed_by_mutant.values()) / len(killed_by_mutant)
    figures = {"mutants": len(killed_by_mutant), "mutants_killed_pct": share, "survived": survived}
    return Results("Errors in the study's code that tests see", figures, page(figures, values))


main = program(__file__, __doc__, mutants)

if __name__ == "__main__":
    main()
