"""`python -m experiments.hindi.bracket_costs`: tunes the costs of broken rules on brackets, on training files.

Every tenth of the files that are not held out is for tuning; two fields are trained on a fifth of the others, with the
paper's features, and with phrases and rules. Both have equal weight in one table of costs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from experiments.files import write_lines
from experiments.hindi.bracket_acceptors import AcceptorSearch, token_symbols
from experiments.hindi.candidates import Candidates, candidates, fitted, loss_of
from experiments.hindi.systems import TEMPLATES
from lattice_simp.core.kernel import Floats
from lattice_simp.errors import FormatError
from lattice_simp.grammars.hindi.bracket_rules import TABLE, bracket_rules
from lattice_simp.support.settings_file import read_settings
from lattice_simp.support.tables import grammar_path
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.hindi.clauses.examples import Example
from lattice_simp.systems.hindi.clauses.labels import Brackets
from lattice_simp.systems.hindi.clauses.model import ClauseModel
from lattice_simp.systems.hindi.clauses.scoring import MEASURES, evaluate
from lattice_simp.systems.hindi.formats.treebank import read_treebank
from lattice_simp.systems.hindi.from_tree import clauses_of_tree
from lattice_simp.systems.hindi.sentence import Sentence

TUNING_PART, TRAINING_PART = 10, 5
"""One in this many files is for tuning, and one in this many of the others for training."""


def with_costs(lines: Iterable[str], costs: Mapping[str, float]) -> Iterator[str]:
    """Returns the lines of a table of rules with other costs.

    >>> list(with_costs(["# rules", "1b\\tFIN\\t.\\t1\\tan end", "2b\\tNP ]\\tAND\\t1\\t"], {"1b": 2.5}))[1:]
    ['1b\\tFIN\\t.\\t2.5\\tan end', '2b\\tNP ]\\tAND\\t1\\t']
    """
    for line in lines:
        cells = line.split("\t")
        if not line.startswith("#") and cells[0] in costs:
            cells[3] = f"{costs[cells[0]]:.2f}".rstrip("0").rstrip(".")
        yield "\t".join(cells)


def _examples(path: Path, held_out: set[str]) -> tuple[list[Example], list[Example]]:
    """Returns the sentences to train on, and those to tune on."""
    problems: list[FormatError] = []
    files: dict[str, list[Example]] = {}
    for name, sentence in read_treebank(path, problems):
        example = Example.of(sentence, clauses_of_tree(sentence)) if name not in held_out else None
        if example is not None and example.sentence.tokens:
            files.setdefault(name, []).append(example)
    names = sorted(files)
    tuning = names[::TUNING_PART]
    training = [name for name in names if name not in set(tuning)][::TRAINING_PART]
    return ([entry for name in training for entry in files[name]], [entry for name in tuning for entry in files[name]])


def compared(model: ClauseModel, costs: Floats, examples: Sequence[Example]) -> Iterator[str]:
    """Returns lines of F1 scores with the automaton of fixed costs, and with the acceptors at these costs."""
    search = AcceptorSearch(model.chain.labels, model.chain.transitions, _named(costs))

    def accepted(sentence: Sentence) -> list[Brackets]:
        results = search.nbest(model.chain.scores(model.template(sentence)), token_symbols(sentence))
        return results[0][0] if results else model.brackets(sentence)

    for name, find in (("lattice", model.brackets), ("acceptors", accepted)):
        scores = evaluate((find(example.sentence), example.clauses) for example in examples).scores
        yield f"{name}: " + ", ".join(f"{measure} {scores[measure].f1:.1f}" for measure in MEASURES)


def _named(costs: Floats) -> dict[str, float]:
    return {rule.name: float(cost) for rule, cost in zip(bracket_rules(), costs, strict=True)}


def _check(
    models: Mapping[str, ClauseModel], every: Mapping[str, Sequence[Candidates | None]], tuning: list[Example]
) -> None:
    """Tunes on every other sentence, and compares on the rest."""
    costs = fitted([entry for lists in every.values() for entry in lists[::2] if entry is not None])
    for name, model in models.items():
        for line in compared(model, costs, tuning[1::2]):
            print(f"{name}, {len(tuning[1::2])} sentences, {line}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Tunes the costs, and prints them or writes them into the table."""
    parser = argparse.ArgumentParser(prog="python -m experiments.hindi.bracket_costs", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the costs into the table of the rules")
    parser.add_argument("--check", action="store_true", help="tune on every other sentence, and compare on the rest")
    parser.add_argument("--data", type=Path, help="the folder with the corpora; that of the config if it is not given")
    options = parser.parse_args(arguments)
    settings = read_settings(Path(__file__).with_name("config.yaml"), ())
    data = options.data or Path(settings["data"])
    held_out = {line.strip() for line in read_lines(data / settings["held_out"])}
    training, tuning = _examples(data / settings["treebank"], held_out)
    pairs = [(example.sentence, example.clauses) for example in training]
    models = {name: ClauseModel.train(pairs, template=template) for name, template in TEMPLATES.items()}
    every = {name: [candidates(model, example) for example in tuning] for name, model in models.items()}
    if options.check:
        _check(models, every, tuning)
    known = [entry for lists in every.values() for entry in lists if entry is not None]
    costs = fitted(known)
    before, after = (loss_of(vector, known, 0.0)[0] / len(known) for vector in (np.zeros_like(costs), costs))
    print(f"{len(training)} sentences to train on, {len(tuning)} to tune on")
    print(f"nats per sentence: {before:.3f} without rules, {after:.3f} with them")
    for rule, cost in _named(costs).items():
        print(f"{cost:6.2f}  {rule}")
    if options.write:
        path = grammar_path(TABLE)
        write_lines(path, list(with_costs(read_lines(path), _named(costs))))


if __name__ == "__main__":
    main()
