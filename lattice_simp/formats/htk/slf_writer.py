"""Writes lattices as HTK's Standard Lattice Format (SLF)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lattice_simp.core.columns import are_unknown
from lattice_simp.core.connect import topological_order
from lattice_simp.core.feature_names import POSTERIOR, TIME
from lattice_simp.core.header import Header
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON
from lattice_simp.errors import InvalidLatticeError
from lattice_simp.formats.common import (
    LOST_FEATURES,
    LOST_HEADER,
    Losses,
    probability_text,
    require_acceptor,
    single_final,
)
from lattice_simp.formats.htk.slf_fields import COLUMNS, DEFAULT_SCALES, NULL_WORD, SCALES, X_FIELDS, link_costs
from lattice_simp.support.textio import open_text

MODEL = "LM"
"""The usual name of a language model's feature, written to `l` if that field is free."""

_LEAST_LOG = -700.0  # a smaller log of a probability is written as the probability 0
_FIELDS_OF = {column: name for name, column in COLUMNS.items()}
_MOST_RESTS = 3  # fields for the difference between weights and scaled features
_ROUNDING = 16 * float(np.finfo(np.float64).eps)
_PLAIN = re.compile(r"""[^\\"' \x00-\x1f\x7f]+""")
_TO_OCTAL = re.compile(r"[\x00-\x1f\x7f]+[0-9]*")


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
            key: stored_scales.get(names.get(key, column), DEFAULT_SCALES[key]) for key, column in COLUMNS.items()
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
            *(f"{SCALES[field]}={self.scales[field]!r}" for field in scaled),
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
    error = np.abs(link_costs(lattice.olabels, costs, scales, 0.0 - penalty) - lattice.weights)
    if exactly:
        return not error.any()
    sizes = {field: np.abs(column) for field, column in costs.items()}
    size = link_costs(lattice.olabels, sizes, {field: abs(scale) for field, scale in scales.items()}, abs(penalty))
    return bool(error.max(initial=0.0) <= _ROUNDING * size.max(initial=0.0))


def _remainder(lattice: Lattice, costs: Mapping[str, Floats], scales: Mapping[str, float], field: str) -> Floats:
    """Returns the costs of a field of scale 1 that make all fields add up to the weights."""
    remainder = np.zeros(lattice.num_arcs)
    for _ in range(4):  # repeated until the last bits are right
        total = link_costs(lattice.olabels, {**costs, field: remainder}, scales, 0.0 - lattice.header.word_score)
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


def lost(lattice: Lattice) -> Losses:
    """Returns what a file of the lattice lacks."""
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
