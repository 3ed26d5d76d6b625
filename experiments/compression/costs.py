"""Estimates the costs of deletions from hand-made skeletons, and writes `grammars/english/deletable.tsv`.

python -m experiments.compression.costs --set data=../shared/data

The cost is minus the natural log of the share of dependents that are deleted with their whole subtree, among those with
kept heads. Labels that are never optional (subjects, objects, auxiliaries) are not counted, and a few rare labels get
guessed costs.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from experiments.compression.stages import NEWS, Example, load_domains, parses_stage
from experiments.files import write_lines
from lattice_simp.grammars.english.lexicon import COST_COLUMNS
from lattice_simp.pipeline.runner import run_stages
from lattice_simp.pipeline.stage import Run
from lattice_simp.skeleton.automatic.deletion_tree import place_to_head
from lattice_simp.support.settings_file import read_settings
from lattice_simp.support.tables import grammar_path, read_table

LEAST = 20
"""The least number of dependents for a row; half as many for the only row of a label."""

LOWEST = 0.2
"""The lowest cost of a deletion, in nats."""

NEGLIGIBLE = 0.15
"""The least difference, in nats, of a row from the more general row that would replace it."""

_ANY = "*"
_WORDS = ("of", "to")
"""Prepositions that are kept more often than others, with rows of their own."""

_JOINING = "cc"
"""The label of conjunctions, which are deleted with their conjunct; those without one are too rare to count."""

_PARTS = ("NOUN", "PROPN", "VERB", "AUX", "ADJ", "NUM", "PRON")

_Key = tuple[str, str, str, str]


def estimate_costs(examples: Iterable[Example], labels: Iterable[str]) -> dict[_Key, float]:
    """Returns costs in nats by (label, word, part of speech of the head, place)."""
    seen, deleted = Counter[_Key](), Counter[_Key]()
    wanted = set(labels) - {_JOINING}
    for example in examples:
        parse = example.parse
        for position, head in enumerate(parse.heads):
            if head < 0 or parse.labels[position] not in wanted:
                continue
            keys = list(_keys(example, position, head))
            subtree = parse.subtree(position)
            for skeleton in example.references:
                if skeleton.mask[head]:
                    is_deleted = not any(skeleton.mask[each] for each in subtree)
                    seen.update(keys)
                    deleted.update(keys if is_deleted else ())
    costs = {
        key: max(LOWEST, round(-math.log((deleted[key] + 0.5) / (count + 1)), 1))
        for key, count in seen.items()
        if count >= (LEAST if key[2:] != (_ANY, _ANY) else LEAST // 2)
    }
    return {key: cost for key, cost in costs.items() if not _is_said_already(key, cost, costs)}


def _keys(example: Example, position: int, head: int) -> Iterable[_Key]:
    parse = example.parse
    label, word = parse.labels[position], parse.tokens[position].lower()
    shown_word = word if label == "prep" and word in _WORDS else _ANY
    part, where = parse.parts[head], place_to_head(parse, position, head)
    for tag in sorted({part, _ANY} & {*_PARTS, _ANY}):
        for other in sorted({where, _ANY}):
            yield label, shown_word, tag, other


def _is_said_already(key: _Key, cost: float, costs: dict[_Key, float]) -> bool:
    label, word, part, place = key
    general = [(label, word, part, _ANY), (label, word, _ANY, place), (label, word, _ANY, _ANY)]
    standing_in = next((costs[other] for other in general if other != key and other in costs), None)
    return standing_in is not None and abs(standing_in - cost) < NEGLIGIBLE


def main() -> None:
    """Rewrites the table, except for the notes on its labels and the rows of rare labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    config = read_settings(Path(__file__).with_name("config.yaml"), parser.parse_args().overrides)
    config["sets"] = [entry for entry in config["sets"] if entry["name"] == NEWS]
    done = run_stages([parses_stage(entry, config) for entry in config["sets"]], Path(config["work"]), Run())
    path = grammar_path("english/deletable.tsv")
    columns = (*COST_COLUMNS, "note")
    rows = [tuple(row[column] for column in columns) for row in read_table(path, columns, full=True)]
    notes = {row[0]: row[-1] for row in rows}
    costs = estimate_costs(load_domains(config, done.folders)[0].train, notes)
    estimated = {key[0] for key in costs}
    written = [row for row in rows if row[0] not in estimated]
    written += [(*key, f"{cost:.1f}", notes[key[0]]) for key, cost in costs.items()]
    write_lines(path, ("\t".join(row) for row in [columns, *sorted(written)]))


if __name__ == "__main__":
    main()
