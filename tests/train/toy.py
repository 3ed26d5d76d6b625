"""A toy language pair with a grammar of its own, and training runs on it without worker processes."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

import yaml

NOUNS = {
    "chat": "cat", "chien": "dog", "cheval": "horse", "jardin": "garden", "pont": "bridge", "livre": "book",
    "maison": "house", "voiture": "car", "rue": "street", "table": "table", "fleur": "flower", "porte": "door",
}  # fmt: skip
FEMININE = ("maison", "voiture", "rue", "table", "fleur", "porte")
ADJECTIVES = {
    "noir": "black", "rouge": "red", "vieux": "old", "lent": "slow", "calme": "quiet", "grand": "big", "triste": "sad",
}  # fmt: skip
VERBS = {
    "voit": "sees", "aime": "likes", "trouve": "finds", "cherche": "looks for", "montre": "shows", "quitte": "leaves",
}  # fmt: skip
ADVERBS = {"aujourd'hui": "today", "souvent": "often", "ici": "here", "demain": "tomorrow", "vite": "quickly"}
SYNONYMS = {"big": "large", "finds": "discovers", "street": "road"}
"""Alternative translations, which make weights matter."""


def noun_phrase(choose: random.Random) -> tuple[list[str], list[str]]:
    """Returns a noun with its adjective, which comes last in the source language and first in the target language."""
    noun = choose.choice(list(NOUNS))
    source, target = ["la" if noun in FEMININE else "le", noun], ["the", NOUNS[noun]]
    if choose.random() < 0.5:
        adjective = choose.choice(list(ADJECTIVES))
        source.append(adjective)
        target.insert(1, ADJECTIVES[adjective])
    return source, target


def toy_pair(choose: random.Random) -> tuple[str, str]:
    """Returns a sentence and its translation as plain text, with a capital and a full stop."""
    (subject, result), verb, (thing, other) = noun_phrase(choose), choose.choice(list(VERBS)), noun_phrase(choose)
    source, target = [*subject, verb, *thing], [*result, *VERBS[verb].split(), *other]
    if choose.random() < 0.4:
        adverb = choose.choice(list(ADVERBS))
        source.insert(len(subject) + 1, adverb)
        target.append(ADVERBS[adverb])
    target = [SYNONYMS.get(word, word) if choose.random() < 0.3 else word for word in target]
    return tuple((" ".join(side) + ".").capitalize() for side in (source, target))


def toy_pairs(count: int, seed: int) -> list[tuple[str, str]]:
    choose = random.Random(seed)
    return [toy_pair(choose) for _ in range(count)]


def toy_arpa(sentences: list[str], discount: float = 0.5) -> str:
    """Returns a bigram model of token lines with absolute discounting."""
    tokens = [["<s>", *sentence.split(), "</s>"] for sentence in sentences]
    words = Counter(word for sentence in tokens for word in sentence[1:])
    pairs = Counter(pair for sentence in tokens for pair in pairwise(sentence))
    before = Counter(first for first, _ in pairs.elements())
    followers = Counter(first for first, _ in pairs)
    total = words.total() + 1
    unigrams = [f"{math.log10(1 / total):.6f}\t<unk>", f"-99\t<s>\t{math.log10(discount):.6f}"]
    for word, count in sorted(words.items()):
        backoff = math.log10(discount * followers[word] / before[word]) if word in before else 0
        unigrams.append(f"{math.log10(count / total):.6f}\t{word}\t{backoff:.6f}")
    bigrams = [
        f"{math.log10((count - discount) / before[pair[0]]):.6f}\t{pair[0]} {pair[1]}"
        for pair, count in sorted(pairs.items())
    ]
    counts = f"\\data\\\nngram 1={len(unigrams)}\nngram 2={len(bigrams)}\n\n"
    return counts + "\n".join(["\\1-grams:", *unigrams, "", "\\2-grams:", *bigrams, "", "\\end\\", ""])


def toy_tokens(line: str) -> str:
    return line.lower().replace(".", " .")


def write_lines(path: Path, lines) -> Path:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def write_toy_data(folder: Path) -> Path:
    """Writes the text files of a training run: 230 pairs, a development and a test set, a language model."""
    pairs = toy_pairs(230, seed=1)
    for name, some in {"train": pairs, "dev": toy_pairs(12, seed=2), "test": toy_pairs(8, seed=3)}.items():
        write_lines(folder / f"{name}.fr", [source for source, _ in some])
        write_lines(folder / f"{name}.en", [target for _, target in some])
    (folder / "lm.arpa").write_text(toy_arpa([toy_tokens(target) for _, target in pairs]), encoding="utf-8")
    return folder


def toy_config(folder: Path, work: Path, **sections) -> dict:
    """Returns the settings of a run on the files of `toy_data`; sections are added to, others replaced."""
    values = {
        "data": str(folder),
        "work": str(work),
        "shard_lines": 90,
        "corpora": [{"name": "toy", "source": "train.fr", "target": "train.en"}],
        "text": {"source_language": "fr", "target_language": "en"},
        "align": {"method": "hmm"},
        "rules": {"max_span": 6, "max_symbols": 4},
        "language_model": {"arpa": "lm.arpa"},
        "tune": {
            "development": {"name": "dev", "source": "dev.fr", "references": ["dev.en"]},
            "max_rounds": 2,
            "random_directions": 2,
            "restarts": 0,
        },
        "test": [{"name": "test", "source": "test.fr", "references": ["test.en"]}],
    }
    for name, section in sections.items():
        known = values.get(name)
        values[name] = {**known, **section} if isinstance(known, dict) and isinstance(section, dict) else section
    return values


def write_config(path: Path, data: Path, work: Path, **sections) -> Path:
    path.write_text(yaml.safe_dump(toy_config(data, work, **sections)), encoding="utf-8")
    return path


PASSING = {"stage.json", "results.json", "config.yaml", ".lock", "tune.log"}
"""Files that name times or paths."""


def contents(work: Path) -> dict[str, bytes]:
    """Returns all files of a work folder that two runs on the same data share byte by byte, the model's included."""
    paths = [path for path in work.rglob("*") if path.is_file() and path.name not in PASSING]
    return {str(path.relative_to(work)): path.read_bytes() for path in paths if ".lattice_simp" not in path.parts}


def times(work: Path) -> dict[str, int]:
    """Returns the modification time of each file of a work folder, except for those that each run writes."""
    paths = [path for path in work.rglob("*") if path.is_file()]
    return {str(path): path.stat().st_mtime_ns for path in paths if path.parent != work}


def write_toy_experiment(folder, settings, corpora=(), **sections):
    """Writes an experiment on the toy pair, with further corpora of the same text; returns its settings."""
    write_toy_data(folder)
    values = toy_config(folder, folder / "unused", language_model={"arpa": None, "discount_fallback": True})
    values["corpora"] += [{"name": name, "source": "train.fr", "target": "train.en"} for name in corpora]
    values = {name: values[name] for name in ("work", "corpora", "text", "rules", "language_model")} | sections
    values["tune"] = {"max_rounds": 1, "random_directions": 1, "restarts": 0}
    (folder / "train.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    settings = {**settings, "data": str(folder), "work": str(folder / "work")}
    (folder / "config.yaml").write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
    return settings


def toy_results(main, folder, capsys):
    """Runs an experiment, which prints the page that it writes; returns its figures and the page."""
    main([str(folder), "--output", str(folder)])
    page = (folder / "RESULTS.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out.strip() == page.strip()
    return json.loads((folder / "results.json").read_text(encoding="utf-8")), page
