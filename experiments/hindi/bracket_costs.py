"""`python -m experiments.hindi.bracket_costs`: tunes the costs of broken rules on brackets, on training files.

Every tenth of the files that are not held out is for tuning; two fields are trained on a fifth of the others, with the
paper's features, and with phrases and rules. Both have equal weight in one table of costs.

The costs make the right bracketings most probable among a field's best balanced ones, by a log-linear model: the
field's score minus the costs of broken rules (Lafferty, McCallum and Pereira 2001).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.files import write_lines
from experiments.hindi.bracket_acceptors import AcceptorSearch, token_symbols, written
from experiments.hindi.systems import TEMPLATES
from lattice_simp.core.kernel import Floats
from lattice_simp.errors import FormatError
from lattice_simp.grammars.hindi.bracket_rules import TABLE, bracket_rules, breaches
from lattice_simp.support.settings_file import read_settings
from lattice_simp.support.tables import grammar_path
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.hindi.clauses.crf import best_rests
from lattice_simp.systems.hindi.clauses.examples import Example
from lattice_simp.systems.hindi.clauses.labels import Brackets, brackets_of
from lattice_simp.systems.hindi.clauses.model import ClauseModel
from lattice_simp.systems.hindi.formats.treebank import read_treebank
from lattice_simp.systems.hindi.from_tree import clauses_of_tree

CANDIDATES = 20
"""The number of bracketings of each sentence, besides the right one."""

PRIOR = 1.0
"""The weight of half the sum of the squared costs."""

_MOST_STEPS, _SMALLEST_GAIN = 500, 1e-4


@dataclass(frozen=True)
class Candidates:
    """A sentence's bracketings: the index of the right one, (n,) costs in nats, and (n, rules) numbers of breaches."""

    right: int
    costs: Floats
    breaches: Floats


def candidates(model: ClauseModel, example: Example) -> Candidates | None:
    """Lists the best balanced bracketings by a field alone; None if the right one has a label unknown to the field."""
    chain, sentence = model.chain, example.sentence
    scores, symbols = chain.scores(model.template(sentence)), token_symbols(sentence)
    results = AcceptorSearch(chain.labels, chain.transitions, {}).nbest(scores, symbols, CANDIDATES)
    wanted = brackets_of(example.clauses, len(sentence))
    if wanted not in [brackets for brackets, _ in results]:
        cost = _cost(model, scores, wanted)
        if cost is None:
            return None
        results.append((wanted, cost))
    right = [brackets for brackets, _ in results].index(wanted)
    names = [rule.name for rule in bracket_rules()]
    broken = [breaches(written(brackets, symbols)) for brackets, _ in results]
    counts = np.array([[by_name.get(name, 0) for name in names] for by_name in broken], dtype=np.float64)
    return Candidates(right, np.array([cost for _, cost in results]), counts)


def _cost(model: ClauseModel, scores: Floats, wanted: Sequence[Brackets]) -> float | None:
    """Returns the cost of a labelling above the field's best one; None if it has a label unknown to the field."""
    chain = model.chain
    columns = {label: column for column, label in enumerate(chain.labels)}
    labels = [columns.get(str(bracket)) for bracket in wanted]
    known = [label for label in labels if label is not None]
    if len(known) < len(labels):
        return None
    cost = scores[np.arange(len(known)), known].sum() + chain.transitions[known[:-1], known[1:]].sum()
    return float((scores[0] + best_rests(scores, chain.transitions)[0]).max() - cost)


def fitted(every: Sequence[Candidates], prior: float = PRIOR) -> Floats:
    """Returns (num_rules,) costs of at least 0 that make right bracketings most probable (projected gradient descent).

    >>> candidates = Candidates(1, np.array([0.0, 1.0]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> costs = fitted([candidates] * 50)
    >>> bool(costs[0] > 3), float(costs[1])
    (True, 0.0)
    """
    costs = np.zeros(every[0].breaches.shape[1])
    loss, gradient = loss_of(costs, every, prior)
    step = 1.0
    for _ in range(_MOST_STEPS):
        following = np.maximum(costs - step * gradient, 0.0)
        lower, slope = loss_of(following, every, prior)
        if lower > loss:
            step /= 2
            continue
        gain, costs, loss, gradient = loss - lower, following, lower, slope
        if gain < _SMALLEST_GAIN:
            break
        step *= 1.5
    return costs


def loss_of(costs: Floats, every: Iterable[Candidates], prior: float) -> tuple[float, Floats]:
    """Returns the negative log probability of the right bracketings, and its gradient."""
    loss, gradient = 0.5 * prior * float(costs @ costs), prior * costs
    for entry in every:
        scores = -entry.costs - entry.breaches @ costs
        scores -= scores.max()
        total = float(np.log(np.exp(scores).sum()))
        loss += total - float(scores[entry.right])
        shares = np.exp(scores - total)
        gradient = gradient + entry.breaches[entry.right] - shares @ entry.breaches
    return loss, gradient


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


def _named(costs: Floats) -> dict[str, float]:
    return {rule.name: float(cost) for rule, cost in zip(bracket_rules(), costs, strict=True)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Tunes the costs, and prints them or writes them into the table."""
    parser = argparse.ArgumentParser(prog="python -m experiments.hindi.bracket_costs", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the costs into the table of the rules")
    parser.add_argument("--data", type=Path, help="the folder with the corpora; that of the config if it is not given")
    options = parser.parse_args(arguments)
    settings = read_settings(Path(__file__).with_name("config.yaml"), ())
    data = options.data or Path(settings["data"])
    held_out = {line.strip() for line in read_lines(data / settings["held_out"])}
    training, tuning = _examples(data / settings["treebank"], held_out)
    pairs = [(example.sentence, example.clauses) for example in training]
    models = {name: ClauseModel.train(pairs, template=template) for name, template in TEMPLATES.items()}
    every = {name: [candidates(model, example) for example in tuning] for name, model in models.items()}
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
