"""Parses JSON from files; every error names the file and the line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from lattice_simp.errors import FormatError

MAX_DEPTH = 100
"""The most levels of nesting; deeper values would fail when they are printed or copied."""


_JSON = re.compile(r"[ \t\ufeff]*(?:\[[ \t]*)?\{[ \t]*(?:$|\}[ \t]*$|\"(?![ \t]))")
_HALF = re.compile("[\ud800-\udfff]")


def is_json(line: str) -> bool:
    """Recognises the first line of JSON among lines of text: a brace, and a name or nothing after it.

    >>> is_json('{ "tokens": []}'), is_json("{"), is_json("{ see [[below]] }"), is_json('{ " no " }')
    (True, True, False, False)
    """
    return _JSON.match(line) is not None


def parse_json(
    text: str,
    *,
    path: str | Path | None = None,
    line: int | None = None,
    remedy: str | None = None,
    repeated_keys: bool = False,
) -> Any:
    """Returns the value of a JSON text; unless `repeated_keys`, each key of an object may occur once.

    >>> parse_json('{"id": 1}')
    {'id': 1}

    Raises:
        FormatError: invalid JSON, a key that occurs twice in an object, numbers of thousands of digits, nesting beyond
            `MAX_DEPTH`, a lone surrogate.
    """
    value, is_deep = None, False
    try:
        value = json.loads(text, object_pairs_hook=dict if repeated_keys else _object)
    except _RepeatedKeyError as error:
        message = f"the key {error.args[0]!r} occurs twice in an object"
        raise FormatError(message, path=path, line=line, remedy="keep one of its values") from None
    except json.JSONDecodeError as error:
        column = f" at column {error.colno}" if error.lineno == 1 else f" at line {error.lineno}"
        raise FormatError(f"invalid JSON: {error.msg}{column}", path=path, line=line, remedy=remedy) from error
    except ValueError as error:  # Python reads no integers of more than 4,300 digits
        raise FormatError("a number with too many digits", path=path, line=line, remedy=remedy) from error
    except RecursionError:
        is_deep = True
    if is_deep or (text.count("[") + text.count("{") > MAX_DEPTH and _depth(value) > MAX_DEPTH):
        message = f"a value nested more than {MAX_DEPTH} levels deep"
        raise FormatError(message, path=path, line=line, remedy=remedy) from None
    if "\\ud" in text.lower() and _HALF.search(json.dumps(value, ensure_ascii=False)):
        raise FormatError("a lone surrogate, which is not a character", path=path, line=line, remedy=remedy)
    return value


class _RepeatedKeyError(Exception):
    """A key that occurs twice in an object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object of JSON; raises _RepeatedKeyError instead of dropping all but the last value of a key."""
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedKeyError(next(name for place, name in enumerate(names) if name in names[:place]))
    return values


def _depth(value: Any) -> int:
    """Returns the levels of nested lists and objects, at most `MAX_DEPTH + 1`."""
    depth, level = 0, [value]
    while depth <= MAX_DEPTH and (nested := [item for item in level if isinstance(item, (dict, list))]):
        depth += 1
        level = [part for item in nested for part in (item.values() if isinstance(item, dict) else item)]
    return depth
