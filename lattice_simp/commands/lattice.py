"""`lattice-simp lattice ...`: look at lattices, convert them, and operate on them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from lattice_simp.commands.options import (
    BEAM,
    FORMAT_NAMES,
    OUTPUT,
    command_app,
    format_name,
    read_full,
    read_skeleton,
    readable,
    write_result,
)
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.engines import ENGINES, Engine
from lattice_simp.ops.compose import EditCosts
from lattice_simp.ops.gappy_acceptor import Loops
from lattice_simp.support.options import option

if TYPE_CHECKING:
    from lattice_simp import Lattice

app = command_app("Look at lattices, convert them, and operate on them.")

Input = Annotated[str, typer.Argument(help="a lattice file of any format, an n-best list, or - for stdin")]
Id = Annotated[Optional[int], typer.Option("--id", help="the sentence of an n-best list of several, from 0")]  # noqa: UP045
Symbols = Annotated[Optional[Path], typer.Option(help="the words of a file with numeric labels")]  # noqa: UP045
InputSymbols = Annotated[Optional[Path], typer.Option(help="those of its input side, if others")]  # noqa: UP045
From = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--from", parser=format_name, metavar=FORMAT_NAMES, help="told by the content"),
]
To = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(parser=format_name, metavar=FORMAT_NAMES, help="told by the ending; att for stdout"),
]
Weight = Annotated[float, typer.Option(help="what the skeleton's costs are multiplied with")]
LoopsOption = Annotated[Loops, typer.Option(help="sigma (exact subsequences) or rho (the paper's)")]
EngineOption = Annotated[Engine, typer.Option(help="arrays (fast) or openfst (the definition; small inputs only)")]


@dataclass(frozen=True)
class _EditSettings:
    edits: EditCosts | None = option(None, "edits", "tolerate missing and other words at a cost")


COUNTED_STRINGS = 1000
"""Different strings are counted up to this number, since counting them means finding them."""


@app.command()
def info(source: Input, sentence: Id = None, symbols: Symbols = None, isymbols: InputSymbols = None) -> None:
    """Print size, kind and best path. Example: lattice-simp lattice info full.fst"""
    from lattice_simp import nbest
    from lattice_simp.ops.count_paths import count_paths
    from lattice_simp.support.textio import open_text

    lattice = _read(source, sentence, None, symbols, isymbols)
    lines = [
        ("kind", "acceptor" if lattice.is_acceptor else "transducer"),
        ("states", str(lattice.num_states)),
        ("arcs", str(lattice.num_arcs)),
        ("final states", str(int((lattice.finals < float("inf")).sum()))),
        ("epsilon arcs", str(int((lattice.olabels == 0).sum()))),
        ("words", str(len(set(lattice.olabels.tolist()) - {0}))),
        ("acyclic", "yes" if lattice.is_acyclic else "no"),
    ]
    if lattice.features:
        lines.append(("features", " ".join(lattice.features)))
    if lattice.is_acyclic:
        best = nbest(lattice, COUNTED_STRINGS + 1)
        count = len(best) if len(best) <= COUNTED_STRINGS else f"more than {COUNTED_STRINGS}"
        lines += [("paths", f"{count_paths(lattice):.6g}"), ("strings", str(count))]
        for path in best[:1]:
            lines += [("best cost", f"{path.cost:.6f}"), ("best string", path.text)]
    with open_text("-", "w") as file:
        file.writelines(f"{name}\t{value}\n" for name, value in lines)


@app.command()
def convert(
    source: Input,
    target: Annotated[str, typer.Argument(help="the file to write, its ending tells the format: .fst .txt .plf .slf")],
    sentence: Id = None,
    origin: From = None,
    to: To = None,
    symbols: Symbols = None,
    isymbols: InputSymbols = None,
) -> None:
    """Convert between formats. Example: lattice-simp lattice convert a.slf a.fst"""
    write_result(_read(source, sentence, origin, symbols, isymbols), target, to)


@app.command()
def lm(
    source: Input,
    model: Annotated[Path, typer.Option(help="an ARPA file or a KenLM binary")],
    sentence: Id = None,
    weight: Annotated[float, typer.Option(help="what the model's costs are multiplied with")] = 1.0,
    beam: BEAM = None,
    word_penalty: Annotated[float, typer.Option(help="a cost for each word")] = 0.0,
    name: Annotated[str, typer.Option(help="of the feature that receives the model's scores")] = "LM",
    engine: EngineOption = "arrays",
    output: OUTPUT = "-",
) -> None:
    """Apply a language model exactly. Example: lattice-simp lattice lm a.fst --model lm.arpa --output b.fst"""
    from lattice_simp import LanguageModel

    full = read_full(source, sentence)
    models = {name: (LanguageModel.read(model), weight)}
    write_result(ENGINES[engine].apply_lm(full, models, beam=beam, word_penalty=word_penalty), output)


@app.command()
def gappy(
    source: Input,
    sentence: Id = None,
    loops: LoopsOption = "sigma",
    engine: EngineOption = "arrays",
    output: OUTPUT = "-",
) -> None:
    """Make a gappy acceptor, its loops as arcs. Example: lattice-simp lattice gappy skel.nbest --id 0 --output g.fst"""
    from lattice_simp import Lattice

    acceptor = ENGINES[engine].gappy_acceptor(read_skeleton(source, sentence), loops=loops)
    write_result(acceptor if isinstance(acceptor, Lattice) else acceptor.as_lattice(), output)


@app.command()
@takes_settings(_EditSettings)
def compose(
    full: Annotated[str, typer.Argument(help="a lattice file, or a Moses n-best list of many sentences")],
    skeleton: Annotated[str, typer.Argument(help="a Moses n-best list of the skeletons, or a lattice file")],
    sentence: Id = None,
    weight: Weight = 1.0,
    loops: LoopsOption = "sigma",
    beam: BEAM = None,
    n: Annotated[int, typer.Option("-n", min=1, help="hypotheses to write for each sentence of n-best lists")] = 100,
    engine: EngineOption = "arrays",
    output: OUTPUT = "-",
    settings: Any = None,
) -> None:
    """Keep the full hypotheses that contain a skeleton hypothesis; where there is none, everything is kept.

    Two n-best lists give an n-best list, sentence by sentence; --id chooses one sentence and returns a lattice.

    Example: lattice-simp lattice compose full.nbest skeleton.nbest --weight 0.5 > joint.nbest
    """
    from lattice_simp.commands.compose import Composition
    from lattice_simp.errors import LatticeSimpError
    from lattice_simp.formats.nbest import is_nbest, write_nbest

    if full == skeleton == "-":
        raise LatticeSimpError("standard input cannot be both the full lattice and the skeleton's; give a file for one")
    edits = settings.get("edits")
    composition = Composition(weight, loops, beam, None if edits is None else EditCosts(**edits), n, engine)
    with readable(full) as full_file, readable(skeleton) as skeleton_file:
        if sentence is None and is_nbest(full_file) and is_nbest(skeleton_file):
            _needs_arrays(engine, "two n-best lists without --id")
            write_nbest(composition.compose_lists(full_file, skeleton_file), output)
            print(composition.summary, file=sys.stderr)
            return
        own = [sentence if is_nbest(file) else None for file in (full_file, skeleton_file)]
        lattice, hypotheses = read_full(full_file, own[0]), read_skeleton(skeleton_file, own[1])
    joint = composition.compose(lattice, hypotheses)
    if joint.empty:
        print("no full hypothesis contains a skeleton hypothesis; the full lattice is written", file=sys.stderr)
    write_result(lattice if joint.empty else joint, output)


@app.command()
def nbest(
    source: Input,
    sentence: Id = None,
    n: Annotated[int, typer.Option("-n", help="how many")] = 1,
    unique: Annotated[bool, typer.Option(help="different strings only")] = True,
    scores: Annotated[bool, typer.Option("--scores", help="print the features, too")] = False,
    engine: EngineOption = "arrays",
    output: Annotated[str, typer.Option("--output", "-o", help="the file to write, or - for stdout")] = "-",
) -> None:
    """Print the n best strings after their costs. Example: lattice-simp lattice nbest a.fst -n 10"""
    from lattice_simp.support.textio import open_text

    if scores:
        _needs_arrays(engine, "--scores")
    paths = ENGINES[engine].nbest(read_full(source, sentence), n, unique=unique)
    with open_text(output, "w") as file:
        for path in paths:
            columns = "".join(f"\t{name}={value:.6f}" for name, value in path.features.items()) if scores else ""
            file.write(f"{path.cost:.6f}\t{path.text}{columns}\n")


@app.command()
def prune(
    source: Input,
    sentence: Id = None,
    beam: BEAM = None,
    max_arcs: Annotated[Optional[int], typer.Option(help="arcs at most")] = None,  # noqa: UP045
    engine: EngineOption = "arrays",
    output: OUTPUT = "-",
) -> None:
    """Keep what is on good paths. Example: lattice-simp lattice prune a.fst --beam 8 --output b.fst"""

    limits = {} if max_arcs is None else {"max_arcs": max_arcs}
    if limits:
        _needs_arrays(engine, "--max-arcs")
    write_result(ENGINES[engine].prune(read_full(source, sentence), beam, **limits), output)


@app.command()
def draw(
    source: Input,
    output: Annotated[Path, typer.Option("--output", "-o", help="a file ending in .svg or .dot")],
    sentence: Id = None,
    n: Annotated[Optional[int], typer.Option("-n", "--nbest", help="draw the n best strings only")] = None,  # noqa: UP045
    max_states: Annotated[int, typer.Option(min=1, help="of .svg; the states nearest to the start are drawn")] = 200,
    title: Annotated[Optional[str], typer.Option(help="a heading")] = None,  # noqa: UP045
) -> None:
    """Draw a lattice as SVG (with the extra `draw`) or DOT. Example: lattice-simp lattice draw a.fst --output a.svg"""
    from lattice_simp import Lattice, nbest
    from lattice_simp.draw import to_dot, to_svg
    from lattice_simp.errors import LatticeSimpError
    from lattice_simp.support.textio import open_text

    if output.suffix not in (".svg", ".dot"):
        raise LatticeSimpError(f"{output}: a drawing ends in .svg or .dot")
    lattice = read_full(source, sentence)
    if n is not None:
        lattice = Lattice.from_strings(nbest(lattice, n))
    draws_dot = output.suffix == ".dot"
    text = to_dot(lattice, title) if draws_dot else to_svg(lattice, title=title, max_states=max_states)
    with open_text(output, "w") as file:
        file.write(text)


def _read(
    source: str, sentence: int | None, format: str | None, symbols: Path | None, isymbols: Path | None
) -> Lattice:
    """Reads a lattice whose words may be in other files."""
    from lattice_simp.errors import FormatError
    from lattice_simp.formats import format_of

    given = (("symbols_path", symbols), ("isymbols_path", isymbols))
    options = {name: path for name, path in given if path is not None}
    with readable(source) as file:
        if options and (format or format_of(file)) not in ("att", "openfst"):
            raise FormatError("its labels are words", path=source, remedy="leave --symbols and --isymbols out")
        return read_full(file, sentence, format, **options)


def _needs_arrays(engine: Engine, what: str) -> None:
    """Refuses what the definition leaves out."""
    from lattice_simp.errors import LatticeSimpError

    if engine != "arrays":
        raise LatticeSimpError(f"the engine {engine} does not do {what}; use --engine arrays")
