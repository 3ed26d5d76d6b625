"""`lattice-simp lattice ...`: inspect, convert, draw, prune, rescore and compare lattices."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

import typer

from lattice_simp.commands import confidence, consensus, ctm, lists
from lattice_simp.commands.compose import (
    Composition,
    compose_files,
    keep_terms_of_files,
    require_arrays,
    terms_of,
)
from lattice_simp.commands.lattice_facts import BATCH_FACTS, facts_of
from lattice_simp.commands.lattice_input import (
    LabelOptions,
    WordOptions,
    features_of,
    read_full,
    read_skeleton,
    require_hypotheses,
    sentence_number,
    utterance,
)
from lattice_simp.commands.lattice_run import lattice_run
from lattice_simp.commands.losses import Losses, is_folder, write_lists, write_several
from lattice_simp.commands.model_scores import ModelScores
from lattice_simp.commands.options import (
    LABELS,
    TERMS_HELP,
    Beam,
    Detail,
    FirstId,
    From,
    Id,
    Jobs,
    LatticeFile,
    MaxArcs,
    MaybeNbest,
    Model,
    Nbest,
    Output,
    To,
    ToLists,
    command_app,
    refuse_idle,
    say,
)
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.core.header import Header
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.shortest_distance import Semiring
from lattice_simp.draw.labels import Numbers
from lattice_simp.engines import ENGINES, Engine
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats import format_of_name, write
from lattice_simp.formats.collections import is_collection
from lattice_simp.formats.common import list_losses
from lattice_simp.formats.grammar import GRAMMARS
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.nbest import is_json_name, is_nbest
from lattice_simp.formats.terms import read_terms
from lattice_simp.formats.text_automaton import Spacing
from lattice_simp.lm import LanguageModel
from lattice_simp.ops.compose_gappy import EditCosts
from lattice_simp.ops.determinize import MAX_STATES
from lattice_simp.ops.gappy_acceptor import Loops
from lattice_simp.ops.nbest import nbest as best_paths
from lattice_simp.ops.term_acceptor import term_acceptor
from lattice_simp.support.options import option
from lattice_simp.support.textio import open_binary, open_text, output_place, readable

if TYPE_CHECKING:
    from lattice_simp.draw.image import ImageFormat

_TOKENS_OF_GRAMMAR = (
    "blanks separate all tokens, also punctuation; for ordinary text, write an .fst file, and convert it with "
    "`lattice convert --spacing text`"
)

app = command_app("Inspect, convert, draw, prune, rescore and compare lattices.")
app.add_typer(consensus.app)
app.add_typer(lists.app)
app.add_typer(confidence.app)
app.add_typer(ctm.app)

Weight: TypeAlias = Annotated[float, typer.Option("--weight", help="weight of the added costs")]
LoopsOption: TypeAlias = Annotated[Loops, typer.Option(help="sigma (exact subsequences) or rho (as published)")]
SemiringOption: TypeAlias = Annotated[
    Semiring, typer.Option(help="tropical (lowest cost of each string) or log (sum of its paths' probabilities)")
]
EngineOption: TypeAlias = Annotated[
    Engine, typer.Option(help="arrays (fast) or openfst (reference implementation; small inputs only)")
]
MaxStates: TypeAlias = Annotated[int, typer.Option(min=1, help="maximum number of states per lattice")]
TermsFile: TypeAlias = Annotated[str | None, typer.Option("--terms", help=TERMS_HELP)]
MaxStatesOrFail: TypeAlias = Annotated[MaxStates, Detail("fail above")]


@dataclass(frozen=True)
class _ComposeOptions(WordOptions):
    edits: EditCosts | None = option(None, "edits", "allow deviations from the skeleton at a cost")


@app.command()
@takes_settings(WordOptions, LABELS)
def info(source: LatticeFile, sentence: Id = None, jobs: Jobs = 1, settings: Any = None) -> None:
    """Print size, kind and best path, or a table of many lattices. Example: lattice-simp lattice info full.fst"""
    labels = WordOptions(**settings)
    facts = partial(facts_of, ignored=labels.ignored)
    with lattice_run(source, sentence, labels, jobs) as run, open_text("-", "w") as out:
        if not run.is_many:
            lattice = run.read_any()
            out.writelines(f"{name}\t{value}\n" for name, value in facts(lattice).items())
            require_hypotheses(lattice, source)
            return
        out.write("\t".join(("name", *BATCH_FACTS)) + "\n")
        for name, rows in run.results(partial(facts, strings=False)):
            out.write("\t".join((name, *(rows.get(fact, "") for fact in BATCH_FACTS))) + "\n")


@app.command()
@takes_settings(LabelOptions, LABELS)
def convert(
    source: LatticeFile,
    target: Annotated[
        str | None,
        typer.Argument(
            help="output file; its ending chooses the format: .fst .txt .plf .slf .ark .lats .sausages .mesh .cn .pfsg "
            ".gbnf .lark .regex; a folder for several lattices"
        ),
    ] = None,
    sentence: Id = None,
    origin: From = None,
    to: To = None,
    features: Annotated[
        bool, typer.Option("--features/--no-features", help="write features in PLF; Moses reads only PLF without them")
    ] = True,
    spacing: Annotated[
        Spacing | None,
        typer.Option(
            help="of grammars: words (joined by spaces; the default), text (as it is written), or running (text in "
            "which words of the lattice may be part of other words)"
        ),
    ] = None,
    jobs: Jobs = 1,
    output: Annotated[str | None, typer.Option("--output", "-o", help="the output file, as an option")] = None,
    settings: Any = None,
) -> None:
    """Convert between formats. Grammars for constrained decoding (.gbnf, .lark, .regex) can only be written.

    Several lattices need a folder (FOLDER/) and --to, or a file of a format that holds many (.ark, .lats, .plf, .cn,
    .sausages). With --scales, costs become weighted sums of the features.

    Example: lattice-simp lattice convert a.slf a.fst
    """
    if (target is None) == (output is None):
        raise LatticeSimpError("give one output: lattice-simp lattice convert a.slf a.fst")
    target = target or output or "-"
    chosen = to or (None if target.endswith("/") else format_of_name(target, "") or None)
    if chosen not in GRAMMARS:
        refuse_idle(["spacing"], f"with the format {chosen}; it applies to {', '.join(GRAMMARS)}")
    options: dict[str, Any] = {} if spacing is None else {"spacing": spacing}
    if chosen == "plf":
        options["features"] = features
    else:
        refuse_idle(["features"], "unless the output is PLF (.plf or --to plf)")
    with lattice_run(source, sentence, LabelOptions(**settings), jobs, origin) as run:
        run.write(_unchanged, target, chosen, lists=False, **options)


def _unchanged(lattice: Lattice) -> Lattice:
    return lattice


@app.command()
@takes_settings(WordOptions, LABELS)
def lm(
    source: LatticeFile,
    model: Annotated[Model, Detail("ARPA or KenLM binary")],
    sentence: Id = None,
    weight: Annotated[
        Weight | None, Detail("of the model (default: the weight of the subtracted scores, else 1)")
    ] = None,
    beam: Beam = None,
    word_penalty: Annotated[float, typer.Option(help="cost of each word")] = 0.0,
    name: Annotated[
        str | None, typer.Option(help="feature to store the model's scores in (default: that of --replace, else LM)")
    ] = None,
    replace: Annotated[
        str | None, typer.Option(help="remove this feature (`lm` for l= in SLF) and its share of the costs first")
    ] = None,
    old_model: Annotated[
        Path | None, typer.Option(help="language model whose scores to subtract from the costs first")
    ] = None,
    old_weight: Annotated[
        float | None,
        typer.Option(help="weight of the subtracted scores (default: the feature's scale in the lattice, else 1)"),
    ] = None,
    engine: EngineOption = "arrays",
    to: ToLists = None,
    jobs: Jobs = 1,
    output: Output = "-",
    settings: Any = None,
) -> None:
    """Apply a language model exactly. Example: lattice-simp lattice lm a.fst --model lm.arpa --output b.fst

    The output of an n-best list is an n-best list with new costs. A folder or an archive needs --output FOLDER/; its
    files keep their names and formats unless --to is given. The model ignores marks of sentence ends, silence and noise
    in speech lattices.
    """
    if replace is None and old_model is None:
        refuse_idle(["old_weight"], "without --replace FEATURE or --old-model FILE")
    if replace is not None and old_model is not None:
        raise LatticeSimpError("--replace and --old-model both take the old scores out; give one of them")
    if engine == "openfst":
        refuse_idle(["name"], "with --engine openfst, which keeps no features")
    labels = WordOptions(**settings)
    scores = ModelScores(
        LanguageModel.read(model),
        name or replace or "LM",
        weight,
        beam,
        word_penalty,
        engine,
        replace,
        None if old_model is None else LanguageModel.read(old_model),
        old_weight,
        labels.ignored,
    )
    with lattice_run(source, sentence, labels, jobs) as run:
        if not run.is_many:
            scores.say_ignored(run.lattice)
        run.write(partial(scores.applied, source=source), output, to, replaced=replace)


@app.command()
@takes_settings(LabelOptions, LABELS)
def gappy(
    source: Annotated[LatticeFile | None, Detail("or give --terms")] = None,
    terms: TermsFile = None,
    sentence: Id = None,
    loops: LoopsOption = "sigma",
    engine: EngineOption = "arrays",
    to: To = None,
    output: Output = "-",
    settings: Any = None,
) -> None:
    """Make gappy acceptors: they accept any text with a skeleton, or all --terms, and any words between.

    Its loops are written as arcs. The acceptors of several sentences need --output FOLDER/ or a file of a format that
    holds many (.ark, .lats).

    Example: lattice-simp lattice gappy skel.nbest --id 0 --output g.fst
    """
    labels = LabelOptions(**settings)
    _check_needed(source, terms)
    if (to or format_of_name(output, "att")) in GRAMMARS:
        say(f"{output_place(output)}: {_TOKENS_OF_GRAMMAR}")
    if terms is not None:
        refuse_idle(["loops"], "with --terms; it applies to skeletons")
        require_arrays(engine, "--terms")
        lines = read_terms(terms) if sentence is None else [terms_of(terms, sentence)]
        acceptors = [(str(number), term_acceptor(line).as_lattice()) for number, line in enumerate(lines)]
        if len(acceptors) == 1 and not is_folder(output):
            write(acceptors[0][1], output, to)
        else:
            write_several(acceptors, terms, output, to, Losses(labels))
        return
    assert source is not None
    with readable(source) as file:
        if sentence is None and (is_collection(file) or is_folder(output)):
            with lattice_run(file, labels=labels) as run:
                run.write(partial(_acceptor_of, loops=loops, engine=engine), output, to, lists=False)
            return
        name, skeleton = read_skeleton(file, sentence, labels)
    losses = Losses(labels)
    losses.add_features(features_of(skeleton))
    losses.write(replace(_acceptor_of(skeleton, loops, engine), header=Header(name)), output, to)
    losses.print(output)


def _acceptor_of(skeleton: Lattice | list[Hypothesis], loops: Loops, engine: Engine) -> Lattice:
    """Returns the gappy acceptor of a sentence's skeletons, with its loops as arcs."""
    acceptor = ENGINES[engine].gappy_acceptor(skeleton, loops=loops)
    return acceptor if isinstance(acceptor, Lattice) else acceptor.as_lattice()


