"""The stages `extract`, `count` and `targets` against counts in dictionaries."""

from __future__ import annotations

import hashlib
import os
from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pyarrow.parquet as pq
import pytest

from lattice_simp.pipeline.shards import read_shard, shard_paths
from lattice_simp.text.truecase import write_casing
from lattice_simp.train.rules import extract_stage
from lattice_simp.train.rules.count import read_target_counts
from lattice_simp.train.rules.extract import Limits, pattern_hash
from lattice_simp.train.rules.out_of_core import binary_column, rows_of

LIMITS = Limits(8, 5, 2)
ALL = {"max_span": 8, "max_targets": 10**6}
STAGES = ("extract", "count", "targets")


def packed(symbols):
    return np.array(symbols, dtype=np.int32).tobytes()


def packed_points(points):
    return bytes(value for point in points for value in point)


def brute_counts(pairs, brute_rules, limits=LIMITS):
    """Returns {(source, target): {points: count}} and {(source, target): corpora}, in bytes."""
    points, corpora = defaultdict(Counter), Counter()
    for pair in pairs:
        for rule, number in brute_rules(pair, limits).items():
            key = packed(rule.source), packed(rule.target)
            points[key][packed_points(rule.points)] += number
            corpora[key] |= 1 << pair.corpus
    return points, corpora


def has_gaps(source):
    return (np.frombuffer(source, dtype=np.int32) < 0).any()


def brute_table(pairs, brute_rules, *, max_targets=10**6, min_count=1, wanted=lambda source: True, limits=LIMITS):
    """Returns the rows of `count` as {(source, target): (points, corpora, has_gaps, count, source_count)}."""
    points, corpora = brute_counts(pairs, brute_rules, limits)
    sources = defaultdict(list)
    for source, target in points:
        sources[source].append((-points[source, target].total(), target))
    rows = {}
    for source, targets in sources.items():
        whole = -sum(number for number, _ in targets)
        for minus, target in sorted(targets)[:max_targets]:
            if wanted(source) and not (has_gaps(source) and -minus < min_count):
                best = min(points[source, target].items(), key=lambda item: (-item[1], item[0]))[0]
                rows[source, target] = (best, corpora[source, target], has_gaps(source), -minus, whole)
    return rows


def brute_target_counts(pairs, brute_rules, limits=LIMITS):
    points, _ = brute_counts(pairs, brute_rules, limits)
    counts = Counter()
    for (_, target), alignments in points.items():
        counts[target] += alignments.total()
    return counts


def counted_rows(folder):
    """Returns the rows of all buckets in the form of `brute_table`; checks their order."""
    rows = {}
    for path in shard_paths(folder):
        table = read_shard(path).to_pylist()
        keys = [(row["source"], row["target"]) for row in table]
        assert keys == sorted(set(keys))
        assert rows.keys().isdisjoint(keys)
        for key, row in zip(keys, table, strict=True):
            rows[key] = tuple(row[name] for name in ("points", "corpora", "has_gaps", "count", "source_count"))
    return rows


def check_target_counts(folder, rows, expected):
    """Checks that the targets of all rows are there, with the counts of all rules."""
    hashes, counts = read_target_counts(folder)
    assert (np.diff(hashes) > 0).all()
    actual = dict(zip(hashes.tolist(), counts.tolist(), strict=True))
    targets = {target for _, target in rows}
    assert actual == {pattern_hash(np.frombuffer(target, dtype=np.int32)): expected[target] for target in targets}


def digests(*folders):
    """Returns a digest of each file."""
    return {
        f"{folder.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in folders
        for path in sorted(folder.iterdir())
    }


# ---------------------------------------------------------------- what is counted


@pytest.mark.parametrize("limits", [LIMITS, Limits(3, 3, 1), Limits(5, 2, 2), Limits(4, 4, 0)], ids=str)
@pytest.mark.usefixtures("few_buckets")
def test_counts_are_those_of_all_rules(limits, training, random_pairs, brute_rules):
    pairs = random_pairs(sum(limits), 80, words=3)
    rules = ALL | limits._asdict()
    run = training(pairs, shard_lines=30, **rules).run(*STAGES)
    rows = counted_rows(run.folders["count"])
    assert rows == brute_table(pairs, brute_rules, limits=limits)
    counts = brute_target_counts(pairs, brute_rules, limits)
    check_target_counts(run.folders["targets"], rows, counts)
    assert run.counted["count"] == {"rules": len(rows)}
    assert run.counted["targets"] == {"targets": len(counts), "occurrences": counts.total()}
    assert max(row[3] for row in rows.values()) > 20
    assert max(row[1] for row in rows.values()) == 7


