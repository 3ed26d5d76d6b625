"""SQLite files that are written by several threads and processes: connections, transactions and errors."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from lattice_simp.errors import FormatError

BUSY_SECONDS = 30.0
"""The seconds that a transaction waits for other processes."""

_FULL = "free some space, then continue: acknowledged {content} are stored"
_REMEDIES = {
    sqlite3.SQLITE_NOTADB: "use a file made by `{maker}`",
    sqlite3.SQLITE_CORRUPT: "restore a backup; `sqlite3 FILE .recover` may recover some {content}",
    sqlite3.SQLITE_READONLY: "make the file and its folder writable",
    sqlite3.SQLITE_PERM: "make the file and its folder writable",
    sqlite3.SQLITE_CANTOPEN: "create it with `{maker}`, in an existing folder that you may write to",
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: _FULL,
    sqlite3.SQLITE_BUSY: "end the program that locks the file",
}
"""What to do about each error of SQLite."""


class StorageError(FormatError):
    """The file cannot be read or written; acknowledged data is intact."""


class LockedError(StorageError):
    """Another program locks the file."""


@dataclass(frozen=True)
class Schema:
    """The tables of a kind of file.

    Attributes:
        script: the statements that make the tables.
        application: the application id in the file header.
        version: the version of the tables.
        content: a plural noun for the content, for messages, such as "annotations".
        maker: the command that makes such a file.
    """

    script: str
    application: int
    version: int
    content: str
    maker: str

    def remedy(self, code: int) -> str:
        """Returns the remedy for an error of SQLite."""
        return _REMEDIES[code].format(content=self.content, maker=self.maker)


class Database:
    """A connection shared by threads, with one short transaction at a time; several processes may connect.

    The writes of a transaction are on the disk when it ends (write-ahead log, synced at each commit).

    Args:
        path: the file.
        schema: its tables.
        create: whether to create a missing file.
        patience: the seconds that a transaction waits for other programs.

    Raises:
        StorageError: the file cannot be opened, is damaged, belongs to another program, or has a newer schema.
    """

    def __init__(
        self, path: str | Path, schema: Schema, *, create: bool = False, patience: float = BUSY_SECONDS
    ) -> None:
        self.path, self.schema = Path(path), schema
        self._file = self.path.absolute()  # the current folder may change
        self._lock, self._patience = threading.Lock(), patience
        self._succeeded = 0
        address = f"{self._file.as_uri()}?mode={'rwc' if create else 'rw'}"
        with self._reported():
            self._connection = sqlite3.connect(
                address, uri=True, timeout=patience, isolation_level=None, check_same_thread=False
            )
        try:
            with self._reported():
                self._prepare(create=create)
        except BaseException:
            self._connection.close()
            raise
        self._identity = _identity(self._file)

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        """Runs the block in a transaction: stores all its writes, or none if it raises.

        Raises:
            StorageError: the file cannot be read or written, or another file took its place.
        """
        with self._turn(), self._reported():
            self._require_same_file()
            with self._committed(write=write):
                yield self._connection

    @contextmanager
    def _committed(self, *, write: bool) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # a full disk already ends it
                self._connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Waits for other threads while their transactions succeed: one of them may be waiting for another program."""
        succeeded = self._succeeded
        while not self._lock.acquire(timeout=self._patience):
            if self._succeeded == succeeded:
                raise LockedError(
                    "other requests are waiting for it", path=self.path, remedy=self.schema.remedy(sqlite3.SQLITE_BUSY)
                )
            succeeded = self._succeeded
        try:
            yield
            self._succeeded += 1
        finally:
            self._lock.release()

    def _require_same_file(self) -> None:
        """Refuses a file that was removed or replaced: the open one would be lost with the end of the program."""
        if _identity(self._file) != self._identity:
            remedy = "put it back, or restart the program with the new file"
            raise StorageError("the file was removed or replaced while it was open", path=self.path, remedy=remedy)

    def _prepare(self, *, create: bool) -> None:
        run = self._connection.execute
        run("PRAGMA foreign_keys = ON")
        run("PRAGMA synchronous = FULL")
        version = self._version()
        if version == 0 and create:
            run("PRAGMA journal_mode = WAL")
            self._make()
        elif version == 0:
            raise StorageError("the file is empty", path=self.path, remedy=self.schema.remedy(sqlite3.SQLITE_NOTADB))
        if (damage := run("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            remedy = self.schema.remedy(sqlite3.SQLITE_CORRUPT)
            raise StorageError(f"damaged: {' '.join(damage.split())}", path=self.path, remedy=remedy)
        run("BEGIN IMMEDIATE")  # reports an unwritable file now, not after hours of work
        run("ROLLBACK")

    def _version(self) -> int:
        """Returns the version of the schema, 0 for an empty file; refuses foreign and newer files."""
        run = self._connection.execute
        version: int = run("PRAGMA user_version").fetchone()[0]
        application = run("PRAGMA application_id").fetchone()[0]
        is_empty = run("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if application != self.schema.application and not (is_empty and version == 0):
            message = "the database of another program"
            raise StorageError(message, path=self.path, remedy=self.schema.remedy(sqlite3.SQLITE_NOTADB))
        if version > (newest := self.schema.version):
            content = self.schema.content
            message = f"{content} of a newer version of the program (schema {version}; this version reads {newest})"
            raise StorageError(message, path=self.path, remedy="update lattice_simp")
        return version

    def _make(self) -> None:
        with self._committed(write=True):
            if self._version() == 0:  # another process may have been quicker
                for statement in _statements(self.schema.script):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA application_id = {self.schema.application}")
                self._connection.execute(f"PRAGMA user_version = {self.schema.version}")

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Reports SQLite's errors as errors of the file, except those caused by bugs."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            # The upper bits hold the extended code.
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code not in _REMEDIES:
                raise
            kind = LockedError if code == sqlite3.SQLITE_BUSY else StorageError
            raise kind(str(error), path=self.path, remedy=self.schema.remedy(code)) from error


def _identity(path: Path) -> tuple[int, int] | None:
    """Returns numbers that tell a file from others, or None if there is none."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def _statements(script: str) -> Iterator[str]:
    """Yields the statements of a script, which, unlike `executescript`, can share a transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


class DatabaseStore:
    """A store in a database; `with` closes it.

    Attributes:
        database: the file.
    """

    database: Database

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self.database.close()
