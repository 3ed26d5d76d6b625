"""`python -m experiments.compression`: compares automatic skeletons with compressions that people made by deletion."""

from __future__ import annotations

import argparse
import datetime
import json
import shlex
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from experiments.compression import models
from experiments.compression.data import Config, Domain, Example, load_domains
from experiments.compression.measure import describe, measure
from experiments.compression.memory import Memory, program_key
from experiments.compression.methods import methods
from experiments.compression.report import page, versions
from lattice_simp import LanguageModel
from lattice_simp.skeleton.automatic import DeletionTagger

_FOLDER = Path(__file__).parent
_NEWS = "news"

_SKIPPED = {
    True: ("tagger (news)", "optimal: tagger (news), LM"),
    False: ("dependency, root kept", "tagger (own domain), no repair"),
}
"""Methods that are other ones' equals on news, and variants that are looked at on news alone."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the experiment; parses, models and figures that are in the work folder already are not made again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", default=[], dest="overrides", help="name=value, as data=corpora")
    given = parser.parse_args(arguments)
    config = _config(given.overrides)
    if not Path(config["data"]).is_dir():
        print(f"the experiment needs the reference data, and {config['data']} is not there", file=sys.stderr)
        return 2
    Path(config["work"]).mkdir(parents=True, exist_ok=True)
    command = shlex.join(["python", "-m", "experiments.compression", *sys.argv[1:]])
    figures = {
        "command": command,
        "date": datetime.date.today().isoformat(),
        "versions": versions(),
        **_run(config),
    }
    (_FOLDER / "results.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    (_FOLDER / "RESULTS.md").write_text(page(figures), encoding="utf-8")
    print(page(figures))
    return 0


def _config(overrides: Sequence[str]) -> Config:
    config: Config = yaml.safe_load((_FOLDER / "config.yaml").read_text(encoding="utf-8"))
    for override in overrides:
        name, _, value = override.partition("=")
        config[name] = yaml.safe_load(value)
    return config


def _run(config: Config) -> dict[str, Any]:
    begin = time.process_time()
    work = Path(config["work"])
    memory = Memory(work / "figures.json", program_key(config))
    domains = load_domains(config)
    _say("parsed")
    model = models.language_model(config)
    taggers = {domain.name: models.tagger(domain.name, domain.train, work) for domain in domains}
    everything = [example for domain in domains for example in domain.train]
    taggers_and_all = {**taggers, "all four": models.tagger("all", everything, work)}
    _say("trained")
    prepared = time.process_time() - begin
    found = {domain.name: _domain(domain, taggers, model, config, memory) for domain in domains}
    matrix = {
        name: {
            domain.name: memory.recall(f"{name} on {domain.name}", partial(_tagger_f1, one, domain, model))
            for domain in domains
        }
        for name, one in taggers_and_all.items()
    }
    return {"domains": found, "matrix": matrix, "seconds": round(prepared + memory.cpu_seconds(), 1)}


def _domain(
    domain: Domain, taggers: dict[str, DeletionTagger], model: LanguageModel, config: Config, memory: Memory
) -> dict[str, Any]:
    compared = methods(taggers[domain.name], taggers[_NEWS], model, config["candidates"], config["seed"])
    rows = {}
    for name, method in compared.items():
        if name not in _SKIPPED[domain.name == _NEWS]:
            one = partial(measure, method, domain.test, domain.rate, model)
            rows[name] = memory.recall(f"{domain.name}: {name}", one)
            _say(f"{domain.name}: {name}: {rows[name]['f1_mean']}")
    people = _people(domain.test, model)
    if people:
        rows["first person, against the others"] = people
    return {
        "train": len(domain.train),
        "test": len(domain.test),
        "compressions": domain.compressions,
        "skipped": domain.skipped,
        "wanted_rate": round(domain.rate, 4),
        "methods": rows,
    }


def _people(examples: Sequence[Example], model: LanguageModel) -> dict[str, Any] | None:
    """Compares the first reference of each sentence with its others, where there are any."""
    several = [example for example in examples if len(example.references) > 1]
    if len(several) < 2:
        return None
    others = [Example(example.parse, example.references[1:]) for example in several]
    row = describe([example.references[:1] for example in several], others, model)
    return {**row, "f1_by_reference": [1.0, *row["f1_by_reference"]]}


def _tagger_f1(tagger: DeletionTagger, domain: Domain, model: LanguageModel) -> float:
    made = [tagger.skeletons(example.parse, domain.rate) for example in domain.test]
    f1: float = describe(made, domain.test, model)["f1_mean"]
    return f1


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