@pytest.mark.slow
@pytest.mark.parametrize("min_count", [1, 2, 4])
@pytest.mark.parametrize("max_targets", [1, 2, 5])
@pytest.mark.usefixtures("few_buckets")
def test_rare_and_unlikely_rules_are_left_out(max_targets, min_count, training, random_pairs, brute_rules):
    pairs = random_pairs(4, 60, words=3)
    settings = {"max_targets": max_targets, "min_count_hierarchical": min_count}
    run = training(pairs, shard_lines=25, **ALL | settings).run(*STAGES)
    rows = counted_rows(run.folders["count"])
    assert rows == brute_table(pairs, brute_rules, max_targets=max_targets, min_count=min_count)
    assert len(rows) < len(brute_counts(pairs, brute_rules)[0])
    counts = brute_target_counts(pairs, brute_rules)
    check_target_counts(run.folders["targets"], rows, counts)
    assert run.counted["targets"]["occurrences"] == counts.total()


@pytest.mark.usefixtures("few_buckets")
def test_ties_of_targets_and_alignments_go_by_bytes(training):
    # Two targets once each, then one rule with three alignments, two of them twice.
    both = [(0, 0), (1, 1)], [(0, 1), (1, 0)]
    pairs = [([1], [258], [(0, 0)]), ([1], [1], [(0, 0)])]
    pairs += [([2, 3], [4, 5], links) for links in (both[1], both[0], both[1], both[0], [(0, 0), (1, 0), (1, 1)])]
    run = training(pairs, shard_lines=2, max_span=8, max_targets=1).run("extract", "count")
    rows = counted_rows(run.folders["count"])
    first = min((packed([258]), packed([1])))
    assert first == packed([1])
    assert {target for source, target in rows if source == packed([1])} == {first}
    assert rows[packed([2, 3]), packed([4, 5])] == (bytes([0, 0, 1, 1]), 1, False, 5, 5)


@pytest.mark.usefixtures("few_buckets")
def test_rules_for_sentences_keep_the_counts_of_all(training, random_pairs, brute_rules):
    pairs = random_pairs(6, 60, words=4)
    plain = {"tokenise": False, "normalise": False}
    run = training(pairs, shard_lines=25, text=plain, only_for=["test.txt"], max_targets=2, max_span=8)
    (run.folder / "test.txt").write_text("s1 s9 s2\nS0\n\ns1 s9 s2\n", encoding="utf-8")
    run.run(*STAGES)
    patterns = [[1], [2], [0], [1, -1], [-1, 2], [1, -1, 2], [-1, 2]]
    wanted = {packed(pattern) for pattern in patterns}
    rows = counted_rows(run.folders["count"])
    assert rows == brute_table(pairs, brute_rules, max_targets=2, wanted=wanted.__contains__)
    assert {source for source, _ in rows} == wanted
    counts = brute_target_counts(pairs, brute_rules)
    check_target_counts(run.folders["targets"], rows, counts)
    assert run.counted["targets"]["occurrences"] == counts.total()


@pytest.mark.usefixtures("few_buckets")
@pytest.mark.parametrize("case", ["lower", "keep", "true"])
def test_the_sentences_are_cased_as_the_pairs(case, training):
    pairs = [([word], [word], [(0, 0)]) for word in range(3)]
    text = {"tokenise": False, "normalise": False, "case": case}
    run = training(pairs, text=text, only_for=["test.txt"])
    for side in ("source", "target"):
        write_casing({"s1": "s1"}, run.folders["prepare"] / f"casing.{side}.txt")
    (run.folder / "test.txt").write_text("S1 S2\n", encoding="utf-8")
    run.run("extract", "count")
    expected = {"lower": [1, 2], "keep": [], "true": [1]}[case]
    assert {source for source, _ in counted_rows(run.folders["count"])} == {packed([word]) for word in expected}


@pytest.mark.usefixtures("few_buckets")
def test_shards_may_have_no_rules(training):
    pairs = [([], [], []), ([1], [], []), ([1], [2], [(0, 0)]), ([1], [2], []), ([3], [3], [])]
    run = training(pairs, shard_lines=1).run(*STAGES)
    rows = counted_rows(run.folders["count"])
    assert rows == {(packed([1]), packed([2])): (bytes([0, 0]), 1, False, 1, 1)}
    assert run.counted["extract"] == {"shard_rules": 1}
    check_target_counts(run.folders["targets"], rows, {packed([2]): 1})


@pytest.mark.usefixtures("few_buckets")
def test_no_rules_are_counted_as_none(training):
    run = training([([1], [2], []), ([3], [3], [])]).run(*STAGES)
    assert counted_rows(run.folders["count"]) == {}
    assert run.counted["targets"] == {"targets": 0, "occurrences": 0}


# ---------------------------------------------------------------- how it is counted


@pytest.mark.slow
@pytest.mark.usefixtures("few_buckets")
def test_shards_and_blocks_do_not_change_the_files(training, random_pairs, monkeypatch, tmp_path):
    pairs = random_pairs(8, 60)
    results = []
    for shard_lines, block in ((60, 10**9), (1, 10**9), (13, 1), (60, 100), (25, 300)):
        monkeypatch.setattr(extract_stage, "BLOCK_RULES", block)
        again = training.func(tmp_path / f"{shard_lines}.{block}", pairs, shard_lines=shard_lines, **ALL).run(*STAGES)
        assert not [path for folder in again.folders.values() for path in folder.glob("*.new*")]
        results.append(digests(again.folders["count"], again.folders["targets"]))
    assert all(other == results[0] for other in results)


