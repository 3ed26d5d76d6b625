"""The stages `prepare` and `number`, against the same work pair by pair."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from train.toy import write_lines

from lattice_simp.errors import InputWarning, LatticeSimpError
from lattice_simp.pipeline.shards import lists_of, over_shards, read_shard, shard_paths
from lattice_simp.pipeline.stage import Run, run_stage
from lattice_simp.support.settings_file import checked_settings
from lattice_simp.text.tokeniser import tokenisers
from lattice_simp.train.config import Config
from lattice_simp.train.text import prepare
from lattice_simp.train.text.clean import reason_to_drop
from lattice_simp.train.text.prepare import prepare_stage
from lattice_simp.train.text.vocabulary import number_stage, numbers_of, read_words

OWN, OTHER = [f"mot{n}" for n in range(15)], [f"word{n}" for n in range(15)]


def noisy_pairs(count: int, seed: int) -> list[tuple[str, str]]:
    """Pairs with duplicates, empty and long sides, and sides in the wrong language."""
    choose = random.Random(seed)
    pairs: list[tuple[str, str]] = []
    for _ in range(count):
        length = choose.randrange(1, 9)
        source = " ".join(choose.choices(OWN, k=length)).capitalize() + "."
        target = " ".join(choose.choices(OTHER, k=length)).capitalize() + "."
        kind = choose.random()
        if kind < 0.25 and pairs:
            source, target = choose.choice(pairs)
        elif kind < 0.3:
            source = target
        elif kind < 0.35:
            target = source
        elif kind < 0.4:
            source, target = choose.choice([("", target), (source, " "), (source * 30, target)])
        pairs.append((source, target))
    return pairs


@pytest.fixture
def corpora(tmp_path):
    """Two corpora of 100 and 57 pairs, and a function that makes configs for them."""
    every = {"first": noisy_pairs(100, 1), "second": noisy_pairs(57, 2) + noisy_pairs(100, 1)[:20]}
    for name, pairs in every.items():
        write_lines(tmp_path / f"{name}.fr", [source for source, _ in pairs])
        write_lines(tmp_path / f"{name}.en", [target for _, target in pairs])

    def config(shard_lines=30, text=(), clean=()):
        corpora = [{"name": name, "source": f"{name}.fr", "target": f"{name}.en"} for name in every]
        languages = {"source_language": "fr", "target_language": "en"}
        values = {"data": str(tmp_path), "work": str(tmp_path), "shard_lines": shard_lines, "corpora": corpora}
        clean = {"max_words": 20} | dict(clean)
        return checked_settings(Config, values | {"text": languages | dict(text), "clean": clean}, "c")

    config.pairs = list(every.values())
    return config


def prepared(config, tmp_path, **options):
    folder, record = run_stage(prepare_stage(config), "k", tmp_path / "work", Run(**options))
    return folder, record


def rows_of(folder):
    tables = [read_shard(path) for path in shard_paths(folder)]
    return [
        tuple(row[name] for name in ("source", "target", "corpus", "line")) for t in tables for row in t.to_pylist()
    ]


def count_of(kind: str, sentence: str) -> int:
    return sum(word.startswith(kind) for word in sentence.lower().split())


def expected_rows(config, every, *, language):
    """What `prepare` must give, pair by pair."""
    both = tokenisers(config.text)
    rows, reasons = [], Counter()
    for corpus, pairs in enumerate(every):
        for number, (source, target) in enumerate(pairs):
            source, target = both[0].tokens(source), both[1].tokens(target)
            reason = reason_to_drop(source, target, config.clean)
            reasons[reason] += 1
            rows += [(source, target, corpus, number)] * (reason is None)
    kept, seen = [], set()
    for row in rows:
        if row[:2] in seen and not config.clean.duplicates:
            reasons["duplicate"] += 1
        elif language and (count_of("mot", row[1]) >= 4 or count_of("word", row[0]) >= 4):
            reasons["language"] += 1
        else:
            kept.append(row)
        seen.add(row[:2])
    del reasons[None]
    return kept, +reasons


@pytest.mark.parametrize("shard_lines", [7, 30, 1000])
@pytest.mark.parametrize("duplicates", [False, True])
def test_what_stays_does_not_depend_on_the_shards(corpora, tmp_path, shard_lines, duplicates):
    config = corpora(shard_lines, clean={"duplicates": duplicates})
    folder, record = prepared(config, tmp_path)
    kept, reasons = expected_rows(config, corpora.pairs, language=True)
    assert rows_of(folder) == kept
    assert +Counter(record["dropped"]) == reasons
    assert reasons.keys() == {"empty", "long", "language", *([] if duplicates else ["duplicate"])}
    assert record["pairs"] == len(kept)
    assert record["read"] == sum(map(len, corpora.pairs))
    assert {path.suffix for path in folder.iterdir()} == {".parquet", ".json"}  # the intermediate files are gone
    assert len(list(folder.glob("*.json"))) == 1


def test_languages_may_be_left_alone(corpora, tmp_path):
    config = corpora(clean={"language": False})
    assert rows_of(prepared(config, tmp_path)[0]) == expected_rows(config, corpora.pairs, language=False)[0]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [2])
def test_workers_make_the_same_files(corpora, tmp_path, jobs, monkeypatch):
    parallel, _ = prepared(corpora(15), tmp_path / "parallel", jobs=jobs)
    alone, _ = prepared(corpora(15), tmp_path / "alone")
    assert [path.read_bytes() for path in shard_paths(parallel)] == [path.read_bytes() for path in shard_paths(alone)]


def test_truecased_shards(corpora, tmp_path):
    folder, _ = prepared(corpora(text={"case": "true"}), tmp_path)
    kept, _ = expected_rows(corpora(text={"case": "keep"}), corpora.pairs, language=True)
    rows = rows_of(folder)
    assert [(source.lower(), target.lower(), *rest) for source, target, *rest in rows] == [
        (source.lower(), target.lower(), *rest) for source, target, *rest in kept
    ]
    firsts = [(source.split()[0], target.split()[0]) for source, target, *_ in rows]
    assert not any(source.startswith("Mot") or target.startswith("Word") for source, target in firsts)
    assert any(source.startswith("Word") for source, _ in firsts)  # a word that is nowhere else on this side
    words = (folder / "casing.source.txt").read_text(encoding="utf-8").split()
    assert set(OWN) < set(words)
    assert words == sorted(words)


class Crash(BaseException):
    """Ends a run anywhere, as a kill would."""


@pytest.mark.slow
def test_a_run_that_ends_anywhere_goes_on_to_the_same(corpora, tmp_path, monkeypatch):
    """Ends a run before its n-th operation on the disk, for all n, and goes on from there."""
    config = corpora(100, text={"case": "true"})
    expected, record = prepared(config, tmp_path / "whole")
    names = sorted(path.name for path in expected.iterdir())
    operations = ("replace", "unlink", "rmdir")
    reached = 0
    for index in range(1, 200):
        left = [index]

        def counted(operation, left=left):
            def run(*arguments, **options):
                left[0] -= 1
                if left[0] == 0:
                    raise Crash
                return operation(*arguments, **options)

            return run

        work = tmp_path / str(index)
        with monkeypatch.context() as patch:
            for name in operations:
                patch.setattr(f"os.{name}", counted(getattr(prepare.shutil.os, name)))
            try:
                prepared(config, work)
            except Crash:
                reached += 1
        folder, again = prepared(config, work)
        assert {key: again[key] for key in ("pairs", "read", "dropped")} == {
            key: record[key] for key in ("pairs", "read", "dropped")
        }
        assert sorted(path.name for path in folder.iterdir()) == names
        assert [path.read_bytes() for path in shard_paths(folder)] == [
            path.read_bytes() for path in shard_paths(expected)
        ]
        if left[0] > 0:
            break
    assert reached > 20


def test_an_interrupted_run_keeps_its_tokens(corpora, tmp_path, monkeypatch):
    config = corpora(20)
    tokenised = []

    def counted(run, factory, tasks, done):
        for task, result in over_shards(run, factory, tasks, done):
            tokenised.append(task)
            yield task, result
            if len(tokenised) == 4:
                raise Crash

    monkeypatch.setattr(prepare, "over_shards", counted)
    with pytest.raises(Crash):
        prepared(config, tmp_path)
    prepared(config, tmp_path)
    assert [int(path.stem) for path in tokenised] == list(range(9))


# ---------------------------------------------------------------- numbers


def test_words_are_numbered_by_frequency_and_text_can_be_read_back(corpora, tmp_path):
    folder, _ = prepared(corpora(30), tmp_path)
    # A shard without any pair must do no harm.
    empty = read_shard(shard_paths(folder)[0]).slice(0, 0)
    prepare.write_shard(folder / "000099.parquet", {name: empty[name] for name in empty.column_names})
    numbered, counted = run_stage(number_stage(), "k", tmp_path / "work", Run(folders={"prepare": folder}))
    rows = rows_of(folder)
    for index, side in enumerate(("source", "target")):
        words = read_words(numbered, side)
        counts = Counter(word for row in rows for word in row[index].split())
        assert words == sorted(counts, key=lambda word: (-counts[word], word))
        assert (counted[f"{side}_types"], counted[f"{side}_words"]) == (len(counts), counts.total())
        lines = []
        for path in shard_paths(numbered):
            offsets, flat = lists_of(read_shard(path)[side])
            lines += [[words[number] for number in flat[a:b]] for a, b in pairwise(offsets)]
        assert lines == [row[index].split() for row in rows]
    corpus = np.concatenate([read_shard(path)["corpus"].to_numpy() for path in shard_paths(numbered)])
    assert corpus.tolist() == [row[2] for row in rows]


def test_numbers_of_lines():
    offsets, flat = numbers_of(["a b", "", "b zz"], ["b", "a"])
    assert (offsets.tolist(), flat.tolist()) == ([0, 2, 2, 4], [1, 0, 0, -1])


def test_nothing_fit_is_an_error_each_time(corpora, tmp_path):
    config = corpora(clean={"min_words": 15})
    for _ in range(2):
        with pytest.raises(LatticeSimpError, match="none of 177 sentence pairs is usable for training"):
            prepared(config, tmp_path)


def test_lists_in_place_of_sentences_are_told(corpora, tmp_path):
    write_lines(tmp_path / "first.en", [f"{n} ||| word ||| -1" for n in range(100)])
    with pytest.warns(InputWarning, match=r"first.en: looks like an n-best list, and each line counts as a sentence"):
        prepared(corpora(), tmp_path)
