r"""HTK's Standard Lattice Format (SLF), as written by HTK, SRILM and Kaldi.

A file has a header (`VERSION=`, `base=`, `lmscale=`, `N=` nodes, `L=` links ...), a line for each node (`I=0 t=0.1
W=word`) and a line for each link (`J=0 S=0 E=1 W=word a=-12.5 l=-2.1`). Words are on links or on their target nodes;
`!NULL` is the empty word. Scores in the file are logs (of the base `base=`, default e) or, with `base=0`,
probabilities; reading converts them to costs, negative natural logs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn, cast

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arcs import start_first
from lattice_simp.core.columns import are_unknown, log_probabilities
from lattice_simp.core.connect import topological_order
from lattice_simp.core.feature_names import POSTERIOR, TIME
from lattice_simp.core.header import Header
from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, EPSILON_SYMBOL, SymbolTable
from lattice_simp.errors import FormatError, InvalidLatticeError, warn
from lattice_simp.formats.common import (
    LOST_FEATURES,
    LOST_HEADER,
    Format,
    Losses,
    beyond,
    checked_lattice,
    finite,
    natural,
    probability_text,
    require_acceptor,
    shown,
    single_final,
)
from lattice_simp.formats.slf_rows import LONG_NAMES, Rows, plain_rows
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import decode, open_text

NULL_WORD = "!NULL"
X_FIELDS = tuple(f"x{rank}" for rank in range(1, 10))
"""The fields of further scores; lattices of Moses have more of them, with two digits."""

_X_READ = (*X_FIELDS, *(f"x{rank}" for rank in range(10, 100)))
COLUMNS = {"a": "acoustic", "n": "ngram", "l": "lm", "r": "pronunciation", "ds": "duration"} | dict(
    zip(_X_READ, _X_READ, strict=True)
)
"""The fields of log scores, with their features."""

_LEAST_LOG = -700.0  # a smaller log of a probability is written as the probability 0

MODEL = "LM"
"""The usual name of a language model's feature, written to `l` if that field is free."""

_FIELD = re.compile(
    r"""[ \t]*([^\s=]+)=("(?:[^"\\]|\\.)*"(?![^ \t])|'(?:[^'\\]|\\.)*'(?![^ \t])|(?:[^ \t\\]|\\.)*(?![^ \t]))"""
)
_SKIPPED = re.compile(r"[ \t]*[^ \t]*")
_OCTAL = re.compile(rb"\\(0[1-3][0-7]{2}|[0-7]{3}|.)", re.DOTALL)

_SCALES = {"a": "acscale", "n": "ngscale", "l": "lmscale", "r": "prscale", "ds": "duscale"} | {
    name: f"{name}scale" for name in _X_READ
}
_FIELDS_OF = {column: name for name, column in COLUMNS.items()}
_DEFAULT_SCALES = dict.fromkeys(_SCALES, 0.0) | {"a": 1.0, "n": 1.0, "l": 1.0, "r": 1.0}
_SCORES = frozenset(("p", *COLUMNS))
_LINK_FIELDS = {"I", "J", "S", "E", "W", "t", "p", *COLUMNS}
_NO_FACTS = {"VERSION", "UTTERANCE", "N", "L", "start", "end", "dir", "wdpenalty", *_SCALES.values()}
_MOST_RESTS = 3  # fields for the difference between weights and scaled features
_ROUNDING = 16 * float(np.finfo(np.float64).eps)
_TIME_SCALE = "tscale"
_SPHINX, _SPHINX_BASE = "Sphinx", 1.0001
"""The name in comments of CMU Sphinx's files, and the base of its logs."""

_PLAIN = re.compile(r"""[^\\"' \x00-\x1f\x7f]+""")
_TO_OCTAL = re.compile(r"[\x00-\x1f\x7f]+[0-9]*")


