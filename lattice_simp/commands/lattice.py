"""`lattice-simp lattice ...`: inspect, convert, draw, prune, rescore and compare lattices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer

from lattice_simp.commands.inputs.lattices import require_hypotheses
from lattice_simp.commands.lattices import confidence, consensus, ctm, lists
from lattice_simp.commands.lattices.compose import compose_files, require_arrays
from lattice_simp.commands.lattices.composition import Composition
from lattice_simp.commands.lattices.facts import BATCH_FACTS, facts_of
from lattice_simp.commands.lattices.gappy import acceptor_of, write_gappy_acceptors, write_term_acceptors
from lattice_simp.commands.lattices.model_scores import ModelScores
from lattice_simp.commands.lattices.nbest import write_best_lists, write_best_strings
from lattice_simp.commands.lattices.terms import keep_terms_of_files
from lattice_simp.commands.running.lattices import lattice_run
from lattice_simp.commands.shared.label_options import LabelOptions, WordOptions
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import (
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
)
from lattice_simp.commands.shared.settings_options import takes_settings
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.shortest_distance import Semiring
from lattice_simp.draw.labels import Numbers
from lattice_simp.engines import ENGINES, Engine
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats import format_of_name
from lattice_simp.formats.generators.automaton import Spacing
from lattice_simp.formats.generators.grammar import GRAMMARS
from lattice_simp.formats.nbest import is_list_name
from lattice_simp.lm import LanguageModel
from lattice_simp.ops.compose_gappy import EditCosts
from lattice_simp.ops.determinize import MAX_STATES
from lattice_simp.ops.gappy_acceptor import Loops
from lattice_simp.support.options import option
from lattice_simp.support.textio import open_text, output_place

_TOKENS_OF_GRAMMAR = (
    "blanks separate all tokens, also punctuation; for ordinary text, write an .fst file, and convert it with "
    "`lattice convert --spacing text`"
)

Side: TypeAlias = Literal["input", "output"]
"""A side of transducers."""

_PROJECTIONS: Mapping[Side | None, Callable[[Lattice], Lattice]] = {
    None: lambda lattice: lattice,
    "input": Lattice.project_input,
    "output": Lattice.project_output,
}

app = command_app("Inspect, convert, draw, prune, rescore and compare lattices.")
app.add_typer(consensus.app)
app.add_typer(lists.app)
app.add_typer(confidence.app)
app.add_typer(ctm.app)

Weight: TypeAlias = Annotated[float, typer.Option("--weight", help="weight of the costs that the command adds")]
LoopsOption: TypeAlias = Annotated[Loops, typer.Option(help="sigma (exact subsequences) or rho (as published)")]
SemiringOption: TypeAlias = Annotated[
    Semiring, typer.Option(help="tropical (lowest cost of each string) or log (sum of its paths' probabilities)")
]
EngineOption: TypeAlias = Annotated[
    Engine, typer.Option(help="arrays (fast) or openfst (reference implementation; small inputs only)")
]
MaxStates: TypeAlias = Annotated[int, typer.Option(min=1, help="maximum number of states per lattice")]
TermsFile: TypeAlias = Annotated[str | None, typer.Option("--terms", help=TERMS_HELP)]
MaxStatesOrFail: TypeAlias = Annotated[MaxStates, Detail("more are an error")]


@dataclass(frozen=True)
class _ComposeOptions(WordOptions):
    edits: EditCosts | None = option(None, "edits", "allow missing and different words of the skeleton, at a cost")


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
            help="grammars of words (joined by spaces; the default), of text (as it is written), or of running text "
            "(where words of the lattice may be part of other words)"
        ),
    ] = None,
    project: Annotated[Side | None, typer.Option(help="keep only the input or the output words of transducers")] = None,
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
        run.write(_PROJECTIONS[project], target, chosen, lists=False, **options)


@app.command()
@takes_settings(WordOptions, LABELS)
def lm(
    source: LatticeFile,
    model: Annotated[Model, Detail("ARPA or KenLM binary")],
    sentence: Id = None,
    weight: Annotated[
        Weight | None, Detail("here those of the model (default: the weight of the subtracted scores, else 1)")
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
        scores.write(run, source, output, to)


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
    """Make gappy acceptors, which accept texts that contain a skeleton, or all --terms, with any words in between.

    Loops are written as arcs. The acceptors of several sentences need --output FOLDER/ or a file of a format that
    holds many (.ark, .lats).

    Example: lattice-simp lattice gappy skel.nbest --id 0 --output g.fst
    """
    _check_needed(source, terms)
    if (to or format_of_name(output, "att")) in GRAMMARS:
        say(f"{output_place(output)}: {_TOKENS_OF_GRAMMAR}")
    if terms is not None:
        refuse_idle(["loops"], "with --terms; it applies to skeletons")
        require_arrays(engine, "--terms")
    labels = LabelOptions(**settings)
    if terms is not None:
        write_term_acceptors(terms, sentence, labels, output, to)
    elif source is not None:
        write_gappy_acceptors(source, sentence, labels, partial(acceptor_of, loops=loops, engine=engine), output, to)


@app.command()
@takes_settings(_ComposeOptions, dict.fromkeys(WordOptions.__dataclass_fields__, LABELS))
def compose(
    full: Annotated[str, typer.Argument(help="lattice file, or n-best lists of many sentences")],
    skeleton: Annotated[
        str | None, typer.Argument(help="n-best lists of the skeletons, or a lattice file; or give --terms")
    ] = None,
    terms: TermsFile = None,
    sentence: Id = None,
    weight: Annotated[Weight, Detail("here those of the skeleton")] = 1.0,
    loops: LoopsOption = "sigma",
    beam: Beam = None,
    first_id: FirstId = None,
    n: Annotated[MaybeNbest, Detail("for lists (default: 100)")] = None,
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
    scores: Annotated[bool, typer.Option("--scores", help="also print the features")] = False,
    moses: Annotated[
        bool,
        typer.Option("--moses", help="write n-best lists; implied by names that end in .nbest or .jsonl (JSON lines)"),
    ] = False,
    engine: EngineOption = "arrays",
    jobs: Jobs = 1,
    output: Output = "-",
    settings: Any = None,
) -> None:
    """Print the n best strings and their costs, with a name column if there are many lattices.

    Example: lattice-simp lattice nbest a.fst -n 10
    """
    name = format_of_name(output, "att")
    if name != "att":
        remedy = (
            "name a text file (.txt), or n-best lists (.nbest, .jsonl, or --moses); `lattice convert` writes lattices"
        )
        raise LatticeSimpError(f"{output}: strings are not a lattice of the format {name}; {remedy}")
    is_list = moses or is_list_name(output)
    if is_list:
        refuse_idle(["scores"], "when the output is an n-best list, which has all features")
    for is_chosen, flag in ((scores, "--scores"), (is_list, "--moses")):
        if is_chosen:
            require_arrays(engine, flag)
    labels = WordOptions(**settings)

    def best(lattice: Lattice) -> list[Hypothesis]:
        return ENGINES[engine].nbest(lattice, n, unique=unique, ignore=labels.ignored)  # type: ignore[no-any-return]

    with lattice_run(source, sentence, labels, jobs, distinct=unique) as run:
        if is_list:
            write_best_lists(run, best, output)
        else:
            write_best_strings(run, best, output, scores=scores)


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
    mark_best: Annotated[bool, typer.Option("--mark-best", help="draw the best path in colour")] = False,
    settings: Any = None,
) -> None:
    """Draw a lattice as SVG, PNG, PDF (with the extra `draw`) or DOT.

    For a large lattice, the command draws a part and reports which.

    Example: lattice-simp lattice draw a.fst --output a.svg
    """
    from lattice_simp.commands.lattices.drawing import Drawing, read_drawn

    drawing = Drawing(output, title, max_states, numbers, mark_best)
    if drawing.kind == "dot":
        refuse_idle(["max_states"], "with .dot")
    drawing.write(read_drawn(source, sentence, LabelOptions(**settings), n, separate=separate))
