"""The run of `lattice-simp lattice mbr`: decides between the hypotheses of lists and lattices, and writes them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from lattice_simp.commands.inputs.lattices import repeated, require_lattices, say_repeated
from lattice_simp.commands.inputs.pairing import SharedNames, paired_by_name, say_paired_by_name
from lattice_simp.commands.inputs.whole_sentences import checked_lists, lists_of_words, warn_of_whole_sentences
from lattice_simp.commands.running.lattices import lattice_run, with_progress
from lattice_simp.commands.running.losses import wants_json, write_lists
from lattice_simp.commands.shared.label_options import LabelOptions
from lattice_simp.commands.shared.options import refuse_idle
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import unmarked
from lattice_simp.core.word_times import with_marks_of
from lattice_simp.errors import FormatError, warn
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.nbest import is_nbest, stream_sentences
from lattice_simp.ops.mbr import MbrSettings, mbr
from lattice_simp.ops.mbr_nbest import MbrPruning, mbr_nbest
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.pool_nbest import pool_nbest
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import readable
from lattice_simp.text.sacrebleu_tokenisers import tokeniser as tokeniser_of


@dataclass
class Decision:
    """How to decide between hypotheses: by linear BLEU with its settings, or by a utility of whole strings.

    Attributes:
        utility: its name; `linear` for linear BLEU.
        values: the settings of linear BLEU.
        pruning: the limits of comparisons by a utility.
        ignored: labels that are not words.
        tokeniser: the name of the tokeniser for a utility; None to compare the tokens.
        n: the number of hypotheses of an n-best list.
        paths: the number of best paths of a lattice that a utility compares.
        source: the file, or the first one, for messages.
        is_checked: whether the tokens of a lattice were checked.
        repeated: how many repeated hypotheses n-best lists had.
    """

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

    def write(self, sentence: str | None, labels: LabelOptions, jobs: int, output: str, to: str | None) -> None:
        """Writes the source's n-best lists or lattices, sorted by the expected gains of their hypotheses.

        Args:
            sentence: the sentence to write as a lattice, if not all.
            labels: how to interpret labels.
            jobs: the number of threads.
            output, to: a file or folder, and the value of --to.

        Raises:
            LatticeSimpError: the file is broken, or an option has no effect on its kind.
        """
        with readable(self.source) as file:
            if sentence is None and Path(file).is_file() and is_nbest(file):
                refuse_idle(["paths"], "when the output is an n-best list")
                decided = self._decided(self._lists(file, self.source, labels), jobs)
                write_lists(decided, output, as_json=wants_json(to))
                say_repeated(self.source, self.repeated)
                return
            require_lattices(file)
            refuse_idle(["n"], "when the output is a lattice")
            with lattice_run(file, sentence, labels, jobs) as run:
                run.write(self._of_lattice, output, to)

    def write_pools(
        self,
        paths: Sequence[str],
        shares: Sequence[float] | None,
        labels: LabelOptions,
        jobs: int,
        output: str,
        to: str | None,
    ) -> None:
        """Writes the pooled n-best lists of several systems, sorted by the expected gains under the pool.

        Args:
            paths: a file for each system.
            shares: the weight of each system; None for equal ones.
            labels, output, to: as for `write`.
        """
        systems, as_json = [], wants_json(to)
        for path in paths:
            if not (Path(path).is_file() and is_nbest(path)):
                remedy = "give n-best lists, or join lattices with lattice-simp lattice union"
                raise FormatError("not an n-best list", path=path, remedy=remedy)
            systems.append({sentence.number: sentence for sentence in self._lists(path, path, labels)})
        rows = paired_by_name(paths, [[sentence.name for sentence in sentences.values()] for sentences in systems])
        if rows is None:
            _warn_of_ends(paths, systems)
        else:
            say_paired_by_name()
            systems = _paired(systems, rows)
        scale = self.values.get("scale", 1.0)
        decision = replace(self, values={**self.values, "scale": 1.0})
        names = SharedNames(paths)

        def pooled(number: int) -> Sentence:
            lists = [sentences.get(number, Sentence(number, [])) for sentences in systems]
            pool = pool_nbest([sentence.hypotheses for sentence in lists], shares, scale=scale)
            return Sentence(number, pool, names.of(number, [sentence.name for sentence in lists]))

        pools = map(pooled, sorted(set().union(*systems)))
        write_lists(decision._decided(pools, jobs), output, as_json=as_json)

    def _of_lattice(self, lattice: Lattice) -> Lattice:
        """Returns the lattice of linear gains, or the best paths with the gains of a utility."""
        if self.depends_on_tokens and not self.is_checked:
            self.is_checked = True
            best = nbest(lattice, 1, ignore=self.ignored)
            warn_of_whole_sentences([path.tokens for path in best], self.source, self.REMEDY)
        if self.utility == "linear":
            return self._linear(lattice)
        paths = nbest(lattice, self.paths, unique=False, ignore=self.ignored)
        return Lattice.from_nbest(self._of_list(paths), lattice.symbols)

    def _decided(self, lists: Iterable[Sentence], jobs: int) -> Iterator[Sentence]:
        """Yields sentences with their best hypotheses, sorted by their expected gains; counts repeated ones."""
        for sentence, best, error in with_progress(self._of_sentence, lists, jobs, "sentences"):
            if error is not None:
                raise error
            self.repeated += repeated(unmarked(sentence.hypotheses, self.ignored))
            yield sentence._replace(hypotheses=(best or [])[: self.n])

    def _of_sentence(self, sentence: Sentence) -> list[Hypothesis]:
        return self._of_list(sentence.hypotheses)

    def _lists(self, file: str, name: str, labels: LabelOptions) -> Iterator[Sentence]:
        lists = stream_sentences(file, **labels.of_lists(name))
        if labels.pieces == "none":
            lists = lists_of_words(lists, name)
        return checked_lists(lists, name, self.REMEDY) if self.depends_on_tokens else lists

    def _linear(self, lattice: Lattice) -> Lattice:
        return mbr(lattice, MbrSettings(**self.values), ignore=self.ignored)

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
        return with_marks_of(best, unmarked(hypotheses, self.ignored))


def _paired(
    systems: Sequence[Mapping[int, Sentence]], rows: Sequence[tuple[int | None, ...]]
) -> list[dict[int, Sentence]]:
    """Returns the sentences of each system by their numbers in `rows`, as `paired_by_name` returns them."""
    lists = [list(sentences.values()) for sentences in systems]
    return [
        {number: entries[place] for number, place in enumerate(column) if place is not None}
        for entries, column in zip(lists, zip(*rows, strict=True), strict=True)
    ]


def _warn_of_ends(paths: Sequence[str], systems: Sequence[Collection[int]]) -> None:
    """Warns of files that end before others; sentences without hypotheses may be missing between others."""
    counts = [1 + max(sentences) for sentences in systems]
    longest = paths[counts.index(max(counts))]
    for path, count in zip(paths, counts, strict=True):
        if count < max(counts):
            message = f"ends after {counted(count, 'sentence')}, but {longest} has {max(counts)}"
            warn(message, path=path, remedy="give each system's output for the same sentences")
