"""`python -m experiments.hindi_english`: trains Hindi to English, translates with skeletons and of simple sentences."""

from __future__ import annotations

from pathlib import Path

from experiments.experiment import HINDI, Experiment, Results, program, require_made
from experiments.hindi_english.report import figures, page
from experiments.hindi_english.translating import (
    SYSTEMS,
    analysed_stage,
    translated_stage,
    weight_stage,
    with_split_development,
)
from lattice_simp.metrics.meteor_jar import find_jar, find_java
from lattice_simp.pipeline.runner import run_stages
from lattice_simp.train.config import read_config
from lattice_simp.train.pipeline import train


def hindi_english(experiment: Experiment) -> Results:
    """Trains, translates with all systems, and measures them."""
    find_jar()
    find_java()
    hindi: Path = experiment.options["hindi"]
    require_made(hindi, "Hindi model", "hindi")
    config = with_split_development(read_config(experiment.config, experiment.overrides))
    stages = [analysed_stage(config, hindi), weight_stage(config), *map(translated_stage, SYSTEMS)]
    done = run_stages(stages, config.work, experiment.run, done=train(config, experiment.run, last="tune"))
    summary = figures(config, done)
    return Results("Hindi to English", summary, page(summary, experiment.settings()))


main = program(__file__, __doc__, hindi_english, hindi=HINDI)

if __name__ == "__main__":
    main()
