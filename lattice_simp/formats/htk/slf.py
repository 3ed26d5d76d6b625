r"""HTK's Standard Lattice Format (SLF), as written by HTK, SRILM and Kaldi.

A file has a header (`VERSION=`, `base=`, `lmscale=`, `N=` nodes, `L=` links ...), a line for each node (`I=0 t=0.1
W=word`) and a line for each link (`J=0 S=0 E=1 W=word a=-12.5 l=-2.1`). Words are on links or on their target nodes;
`!NULL` is the empty word. Scores in the file are logs (of the base `base=`, default e) or, with `base=0`,
probabilities; reading converts them to costs, negative natural logs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

from lattice_simp.core.arcs import start_first
from lattice_simp.core.columns import log_probabilities
from lattice_simp.core.feature_names import POSTERIOR, TIME
from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, EPSILON_SYMBOL, SymbolTable
from lattice_simp.errors import warn
from lattice_simp.formats.common import Format, checked_lattice, natural, share_costs
from lattice_simp.formats.htk.slf_fields import COLUMNS, DEFAULT_SCALES, NULL_WORD, SCALES, link_costs
from lattice_simp.formats.htk.slf_reader import NODE_LINES, Reader
from lattice_simp.formats.htk.slf_rows import Rows, plain_rows
from lattice_simp.formats.htk.slf_writer import lost, write_slf
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import decode

_SCORES = frozenset(("p", *COLUMNS))
_ONLY_POSTERIORS = "links have no score but p=, so their costs are those of probabilities"
_NO_COSTS = "to change them, set the scale of the feature posterior"
_LINK_FIELDS = {"I", "J", "S", "E", "W", "t", "p", *COLUMNS}


def parse_slf(data: bytes, *, path: str | Path | None = None, symbols: SymbolTable | None = None) -> Lattice:
    r"""Parses the bytes of an SLF file.

    >>> text = "N=2 L=1\nlmscale=10\nI=0\nI=1\nJ=0 S=0 E=1 W=cat a=-3.0 l=-0.5\n"
    >>> lattice = parse_slf(text.encode())
    >>> lattice.weights.tolist(), lattice.features["acoustic"].tolist(), lattice.features["lm"].tolist()
    ([8.0], [-3.0], [-0.5])

    The scores become unscaled features: `a` "acoustic", `n` "ngram", `l` "lm", `r` "pronunciation", `ds`
    "duration", `x1` to `x99` by their names; the log of `p` becomes "posterior". A weight is minus the sum
    of the features times their scales (`acscale`, `ngscale`, `lmscale`, `prscale`: 1 if missing; `duscale`, `x1scale`
    ...: 0 if missing), and of the word penalty (`wdpenalty`, also a log score) if the link has a word. Without any such
    score, `p` counts: the probability of a link is its share in the `p` of all links from its node. If every node
    has a time `t=`, the feature "time" is the duration of each link in seconds, so that a path's sum is its time. The
    lattice's `header` holds the scales and the other fields of the header; its `unread` names the unknown fields of
    nodes and links, which are skipped. Nodes keep their numbers if the start is 0. The start is the node `start=`, or
    the only node without incoming links; the final state is the node `end=`, or the only one without outgoing links. If
    no node has a line, as in lattices of Moses, the start and the end are the first and the last node of the links.
    In lattices of CMU Sphinx, words begin at the times of their nodes; in others, they end there.

    Args:
        data: the file's bytes.
        symbols: the table that numbers the words; it grows as needed. A new one if None.
        path: the file's name, for errors.

    Raises:
        FormatError: a line is broken (the message has its number), a link leads to a missing node, a count is wrong,
            there are no or several starts or ends, a score is not finite, or the lattice is a backward lattice or has
            sublattices.
    """
    table, text = SymbolTable.of(symbols), decode(data, path)
    plain = plain_rows(text, _SCORES)
    if plain is not None:
        header, nodes, links = plain
        reader = Reader(path)
        if reader.read(header) and not (reader.nodes or reader.links) and reader.take(nodes, links):
            return _to_lattice(reader, nodes, links, table)
    reader = Reader(path)
    reader.read(text.split("\n"))
    return _to_lattice(reader, *reader.rows(), table)


def _to_lattice(reader: Reader, nodes: Rows, links: Rows, symbols: SymbolTable) -> Lattice:
    graph = _Graph.of(reader, nodes, links)
    labels = symbols.encode([EPSILON_SYMBOL if word in (None, NULL_WORD, "") else word for word in graph.words])
    columns = {name: column for name, column in graph.columns.items() if not np.isnan(column).all()}
    _warn_of_missing(columns, labels, reader.path)
    posteriors = columns.pop("p", None)
    has_costs = bool(columns) or posteriors is None
    columns = {name: np.where(np.isnan(column), 0.0, column) for name, column in columns.items()}
    scales = {name: reader.header_number(SCALES[name], DEFAULT_SCALES[name]) for name in columns}
    penalty = reader.word_penalty()
    weights = link_costs(labels, columns, scales, penalty)
    features = {COLUMNS[name]: 0.0 - column for name, column in columns.items()}
    durations, start_time = graph.seconds[graph.targets] - graph.seconds[graph.sources], 0.0
    if _are_durations(durations, labels, reader.path) and not np.isnan(graph.seconds).any():
        features[TIME], start_time = durations, float(graph.seconds[graph.start])
    unread = (nodes.unread_fields | links.unread_fields) - _LINK_FIELDS
    unread |= {"t"} if TIME not in features and "t" in nodes.columns else set()
    header = reader.lattice_header(scales, 0.0 - penalty, start_time, unread)
    if posteriors is not None:
        _check_probabilities(reader, nodes, links)
        features[POSTERIOR] = log_probabilities(posteriors)
        if not has_costs:
            weights = weights + share_costs(graph.sources, posteriors)
            warn(_ONLY_POSTERIORS, path=reader.path, remedy=_NO_COSTS)
    finals = np.full(len(graph.seconds), np.inf)
    finals[graph.end] = 0.0
    sources, targets, finals = start_first(graph.start, graph.sources, graph.targets, finals)
    lattice = checked_lattice(reader.path, sources, labels, weights, targets, finals, symbols, features=features)
    return replace(lattice, header=header)


@dataclass(frozen=True)
class _Graph:
    """Links between nodes.

    Attributes:
        start, end: the indices of the first and the last node.
        sources, targets: (links,) the indices of nodes.
        words: the word of each link.
        columns: (links,) scores by field, NaN where unknown.
        seconds: (nodes,) the times of nodes, NaN where unknown.
    """

    start: int
    end: int
    sources: Longs
    targets: Longs
    words: list[str | None]
    columns: Mapping[str, Floats]
    seconds: Floats

    @classmethod
    def of(cls, reader: Reader, nodes: Rows, links: Rows) -> _Graph:
        """Moves the words and the scores of nodes to their links.

        Raises:
            FormatError: a node is missing, a count is wrong, or there are no or several starts or ends.
        """
        order = np.argsort(nodes.numbers[:, 0])
        names = nodes.numbers[order, 0]
        _check_structure(reader, names, links)
        sources, targets = np.searchsorted(names, links.numbers).T
        start = _terminal(reader, "start", names, np.bincount(targets, minlength=len(names)))
        end = _terminal(reader, "end", names, np.bincount(sources, minlength=len(names)))
        begin_at_nodes = reader.words_begin_at_nodes
        owners = order[sources if begin_at_nodes else targets]  # the nodes whose words the links have
        words = [
            nodes.words[owner] if word is None else word
            for word, owner in zip(links.words, owners.tolist(), strict=True)
        ]
        columns = {
            name: _or_of_nodes(links.columns.get(name), nodes.columns.get(name), owners)
            for name in (*COLUMNS, "p")
            if name in links.columns or name in nodes.columns
        }
        times = nodes.columns["t"][order] * reader.time_unit() if "t" in nodes.columns else np.full(len(names), np.nan)
        graph = cls(start, end, sources, targets, words, columns, times)
        bare = int(order[end if begin_at_nodes else start])
        if nodes.words[bare] in (None, NULL_WORD):
            return graph
        scores = {name: float(nodes.columns[name][bare]) for name in columns if name in nodes.columns}
        return graph.with_word(nodes.words[bare], scores, at_end=begin_at_nodes)

    def with_word(self, word: str | None, scores: Mapping[str, float], *, at_end: bool) -> _Graph:
        """Adds a link with the word of the start, which no link has, from a new start; or of the end, to a new end."""
        new, old = len(self.seconds), self.end if at_end else self.start
        place, (source, target) = (len(self.sources), (old, new)) if at_end else (0, (new, old))
        scores = {name: np.nan if name == "p" else 0.0 for name in self.columns} | dict(scores)
        return _Graph(
            self.start if at_end else new,
            new if at_end else self.end,
            np.insert(self.sources, place, source),
            np.insert(self.targets, place, target),
            [*self.words[:place], word, *self.words[place:]],
            {name: np.insert(column, place, scores[name]) for name, column in self.columns.items()},
            np.append(self.seconds, self.seconds[old]),
        )


def _warn_of_missing(columns: Mapping[str, Floats], labels: Ints, path: str | Path | None) -> None:
    """Warns of links with words that lack an acoustic, a language model's or the only score which other links have."""
    for name in columns.keys() & {"a", "l"} if columns.keys() - {"p"} else columns:
        lacking = int(np.count_nonzero(np.isnan(columns[name]) & (labels != EPSILON)))
        if lacking:
            message = f"{counted(lacking, 'link')} with a word but without {name}=, which others have; its cost is 0"
            warn(message, path=path, remedy=f"write {name}= on all links with words")