def parse_slf(data: bytes, *, path: str | Path | None = None, symbols: SymbolTable | None = None) -> Lattice:
    r"""Parses the bytes of an SLF file.

    >>> text = "N=2 L=1\nlmscale=10\nI=0\nI=1\nJ=0 S=0 E=1 W=cat a=-3.0 l=-0.5\n"
    >>> lattice = parse_slf(text.encode())
    >>> lattice.weights.tolist(), lattice.features["acoustic"].tolist(), lattice.features["lm"].tolist()
    ([8.0], [-3.0], [-0.5])

    The scores become unscaled features: `a` "acoustic", `n` "ngram", `l` "lm", `r` "pronunciation", `ds`
    "duration", `x1` to `x99` by their names; the log of `p` becomes "posterior". A weight is minus the sum
    of the features times their scales (`acscale`, `ngscale`, `lmscale`, `prscale`: 1 if missing; `duscale`, `x1scale`
    ...: 0 if missing), and of the word penalty (`wdpenalty`, also a log score) if the link has a word. If every node
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
    table, text = SymbolTable() if symbols is None else symbols, decode(data, path)
    plain = plain_rows(text, _SCORES)
    if plain is not None:
        header, nodes, links = plain
        reader = _Reader(path)
        if reader.read(header) and not (reader.nodes or reader.links) and reader.take(nodes, links):
            return _to_lattice(reader, nodes, links, table)
    reader = _Reader(path)
    reader.read(text.split("\n"))
    return _to_lattice(reader, *reader.rows(), table)


def write_slf(
    lattice: Lattice,
    path: str | Path,
    *,
    utterance: str | None = None,
    acscale: float | None = None,
    lmscale: float | None = None,
    wdpenalty: float | None = None,
) -> None:
    """Writes an acceptor as HTK SLF, with words on links and logs to the base in the lattice's header (default e).

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cat.slf"
    >>> write_slf(Lattice.from_strings([("a cat", 0.5)]), path)
    >>> path.read_text().splitlines()[-1]
    'J=1 S=1 E=2 W=cat a=-0.5'

    Features with the names of `parse_slf` become fields; "LM" becomes `l`, and others become `x1` to `x9`, while these
    are free. Nodes get times from a feature "time", unless paths to a node differ in their times. The scales are those
    of the lattice's header. If the scaled scores do not add up to the weights, the difference is in `a` if that is
    free, otherwise in one of `x1` to `x9` (read by SRILM, not by HTK), so that costs stay exact. Unless there is a
    single final state of cost 0, there is a new last node, and `!NULL` links to it have the final costs.

    Args:
        lattice: an acceptor.
        path: the file; `-` is standard output.
        utterance: the name of the utterance; by default the header's.
        acscale: the scale of acoustic scores; by default the header's.
        lmscale: the scale of language model scores; by default the header's.
        wdpenalty: the log score that each word adds (negative: a penalty); by default the header's.

    Raises:
        InvalidLatticeError: the lattice is a transducer, or a word means epsilon.
        EmptyLatticeError: no state is final.
        LatticeSimpError: the file cannot be written.
    """
    require_acceptor(lattice, "SLF")
    header = lattice.header
    replaced = {"acoustic": acscale, "lm": lmscale}
    scales = {**header.scales, **{name: scale for name, scale in replaced.items() if scale is not None}}
    penalty = header.word_score if wdpenalty is None else wdpenalty
    lattice = replace(lattice, header=replace(header, scales=scales, word_score=penalty))
    lattice, end = single_final(lattice)
    layout = _Layout.of(lattice)
    lines = ["VERSION=1.1", *layout.header_lines(lattice.header, header.name if utterance is None else utterance)]
    lines += ["start=0", f"end={end}", f"N={lattice.num_states} L={lattice.num_arcs}"]
    words = {label: _link_word(lattice, label) for label in np.unique(lattice.olabels).tolist()}
    columns = {name: layout.written(0.0 - costs) for name, costs in layout.costs.items()}
    posteriors = [""] * lattice.num_arcs
    if POSTERIOR in lattice.features:
        logs = lattice.features[POSTERIOR]
        known = ~are_unknown(logs)
        posteriors = [
            _posterior(log) if is_known else "" for log, is_known in zip(logs.tolist(), known.tolist(), strict=True)
        ]
    pattern = "J=%s S=%s E=%s W=%s" + "".join(f" {name}=%r" for name in columns) + "%s\n"
    ends = lattice.sources.tolist(), lattice.nextstates.tolist(), map(words.__getitem__, lattice.olabels.tolist())
    links = zip(range(lattice.num_arcs), *ends, *columns.values(), posteriors, strict=True)
    times = [""] * lattice.num_states if layout.times is None else [f" t={time!r}" for time in layout.times.tolist()]
    with open_text(path, "w") as file:
        file.writelines(f"{line}\n" for line in lines)
        file.writelines(f"I={state}{time}\n" for state, time in enumerate(times))
        file.write("".join(map(pattern.__mod__, links)))


# ---------------------------------------------------------------- reading


def _to_lattice(reader: _Reader, nodes: Rows, links: Rows, symbols: SymbolTable) -> Lattice:
    order = np.argsort(nodes.numbers[:, 0])
    names = nodes.numbers[order, 0]
    _check_structure(reader, names, links)
    sources, targets = np.searchsorted(names, links.numbers).T
    start = _terminal(reader, "start", names, np.bincount(targets, minlength=len(names)))
    end = _terminal(reader, "end", names, np.bincount(sources, minlength=len(names)))
    node_words = [nodes.words[place] for place in order.tolist()]
    begin_at_nodes = reader.words_begin_at_nodes
    owners = sources if begin_at_nodes else targets
    words = [
        node_words[owner] if word is None else word for word, owner in zip(links.words, owners.tolist(), strict=True)
    ]
    columns = {
        name: _or_of_nodes(links.columns.get(name), nodes.columns.get(name), order[owners])
        for name in (*COLUMNS, "p")
        if name in links.columns or name in nodes.columns
    }
    seconds = nodes.columns["t"][order] * reader.time_unit() if "t" in nodes.columns else np.full(len(names), np.nan)
    bare = end if begin_at_nodes else start
    if node_words[bare] not in (None, NULL_WORD):  # no link has this word, so one more leads to or from a new state
        new = len(names)
        place, ends = (len(sources), (end, new)) if begin_at_nodes else (0, (new, start))
        start, end = (start, new) if begin_at_nodes else (new, end)
        sources, targets = np.insert(sources, place, ends[0]), np.insert(targets, place, ends[1])
        seconds = np.append(seconds, seconds[bare])
        words.insert(place, node_words[bare])
        unknown = {name: np.nan if name == "p" else 0.0 for name in columns}
        of_node = {name: nodes.columns[name][order[bare]] for name in columns if name in nodes.columns}
        columns = {name: np.insert(column, place, {**unknown, **of_node}[name]) for name, column in columns.items()}
    finals = np.full(len(seconds), np.inf)
    finals[end] = 0.0
    labels = symbols.encode([EPSILON_SYMBOL if word in (None, NULL_WORD, "") else word for word in words])
    columns = {name: column for name, column in columns.items() if not np.isnan(column).all()}
    _warn_of_missing(columns, labels, reader.path)
    posteriors = columns.pop("p", None)
    columns = {name: np.where(np.isnan(column), 0.0, column) for name, column in columns.items()}
    scales = {name: reader.header_number(_SCALES[name], _DEFAULT_SCALES[name]) for name in columns}
    penalty = reader.word_penalty()
    weights = _weights(labels, columns, scales, penalty)
    kept = {COLUMNS[name]: 0.0 - column for name, column in columns.items()}
    times = 0.0
    durations = seconds[targets] - seconds[sources]
    if _are_durations(durations, labels, reader.path) and not np.isnan(seconds).any():
        kept[TIME] = durations
        times = float(seconds[start])
    unread = (nodes.unread_fields | links.unread_fields) - _LINK_FIELDS
    unread |= {"t"} if TIME not in kept and "t" in nodes.columns else set()
    header = reader.lattice_header(scales, 0.0 - penalty, times, unread)
    if posteriors is not None:
        _check_probabilities(reader, nodes, links)
        kept[POSTERIOR] = log_probabilities(posteriors)
    sources, targets, finals = start_first(start, sources, targets, finals)
    lattice = checked_lattice(reader.path, sources, labels, weights, targets, finals, symbols, features=kept)
    return replace(lattice, header=header)


def _warn_of_missing(columns: Mapping[str, Floats], labels: Ints, path: str | Path | None) -> None:
    """Warns of links with words that lack an acoustic or a language model's score which other links have."""
    for name in columns.keys() & {"a", "l"}:
        lacking = int(np.count_nonzero(np.isnan(columns[name]) & (labels != EPSILON)))
        if lacking:
            message = f"{counted(lacking, 'link')} with a word but without {name}=, which others have; it counts as 0"
            warn(message, path=path, remedy=f"write {name}= on all links with words")


