"""The local web page: translation with skeletons that a reader marks; with the extra `serve`.

`create_app` makes an ASGI app for any server, `run` serves one on this machine, as `lattice-simp serve` does.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from lattice_simp.serve.limits import Limits
from lattice_simp.support.extras import extra

if TYPE_CHECKING:
    from lattice_simp.serve.app import Tabs, app_of, create_app
    from lattice_simp.serve.section import Section
    from lattice_simp.serve.server import run

__all__ = ["Limits", "Section", "Tabs", "app_of", "create_app", "run"]

_PLACES = {"Section": "section", "Tabs": "app", "app_of": "app", "create_app": "app", "run": "server"}


def __getattr__(name: str) -> Any:
    """Imports modules that need the web server's libraries on first use, as worker processes do not need them."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with extra("serve"):
        return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
