"""`python -m experiments.hindi_english`: trains Hindi to English, translates with skeletons and of simple sentences."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from experiments.hindi_english.report import figures, measure_systems, page
from experiments.hindi_english.splitting import with_split_development
from experiments.hindi_english.translating import SYSTEMS, analysed_stage, translated_stage, weight_stage
from lattice_simp.errors import LatticeSimpError
from lattice_simp.evaluate.meteor_jar import find_jar, find_java
from lattice_simp.pipeline.lock import locked
from lattice_simp.pipeline.stage import Run, run_stage, stage_keys
from lattice_simp.train.config import Config, read_config
from lattice_simp.train.pipeline import stages, train

FOLDER = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the stages that are not done, and writes RESULTS.md and results.json."""
    parser = argparse.ArgumentParser(prog="python -m experiments.hindi_english", description=__doc__)
    parser.add_argument("--set", action="append", default=[], dest="overrides", help="as for `lattice-simp train`")
    parser.add_argument("--hindi", type=Path, default=Path("build/hindi"), help="what `make hindi` made")
    parser.add_argument("--output", type=Path, default=FOLDER, help="the folder of the results")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--command", default="python -m experiments.hindi_english", help="stands in the results")
    given = parser.parse_args(arguments)
    begin = time.monotonic()
    run = Run(jobs=given.jobs, say=lambda text: print(f"[{time.monotonic() - begin:6.0f} s] {text}", flush=True))
    try:
        find_jar()
        find_java()
        config = with_split_development(read_config(FOLDER / "config.yaml", given.overrides))
        folders, records = run_all(config, given.hindi, run)
        measured = measure_systems(config, folders)
    except LatticeSimpError as error:
        sys.exit(f"error: {error}")
    found = figures(measured, records, given.command)
    (given.output / "results.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    notes = FOLDER / "NOTES.md"
    text = page(measured, found, notes.read_text(encoding="utf-8") if notes.exists() else "")
    (given.output / "RESULTS.md").write_text(text, encoding="utf-8")
    print(text)


def run_all(config: Config, hindi: Path, run: Run) -> tuple[dict[str, Path], dict[str, Any]]:
    """Trains, and runs the other stages; gives the stages' folders and records.

    Raises:
        LatticeSimpError: a stage failed, or there is no Hindi model; what is done stays.
    """
    if not hindi.is_dir():
        raise LatticeSimpError(f"{hindi}: there is no Hindi model; make one with: make hindi")
    training = [stage for stage in stages(config) if stage.name != "test"]
    records = train(config, run, last=training[-1].name)
    own = [analysed_stage(config, hindi), weight_stage(config), *map(translated_stage, SYSTEMS)]
    keys = stage_keys([*training, *own])
    folders = {stage.name: config.work / f"{stage.name}.{keys[stage.name]}" for stage in training}
    with locked(config.work):
        for stage in own:
            own_run = replace(run, folders=dict(folders))
            folders[stage.name], records[stage.name] = run_stage(stage, keys[stage.name], config.work, own_run)
    return folders, records


if __name__ == "__main__":
    main()