@app.command()
@takes_settings(_ComposeOptions, dict.fromkeys(WordOptions.__dataclass_fields__, LABELS))
def compose(
    full: Annotated[str, typer.Argument(help="lattice file, or n-best lists of many sentences")],
    skeleton: Annotated[
        str | None, typer.Argument(help="n-best lists of the skeletons, or a lattice file; or give --terms")
    ] = None,
    terms: TermsFile = None,
    sentence: Id = None,
    weight: Annotated[Weight, Detail("of the skeleton")] = 1.0,
    loops: LoopsOption = "sigma",
    beam: Beam = None,
    first_id: FirstId = None,
    n: Annotated[MaybeNbest, Detail("for n-best lists (default: 100)")] = None,
    engine: EngineOption = "arrays",
    to: ToLists = None,
    output: Output = "-",
    settings: Any = None,
) -> None:
    """Keep the full hypotheses that contain a skeleton hypothesis, or all --terms.

    A sentence without such a hypothesis keeps all hypotheses. For n-best lists, the output is n-best lists; with --id,
    which selects a sentence, it is a lattice. With --terms, the input may be an archive or a folder.

    Example: lattice-simp lattice compose full.nbest skeleton.nbest --weight 0.5 > joint.nbest
    """
    _check_needed(skeleton, terms)
    if full == "-" and "-" in (skeleton, terms):
        raise LatticeSimpError("only one of the full lattice and the skeleton can be standard input")
    edits = settings.pop("edits", None)
    labels = WordOptions(**settings)
    composition = Composition(
        weight,
        loops,
        beam,
        None if edits is None else EditCosts(**edits),
        n or 100,
        engine,
        first_id or 0,
        labels.ignored,
        labels,
    )
    if terms is not None:
        keep_terms_of_files(composition, full, terms, sentence, output, to)
    elif skeleton is not None:
        compose_files(composition, full, skeleton, sentence, output, to)


