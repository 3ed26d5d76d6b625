"""The journal of a long run: one JSON record a finished sentence, so that a killed run can go on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any

from lattice_simp.errors import LatticeSimpError

SUFFIX = ".partial"


class Journal:
    """Records of finished tasks beside the output file; the first line tells what run they belong to.

    Raises:
        LatticeSimpError: the journal is of another run (other input, model or options).
    """

    def __init__(self, output: Path, run: str, *, resume: bool) -> None:
        self.path = output.with_name(output.name + SUFFIX)
        self.records: dict[int, dict[str, Any]] = {}
        if resume and self.path.exists():
            self._load(run)
            self._file = open(self.path, "a", encoding="utf-8")  # noqa: SIM115
        else:
            self._file = open(self.path, "w", encoding="utf-8")  # noqa: SIM115
            self._write({"run": run})

    def _load(self, run: str) -> None:
        data = self.path.read_bytes()
        complete = data[: data.rfind(b"\n") + 1]  # a killed run may have left half a record
        lines = complete.decode("utf-8").split("\n")[:-1]
        if lines and json.loads(lines[0]).get("run") != run:
            raise LatticeSimpError(
                f"{self.path} belongs to a run with other input, model or options; repeat that one, or remove the file"
            )
        for line in lines[1:]:
            record = json.loads(line)
            self.records[record["number"]] = record
        with open(self.path, "r+b") as file:
            file.truncate(len(complete))
            if not lines:
                file.write((json.dumps({"run": run}) + "\n").encode())

    def add(self, record: dict[str, Any]) -> None:
        """Enters a finished task, on disk before the next one."""
        self._write(record)

    def _write(self, record: dict[str, Any]) -> None:
        self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def remove(self) -> None:
        """Ends a run that is complete."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