def _are_durations(durations: Floats, labels: Ints, path: str | Path | None) -> bool:
    """Returns whether no word ends before it begins; warns if one does."""
    backward = int(np.count_nonzero((durations < 0.0) & (labels != EPSILON)))
    if backward:
        message = f"times are left out, as {counted(backward, 'word')} would end before the begin"
        warn(message, path=path, remedy="write increasing times t=")
    return not backward


def _check_probabilities(reader: _Reader, *parts: Rows) -> None:
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


def _check_structure(reader: _Reader, names: Longs, links: Rows) -> None:
    if not len(names):
        reader.fail(None, "the file is empty: no nodes", _NODE_LINES)
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


def _terminal(reader: _Reader, field_name: str, nodes: Longs, degrees: Longs) -> int:
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


def _weights(
    labels: npt.NDArray[np.int32], columns: Mapping[str, Floats], scales: Mapping[str, float], penalty: float
) -> Floats:
    """Returns the costs of links, summed in SRILM's order: the penalty comes before the scores `x1` to `x9`."""
    weights = np.zeros(len(labels))
    with np.errstate(over="ignore", invalid="ignore"):  # the lattice's checks report costs that are not finite
        for names in (COLUMNS.keys() - set(_X_READ), _X_READ):
            for name in COLUMNS:
                if name in names and name in columns and scales[name]:
                    weights = weights + scales[name] * columns[name]
            if names is not _X_READ:
                weights = weights + np.where(labels == EPSILON, 0.0, penalty)
    return weights


