"""The whole of it: two files of articles in, a parallel corpus out, by stages that a killed run does not repeat.

read-complex, read-simple, pair   see `corpus/collections.py`
split         complex/000000.parquet, simple/000000.parquet: the sentences of a shard's articles, and their words
              counts/000000.parquet: in how many of these sentences words occur
frequencies   table.arrays: the same for all of them
align         000000.parquet: a shard's sentence pairs
corpus        complex.txt, simple.txt, pairs.jsonl

So the text is read twice: once to count words, and once, as sentences, to align them. Only articles that have a
partner count.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lattice_simp.corpus.alignment import MAX_CELLS, Ranges, align_ranges
from lattice_simp.corpus.collections import SIDES, pair_shards, pair_stage, read_stage
from lattice_simp.corpus.grid import MOVES
from lattice_simp.corpus.mediawiki import paragraphs_of
from lattice_simp.corpus.paragraphs import pair_paragraphs
from lattice_simp.corpus.sentences import Splitter
from lattice_simp.corpus.settings import CorpusSettings
from lattice_simp.corpus.tfidf import Frequencies, Vectors, count_words
from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.errors import FormatError
from lattice_simp.pipeline.runner import run_stages
from lattice_simp.pipeline.shards import list_column, lists_of, over_shards, read_shard, run_all, write_shard
from lattice_simp.pipeline.stage import Run, Stage, write_json
from lattice_simp.pipeline.tasks import check_cluster
from lattice_simp.support.array_cache import read_arrays, write_arrays
from lattice_simp.support.atomic import replacing
from lattice_simp.support.textio import open_text

TEXTS = tuple(f"{side}.txt" for side in SIDES)
PAIRS, COUNTS = "pairs.jsonl", "counts.json"
"""What a corpus consists of: parallel text, a JSON line for each pair, and what was counted on the way."""

WORK = "work"

_TABLE = "table.arrays"
_DEFAULTS, _RUN = CorpusSettings(), Run()
