"""A section of the server: a tab of its pages, with the routes and templates that belong to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from starlette.routing import BaseRoute


class Service(Protocol):
    """What runs as long as the server does: processes that compute, an open file."""

    def start(self) -> object:
        """Begins, if it has not; called again after `close`, it begins again."""

    def close(self) -> None:
        """Ends, if it has not."""


@dataclass(frozen=True)
class Section:
    """A tab.

    Attributes:
        title: what the tab says.
        page: the name of the route that the tab leads to.
        routes: its pages and interfaces; their names are unique among all sections.
        templates: the folder of its templates; their names are unique, too.
        services: what it needs; they are started and stopped with the server.
    """

    title: str
    page: str
    routes: Sequence[BaseRoute]
    templates: Path
    services: Sequence[Service] = ()
