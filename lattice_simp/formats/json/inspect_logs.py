"""Logs of Inspect in its own format (`.eval`): a zip archive with a JSON file for each sample of a prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from lattice_simp.errors import FormatError
from lattice_simp.formats.common import natural_order
from lattice_simp.formats.json.values import is_object
from lattice_simp.support.json_text import parse_json
from lattice_simp.support.signatures import INSPECT_LOG
from lattice_simp.support.textio import decode, read_bytes
from lattice_simp.support.zip_files import member_names, read_members

_LOG = re.compile(INSPECT_LOG, re.DOTALL)
_SAMPLE = re.compile(r"samples/.+\.json", re.DOTALL)


def is_inspect_log(head: bytes) -> bool:
    """Recognises a log by the name of its first file."""
    return _LOG.match(head) is not None


def inspect_values(path: str | Path) -> Iterator[tuple[int, Any]]:
    """Yields numbers, from 1, and the samples of each prompt, in the order of its name, as a log in JSON has them.

    Raises:
        FormatError: the log is damaged, or holds no samples.
    """
    data = read_bytes(path)
    names = sorted(filter(_SAMPLE.fullmatch, member_names(data, path)), key=natural_order)
    if not names:
        raise FormatError("the log holds no samples", path=path, remedy="run the evaluation to its end")
    samples = (
        parse_json(decode(content, f"{path}:{name}"), path=f"{path}:{name}")
        for name, content in read_members(data, path, names)
    )
    prompts = groupby(samples, lambda sample: sample.get("id") if is_object(sample) else None)
    for number, (_, entries) in enumerate(prompts, start=1):
        yield number, {"samples": list(entries)}
