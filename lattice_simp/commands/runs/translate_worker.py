"""The worker of `lattice-simp translate`: loads a model, and translates one sentence after the other."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lattice_simp.commands.inputs.sentences import Sentence
from lattice_simp.commands.running.records import Record, empty_record, nbest_entry
from lattice_simp.errors import EmptyLatticeError, LatticeSimpError
from lattice_simp.formats import losses, write
from lattice_simp.support.tasks.outcome import BatchError, Function

if TYPE_CHECKING:
    from lattice_simp import Decoder, Lattice


@dataclass(frozen=True)
class TranslateOptions:
    """The options of every worker.

    Attributes:
        strategy: its name; None for `gappy` with a skeleton, else `plain`.
        nbest: the number of hypotheses to list for each sentence.
        lattices: a folder that receives the sentences' lattices.
        settings: the changes to the model's own settings, as nested dicts.
    """

    model: Path
    strategy: str | None = None
    nbest: int = 0
    lattices: Path | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


def make_translator(options: TranslateOptions, warm_up: bool = False) -> Function:
    """Loads the model in a worker; returns the function that translates one numbered sentence.

    With `warm_up`, it first translates a test input, so that no sentence has to wait for the compilation of kernels.
    """
    from lattice_simp import Decoder

    decoder = Decoder.load(options.model).with_settings(options.settings)
    if warm_up:
        with suppress(LatticeSimpError):
            decoder.translate("a b a", "101", strategy=options.strategy)
    return partial(translate_sentence, decoder, options)


def translate_sentence(decoder: Decoder, options: TranslateOptions, task: tuple[int, Sentence]) -> Record:
    """Returns the record of one sentence; one without words or skeleton hypotheses is translated plainly.

    Raises:
        LatticeSimpError: the sentence cannot be translated.
        BatchError: its lattice cannot be written.
    """
    from lattice_simp import Skeleton, nbest

    number, sentence = task
    if not sentence.words:
        return empty_record(number, options.nbest)
    skeletons = [Skeleton.from_mask(mask, sentence.words) for mask in sentence.masks]
    result = decoder.translate(
        sentence.words if sentence.lattice is None else sentence.lattice,
        skeletons or None,
        strategy=options.strategy if skeletons or sentence.hypotheses else "plain",
        skeleton_hypotheses=sentence.hypotheses or None,
        probabilities=sentence.probabilities,
        terms=sentence.terms,
    )
    paths = result.nbest(max(1, options.nbest))
    if not paths:
        raise EmptyLatticeError("no translation within the beam")
    entries = [nbest_entry(path.tokens, path.cost, result.features(path)) for path in paths[: options.nbest]]
    unknown = [word for word in sentence.words if word not in decoder.grammar.source_words]
    line, reachable = paths[0].text, result.reachable
    record: Record = {"number": number, "line": line, "nbest": entries, "reachable": reachable, "unknown": unknown}
    if result.has_terms is not None:
        record["terms"] = result.has_terms
    record["cost"] = cost = result.cost(paths[0])
    if result.optimality_gap is not None:  # of the cheapest one, since MBR may have chosen another
        cheapest = nbest(result.lattice, 1, ignore=())[0].cost
        record["optimality_gap"] = result.optimality_gap + cost - cheapest
    if options.lattices:
        record["lost"] = _write(result.lattice, lattice_path(options.lattices, number))
    return record


def lattice_path(folder: Path, number: int) -> Path:
    """Returns the path of a sentence's lattice."""
    return folder / f"{number}.fst.gz"


def _write(lattice: Lattice, path: Path) -> dict[str, list[str]]:
    """Writes a lattice; returns the losses of its file."""
    try:
        write(lattice.with_used_symbols(), path)
    except (LatticeSimpError, OSError) as error:
        raise BatchError(str(error)) from error
    return {phrase: list(names) for phrase, names in losses(lattice, path).items()}
