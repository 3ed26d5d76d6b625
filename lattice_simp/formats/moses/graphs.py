r"""Search graphs of Moses as text (`-output-search-graph`, `-output-search-graph-extended`): a hypothesis on each line.

A line is `ID hyp=N stack=N back=N score=S transition=S recombined=N forward=N fscore=S covered=M-N out=words`, with
the number of a sentence. Its words lead from the hypothesis `back` to the hypothesis `hyp` or, if there is one, to
`recombined`. Their cost is minus `transition`. Complete hypotheses have `forward=-1`. The extended format has scores
of features, `scores="..."`.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "a.graph"
>>> line = "0 hyp=1 stack=1 back=0 score=-2 transition=-2 forward=-1 fscore=-2 covered=0-0 out=a cat\n"
>>> _ = path.write_text("0 hyp=0 stack=0\n" + line)
>>> [(name, load()) for name, load in search_graphs(path)]
[('0', Lattice(acceptor, 3 states, 2 arcs, 3 symbols))]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np

from lattice_simp.core.header import Header
from lattice_simp.core.lattice import INFINITY, Lattice
from lattice_simp.core.symbols import EPSILON, SymbolTable, split_tokens
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import Format, beyond, checked_lattice, finite, refuse_writing, shown
from lattice_simp.formats.named_lattices import NamedLattice, NumberedLine, only_lattice
from lattice_simp.support.textio import decode, read_lines, text_begin

_SNIFFED = re.compile(rb"\d{1,18} hyp=\d+ stack=\d+\b")
_LINE = re.compile(r"([0-9]{1,18}) hyp=([0-9]{1,18}) stack=[0-9]+(?: (.*))?")
_PARTS = re.compile(
    r"back=(?P<back>[0-9]{1,18}) score=\S+ transition=(?P<transition>\S+)(?P<old_scores> \[ .* \])?"
    r"(?: recombined=(?P<recombined>[0-9]{1,18}))? forward=(?P<forward>-?[0-9]{1,18}) fscore=\S+ covered=[0-9]+-[0-9]+"
    r"(?P<scores> scores=(?:\".*?\"|\[ .*? \]))? out=(?P<out>.*)"
)
_FORWARD = re.compile(r"forward=(-?[0-9]+)(?: |$)")
_FUTURE = re.compile(r" *, pC=\S+, c=\S+$")
"""The estimates that old versions write after the words."""

_CORE = re.compile(r"core=\(([^)]*)\)")
_REMEDY = "write it with moses -output-search-graph"
_CUT_OFF = "is the file cut off?"
_FINAL = -1


class _Step(NamedTuple):
    """A line: the hypotheses before and after some words, minus the cost of the words, and their features."""

    line: int
    source: int
    target: int
    words: list[str]
    score: float
    features: dict[str, float]
    is_final: bool


def is_search_graph(text: bytes) -> bool:
    """Recognises a search graph by the beginning of the first line."""
    return _SNIFFED.match(text_begin(text)) is not None


def search_graphs(path: str | Path, symbols: SymbolTable | None = None) -> Iterator[NamedLattice]:
    """Yields the numbers of the sentences of a file, as text, and functions that return their lattices.

    Raises:
        FormatError: a line has no sentence, the lines of a sentence are not together, or the file is empty.
    """
    yield from _graphs(read_lines(path), symbols, path)


def _graphs(lines: Iterable[str], symbols: SymbolTable | None, path: str | Path | None) -> Iterator[NamedLattice]:
    names = set[str]()
    filled = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    for name, group in groupby(filled, lambda numbered: numbered[1].split(maxsplit=1)[0]):
        numbered = list(group)
        if name in names:
            message, remedy = f"the sentence {shown(name)} again", "sort the lines by sentence: sort -s -n -k 1,1"
            raise FormatError(message, path=path, line=numbered[0][0], remedy=remedy)
        names.add(name)
        yield name, partial(_graph, name, numbered, symbols, path)
    if not names:
        raise FormatError("the file is empty", path=path, remedy=_REMEDY)


def _graph(name: str, lines: list[NumberedLine], symbols: SymbolTable | None, path: str | Path | None) -> Lattice:
    """Returns the lattice of a sentence; the first word of a phrase has its cost and features."""
    table = SymbolTable.of(symbols)
    steps, order, finals = list[_Step](), {0: 0}, set[int]()
    for number, line in lines:
        step = _step(line, path, number)
        if step.is_final:
            finals.add(step.target)
        order.setdefault(step.target, len(order))
        if step.words or step.source != step.target:
            steps.append(step)
    names = list(dict.fromkeys(feature for step in steps for feature in step.features))
    rows, scores, num_states = list[tuple[int, int, int, float]](), list[list[float]](), len(order)
    for step in steps:
        if step.source not in order:
            _fail(f"the hypothesis {step.source} has no line", path, step.line, _CUT_OFF)
        labels = [table.add(word) for word in step.words] or [EPSILON]
        inner = range(num_states, num_states + len(labels) - 1)
        num_states += len(inner)
        states = [order[step.source], *inner, order[step.target]]
        costs = [0.0 - step.score, *[0.0] * len(inner)]
        rows += zip(states[:-1], states[1:], labels, costs, strict=True)
        scores += [[step.features.get(feature, 0.0) for feature in names], *[[0.0] * len(names) for _ in inner]]
    columns = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    sources, targets, labels_of_arcs = columns[:3].astype(np.int64)
    ends = np.full(num_states, INFINITY)
    ends[[order[hypothesis] for hypothesis in finals]] = 0.0
    features = dict(zip(names, np.array(scores).reshape(len(rows), len(names)).T, strict=True))
    lattice = checked_lattice(path, sources, labels_of_arcs, columns[3], targets, ends, table, features=features)
    return replace(lattice, header=Header(name))


def _step(line: str, path: str | Path | None, number: int) -> _Step:
    text = line.strip()
    head = _LINE.fullmatch(text)
    if head is None:
        _fail(f"not a hypothesis: {shown(text)}", path, number)
    hypothesis, rest = int(head[2]), head[3] or ""
    if hypothesis == 0 and not rest.startswith("back="):
        forward = _FORWARD.match(rest)
        return _Step(number, 0, 0, [], 0.0, {}, forward is not None and int(forward[1]) == _FINAL)
    parts = _PARTS.fullmatch(rest)
    score = None if parts is None else finite(parts["transition"])
    if parts is None or score is None:
        _fail(f"not a hypothesis with transition=, forward=, covered= and out=: {shown(text)}", path, number)
    target = int(parts["recombined"] or hypothesis)
    words, scores = _FUTURE.sub("", parts["out"]), (parts["scores"] or "").removeprefix(" scores=")
    if scores:
        words = words.removeprefix('"').removesuffix('"') if scores.startswith('"') else words
        words = words.partition("|")[2]  # the words of the source come first
    features = _features((scores or parts["old_scores"] or "").strip(' "[]'), path, number)
    is_final = int(parts["forward"]) == _FINAL
    return _Step(number, int(parts["back"]), target, split_tokens(words), score, features, is_final)


def _features(text: str, path: str | Path | None, number: int) -> dict[str, float]:
    """Returns the features of a phrase, with numbers for the values of a name: `d: 0 -1 lm: -2` or `core=(0,-1) x=2`.

    >>> _features("d: 0 -1 lm: -2", None, 1), _features("core=(0,-1) x=2", None, 1)
    ({'d_0': 0.0, 'd_1': -1.0, 'lm': -2.0}, {'Feature0': 0.0, 'Feature1': -1.0, 'x': 2.0})
    """
    core = _CORE.match(text)
    values: dict[str, list[str]] = (
        {} if core is None else {f"Feature{n}": [v] for n, v in enumerate(core[1].split(","))}
    )
    name = ""
    for token in split_tokens(text if core is None else text[core.end() :]):
        before, mark, value = token.rpartition(":" if token.endswith(":") else "=")
        name = before if mark else name
        values.setdefault(name, []).extend([value] if value else [])
    features = dict[str, float]()
    for name, numbers in values.items():
        for place, number_text in enumerate(numbers):
            score = finite(number_text)
            if score is None or not name:
                _fail(f"not the scores of features: {shown(text)}{beyond(number_text)}", path, number)
            features[name if len(numbers) == 1 else f"{name}_{place}"] = score
    return features


def _fail(message: str, path: str | Path | None, line: int, remedy: str = _REMEDY) -> NoReturn:
    raise FormatError(message, path=path, line=line, remedy=remedy)


def parse_search_graph(data: bytes, *, path: str | Path | None = None, symbols: SymbolTable | None = None) -> Lattice:
    """Parses the bytes of a file of one sentence's search graph.

    Raises:
        FormatError: a line is broken, or there are several sentences.
    """
    return only_lattice(_graphs(decode(data, path).split("\n"), symbols, path), "search graphs", path)


FORMAT = Format((), is_search_graph, parse_search_graph, refuse_writing)