def _check_needed(skeleton: str | None, terms: str | None) -> None:
    if (skeleton is None) == (terms is None):
        raise LatticeSimpError("give either a file of skeletons or --terms FILE")


@app.command()
@takes_settings(WordOptions, LABELS)
def nbest(
    source: LatticeFile,
    sentence: Id = None,
    n: Nbest = 1,
    unique: Annotated[bool, typer.Option(help="list each string once")] = True,
    scores: Annotated[bool, typer.Option("--scores", help="print the features as well")] = False,
    moses: Annotated[
        bool, typer.Option("--moses", help="write n-best lists in Moses format (.jsonl names: JSON lines)")
    ] = False,
    engine: EngineOption = "arrays",
    jobs: Jobs = 1,
    output: Output = "-",
    settings: Any = None,
) -> None:
    """Print the n best strings and their costs, with a name column if there are many lattices.

    Example: lattice-simp lattice nbest a.fst -n 10
    """
    _refuse_lattice_name(output)
    is_list = moses or is_json_name(output)
    if is_list:
        refuse_idle(["scores"], "when the output is an n-best list, which has all features")
    for is_chosen, flag in ((scores, "--scores"), (is_list, "--moses")):
        if is_chosen:
            require_arrays(engine, flag)
    labels = WordOptions(**settings)

    def best(lattice: Lattice) -> tuple[Header, list[Hypothesis]]:
        return lattice.header, ENGINES[engine].nbest(lattice, n, unique=unique, ignore=labels.ignored)

    with lattice_run(source, sentence, labels, jobs, distinct=unique) as run:
        groups = run.results(best)
        if is_list:
            first = int(sentence) if sentence is not None and sentence.isdecimal() else 0
            losses = Losses()
            write_lists(_sentences(groups, first, losses), output, losses)
        else:
            with open_text(output, "w") as out:
                for name, (_, paths) in groups:
                    out.writelines(_line(path, name if run.is_many else "", scores) for path in paths)


