"""Writes the demo's data; a script for maintainers.

    python -m lattice_simp.grammars.demo.generate [--output DIR] [--train]

Run it at the top of a checkout; it needs only Python and pynini. The same grammar gives the same bytes: seeds are
fixed, gzip headers carry no time. It takes about a minute and writes::

    test.jsonl      sentences that are in no training pair, with the masks of their skeletons
    test.de         their translations
    rules.gz        the hierarchical rules of the training part
    lm.arpa.gz      the language model of the training part's German side
    train.en, .de   the training part, only when asked for (--train): no data of the package
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from lattice_simp.grammars.demo import data_path
from lattice_simp.grammars.demo.extract import Limits, RuleTable
from lattice_simp.grammars.demo.language_model import WittenBell
from lattice_simp.grammars.demo.relation import Relation
from lattice_simp.grammars.demo.sample import SentencePair, draw
from lattice_simp.grammars.demo.vocabulary import CLAUSE

SEED = 2016
DRAWN = 30000
"""The number of random paths; repeated sentences and sentences that repeat a lexeme are dropped."""
TEST_SIZE = 200
TEST_LENGTHS = range(8, 17)
"""The lengths of test sentences, long enough for gaps that n-grams do not span."""
MIN_SEEN = 3
"""The least occurrences in the training part of each word of a test sentence."""
LIMITS = Limits(max_phrase=5, min_phrase_count=5, min_count=60, min_probability=0.05, max_targets=12)
"""The limits of the rule table, which leave some thousand rules of about a million, to keep the package small."""
GAPLESS_DRAWN = 30000
"""The number of sentences without gaps for the language model alone, in which nouns and verbs are adjacent."""
LM_ORDER = 4
LM_THRESHOLD = 4.0


def split(pairs: list[SentencePair]) -> tuple[list[SentencePair], list[SentencePair]]:
    """Divides the corpus into a training and a test part; the latter has known words and gaps with clauses only."""
    counts = Counter(word for pair in pairs for word in pair.english)
    test: list[SentencePair] = []
    train: list[SentencePair] = []
    for pair in pairs:
        has_clause = any(kind == CLAUSE for kind, _, _ in pair.gaps)
        known = all(counts[word] > MIN_SEEN for word in pair.english)
        fits = len(pair.english) in TEST_LENGTHS and has_clause and known
        (test if fits and len(test) < TEST_SIZE else train).append(pair)
    return train, test


def test_records(test: Iterable[SentencePair]) -> list[str]:
    """Returns a JSON line for each test sentence, in the format of `lattice_simp.skeleton`."""
    return [
        json.dumps({"id": f"demo.{i}", "line": i, "tokens": pair.english, "keep": pair.masks()}, ensure_ascii=False)
        for i, pair in enumerate(test)
    ]


def write(path: Path, lines: Iterable[str]) -> None:
    """Writes lines, compressed if the name ends in `.gz`; the same lines give the same bytes."""
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content, compresslevel=9, mtime=0) if path.suffix == ".gz" else content)


def language_model(train: Iterable[SentencePair]) -> WittenBell:
    """Estimates the language model from the training part and from sentences without gaps. No test sentence is among
    the latter, since each has a gap.
    """
    gapless = draw(Relation.build(gaps=False), GAPLESS_DRAWN, SEED)
    return WittenBell((pair.german for pair in (*train, *gapless)), LM_ORDER, LM_THRESHOLD)


def corpus() -> tuple[list[SentencePair], list[SentencePair]]:
    """Returns the training and the test part."""
    return split(draw(Relation.build(), DRAWN, SEED))


def main() -> None:
    """Generates all files."""
    parser = argparse.ArgumentParser(description="Generates the data of the demo.")
    parser.add_argument("--output", type=Path, default=data_path("."), help="the folder for the files")
    parser.add_argument("--train", action="store_true", help="write the training text, too")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    train, test = corpus()
    write(options.output / "test.jsonl", test_records(test))
    write(options.output / "test.de", (" ".join(pair.german) for pair in test))
    write(options.output / "lm.arpa.gz", language_model(train).arpa())
    write(options.output / "rules.gz", RuleTable(train, LIMITS).lines())
    if options.train:
        write(options.output / "train.en", (" ".join(pair.english) for pair in train))
        write(options.output / "train.de", (" ".join(pair.german) for pair in train))


if __name__ == "__main__":
    main()