def _are_durations(durations: Floats, labels: Ints, path: str | Path | None) -> bool:
    """Returns whether no word ends before it begins; warns if one does."""
    backward = int(np.count_nonzero((durations < 0.0) & (labels != EPSILON)))
    if backward:
        message = f"times are left out, as {counted(backward, 'word')} would end before the begin"
        warn(message, path=path, remedy="write increasing times t=")
    return not backward


def _check_probabilities(reader: Reader, *parts: Rows) -> None:
    """Refuses negative values of `p`, which have no log."""
    for rows in parts:
        column = rows.columns.get("p", np.zeros(0))
        for place in np.flatnonzero(column < 0)[:1].tolist():
            message = f"p={column[place]!s} is not a probability"
            reader.fail(int(rows.lines[place]), message, "write probabilities from 0 to 1, not logs")


def _or_of_nodes(of_links: Floats | None, of_nodes: Floats | None, targets: Longs) -> Floats:
    """Returns a field of links; links without it take the value of their target node."""
    if of_nodes is None or of_links is None:
        return of_nodes[targets] if of_links is None and of_nodes is not None else cast(Floats, of_links)
    return np.where(np.isnan(of_links), of_nodes[targets], of_links)


def _check_structure(reader: Reader, names: Longs, links: Rows) -> None:
    if not len(names):
        reader.fail(None, "the file is empty: no nodes", NODE_LINES)
    if reader.header.get("dir", ("f", 0))[0].startswith("b"):
        reader.fail(reader.header["dir"][1], "backward lattices cannot be read", "write the lattice with dir=f")
    for name, count, what in (("N", len(names), "nodes"), ("L", len(links.lines), "links")):
        if name in reader.header and natural(reader.header[name][0]) != count:
            text, line = reader.header[name]
            reader.fail(line, f"the header announces {text[:40]} {what}, but there are {count}", "is the file cut off?")
    places = np.minimum(np.searchsorted(names, links.numbers), len(names) - 1)
    for row, end in np.argwhere(names[places] != links.numbers)[:1].tolist():
        message = f"the node {links.numbers[row, end]} has no line I="
        reader.fail(int(links.lines[row]), message, "write a line for each node")


