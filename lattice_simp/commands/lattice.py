"""`lattice-simp lattice ...`: look at lattices, convert them, and operate on them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from lattice_simp.commands.options import BEAM, OUTPUT, read_full, write_result

if TYPE_CHECKING:
    from lattice_simp import EditCosts, Lattice

app = typer.Typer(no_args_is_help=True, help="Look at lattices, convert them, and operate on them.")

Input = Annotated[str, typer.Argument(help="a lattice file of any format, or - for stdin")]
Id = Annotated[Optional[int], typer.Option("--id", help="the sentence of an n-best list, from 0")]  # noqa: UP045
Weight = Annotated[float, typer.Option(help="what the skeleton's costs are multiplied with")]
Loops = Annotated[str, typer.Option(help="sigma (exact subsequences) or rho (the paper's)")]


@app.command()
def info(source: Input, sentence: Id = None) -> None:
    """Print size, kind and best path. Example: lattice-simp lattice info full.fst"""
    from lattice_simp import nshortest
    from lattice_simp.ops.counts import count_paths

    lattice = read_full(source, sentence)
    lines = [
        ("kind", "acceptor" if lattice.is_acceptor else "transducer"),
        ("states", str(lattice.num_states)),
        ("arcs", str(lattice.num_arcs)),
        ("final states", str(int((lattice.finals < float("inf")).sum()))),
        ("epsilon arcs", str(int((lattice.olabels == 0).sum()))),
        ("words", str(len(lattice.symbols) - 1)),
        ("acyclic", "yes" if lattice.is_acyclic else "no"),
    ]
    if lattice.is_acyclic:
        lines.append(("paths", f"{count_paths(lattice):.6g}"))
        for path in nshortest(lattice, 1):
            lines += [("best cost", f"{path.cost:.6f}"), ("best string", path.words)]
    for name, value in lines:
        print(f"{name}\t{value}")


@app.command()
def convert(
    source: Input,
    target: Annotated[str, typer.Argument(help="the file to write, its ending tells the format: .fst .txt .plf .slf")],
    sentence: Id = None,
    to: Annotated[Optional[str], typer.Option(help="openfst, att, plf or slf")] = None,  # noqa: UP045
) -> None:
    """Convert between formats. Example: lattice-simp lattice convert a.slf a.fst"""
    from lattice_simp.formats import write_lattice

    write_lattice(read_full(source, sentence), target, to)


@app.command()
def lm(
    source: Input,
    model: Annotated[Path, typer.Option(help="an ARPA file or a KenLM binary")],
    weight: Annotated[float, typer.Option(help="what the model's costs are multiplied with")] = 1.0,
    beam: BEAM = None,
    word_penalty: Annotated[float, typer.Option(help="a cost for each word")] = 0.0,
    output: OUTPUT = "-",
) -> None:
    """Apply a language model exactly. Example: lattice-simp lattice lm a.fst --model lm.arpa --output b.fst"""
    from lattice_simp import LanguageModel, apply_lm

    lattice = apply_lm(read_full(source), LanguageModel.read(model), weight, beam=beam, word_penalty=word_penalty)
    write_result(lattice, output)


@app.command()
def gappy(
    source: Annotated[str, typer.Argument(help="a Moses n-best list (with --id) or a lattice file")],
    sentence: Id = None,
    loops: Loops = "sigma",
    output: OUTPUT = "-",
) -> None:
    """Make a gappy acceptor, its loops as arcs. Example: lattice-simp lattice gappy skel.nbest --id 0 --output g.fst"""
    from lattice_simp import gappy as make_gappy

    write_result(make_gappy(read_full(source, sentence), loops=loops).as_lattice(), output)  # type: ignore[arg-type]


@app.command()
def compose(
    full: Annotated[str, typer.Argument(help="a lattice file, or a Moses n-best list of many sentences")],
    skeleton: Annotated[str, typer.Argument(help="a Moses n-best list of the skeletons, or a lattice file")],
    weight: Weight = 1.0,
    loops: Loops = "sigma",
    beam: BEAM = None,
    edits: Annotated[bool, typer.Option(help="tolerate missing and other words at a cost")] = False,
    deletion_cost: Annotated[float, typer.Option(help="of a missing skeleton word, nats")] = 6.0,
    substitution_cost: Annotated[float, typer.Option(help="of another word in its place")] = 6.0,
    stem_cost: Annotated[float, typer.Option(help="of another word with the same stem")] = 1.0,
    n: Annotated[int, typer.Option("-n", help="hypotheses to write for each sentence of n-best lists")] = 100,
    output: OUTPUT = "-",
) -> None:
    """Keep the full hypotheses that contain a skeleton hypothesis; lists come out as lists, where nothing fits, whole.

    Example: lattice-simp lattice compose full.nbest skeleton.nbest --weight 0.5 > joint.nbest
    """
    from lattice_simp import EditCosts, gappy_compose
    from lattice_simp import gappy as make_gappy
    from lattice_simp.formats.nbest import write_nbest

    costs = EditCosts(deletion_cost, substitution_cost, stem_cost) if edits else None
    if is_nbest(full):
        write_nbest(_compose_lists(full, skeleton, weight, loops, beam, costs, n), output)
        return
    lattice = read_full(full)
    hypotheses = read_full(skeleton, 0 if is_nbest(skeleton) else None)
    acceptor = make_gappy(hypotheses, loops=loops, symbols=lattice.symbols)  # type: ignore[arg-type]
    joint = gappy_compose(lattice, acceptor, weight=weight, beam=beam, edits=costs)
    if joint.empty:
        print("no full hypothesis contains a skeleton hypothesis; the full lattice is written", file=sys.stderr)
    write_result(lattice if joint.empty else joint, output)


def _compose_lists(
    full: str, skeleton: str, weight: float, loops: str, beam: float | None, edits: EditCosts | None, n: int
) -> Iterator[tuple[int, list[Hypothesis]]]:
    """Composes sentence by sentence; counts on stderr where nothing fitted."""
    from lattice_simp import Lattice, gappy_compose, nshortest
    from lattice_simp import gappy as make_gappy
    from lattice_simp.formats.nbest import Hypothesis, read_nbest

    skeletons = dict(read_nbest(skeleton))
    failed = total = 0
    for sentence, entries in read_nbest(full):
        lattice = Lattice.from_strings([(entry.words, entry.cost) for entry in entries])
        pairs = [(entry.words, entry.cost) for entry in skeletons.get(sentence, [])]
        total += 1
        joint = None
        if pairs and entries:
            acceptor = make_gappy(pairs, loops=loops, symbols=lattice.symbols)  # type: ignore[arg-type]
            joint = gappy_compose(lattice, acceptor, weight=weight, beam=beam, edits=edits)
        if joint is None or joint.empty:
            failed += 1
            yield sentence, entries
            continue
        features = {entry.words: entry.features for entry in reversed(entries)}
        yield (
            sentence,
            [
                Hypothesis(
                    sentence,
                    path.words,
                    {**features[path.words], "Skeleton": (-path.scores["skeleton"],)},
                    -path.cost,
                )
                for path in nshortest(joint, n)
            ],
        )
    print(f"{total} sentences, {failed} without a common hypothesis (left as they are)", file=sys.stderr)


@app.command()
def nbest(
    source: Input,
    n: Annotated[int, typer.Option("-n", help="how many")] = 1,
    unique: Annotated[bool, typer.Option(help="different strings only")] = True,
    scores: Annotated[bool, typer.Option(help="print the score columns, too")] = False,
) -> None:
    """Print the n best strings with their costs. Example: lattice-simp lattice nbest a.fst -n 10"""
    from lattice_simp import nshortest

    for path in nshortest(read_full(source), n, unique=unique):
        columns = "".join(f"\t{name}={value:.6f}" for name, value in path.scores.items()) if scores else ""
        print(f"{path.cost:.6f}\t{path.words}{columns}")


@app.command()
def prune(
    source: Input,
    beam: BEAM = None,
    max_arcs: Annotated[Optional[int], typer.Option(help="arcs at most")] = None,  # noqa: UP045
    output: OUTPUT = "-",
) -> None:
    """Keep what lies on good paths. Example: lattice-simp lattice prune a.fst --beam 8 --output b.fst"""
    from lattice_simp import prune as prune_lattice

    write_result(prune_lattice(read_full(source), beam, max_arcs=max_arcs), output)


@app.command()
def draw(
    source: Input,
    output: Annotated[Path, typer.Option(help="a file ending in .svg or .dot")],
    n: Annotated[Optional[int], typer.Option("-n", help="draw the n best strings only")] = None,  # noqa: UP045
    max_states: Annotated[int, typer.Option(help="refuse to draw more states")] = 200,
) -> None:
    """Draw a lattice. Example: lattice-simp lattice draw a.fst --output a.svg"""
    from lattice_simp import Lattice, nshortest
    from lattice_simp.draw import to_dot, to_svg
    from lattice_simp.errors import LatticeSimpError

    if output.suffix not in (".svg", ".dot"):
        raise LatticeSimpError(f"{output}: a drawing ends in .svg or .dot")
    lattice: Lattice = read_full(source)
    if n is not None:
        lattice = Lattice.from_strings([(path.words, path.cost) for path in nshortest(lattice, n)])
    text = to_dot(lattice) if output.suffix == ".dot" else to_svg(lattice, max_states=max_states)
    output.write_text(text, encoding="utf-8")


def is_nbest(path: str) -> bool:
    """Tells a Moses n-best list by its first line."""
    from lattice_simp.formats.textio import read_lines

    return path != "-" and not path.endswith(".fst") and " ||| " in next(iter(read_lines(path)), "")


if TYPE_CHECKING:
    from lattice_simp.formats.nbest import Hypothesis
