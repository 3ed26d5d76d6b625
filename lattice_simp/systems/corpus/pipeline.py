"""Makes a parallel corpus of two files of articles, in stages that a resumed run does not repeat.

read-complex, read-simple, pair   `corpus/collections.py`
split, frequencies                `corpus/splitting.py`
align                             `corpus/aligning.py`
corpus                            complex.txt, simple.txt, pairs.jsonl
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.pipeline.runner import run_stages
from lattice_simp.pipeline.shards import read_shard, shard_paths
from lattice_simp.pipeline.stage import Run, Stage, write_json
from lattice_simp.support.atomic import replacing
from lattice_simp.support.parallel import read_parallel
from lattice_simp.support.tasks.batch import check_cluster
from lattice_simp.support.textio import open_text
from lattice_simp.systems.corpus.aligning import ALIGN, PLACE, align_stage
from lattice_simp.systems.corpus.articles import is_plain
from lattice_simp.systems.corpus.collections import PAIR, SIDES, pair_stage, read_stage
from lattice_simp.systems.corpus.settings import CorpusSettings
from lattice_simp.systems.corpus.splitting import FREQUENCIES, frequencies_stage, split_stage

TEXTS = tuple(f"{side}.txt" for side in SIDES)
PAIRS, COUNTS = "pairs.jsonl", "counts.json"
"""The files of a corpus besides the text: a JSON line for each pair, and counts."""

WORK = "work"
"""The folder with the files of stages."""

CORPUS = "corpus"

_DEFAULTS, _RUN = CorpusSettings(), Run()


@dataclass(frozen=True)
class CorpusCounts:
    """The counts of a corpus.

    Attributes:
        articles: the number of articles in each collection.
        dropped: the number of dropped articles in each collection, by reason: redirect, disambiguation, list, stub.
        duplicate_titles: the number of usable articles in each collection with the title of an earlier one.
        without_partner: the number of titles in each collection that the other one lacks.
        sentences: the number of sentences in each collection.
        article_pairs, paragraph_pairs, sentence_pairs: the numbers of pairs.
        too_long: the numbers of articles and paragraph pairs omitted because they have too many parts.
        kinds: the number of sentence pairs by kind of move; `identical` counts pairs of equal sentences.
    """

    articles: Mapping[str, int]
    dropped: Mapping[str, Mapping[str, int]]
    duplicate_titles: Mapping[str, int]
    without_partner: Mapping[str, int]
    sentences: Mapping[str, int]
    article_pairs: int
    paragraph_pairs: int
    sentence_pairs: int
    too_long: Mapping[str, int]
    kinds: Mapping[str, int]


def align_collections(
    complex_articles: str | Path,
    simple_articles: str | Path,
    output: str | Path,
    *,
    settings: CorpusSettings = _DEFAULTS,
    run: Run = _RUN,
) -> CorpusCounts:
    """Makes a parallel corpus of two collections of articles paired by title (Coster and Kauchak 2011, section 3).

    The lines of plain text are paired by their numbers.

    Writes to `output` the files `complex.txt` and `simple.txt`, one sentence a line; `pairs.jsonl` with the places, the
    similarity and the move of each pair; and `counts.json`. The files of stages stay in `work`, so that a killed run
    can resume and another threshold repeats only the last stages.

    Args:
        complex_articles, simple_articles: JSON lines, MediaWiki dumps or plain text; see `read_articles`.
        output: the folder to create.
        settings: the thresholds and the language.
        run: the processes or cluster, and the progress display.

    Raises:
        FormatError: an input cannot be read, is broken, or has no usable article; or two texts differ in length.
        LatticeSimpError: the collections have no common title, or the output cannot be written.
        MissingExtraError: the extra `corpus` is not installed.
    """
    if run.cluster is not None:
        check_cluster(run.cluster, jobs=run.jobs)
    paths = dict(zip(SIDES, (Path(complex_articles), Path(simple_articles)), strict=True))
    for path in paths.values():
        if not path.is_file():
            raise FormatError(
                "is not a file", path=path, remedy="give JSON lines of articles, a MediaWiki dump, or a text"
            )
    if all(map(is_plain, paths.values())):
        read_parallel(list(paths.values()))
    folder = Path(output)
    if not folder.absolute().parent.is_dir():
        raise LatticeSimpError(f"{folder}: cannot be created (create its parent folder first)")
    stages = [
        *(read_stage(side, path, settings) for side, path in paths.items()),
        pair_stage(),
        split_stage(settings),
        frequencies_stage(),
        align_stage(settings),
        Stage(CORPUS, (ALIGN,), None, (), _write, publish=partial(_publish, folder)),
    ]
    results = run_stages(stages, folder / WORK, run)
    counts = _counts(results.records)
    write_json(folder / COUNTS, counts.__dict__)
    return counts


def _counts(records: Mapping[str, Mapping[str, Any]]) -> CorpusCounts:
    pair, align = records[PAIR], records[ALIGN]
    return CorpusCounts(
        articles={side: records[f"read-{side}"]["articles"] for side in SIDES},
        dropped={side: records[f"read-{side}"]["dropped"] for side in SIDES},
        duplicate_titles=pair["duplicate_titles"],
        without_partner=pair["without_partner"],
        sentences=records[FREQUENCIES]["sentences"],
        article_pairs=pair["pairs"],
        paragraph_pairs=align["paragraph_pairs"],
        sentence_pairs=align["sentence_pairs"],
        too_long={name: align[f"too_long_{name}"] for name in ("articles", "paragraph_pairs")},
        kinds=records[CORPUS]["kinds"],
    )


# ---------------------------------------------------------------- the files


def _write(run: Run, folder: Path) -> dict[str, Any]:
    kinds: Counter[str] = Counter()
    number = 0
    texts = [open_text(folder / name, "w") for name in TEXTS]
    with texts[0] as complex_file, texts[1] as simple_file, open_text(folder / PAIRS, "w") as records:
        for path in shard_paths(run.folders[ALIGN]):
            for row in _rows(read_shard(path)):
                record = _record(number, row)
                for file, side in zip((complex_file, simple_file), SIDES, strict=True):
                    file.write(" ".join(row[f"{side}_text"].split()) + "\n")
                records.write(json.dumps(record, ensure_ascii=False) + "\n")
                kinds[row["kind"]] += 1
                kinds["identical"] += record["identical"]
                number += 1
    return {"kinds": dict(sorted(kinds.items()))}


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def _record(number: int, row: Mapping[str, Any]) -> dict[str, Any]:
    places = {
        side: {"article": row[f"{side}_article"], **{name: row[f"{side}_{name}"] for name in PLACE}} for side in SIDES
    }
    first, second = (" ".join(row[f"{side}_text"].split()) for side in SIDES)
    return {
        "id": number,
        "title": row["title"],
        "kind": row["kind"],
        "identical": first == second,
        "similarity": round(row["similarity"], 6),
        "paragraph_similarity": round(row["paragraph_similarity"], 6),
        **places,
    }


def _publish(output: Path, run: Run) -> None:
    for name in (*TEXTS, PAIRS):
        try:
            with replacing(output / name) as growing:
                shutil.copyfile(run.folders[CORPUS] / name, growing)
        except OSError as error:
            message = f"{output / name}: cannot be written: {error.strerror or error} (is the disk full?)"
            raise LatticeSimpError(message) from error
