"""Many numbers to text and back, in compiled code: each text is the shortest that restores its number."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import orjson

LEAST, LIMIT = 1e-4, 1e16
"""Python writes sizes from `LEAST` to below `LIMIT`, and 0, without an exponent, and so does JSON."""


def float_texts(values: npt.NDArray[np.float64], end: str = "") -> list[str]:
    r"""Returns the texts of float64 numbers, as `repr` writes them, each followed by `end`.

    >>> float_texts(np.array([0.1, -2.0, 1e-5, np.inf]), end="\n")
    ['0.1\n', '-2.0\n', '1e-05\n', 'inf\n']
    """
    if not len(values):
        return []
    json = orjson.dumps(np.ascontiguousarray(values), option=orjson.OPT_SERIALIZE_NUMPY)
    texts = (json[1:-1].decode().replace(",", f"{end},") + end).split(",")
    sizes = np.abs(values)
    is_short = (sizes >= LEAST) & (sizes < LIMIT) | (sizes == 0.0)
    for place in np.flatnonzero(~is_short).tolist():
        texts[place] = f"{float(values[place])!r}{end}"
    return texts


def floats_of(fields: list[bytes]) -> npt.NDArray[np.float64]:
    """Returns the float64 numbers of fields, as `float` reads them; fields with commas or brackets are not checked.

    >>> floats_of([b"1e3", b"-0", b".5"]).tolist()
    [1000.0, -0.0, 0.5]

    Raises:
        ValueError: a field is not a number.
    """
    text = b",".join(fields)
    if b"-0," not in text + b",":  # in JSON, a zero without a decimal point has no sign
        try:
            return np.array(orjson.loads(b"[%b]" % text), dtype=np.float64)
        except orjson.JSONDecodeError:  # Python reads more forms of numbers
            pass
    return np.fromiter(map(float, fields), dtype=np.float64, count=len(fields))
