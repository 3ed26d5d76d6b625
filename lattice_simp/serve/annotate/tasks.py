"""Reads requests: the task, and the annotator."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request

from lattice_simp.serve.forms import NameCookie
from lattice_simp.systems.annotation import Task

ANNOTATOR = NameCookie("lattice_simp_annotator")


def task_of(request: Request) -> Task:
    """Returns the task in the path of a request, or raises 404."""
    try:
        return Task(request.path_params["task"])
    except ValueError:
        raise HTTPException(404) from None
