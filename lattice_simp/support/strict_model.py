"""The base of data that files hold: settings, questions, the parts of a study."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """A pydantic model that refuses unknown fields, and whose fields do not change.

    >>> class Beam(StrictModel):
    ...     width: int = 10
    >>> Beam(width=4).width
    4
    >>> Beam(depth=4)
    Traceback (most recent call last):
    ...
    pydantic_core._pydantic_core.ValidationError: 1 validation error for Beam...
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
