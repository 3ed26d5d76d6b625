"""Imports optional and slow libraries late; errors name the extra that provides a missing one."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from typing import Any

from lattice_simp.errors import MissingExtraError

BROUGHT_BY = {
    "crowdkit": "annotation",
    "ctranslate2": "neural",
    "dask": "dask",
    "distributed": "dask",
    "duckdb": "train",
    "indicnlp": "hindi",
    "jinja2": "serve",
    "matplotlib": "evaluate",
    "mwparserfromhell": "corpus",
    "nltk": "annotation",
    "pandas": "annotation",
    "psutil": "train",
    "pyarrow": "train",
    "pycocoevalcap": "evaluate",
    "pycrfsuite": "skeletons",
    "pydantic": "text",
    "pygraphviz": "draw",
    "sacremoses": "text",
    "sentencepiece": "neural",
    "spacy": "skeletons",
    "scipy": "judging",
    "starlette": "serve",
    "torch": "neural-training",
    "transformers": "causal",
    "uvicorn": "serve",
    "yaml": "train",
}
"""The optional libraries, and an extra that provides each."""


def missing_extra(error: ModuleNotFoundError) -> MissingExtraError | None:
    """Reports which extra provides a missing module; returns None for unknown modules.

    >>> missing_extra(ModuleNotFoundError(name="yaml"))
    MissingExtraError("yaml is missing; pip install 'lattice-simp[train]'")
    """
    library = (error.name or "").split(".")[0]
    name = BROUGHT_BY.get(library)
    return None if name is None else MissingExtraError(f"{library} is missing; pip install 'lattice-simp[{name}]'")


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Reports which extra of this package provides a library that the block fails to import.

    >>> with extra("hindi"):
    ...     import no_such_library
    Traceback (most recent call last):
    ...
    lattice_simp.errors.MissingExtraError: no_such_library is missing; pip install 'lattice-simp[hindi]'

    Raises:
        MissingExtraError: the block imports a library that is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{error.name} is missing; pip install 'lattice-simp[{name}]'") from None


def is_installed(library: str) -> bool:
    """Returns whether a library is installed, without importing it.

    >>> is_installed("json"), is_installed("no_such_library")
    (True, False)
    """
    return find_spec(library) is not None


class Late:
    """A library that is imported on first use; with an extra's name, a missing one is reported as by `extra`.

    >>> Late("json").dumps([1])
    '[1]'
    """

    def __init__(self, name: str, brought_by: str | None = None) -> None:
        self._name, self._extra = name, brought_by

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_", "pytest_")):  # for tools that inspect modules
            raise AttributeError(name)
        with extra(self._extra) if self._extra else nullcontext():
            return getattr(importlib.import_module(self._name), name)
