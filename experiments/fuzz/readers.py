"""The readers, each with undamaged files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import lattice_simp as ls
from lattice_simp.formats import FORMATS
from lattice_simp.formats.collections import read_all
from lattice_simp.formats.generators.grammar import GRAMMARS
from lattice_simp.support.textio import read_lines

Read = Callable[[Path], Any]


@dataclass(frozen=True)
class Reader:
    """A reader: its name in the report, its suffix, the contents of valid files, and what reads a whole file."""

    name: str
    suffix: str
    files: tuple[bytes, ...]
    read: Read


FILES = Path(__file__).parent / "files"
"""The folder of undamaged files; a name up to a hyphen or a dot names the reader."""


@cache
def _lattices() -> list[ls.Lattice]:
    """Returns lattices to write, when they are needed: making them compiles kernels."""
    return [
        ls.Lattice.from_nbest(
            [
                ls.Hypothesis(("the", "old", "cat"), 1.5, {"LM": -2.0, "acoustic": -7.25}),
                ls.Hypothesis(("the", "cat"), 2.5, {"LM": -1.0, "acoustic": -9.0}),
                ls.Hypothesis(("été", "10\u00a0000"), 3.0, {"LM": -4.0, "acoustic": -8.0}),
            ]
        ),
        ls.Lattice.from_strings([("a", 0.0)]),
        ls.confusion_network(ls.Lattice.from_strings([("the cat", 0.5), ("été", 1.5)])),
    ]


def _lattice(path: Path, **options: Any) -> None:
    for _, lattice in read_all(path, **options):
        ls.nbest(lattice, 3)


def _feature_lattice(path: Path) -> None:
    """Reads a format that is chosen by name only."""
    ls.nbest(ls.read(path, "features"), 3)


def _lists(path: Path) -> None:
    for hypotheses in ls.read_nbest(path):
        ls.nbest(ls.Lattice.from_nbest(hypotheses), 3)


def _language_model(path: Path) -> None:
    ls.LanguageModel.read(path, cache=False).score("a b a")


def _grammar(path: Path) -> None:
    from lattice_simp.translate.grammar import Grammar

    grammar = Grammar.read(path, cache=False)
    for number in range(min(grammar.num_rules, 5)):
        grammar.rule(number)


def _trees(path: Path) -> None:
    for line in read_lines(path):
        ls.Tree.from_brackets(line)


def _consumed(name: str, function: str) -> Read:
    """Returns a reader that consumes the result of a module's function."""

    def read(path: Path) -> None:
        from importlib import import_module

        result = getattr(import_module(f"lattice_simp.{name}"), function)(path)
        if hasattr(result, "__next__"):
            for _ in result:
                pass

    return read


OTHERS: dict[str, Read] = {
    "features": _feature_lattice,
    "moses": _lists,
    "json": _lists,
    "fairseq": _lists,
    "icefall": _lists,
    "srilm": _lists,
    "julius": _lists,
    "graph": partial(_lattice, format="julius-graph"),
    "network": partial(_lattice, format="julius-cn"),
    "rules": _grammar,
    "lm": _language_model,
    "weights": _consumed("translate.model_files", "read_weights"),
    "skeletons": _consumed("skeleton.io", "read_skeletons"),
    "brackets": _consumed("skeleton.io", "read_brackets"),
    "symbols": _consumed("formats.openfst.symbols", "read_labels"),
    "tree": _trees,
    "parses": _consumed("text.english.parse", "read_parses"),
    "conllu": _consumed("systems.hindi.formats.conllu", "read_conllu"),
    "ssf": _consumed("systems.hindi.formats.ssf", "read_ssf"),
    "settings": _consumed("support.settings_file", "read_settings"),
    "boxer": _consumed("systems.simplify.graphs.boxer", "read_graphs"),
    "articles": _consumed("systems.corpus.articles", "read_articles"),
}
"""The readers of files other than lattices."""


def readers(folder: Path) -> Iterator[Reader]:
    """Yields all readers; `folder` receives temporary files."""
    for name in dict.fromkeys(_stem(path) for path in sorted(FILES.iterdir())):
        paths = [path for path in sorted(FILES.iterdir()) if _stem(path) == name]
        files = tuple(path.read_bytes() for path in paths)
        yield Reader(name, paths[0].suffix, files, OTHERS.get(name, _lattice))
    yield from (_written(format, folder) for format in FORMATS if format not in GRAMMARS)
    yield from _packed(folder)
    yield from _openfst(folder)
    yield from _binary(folder)


