"""Optional libraries: what to say where one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lattice_simp.errors import MissingExtraError


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Returns which extra of this package brings a library that the block imports in vain.

    >>> with extra("hindi"):
    ...     import no_such_library
    Traceback (most recent call last):
    ...
    lattice_simp.errors.MissingExtraError: no_such_library is missing; pip install 'lattice-simp[hindi]'

    Raises:
        MissingExtraError: the block imports what is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{error.name} is missing; pip install 'lattice-simp[{name}]'") from None
