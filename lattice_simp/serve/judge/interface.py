"""The JSON interface of judging.

    POST /api/judge/next     {"rater": "Ada"}
    POST /api/judge/answer   {"rater": "Ada", "number": 1, "answers": {"fluency": 4, "errors": [[0, 2, "grammar"]]}}
    POST /api/judge/skip     {"rater": "Ada", "number": 1}
    POST /api/judge/undo     {"rater": "Ada"}

Numbers count what the rater judges, from 1; words are counted from 0. No answer names a system.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.json_fields import Action, Fields, text_field
from lattice_simp.systems.judging.store import JudgingStore


def _next(store: JudgingStore, fields: Fields) -> dict[str, Any]:
    screen = store.screen(text_field(fields, "rater"))
    if screen is None:
        return {"number": None}
    return {
        "number": screen.position + 1,
        "training": screen.is_training,
        "source": screen.source,
        "texts": screen.texts,
        "earlier": screen.earlier,
    }


def _answer(store: JudgingStore, fields: Fields) -> dict[str, Any]:
    if not isinstance(answers := fields.get("answers"), dict):
        raise LatticeSimpError('"answers" must map each question to an answer')
    store.answer(text_field(fields, "rater"), _position(fields), answers)
    return {"saved": True}


def _skip(store: JudgingStore, fields: Fields) -> dict[str, Any]:
    store.skip(text_field(fields, "rater"), _position(fields))
    return {"saved": True}


def _undo(store: JudgingStore, fields: Fields) -> dict[str, Any]:
    position = store.undo(text_field(fields, "rater"))
    return {"number": None if position is None else position + 1}


ACTIONS: Mapping[str, Action] = {
    "next": _next,
    "answer": _answer,
    "skip": _skip,
    "undo": _undo,
}
"""The actions that a program can request."""


def _position(fields: Fields) -> int:
    number = fields.get("number")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 1 << 31:
        raise LatticeSimpError('"number" is missing or not a number from 1')
    return number - 1
