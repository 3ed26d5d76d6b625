"""`lattice-simp combine`: one output of several systems' outputs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from lattice_simp.commands.runs.combine import Combination, CombinedFiles
from lattice_simp.commands.shared.label_options import LabelOptions, ignored_labels, take_options
from lattice_simp.commands.shared.options import (
    COST_HELP,
    INPUT,
    LABELS,
    OUTPUT,
    RUNNING,
    SCALE_HELP,
    SEARCH,
    Detail,
    FirstId,
    Ignore,
    Jobs,
    LatticeFolder,
    Lm,
    Nbest,
    NbestOutput,
    Output,
    Shares,
    Weights,
    check_stdin,
    command_app,
    refuse_idle,
)
from lattice_simp.commands.shared.settings_options import takes_settings
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.list_lines import TOTAL
from lattice_simp.lm.model import LanguageModel
from lattice_simp.support.options import option
from lattice_simp.support.plurals import counted
from lattice_simp.systems.combination.combine import CombinationSettings, expansion_of
from lattice_simp.systems.combination.methods import METHODS
from lattice_simp.systems.paraphrase.paraphraser import Paraphraser
from lattice_simp.translate.model_files import read_weights

app = command_app()


@dataclass(frozen=True)
class _CombineOptions(LabelOptions, CombinationSettings):
    """How to combine systems, and how to interpret labels."""

    cost: list[str] | None = option(  # type: ignore[assignment]
        None, "cost", f"{COST_HELP}; once for all, or per file in order (total for a file without)"
    )


_VOTES = ("confidence_weight", "empty_confidence", "word_confidence")
_PANELS = {
    **dict.fromkeys(LabelOptions.__dataclass_fields__, LABELS),
    **dict.fromkeys(("strings", "lm_weight", "max_arcs", "beam", *_VOTES), SEARCH),
}


@app.command("combine")
@takes_settings(_CombineOptions, _PANELS)
def combine_outputs(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="a file of each system: n-best lists, text with one sentence per line, lattices, or one lattice"
        ),
    ],
    output: Annotated[Output, Detail("one translation per line")] = "-",
    lm: Lm = None,
    weights: Annotated[Weights | None, Detail("written by `tune lattices`")] = None,
    share: Shares = None,
    scale: Annotated[
        list[float] | None,
        typer.Option(help=f"{SCALE_HELP}; once for all, or per file"),
    ] = None,
    n: Annotated[Nbest, Detail(panel=OUTPUT)] = 100,
    nbest_output: Annotated[NbestOutput, Detail("with features", panel=OUTPUT)] = None,
    lattices: Annotated[LatticeFolder, Detail("with features and start weights, for `tune lattices`", OUTPUT)] = None,
    parse: Annotated[
        bool,
        typer.Option("--parse", help="add phrases of English parses (extra `skeletons`)", rich_help_panel=SEARCH),
    ] = False,
    first_id: Annotated[FirstId, Detail(panel=INPUT)] = None,
    ignore: Annotated[Ignore, Detail(panel=LABELS)] = None,
    jobs: Annotated[Jobs, Detail(panel=RUNNING)] = 1,
    settings: Any = None,
) -> None:
    """Combine several systems' outputs for the same sentences into one translation.

    The output is the string whose n-grams most systems have. With --method rover, the systems vote on each word, and
    confidences of words count. --lm adds a language model. `lattice-simp tune lattices`
    tunes weights on the folder that --lattices writes. A system may have no output for a sentence. --pieces joins the
    subwords of systems that have them. Warnings report systems whose tokens differ in form.

    Example: lattice-simp combine one.nbest two.nbest > combined.txt
    """
    costs = _costs_of(settings.pop("cost", None), len(sources))
    shared = take_options(LabelOptions, settings)
    chosen = CombinationSettings(**settings, shares=tuple(share) if share else None, scales=tuple(scale or (1.0,)))
    chosen.of_systems(len(sources))  # refuses wrong options before any file is read
    check_stdin(sources)
    _refuse_idle(
        chosen.method, has_model=lm is not None, has_weights=weights is not None, has_lists=nbest_output is not None
    )
    combination = Combination(
        sources,
        [replace(shared, cost=cost) for cost in costs],
        chosen,
        lm=None if lm is None else LanguageModel.read(lm),
        weights=None if weights is None else read_weights(weights),
        expand=expansion_of(Paraphraser()) if parse else None,
        ignored=ignored_labels(ignore),
    )
    combination.write(CombinedFiles(output, nbest_output, n, lattices), first_id=first_id or 0, jobs=jobs)


def _costs_of(names: list[str] | None, count: int) -> list[str | None]:
    """Returns the feature that is the score of each system, None for the total.

    Raises:
        LatticeSimpError: there are several names, but not one for each system.
    """
    if names is None or len(names) == 1:
        return [names[0] if names else None] * count
    if len(names) != count:
        raise LatticeSimpError(f"{len(names)} --cost for {counted(count, 'system')}; give one for all, or one for each")
    return [None if name == TOTAL else name for name in names]


def _refuse_idle(method: str, *, has_model: bool, has_weights: bool, has_lists: bool) -> None:
    """Refuses options without effect."""
    if method != "phrases":
        refuse_idle(["parse"], f"with --method {method}")
    if method in ("union", "rover"):
        refuse_idle(["strings"], f"with --method {method}, which uses all strings")
    if not METHODS[method].is_vote:
        refuse_idle(_VOTES, f"with --method {method}")
    if not has_model:
        refuse_idle(["lm_weight", "gain_beam"], "without --lm")
    if has_weights:
        refuse_idle(["lm_weight"], "with --weights")
    if not has_lists:
        refuse_idle(["n"], "without --nbest-output")
