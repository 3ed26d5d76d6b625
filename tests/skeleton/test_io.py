"""Skeleton files: round trips and errors that name the line."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lattice_simp.errors import FormatError, SkeletonError
from lattice_simp.skeleton import (
    GapType,
    Skeleton,
    SkeletonRecord,
    read_brackets,
    read_parallel,
    read_skeletons,
    skeleton_statistics,
    write_brackets,
    write_skeletons,
)

SHARED = Path(__file__).parents[3] / "shared" / "data" / "skeletons"
CHARACTERS = st.sampled_from("aZ0[]\\\"'&<{,é語क्😀\u200d")


@st.composite
def records(draw: st.DrawFn) -> SkeletonRecord:
    tokens = draw(st.lists(st.text(CHARACTERS, min_size=1, max_size=5), min_size=1, max_size=8))
    bits = st.lists(st.booleans(), min_size=len(tokens), max_size=len(tokens)).filter(any)
    masks = draw(st.lists(bits, min_size=1, max_size=3))
    skeletons = tuple(Skeleton.from_mask(mask, tokens) for mask in masks)
    names = draw(st.sampled_from([(), tuple(f"annotator {number}" for number in range(len(skeletons)))]))
    return SkeletonRecord(draw(st.text(CHARACTERS, max_size=9)), draw(st.integers(0, 10**6)), skeletons, names)


@given(st.lists(records(), max_size=4))
def test_json_lines_round_trip(given_records: list[SkeletonRecord]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        write_skeletons(path, given_records)
        assert list(read_skeletons(path)) == given_records


@given(st.lists(records(), max_size=4))
def test_bracket_files_round_trip(given_records: list[SkeletonRecord]) -> None:
    skeletons = [skeleton for record in given_records for skeleton in record.skeletons]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.txt"
        write_brackets(path, skeletons)
        assert list(read_brackets(path)) == skeletons


@pytest.mark.parametrize("ending", ["gz", "xz", "zst"])
def test_compressed_files(tmp_path: Path, ending: str) -> None:
    record = SkeletonRecord("news.1", 0, (Skeleton.from_brackets("rain [[, wind]] and snow"),))
    write_skeletons(tmp_path / f"a.jsonl.{ending}", [record])
    assert list(read_skeletons(tmp_path / f"a.jsonl.{ending}")) == [record]


def test_missing_names_and_unknown_keys(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"tokens": ["a"], "keep": ["1"]}\n\n{"tokens": ["b"], "keep": ["1"], "note": 3}\n')
    assert [(record.id, record.line, record.tokens) for record in read_skeletons(path)] == [
        ("0", 0, ("a",)),
        ("1", 1, ("b",)),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"tokens"', "invalid JSON"),
        ("[]", "not list"),
        ('{"keep": ["1"]}', "'tokens' is missing"),
        ('{"tokens": ["a"]}', "'keep' is missing"),
        ('{"tokens": ["a"], "keep": "1"}', "'keep' is missing"),
        ('{"tokens": ["a"], "keep": [1]}', "'keep' is missing"),
        ('{"tokens": ["a"], "keep": []}', "no skeletons"),
        ('{"tokens": ["a"], "keep": ["10"]}', "1 token, but a mask of 2"),
        ('{"tokens": ["a", "b"], "keep": ["00"]}', "keeps no token"),
        ('{"tokens": ["a"], "keep": ["2"]}', "mask position 0"),
        ('{"tokens": ["a"], "keep": ["1"], "annotators": "Ada"}', "'annotators' is missing"),
        ('{"tokens": ["a"], "keep": ["1"], "annotators": ["Ada", "Bob"]}', "2 annotators, but 1 skeleton"),
        ('{"tokens": ["a"], "keep": ["1"], "id": 3}', "'id' is a string"),
        ('{"tokens": ["a"], "keep": ["1"], "line": "3"}', "'line' is a whole number"),
    ],
)
def test_broken_records_name_the_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"tokens": ["a"], "keep": ["1"]}\n' + text + "\n")
    with pytest.raises(FormatError, match=message) as caught:
        list(read_skeletons(path))
    assert (caught.value.line, caught.value.path) == (2, path)
    assert caught.value.remedy


@pytest.mark.parametrize("text", ["a [[b", "a ]]", "", "[[a b]]", "[[a [[b]] c]] d"])
def test_broken_brackets_name_the_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"fine [[here]]\n{text}\n")
    with pytest.raises(FormatError) as caught:
        list(read_brackets(path))
    assert caught.value.line == 2


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("".join(line + "\n" for line in lines))
    return path


def test_parallel_text(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "full", ["the man on the roof sang", "it rains"])
    short = write_lines(tmp_path / "short", ["the man sang", "it rains"])
    results = list(read_parallel(source, short))
    assert [skeleton.gap_type for skeleton in results] == [GapType.MIDDLE, GapType.NONE]


@pytest.mark.parametrize(
    ("source", "short", "message", "line"),
    [
        (["a b", "c d"], ["a"], "short: ends after 1 line, but .*full has more", None),
        (["a b"], ["a", "b"], "full: ends after 1 line, but .*short has more", None),
        (["a b", "c d"], ["a", "d c"], "'c', cannot be placed", 2),
        (["a b"], [""], "no words", 1),
    ],
)
def test_broken_parallel_text(
    tmp_path: Path, source: list[str], short: list[str], message: str, line: int | None
) -> None:
    paths = write_lines(tmp_path / "full", source), write_lines(tmp_path / "short", short)
    with pytest.raises(FormatError, match=message) as caught:
        list(read_parallel(*paths))
    assert caught.value.line == line


@pytest.mark.parametrize("make", [lambda: (), lambda: (Skeleton.from_mask("1", "a"), Skeleton.from_mask("1", "b"))])
def test_records_hold_skeletons_of_one_sentence(make: Callable[[], tuple[Skeleton, ...]]) -> None:
    with pytest.raises(SkeletonError):
        SkeletonRecord("x", 0, make())


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared development data is not here")
def test_shared_skeletons() -> None:
    everything = list(read_skeletons(SHARED / "newstest2013.jsonl.xz"))
    assert [len(record.skeletons) for record in everything] == [2] * 1000
    first, second = (skeleton_statistics(record.skeletons[judge] for record in everything) for judge in (0, 1))
    assert first.compression_rate == pytest.approx(0.4936, abs=1e-4)
    assert second.compression_rate == pytest.approx(0.6804, abs=1e-4)
    assert all(skeleton.is_strict for record in everything for skeleton in record.skeletons)
    assert all(20 <= len(record.tokens) <= 40 for record in everything)
    for record in everything[:100]:
        for skeleton in record.skeletons:
            outcome = Skeleton.from_words(skeleton.tokens, skeleton.words)
            assert outcome.words == skeleton.words
            assert len(outcome.gaps) <= len(skeleton.gaps)
