"""What a worker of `lattice-simp translate` does: it loads a model and translates one sentence after the other."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lattice_simp.commands.sentences import Sentence
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import EmptyLatticeError, LatticeSimpError
from lattice_simp.formats import write
from lattice_simp.pipeline.outcome import BatchError, Function

if TYPE_CHECKING:
    from lattice_simp import Decoder, Lattice
    from lattice_simp.ops.mbr import MbrSettings
    from lattice_simp.ops.nbest import Path as Hypothesis
    from lattice_simp.translate.result import Translation

Record = dict[str, Any]
"""What is known of a translated sentence, as the journal holds it: number, line, nbest, reachable."""


@dataclass(frozen=True)
class TranslateOptions:
    """What every worker needs to know; the fields are the command's options, None for the model's own setting.

    Attributes:
        edits: what a deletion, a substitution and another word with the same stem cost.
        forbid_edits: whether the model's own costs of edits are not to be used.
        mbr: whether to decide by the expected gain; its numbers turn that on, too.
    """

    model: Path
    strategy: str | None = None
    nbest: int = 0
    lattices: Path | None = None
    beam: float | None = None
    loops: str | None = None
    gaps: str | None = None
    skeleton_weight: float | None = None
    skeleton_hypotheses: int | None = None
    edits: tuple[float, float, float] | None = None
    forbid_edits: bool = False
    mbr: bool | None = None
    mbr_scale: float | None = None
    mbr_precision: float | None = None
    mbr_ratio: float | None = None


def make_translator(options: TranslateOptions, warm_up: bool = False) -> Function:
    """Loads the model in a worker; gives the function that translates one numbered sentence.

    Args:
        options: see there.
        warm_up: translate something first, so that no sentence pays for the compilation of the kernels.
    """
    from lattice_simp import Decoder

    decoder = _configured(Decoder.load(options.model), options)
    if warm_up:
        with suppress(LatticeSimpError):
            decoder.translate("a b a", "101", strategy=options.strategy)  # type: ignore[arg-type]
    return partial(translate_sentence, decoder, options)


def _configured(decoder: Decoder, options: TranslateOptions) -> Decoder:
    """Returns the decoder with the settings of the options."""
    from lattice_simp import EditCosts

    changes: dict[str, Any] = {
        "loops": options.loops,
        "gaps": options.gaps,
        "weight": options.skeleton_weight,
        "hypotheses": options.skeleton_hypotheses,
        "edits": options.edits and EditCosts(*options.edits),
    }
    given = {name: value for name, value in changes.items() if value is not None}
    if options.forbid_edits:
        given["edits"] = None
    skeleton = replace(decoder.settings.skeleton, **given)
    settings = replace(decoder.settings, skeleton=skeleton, mbr=mbr_settings(options, decoder.settings.mbr))
    if options.beam is not None:
        settings = replace(settings, beam=options.beam)
    return replace(decoder, settings=settings)


def mbr_settings(options: TranslateOptions, own: MbrSettings | None) -> MbrSettings | None:
    """Returns the model's own settings of minimum Bayes-risk decoding, with what the options say; None for none.

    Raises:
        LatticeSimpError: options that contradict each other, or numbers out of range.
    """
    from lattice_simp.ops.mbr import MbrSettings

    numbers = {"scale": options.mbr_scale, "precision": options.mbr_precision, "ratio": options.mbr_ratio}
    given: dict[str, Any] = {name: value for name, value in numbers.items() if value is not None}
    if options.mbr is False:
        if given:
            raise LatticeSimpError(f"--no-mbr and --mbr-{next(iter(given))} contradict each other")
        return None
    return replace(own or MbrSettings(), **given) if options.mbr or given else own


def translate_sentence(decoder: Decoder, options: TranslateOptions, task: tuple[int, Sentence]) -> Record:
    """Returns the record of one sentence; one without words or skeleton hypotheses is translated plainly.

    Raises:
        LatticeSimpError: the sentence cannot be translated.
        BatchError: its lattice cannot be written.
    """
    from lattice_simp import Skeleton

    number, sentence = task
    if not sentence.words:
        return {"number": number, "line": "", "nbest": [], "reachable": None}
    skeletons = [Skeleton.from_mask(mask, sentence.words) for mask in sentence.masks]
    given = list(sentence.hypotheses) if sentence.hypotheses else None
    result = decoder.translate(
        sentence.words,
        skeletons or None,
        strategy=options.strategy if skeletons or given else "plain",  # type: ignore[arg-type]
        skeleton_hypotheses=given,
    )
    paths = result.nbest(max(1, options.nbest))
    if not paths:
        raise EmptyLatticeError("no translation within the beam")
    entries = [_entry(result, path) for path in paths[: options.nbest]]
    if options.lattices:
        _write(result.lattice, lattice_path(options.lattices, number))
    return {"number": number, "line": paths[0].words, "nbest": entries, "reachable": result.reachable}


def lattice_path(folder: Path, number: int) -> Path:
    """Names the lattice file of a sentence."""
    return folder / f"{number}.fst.gz"


def _write(lattice: Lattice, path: Path) -> None:
    try:
        write(_compact(lattice), path)
    except (LatticeSimpError, OSError) as error:
        raise BatchError(str(error)) from error


def _compact(lattice: Lattice) -> Lattice:
    """Returns the lattice with a table of its own words, where the decoder's holds those of the whole grammar."""
    import numpy as np

    from lattice_simp import SymbolTable

    table = SymbolTable()
    mapping = np.zeros(len(lattice.symbols), dtype=np.int32)
    for label in np.flatnonzero(np.bincount(lattice.olabels, minlength=1)).tolist():
        mapping[label] = table.add(lattice.symbols[label]) if label else 0
    return replace(lattice, olabels=mapping[lattice.olabels], symbols=table)


def _entry(result: Translation, path: Hypothesis) -> dict[str, Any]:
    """Returns a hypothesis for the n-best list; the list's own separator is escaped as Moses does."""
    features = {name: value + 0.0 for name, value in result.features(path).items()}  # no -0
    if not all(map(math.isfinite, [path.cost, *features.values()])):
        raise LatticeSimpError(f"a hypothesis has a score that is not finite: {path.words!r}")
    words = " ".join(word.replace("|", "&#124;") if word == "|||" else word for word in split_tokens(path.words))
    return {"words": words, "features": features, "total": -path.cost}
