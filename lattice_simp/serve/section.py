"""A section of the server: a tab of its pages, with the routes and templates that belong to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from starlette.routing import BaseRoute

from lattice_simp.serve.workers import WorkerPool


@dataclass(frozen=True)
class Section:
    """A tab.

    Attributes:
        title: what the tab says.
        page: the name of the route that the tab leads to.
        routes: its pages and interfaces; their names are unique among all sections.
        templates: the folder of its templates; their names are unique, too.
        pools: the processes that compute for it; they are started and stopped with the server.
    """

    title: str
    page: str
    routes: Sequence[BaseRoute]
    templates: Path
    pools: Sequence[WorkerPool] = ()