_NODE_LINES = "write a line I= for each node and J= for each link"
_SUBLATTICES = ("sublattices cannot be read", "expand the lattice first, for example with HTK's HBuild")


@dataclass
class _Link:
    line: int
    source: int
    target: int
    word: str | None
    scores: dict[str, float]


@dataclass
class _Reader:
    """Collects header fields, nodes and links, with scores converted to costs in nats."""

    path: str | Path | None
    header: dict[str, tuple[str, int]] = field(default_factory=dict)  # the values and their lines
    nodes: dict[int, tuple[str | None, dict[str, float]]] = field(default_factory=dict)
    times: dict[int, float] = field(default_factory=dict)  # the times of nodes, in seconds
    links: list[_Link] = field(default_factory=list)
    base: float | None = None
    unread: set[str] = field(default_factory=set)
    is_sphinx: bool = False  # whether a comment says so

    def fail(self, line: int | None, message: str, remedy: str) -> NoReturn:
        raise FormatError(message, path=self.path, line=line, remedy=remedy)

    def read(self, lines: Iterable[str]) -> bool:
        """Reads lines, from the first of the file on; returns whether the lattice continues."""
        continues = True
        for number, line in enumerate(lines, 1):
            line = line.removesuffix("\r").strip(" \t")
            if not line or line[0] == "#":
                self.is_sphinx |= _SPHINX in line
                continue
            if not continues:
                self.fail(number, "another lattice begins", "write each lattice to a separate file")
            continues = self.line(number, line)
        return continues

    def take(self, nodes: Rows, links: Rows) -> bool:
        """Turns the scores of plain rows into costs; returns False if they must be read line by line.

        That is the case if nodes occur twice, or scores are probabilities.
        """
        if len(np.unique(nodes.numbers)) < len(nodes.numbers):
            return False
        for rows in (nodes, links):
            for name in COLUMNS.keys() & rows.columns.keys():
                if self.base is None:
                    self.base = self.log_of_base()
                if not self.base:
                    return False
                rows.columns[name] = 0.0 - rows.columns[name] * self.base
        return True

    def rows(self) -> tuple[Rows, Rows]:
        """Returns the nodes and the links; without lines for nodes, as in lattices of Moses, those that have links."""
        if self.links and not self.nodes:
            self.add_nodes_of_links()
        nodes = [
            {**scores, **({"t": self.times[name]} if name in self.times else {})}
            for name, (_, scores) in self.nodes.items()
        ]
        numbers = np.array([[name] for name in self.nodes], dtype=np.int64).reshape(-1, 1)
        words = [word for word, _ in self.nodes.values()]
        ends = np.array([(link.source, link.target) for link in self.links], dtype=np.int64).reshape(-1, 2)
        lines = np.array([link.line for link in self.links], dtype=np.int64)
        of_links = [link.scores for link in self.links]
        return (
            Rows(np.zeros(len(nodes), dtype=np.int64), numbers, words, _columns(nodes), frozenset(self.unread)),
            Rows(lines, ends, [link.word for link in self.links], _columns(of_links)),
        )

    def add_nodes_of_links(self) -> None:
        """Adds the nodes that have links; the first is the start and the last the end, unless the header says more."""
        names = sorted({name for link in self.links for name in (link.source, link.target)})
        count, line = self.header.pop("N", (str(names[-1] + 1), None))
        if natural(count) is None or int(count) <= names[-1]:
            self.fail(line, f"the header announces {count[:40]} nodes, but a link names {names[-1]}", _NODE_LINES)
        self.nodes = dict.fromkeys(names, (None, {}))
        self.header = {"start": (str(names[0]), 1), "end": (str(names[-1]), 1), **self.header}

    def line(self, number: int, line: str) -> bool:
        """Reads a line; returns whether the lattice continues."""
        if line == ".":
            return False
        match = _FIELD.match(line)
        if match is None:
            self.fail(number, f"not an SLF line: {shown(line)}", "write name=value fields separated by blanks")
        if match[1] not in ("I", "J"):
            fields = self.fields(number, line, strict=False)
            fields |= {"UTTERANCE": fields.pop("U")} if "U" in fields else {}
            if "SUBLAT" in fields:
                self.fail(number, *_SUBLATTICES)
            self.header.update((name, (text, number)) for name, text in fields.items())
            return True
        fields = self.fields(number, line, strict=True)
        if "I" in fields:
            self.node(number, fields)
        else:
            self.link(number, fields)
        return True

    def fields(self, number: int, line: str, *, strict: bool) -> dict[str, str]:
        """Returns the fields of a line; without `strict`, skips text that is not a field."""
        fields, position = {}, 0
        while position < len(line):
            match = _FIELD.match(line, position)
            if match is not None:
                try:
                    fields[LONG_NAMES.get(match[1], match[1])] = unquoted(match[2])
                except UnicodeDecodeError:
                    self.fail(number, f"bytes that are not UTF-8 in {shown(match[0])}", "convert the lattice to UTF-8")
            elif strict:
                self.fail(number, f"not an SLF field: {shown(line[position:])}", "write name=value; quote odd words")
            else:
                match = _SKIPPED.match(line, position)
                assert match is not None
            position = match.end()
        return fields

    def node(self, number: int, fields: dict[str, str]) -> None:
        name = self.node_number(number, fields, "I")
        if name in self.nodes:
            self.fail(number, f"the node {name} occurs twice", "give each node a different number")
        if "L" in fields or "SUBLAT" in fields:
            self.fail(number, *_SUBLATTICES)
        self.nodes[name] = (fields.get("W"), self.scores(number, fields))
        if "t" in fields:
            self.times[name] = self.number(number, fields["t"], "t")

    def link(self, number: int, fields: dict[str, str]) -> None:
        source, target = self.node_number(number, fields, "S"), self.node_number(number, fields, "E")
        self.links.append(_Link(number, source, target, fields.get("W"), self.scores(number, fields)))

    def node_number(self, number: int, fields: Mapping[str, str], name: str) -> int:
        value = natural(fields.get(name, ""))
        if value is None:
            shown_field = f"{name}={fields[name][:40]}" if name in fields else f"no field {name}="
            self.fail(number, f"not a node number: {shown_field}", "write node numbers from 0 up")
        return value

    def scores(self, number: int, fields: dict[str, str]) -> dict[str, float]:
        scores = {name: self.cost(number, text, name) for name, text in fields.items() if name in COLUMNS}
        if "p" in fields:
            scores["p"] = self.number(number, fields["p"], "p")
        self.unread |= fields.keys()
        return scores

    def number(self, number: int | None, text: str, name: str) -> float:
        value = finite(text)
        if value is None:
            message = f"{name}={text[:40]} is not a finite number{beyond(text)}"
            self.fail(number, message, "write scores as decimal numbers")
        return value

    def cost(self, number: int | None, text: str, name: str) -> float:
        value = self.number(number, text, name)
        if self.base is None:
            self.base = self.log_of_base()
        if self.base:
            return 0.0 - value * self.base
        if value <= 0:
            self.fail(
                number, f"{name}={text[:40]} is not a probability", "leave the link out, or write logs with base="
            )
        return 0.0 - math.log(value)

    def log_of_base(self) -> float:
        """Returns the natural log of the base of the scores, or 0 for probabilities."""
        text, line = self.header.get("base", ("", None))
        base = self.number(line, text, "base") if text else math.e
        if base < 0 or base == 1:
            self.fail(line, f"base={text} is not a base of logs", "write base=2.718281828459045, base=10 or base=0")
        return math.log(base) if base else 0.0

    @property
    def words_begin_at_nodes(self) -> bool:
        """Whether the time of a node is the begin of its word, as in lattices of CMU Sphinx, and not its end."""
        return self.is_sphinx or self.header_number("base", math.e) == _SPHINX_BASE

    def time_unit(self) -> float:
        """Returns the number of seconds that the unit of times has."""
        unit = self.header_number(_TIME_SCALE, 1.0)
        if unit <= 0:
            text, line = self.header[_TIME_SCALE]
            self.fail(line, f"{_TIME_SCALE}={text[:40]} is not a unit of times", "write its length in seconds")
        return unit

    def word_penalty(self) -> float:
        """Returns the cost of each word."""
        text, line = self.header.get("wdpenalty", ("", None))
        nothing = not text or (self.log_of_base() == 0 and finite(text) == 0)  # wdpenalty=0 among probabilities
        return 0.0 if nothing else self.cost(line, text, "wdpenalty")

    def lattice_header(
        self, scales: Mapping[str, float], word_score: float, start: float, unread: Collection[str]
    ) -> Header:
        """Returns the lattice's header, with the scales of the scores that occur."""
        header_scales = {name: self.header_number(key, 0.0) for name, key in _SCALES.items() if key in self.header}
        return Header(
            name=self.header["UTTERANCE"][0] if "UTTERANCE" in self.header else None,
            scales={COLUMNS[name]: scale for name, scale in {**header_scales, **scales}.items()},
            word_score=word_score,
            start=start,
            fields={
                name: "1.0" if name == _TIME_SCALE else text  # times of lattices are seconds
                for name, (text, _) in self.header.items()
                if name not in _NO_FACTS
            },
            unread=tuple(sorted(unread)),
        )

    def header_number(self, name: str, default: float) -> float:
        return self.number(self.header[name][1], self.header[name][0], name) if name in self.header else default


