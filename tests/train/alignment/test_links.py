"""Links of other aligners replace our own, and faults of a file are reported with their line."""

from __future__ import annotations

import random
from itertools import pairwise

import pyarrow as pa
import pytest
from train.toy import contents, toy_config, write_lines

from lattice_simp.errors import FormatError
from lattice_simp.pipeline.shards import read_shard, shard_path, shard_paths, write_shard
from lattice_simp.pipeline.stage import Run
from lattice_simp.support.settings_file import checked_settings
from lattice_simp.train.alignment.align import align_stage
from lattice_simp.train.alignment.links import read_links, read_pharaoh
from lattice_simp.train.config import Config

WORDS = "das haus ist alt und das buch ist neu".split()


@pytest.fixture
def stage(tmp_path):
    """Makes the stage of two corpora with some dropped lines, and returns it with its run."""
    choose = random.Random(1)
    raw = {name: [(choose.randrange(1, 9), choose.randrange(1, 9)) for _ in range(7)] for name in ("one", "two")}
    rows = [(index, line) for index in range(2) for line in range(7) if line not in (2, 5 + index)]
    for number, some in enumerate((rows[:4], rows[4:])):
        lengths = [raw[("one", "two")[index]][line] for index, line in some]
        numbers = {
            side: [list(range(length[index])) for length in lengths] for index, side in enumerate(("source", "target"))
        }
        write_shard(
            shard_path(tmp_path / "number", number), {k: pa.array(v, pa.list_(pa.int32())) for k, v in numbers.items()}
        )
        columns = {"corpus": [index for index, _ in some], "line": [line for _, line in some]}
        write_shard(shard_path(tmp_path / "prepare", number), columns)
    links = {
        name: [[(choose.randrange(s), choose.randrange(t)) for _ in range(choose.randrange(4))] for s, t in lengths]
        for name, lengths in raw.items()
    }
    for name, lengths in raw.items():
        write_lines(tmp_path / f"{name}.fr", [" ".join(WORDS[:first]) for first, _ in lengths])
        write_lines(tmp_path / f"{name}.en", [" ".join(WORDS[:second]) for _, second in lengths])
        write_lines(tmp_path / f"{name}.links", [" ".join(f"{s}-{t}" for s, t in entry) for entry in links[name]])
    (tmp_path / "align").mkdir()
    values = toy_config(tmp_path, tmp_path / "work", align={"method": "links"}) | {
        "corpora": [{"name": name, "source": f"{name}.fr", "target": f"{name}.en"} for name in raw],
    }
    values["align"]["links"] = {name: f"{name}.links" for name in raw}
    run = Run(folders={name: tmp_path / name for name in ("prepare", "number")})
    expected = [sorted(set(links[("one", "two")[index]][line])) for index, line in rows]
    return align_stage(checked_settings(Config, values, "config.yaml")), run, expected


def replaced(path, line, text):
    lines = path.read_text(encoding="utf-8").splitlines()
    write_lines(path, [*lines[: line - 1], text, *lines[line:]])


def test_lines_are_read(tmp_path):
    write_lines(tmp_path / "a", ["0-0 1-2 ", "", "10-3\t1-1", "  ", "2-2"])
    offsets, points = read_pharaoh(tmp_path / "a")
    assert offsets.tolist() == [0, 2, 2, 4, 4, 5]
    assert points.tolist() == [[0, 0], [1, 2], [10, 3], [1, 1], [2, 2]]
    write_lines(tmp_path / "b", [])
    assert [part.shape for part in read_pharaoh(tmp_path / "b")] == [(1,), (0, 2)]


@pytest.mark.parametrize(
    "fault", ["0-0 1", "0-0 -1-2", "0-a", "0:0", "0-0-0", "0-0,1-1", "0-1234567890", "1 - 1", "١-1"]
)
def test_a_malformed_link_is_reported_with_its_line(stage, tmp_path, fault):
    work, *_ = stage
    replaced(tmp_path / "two.links", 3, fault)
    with pytest.raises(FormatError, match=r"two\.links:3: '\S+' is not a link \(write source-target positions"):
        work.check()


def test_links_belong_to_the_lines_that_are_left(stage, tmp_path):
    work, run, expected = stage
    work.check()
    assert work.work(run, tmp_path / "align") == {"links": sum(map(len, expected))}
    actual = []
    for path in shard_paths(tmp_path / "align"):
        offsets, points = read_links(path)
        actual += [points[a:b].tolist() for a, b in pairwise(offsets)]
    assert actual == [[list(point) for point in entry] for entry in expected]


def test_a_link_out_of_its_sentence_is_reported_with_its_line(stage, tmp_path):
    work, run, _ = stage
    for line, fault in ((4, "9-0"), (5, "0-9"), (7, "8-8")):  # line 7 of the corpus `two` was dropped
        text = (tmp_path / "two.links").read_text(encoding="utf-8")
        replaced(tmp_path / "two.links", line, fault)
        work.check()
        if line == 7:
            work.work(run, tmp_path / "align")
            return
        with pytest.raises(FormatError, match=rf"two\.links:{line}: the link {fault} leads out of a pair of \d and \d"):
            work.work(run, tmp_path / "align")
        (tmp_path / "two.links").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("count", [0, 6, 8])
def test_files_have_as_many_lines_as_their_corpora(stage, tmp_path, count):
    work, *_ = stage
    write_lines(tmp_path / "two.links", ["0-0"] * count)
    with pytest.raises(FormatError, match=rf"two\.links: has {count} lines, but \S+two\.fr has 7 lines"):
        work.check()


@pytest.mark.slow
def test_our_own_links_from_a_file_make_the_same_model(trained, configured, toy_data, command, tmp_path):
    """All later files have the same bytes, whatever the source of the links."""
    lines = [""] * 230
    for path in shard_paths(next(trained.glob("align.*"))):
        rows = read_shard(next(trained.glob("prepare.*")) / path.name, ["line"])["line"].to_pylist()
        offsets, points = read_links(path)
        for row, begin, end in zip(rows, offsets[:-1], offsets[1:], strict=True):
            lines[row] = " ".join(f"{s}-{t}" for s, t in points[begin:end].tolist())
    links = write_lines(tmp_path / "toy.links", lines)
    done = command(configured(align={"method": "links", "links": {"toy": str(links)}}), "--to", "rules")
    assert done.returncode == 0, done.stderr
    for stage_name in ("align", "rules"):
        (first,), (second,) = trained.glob(f"{stage_name}.*"), (tmp_path / "work").glob(f"{stage_name}.*")
        assert contents(first) == contents(second)
