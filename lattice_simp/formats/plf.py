r"""PLF, the Python Lattice Format of Moses and cdec: one lattice on each line.

A lattice is a tuple of nodes, a node a tuple of arcs, an arc `('word', score, distance)`: it leads `distance` nodes on.
Instead of the score there may be nothing, several numbers, or a dictionary of named scores. The last node, which has
no arcs, is final and not written. `*EPS*` is the empty word.

>>> lattice = parse_plf("((('a',0.5,1),('the',0.5,1),),(('cat',1.0,1),),)")
>>> lattice
Lattice(acceptor, 3 states, 3 arcs, 4 symbols)
>>> format_plf(lattice)
"((('a',0.5,1),('the',0.5,1),),(('cat',1.0,1),),)"
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from lattice_simp.core.lattice import INFINITY, Lattice
from lattice_simp.core.symbols import EPSILON, SymbolTable
from lattice_simp.errors import FormatError, InvalidLatticeError
from lattice_simp.formats.common import checked_lattice, require_acceptor, single_final
from lattice_simp.formats.plf_reader import EPSILON_WORD, PlfReader, Scores
from lattice_simp.support.textio import open_text, read_lines

_TO_ESCAPE = {ord("\\"): "\\\\", ord("'"): "\\'", ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}


def read_plf(
    path: str | Path,
    symbols: SymbolTable | None = None,
    *,
    scores: Scores = "probability",
    score_name: str = "weight",
) -> Iterator[Lattice]:
    """Reads the lattices of a PLF file one after the other; see `parse_plf`. They share `symbols`.

    Raises:
        FormatError: as `parse_plf`; a file without lines.
    """
    symbols = SymbolTable() if symbols is None else symbols
    number = 0
    for number, line in enumerate(read_lines(path), 1):
        yield parse_plf(line, symbols, scores=scores, score_name=score_name, path=path, line_number=number)
    if number == 0:
        raise FormatError("the file is empty", path=path, remedy="write one lattice on each line")


def parse_plf(
    line: str,
    symbols: SymbolTable | None = None,
    *,
    scores: Scores = "probability",
    score_name: str = "weight",
    path: str | Path | None = None,
    line_number: int | None = None,
) -> Lattice:
    """Returns the lattice of one line of PLF.

    >>> lattice = parse_plf("((('a',{'lm':-0.5,'tm':-2.0},1),),)", scores="log", score_name="lm")
    >>> lattice.weights.tolist(), lattice.features["tm"].tolist()
    ([0.5], [-2.0])

    Args:
        line: the line.
        symbols: the table that numbers the words; it grows as needed. A new one if None.
        scores: what the numbers are: probabilities (as Moses takes them), natural logs of them (as cdec takes them)
            or costs (negative logs).
        score_name: the entry of a dictionary that becomes the weight; a weight without it is 0. All other entries
            become features (logs; 0 where an arc lacks them). A single number is the weight; of several numbers
            the first is the weight, the others become the columns `score2`, `score3` ...
        path: the file's name, for errors.
        line_number: the line's number, for errors.

    Raises:
        FormatError: says in which column of the line something is wrong.
    """
    if scores not in ("probability", "log", "cost"):
        raise FormatError(f"unknown kind of scores: {scores!r}", remedy="choose probability, log or cost")
    reader = PlfReader(line, scores, score_name, SymbolTable() if symbols is None else symbols, path, line_number)
    reader.lattice()
    num_states = reader.nodes + 1
    for _, target, place in reader.arcs:
        if target >= num_states:
            reader.fail("a distance that leads out of the lattice", "let every arc end in a node of the lattice", place)
    finals = [INFINITY] * reader.nodes + [0.0]
    targets = [target for _, target, _ in reader.arcs]
    sources = [source for source, _, _ in reader.arcs]
    columns = reader.filled_columns()
    weights = columns.pop(score_name, np.zeros(len(targets)))
    columns = {name: 0.0 - costs for name, costs in columns.items()}
    return checked_lattice(path, sources, reader.labels, weights, targets, finals, reader.symbols, features=columns)


def format_plf(lattice: Lattice, *, scores: Scores = "probability", score_name: str = "weight") -> str:
    r"""Returns a lattice as one line of PLF (without the line's end).

    >>> format_plf(Lattice.from_strings([("it 's", 2.0)]), scores="cost")
    "((('it',0.0,1),),(('\\'s',2.0,1),),)"

    The lattice is sorted topologically if it is not yet. Unless its last state is its only final state, with the cost
    0, there is a new last state, to which `*EPS*` arcs with the final costs lead. Arcs of a lattice with score
    columns get dictionaries with all columns and, as `score_name`, the weight.

    Reading the line back gives the same costs if `scores` is "log" or "cost", and with "probability" if they were
    read from probabilities; other costs near 0 may change by 1e-16, since probabilities near 1 lie no closer.

    Raises:
        InvalidLatticeError: a transducer; a cost that is no probability in double precision; a column that is called
            as the weight.
        EmptyLatticeError: no state is final.
        CyclicLatticeError: the lattice has a cycle.
    """
    require_acceptor(lattice, "PLF")
    if score_name in lattice.features:
        raise InvalidLatticeError(f"a feature is called {score_name!r} (choose another score_name)")
    lattice, _ = single_final(lattice.topsorted(), last=True)
    words = [EPSILON_WORD, *lattice.symbols.words[1:]]
    used = set(lattice.olabels.tolist())
    if any(label != EPSILON and words[label] == EPSILON_WORD for label in used):
        raise InvalidLatticeError(f"PLF cannot hold the word {EPSILON_WORD!r}, which means epsilon")
    quoted = {label: f"'{words[label].translate(_TO_ESCAPE)}'" for label in used}
    weights = [_format_score(cost, scores) for cost in lattice.weights.tolist()]
    if lattice.features:
        names = [f"'{name.translate(_TO_ESCAPE)}':" for name in (score_name, *lattice.features)]
        columns = [[_format_score(0.0 - score, scores) for score in own.tolist()] for own in lattice.features.values()]
        entries = zip(weights, *columns, strict=True)
        weights = ["{" + ",".join(map("".join, zip(names, row, strict=True))) + "}" for row in entries]
    distances = (lattice.nextstates - lattice.sources).tolist()
    arcs = [
        f"({quoted[label]},{weight},{distance}),"
        for label, weight, distance in zip(lattice.olabels.tolist(), weights, distances, strict=True)
    ]
    offsets = lattice.offsets.tolist()
    nodes = [f"({''.join(arcs[offsets[q] : offsets[q + 1]])})," for q in range(lattice.num_states - 1)]
    return f"({''.join(nodes)})"


def write_plf(
    lattices: Iterable[Lattice],
    path: str | Path,
    *,
    scores: Scores = "probability",
    score_name: str = "weight",
) -> None:
    """Writes lattices as a PLF file, one on each line; see `format_plf`.

    Raises:
        LatticeSimpError: as `format_plf`; the file cannot be written.
    """
    with open_text(path, "w") as file:
        for lattice in lattices:
            file.write(format_plf(lattice, scores=scores, score_name=score_name) + "\n")


def _format_score(cost: float, scores: Scores) -> str:
    if scores != "probability":
        return repr(cost if scores == "cost" else 0.0 - cost)
    probability = math.exp(-cost) if cost > -700 else INFINITY
    if not 0.0 < probability < INFINITY:
        raise InvalidLatticeError(f"the cost {cost} is no probability in double precision (write scores='log')")
    nearby = [float(f"{probability:.15g}"), probability]  # the first has fewer digits; then one step up and down
    nearby += [math.nextafter(probability, 0.0), math.nextafter(probability, INFINITY)]
    return repr(next((value for value in nearby if value > 0 and -math.log(value) == cost), probability))
