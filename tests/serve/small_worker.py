"""Functions for worker processes that answer at once, late, or never."""

from __future__ import annotations

import os
import time

from lattice_simp.errors import FormatError
from lattice_simp.serve.translate.query import Query


def make_worker():
    return answer


def answer(request):
    """Answers text, or the text of a query."""
    text = request.text if hasattr(request, "text") else request
    if not isinstance(request, Query) and not isinstance(request, str):
        return {"suggestions": [], "suggestions_note": ""}
    if text == "late":
        time.sleep(60)
    if text == "slow":
        time.sleep(0.3)
    if text == "dies":
        os._exit(3)
    if text == "large":
        return {"tokens": [bytearray(3 << 30)]}
    if text == "defect":
        raise KeyError("x")
    return {"problem": f"no translation of {text} from {os.getpid()}"}


def broken_factory():
    raise FormatError("holds no rules", path="model")


def dying_factory():
    os._exit(9)
