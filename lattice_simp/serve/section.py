"""Sections of the server: tabs with their routes and templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from starlette.routing import BaseRoute


class Service(Protocol):
    """A resource that lives as long as the server, such as worker processes or an open file."""

    def start(self) -> object:
        """Starts the service unless it is running, also after `close`."""

    def close(self) -> None:
        """Stops the service if it is running."""


@dataclass(frozen=True)
class Section:
    """A tab.

    Attributes:
        title: the label of the tab.
        page: the name of the route of the tab.
        routes: its pages and interfaces, with names unique among all sections.
        templates: the folder of its templates, with unique names.
        services: its services, which start and stop with the server.
    """

    title: str
    page: str
    routes: Sequence[BaseRoute]
    templates: Path
    services: Sequence[Service] = ()