def _columns(rows: Sequence[Mapping[str, float]]) -> dict[str, Floats]:
    """Returns the numbers of each field, NaN where a row has none."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: np.array([row.get(name, np.nan) for row in rows]) for name in names}


def unquoted(value: str) -> str:
    r"""Returns a value of HTK without its quotes and escapes.

    >>> unquoted(r'"l\'eau"'), unquoted(r"caf\303\251")
    ("l'eau", 'café')
    """
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    if "\\" not in value:
        return value
    return _OCTAL.sub(_character, value.encode("utf-8")).decode("utf-8")


def _character(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code, 8) & 255]) if len(code) > 1 else code


# ---------------------------------------------------------------- writing


@dataclass(frozen=True)
class _Layout:
    """The fields of a written lattice.

    Attributes:
        costs: the costs of links by field, in nats, unscaled.
        scales: the scales of the fields.
        names: the features in the fields.
        remainders: the fields that hold the difference between the weights and the scaled features.
        times: the times of the nodes, or None.
        log_base: the log of the base of the written scores.
    """

    costs: Mapping[str, Floats]
    scales: Mapping[str, float]
    names: Mapping[str, str]
    remainders: tuple[str, ...]
    times: Floats | None
    log_base: float

    @classmethod
    def of(cls, lattice: Lattice) -> _Layout:
        """Chooses the fields of a lattice with a single final state of cost 0."""
        features, stored_scales = lattice.features, lattice.header.scales
        names = _fields(features)
        costs = {key: 0.0 - features[name] for key, name in names.items()}
        scales = {
            key: stored_scales.get(names.get(key, column), _DEFAULT_SCALES[key]) for key, column in COLUMNS.items()
        }
        free = [key for key in ("a", *X_FIELDS) if key not in costs]
        if not free and not _add_up(lattice, costs, scales):
            free = [X_FIELDS[-1]]
            del costs[free[0]], names[free[0]]
        remainders: list[str] = []
        for key in free[:_MOST_RESTS]:
            if costs and _add_up(lattice, costs, scales, exactly=bool(remainders)):
                break
            scales[key] = 1.0
            costs[key] = _remainder(lattice, costs, scales, key)
            remainders.append(key)
        base = float(lattice.header.fields.get("base", math.e))
        return cls(costs, scales, names, tuple(remainders), _node_times(lattice), math.log(base) if base > 0 else 1.0)

    def header_lines(self, header: Header, utterance: str | None) -> list[str]:
        """Returns the lines of the header, except for the sizes."""
        facts = {"UTTERANCE": utterance} if utterance is not None else {}
        facts |= header.fields
        if "base" in facts and self.log_base == 1.0:
            facts["base"] = repr(math.e)
        scaled = [field for field, name in COLUMNS.items() if field in self.costs or name in header.scales]
        return [
            *(f"{name}={_quoted(text)}" for name, text in facts.items()),
            *(f"{_SCALES[field]}={self.scales[field]!r}" for field in scaled),
            f"wdpenalty={self.written(np.array([header.word_score]))[0]!r}",
        ]

    def written(self, scores: Floats) -> list[float]:
        """Returns log scores in the file's base, if possible as numbers that are read back exactly."""
        if self.log_base == 1.0:
            return list(scores.tolist())
        values = scores / self.log_base
        nearby = [np.round(values, 10), values, np.nextafter(values, np.inf), np.nextafter(values, -np.inf)]
        return list(np.select([value * self.log_base == scores for value in nearby], nearby, values).tolist())