def _sentences(
    groups: Iterable[tuple[str, tuple[Header, list[Hypothesis]]]], first: int, losses: Losses
) -> Iterator[Sentence]:
    """Yields n-best lists from the names of lattices with their headers and best paths, numbered from `first`."""
    for number, (name, (header, paths)) in enumerate(groups, first):
        losses.add_phrases(list_losses(header))
        yield Sentence(sentence_number(name, number), paths, utterance(name) or header.name)


def _refuse_lattice_name(output: str) -> None:
    name = format_of_name(output, "att")
    if name != "att":
        remedy = "name a text file (.txt), or n-best lists (--moses, or .jsonl); `lattice convert` writes lattices"
        raise LatticeSimpError(f"{output}: strings are not a lattice of the format {name}; {remedy}")


def _line(path: Hypothesis, name: str, scores: bool) -> str:
    features = [f"{feature}={value:.6f}" for feature, value in path.features.items()] if scores else []
    return "\t".join((*([name] if name else []), f"{path.cost:.6f}", path.text, *features)) + "\n"


@app.command()
@takes_settings(LabelOptions, LABELS)
def prune(
    source: LatticeFile,
    sentence: Id = None,
    beam: Beam = None,
    max_arcs: MaxArcs = None,
    engine: EngineOption = "arrays",
    to: ToLists = None,
    jobs: Jobs = 1,
    output: Output = "-",
    settings: Any = None,
) -> None:
    """Remove arcs that are on no good path. Example: lattice-simp lattice prune a.fst --beam 8 --output b.fst

    A folder or an archive needs --output FOLDER/; its files keep their names and formats unless --to is given.
    """
    if beam is None and max_arcs is None:
        raise LatticeSimpError("no limit to prune to; give --beam NATS or --max-arcs NUMBER")
    limits = {} if max_arcs is None else {"max_arcs": max_arcs}
    if limits:
        require_arrays(engine, "--max-arcs")

    def pruned(lattice: Lattice) -> Lattice:
        return ENGINES[engine].prune(lattice, beam, **limits)  # type: ignore[no-any-return]

    with lattice_run(source, sentence, LabelOptions(**settings), jobs) as run:
        run.write(pruned, output, to)


@app.command()
@takes_settings(LabelOptions, LABELS)
def determinize(
    source: LatticeFile,
    sentence: Id = None,
    semiring: SemiringOption = "tropical",
    max_states: MaxStatesOrFail = MAX_STATES,
    to: ToLists = None,
    jobs: Jobs = 1,
    output: Output = "-",
    settings: Any = None,
) -> None:
    """Merge the paths of each string into one. Example: lattice-simp lattice determinize a.fst --output b.fst

    A folder or an archive needs --output FOLDER/; its files keep their names and formats unless --to is given.
    """
    from lattice_simp import determinize

    with lattice_run(source, sentence, LabelOptions(**settings), jobs) as run:
        run.write(partial(determinize, semiring=semiring, max_states=max_states), output, to)