def _terminal(reader: Reader, field_name: str, nodes: Longs, degrees: Longs) -> int:
    """Returns the index of the start or end node: the header's, or the only node without links on that side."""
    if field_name in reader.header:
        text, line = reader.header[field_name]
        name = natural(text)
        place = len(nodes) if name is None else int(np.searchsorted(nodes, name))
        if place == len(nodes) or nodes[place] != name:
            reader.fail(line, f"{field_name}={text[:40]} is not a node", "write the number of a node")
        return place
    candidates = np.flatnonzero(degrees == 0)
    if len(candidates) != 1:
        way = "no links lead to" if field_name == "start" else "no links leave"
        reader.fail(None, f"there are {len(candidates)} nodes that {way}", f"add the field {field_name}=")
    return int(candidates[0])


_FIRST_FIELD = re.compile(rb"(?:[ \t\r\n]|#[^\n]*\n)*[A-Za-z_]\w*=")
_STRUCTURE = re.compile(rb"(?:^|[ \t])(?:VERSION|V|NODES|N|LINKS|L|I|J|SUBLAT)=", re.MULTILINE)


def is_slf(head: bytes) -> bool:
    r"""Recognises SLF by a field at its beginning, and a version, a count, a node or a link.

    >>> is_slf(b"UTTERANCE=u-1\nN=2 L=1\n"), is_slf(b"beam=13.0\nlattice-beam=6.0\n")
    (True, False)
    """
    return _FIRST_FIELD.match(head) is not None and _STRUCTURE.search(head) is not None


FORMAT = Format((".slf", ".lat"), is_slf, parse_slf, write_slf, lost)