def _fields(names: Iterable[str]) -> dict[str, str]:
    """Returns the features that get a field, by field; features without an SLF name take free fields."""
    names = [name for name in names if name not in (TIME, POSTERIOR)]
    fields = {_FIELDS_OF[name]: name for name in names if name in _FIELDS_OF}
    if "l" not in fields and MODEL in names:
        fields["l"] = MODEL
    unplaced = [name for name in names if name not in fields.values()]
    free = [field for field in X_FIELDS if field not in fields]
    return fields | dict(zip(free[: 1 - _MOST_RESTS], unplaced, strict=False))


def _add_up(
    lattice: Lattice, costs: Mapping[str, Floats], scales: Mapping[str, float], *, exactly: bool = False
) -> bool:
    """Returns whether scaled scores and the word penalty add up to the weights, up to rounding unless `exactly`."""
    penalty = lattice.header.word_score
    error = np.abs(_weights(lattice.olabels, costs, scales, 0.0 - penalty) - lattice.weights)
    if exactly:
        return not error.any()
    sizes = {field: np.abs(column) for field, column in costs.items()}
    size = _weights(lattice.olabels, sizes, {field: abs(scale) for field, scale in scales.items()}, abs(penalty))
    return bool(error.max(initial=0.0) <= _ROUNDING * size.max(initial=0.0))