@app.command()
@takes_settings(LabelOptions, LABELS)
def minimize(
    source: LatticeFile,
    sentence: Id = None,
    semiring: SemiringOption = "tropical",
    max_states: MaxStatesOrFail = MAX_STATES,
    to: ToLists = None,
    jobs: Jobs = 1,
    output: Output = "-",
    settings: Any = None,
) -> None:
    """Merge the paths of each string into one, with as few states as possible.

    A folder or an archive needs --output FOLDER/; its files keep their names and formats unless --to is given.

    Example: lattice-simp lattice minimize a.fst -o b.fst
    """
    from lattice_simp import minimize

    with lattice_run(source, sentence, LabelOptions(**settings), jobs) as run:
        run.write(partial(minimize, semiring=semiring, max_states=max_states), output, to)


@app.command()
@takes_settings(LabelOptions, LABELS)
def draw(
    source: LatticeFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="output file; .svg, .png, .pdf or .dot")],
    sentence: Id = None,
    n: Annotated[MaybeNbest, Detail("draw only these")] = None,
    max_states: Annotated[MaxStates, Detail("draw those nearest to the start (not for .dot)")] = 200,
    title: Annotated[str | None, typer.Option(help="heading of the drawing")] = None,
    separate: Annotated[
        bool, typer.Option("--separate", help="draw n-best lists as trees; by default they are minimized")
    ] = False,
    numbers: Annotated[
        Numbers | None,
        typer.Option(help="costs or probabilities beside words (default: probabilities for confusion networks)"),
    ] = None,
    settings: Any = None,
) -> None:
    """Draw a lattice as SVG, PNG, PDF (with the extra `draw`) or DOT.

    For a large lattice, the command draws a part and reports which.

    Example: lattice-simp lattice draw a.fst --output a.svg
    """
    from lattice_simp import minimize as minimized
    from lattice_simp.draw import IMAGE_FORMATS

    kind = output.suffix.removeprefix(".")
    if kind not in (*IMAGE_FORMATS, "svg", "dot"):
        raise LatticeSimpError(f"{output}: the name of a drawing must end in .svg, .png, .pdf or .dot")
    if kind == "dot":
        refuse_idle(["max_states"], "with .dot")
    with readable(source) as file:
        is_list = n is not None or is_nbest(file)
        lattice = read_full(file, sentence, labels=LabelOptions(**settings))
    if n is not None:
        lattice = Lattice.from_strings(best_paths(lattice, n))
    if not is_list:
        refuse_idle(["separate"], "with a lattice; it applies to n-best lists, or with --nbest")
    elif not separate:
        lattice = minimized(lattice)
    drawing = _drawing(lattice, kind, title, max_states, numbers)
    if kind != "dot":
        _say_left_out(lattice, max_states)
    with open_binary(output, "w") as drawn:
        drawn.write(drawing)


def _drawing(lattice: Lattice, kind: str, title: str | None, max_states: int, numbers: Numbers | None) -> bytes:
    """Returns the content of a file with a drawing: `dot`, `svg` or the format of an image."""
    from lattice_simp.draw import to_dot, to_image, to_svg

    if kind == "dot":
        return to_dot(lattice, title, numbers=numbers).encode()
    if kind == "svg":
        return to_svg(lattice, title=title, max_states=max_states, numbers=numbers).encode()
    image = cast("ImageFormat", kind)
    return to_image(lattice, image, title=title, max_states=max_states, numbers=numbers)


def _say_left_out(lattice: Lattice, max_states: int) -> None:
    """Prints on stderr how much of a lattice is not drawn."""
    from lattice_simp.draw import drawn_arcs, drawn_states

    states = drawn_states(lattice, max_states)
    if len(states) < lattice.num_states:
        remedy = "to see another part, prune it first: lattice-simp lattice prune --max-arcs"
        counts = f"{len(states):,} of {lattice.num_states:,} states are drawn"
        print(f"{counts}, those nearest to the start; {remedy}", file=sys.stderr)
        return
    drawn = len(drawn_arcs(lattice, states))
    if drawn < lattice.num_arcs:
        print(f"{drawn:,} of {lattice.num_arcs:,} arcs are drawn, the best between two states", file=sys.stderr)
