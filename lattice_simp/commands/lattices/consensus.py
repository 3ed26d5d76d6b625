"""`lattice-simp lattice union|mbr|posteriors|confusion|oracle`: combine systems, and decide by their agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lattice_simp.commands.lattices.decision import Decision
from lattice_simp.commands.lattices.mixture import Mixture
from lattice_simp.commands.running.lattices import lattice_run
from lattice_simp.commands.running.losses import is_folder
from lattice_simp.commands.shared.label_options import LabelOptions, WordOptions, take_options
from lattice_simp.commands.shared.options import (
    LABELS,
    SCALE_HELP,
    Detail,
    FirstId,
    Id,
    Jobs,
    LatticeFile,
    MaxArcs,
    Nbest,
    Output,
    References,
    Scale,
    Shares,
    To,
    TokeniserName,
    ToLists,
    check_stdin,
    command_app,
    refuse_idle,
)
from lattice_simp.commands.shared.settings_options import takes_settings
from lattice_simp.core.columns import log_probabilities
from lattice_simp.core.feature_names import POSTERIOR
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats import format_of_name, losses
from lattice_simp.formats.common import require_acceptor, single_final
from lattice_simp.formats.nbest import is_nbest
from lattice_simp.ops.arc_posteriors import arc_posteriors
from lattice_simp.ops.confusion_network import confusion_network
from lattice_simp.ops.mbr import MbrSettings
from lattice_simp.ops.mbr_nbest import MbrPruning
from lattice_simp.ops.mbr_utilities import UTILITIES
from lattice_simp.ops.oracle import OracleMetric
from lattice_simp.support.options import option
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import is_pipe

if TYPE_CHECKING:
    Utility = str
else:
    Utility = Literal[("linear", *UTILITIES)]

app = command_app()

CALLS = MbrPruning().max_calls


@dataclass(frozen=True)
class _MbrOptions(WordOptions, MbrSettings):
    """The options of the linear gain and of labels."""

    scale: float = option(1.0, "scale", SCALE_HELP)


_MBR_PANELS = {
    **dict.fromkeys(WordOptions.__dataclass_fields__, LABELS),
    **dict.fromkeys(("precision", "ratio", "max_arcs"), "Linear BLEU"),
}


@app.command()
@takes_settings(LabelOptions, LABELS)
def union(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="a lattice file of any format, n-best list, folder or archive for each system, or - for stdin"
        ),
    ],
    sentence: Id = None,
    share: Shares = None,
    normalised: Annotated[bool, typer.Option(help="convert each system's costs to posteriors first")] = True,
    scale: Scale = 1.0,
    to: To = None,
    output: Output = "-",
    settings: Any = None,
) -> None:
    """Join the lattices of several systems, and average the probabilities of their hypotheses.

    With --no-normalised, costs stay the same, and each share is an additional cost. Files of many sentences need
    --output FOLDER/, or a file of a format that holds many lattices; all systems must have the same sentences.

    Example: lattice-simp lattice union one.fst two.fst --share 0.7 --share 0.3 --output both.fst
    """
    if not normalised:
        refuse_idle(["scale"], "with --no-normalised")
    shares = _checked_shares(share, sources) or ([1.0] * len(sources) if normalised else None)
    mixture = Mixture(sources, shares, scale if normalised else None, LabelOptions(**settings))
    mixture.write(sentence, output, to)


def _checked_shares(shares: list[float] | None, sources: Sequence[str]) -> list[float] | None:
    if shares and len(shares) != len(sources):
        raise LatticeSimpError(
            f"{counted(len(shares), 'share')} for {counted(len(sources), 'file')}; give --share once for each file"
        )
    check_stdin(sources)
    return shares


@app.command()
@takes_settings(_MbrOptions, _MBR_PANELS)
def mbr(
    sources: Annotated[
        list[str],
        typer.Argument(help="lattice file of any format, folder or archive, or n-best lists, or - for stdin"),
    ],
    sentence: Id = None,
    share: Shares = None,
    utility: Annotated[
        Utility, typer.Option(help="linear BLEU over lattices, or a metric of whole strings")
    ] = "linear",
    n: Annotated[Nbest, Detail("for lists only")] = 100,
    paths: Annotated[int, typer.Option(min=1, help="number of best paths of a lattice to compare")] = 1000,
    max_calls: Annotated[int, typer.Option(min=1, help="maximum number of string pairs to compare")] = CALLS,
    tokeniser: Annotated[TokeniserName, Detail("for bleu and wer (default: the words)")] = None,
    to: ToLists = None,
    jobs: Jobs = 1,
    output: Output = "-",
    settings: Any = None,
) -> None:
    """Rank hypotheses by minimum Bayes risk: each cost becomes the negative expected gain.

    For n-best lists, the output is n-best lists; for a lattice, or a sentence of a list that --id selects, a lattice. A
    folder or an archive needs --output FOLDER/; its files keep their names and formats unless --to is given. With
    metrics of whole strings, probabilities of equal strings are added. Several n-best lists of the same sentences are
    pooled.

    Example: lattice-simp lattice mbr full.nbest --utility chrf > decided.nbest
    """
    words, source = take_options(WordOptions, settings), sources[0]
    decision = Decision(utility, settings, MbrPruning(max_calls), words.ignored, tokeniser, n, paths, source)
    if utility == "linear":
        refuse_idle(["max_calls", "paths", "tokeniser"], "with --utility linear")
    else:
        refuse_idle(["mbr_precision", "mbr_ratio", "mbr_max_arcs"], f"with --utility {utility}")
    if utility == "chrf":
        refuse_idle(["tokeniser"], "with --utility chrf")
    if len(sources) > 1:
        refuse_idle(["sentence", "paths"], "with several n-best lists")
        decision.write_pools(sources, _checked_shares(share, sources), words, jobs, output, to)
        return
    refuse_idle(["share"], "with one file")
    decision.write(sentence, words, jobs, output, to)


@app.command()
@takes_settings(LabelOptions, LABELS)
def posteriors(
    source: LatticeFile,
    sentence: Id = None,
    scale: Scale = 1.0,
    to: To = None,
    jobs: Jobs = 1,
    output: Annotated[Output, Detail("SLF on stdout; a name must end in .slf or .plf")] = "-",
    settings: Any = None,
) -> None:
    """Add the probability of each arc: p= in SLF, its log as the feature "posterior" in other formats.

    Many lattices need --output FOLDER/, where they are SLF unless --to is given, or a .plf file.

    Example: lattice-simp lattice posteriors a.slf --output b.slf
    """
    with lattice_run(source, sentence, LabelOptions(**settings), jobs) as run:
        chosen = to or ("slf" if output == "-" or is_folder(output) else format_of_name(output))
        sample = Lattice.from_strings("a").with_feature(POSTERIOR, [0.0])
        if any(POSTERIOR in names for names in losses(sample, output, chosen).values()):
            remedy = "write .slf or .plf, or give --to features"
            raise LatticeSimpError(f"{output}: the format {chosen} cannot store the feature {POSTERIOR}; {remedy}")
        run.write(partial(_with_posteriors, scale=scale, chosen=chosen), output, chosen, lists=False)


def _with_posteriors(lattice: Lattice, scale: float, chosen: str) -> Lattice:
    """Returns a lattice with its arcs' posteriors; `chosen` is the format for messages."""
    lattice = lattice.connected()
    require_acceptor(lattice, chosen)
    lattice, _ = single_final(lattice)
    return lattice.with_feature(POSTERIOR, log_probabilities(arc_posteriors(lattice, scale)))


