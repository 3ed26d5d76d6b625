"""The bytes bridge between lattices and OpenFst: whole automata cross as one byte string, no arc at a time.

OpenFst's "const" layout (format version 2, standard arcs, no symbol tables) is a 65-byte header, then all states
`(final f4, first arc u4, arcs u4, input epsilons u4, output epsilons u4)`, then all arcs
`(ilabel i4, olabel i4, weight f4, nextstate i4)`, which numpy reads and writes as structured arrays.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pynini
import pywrapfst

from lattice_simp.core.symbols import EPSILON_SYMBOL, SymbolTable
from lattice_simp.errors import InvalidLatticeError

if TYPE_CHECKING:
    from lattice_simp.core.lattice import Lattice

STATE_TYPE = np.dtype(
    [("final", "<f4"), ("pos", "<u4"), ("narcs", "<u4"), ("niepsilons", "<u4"), ("noepsilons", "<u4")]
)
ARC_TYPE = np.dtype([("ilabel", "<i4"), ("olabel", "<i4"), ("weight", "<f4"), ("nextstate", "<i4")])

_MAGIC = 2125659606  # OpenFst's kFstMagicNumber
_VERSION = 2
_EXPANDED = 1  # the property bit kExpanded; all other properties stay unknown and are computed when asked for
_HEADER = struct.Struct("<ii5si8siiQqqq")
_NO_STATE = -1


def to_bytes(lattice: Lattice) -> bytes:
    """Returns the lattice as an OpenFst const FST (costs in single precision, labels without tables)."""
    num_states, num_arcs = lattice.num_states, lattice.num_arcs
    start = 0 if num_states else _NO_STATE
    header = _HEADER.pack(_MAGIC, 5, b"const", 8, b"standard", _VERSION, 0, _EXPANDED, start, num_states, num_arcs)
    states = np.zeros(num_states, dtype=STATE_TYPE)
    states["final"] = lattice.finals
    states["pos"] = lattice.offsets[:-1]
    states["narcs"] = np.diff(lattice.offsets)
    states["niepsilons"] = _count_zeros(lattice.ilabels, lattice.offsets)
    states["noepsilons"] = _count_zeros(lattice.olabels, lattice.offsets)
    arcs = np.empty(num_arcs, dtype=ARC_TYPE)
    arcs["ilabel"] = lattice.ilabels
    arcs["olabel"] = lattice.olabels
    arcs["weight"] = lattice.weights
    arcs["nextstate"] = lattice.nextstates
    return header + states.tobytes() + arcs.tobytes()


def _count_zeros(labels: npt.NDArray[np.int32], offsets: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    zeros_before = np.concatenate(([0], np.cumsum(labels == 0)))
    return np.asarray(zeros_before[offsets[1:]] - zeros_before[offsets[:-1]])


def to_pynini(lattice: Lattice, *, attach_symbols: bool = False) -> pynini.Fst:
    """Returns the lattice as a `pynini.Fst`, with symbol tables if asked for."""
    fst = pynini.Fst.read_from_string(to_bytes(lattice))
    if attach_symbols:
        table = _to_openfst_table(lattice.symbols)
        fst.set_output_symbols(table)
        fst.set_input_symbols(table if lattice.isymbols is None else _to_openfst_table(lattice.isymbols))
    return fst


def from_pynini(fst: Any, symbols: SymbolTable | None, isymbols: SymbolTable | None) -> dict[str, Any]:
    """Returns the fields of a lattice, from an OpenFst object; see `Lattice.from_pynini`."""
    if fst.arc_type() != "standard":
        raise InvalidLatticeError(
            f"arcs of type {fst.arc_type()!r}; convert to tropical costs first: fstmap --map_type=to_standard"
        )
    relabel_out = relabel_in = None
    if symbols is None:
        symbols, relabel_out = _from_openfst_table(fst.output_symbols())
        if isymbols is None and fst.input_symbols() is not None:
            own_input, relabel_in = _from_openfst_table(fst.input_symbols())
            isymbols = None if own_input == symbols else own_input
    states, arcs, start = _from_bytes(pywrapfst.convert(fst, "const").write_to_string())
    if start > 0:
        states, arcs = _move_start(states, arcs, start)
    if start == _NO_STATE:
        states, arcs = states[:0], arcs[:0]
    olabels = _relabel(arcs["olabel"], relabel_out)
    ilabels = _relabel(arcs["ilabel"], relabel_in if relabel_in is not None else relabel_out)
    same = isymbols is None and np.array_equal(ilabels, olabels)
    return {
        "offsets": np.append(states["pos"], len(arcs)).astype(np.int32),
        "ilabels": olabels if same else ilabels,
        "olabels": olabels,
        "weights": arcs["weight"].astype(np.float64),
        "nextstates": arcs["nextstate"].astype(np.int32),
        "finals": states["final"].astype(np.float64),
        "symbols": symbols,
        "isymbols": isymbols,
    }


def _from_bytes(data: bytes) -> tuple[npt.NDArray[Any], npt.NDArray[Any], int]:
    (*_, start, num_states, num_arcs) = _HEADER.unpack_from(data, 0)
    # An FST with symbol tables carries them between the header and the states: count from the end instead.
    arcs_at = len(data) - num_arcs * ARC_TYPE.itemsize
    states_at = arcs_at - num_states * STATE_TYPE.itemsize
    arcs = np.frombuffer(data, ARC_TYPE, num_arcs, arcs_at)
    return np.frombuffer(data, STATE_TYPE, num_states, states_at), arcs, start


def _move_start(
    states: npt.NDArray[Any], arcs: npt.NDArray[Any], start: int
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Makes `start` state 0; the states before it move up by one."""
    order = np.concatenate(([start], np.delete(np.arange(len(states)), start)))
    renamed = np.empty_like(order)
    renamed[order] = np.arange(len(order))
    counts = states["narcs"][order].astype(np.int64)
    ends = np.cumsum(counts)
    arc_order = np.repeat(states["pos"][order].astype(np.int64) - (ends - counts), counts) + np.arange(len(arcs))
    moved_states, moved_arcs = states[order].copy(), arcs[arc_order].copy()
    moved_states["pos"] = ends - counts
    moved_arcs["nextstate"] = renamed[moved_arcs["nextstate"]]
    return moved_states, moved_arcs


