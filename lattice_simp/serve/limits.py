"""What a request may cost: everything that a visitor can make large has a bound here."""

from __future__ import annotations

from dataclasses import dataclass, fields

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.options import option


@dataclass(frozen=True)
class Limits:
    """The bounds of a server; those with a flag are options of `lattice-simp serve`.

    >>> Limits(seconds=0)
    Traceback (most recent call last):
    ...
    lattice_simp.errors.LatticeSimpError: time-limit is 0; give a number above 0

    Attributes:
        characters: of a text.
        tokens: of a sentence.
        body: bytes of a request's body.
        seconds: that a request may compute; then its process is stopped and replaced.
        memory: gigabytes that a process may use on top of its model.
        workers: processes that compute, for each section.
        waiting: requests that may wait for a process, for each section; further ones are asked to come back.

    Raises:
        LatticeSimpError: a bound is not above 0.
    """

    characters: int = option(2000, "max-characters", "maximum characters per text")
    tokens: int = option(100, "max-tokens", "maximum tokens per sentence")
    body: int = 65_536
    seconds: float = option(20.0, "time-limit", "time limit in seconds; per request")
    memory: float = option(4.0, "memory", "gigabytes per worker in addition to the model")
    workers: int = option(2, "jobs", "number of parallel workers")
    waiting: int = option(16, "max-waiting", "maximum number of waiting requests")

    def __post_init__(self) -> None:
        for own in fields(self):
            value = getattr(self, own.name)
            if not value > 0:
                raise LatticeSimpError(f"{own.metadata.get('flag', own.name)} is {value}; give a number above 0")
