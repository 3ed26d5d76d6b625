"""The run of `lattice-simp lattice gappy`: writes the acceptors of skeletons, or of terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lattice_simp.commands.inputs.lattices import Output, features_of, read_skeleton
from lattice_simp.commands.lattices.terms import terms_of
from lattice_simp.commands.running.lattices import lattice_run
from lattice_simp.commands.running.losses import Losses, is_folder, write_several
from lattice_simp.commands.shared.label_options import LabelOptions
from lattice_simp.core.header import Header
from lattice_simp.core.lattice import Lattice
from lattice_simp.engines import ENGINES, Engine
from lattice_simp.formats import write
from lattice_simp.formats.collections import is_collection
from lattice_simp.formats.terms import read_terms
from lattice_simp.ops.gappy_acceptor import Loops
from lattice_simp.ops.term_acceptor import term_acceptor
from lattice_simp.support.textio import readable


def write_term_acceptors(terms: str, sentence: str | None, labels: LabelOptions, output: str, to: str | None) -> None:
    """Writes the acceptor of each line of terms, or of one sentence's."""
    lines = read_terms(terms) if sentence is None else [terms_of(terms, sentence)]
    acceptors = [(str(number), term_acceptor(line).as_lattice()) for number, line in enumerate(lines)]
    if len(acceptors) == 1 and not is_folder(output):
        write(acceptors[0][1], output, to)
    else:
        write_several(acceptors, terms, output, to, Losses(labels))


def write_gappy_acceptors(
    source: str,
    sentence: str | None,
    labels: LabelOptions,
    acceptor: Callable[[Output], Lattice],
    output: str,
    to: str | None,
) -> None:
    """Writes the gappy acceptors of all sentences' skeletons, or of one sentence's."""
    with readable(source) as file:
        if sentence is None and (is_collection(file) or is_folder(output)):
            with lattice_run(file, labels=labels) as run:
                run.write(acceptor, output, to, lists=False)
            return
        name, skeleton = read_skeleton(file, sentence, labels)
    losses = Losses(labels)
    losses.add_features(features_of(skeleton))
    losses.write(replace(acceptor(skeleton), header=Header(name)), output, to)
    losses.print(output)


def acceptor_of(skeleton: Output, loops: Loops, engine: Engine) -> Lattice:
    """Returns the gappy acceptor of a sentence's skeletons, with its loops as arcs."""
    acceptor = ENGINES[engine].gappy_acceptor(skeleton, loops=loops)
    return acceptor if isinstance(acceptor, Lattice) else acceptor.as_lattice()