def _relabel(labels: npt.NDArray[np.int32], mapping: npt.NDArray[np.int32] | None) -> npt.NDArray[np.int32]:
    if mapping is None:
        return labels.astype(np.int32)
    outside = (labels < 0) | (labels >= len(mapping))
    if outside.any() or (mapping[labels] < 0).any():
        bad = int(labels[np.argmax(outside | (mapping[np.where(outside, 0, labels)] < 0))])
        raise InvalidLatticeError(f"the label {bad} is not in the FST's own symbol table")
    return np.asarray(mapping[labels], dtype=np.int32)


def _to_openfst_table(symbols: SymbolTable) -> Any:
    table = pywrapfst.SymbolTable()
    for label, word in enumerate(symbols):
        table.add_symbol(word, label)
    return table


def _from_openfst_table(table: Any) -> tuple[SymbolTable, npt.NDArray[np.int32]]:
    if table is None:
        raise InvalidLatticeError("the FST has no symbol table; pass one as `symbols`, or attach one to the FST")
    pairs = list(table)
    largest = max((label for label, _ in pairs), default=0)
    symbols = SymbolTable()
    mapping = np.full(largest + 1, -1, dtype=np.int32)
    for label, word in sorted(pairs):
        mapping[label] = 0 if label == 0 else symbols.add(word if word != EPSILON_SYMBOL else f"{word}{label}")
    return symbols, mapping
