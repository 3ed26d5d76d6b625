"""`lattice-simp lattice union|mbr|posteriors|confusion|oracle`: combine systems, and decide by their agreement."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

import numpy as np
import typer

from lattice_simp.commands.batch import JOBS, LatticeInput, find_batch
from lattice_simp.commands.options import (
    FIRST_ID,
    OUTPUT,
    TOKENISER_HELP,
    Id,
    Input,
    LabelOptions,
    To,
    WordOptions,
    ignored_words,
    labels_of_lists,
    pieces_of,
    read_full,
    readable,
    reader_options,
    refuse_idle,
    require_hypotheses,
    require_numbers,
    write_result,
)
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.commands.whole_sentences import checked_lists, warn_of_whole_sentences
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import without_marks
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats import format_of_name
from lattice_simp.formats.collections import is_collection, read_all
from lattice_simp.formats.common import require_acceptor, single_final
from lattice_simp.formats.nbest import is_nbest, stream_nbest, write_nbest
from lattice_simp.ops.arc_posteriors import arc_posteriors
from lattice_simp.ops.confusion_network import confusion_network
from lattice_simp.ops.join_pieces import join_pieces
from lattice_simp.ops.mbr import MbrSettings
from lattice_simp.ops.mbr import mbr as mbr_lattice
from lattice_simp.ops.mbr_nbest import MbrPruning, mbr_nbest
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.normalise import normalise
from lattice_simp.ops.oracle import OracleMetric
from lattice_simp.ops.oracle import oracle as find_oracle
from lattice_simp.ops.union import union as union_lattice
from lattice_simp.ops.utilities import UTILITIES, Tokens
from lattice_simp.scores.bleu import References, corpus_bleu
from lattice_simp.scores.edits import edit_distances, error_rate
from lattice_simp.scores.ngrams import numbered
from lattice_simp.support.textio import is_pipe, open_text, read_lines
from lattice_simp.text.sacrebleu_tokenisers import tokeniser as tokeniser_of

if TYPE_CHECKING:
    Utility = str
else:
    Utility = Literal[("linear", *UTILITIES)]

app = typer.Typer()

CALLS = MbrPruning().max_calls

Scale = Annotated[float, typer.Option(help="what the costs are multiplied with before they become probabilities")]


@dataclass(frozen=True)
class _MbrOptions(WordOptions, MbrSettings):
    """Those of the linear gain, and of labels."""


@dataclass(frozen=True)
class _Decision:
    """How hypotheses are decided between: by linear BLEU with its settings, or by a utility of whole strings."""

    utility: str
    given: dict[str, Any]
    pruning: MbrPruning
    ignored: Collection[str]
    tokeniser: str | None

    def of_lattice(self, lattice: Lattice) -> Lattice:
        """Returns the lattice of linear gains."""
        return mbr_lattice(lattice, MbrSettings(**self.given), ignore=self.ignored)

    def of_paths(self, lattice: Lattice, paths: int) -> Lattice:
        """Returns the lattice of linear gains, or the best paths with the gains of a utility."""
        if self.utility == "linear":
            return self.of_lattice(lattice)
        return Lattice.from_nbest(
            self.of_list(nbest(lattice, paths, unique=False, ignore=self.ignored)), lattice.symbols
        )

    def of_list(self, hypotheses: list[Hypothesis]) -> list[Hypothesis]:
        """Returns hypotheses by their expected gains."""
        if self.utility != "linear":
            scale = self.given.get("scale", 1.0)
            split = None if self.tokeniser is None else tokeniser_of(self.tokeniser)
            return mbr_nbest(
                hypotheses, self.utility, scale=scale, pruning=self.pruning, ignore=self.ignored, tokens=split
            )
        decided = self.of_lattice(Lattice.from_nbest(hypotheses))
        return nbest(decided, len(hypotheses), ignore=self.ignored) if hypotheses else []


@app.command()
@takes_settings(LabelOptions)
def union(
    sources: Annotated[list[str], typer.Argument(help="lattice files of any format, or n-best lists")],
    sentence: Id = None,
    share: Annotated[
        Optional[list[float]],  # noqa: UP045
        typer.Option(help="of each system's probabilities, one for each file in order; equal ones by default"),
    ] = None,
    normalised: Annotated[bool, typer.Option(help="make each system's costs posteriors first")] = True,
    scale: Scale = 1.0,
    to: To = None,
    output: OUTPUT = "-",
    settings: Any = None,
) -> None:
    """Join the lattices of several systems to a mixture of their posteriors.

    With --no-normalised, costs stay as they are, and shares are costs in addition.

    Example: lattice-simp lattice union one.fst two.fst --share 0.7 --share 0.3 --output both.fst
    """
    if not normalised:
        refuse_idle(["scale"], "with --no-normalised")
    if share and len(share) != len(sources):
        raise LatticeSimpError(f"{len(share)} shares for {len(sources)} files; give --share once for each file")
    if sources.count("-") > 1:
        raise LatticeSimpError("standard input can be one file only; give the others by their names")
    lattices, has_several = [], False
    for path in sources:
        with readable(path) as file:
            is_list = is_nbest(file)
            labels = labels_of_lists(settings) if is_list else settings
            is_chosen = is_list or is_collection(file)
            lattices.append(read_full(file, sentence if is_chosen else None, labels=labels))
            has_several |= is_chosen
    if not has_several:
        refuse_idle(["sentence"], "where every file holds one lattice")
    if normalised:
        lattices = [normalise(lattice, scale) for lattice in lattices]
    shares = [1.0] * len(sources) if normalised else None
    write_result(union_lattice(*lattices, shares=share or shares), output, to)


@app.command()
@takes_settings(_MbrOptions)
def mbr(
    source: Input,
    sentence: Id = None,
    utility: Annotated[
        Utility, typer.Option(help="linear BLEU over lattices, or a metric of whole strings")
    ] = "linear",
    n: Annotated[int, typer.Option("-n", min=1, help="hypotheses for each sentence of n-best lists")] = 100,
    paths: Annotated[int, typer.Option(min=1, help="the best of a lattice, whose strings are compared")] = 1000,
    max_calls: Annotated[int, typer.Option(min=1, help="pairs of strings that are compared at most")] = CALLS,
    tokeniser: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help=f"with --utility bleu or wer, {TOKENISER_HELP.split('; ')[0]}; the words if not given"),
    ] = None,
    to: To = None,
    jobs: JOBS = 1,
    output: OUTPUT = "-",
    settings: Any = None,
) -> None:
    """Decide by the expected gain: costs become minus the expected gain of a hypothesis (minimum Bayes risk).

    A lattice gives a lattice, an n-best list of many sentences an n-best list; --id chooses one sentence, as a lattice.
    A folder or an archive needs --output FOLDER/, whose files keep their names and formats unless --to chooses another.
    The probabilities of equal strings add up where whole strings are compared.

    Example: lattice-simp lattice mbr full.nbest --utility chrf > decided.nbest
    """
    ignored = ignored_words(settings)
    labels = {field.name: settings.pop(field.name) for field in fields(LabelOptions) if field.name in settings}
    decision = _Decision(utility, settings, MbrPruning(max_calls), ignored, tokeniser)
    remedy = "give --utility chrf, --utility bleu with --tokeniser, or make tokens first: lattice-simp lattice tokens"
    unchecked = utility != "chrf" and tokeniser is None

    def decided(lattice: Lattice) -> Lattice:
        nonlocal unchecked
        if unchecked:
            unchecked = False
            warn_of_whole_sentences([own.tokens for own in nbest(lattice, 1, ignore=ignored)], source, remedy)
        return decision.of_paths(lattice, paths)

    if utility == "linear":
        refuse_idle(["max_calls", "paths", "tokeniser"], "with --utility linear")
    else:
        refuse_idle(["mbr_precision", "mbr_ratio", "mbr_max_arcs"], f"with --utility {utility}")
    if utility == "chrf":
        refuse_idle(["tokeniser"], "with --utility chrf")
    with readable(source) as file:
        if sentence is None and Path(file).is_file() and is_nbest(file):
            refuse_idle(["to", "paths"], "where an n-best list is written")
            require_numbers(source, "nbest", labels)
            lists = stream_nbest(file, **labels_of_lists(labels))
            lists = checked_lists(lists, source, remedy) if unchecked else lists
            write_nbest(((own, decision.of_list(entries)[:n]) for own, entries in lists), output)
            return
        refuse_idle(["n"], "where lattices are written")
        LatticeInput(file, sentence, labels, jobs).write(decided, output, to)


@app.command()
@takes_settings(LabelOptions)
def posteriors(
    source: Input,
    sentence: Id = None,
    scale: Scale = 1.0,
    to: To = None,
    jobs: JOBS = 1,
    output: Annotated[str, typer.Option("--output", "-o", help="a file ending in .slf or .plf, or - for SLF")] = "-",
    settings: Any = None,
) -> None:
    """Add the probability of each arc: p= in SLF, a feature "posterior" (a log, as scores are) in other formats.

    Many lattices go to a folder (--output FOLDER/), as SLF unless --to says otherwise.

    Example: lattice-simp lattice posteriors a.slf --output b.slf
    """
    with readable(source) as file:
        batch = find_batch(file, sentence, jobs, settings)
        chosen = to or ("slf" if output == "-" or batch is not None else format_of_name(output))
        _check_features(chosen, output)

        def with_posteriors(lattice: Lattice) -> Lattice:
            return _with_posteriors(lattice.connected(), scale, chosen)

        if batch is not None:
            batch.write(with_posteriors, output, format=chosen, lists=False)
        else:
            write_result(with_posteriors(read_full(file, sentence, labels=settings)), output, chosen)


def _check_features(chosen: str, output: str) -> None:
    if chosen in ("openfst", "att"):
        raise LatticeSimpError(f"{output}: the format {chosen} holds no features; write .slf or .plf, or --to features")


def _with_posteriors(lattice: Lattice, scale: float, chosen: str) -> Lattice:
    """Returns a lattice with its arcs' posteriors, as the format chosen has them."""
    require_acceptor(lattice, chosen)
    lattice, _ = single_final(lattice)
    shares = arc_posteriors(lattice, scale)
    if chosen != "slf":
        shares = np.log(np.maximum(shares, np.finfo(np.float64).tiny))
    return lattice.with_feature("posterior", shares)