def _remainder(lattice: Lattice, costs: Mapping[str, Floats], scales: Mapping[str, float], field: str) -> Floats:
    """Returns the costs of a field of scale 1 that make all fields add up to the weights."""
    remainder = np.zeros(lattice.num_arcs)
    for _ in range(4):  # repeated until the last bits are right
        total = _weights(lattice.olabels, {**costs, field: remainder}, scales, 0.0 - lattice.header.word_score)
        remainder = remainder - (total - lattice.weights)
    return remainder


def _node_times(lattice: Lattice) -> Floats | None:
    """Returns each state's time in seconds; None without times, or if paths to a state differ in their times."""
    if TIME not in lattice.features or not lattice.is_acyclic:
        return None
    seconds = lattice.features[TIME]
    node_times = [math.nan] * lattice.num_states
    node_times[0] = lattice.header.start
    order = topological_order(lattice.offsets, lattice.nextstates)
    assert order is not None
    offsets, targets, durations = lattice.offsets.tolist(), lattice.nextstates.tolist(), seconds.tolist()
    for state in order.tolist():
        for arc in range(offsets[state], offsets[state + 1]):
            node_times[targets[arc]] = node_times[state] + durations[arc]
    times = np.array(node_times)
    agree = np.allclose(times[lattice.sources] + seconds, times[lattice.nextstates], rtol=0.0, atol=1e-6)
    return np.round(times, 9) if agree and not np.isnan(times).any() else None


