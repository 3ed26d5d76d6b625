"""The pages of raters, which also work as plain forms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from starlette.requests import Request
from starlette.responses import Response

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.forms import Form, NameCookie, toggled
from lattice_simp.serve.opened import OpenedStore
from lattice_simp.serve.pages import redirected, render_form
from lattice_simp.systems.judging.questions import NO_ERRORS, AnswerError, Errors, Question, parsed, words_of, written
from lattice_simp.systems.judging.store import JudgingError, JudgingStore, Screen, Standing
from lattice_simp.systems.judging.study import Study

RATER = NameCookie("lattice_simp_rater")

ANSWER = "answer."
"""The prefix of fields with answers."""


@dataclass(frozen=True)
class Draft:
    """The answers to a trial (from 0) as texts that are not stored yet, by question, and the error that prevents it.

    For each word of an output, `pressed` is 1 if the word is chosen, otherwise 0.
    """

    answers: Mapping[str, str] = field(default_factory=dict)
    pressed: str = ""
    position: int = -1
    error: str | None = None


@dataclass(frozen=True, eq=False)
class Pages:
    """The handlers of pages."""

    opened: OpenedStore[JudgingStore]
    study: Study

    async def overview(self, request: Request) -> Response:
        """Shows the instructions, the rater, and the progress."""
        if not (name := RATER.read(request)):
            return self._overview(request, None)
        try:
            return self._overview(request, await self.opened.run(JudgingStore.join, name))
        except JudgingError as error:
            return self._overview(request, None, name, str(error))

    async def rename(self, request: Request) -> Response:
        """Sets the rater's name, and begins."""
        form = await Form.of(request)
        try:
            name = form.person("rater")
            await self.opened.run(JudgingStore.join, name)
        except LatticeSimpError as error:
            return self._overview(request, None, "", str(error))
        response = redirected(request, "judge_next")
        RATER.write(request, response, name)
        return response

    async def answer(self, request: Request) -> Response:
        """Stores answers or a skip, or marks words without a script."""
        if not (name := RATER.read(request)):
            return redirected(request, "judge")
        form = await Form.of(request)
        texts = {question: form.one(ANSWER + question) for question in self.study.questions}
        draft = Draft(texts, form.one("pressed"), _position(form))
        try:
            if any(map(form.one, ("press", "mark", "remove"))):
                return await self.show(request, _marked(draft, form, self.study.questions))
            if form.one("action") == "skip":
                await self.opened.run(JudgingStore.skip, name, draft.position)
            else:
                values = parsed(self.study.questions, draft.answers)
                await self.opened.run(JudgingStore.answer, name, draft.position, values)
        except (AnswerError, JudgingError) as error:
            return await self.show(request, replace(draft, error=str(error)))
        return redirected(request, "judge_next")

    async def undo(self, request: Request) -> Response:
        """Undoes the rater's last judgement and shows it again."""
        if not (name := RATER.read(request)):
            return redirected(request, "judge")
        await self.opened.run(JudgingStore.undo, name)
        return redirected(request, "judge_next")

    def _overview(
        self, request: Request, standing: Standing | None, name: str = "", error: str | None = None
    ) -> Response:
        values = {
            "title": self.study.title,
            "study": self.study,
            "paragraphs": paragraphs(self.study.instructions),
            "rater": standing.rater if standing else name,
            "standing": standing,
            "error": error,
        }
        return render_form(request, "judge.html", values)

    async def show(self, request: Request, draft: Draft | None = None) -> Response:
        """Shows the next text or page."""
        if not (name := RATER.read(request)):
            return redirected(request, "judge")
        try:
            screen, standing = await self.opened.run(_next, name)
        except JudgingError:
            return redirected(request, "judge")
        values = {
            "title": self.study.title,
            "study": self.study,
            "paragraphs": paragraphs(self.study.instructions),
            "standing": standing,
            "error": draft.error if draft else None,
        }
        if screen is None:
            return render_form(request, "judge_nothing.html", values)
        if draft is None or draft.position != screen.position:
            draft = Draft({name: written(answer) for name, answer in screen.earlier.items()}, position=screen.position)
        values |= {"screen": screen, "draft": draft, "words": _words(self.study.questions, screen, draft)}
        return render_form(request, "judge_next.html", values)


@dataclass(frozen=True)
class Words:
    """The words of an output whose errors are marked; whether each is chosen; the kind of error of each, or "".

    The marks are the text and the kind of each marked span.
    """

    words: tuple[str, ...]
    pressed: tuple[bool, ...]
    kinds: tuple[str, ...]
    marks: tuple[tuple[str, str], ...]


def paragraphs(text: str) -> list[str]:
    """Returns the paragraphs of a text.

    >>> paragraphs("Read both.\\n\\nThen\\nrate.")
    ['Read both.', 'Then rate.']
    """
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def _next(store: JudgingStore, name: str) -> tuple[Screen | None, Standing]:
    return store.screen(name), store.join(name)


def _position(form: Form) -> int:
    number = form.one("position")
    return int(number) if re.fullmatch("[0-9]{1,9}", number) else -1


def _errors(questions: Mapping[str, Question]) -> tuple[str, Errors] | None:
    """Returns the name of the question that marks errors, and the question."""
    return next(((name, question) for name, question in questions.items() if isinstance(question, Errors)), None)


def _words(questions: Mapping[str, Question], screen: Screen, draft: Draft) -> Words | None:
    """Returns the words to mark, if a question marks errors."""
    if (marking := _errors(questions)) is None:
        return None
    name, question = marking
    words = words_of(screen.texts[0])
    try:
        marks = question.checked(question.parsed(draft.answers.get(name) or NO_ERRORS), screen.texts)
    except AnswerError:
        marks = ()
    kinds = [""] * len(words)
    for first, last, kind in marks:
        kinds[first : last + 1] = [kind] * (last + 1 - first)
    pressed = draft.pressed if len(draft.pressed) == len(words) else "0" * len(words)
    spans = tuple((" ".join(words[first : last + 1]), kind) for first, last, kind in marks)
    return Words(tuple(words), tuple(bit == "1" for bit in pressed), tuple(kinds), spans)


def _marked(draft: Draft, form: Form, questions: Mapping[str, Question]) -> Draft:
    """Returns a draft after a word was pressed, or a mark was made or removed, where no script does that."""
    if press := form.one("press"):
        return replace(draft, pressed=toggled(draft.pressed, len(draft.pressed), press))
    if (marking := _errors(questions)) is None:
        return draft
    name, question = marking
    marks = sorted(question.parsed(draft.answers.get(name) or NO_ERRORS))
    if (remove := form.one("remove")).isdecimal() and int(remove) < len(marks):
        del marks[int(remove)]
    if kind := form.one("mark"):
        chosen = [(run.start(), run.end() - 1, kind) for run in re.finditer("1+", draft.pressed)]
        marks = [mark for mark in marks if not any(mark[0] <= end and start <= mark[1] for start, end, _ in chosen)]
        marks = sorted([*marks, *chosen])
    return replace(draft, answers={**draft.answers, name: written(tuple(marks))}, pressed="")
