"""The JSON interface of annotation.

    GET  /api/annotate                  the progress
    POST /api/annotate/shorten/next     {"annotator": "Ada"}
    POST /api/annotate/shorten/judge    {"annotator": "Ada", "sentence": "talk.0", "mask": "010"}
    POST /api/annotate/check/judge      {"annotator": "Ada", "sentence": "talk.0", "bad": {"110": true}}
    POST /api/annotate/shorten/skip     {"annotator": "Ada", "sentence": "talk.0"}
    POST /api/annotate/shorten/undo     {"annotator": "Ada"}

`check` takes the same actions as `shorten`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.annotate.tasks import task_of
from lattice_simp.serve.json_fields import Action, Fields, run_action, text_field
from lattice_simp.serve.opened import OpenedStore
from lattice_simp.systems.annotation import AnnotationStore, Progress, Task, assign


@dataclass(frozen=True, eq=False)
class Interface:
    """The handlers of the JSON interface."""

    opened: OpenedStore[AnnotationStore]
    progress: Callable[[], Awaitable[Progress]]

    async def overview(self, request: Request) -> Response:
        """Returns the progress of the annotation."""
        return JSONResponse(asdict(await self.progress()))

    async def act(self, request: Request) -> Response:
        """Runs one of `ACTIONS`."""
        return await run_action(request, ACTIONS, self.opened, task_of(request))


def _next(store: AnnotationStore, task: Task, fields: Fields) -> dict[str, Any]:
    assignment = assign(store, text_field(fields, "annotator"), task)
    if assignment is None:
        return {"sentence": None}
    sentence = assignment.sentence
    return {
        "sentence": sentence.id,
        "tokens": sentence.tokens,
        "skeletons": [skeleton.to_mask() for skeleton in assignment.skeletons],
        "earlier": sorted(assignment.earlier),
    }


def _judge(store: AnnotationStore, task: Task, fields: Fields) -> dict[str, Any]:
    annotator, sentence = text_field(fields, "annotator"), text_field(fields, "sentence")
    if task is Task.SHORTEN:
        store.shorten(annotator, sentence, text_field(fields, "mask"))
    else:
        bad = fields.get("bad")
        if not isinstance(bad, dict) or not all(isinstance(value, bool) for value in bad.values()):
            raise LatticeSimpError('"bad" must map each mask to true or false')
        store.check(annotator, sentence, bad)
    return {"saved": True}


def _skip(store: AnnotationStore, task: Task, fields: Fields) -> dict[str, Any]:
    store.skip(text_field(fields, "annotator"), task, text_field(fields, "sentence"))
    return {"saved": True}


def _undo(store: AnnotationStore, task: Task, fields: Fields) -> dict[str, Any]:
    sentence = store.undo(text_field(fields, "annotator"), task)
    return {"sentence": None if sentence is None else sentence.id}


ACTIONS: Mapping[str, Action] = {
    "next": _next,
    "judge": _judge,
    "skip": _skip,
    "undo": _undo,
}
"""The actions of a task."""
