"""Compiles the kernels of lattice operations in a second process, while this one compiles those of the decoder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lattice_simp.support.tables import grammar_path


@contextmanager
def compiling_in_parallel() -> Iterator[None]:
    """Starts the second process when this one compiles its first kernel; it stops at the end of the block.

    Both keep their kernels on disk, where each finds those of the other. The decoder's own kernels come first in a
    translation and take about as long to compile as those of all other operations.
    """
    from lattice_simp.core.kernel import when_compiling
    from lattice_simp.support.tasks.processes import ProcessPool

    pool = ProcessPool(_operations)

    def start() -> None:
        pool.start()
        pool.submit((0, None))

    when_compiling(start)
    try:
        yield
    finally:
        pool.close()


def _operations() -> Callable[[Any], None]:
    return _apply_operations


def _apply_operations(_: object) -> None:
    """Applies the operations of the strategies to a small lattice, in the order in which a translation has them."""
    from lattice_simp import Decoder, Lattice, apply_lm, compose_gappy, gappy_acceptor, nbest

    model = Decoder.load(grammar_path("demo/data/rules.gz").parent).language_models["LM"]
    lattice = apply_lm(Lattice.from_strings([("a b", 1.0), ("a c", 2.0)]), {"LM": (model, 1.0)}, beam=8.0)
    nbest(lattice, 2)
    nbest(compose_gappy(lattice, gappy_acceptor([("a", 1.0)], loops="rho")), 2)