def _lost(lattice: Lattice) -> Losses:
    layout = _Layout.of(single_final(lattice)[0])
    stored = {*layout.names.values(), POSTERIOR, TIME}
    return {
        LOST_FEATURES: [name for name in lattice.features if name not in stored],
        "times differ between the paths to a node, so nodes are written without": (
            [TIME] if TIME in lattice.features and layout.times is None else []
        ),
        LOST_HEADER: ["start time"] if layout.times is None and lattice.header.start else [],
        "features are written to other fields:": [
            f"{name} ({field}=)" for field, name in layout.names.items() if _FIELDS_OF.get(name) != field
        ],
        "costs that its scores do not explain are in a field that SRILM reads and HTK ignores:": [
            f"{field}=" for field in layout.remainders if field in X_FIELDS
        ],
    }


def _posterior(log: float) -> str:
    return f" p={float(probability_text(0.0 - log)) if log > _LEAST_LOG else 0.0!r}"


def _link_word(lattice: Lattice, label: int) -> str:
    word = lattice.symbols[label]
    if label != EPSILON and word == NULL_WORD:
        raise InvalidLatticeError(f"SLF cannot represent the word {NULL_WORD!r}, which means epsilon")
    return NULL_WORD if label == EPSILON else _quoted(word)


def _quoted(word: str) -> str:
    """Returns a field's value, in quotes if its characters require them."""
    if _PLAIN.fullmatch(word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + _TO_OCTAL.sub(_octal, escaped) + '"'


def _octal(match: re.Match[str]) -> str:
    return "".join(f"\\{ord(char):03o}" for char in match[0])


_FIRST_FIELD = re.compile(rb"(?:[ \t\r\n]|#[^\n]*\n)*[A-Za-z_]\w*=")
_STRUCTURE = re.compile(rb"(?:^|[ \t])(?:VERSION|V|NODES|N|LINKS|L|I|J|SUBLAT)=", re.MULTILINE)


def is_slf(head: bytes) -> bool:
    r"""Recognises SLF by a field at its beginning, and a version, a count, a node or a link.

    >>> is_slf(b"UTTERANCE=u-1\nN=2 L=1\n"), is_slf(b"beam=13.0\nlattice-beam=6.0\n")
    (True, False)
    """
    return _FIRST_FIELD.match(head) is not None and _STRUCTURE.search(head) is not None


FORMAT = Format((".slf", ".lat"), is_slf, parse_slf, write_slf, _lost)
