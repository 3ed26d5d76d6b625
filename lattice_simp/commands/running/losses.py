"""What files lose of the lattices that commands write, as messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lattice_simp.commands.shared.label_options import NO_OPTIONS, LabelOptions
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import JSON_LINES, refuse_idle
from lattice_simp.core.header import NO_HEADER
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError, located
from lattice_simp.formats import FORMATS, format_of_name, losses, open_archive, write
from lattice_simp.formats.collections import new_file
from lattice_simp.formats.json.nbest import write_json
from lattice_simp.formats.list_lines import SAMPLES, Sentence
from lattice_simp.formats.nbest import is_json_name, is_list_name, write_nbest
from lattice_simp.support.plurals import in_words
from lattice_simp.support.textio import output_place, place

COMPUTED = (
    "confidences are computed from the scores of all hypotheses, and those of the file are ignored (to keep them, "
    "write the first hypotheses: lattice texts -n 1 --output NAME.jsonl)"
)
"""The note for words whose confidences are not those of their file."""

_KEPT = "to keep them, write JSON lines, to a name that ends in .jsonl, or lattices"
IN_MOSES, IN_TEXT = (f"{format} cannot store {{}}; {_KEPT}" for format in ("Moses' format", "text"))
IN_LINES = "text cannot store {}; to keep them, give --nbest-output a name that ends in .jsonl"
"""The phrases for what n-best lists and lines of text do not hold of a sentence; its facts replace `{}`."""

NAMES, TIMES, CONFIDENCES = "the names of sentences", "the times of words", "the confidences of words"


class Losses:
    """What is lost when lattices are written, printed once for all files."""

    def __init__(self, labels: LabelOptions = NO_OPTIONS, options: Mapping[str, Any] | None = None) -> None:
        self._names: dict[str, dict[str, None]] = {}
        self._labels, self._options = labels, options or {}

    def options(self, format: str) -> dict[str, Any]:
        """Returns the arguments for a format's writer."""
        return {**self._labels.of_output(format), **self._options}

    def write(self, lattice: Lattice, output: str | Path, format: str | None = None) -> None:
        """Writes a lattice, and adds the losses of its file."""
        write(lattice, output, format, **self.options(format or format_of_name(output)))
        self.add(lattice, output, format)

    def add(self, lattice: Lattice, output: str | Path, format: str | None = None) -> None:
        """Adds the losses of a file."""
        self.add_phrases(losses(lattice, output, format))

    def add_dropped(self, before: Lattice, after: Lattice, *replaced: str | None) -> None:
        """Adds the features that an operation drops, except for those that are replaced."""
        self.add_features(name for name in before.features if name not in after.features and name not in replaced)

    def add_features(self, names: Iterable[str]) -> None:
        """Adds features that an operation drops."""
        self.add_phrases({"the result does not have the features": names})

    def add_phrases(self, losses: Mapping[str, Iterable[str]]) -> None:
        """Adds the losses of a file by phrase, as `losses` returns them; they follow the phrase or replace its `{}`.

        The number of samples of a hypothesis is not lost, because its cost includes it.
        """
        for phrase, names in losses.items():
            self._names.setdefault(phrase, {}).update(dict.fromkeys(name for name in names if name != SAMPLES))

    def watched(self, sentences: Iterable[Sentence], phrase: str) -> Iterator[Sentence]:
        """Yields sentences unchanged, and adds their names, times and confidences as losses."""
        for sentence in sentences:
            hypotheses = sentence.hypotheses
            facts = {
                NAMES: sentence.name is not None,
                TIMES: any(entry.times for entry in hypotheses),
                CONFIDENCES: any(entry.confidences for entry in hypotheses),
            }
            self.add_phrases({phrase: [fact for fact, is_lost in facts.items() if is_lost]})
            yield sentence

    def print(self, output: str | Path) -> None:
        """Prints the losses of the output, a file or a folder, on stderr."""
        for phrase, names in self._names.items():
            if names:
                is_phrase = not names.keys().isdisjoint((NAMES, TIMES, CONFIDENCES))
                listed = in_words(names) if is_phrase else " ".join(names)
                phrase = phrase.removesuffix("s") if len(names) == 1 and phrase.endswith("features") else phrase
                message = phrase.format(listed) if "{}" in phrase else f"{phrase} {listed}"
                say(f"{output_place(output)}: {message}")