@pytest.mark.slow
@pytest.mark.usefixtures("few_buckets")
def test_workers_do_not_change_the_files(training, random_pairs, tmp_path):
    pairs = random_pairs(8, 40)
    results = []
    for jobs, shard_lines in ((2, 12), (0, 40)):
        again = training.func(tmp_path / str(jobs), pairs, jobs=jobs, shard_lines=shard_lines, **ALL).run(*STAGES)
        results.append(digests(again.folders["count"], again.folders["targets"]))
    assert results[0] == results[1]
    assert sum(name.startswith("count/") for name in results[0]) == 3


@pytest.mark.usefixtures("few_buckets")
def test_each_row_group_of_a_shard_holds_one_bucket(training, random_pairs, monkeypatch):
    monkeypatch.setattr(extract_stage, "BLOCK_RULES", 200)
    run = training(random_pairs(8, 60), shard_lines=30).run("extract")
    for path in shard_paths(run.folders["extract"]):
        file = pq.ParquetFile(path)
        buckets = [set(file.read_row_group(group)["bucket"].to_pylist()) for group in range(file.num_row_groups)]
        assert all(len(bucket) == 1 for bucket in buckets)
        assert set.union(*buckets) == {0, 1, 2}
        assert len(buckets) > 3


@pytest.mark.slow
@pytest.mark.usefixtures("few_buckets")
@pytest.mark.parametrize("name", ["bucket=5", "a*b", "a[1]", "what?", "it's {a,b}", "source=x"])
def test_folders_may_have_any_name(name, training, random_pairs, tmp_path):
    pairs = random_pairs(2, 20)
    plain = training(pairs).run(*STAGES)
    for decoy in ("axb", "a1", "whats", "it's a"):  # what the names would match as patterns
        training.func(tmp_path / decoy, pairs).run("extract")
    odd = training.func(tmp_path / name, pairs).run(*STAGES)
    assert digests(odd.folders["count"], odd.folders["targets"]) == digests(
        plain.folders["count"], plain.folders["targets"]
    )


# ---------------------------------------------------------------- after a break


def interrupted(training, after):
    """Runs `targets` until this many calls of `os.replace`."""
    done, move = [], os.replace

    def replace(source, target):
        if len(done) == after:
            raise KeyboardInterrupt
        done.append(target)
        move(source, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", replace)
        training.run("targets")


@pytest.mark.slow
@pytest.mark.usefixtures("few_buckets")
@pytest.mark.parametrize("after", range(5))
def test_the_count_of_targets_goes_on_after_a_break(after, training, random_pairs, tmp_path):
    pairs = random_pairs(3, 30)
    run = training(pairs, shard_lines=10).run("extract", "count")
    with pytest.raises(KeyboardInterrupt):
        interrupted(run, after)
    run.run("targets")
    whole = training.func(tmp_path / "whole", pairs, shard_lines=10).run(*STAGES)
    for folder in (run.folders["targets"], whole.folders["targets"]):
        for path in folder.glob("*.new*"):
            path.unlink()
    assert digests(run.folders["targets"]) == digests(whole.folders["targets"])
    # A break after the last file: all is there but the stage's record.
    assert run.run("targets").counted["targets"] == whole.counted["targets"]
    assert digests(run.folders["targets"]) == digests(whole.folders["targets"])


@pytest.mark.usefixtures("few_buckets")
def test_extraction_and_counting_go_on_after_a_break(training, random_pairs):
    run = training(random_pairs(3, 30), shard_lines=10).run("extract", "count")
    before = digests(run.folders["extract"], run.folders["count"])
    for name in ("extract", "count"):
        kept, *lost = shard_paths(run.folders[name])
        for path in lost:
            path.unlink()
        modified = kept.stat().st_mtime_ns
        run.run(name)
        assert kept.stat().st_mtime_ns == modified
    assert digests(run.folders["extract"], run.folders["count"]) == before


# ---------------------------------------------------------------- columns of bytes


@pytest.mark.parametrize("kind", [np.int32, np.uint8])
def test_columns_of_bytes_give_their_rows_back(kind):
    import pyarrow as pa

    offsets, values = np.array([0, 2, 2, 5, 6]), np.array([1, 250, 7, 8, 9, 3]).astype(kind)
    column = binary_column(offsets, values)
    assert [np.frombuffer(row, dtype=kind).tolist() for row in column.to_pylist()] == [[1, 250], [], [7, 8, 9], [3]]
    empty = pa.array([], pa.binary())
    for chunks in ([column], [column, column.slice(1, 2)], [empty, column.slice(3), empty], [], [empty]):
        for cast in (pa.binary(), pa.large_binary()):
            chunked = pa.chunked_array([chunk.cast(cast) for chunk in chunks], cast)
            found_offsets, second = rows_of(chunked, kind)
            assert second.dtype == kind
            rows = [second[a:b].tobytes() for a, b in pairwise(found_offsets)]
            assert rows == chunked.to_pylist()
