"""`python -m experiments.hindi.bracket_costs`: tunes what breaches of the rules on brackets cost, on training files.

Every tenth of the files that are not held out is for tuning; fields are trained on a fifth of the others. For each
sentence the best balanced bracketings by a field alone are listed, with what each breaks; the costs are those that make
the right ones most probable among them (Lafferty, McCallum and Pereira 2001, with the field's own scores as they are).
Each field counts alike, that with the paper's features and that with phrases and rules: one table serves both.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.hindi.systems import TEMPLATES
from lattice_simp.core.kernel import Floats
from lattice_simp.errors import FormatError
from lattice_simp.grammars.hindi.bracket_rules import TABLE, bracket_rules, breaches
from lattice_simp.hindi.clauses.bracket_acceptors import AcceptorSearch, token_symbols, written
from lattice_simp.hindi.clauses.crf import best_rests
from lattice_simp.hindi.clauses.examples import Example
from lattice_simp.hindi.clauses.labels import Brackets, brackets_of
from lattice_simp.hindi.clauses.model import ClauseModel
from lattice_simp.hindi.formats.treebank import read_treebank
from lattice_simp.hindi.from_tree import clauses_of_tree
from lattice_simp.support.settings_file import read_settings
from lattice_simp.support.tables import grammar_path
from lattice_simp.support.textio import open_text, read_lines

TUNING_PART, TRAINING_PART = 10, 5
"""One file in so many is for tuning, and one in so many of the others for training."""

CANDIDATES = 20
"""Bracketings of each sentence, the right one aside."""

PRIOR = 1.0
"""The weight of half the sum of the squared costs."""

_MOST_STEPS, _SMALLEST_GAIN = 500, 1e-4


@dataclass(frozen=True)
class Candidates:
    """The bracketings of a sentence.

    Attributes:
        right: the number of the one that is wanted.
        costs: (n,) by the field, nats.
        breaches: (n, num_rules) how often each breaks each rule.
    """

    right: int
    costs: Floats
    breaches: Floats


def candidates(model: ClauseModel, example: Example) -> Candidates | None:
    """Lists the best balanced bracketings by a field alone; None if the right one has a label that it does not know."""
    chain, sentence = model.chain, example.sentence
    scores, symbols = chain.scores(model.template(sentence)), token_symbols(sentence)
    found = AcceptorSearch(chain.labels, chain.transitions, {}).nbest(scores, symbols, CANDIDATES)
    wanted = brackets_of(example.clauses, len(sentence))
    if wanted not in [brackets for brackets, _ in found]:
        cost = _cost(model, scores, wanted)
        if cost is None:
            return None
        found.append((wanted, cost))
    right = [brackets for brackets, _ in found].index(wanted)
    names = [rule.name for rule in bracket_rules()]
    broken = [breaches(written(brackets, symbols)) for brackets, _ in found]
    counts = np.array([[own.get(name, 0) for name in names] for own in broken], dtype=np.float64)
    return Candidates(right, np.array([cost for _, cost in found]), counts)


def _cost(model: ClauseModel, scores: Floats, wanted: Sequence[Brackets]) -> float | None:
    """Returns what a labelling costs beyond the best one of the field; None if the field has not all of its labels."""
    chain = model.chain
    columns = {label: column for column, label in enumerate(chain.labels)}
    labels = [columns.get(str(own)) for own in wanted]
    known = [label for label in labels if label is not None]
    if len(known) < len(labels):
        return None
    own = scores[np.arange(len(known)), known].sum() + chain.transitions[known[:-1], known[1:]].sum()
    return float((scores[0] + best_rests(scores, chain.transitions)[0]).max() - own)


def fitted(every: Sequence[Candidates], prior: float = PRIOR) -> Floats:
    """Returns (num_rules,) costs from 0 on that make the right bracketings most probable (projected gradient descent).

    >>> own = Candidates(1, np.array([0.0, 1.0]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> costs = fitted([own] * 50)
    >>> bool(costs[0] > 3), float(costs[1])
    (True, 0.0)
    """
    costs = np.zeros(every[0].breaches.shape[1])
    loss, gradient = _loss(costs, every, prior)
    step = 1.0
    for _ in range(_MOST_STEPS):
        following = np.maximum(costs - step * gradient, 0.0)
        lower, slope = _loss(following, every, prior)
        if lower > loss:
            step /= 2
            continue
        gain, costs, loss, gradient = loss - lower, following, lower, slope
        if gain < _SMALLEST_GAIN:
            break
        step *= 1.5
    return costs


def _loss(costs: Floats, every: Iterable[Candidates], prior: float) -> tuple[float, Floats]:
    """Returns the negative logarithm of the probability of what is right, and its gradient."""
    loss, gradient = 0.5 * prior * float(costs @ costs), prior * costs
    for one in every:
        scores = -one.costs - one.breaches @ costs
        powers = np.exp(scores - scores.max())
        shares = powers / powers.sum()
        loss -= float(np.log(shares[one.right]))
        gradient = gradient + one.breaches[one.right] - shares @ one.breaches
    return loss, gradient


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
    return ([one for name in training for one in files[name]], [one for name in tuning for one in files[name]])


def main(arguments: Sequence[str] | None = None) -> None:
    """Tunes the costs, prints them, and writes them into the table."""
    parser = argparse.ArgumentParser(prog="python -m experiments.hindi.bracket_costs", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the costs into the table of the rules")
    parser.add_argument("--data", type=Path, help="the folder with the corpora; that of the config if it is not given")
    options = parser.parse_args(arguments)
    settings = read_settings(Path(__file__).with_name("config.yaml"), ())
    data = options.data or Path(settings["data"])
    held_out = {line.strip() for line in read_lines(data / settings["held_out"])}
    training, tuning = _examples(data / settings["treebank"], held_out)
    every: list[Candidates] = []
    for name, template in TEMPLATES.items():
        model = ClauseModel.train([(one.sentence, one.clauses) for one in training], template=template)
        own = [found for one in tuning if (found := candidates(model, one)) is not None]
        print(f"{name}: trained on {len(training)} sentences, {len(own)} of {len(tuning)} to tune on")
        every += own
    costs = fitted(every)
    before, after = (_loss(one, every, 0.0)[0] / len(every) for one in (np.zeros_like(costs), costs))
    print(f"nats per sentence: {before:.3f} without rules, {after:.3f} with them")
    found = {rule.name: float(cost) for rule, cost in zip(bracket_rules(), costs, strict=True)}
    for rule, cost in found.items():
        print(f"{cost:6.2f}  {rule}")
    if options.write:
        path = grammar_path(TABLE)
        lines = list(with_costs(read_lines(path), found))
        with open_text(path, "w") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
