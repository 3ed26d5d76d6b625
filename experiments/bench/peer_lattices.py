"""Operations on lattices and files, against OpenFst's Python modules (pynini, pywrapfst) and kaldifst."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pynini
import pywrapfst

import lattice_simp as ls
from experiments.bench.figures import Figures, compared, installed, repeated
from experiments.bench.growth import WORDS, wide_lattice

ARCS, SMALL_ARCS, TEXT_ARCS = 50_000, 2_000, 500_000
"""The arcs of the lattices for most rows, for determinization, and for text."""

FEW_WORDS = 100
"""The words of the lattice for determinization: few, so that states have several arcs with the same word."""

BEAM, PATHS, STRINGS = 5.0, 100, 200
"""The nats of pruning, the length of n-best lists, and the number of strings for composition and intersection."""

DELTA = 1 / 1024
"""The precision of costs in OpenFst's programs and kaldifst; pynini's default keeps noise of single precision."""

REPEATS = 20
"""The number of calls of operations that take milliseconds."""

FILES = 500
"""The number of small OpenFst files to read and write."""

Run = Callable[[], list[float]]


def measure(words: list[str], folder: Path) -> Figures:
    """Measures operations on one lattice, and files."""
    lattice = wide_lattice(ARCS, ls.SymbolTable(words[:WORDS]))
    few = wide_lattice(SMALL_ARCS, ls.SymbolTable(words[:FEW_WORDS]))
    text = wide_lattice(TEXT_ARCS, ls.SymbolTable(words[:WORDS]))
    figures = {**_pruning(lattice), **_lists(lattice), **_products(lattice), **_automata(few), **_text(text, folder)}
    if kaldifst := installed("kaldifst"):
        figures |= {
            **_kaldifst_lists(kaldifst, lattice, folder),
            **_kaldifst_automata(kaldifst, few, folder),
            **_kaldifst_text(kaldifst, text, folder),
        }
    return figures


def files(lists: list[ls.Lattice], folder: Path) -> Figures:
    """Reads and writes small OpenFst files, against pynini and kaldifst, which keep symbol tables unchanged."""
    paths = [folder / f"{number}.fst" for number in range(FILES)]
    lattices = [lists[number % len(lists)] for number in range(FILES)]

    def write() -> list[float]:
        for lattice, path in zip(lattices, paths, strict=True):
            ls.write(lattice, path)
        return _sizes(paths)

    def read() -> list[float]:
        return [float(ls.read(path).num_states) for path in paths]

    def read_by_pynini() -> list[float]:
        return [float(pynini.Fst.read(str(path)).num_states()) for path in paths]

    write()
    automata = [pynini.Fst.read(str(path)) for path in paths]

    def write_by_pynini() -> list[float]:
        for automaton, path in zip(automata, paths, strict=True):
            automaton.write(str(path))
        return _sizes(paths)

    figures = compared("peer_small_files_read_vs_pynini", read, read_by_pynini)
    figures |= compared("peer_small_files_written_vs_pynini", write, write_by_pynini)
    if kaldifst := installed("kaldifst"):
        others = [kaldifst.StdVectorFst.read(str(path)) for path in paths]

        def read_by_kaldifst() -> list[float]:
            return [float(kaldifst.StdVectorFst.read(str(path)).num_states) for path in paths]

        def write_by_kaldifst() -> list[float]:
            for automaton, path in zip(others, paths, strict=True):
                automaton.write(str(path))
            return _sizes(paths)

        figures |= compared("peer_small_files_read_vs_kaldifst", read, read_by_kaldifst)
        figures |= compared("peer_small_files_written_vs_kaldifst", write, write_by_kaldifst)
    return figures


def _sizes(paths: list[Path]) -> list[float]:
    return [float(path.stat().st_size) for path in paths]


def _pruning(lattice: ls.Lattice) -> Figures:
    """Prunes by a beam, against pywrapfst; as many arcs stay."""
    fst = lattice.to_pynini()

    def ours() -> list[float]:
        return [float(ls.prune(lattice, BEAM).num_arcs)]

    def theirs() -> list[float]:
        return [_arcs(pywrapfst.prune(fst, weight=BEAM))]

    return compared("peer_prune_vs_pywrapfst", repeated(REPEATS, ours), repeated(REPEATS, theirs))


def _lists(lattice: ls.Lattice) -> Figures:
    """Finds the best distinct strings, against pynini; their costs are equal."""
    fst = lattice.to_pynini()

    def ours() -> list[float]:
        return [entry.cost for entry in ls.nbest(lattice, PATHS)]

    def theirs() -> list[float]:
        paths, costs = pynini.shortestpath(fst, nshortest=PATHS, unique=True).paths(), []
        while not paths.done():
            paths.olabels()
            costs.append(float(paths.weight()))
            paths.next()
        return sorted(costs)

    return compared("peer_unique_nbest_vs_pynini", repeated(REPEATS, ours), repeated(REPEATS, theirs), tolerance=1e-4)


def _kaldifst_lists(kaldifst: ModuleType, lattice: ls.Lattice, folder: Path) -> Figures:
    """Finds the best paths, against kaldifst, which has no distinct strings; their costs are equal."""
    fst = _in_kaldifst(kaldifst, lattice, folder)

    def ours() -> list[float]:
        return [entry.cost for entry in ls.nbest(lattice, PATHS, unique=False)]

    def theirs() -> list[float]:
        paths = kaldifst.convert_nbest_to_vector(kaldifst.shortest_path(fst, n=PATHS))
        return sorted(kaldifst.get_linear_symbol_sequence(path)[3].value for path in paths)

    return compared("peer_nbest_vs_kaldifst", repeated(REPEATS, ours), repeated(REPEATS, theirs), tolerance=1e-4)


def _products(lattice: ls.Lattice) -> Figures:
    """Composes and intersects with an acceptor of a few strings, against pynini; the results have as many arcs."""
    strings = [(entry.text, 0.0) for entry in ls.nbest(lattice, STRINGS)]
    acceptor = ls.minimize(ls.Lattice.from_strings(strings, symbols=lattice.symbols))
    first, second = lattice.to_pynini(), acceptor.to_pynini().arcsort(sort_type="ilabel")
    figures: Figures = {}
    for name, operation, peer in (
        ("compose", ls.compose, pynini.compose),
        ("intersect", ls.intersect, pynini.intersect),
    ):

        def ours(operation: Callable[..., ls.Lattice] = operation) -> list[float]:
            return [float(operation(lattice, acceptor).num_arcs)]

        def theirs(peer: Callable[..., pynini.Fst] = peer) -> list[float]:
            return [_arcs(peer(first, second))]

        figures |= compared(f"peer_{name}_vs_pynini", repeated(REPEATS, ours), repeated(REPEATS, theirs))
    return figures


def _automata(lattice: ls.Lattice) -> Figures:
    """Determinizes and minimizes, against pynini; the results have as many states."""
    fst = lattice.to_pynini()
    determinized = repeated(REPEATS, lambda: [float(pynini.determinize(fst, delta=DELTA).num_states())])
    minimized = repeated(REPEATS, lambda: [float(pynini.determinize(fst, delta=DELTA).minimize().num_states())])
    return _compared_automata("pynini", lattice, determinized, minimized)


def _kaldifst_automata(kaldifst: ModuleType, lattice: ls.Lattice, folder: Path) -> Figures:
    """Determinizes and minimizes, against kaldifst; the results have as many states."""
    fst = _in_kaldifst(kaldifst, lattice, folder)

    def smallest() -> list[float]:
        automaton = kaldifst.determinize(fst)
        kaldifst.minimize(automaton)
        return [float(automaton.num_states)]

    determinized = repeated(REPEATS, lambda: [float(kaldifst.determinize(fst).num_states)])
    return _compared_automata("kaldifst", lattice, determinized, repeated(REPEATS, smallest))


def _compared_automata(peer: str, lattice: ls.Lattice, determinized: Run, minimized: Run) -> Figures:
    figures: Figures = {}
    for name, operation, theirs in (
        ("determinize", ls.determinize, determinized),
        ("minimize", ls.minimize, minimized),
    ):

        def ours(operation: Callable[[ls.Lattice], ls.Lattice] = operation) -> list[float]:
            return [float(operation(lattice).num_states)]

        figures |= compared(f"peer_{name}_vs_{peer}", repeated(REPEATS, ours), theirs)
    return figures


def _text(lattice: ls.Lattice, folder: Path) -> Figures:
    """Reads and writes AT&T text, against pywrapfst; it holds as many arcs."""
    path, fst, table = folder / "text.att", lattice.to_pynini(), pywrapfst.SymbolTable()
    for number, word in enumerate(lattice.symbols.words):
        table.add_symbol(word, number)

    def theirs() -> list[float]:
        path.write_text(fst.print(isymbols=table, osymbols=table, acceptor=True), encoding="utf-8")
        return [_lines(path)]

    def compiled() -> list[float]:
        compiler = pywrapfst.Compiler(isymbols=table, osymbols=table, acceptor=True)
        compiler.write(path.read_text(encoding="utf-8"))
        return [_arcs(compiler.compile())]

    figures = compared("peer_text_written_vs_pywrapfst", _written(lattice, path), theirs)
    return figures | compared("peer_text_read_vs_pywrapfst", _read(path), compiled)


def _kaldifst_text(kaldifst: ModuleType, lattice: ls.Lattice, folder: Path) -> Figures:
    """Reads and writes AT&T text, against kaldifst."""
    path, table = folder / "text.att", kaldifst.SymbolTable()
    for number, word in enumerate(lattice.symbols.words):
        table.add_symbol(word, number)

    def compiled() -> list[float]:
        text = path.read_text(encoding="utf-8")
        fst = kaldifst.compile(text, acceptor=True, isymbols=table, osymbols=table)
        return [float(sum(fst.num_arcs(state) for state in range(fst.num_states)))]

    _written(lattice, path)()
    figures = compared("peer_text_read_vs_kaldifst", _read(path), compiled)
    fst = _in_kaldifst(kaldifst, lattice, folder)
    fst.input_symbols = fst.output_symbols = table

    def theirs() -> list[float]:
        path.write_text(fst.to_str(is_acceptor=True), encoding="utf-8")
        return [_lines(path)]

    return figures | compared("peer_text_written_vs_kaldifst", _written(lattice, path), theirs)


def _written(lattice: ls.Lattice, path: Path) -> Run:
    def run() -> list[float]:
        ls.write(lattice, path)
        return [_lines(path)]

    return run


def _read(path: Path) -> Run:
    return lambda: [float(ls.read(path).num_arcs)]


def _lines(path: Path) -> float:
    return float(path.read_bytes().count(b"\n"))


def _in_kaldifst(kaldifst: ModuleType, lattice: ls.Lattice, folder: Path) -> Any:
    ls.write(lattice, folder / "whole.fst")
    return kaldifst.StdVectorFst.read(str(folder / "whole.fst"))


def _arcs(fst: pywrapfst.Fst) -> float:
    return float(sum(fst.num_arcs(state) for state in fst.states()))
