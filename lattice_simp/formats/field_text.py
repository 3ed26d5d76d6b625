"""Text of fields separated by blanks, split in bulk; errors name the line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import Longs, finite, natural, shown

_BLANKS = re.compile(rb"[ \t]+")


@dataclass(frozen=True)
class FieldText:
    """The fields of all lines, one after the other: line `i` has `widths[i]` of them, from `starts[i]` on."""

    fields: npt.NDArray[np.object_]
    widths: Longs
    starts: Longs
    path: str | Path | None

    def fail(self, line: int, message: str, remedy: str) -> NoReturn:
        raise FormatError(message, path=self.path, line=line + 1, remedy=remedy)

    def column(self, lines: Longs, numbers: int | Longs) -> list[bytes]:
        """Returns the field with that number (from 0) of each of the lines (from 0)."""
        column: list[bytes] = self.fields[self.starts[lines] + numbers].tolist()
        return column

    def costs(self, lines: Longs, number: int) -> Floats:
        fields = self.column(lines, number)
        try:
            values = np.fromiter(map(float, fields), dtype=np.float64, count=len(fields))
            broken = not np.isfinite(values).all() or b"_" in b"".join(fields)
        except ValueError:
            broken = True
        if broken:
            line, field = _first_bad(lines, fields, finite)
            self.fail(line, f"a cost is not a finite number: {shown(field)}", "write costs as decimal numbers")
        return values

    def states(self, lines: Longs, number: int) -> Longs:
        fields = self.column(lines, number)
        if fields and not (b"".join(fields).isdigit() and max(map(len, fields)) <= 18):
            line, field = _first_bad(lines, fields, natural)
            self.fail(line, f"not a state number from 0 to 10^18: {shown(field)}", "number the states from 0")
        return np.fromiter(map(int, fields), dtype=np.int64, count=len(fields))


def _first_bad(lines: Longs, fields: list[bytes], parse: Callable[[bytes], float | None]) -> tuple[int, bytes]:
    return next((line, field) for line, field in zip(lines.tolist(), fields, strict=True) if parse(field) is None)


def split_fields(data: bytes, path: str | Path | None) -> FieldText:
    lines = data.split(b"\n")
    fields: list[bytes]
    if b"\v" in data or b"\f" in data or data.count(b"\r") != data.count(b"\r\n"):
        # These may stand inside of words, but bytes.split() takes them for blanks.
        rows = [[field for field in _BLANKS.split(line.removesuffix(b"\r")) if field] for line in lines]
        fields, counts = list(chain.from_iterable(rows)), map(len, rows)
    else:
        fields, counts = data.split(), map(len, map(bytes.split, lines))
    widths = np.fromiter(counts, dtype=np.int64, count=len(lines))
    return FieldText(np.array(fields, dtype=object), widths, np.cumsum(widths) - widths, path)
