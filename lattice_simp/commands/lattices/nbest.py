"""The run of `lattice-simp lattice nbest`: writes the best paths of lattices as lines or as n-best lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lattice_simp.commands.inputs.lattices import sentence_number, utterance
from lattice_simp.commands.running.lattices import LatticeRun
from lattice_simp.commands.running.losses import Losses, write_lists
from lattice_simp.core.header import Header
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import without_breaks
from lattice_simp.formats.common import list_losses
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.support.textio import open_text

Best = Callable[[Lattice], list[Hypothesis]]
"""Returns the best paths of a lattice."""


def write_best_lists(run: LatticeRun, best: Best, output: str) -> None:
    """Writes the best paths of each lattice as an n-best list."""
    losses = Losses()

    def with_header(lattice: Lattice) -> tuple[Header, list[Hypothesis]]:
        return lattice.header, best(lattice)

    def sentences() -> Iterator[Sentence]:
        for index, (name, (header, paths)) in enumerate(run.results(with_header)):
            losses.add_phrases(list_losses(header))
            yield Sentence(sentence_number(name, index), paths, utterance(name) or header.name)

    write_lists(sentences(), output, losses)


def write_best_strings(run: LatticeRun, best: Best, output: str, *, scores: bool) -> None:
    """Writes a line for each path: the lattice's name if there are many, the cost, the words, the features."""
    with open_text(output, "w") as out:
        for name, paths in run.results(best):
            out.writelines(_line(path, name if run.is_many else "", scores) for path in paths)


def _line(path: Hypothesis, name: str, scores: bool) -> str:
    features = [f"{feature}={value:.6f}" for feature, value in path.features.items()] if scores else []
    return "\t".join((*([name] if name else []), f"{path.cost:.6f}", without_breaks(path.text), *features)) + "\n"
