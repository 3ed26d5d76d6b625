"""Bounds on requests: everything that a visitor can make large."""

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
        characters: the most characters of a text.
        tokens: the most tokens of a sentence.
        body: the most bytes of a request's body.
        seconds: the computing time of a request, after which its process is stopped and replaced.
        memory: the gigabytes that a process may use on top of its model.
        workers: the number of worker processes of each section.
        waiting: the number of requests that may wait in each section; further ones are refused.

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
        for bound in fields(self):
            value = getattr(self, bound.name)
            if not value > 0:
                raise LatticeSimpError(f"{bound.metadata.get('flag', bound.name)} is {value}; give a number above 0")
