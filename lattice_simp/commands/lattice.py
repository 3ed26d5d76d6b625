"""`lattice-simp lattice ...`: look at lattices, convert them, and operate on them."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Optional

import numpy as np
import typer

from lattice_simp.commands import confidence, consensus, lists
from lattice_simp.commands.batch import JOBS, LatticeInput, find_batch
from lattice_simp.commands.options import (
    BEAM,
    FIRST_ID,
    OUTPUT,
    From,
    Id,
    Input,
    LabelOptions,
    Losses,
    To,
    WordOptions,
    command_app,
    ignored_words,
    labels_of_lists,
    pieces_of,
    read_any,
    read_full,
    read_skeleton,
    readable,
    refuse_idle,
    require_hypotheses,
    sentence_number,
    write_result,
)
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.shortest_distance import Semiring
from lattice_simp.engines import ENGINES, Engine
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats import format_of_name, write
from lattice_simp.formats.grammar import GRAMMARS
from lattice_simp.formats.nbest import is_json_name, write_nbest
from lattice_simp.formats.text_automaton import Spacing
from lattice_simp.lm import LanguageModel
from lattice_simp.ops.compose_gappy import EditCosts
from lattice_simp.ops.count_paths import count_paths, log_count, unweighted
from lattice_simp.ops.determinize import MAX_STATES
from lattice_simp.ops.determinize import determinize as deterministic
from lattice_simp.ops.gappy_acceptor import Loops
from lattice_simp.ops.nbest import nbest as best_paths
from lattice_simp.support.options import option
from lattice_simp.support.textio import open_binary, open_text

_MAX_POWER_SHOWN = 300
"""Larger powers of ten are beyond floating point."""

ROUNDING = 1e-12
"""What sums of logarithms may be off."""

_NOT_COUNTED = "not counted"

app = command_app("Look at lattices, convert them, and operate on them.")
app.add_typer(consensus.app)
app.add_typer(lists.app)
app.add_typer(confidence.app)

Weight = Annotated[float, typer.Option(help="what the skeleton's costs are multiplied with")]
LoopsOption = Annotated[Loops, typer.Option(help="sigma (exact subsequences) or rho (the paper's)")]
SemiringOption = Annotated[
    Semiring, typer.Option(help="tropical (each string's least cost) or log (its paths' probabilities are summed)")
]
EngineOption = Annotated[Engine, typer.Option(help="arrays (fast) or openfst (the definition; small inputs only)")]


@dataclass(frozen=True)
class _ComposeOptions(WordOptions):
    edits: EditCosts | None = option(None, "edits", "tolerate missing and other words at a cost")


MaxStates = Annotated[int, typer.Option(min=1, help="that a deterministic lattice may have; more are an error")]

COUNTED_STATES = 10_000
"""Different strings are counted where a deterministic lattice has at most so many states."""

COUNTED_ARCS = 20_000
"""Of larger lattices with several paths for a string, the strings are not counted."""


@app.command()
@takes_settings(WordOptions)
def info(source: Input, sentence: Id = None, jobs: JOBS = 1, settings: Any = None) -> None:
    """Print size, kind and best path; of many lattices, a line each. Example: lattice-simp lattice info full.fst"""
    facts = partial(_facts, ignored=ignored_words(settings))
    with readable(source) as file, open_text("-", "w") as out:
        batch = find_batch(file, sentence, jobs, settings)
        if batch is None:
            lattice = read_any(file, sentence, labels=settings)
            out.writelines(f"{name}\t{value}\n" for name, value in facts(lattice).items())
            require_hypotheses(lattice, source)
            return
        out.write("\t".join(("name", *_BATCH_FACTS)) + "\n")
        for name, rows in batch.results(partial(facts, strings=False)):
            out.write("\t".join((name, *(rows.get(fact, "") for fact in _BATCH_FACTS))) + "\n")
    batch.finish()


_BATCH_FACTS = ("kind", "states", "arcs", "words", "acyclic", "paths", "best cost", "best string")


def _facts(lattice: Lattice, ignored: Collection[str], strings: bool = True) -> dict[str, str]:
    """Returns what `info` prints for a lattice, by name; the number of its strings takes longer than all the rest."""
    lattice = lattice.without_words(ignored)
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
        lines.append(("paths", _path_count(lattice)))
        if strings:
            lines.append(("strings", _string_count(lattice)))
        for path in best_paths(lattice):
            lines += [("best cost", f"{path.cost:.6f}"), ("best string", path.text)]
    return dict(lines)


def _path_count(lattice: Lattice) -> str:
    """Returns the number of paths, its power of ten where it is beyond floating point."""
    power = log_count(lattice) / math.log(10.0)
    if power < _MAX_POWER_SHOWN:
        return f"{count_paths(lattice):.6g}"
    return f"10^{math.floor(power * (1.0 + ROUNDING))}"


def _string_count(lattice: Lattice) -> str:
    """Returns the number of different strings, in words where finding it would take long."""
    lattice = unweighted(lattice.project_output().connected())
    ways = np.unique(lattice.sources.astype(np.int64) * len(lattice.symbols) + lattice.olabels)
    if len(ways) < lattice.num_arcs or lattice.has_epsilons():  # several paths may have one string
        if lattice.num_arcs > COUNTED_ARCS:
            return _NOT_COUNTED
        try:
            lattice = deterministic(lattice, max_states=COUNTED_STATES)
        except LatticeSimpError:
            return _NOT_COUNTED
    return _path_count(lattice)


@app.command()
@takes_settings(LabelOptions)
def convert(
    source: Input,
    target: Annotated[
        str, typer.Argument(help="the file to write, its ending tells the format: .fst .txt .plf .slf .gbnf .lark")
    ],
    sentence: Id = None,
    origin: From = None,
    to: To = None,
    spacing: Annotated[
        Optional[Spacing],  # noqa: UP045
        typer.Option(
            help="of grammars: words (joined by blanks; the default), text (as it is written), or running (text where "
            "words of the lattice stand within others, too)"
        ),
    ] = None,
    settings: Any = None,
) -> None:
    """Convert between formats; grammars for constrained decoding (.gbnf, .lark) are written only.

    Example: lattice-simp lattice convert a.slf a.fst
    """
    chosen = to or format_of_name(target)
    if chosen not in GRAMMARS:
        refuse_idle(["spacing"], f"on {chosen}, but on grammars ({', '.join(GRAMMARS)})")
    lattice = read_full(source, sentence, origin, settings)
    write(lattice, target, chosen, **({} if spacing is None else {"spacing": spacing}))
    lost = Losses()
    lost.add(lattice, target, chosen)
    lost.say(target)


@app.command()
@takes_settings(WordOptions)
def lm(
    source: Input,
    model: Annotated[Path, typer.Option(help="an ARPA file or a KenLM binary")],
    sentence: Id = None,
    weight: Annotated[float, typer.Option(help="what the model's costs are multiplied with")] = 1.0,
    beam: BEAM = None,
    word_penalty: Annotated[float, typer.Option(help="a cost for each word")] = 0.0,
    name: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="of the feature that receives the model's scores: that of --replace, else LM"),
    ] = None,
    replace: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="take this feature (`lm` for l= in SLF) out first, with what it costs at --old-weight"),
    ] = None,
    old_weight: Annotated[
        float | None, typer.Option(help="of --replace: its scale in the lattice, as lmscale in SLF, else 1")
    ] = None,
    engine: EngineOption = "arrays",
    to: To = None,
    jobs: JOBS = 1,
    output: OUTPUT = "-",
    settings: Any = None,
) -> None:
    """Apply a language model exactly. Example: lattice-simp lattice lm a.fst --model lm.arpa --output b.fst

    Of an n-best list of many sentences, the hypotheses are written with their new costs; a folder or an archive needs
    --output FOLDER/, whose files keep their names and formats unless --to chooses another format.

    The marks of sentence ends, silence and noise in speech lattices are no words of the model, which does not see them.
    """
    if replace is None:
        refuse_idle(["old_weight"], "without --replace FEATURE")
    if engine == "openfst":
        refuse_idle(["name"], "with --engine openfst, which keeps no features")
    ignored = ignored_words(settings)
    feature, language_model = name or replace or "LM", LanguageModel.read(model)

    def scored(full: Lattice) -> Lattice:
        if replace is not None:
            old = full.header.scales.get(replace, 1.0) if old_weight is None else old_weight
            full = full.without_feature(replace, old)
        if feature in full.features:
            remedy = f"choose another --name, or --replace {feature} to take the old scores out of the costs"
            raise FormatError(f"the lattice has a feature {feature!r} already", path=source, remedy=remedy)
        models = {feature: (language_model, weight)}
        return ENGINES[engine].apply_lm(full, models, beam=beam, word_penalty=word_penalty, ignore=ignored)  # type: ignore[no-any-return]

    with readable(source) as file:
        batch = find_batch(file, sentence, jobs, settings)
        if batch is not None:
            batch.write(scored, output, format=to, replaced=replace)
            return
        full = read_full(file, sentence, labels=settings)
    _say_ignored(full, ignored)
    write_result(scored(full), output, to, origin=full, replaced=replace)


def _say_ignored(lattice: Lattice, ignored: Collection[str]) -> None:
    """Tells on stderr which words no model sees."""
    labels = {label: word for word in sorted(ignored) if (label := lattice.symbols.find(word)) is not None}
    count = int(np.isin(lattice.olabels, list(labels)).sum())
    if count:
        words = " ".join(labels[label] for label in labels if (lattice.olabels == label).any())
        print(f"{count} arcs are ignored by the language model: {words}", file=sys.stderr)


@app.command()
@takes_settings(LabelOptions)
def gappy(
    source: Input,
    sentence: Id = None,
    loops: LoopsOption = "sigma",
    engine: EngineOption = "arrays",
    to: To = None,
    output: OUTPUT = "-",
    settings: Any = None,
) -> None:
    """Make a gappy acceptor, its loops as arcs. Example: lattice-simp lattice gappy skel.nbest --id 0 --output g.fst"""
    acceptor = ENGINES[engine].gappy_acceptor(read_skeleton(source, sentence, settings), loops=loops)
    write_result(acceptor if isinstance(acceptor, Lattice) else acceptor.as_lattice(), output, to)


@app.command()
@takes_settings(_ComposeOptions)
def compose(
    full: Annotated[str, typer.Argument(help="a lattice file, or a Moses n-best list of many sentences")],
    skeleton: Annotated[str, typer.Argument(help="a Moses n-best list of the skeletons, or a lattice file")],
    sentence: Id = None,
    weight: Weight = 1.0,
    loops: LoopsOption = "sigma",
    beam: BEAM = None,
    first_id: FIRST_ID = None,
    n: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("-n", min=1, help="hypotheses to write for each sentence of n-best lists; 100 if not given"),
    ] = None,
    engine: EngineOption = "arrays",
    to: To = None,
    output: OUTPUT = "-",
    settings: Any = None,
) -> None:
    """Keep the full hypotheses that contain a skeleton hypothesis; where there is none, everything is kept.

    Two n-best lists give an n-best list, sentence by sentence; --id chooses one sentence and returns a lattice.

    Example: lattice-simp lattice compose full.nbest skeleton.nbest --weight 0.5 > joint.nbest
    """
    from lattice_simp.commands.compose import Composition
    from lattice_simp.formats.collections import is_collection
    from lattice_simp.formats.nbest import has_pieces, is_nbest, write_nbest

    if full == skeleton == "-":
        raise LatticeSimpError("standard input cannot be both the full lattice and the skeleton's; give a file for one")
    edits = settings.pop("edits", None)
    ignored = ignored_words(settings)
    composition = Composition(
        weight,
        loops,
        beam,
        None if edits is None else EditCosts(**edits),
        n or 100,
        engine,
        first_id or 0,
        ignored,
    )
    of_lists = labels_of_lists(settings)
    with readable(full) as full_file, readable(skeleton) as skeleton_file:
        lists = is_nbest(full_file), is_nbest(skeleton_file)
        several = lists[0] or is_collection(full_file), lists[1] or is_collection(skeleton_file)
        if sentence is not None and not any(several):
            raise FormatError("is not an n-best list, and holds one lattice", path=full, remedy="leave --id out")
        if all(lists) and settings != of_lists:
            name = next(iter(settings.keys() - of_lists))
            raise FormatError("its labels are words", path=full, remedy=f"leave --{name} out")
        of_skeletons = dict(of_lists)
        if lists[1] and not has_pieces(skeleton_file, pieces_of(settings)):
            of_skeletons.pop("pieces", None)  # words, which skeletons' hypotheses often are
        composition = replace(composition, lists=of_lists, skeleton_lists=of_skeletons)
        if all(lists) and sentence is None:
            _needs_arrays(engine, "two n-best lists without --id")
            refuse_idle(["to"], "where an n-best list is written")
            write_nbest(composition.compose_lists(full_file, skeleton_file), output, first_id=first_id or 0)
            print(composition.summary, file=sys.stderr)
            return
        refuse_idle(["n", "first_id"], "where a lattice is written, but on two n-best lists without --id")
        first, second = (sentence if is_chosen else None for is_chosen in several)
        one, two = of_lists if lists[0] else settings, of_skeletons if lists[1] else settings
        lattice, hypotheses = read_full(full_file, first, labels=one), read_skeleton(skeleton_file, second, two)
    joint = composition.compose(lattice, hypotheses)
    if joint.empty:
        print("no full hypothesis contains a skeleton hypothesis; the full lattice is written", file=sys.stderr)
    write_result(lattice if joint.empty else joint, output, to, origin=lattice)


@app.command()
@takes_settings(WordOptions)
def nbest(
    source: Input,
    sentence: Id = None,
    n: Annotated[int, typer.Option("-n", help="how many")] = 1,
    unique: Annotated[bool, typer.Option(help="different strings only")] = True,
    scores: Annotated[bool, typer.Option("--scores", help="print the features, too")] = False,
    moses: Annotated[
        bool,
        typer.Option("--moses", help="write an n-best list with features: Moses format, or JSON lines for .jsonl"),
    ] = False,
    engine: EngineOption = "arrays",
    jobs: JOBS = 1,
    output: Annotated[str, typer.Option("--output", "-o", help="the file to write, or - for stdout")] = "-",
    settings: Any = None,
) -> None:
    """Print the n best strings after their costs; of many lattices, after their names, too.

    Example: lattice-simp lattice nbest a.fst -n 10
    """
    is_list = moses or is_json_name(output)
    if is_list:
        refuse_idle(["scores"], "where an n-best list is written, which has all features")
    for given, flag in ((scores, "--scores"), (is_list, "--moses")):
        if given:
            _needs_arrays(engine, flag)

    ignored = ignored_words(settings)

    def best(lattice: Lattice) -> list[Hypothesis]:
        return ENGINES[engine].nbest(lattice, n, unique=unique, ignore=ignored)  # type: ignore[no-any-return]

    with readable(source) as file:
        batch = find_batch(file, sentence, jobs, settings)
        if batch is None:
            groups = iter([("", best(read_full(file, sentence, labels=settings)))])
        else:
            groups = batch.results(best)
        if is_list:
            first = int(sentence) if sentence is not None and sentence.isdecimal() else 0
            numbered = enumerate(groups, first)
            write_nbest(((sentence_number(name, number), own) for number, (name, own) in numbered), output)
        else:
            with open_text(output, "w") as out:
                for name, paths in groups:
                    out.writelines(_line(path, name, scores) for path in paths)
    if batch is not None:
        batch.finish()


def _line(path: Hypothesis, name: str, scores: bool) -> str:
    features = [f"{own}={value:.6f}" for own, value in path.features.items()] if scores else []
    return "\t".join((*([name] if name else []), f"{path.cost:.6f}", path.text, *features)) + "\n"


@app.command()
@takes_settings(LabelOptions)
def prune(
    source: Input,
    sentence: Id = None,
    beam: BEAM = None,
    max_arcs: Annotated[Optional[int], typer.Option(help="arcs at most")] = None,  # noqa: UP045
    engine: EngineOption = "arrays",
    to: To = None,
    jobs: JOBS = 1,
    output: OUTPUT = "-",
    settings: Any = None,
) -> None:
    """Keep what is on good paths. Example: lattice-simp lattice prune a.fst --beam 8 --output b.fst

    A folder or an archive needs --output FOLDER/, whose files keep their names and formats unless --to chooses another.
    """
    if beam is None and max_arcs is None:
        raise LatticeSimpError("nothing to prune by; give --beam NATS or --max-arcs NUMBER")
    limits = {} if max_arcs is None else {"max_arcs": max_arcs}
    if limits:
        _needs_arrays(engine, "--max-arcs")

    def pruned(lattice: Lattice) -> Lattice:
        return ENGINES[engine].prune(lattice, beam, **limits)  # type: ignore[no-any-return]

    LatticeInput(source, sentence, settings, jobs).write(pruned, output, to)


@app.command()
@takes_settings(LabelOptions)
def determinize(
    source: Input,
    sentence: Id = None,
    semiring: SemiringOption = "tropical",
    max_states: MaxStates = MAX_STATES,
    to: To = None,
    jobs: JOBS = 1,
    output: OUTPUT = "-",
    settings: Any = None,
) -> None:
    """Leave one path for each string. Example: lattice-simp lattice determinize a.fst --output b.fst

    A folder or an archive needs --output FOLDER/, whose files keep their names and formats unless --to chooses another.
    """
    from lattice_simp import determinize

    made = partial(determinize, semiring=semiring, max_states=max_states)
    LatticeInput(source, sentence, settings, jobs).write(made, output, to)


@app.command()
@takes_settings(LabelOptions)
def minimize(
    source: Input,
    sentence: Id = None,
    semiring: SemiringOption = "tropical",
    max_states: MaxStates = MAX_STATES,
    to: To = None,
    jobs: JOBS = 1,
    output: OUTPUT = "-",
    settings: Any = None,
) -> None:
    """Leave one path for each string, and the fewest states. Example: lattice-simp lattice minimize a.fst -o b.fst

    A folder or an archive needs --output FOLDER/, whose files keep their names and formats unless --to chooses another.
    """
    from lattice_simp import minimize

    made = partial(minimize, semiring=semiring, max_states=max_states)
    LatticeInput(source, sentence, settings, jobs).write(made, output, to)


@app.command()
@takes_settings(LabelOptions)
def draw(
    source: Input,
    output: Annotated[Path, typer.Option("--output", "-o", help="a file ending in .svg, .png, .pdf or .dot")],
    sentence: Id = None,
    n: Annotated[Optional[int], typer.Option("-n", "--nbest", help="draw the n best strings only")] = None,  # noqa: UP045
    max_states: Annotated[int, typer.Option(min=1, help="but for .dot; those nearest to the start are drawn")] = 200,
    title: Annotated[Optional[str], typer.Option(help="a heading")] = None,  # noqa: UP045
    settings: Any = None,
) -> None:
    """Draw a lattice as SVG, PNG, PDF (with the extra `draw`) or DOT.

    Example: lattice-simp lattice draw a.fst --output a.svg
    """
    from lattice_simp.draw import IMAGE_FORMATS, drawn_states, to_dot, to_image, to_svg

    kind = output.suffix.removeprefix(".")
    if kind not in (*IMAGE_FORMATS, "svg", "dot"):
        raise LatticeSimpError(f"{output}: a drawing ends in .svg, .png, .pdf or .dot")
    if kind == "dot":
        refuse_idle(["max_states"], "on .dot")
    lattice = read_full(source, sentence, labels=settings)
    if n is not None:
        lattice = Lattice.from_strings(best_paths(lattice, n))
    if kind == "dot":
        drawing = to_dot(lattice, title).encode()
    elif kind == "svg":
        drawing = to_svg(lattice, title=title, max_states=max_states).encode()
    else:
        drawing = to_image(lattice, kind, title=title, max_states=max_states)  # type: ignore[arg-type]  # it was checked
    if kind != "dot" and (drawn := len(drawn_states(lattice, max_states))) < lattice.num_states:
        remedy = "prune it first for another part: lattice-simp lattice prune --max-arcs"
        print(
            f"{drawn:,} of {lattice.num_states:,} states are drawn, those nearest to the start; {remedy}",
            file=sys.stderr,
        )
    with open_binary(output, "w") as file:
        file.write(drawing)


def _needs_arrays(engine: Engine, what: str) -> None:
    """Refuses what the definition leaves out."""

    if engine != "arrays":
        raise LatticeSimpError(f"the engine {engine} does not do {what}; use --engine arrays")