@app.command()
@takes_settings(WordOptions)
def confusion(
    source: Input,
    sentence: Id = None,
    scale: Scale = 1.0,
    max_arcs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, help="larger lattices are pruned to so many first"),
    ] = None,
    to: To = None,
    jobs: JOBS = 1,
    output: OUTPUT = "-",
    settings: Any = None,
) -> None:
    """Make a confusion network: slots of alternative words, whose probabilities sum to 1.

    Costs are their negative logs; the best path is the consensus, with the fewest expected word errors.
    A folder or an archive needs --output FOLDER/, whose files keep their names and formats unless --to chooses another.

    Example: lattice-simp lattice confusion a.slf --output a.plf
    """

    ignored = ignored_words(settings)

    def network(lattice: Lattice) -> Lattice:
        return confusion_network(lattice, scale, max_arcs=max_arcs, ignore=ignored)

    LatticeInput(source, sentence, settings, jobs).write(network, output, to, lists=False)


@app.command()
@takes_settings(WordOptions)
def oracle(
    sources: Annotated[
        list[str], typer.Argument(help="an n-best list, a PLF file, a folder, an archive, or a lattice file a sentence")
    ],
    reference: Annotated[list[Path], typer.Option(help="tokenised references, one a line; may be given several times")],
    metric: Annotated[OracleMetric, typer.Option(help="word error rate, exact, or BLEU")] = "wer",
    first_id: FIRST_ID = None,
    output: Annotated[Optional[str], typer.Option("--output", "-o", help="for the oracles, one a line")] = None,  # noqa: UP045
    settings: Any = None,
) -> None:
    """Print how near the lattices come to the references at best, over all sentences, and how near their best paths.

    Example: lattice-simp lattice oracle full.nbest --reference full.de --metric bleu
    """
    ignored = ignored_words(settings)
    if not any(Path(source).is_file() and is_nbest(source) for source in sources if not is_pipe(source)):
        refuse_idle([] if any(map(is_pipe, sources)) else ["first_id"], "without n-best lists")
    references = [list(rows) for rows in zip(*_reference_lines(reference, ignored), strict=True)]
    chosen: list[Tokens] = []
    best: list[Tokens] = []
    for lattice, own in _paired(_lattices(sources, first_id or 0, settings), references, sources[-1]):
        paths = nbest(lattice, 1, ignore=ignored)  # none where a list holds nothing for the sentence
        best.append(paths[0].tokens if paths else ())
        chosen.append(find_oracle(lattice, own, metric, ignore=ignored).hypothesis.tokens if paths else ())
    if not warn_of_whole_sentences((own[0] for own in references), reference[0]):
        warn_of_whole_sentences(best, sources[0])
    with open_text("-", "w") as file:
        file.write(f"sentences\t{len(chosen)}\n")
        for name, hypotheses in ((f"oracle {metric.upper()}", chosen), (f"best path {metric.upper()}", best)):
            file.write(f"{name}\t{CORPUS_SCORES[metric](hypotheses, references):.2f}\n")
    if output is not None:
        with open_text(output, "w") as file:
            file.writelines(f"{' '.join(tokens)}\n" for tokens in chosen)


