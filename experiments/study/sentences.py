"""The sentences of a study: tokens, references, and their skeletons by kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from lattice_simp.errors import FormatError
from lattice_simp.skeleton import Skeleton, read_skeletons
from lattice_simp.support.textio import read_lines
from lattice_simp.train.config import Config, TestSet
from lattice_simp.train.tuning import chosen_lines, read_test_set, read_texts, test_set_files

DEVELOPMENT, TEST = "development", "test"
"""The names of the development set and of the first test set; others have names from the config."""

SETS = (DEVELOPMENT, TEST)
"""The sets of an experiment with only these two."""

HAND: Final = "hand"
HAND_LONG: Final = "hand-long"
"""The first and the second judgement of a skeleton file: about half of the words, usually about two thirds."""

HAND_MADE = (HAND, HAND_LONG)


@dataclass(frozen=True)
class StudySentence:
    """A sentence: its tokens, tokens and lines of its references, and its skeletons by kind, best first."""

    words: tuple[str, ...]
    references: tuple[str, ...]
    originals: tuple[str, ...]
    skeletons: dict[str, tuple[Skeleton, ...]]
    probabilities: dict[str, tuple[float, ...]] = field(default_factory=dict)


def set_names(config: Config) -> tuple[str, ...]:
    """Returns the names of the sets of a study: the development set, and all test sets."""
    return (DEVELOPMENT, *(test.name for test in config.test))


def test_names(names: Iterable[str]) -> tuple[str, ...]:
    """Returns the names without the development set's."""
    return tuple(name for name in names if name != DEVELOPMENT)


def test_set(config: Config, name: str) -> TestSet:
    """Returns the training run's development set, or a test set by its name."""
    if name == DEVELOPMENT:
        assert config.tune.development is not None
        return config.tune.development
    return next(test for test in config.test if name in (test.name, TEST))


def set_files(config: Config, names: Iterable[str]) -> list[Path]:
    """Returns all files of sets."""
    return [path for name in names for path in test_set_files(config, test_set(config, name))]


def read_sentences(config: Config, name: str, model: Path, automatic: Mapping[str, Path]) -> list[StudySentence]:
    """Reads a set in the tokens of a model, with skeletons of its own file and of files of other kinds."""
    test = test_set(config, name)
    assert test.skeletons is not None
    sources, references = read_test_set(config, test, model)
    originals = read_texts(config, test)[1]
    path = config.path(test.skeletons)
    by_line = {record.line: record.skeletons for record in read_skeletons(path)}
    lines = chosen_lines(config, test, sum(1 for _ in read_lines(config.path(test.source))))
    others = {
        kind: {" ".join(record.tokens).lower(): record for record in read_skeletons(file)}
        for kind, file in automatic.items()
    }
    sentences = []
    for number, (source, line) in enumerate(zip(sources, lines, strict=True)):
        words = tuple(source.split())
        tokens = by_line[line][0].tokens
        if len(tokens) != len(words):
            message = f"line {line} has {len(tokens)} tokens, but the sentence has {len(words)}"
            raise FormatError(message, path=path, remedy="tokenise the skeletons as the model's text")
        # Skeletons may have the tokens of the file, whose marks can differ from the model's.
        texts = (" ".join(tokens).lower(), source.lower())
        chosen = {kind: skeletons[text] for kind, skeletons in others.items() for text in texts if text in skeletons}
        kinds = {HAND: by_line[line][:1], HAND_LONG: by_line[line][1:2]}
        kinds |= {kind: record.skeletons for kind, record in chosen.items()}
        fitted = {
            kind: tuple(Skeleton(words, skeleton.mask) for skeleton in skeletons if skeleton.is_strict)
            for kind, skeletons in kinds.items()
        }
        sentences.append(
            StudySentence(
                words,
                tuple(lines_of[number] for lines_of in references),
                tuple(lines_of[number] for lines_of in originals),
                {kind: skeletons for kind, skeletons in fitted.items() if skeletons},
                {
                    kind: record.probabilities
                    for kind, record in chosen.items()
                    if record.probabilities and fitted[kind]
                },
            )
        )
    return sentences
