"""Operations on lattices and files, against OpenFst's Python modules (pynini, pywrapfst) and kaldifst."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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
    figures = {**_openfst(lattice, few), **_openfst_text(text, folder)}
    if kaldifst := installed("kaldifst"):
        figures |= {**_kaldifst(kaldifst, lattice, few, folder), **_kaldifst_text(kaldifst, text, folder)}
    return figures


def files(lists: list[ls.Lattice], folder: Path) -> Figures:
    """Reads and writes small OpenFst files, against pynini and kaldifst, which keep symbol tables unchanged."""
    paths = [folder / f"{number}.fst" for number in range(FILES)]
    lattices = [lists[number % len(lists)] for number in range(FILES)]

    def written(save: Callable[[Any, Path], object], automata: list[Any]) -> list[float]:
        for automaton, path in zip(automata, paths, strict=True):
            save(automaton, path)
        return [float(path.stat().st_size) for path in paths]

    write: Run = partial(written, ls.write, lattices)
    write()

    def against(name: str, read: Callable[[str], Any], states: Callable[[Any], int]) -> Figures:
        automata = [read(str(path)) for path in paths]
        saving = partial(written, lambda automaton, path: automaton.write(str(path)), automata)
        return {
            **compared(
                f"peer_small_files_read_vs_{name}",
                lambda: [float(ls.read(path).num_states) for path in paths],
                lambda: [float(states(read(str(path)))) for path in paths],
            ),
            **compared(f"peer_small_files_written_vs_{name}", write, saving),
        }

    figures = against("pynini", pynini.Fst.read, lambda automaton: automaton.num_states())
    if kaldifst := installed("kaldifst"):
        figures |= against("kaldifst", kaldifst.StdVectorFst.read, lambda automaton: automaton.num_states)
    return figures


def _often(name: str, ours: Run, theirs: Run, tolerance: float = 1e-6) -> Figures:
    return compared(f"peer_{name}", repeated(REPEATS, ours), repeated(REPEATS, theirs), tolerance)


def _openfst(lattice: ls.Lattice, few: ls.Lattice) -> Figures:
    """Compares costs of the best strings, arcs of pruned lattices and of products, and states of smaller automata."""
    fst, small = lattice.to_pynini(), few.to_pynini()
    strings = [(entry.text, 0.0) for entry in ls.nbest(lattice, STRINGS)]
    acceptor = ls.minimize(ls.Lattice.from_strings(strings, symbols=lattice.symbols))
    other = acceptor.to_pynini().arcsort(sort_type="ilabel")

    def paths() -> list[float]:
        paths, costs = pynini.shortestpath(fst, nshortest=PATHS, unique=True).paths(), []
        while not paths.done():
            paths.olabels()
            costs.append(float(paths.weight()))
            paths.next()
        return sorted(costs)

    def determinized() -> pynini.Fst:
        return pynini.determinize(small, delta=DELTA)

    determinize, minimize = _minimizing(few)
    return {
        **_often(
            "prune_vs_pywrapfst",
            lambda: [ls.prune(lattice, BEAM).num_arcs],
            lambda: [_arcs(pywrapfst.prune(fst, weight=BEAM))],
        ),
        **_often("unique_nbest_vs_pynini", lambda: [entry.cost for entry in ls.nbest(lattice, PATHS)], paths, 1e-4),
        **_often(
            "compose_vs_pynini",
            lambda: [ls.compose(lattice, acceptor).num_arcs],
            lambda: [_arcs(pynini.compose(fst, other))],
        ),
        **_often(
            "intersect_vs_pynini",
            lambda: [ls.intersect(lattice, acceptor).num_arcs],
            lambda: [_arcs(pynini.intersect(fst, other))],
        ),
        **_often("determinize_vs_pynini", determinize, lambda: [determinized().num_states()]),
        **_often("minimize_vs_pynini", minimize, lambda: [determinized().minimize().num_states()]),
    }


def _minimizing(few: ls.Lattice) -> tuple[Run, Run]:
    """Returns the functions that determinize and minimize a lattice, and count the states."""
    return lambda: [ls.determinize(few).num_states], lambda: [ls.minimize(few).num_states]


def _kaldifst(kaldifst: ModuleType, lattice: ls.Lattice, few: ls.Lattice, folder: Path) -> Figures:
    """Compares costs of the best paths, since kaldifst has no distinct strings, and states of smaller automata."""
    fst, small = (_in_kaldifst(kaldifst, each, folder) for each in (lattice, few))

    def paths() -> list[float]:
        paths = kaldifst.convert_nbest_to_vector(kaldifst.shortest_path(fst, n=PATHS))
        return sorted(kaldifst.get_linear_symbol_sequence(path)[3].value for path in paths)

    def minimized() -> list[float]:
        automaton = kaldifst.determinize(small)
        kaldifst.minimize(automaton)
        return [automaton.num_states]

    determinize, minimize = _minimizing(few)
    best = partial(ls.nbest, lattice, PATHS, unique=False)
    return {
        **_often("nbest_vs_kaldifst", lambda: [entry.cost for entry in best()], paths, 1e-4),
        **_often("determinize_vs_kaldifst", determinize, lambda: [kaldifst.determinize(small).num_states]),
        **_often("minimize_vs_kaldifst", minimize, minimized),
    }


def _openfst_text(lattice: ls.Lattice, folder: Path) -> Figures:
    path, fst, table = folder / "text.att", lattice.to_pynini(), _symbols(pywrapfst.SymbolTable(), lattice)

    def compiled(text: str) -> float:
        compiler = pywrapfst.Compiler(isymbols=table, osymbols=table, acceptor=True)
        compiler.write(text)
        return _arcs(compiler.compile())

    printed = partial(fst.print, isymbols=table, osymbols=table, acceptor=True)
    return {**_written_text("pywrapfst", lattice, path, printed), **_read_text("pywrapfst", path, compiled)}


def _kaldifst_text(kaldifst: ModuleType, lattice: ls.Lattice, folder: Path) -> Figures:
    path, table = folder / "text.att", _symbols(kaldifst.SymbolTable(), lattice)

    def compiled(text: str) -> float:
        fst = kaldifst.compile(text, acceptor=True, isymbols=table, osymbols=table)
        return float(sum(fst.num_arcs(state) for state in range(fst.num_states)))

    ls.write(lattice, path)
    figures = _read_text("kaldifst", path, compiled)
    fst = _in_kaldifst(kaldifst, lattice, folder)
    fst.input_symbols = fst.output_symbols = table
    return figures | _written_text("kaldifst", lattice, path, partial(fst.to_str, is_acceptor=True))


def _written_text(peer: str, lattice: ls.Lattice, path: Path, printed: Callable[[], str]) -> Figures:
    """Writes AT&T text of as many lines."""

    def written(save: Callable[[], object]) -> list[float]:
        save()
        return [float(path.read_bytes().count(b"\n"))]

    theirs = partial(written, lambda: path.write_text(printed(), encoding="utf-8"))
    return compared(f"peer_text_written_vs_{peer}", partial(written, partial(ls.write, lattice, path)), theirs)


def _read_text(peer: str, path: Path, compiled: Callable[[str], float]) -> Figures:
    """Reads AT&T text of as many arcs."""
    return compared(
        f"peer_text_read_vs_{peer}",
        lambda: [float(ls.read(path).num_arcs)],
        lambda: [compiled(path.read_text(encoding="utf-8"))],
    )


def _symbols(table: Any, lattice: ls.Lattice) -> Any:
    for number, word in enumerate(lattice.symbols.words):
        table.add_symbol(word, number)
    return table


def _in_kaldifst(kaldifst: ModuleType, lattice: ls.Lattice, folder: Path) -> Any:
    ls.write(lattice, folder / "whole.fst")
    return kaldifst.StdVectorFst.read(str(folder / "whole.fst"))


def _arcs(fst: pywrapfst.Fst) -> float:
    return float(sum(fst.num_arcs(state) for state in fst.states()))
