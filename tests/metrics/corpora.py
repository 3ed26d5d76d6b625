"""Small corpora for tests of the evaluation: random sentences, and copies with mistakes."""

from __future__ import annotations

import lzma
import random

WORDS = 'the a cat dog house bridge , . was built by near old-fashioned don\'t 3.5 Mayor (again) "so" 100% état'.split()


def random_sentences(count: int, seed: int, longest: int = 12, words: list[str] = WORDS) -> list[str]:
    """Returns sentences of 0 to `longest` words; some are empty, some have no repeated word."""
    choose = random.Random(seed)
    return [" ".join(choose.choices(words, k=choose.randrange(longest + 1))) for _ in range(count)]


def with_mistakes(sentences: list[str], rate: float, seed: int) -> list[str]:
    """Returns copies with words deleted, truncated, swapped or preceded by another one."""
    choose = random.Random(seed)
    copies = []
    for sentence in sentences:
        words = []
        for word in sentence.split():
            kind = choose.random() / rate
            if kind < 0.3:
                continue
            words.extend([word[:-1] or word] if kind < 0.6 else ["the", word] if kind < 1 else [word])
        if len(words) > 4 and choose.random() < rate:
            index = choose.randrange(len(words) - 2)
            words[index], words[index + 2] = words[index + 2], words[index]
        copies.append(" ".join(words))
    return copies


def real_sentences(shared, name: str, count: int) -> list[str]:
    """Returns the first lines of a shared test set."""
    with lzma.open(shared / "data" / "wmt" / f"{name}.xz", "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line, _ in zip(file, range(count), strict=False)]