def _written(format: str, folder: Path) -> Reader:
    """Returns the reader of a format, with files that the package writes."""
    files, options = list[bytes](), dict[str, Any]()
    path = folder / f"whole{(*FORMATS[format].suffixes, '.txt')[0]}"
    if format == "kaldi-binary":  # its labels are the numbers of a table
        options["symbols_path"] = folder / "words.txt"
        words = ["<eps>", *dict.fromkeys(word for lattice in _lattices() for word in lattice.symbols.words[1:])]
        rows = [f"{word} {number}\n" for number, word in enumerate(words)]
        options["symbols_path"].write_text("".join(rows), encoding="utf-8")
    for lattice in _lattices():
        try:
            ls.write(lattice, path, format, **options)
        except ls.InvalidLatticeError:  # the format can only hold confusion networks, or no blanks within words
            continue
        files.append(path.read_bytes())
    read = OTHERS.get(format, partial(_lattice, **options))
    return Reader(f"written {format}", path.suffix, tuple(files), read)


def _stem(path: Path) -> str:
    return re.split(r"[-.]", path.name)[0]


def _packed(folder: Path) -> Iterator[Reader]:
    import bz2
    import gzip
    import lzma
    import tarfile

    import zstandard

    text = (FILES / "att-1.txt").read_bytes()
    packers: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".xz": lzma.compress,
        ".bz2": bz2.compress,
        ".zst": zstandard.compress,
    }
    for suffix, pack in packers.items():
        yield Reader(f"att{suffix}", f".txt{suffix}", (pack(text),), _lattice)
    for compression in ("", "gz"):
        suffix = ".tar.gz" if compression else ".tar"
        path = folder / f"whole{suffix}"
        with tarfile.open(path, "w:gz" if compression else "w") as archive:
            for member in ("a.txt", "b.txt"):
                (folder / member).write_bytes(text)
                archive.add(folder / member, member)
        yield Reader(f"archive{suffix}", suffix, (path.read_bytes(),), _lattice)


def _openfst(folder: Path) -> Iterator[Reader]:
    """Yields readers of the layouts and arcs of OpenFst; a child process converts the compact ones."""
    import pywrapfst

    ls.write(_lattices()[0], folder / "vector.fst")
    ls.write(_lattices()[1], folder / "string.fst")
    whole, string = (pywrapfst.Fst.read(str(folder / name)) for name in ("vector.fst", "string.fst"))
    log = pywrapfst.arcmap(whole, map_type="to_log")
    layouts = (("const", whole), ("const", log), ("compact_acceptor", whole), ("compact_string", string))
    for number, (layout, automaton) in enumerate(layouts):
        path = folder / f"{number}.fst"
        pywrapfst.convert(automaton, layout).write(str(path))
        arcs = "" if automaton is not log else " of log arcs"
        yield Reader(f"OpenFst {layout}{arcs}", ".fst", (path.read_bytes(),), _lattice)


def _binary(folder: Path) -> Iterator[Reader]:
    from lattice_simp.rescore.model1 import Model1Scorer, WordTable
    from lattice_simp.systems.hindi.clauses.crf import LinearChain
    from lattice_simp.translate.grammar import Grammar

    rng = np.random.default_rng(0)
    pairs = np.array([[0, 0], [0, 1], [1, 1], [-1, 0]], np.int32)
    WordTable.from_pairs(["la", "maison"], ["the", "house"], pairs, *rng.random((2, 4))).write(folder / "words")
    (folder / "rules").write_bytes((FILES / "rules-1.txt").read_bytes())
    Grammar.read(folder / "rules", cache=False).write(folder / "rules.arrays")
    LinearChain(("A", "B"), {"f": 0, "g": 1}, np.ones((2, 2), np.float32), np.zeros((2, 2))).write(folder / "chain")

    def words(path: Path) -> None:
        Model1Scorer(WordTable.read(path)).score(["la"], [["the"], ["house", "the"]])

    yield Reader("word table", ".scorer", ((folder / "words").read_bytes(),), words)
    yield Reader("rule arrays", ".arrays", ((folder / "rules.arrays").read_bytes(),), _grammar)
    yield Reader("random field", ".crf", ((folder / "chain").read_bytes(),), LinearChain.read)