def write_lists(
    sentences: Iterable[Sentence],
    output: str,
    losses: Losses | None = None,
    *,
    first_id: int = 0,
    as_json: bool = False,
) -> None:
    """Writes n-best lists; prints what their file does not hold, and other losses, on stderr.

    The file holds JSON lines if `as_json` or if its name ends in `.jsonl`, else Moses' format. `first_id` is the id of
    sentence 0.
    """
    losses = losses or Losses()
    if as_json or is_json_name(output):
        write_json(sentences, output, first_id=first_id)
    else:
        write_nbest(losses.watched(sentences, IN_MOSES), output, first_id=first_id)
    losses.print(output)


def wants_json(to: str | None) -> bool:
    """Returns whether --to asks for JSON lines; refuses the formats of lattices where the output is n-best lists."""
    if to != JSON_LINES:
        refuse_idle(["to"], f"when the output is an n-best list, unless it is {JSON_LINES}")
    return to == JSON_LINES


def write_result(
    lattice: Lattice,
    output: str,
    format: str | None = None,
    *,
    labels: LabelOptions,
    origin: Lattice | None = None,
) -> None:
    """Writes a lattice, to stdout as AT&T text; prints the losses of the file on stderr.

    Features of `origin`, the lattice from which it was made, count as lost if the lattice does not have them.
    """
    losses = Losses(labels)
    if origin is not None:
        losses.add_dropped(origin, lattice)
        lattice = with_header_of(origin, lattice)
    losses.write(lattice, output, lattice_format(format))
    losses.print(output)


def lattice_format(to: str | None) -> str | None:
    """Returns the format of lattices that --to names.

    Raises:
        LatticeSimpError: it is that of n-best lists.
    """
    if to == JSON_LINES:
        raise LatticeSimpError(
            f"the output is a lattice, not n-best lists; leave --to {JSON_LINES} out, or write the best paths of the "
            "lattice: lattice nbest -n 100 --output NAME.jsonl"
        )
    return to


def write_several(
    lattices: Iterable[tuple[str, Lattice]], source: str, output: str, format: str | None, losses: Losses
) -> None:
    """Writes named lattices to a folder, or to a file of a format that holds several; prints the losses.

    Raises:
        LatticeSimpError: the output is a file for one lattice; names the `source` that they were made of.
    """
    archive = FORMATS[format or format_of_name(output, "att")].archive
    if is_folder(output) or (archive is None and names_folder(output)):
        written = set[Path]()
        suffix = (*FORMATS[format or "openfst"].suffixes, ".txt")[0]
        for name, lattice in lattices:
            losses.write(lattice, new_file(output, name + suffix, written), format or "openfst")
    else:
        chosen = format or format_of_name(output, "att")
        if archive is None:
            raise several_lattices(source, output)
        with open_archive(output, chosen, **losses.options(chosen)) as add, located(output_place(output)):
            for name, lattice in lattices:
                add(name, lattice)
                losses.add(lattice, output, chosen)
    losses.print(output)


def several_lattices(source: str, output: str, *, lists: bool = False) -> LatticeSimpError:
    """Returns the error of an output for one lattice where there are several; `lists` if they are n-best lists."""
    more = " (to write n-best lists, use `lattice tokens`)" if lists else ""
    if is_list_name(output):
        remedy = "write them with --output FOLDER/, then `lattice nbest FOLDER -n 100 --output NAME.jsonl`"
        return LatticeSimpError(f"{output}: lattices are not written as n-best lists; {remedy}{more}")
    remedy = "choose one with --id, or write all of them with --output FOLDER/ or in one file with --to kaldi"
    return LatticeSimpError(f"{output_place(output)}: holds one lattice, but {place(source)} several; {remedy}{more}")


def is_folder(output: str) -> bool:
    """Returns whether an output is a folder: it exists, or its name ends with a slash."""
    return output.endswith("/") or (output != "-" and Path(output).is_dir())


def names_folder(output: str) -> bool:
    """Returns whether an output for several lattices is a new folder: its name has no file extension."""
    return output != "-" and not Path(output).suffix and not Path(output).exists()


def with_header_of(origin: Lattice, lattice: Lattice) -> Lattice:
    """Returns a lattice with the header of its origin, unless it has one of its own with more than a start time."""
    if replace(lattice.header, start=0.0) != NO_HEADER:
        return lattice
    kept = set(lattice.features) >= {name for name in origin.header.scales if name in origin.features}
    header = origin.header if kept else origin.header.without_scales()
    return replace(lattice, header=replace(header, start=lattice.header.start or header.start))
