"""`lattice-simp lattice union|mbr|posteriors|confusion|oracle`: combine systems, and decide by their agreement."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from lattice_simp.commands.lattice_input import (
    LabelOptions,
    SharedNames,
    WordOptions,
    read_outputs,
    require_hypotheses,
    require_lattices,
    say_repeated,
    take_options,
    utterance,
)
from lattice_simp.commands.lattice_run import lattice_run
from lattice_simp.commands.losses import (
    NAMES,
    Losses,
    is_folder,
    wants_json,
    write_lists,
)
from lattice_simp.commands.mixture import Mixture
from lattice_simp.commands.options import (
    LABELS,
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
from lattice_simp.commands.reference_lines import lattice_names, read_references, readable_sources
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.commands.whole_sentences import checked_lists, lists_of_words, warn_of_whole_sentences
from lattice_simp.core.columns import log_probabilities
from lattice_simp.core.feature_names import POSTERIOR
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import unmarked
from lattice_simp.core.word_times import with_marks_of
from lattice_simp.errors import FormatError, LatticeSimpError, located
from lattice_simp.formats import format_of_name, losses
from lattice_simp.formats.collections import is_collection
from lattice_simp.formats.common import require_acceptor, single_final
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.nbest import is_nbest, stream_sentences
from lattice_simp.ops.arc_posteriors import arc_posteriors
from lattice_simp.ops.confusion_network import confusion_network
from lattice_simp.ops.mbr import MbrSettings
from lattice_simp.ops.mbr import mbr as mbr_lattice
from lattice_simp.ops.mbr_nbest import MbrPruning, mbr_nbest
from lattice_simp.ops.mbr_utilities import UTILITIES, Tokens
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.oracle import OracleMetric
from lattice_simp.ops.oracle import oracle as find_oracle
from lattice_simp.ops.pool_nbest import pool_nbest
from lattice_simp.support.parallel import require_parallel
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import is_pipe, open_text, place, readable
from lattice_simp.text.sacrebleu_tokenisers import tokeniser as tokeniser_of

if TYPE_CHECKING:
    Utility = str
else:
    Utility = Literal[("linear", *UTILITIES)]

app = command_app()

Named = tuple[str, Lattice]
"""A lattice with its place for messages."""

CALLS = MbrPruning().max_calls


@dataclass(frozen=True)
class _MbrOptions(WordOptions, MbrSettings):
    """The options of the linear gain and of labels."""


@dataclass
class _Decision:
    """How to decide between hypotheses: by linear BLEU with its settings, or by a utility of whole strings."""

    utility: str
    values: dict[str, Any]
    pruning: MbrPruning
    ignored: Collection[str]
    tokeniser: str | None
    n: int
    paths: int
    source: str
    is_checked: bool = False
    repeated: int = 0

    REMEDY: ClassVar[str] = (
        "give --utility chrf, --utility bleu with --tokeniser, or tokenise first: lattice-simp lattice tokens"
    )

    @property
    def depends_on_tokens(self) -> bool:
        """Whether the gains compare tokens, which must then be words."""
        return self.utility != "chrf" and self.tokeniser is None

    def of_lattice(self, lattice: Lattice) -> Lattice:
        """Returns the lattice of linear gains, or the best paths with the gains of a utility."""
        if self.depends_on_tokens and not self.is_checked:
            self.is_checked = True
            best = nbest(lattice, 1, ignore=self.ignored)
            warn_of_whole_sentences([path.tokens for path in best], self.source, self.REMEDY)
        if self.utility == "linear":
            return self._linear(lattice)
        paths = nbest(lattice, self.paths, unique=False, ignore=self.ignored)
        return Lattice.from_nbest(self._of_list(paths), lattice.symbols)

    def write_lists(self, file: str, labels: LabelOptions, output: str, to: str | None) -> None:
        """Writes n-best lists, sorted by the expected gains of their hypotheses."""
        write_lists(map(self._decided, self._lists(file, self.source, labels)), output, as_json=wants_json(to))
        say_repeated(self.source, self.repeated)

    def write_pools(
        self, paths: Sequence[str], shares: Sequence[float] | None, labels: LabelOptions, output: str, to: str | None
    ) -> None:
        """Writes the pooled n-best lists of several systems, sorted by the expected gains under the pool.

        Args:
            paths: a file for each system.
            shares: the weight of each system; None for equal ones.
            labels: how to interpret labels.
            output, to: a file, and the value of --to.

        Raises:
            FormatError: a file is broken, or no n-best list.
        """
        systems, as_json = [], wants_json(to)
        for path in paths:
            if not (Path(path).is_file() and is_nbest(path)):
                remedy = "give n-best lists, or join lattices with lattice-simp lattice union"
                raise FormatError("not an n-best list", path=path, remedy=remedy)
            systems.append({sentence.number: sentence for sentence in self._lists(path, path, labels)})
        scale = self.values.get("scale", 1.0)
        decision = replace(self, values={**self.values, "scale": 1.0})
        names = SharedNames(paths)

        def pooled(number: int) -> Sentence:
            lists = [sentences.get(number, Sentence(number, [])) for sentences in systems]
            pool = pool_nbest([sentence.hypotheses for sentence in lists], shares, scale=scale)
            return decision._decided(Sentence(number, pool, names.of(number, [sentence.name for sentence in lists])))

        write_lists(map(pooled, sorted(set().union(*systems))), output, as_json=as_json)

    def _decided(self, sentence: Sentence) -> Sentence:
        """Returns a sentence with its best hypotheses, sorted by their expected gains."""
        return sentence._replace(hypotheses=self._of_list(sentence.hypotheses)[: self.n])

    def _lists(self, file: str, name: str, labels: LabelOptions) -> Iterator[Sentence]:
        lists = stream_sentences(file, **labels.of_lists(name))
        if labels.pieces == "none":
            lists = lists_of_words(lists, name)
        return checked_lists(lists, name, self.REMEDY) if self.depends_on_tokens else lists

    def _linear(self, lattice: Lattice) -> Lattice:
        return mbr_lattice(lattice, MbrSettings(**self.values), ignore=self.ignored)

    def _of_list(self, hypotheses: list[Hypothesis]) -> list[Hypothesis]:
        """Returns hypotheses, sorted by their expected gains."""
        if self.utility != "linear":
            scale = self.values.get("scale", 1.0)
            split = None if self.tokeniser is None else tokeniser_of(self.tokeniser)
            return mbr_nbest(
                hypotheses, self.utility, scale=scale, pruning=self.pruning, ignore=self.ignored, tokens=split
            )
        decided = self._linear(Lattice.from_nbest(hypotheses))
        best = nbest(decided, len(hypotheses), ignore=self.ignored) if hypotheses else []
        self.repeated += len(hypotheses) - len(best)
        return with_marks_of(best, unmarked(hypotheses, self.ignored))


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
    """Join the lattices of several systems into a mixture of their posteriors.

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
@takes_settings(_MbrOptions, dict.fromkeys(WordOptions.__dataclass_fields__, LABELS))
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
    n: Annotated[Nbest, Detail("for n-best lists")] = 100,
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
    decision = _Decision(utility, settings, MbrPruning(max_calls), words.ignored, tokeniser, n, paths, source)
    if utility == "linear":
        refuse_idle(["max_calls", "paths", "tokeniser"], "with --utility linear")
    else:
        refuse_idle(["mbr_precision", "mbr_ratio", "mbr_max_arcs"], f"with --utility {utility}")
    if utility == "chrf":
        refuse_idle(["tokeniser"], "with --utility chrf")
    if len(sources) > 1:
        refuse_idle(["sentence", "paths", "jobs"], "with several n-best lists")
        decision.write_pools(sources, _checked_shares(share, sources), words, output, to)
        return
    refuse_idle(["share"], "with one file")
    with readable(source) as file:
        if sentence is None and Path(file).is_file() and is_nbest(file):
            refuse_idle(["paths"], "when the output is an n-best list")
            decision.write_lists(file, words, output, to)
            return
        require_lattices(file)
        refuse_idle(["n"], "when the output is a lattice")
        with lattice_run(file, sentence, words, jobs) as run:
            run.write(decision.of_lattice, output, to)


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
    metric: Annotated[OracleMetric, typer.Option(help="metric; exact word error rate, or BLEU")] = "wer",
    first_id: FirstId = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="output file; the oracle strings, one per line")
    ] = None,
    settings: Any = None,
) -> None:
    """Print the best score that hypotheses of the lattices can reach, and the score of the best paths.

    Example: lattice-simp lattice oracle full.nbest --reference full.de --metric bleu
    """
    from lattice_simp.tune.metrics import TUNED_METRICS  # takes long to import

    labels = WordOptions(**settings)
    ignored = labels.ignored
    if not any(Path(source).is_file() and is_nbest(source) for source in sources if not is_pipe(source)):
        refuse_idle([] if any(map(is_pipe, sources)) else ["first_id"], "without n-best lists")
    oracles: list[Tokens] = []
    best: list[Tokens] = []
    with readable_sources(sources) as files:
        names = lattice_names(sources, files, labels)
        losses = Losses()
        if any(map(utterance, names)) and any(map(is_collection, files)):
            losses.add_phrases({"lines are in the order of the lattices, without": [NAMES]})
        references = read_references(reference, names, ignored)
        lattices = _lattices(sources, files, first_id or 0, labels)
        for (name, lattice), rows in _paired(lattices, references, ", ".join(sources), reference[0]):
            with located(name):
                paths = nbest(lattice, 1, ignore=ignored)  # no path if a list has no hypothesis for the sentence
                best.append(paths[0].tokens if paths else ())
                oracles.append(find_oracle(lattice, rows, metric, ignore=ignored).hypothesis.tokens if paths else ())
    if not warn_of_whole_sentences((rows[0] for rows in references), reference[0]):
        warn_of_whole_sentences(best, sources[0])
    with open_text("-", "w") as file:
        file.write(f"sentences\t{len(oracles)}\n")
        for name, hypotheses in ((f"oracle {metric.upper()}", oracles), (f"best path {metric.upper()}", best)):
            file.write(f"{name}\t{100.0 * TUNED_METRICS[metric].of_strings(hypotheses, references):.2f}\n")
    if output is not None:
        with open_text(output, "w") as file:
            file.writelines(f"{' '.join(tokens)}\n" for tokens in oracles)
        losses.print(output)


def _paired(
    lattices: Iterator[Named], references: list[list[Tokens]], source: str, path: Path
) -> Iterator[tuple[Named, list[Tokens]]]:
    """Yields each sentence's lattice, with its place, and references.

    Args:
        lattices: those of all sentences, with their places.
        references: the references of each sentence.
        source: the files of the lattices, for messages.
        path: the first file of references.

    Raises:
        FormatError: the numbers of lattices and references differ.
    """
    sentence = -1
    for sentence, lattice in enumerate(lattices):
        if sentence < len(references):
            yield lattice, references[sentence]
    require_parallel(path, len(references), source, sentence + 1, "sentence")


def _lattices(sources: list[str], files: list[str], first_id: int, labels: LabelOptions) -> Iterator[Named]:
    """Yields the lattices of files with their places: one of a lattice file, all of a list, a folder or an archive."""
    for source, file in zip(sources, files, strict=True):
        for name, output in read_outputs(file, source, labels, first_id):
            where = place(file) if name == source else f"{place(file)}: {name}"
            if isinstance(output, Lattice):
                require_hypotheses(output, where)
            yield where, output if isinstance(output, Lattice) else Lattice.from_nbest(output)
