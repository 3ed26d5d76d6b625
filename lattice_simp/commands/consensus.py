"""`lattice-simp lattice union|mbr|posteriors|confusion|oracle`: combine systems, and decide by their agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

import numpy as np
import typer

from lattice_simp import Hypothesis, Lattice, MbrPruning, MbrSettings, arc_posteriors, mbr_nbest, nbest, normalise
from lattice_simp import mbr as mbr_lattice
from lattice_simp import union as union_lattice
from lattice_simp.commands.lattice import Id, Input, To
from lattice_simp.commands.options import OUTPUT, read_full, readable, write_result
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats import format_of_name
from lattice_simp.formats.common import require_acceptor, single_final
from lattice_simp.formats.nbest import is_nbest, stream_nbest, write_nbest
from lattice_simp.ops.utilities import UTILITIES

if TYPE_CHECKING:
    Utility = str
else:
    Utility = Literal[("linear", *UTILITIES)]

app = typer.Typer()

CALLS = MbrPruning().max_calls

Scale = Annotated[float, typer.Option(help="what the costs are multiplied with before they become probabilities")]


@dataclass(frozen=True)
class _Decision:
    """How hypotheses are decided between: by linear BLEU with its settings, or by a utility of whole strings."""

    utility: str
    given: dict[str, Any]
    pruning: MbrPruning

    def __post_init__(self) -> None:
        if self.utility != "linear" and self.given.keys() - {"scale"}:
            raise LatticeSimpError(
                f"--mbr-precision and --mbr-ratio are of the linear gain; leave them out with --utility {self.utility}"
            )

    def of_lattice(self, lattice: Lattice) -> Lattice:
        """Returns the lattice of linear gains."""
        return mbr_lattice(lattice, MbrSettings(**self.given))

    def of_list(self, hypotheses: list[Hypothesis]) -> list[Hypothesis]:
        """Returns hypotheses by their expected gains."""
        if self.utility != "linear":
            return mbr_nbest(hypotheses, self.utility, scale=self.given.get("scale", 1.0), pruning=self.pruning)
        decided = self.of_lattice(Lattice.from_nbest(hypotheses))
        return nbest(decided, len(hypotheses)) if hypotheses else []


@app.command()
def union(
    sources: Annotated[list[str], typer.Argument(help="lattice files of any format, or n-best lists")],
    sentence: Id = None,
    share: Annotated[
        Optional[list[float]],  # noqa: UP045
        typer.Option(help="of each system's probabilities, one for each file in order; equal ones by default"),
    ] = None,
    normalised: Annotated[bool, typer.Option(help="make each system's costs posteriors first")] = True,
    scale: Scale = 1.0,
    output: OUTPUT = "-",
) -> None:
    """Join the lattices of several systems to a mixture of their posteriors.

    With --no-normalised, costs stay as they are, and shares are costs in addition.

    Example: lattice-simp lattice union one.fst two.fst --share 0.7 --share 0.3 --output both.fst
    """
    if not normalised and scale != 1.0:
        raise LatticeSimpError("--scale has no effect with --no-normalised; leave one of them out")
    if share and len(share) != len(sources):
        raise LatticeSimpError(f"{len(share)} shares for {len(sources)} files; give --share once for each file")
    if sources.count("-") > 1:
        raise LatticeSimpError("standard input can be one file only; give the others by their names")
    lattices = []
    for path in sources:
        with readable(path) as file:
            lattices.append(read_full(file, sentence if is_nbest(file) else None))
    if normalised:
        lattices = [normalise(lattice, scale) for lattice in lattices]
    shares = [1.0] * len(sources) if normalised else None
    write_result(union_lattice(lattices, shares=share or shares), output)


@app.command()
@takes_settings(MbrSettings)
def mbr(
    source: Input,
    sentence: Id = None,
    utility: Annotated[
        Utility, typer.Option(help="linear BLEU over lattices, or a metric of whole strings")
    ] = "linear",
    n: Annotated[int, typer.Option("-n", min=1, help="hypotheses for each sentence of n-best lists")] = 100,
    strings: Annotated[int, typer.Option(min=1, help="of a lattice, that whole strings are compared for")] = 1000,
    max_calls: Annotated[int, typer.Option(min=1, help="pairs of strings that are compared at most")] = CALLS,
    output: OUTPUT = "-",
    settings: Any = None,
) -> None:
    """Decide by the expected gain: costs become minus the expected gain of a hypothesis (minimum Bayes risk).

    A lattice gives a lattice, an n-best list of many sentences an n-best list; --id chooses one sentence, as a lattice.

    Example: lattice-simp lattice mbr full.nbest --utility chrf > decided.nbest
    """
    decision = _Decision(utility, settings, MbrPruning(max_calls))
    with readable(source) as file:
        if sentence is None and is_nbest(file):
            write_nbest(((own, decision.of_list(entries)[:n]) for own, entries in stream_nbest(file)), output)
            return
        lattice = read_full(file, sentence)
    if utility == "linear":
        write_result(decision.of_lattice(lattice), output)
    else:
        write_result(Lattice.from_nbest(decision.of_list(nbest(lattice, strings)), lattice.symbols), output)


@app.command()
def posteriors(
    source: Input,
    sentence: Id = None,
    scale: Scale = 1.0,
    to: To = None,
    output: Annotated[str, typer.Option("--output", "-o", help="a file ending in .slf or .plf, or - for SLF")] = "-",
) -> None:
    """Add the probability of each arc: p= in SLF, a feature "posterior" (a log, as scores are) in other formats.

    Example: lattice-simp lattice posteriors a.slf --output b.slf
    """
    chosen = to or ("slf" if output == "-" else format_of_name(output))
    if chosen in ("openfst", "att"):
        raise LatticeSimpError(f"{output}: the format {chosen} holds no features; write .slf or .plf, or --to features")
    lattice = read_full(source, sentence).connected()
    require_acceptor(lattice, chosen)
    lattice, _ = single_final(lattice)
    shares = arc_posteriors(lattice, scale)
    if chosen != "slf":
        shares = np.log(np.maximum(shares, np.finfo(np.float64).tiny))
    write_result(lattice.with_feature("posterior", shares), output, chosen)
