"""Gappy composition of two lattices, or of two n-best lists sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from lattice_simp.commands.inputs.lattices import read_acyclic, read_skeleton, require_lattices
from lattice_simp.commands.inputs.pairing import SharedNames
from lattice_simp.commands.lattices.composition import Composition, Counts, composed_list, write_composed
from lattice_simp.commands.running.losses import write_result
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import refuse_idle
from lattice_simp.engines import Engine
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.collections import is_collection
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.nbest import has_pieces, is_nbest, stream_sentences
from lattice_simp.support.textio import readable


def compose_files(
    composition: Composition, full: str, skeleton: str, sentence: str | None, output: str, to: str | None
) -> None:
    """Composes two lattices, or two n-best lists sentence by sentence, and writes the result.

    Args:
        composition: how to compose.
        full, skeleton: files of any format.
        sentence: the number or the name of a sentence; None for all.
        output, to: a file, and the format of a lattice.

    Raises:
        LatticeSimpError: an option does not fit the files.
    """
    labels = composition.labels
    with readable(full) as full_file, readable(skeleton) as skeleton_file:
        require_lattices(full_file)
        require_lattices(skeleton_file)
        are_lists = is_nbest(full_file), is_nbest(skeleton_file)
        several = are_lists[0] or is_collection(full_file), are_lists[1] or is_collection(skeleton_file)
        if sentence is not None and not any(several):
            raise FormatError("is not an n-best list, and holds one lattice", path=full, remedy="leave --id out")
        of_skeletons = labels
        if are_lists[1] and not has_pieces(skeleton_file, labels.pieces):
            of_skeletons = replace(labels, pieces="none")  # words, as hypotheses of skeletons often are
        if all(are_lists) and sentence is None:
            require_arrays(composition.engine, "two n-best lists without --id")
            counts, first_id, ignored = Counts("skeleton hypotheses"), composition.first_id, labels.ignored
            streams = [
                stream_sentences(file, first_id, **options.of_lists(full), ignore=ignored)
                for file, options in ((full_file, labels), (skeleton_file, of_skeletons))
            ]
            lists = _composed_lists(composition, (full_file, skeleton_file), streams, counts)
            write_composed(lists, counts, full, output, composition, to)
            return
        refuse_idle(["n", "first_id"], "when the output is a lattice; it applies to two n-best lists without --id")
        first, second = (sentence if is_chosen else None for is_chosen in several)
        of_lists_only = are_lists == (True, False), are_lists == (False, True)
        lattice = read_acyclic(full_file, first, labels.for_lists if of_lists_only[0] else labels)
        _, hypotheses = read_skeleton(
            skeleton_file, second, of_skeletons.for_lists if of_lists_only[1] else of_skeletons
        )
    joint = composition.compose(lattice, hypotheses)
    if joint.empty:
        say("no full hypothesis contains a skeleton hypothesis; the full lattice is written")
    write_result(lattice if joint.empty else joint, output, to, labels=composition.labels, origin=lattice)


def _composed_lists(
    composition: Composition, files: tuple[str, str], streams: Sequence[Iterator[Sentence]], counts: Counts
) -> Iterator[Sentence]:
    """Yields the composed n-best list of each sentence, or the best of its full list if the result is empty.

    Raises:
        FormatError: a list is broken, or there is a skeleton of a sentence beyond the last one.
    """
    shared = SharedNames(files)
    for sentence, skeletons in zip_longest(*streams, fillvalue=Sentence(-1, [])):
        if sentence.number >= 0:
            named = sentence._replace(name=shared.of(sentence.number, [sentence.name, skeletons.name]))
            yield composed_list(named, skeletons.hypotheses, composition.compose, composition, counts)
        elif skeletons.hypotheses:
            first_id = composition.first_id
            last, skeleton_id = counts.sentences - 1 + first_id, skeletons.number + first_id
            message = f"hypotheses of sentence {skeleton_id}, but {files[0]} ends with {last}"
            raise FormatError(message, path=files[1], remedy="align the lists: ids are those of the sentences")


def require_arrays(engine: Engine, what: str) -> None:
    """Raises LatticeSimpError for an engine without this operation."""
    if engine != "arrays":
        raise LatticeSimpError(f"the engine {engine} does not support {what}; use --engine arrays")
