"""The journal of a long run: one JSON record for each finished task, so that a killed run can continue."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lattice_simp.errors import FormatError, LatticeSimpError

SUFFIX = ".partial"
_REMEDIES = dict.fromkeys((errno.ENOENT, errno.ENOTDIR), "make its folder first, or choose another place")
_REMEDIES |= dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS, errno.EISDIR), "choose another place")


class Journal:
    """Records of finished tasks in a file beside the output; only their positions are in memory.

    The first line identifies their run, part by part ("input", "model", ...). Records are handed to the
    operating system at once: they survive a killed program, but not a power failure. One program at a
    time may use a journal.

    Raises:
        LatticeSimpError: the journal is in use, belongs to another run, is damaged, or (unless `resume`) holds records.
    """

    def __init__(self, output: Path, run: Mapping[str, str], *, resume: bool) -> None:
        self.output, self.path = output, output.with_name(output.name + SUFFIX)
        self._positions: dict[int, int] = {}
        try:
            self._file = open(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")  # noqa: SIM115
        except OSError as error:
            raise self._cannot_write(error) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._load(dict(run), resume)
        except BlockingIOError as error:
            self._file.close()
            raise LatticeSimpError(f"{self.path} is in use: another run writes to the same output") from error
        except BaseException:
            self._file.close()
            raise

    def __contains__(self, number: object) -> bool:
        return number in self._positions

    def __getitem__(self, number: int) -> dict[str, Any]:
        """Reads a task's record."""
        self._file.seek(self._positions[number])
        record: dict[str, Any] = json.loads(self._file.readline())
        return record

    def get(self, number: int) -> dict[str, Any] | None:
        """Returns a task's record; None if the task is not finished."""
        if number not in self._positions:
            return None
        return self[number]

    def add(self, record: dict[str, Any]) -> None:
        """Adds the record of a finished task, whose `number` identifies it."""
        self._positions[record["number"]] = self._append(record)

    def remove(self) -> None:
        """Deletes the journal of a complete run."""
        self.path.unlink(missing_ok=True)
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _load(self, run: dict[str, str], resume: bool) -> None:
        """Finds the positions of complete records, and truncates an incomplete last one."""
        header = self._file.readline()
        position = self._file.tell()
        records: dict[int, int] = {}
        while header.endswith(b"\n") and (line := self._file.readline()).endswith(b"\n"):
            records[self._parse(line, "number", len(records) + 2)] = position
            position = self._file.tell()
        if records and not resume:
            raise LatticeSimpError(
                f"{self.path} holds {len(records)} finished sentences of an earlier run; "
                "continue it with --resume, or remove the file"
            )
        if not resume or not header.endswith(b"\n"):
            self._file.truncate(0)
            self._append({"run": run})
            return
        if (earlier := self._parse(header, "run", 1)) != run:
            earlier_parts = earlier if isinstance(earlier, dict) and earlier.keys() == run.keys() else {}
            parts = [name for name in run if earlier_parts.get(name) != run[name]]
            raise LatticeSimpError(
                f"{self.path} belongs to a run with other {' and '.join(parts)}; repeat that one, or remove the file"
            )
        self._file.truncate(position)
        self._positions = records

    def _parse(self, line: bytes, key: str, number: int) -> Any:
        try:
            return json.loads(line)[key]
        except (ValueError, KeyError, TypeError, RecursionError):
            remedy = "the file is damaged or something else: remove it"
            raise FormatError("not a record of a journal", path=self.path, line=number, remedy=remedy) from None

    def _append(self, record: dict[str, Any]) -> int:
        position = self._file.seek(0, os.SEEK_END)
        try:
            self._file.write(json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._cannot_write(error) from error
        return position

    def _cannot_write(self, error: OSError) -> LatticeSimpError:
        remedy = _REMEDIES.get(error.errno or 0, "free some space, then use --resume")
        return LatticeSimpError(f"{self.output}: cannot be written: {error.strerror} ({remedy})")