def _reference_lines(paths: list[Path], ignored: Collection[str]) -> list[list[Tokens]]:
    files = [[without_marks(as_tokens(line), ignored) for line in read_lines(path)] for path in paths]
    for path, lines in zip(paths, files, strict=True):
        if len(lines) != len(files[0]):
            message = f"{len(lines)} lines, but {paths[0]} has {len(files[0])}"
            raise FormatError(message, path=path, remedy="give each reference a line for each sentence")
    return files


def _paired(
    lattices: Iterator[Lattice], references: list[list[Tokens]], last: str
) -> Iterator[tuple[Lattice, list[Tokens]]]:
    """Yields each sentence's lattice and references.

    Raises:
        FormatError: there are more of one than of the other.
    """
    sentence = -1
    for sentence, lattice in enumerate(lattices):
        if sentence < len(references):
            yield lattice, references[sentence]
    if sentence + 1 != len(references):
        message = f"{sentence + 1} sentences, but {len(references)} lines of references"
        raise FormatError(message, path=last, remedy="give each sentence a line of references")


def _lattices(sources: list[str], first_id: int, labels: dict[str, Any]) -> Iterator[Lattice]:
    """Yields the lattices of files, one of each, or all of a list, a PLF file, a folder or an archive."""
    for source in sources:
        with readable(source) as file:
            if Path(file).is_file() and is_nbest(file):
                require_numbers(source, "nbest", labels)
                lists = stream_nbest(file, first_id, **labels_of_lists(labels))
                yield from (Lattice.from_nbest(entries) for _, entries in lists)
            elif is_collection(file):
                for name, lattice in read_all(file, **reader_options(labels)):
                    require_hypotheses(lattice, f"{source}: {name}")
                    yield join_pieces(lattice, pieces_of(labels))
            else:
                yield read_full(file, labels=labels)


def _word_error_rate(hypotheses: list[Tokens], references: list[list[Tokens]]) -> float:
    """Returns the errors against the nearest references in per cent of the references' mean lengths."""
    errors, length = 0.0, 0.0
    for tokens, own in zip(hypotheses, references, strict=True):
        errors += edit_distances(tokens, own).min()
        length += sum(map(len, own)) / len(own)
    return float(error_rate(errors, length, scale=100.0))


def _bleu(hypotheses: list[Tokens], references: list[list[Tokens]]) -> float:
    """Returns corpus BLEU on tokens, 0 to 100, without smoothing."""
    rows = []
    for tokens, own in zip(hypotheses, references, strict=True):
        words = numbered([tokens, *own])
        rows.append(References.of(words[1:]).statistics(words[0]))
    return 100.0 * float(corpus_bleu(np.sum(rows, axis=0)))


CORPUS_SCORES = {"wer": _word_error_rate, "bleu": _bleu}
"""By the metric of the oracle."""
