"""The local web page: a reader's waiting time for a translation, against the same work in Python."""

from __future__ import annotations

import http.client
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

from experiments.bench.figures import Figures, figure
from lattice_simp.serve.translate.query import Query
from lattice_simp.serve.translate.translator import TranslatorOptions, make_translator
from lattice_simp.skeleton import read_skeletons
from lattice_simp.support.tables import grammar_path

SENTENCES = 40
"""The number of measured sentences; as many others come before, while the second process loads."""


def measure(shared: Path) -> Figures:
    """Measures the time of a translation with a skeleton by the demo model, without repeated sentences.

    The baseline is the same work without the server, its processes and its suggestions of skeletons.
    """
    records = list(read_skeletons(grammar_path("demo/data/test.jsonl")))
    masks = {skeleton.tokens: skeleton.to_mask() for record in records for skeleton in record.skeletons[:1]}
    queries = [Query(" ".join(tokens), mask) for tokens, mask in masks.items()][: 2 * SENTENCES]
    others, measured = queries[:SENTENCES], queries[SENTENCES:]
    translator = make_translator(TranslatorOptions())
    with _connection() as connection:
        for query in others:
            _ask(connection, query)
        seconds = [(_seconds(partial(_ask, connection), query), _seconds(translator, query)) for query in measured]
    served, called = map(statistics.median, zip(*seconds, strict=True))
    return {"serve_translate_s": figure(served, "s", called)}


def _seconds(answer: Callable[[Query], object], query: Query) -> float:
    began = time.monotonic()
    answer(query)
    return time.monotonic() - began


def _ask(connection: http.client.HTTPConnection, query: Query) -> None:
    connection.request("GET", f"/api/translate?{urlencode(query.parameters)}")
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status == 200, text


@contextmanager
def _connection() -> Iterator[http.client.HTTPConnection]:
    """Starts a server with the demo model; yields a connection to it."""
    command = [sys.executable, "-m", "lattice_simp", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            address = next(
                serving[1] for line in server.stderr if (serving := re.search(r"serving at http://([\d.:]+)", line))
            )
            yield http.client.HTTPConnection(address)
        finally:
            server.terminate()
