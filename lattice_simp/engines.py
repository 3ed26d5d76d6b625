"""The two engines: array kernels (fast, double precision, features) and OpenFst (the reference implementation)."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias

from lattice_simp.core.shortest_distance import shortest_distance
from lattice_simp.ops.apply_lm import apply_lm
from lattice_simp.ops.arc_posteriors import arc_posteriors
from lattice_simp.ops.compose_gappy import compose_gappy
from lattice_simp.ops.gappy_acceptor import gappy_acceptor
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.prune import prune
from lattice_simp.ops.replace import replace

Engine: TypeAlias = Literal["arrays", "openfst"]


class _OpenFst:
    """The operations of `lattice_simp.reference`, imported on first use, since importing pynini takes long."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module("lattice_simp.reference"), name)


ENGINES: dict[Engine, Any] = {
    "arrays": SimpleNamespace(
        apply_lm=apply_lm,
        arc_posteriors=arc_posteriors,
        compose_gappy=compose_gappy,
        gappy_acceptor=gappy_acceptor,
        nbest=nbest,
        prune=prune,
        replace=replace,
        shortest_distance=shortest_distance,
    ),
    "openfst": _OpenFst(),
}
"""Operations by engine and name; an engine accepts only its own gappy acceptors."""
