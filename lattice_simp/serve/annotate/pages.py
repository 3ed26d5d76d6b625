"""The pages of annotators, which also work as plain forms."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.annotate.tasks import ANNOTATOR, task_of
from lattice_simp.serve.forms import Form, toggled
from lattice_simp.serve.opened import OpenedStore
from lattice_simp.serve.pages import redirected, render_form
from lattice_simp.systems.annotation import (
    EXPORTS,
    AnnotationError,
    AnnotationStore,
    Assignment,
    Progress,
    Tally,
    Task,
    assign,
    tally,
)

TITLES = {Task.SHORTEN: "Shorten the sentence", Task.CHECK: "Mark the bad ones"}


@dataclass(frozen=True, eq=False)
class Pages:
    """The handlers of pages, which show the name `file` of the annotations."""

    opened: OpenedStore[AnnotationStore]
    progress: Callable[[], Awaitable[Progress]]
    file: str

    async def overview(self, request: Request, error: str | None = None) -> Response:
        """Shows the annotator, the progress and the tasks."""
        name = ANNOTATOR.read(request)
        values = {
            "title": "Annotate",
            "file": self.file,
            "annotator": name,
            "error": error,
            "progress": await self.progress(),
        }
        return render_form(request, "annotate.html", values)

    async def rename(self, request: Request) -> Response:
        """Sets the annotator's name."""
        form = await Form.of(request)
        try:
            name = form.person("annotator")
        except LatticeSimpError as error:
            return await self.overview(request, str(error))
        response = redirected(request, "annotate")
        ANNOTATOR.write(request, response, name)
        return response

    async def show(
        self, request: Request, query: Mapping[str, str] | None = None, error: str | None = None
    ) -> Response:
        """Shows the next item; by default, the query is that of the address."""
        task, name = task_of(request), ANNOTATOR.read(request)
        if not name:
            return redirected(request, "annotate")
        assignment, stand = await self.opened.run(_next, name, task)
        values = {
            "title": TITLES[task] if assignment else "Nothing left to do",
            "task": task.value,
            "file": self.file,
            "annotator": name,
            "error": error,
            "tally": stand,
            "assignment": assignment,
            "deleted": _deleted(assignment, request.query_params if query is None else query) if assignment else "",
        }
        return render_form(request, f"annotate_{task.value if assignment else 'nothing'}.html", values)

    async def judge(self, request: Request) -> Response:
        """Stores a judgement or a skip, or toggles a word without a script."""
        task, name, form = task_of(request), ANNOTATOR.read(request), await Form.of(request)
        if not name:
            return redirected(request, "annotate")
        deleted = form.one("deleted")
        if form.one("toggle"):
            deleted = toggled(deleted, len(deleted), form.one("toggle"))
            query = {"sentence": form.one("sentence"), "deleted": deleted}
            return redirected(request, "annotate_task", query, "#tokens", task=task.value)
        try:
            await self.opened.run(_take, name, task, form)
        except AnnotationError as error:
            query = {"sentence": form.one("sentence"), "deleted": deleted}
            return await self.show(request, query, str(error))
        return redirected(request, "annotate_task", task=task.value)

    async def undo(self, request: Request) -> Response:
        """Undoes the annotator's last event and shows its item again."""
        return await self._do(request, AnnotationStore.undo)

    async def take_up_skipped(self, request: Request) -> Response:
        """Reopens the skipped items of the annotator."""
        return await self._do(request, AnnotationStore.take_up_skipped)

    async def export(self, request: Request) -> Response:
        """Exports the annotations as a file."""
        what = request.path_params["what"]
        if what not in EXPORTS:
            raise HTTPException(404)
        lines = await self.opened.run(lambda store: list(EXPORTS[what](store)))
        headers = {"Content-Disposition": f'attachment; filename="{what}.jsonl"'}
        return Response("".join(f"{line}\n" for line in lines), media_type="application/jsonl", headers=headers)

    async def _do(self, request: Request, action: Any) -> Response:
        task, name = task_of(request), ANNOTATOR.read(request)
        if not name:
            return redirected(request, "annotate")
        await self.opened.run(action, name, task)
        return redirected(request, "annotate_task", task=task.value)


def _next(store: AnnotationStore, name: str, task: Task) -> tuple[Assignment | None, Tally]:
    return assign(store, name, task), tally(store, name, task)


def _take(store: AnnotationStore, name: str, task: Task, form: Form) -> None:
    """Stores the judgement of a form; raises AnnotationError if it holds none."""
    sentence = form.one("sentence")
    if form.one("action") == "skip":
        store.skip(name, task, sentence)
    elif task is Task.CHECK:
        bad = set(form.all("bad"))
        store.check(name, sentence, {mask: mask in bad for mask in form.all("shown")})
    else:
        deleted = form.one("deleted")
        if "1" not in deleted and not form.one("whole"):
            raise AnnotationError("no word is deleted; delete words, or tick that none can be deleted")
        store.shorten(name, sentence, _complement(deleted))


def _deleted(assignment: Assignment, query: Mapping[str, str]) -> str:
    """Returns the initially deleted words: from the address, from before an undo, or none."""
    nothing = "0" * len(assignment.sentence.tokens)
    if query.get("sentence") == assignment.sentence.id:
        mask = query.get("deleted", "")
        if len(mask) == len(nothing) and not mask.strip("01"):
            return mask
    return next((_complement(earlier) for earlier in assignment.earlier if assignment.task is Task.SHORTEN), nothing)


def _complement(mask: str) -> str:
    return mask.translate({ord("0"): "1", ord("1"): "0"})