@app.command()
@takes_settings(WordOptions, LABELS)
def confusion(
    source: LatticeFile,
    sentence: Id = None,
    scale: Scale = 1.0,
    max_arcs: Annotated[MaxArcs, Detail("larger ones are pruned first")] = None,
    to: To = None,
    jobs: Jobs = 1,
    output: Output = "-",
    settings: Any = None,
) -> None:
    """Make a confusion network: slots of alternative words whose probabilities sum to 1.

    Costs are their negative logs; the best path is the consensus, which has the fewest expected word errors.
    A folder or an archive needs --output FOLDER/; its files keep their names and formats unless --to is given.

    Example: lattice-simp lattice confusion a.slf --output a.plf
    """
    labels = WordOptions(**settings)

    def network(lattice: Lattice) -> Lattice:
        return confusion_network(lattice, scale, max_arcs=max_arcs, ignore=labels.ignored)

    with lattice_run(source, sentence, labels, jobs) as run:
        run.write(network, output, to, lists=False)


@app.command()
@takes_settings(WordOptions, LABELS)
def oracle(
    sources: Annotated[
        list[str], typer.Argument(help="n-best lists, a PLF file, a folder, an archive, or a lattice file per sentence")
    ],
    reference: Annotated[References, Detail("tokenised; in the lattices' order, or with their names (Kaldi, trn)")],
    metric: Annotated[OracleMetric, typer.Option(help="metric; wer (exact word error rate) or bleu")] = "wer",
    first_id: FirstId = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="output file; the oracle strings, one per line")
    ] = None,
    settings: Any = None,
) -> None:
    """Print the best score that hypotheses of the lattices can reach, and the score of the best paths.

    Example: lattice-simp lattice oracle full.nbest --reference full.de --metric bleu
    """
    from lattice_simp.commands.lattices.oracles import Oracles  # takes long to import

    labels = WordOptions(**settings)
    if not any(Path(source).is_file() and is_nbest(source) for source in sources if not is_pipe(source)):
        refuse_idle([] if any(map(is_pipe, sources)) else ["first_id"], "without n-best lists")
    Oracles(sources, reference, metric, first_id or 0, labels).write(output)
