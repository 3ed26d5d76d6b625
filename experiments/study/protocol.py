"""Checks that results follow a frozen protocol: one that was committed before a test set was run, and is unchanged.

Each run that reaches the test sets adds a line with its protocol to a file in the work folder.
"""

from __future__ import annotations

import datetime
import hashlib
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.experiment import CONFIG
from experiments.files import read_records, write_records
from experiments.study.config import PROTOCOL, Study
from lattice_simp.support.textio import read_bytes

RUNS = "protocol-runs.jsonl"
"""The file in the work folder."""

MAY_CHANGE = ("data", "work")
"""The fields of the config that a command line may set: places of files, not options of the study."""


@dataclass(frozen=True)
class ProtocolRun:
    """A run that reached the test sets.

    Attributes:
        date: the date of its beginning.
        protocol_sha, config_sha: SHA-256 of the files, as `sha256sum` prints it.
        committed: whether both files equalled those of the last commit.
        commit: the commit of the code by `git describe --always --dirty`; "" outside a repository.
        changes: the changes to them on the command line.
    """

    date: str
    protocol_sha: str
    config_sha: str
    committed: bool
    commit: str = ""
    changes: tuple[str, ...] = ()

    @classmethod
    def now(cls, folder: Path, overrides: Iterable[str] = (), skeletons: Iterable[str] = ()) -> ProtocolRun:
        """Describes a run that begins now, with changes of fields and kinds of skeletons from the command line."""
        changes = [override for override in overrides if override.partition("=")[0] not in MAY_CHANGE]
        changes += [f"skeletons: {kind}" for kind in skeletons]
        today = datetime.date.today().isoformat()
        protocol_sha, config_sha = (file_sha(folder / name) for name in (PROTOCOL, CONFIG))
        committed = is_committed(folder, (PROTOCOL, CONFIG))
        commit = _git(folder, "describe", "--always", "--dirty") or ""
        return cls(today, protocol_sha, config_sha, committed, commit, tuple(changes))

    def same_protocol(self, other: ProtocolRun) -> bool:
        """Returns whether another run had the same protocol, config and changes."""
        first, second = ((run.protocol_sha, run.config_sha, run.changes) for run in (self, other))
        return first == second

    def write(self, work: Path) -> None:
        """Appends this run to the runs of a work folder."""
        write_records(work / RUNS, map(asdict, [*read_runs(work), self]))


def read_runs(work: Path) -> list[ProtocolRun]:
    """Reads the runs of a work folder, the first one first."""
    path = work / RUNS
    values = read_records(path) if path.exists() else []
    return [ProtocolRun(**{**row, "changes": tuple(row["changes"])}) for row in values]


def file_sha(path: Path) -> str:
    """Returns the SHA-256 of a file, hexadecimal."""
    return hashlib.sha256(read_bytes(path)).hexdigest()


def is_committed(folder: Path, names: Sequence[str]) -> bool:
    """Returns whether files of a folder are committed in its Git repository unchanged; False without a repository."""
    listed = _git(folder, "ls-files", "--", *names)
    changed = _git(folder, "status", "--porcelain", "--", *names)
    return listed is not None and set(listed.split("\n")) >= set(names) and changed == ""


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip("\n") if done.returncode == 0 else None


# ---------------------------------------------------------------- what the results say


def shortcomings(runs: Sequence[ProtocolRun]) -> list[str]:
    """Returns the reasons why the results of runs (newest last) do not follow a frozen protocol."""
    newest, faults = runs[-1], []
    if not all(run.committed for run in runs):
        faults.append(f"{PROTOCOL} or {CONFIG} was not committed when the test sets were run")
    others = {run.protocol_sha for run in runs if not run.same_protocol(newest)}
    if others:
        known = ", ".join(sorted(sha[:12] for sha in others))
        faults.append(f"the test sets were also run under another protocol, config or command line (protocol {known})")
    if newest.changes:
        faults.append(f"the command line changed {'; '.join(newest.changes)}")
    return faults


def protocol_figures(runs: Sequence[ProtocolRun]) -> dict[str, Any]:
    """Returns the entries on the protocol in `results.json`."""
    newest = runs[-1]
    return {
        "protocol_sha": newest.protocol_sha,
        "config_sha": newest.config_sha,
        "protocol_frozen": not shortcomings(runs),
    }


def protocol_text(runs: Sequence[ProtocolRun], study: Study) -> str:
    """Returns the first paragraph of the page."""
    faults = shortcomings(runs)
    if faults:
        first = f"**Not the results of a frozen protocol**: {'; '.join(faults)}."
    else:
        first = f"Protocol: `{PROTOCOL}`, SHA-256 `{runs[-1].protocol_sha}`, committed before the test sets were run."
    states = {
        "seen": "seen before (its figures were known while the systems were developed)",
        "new": "new (run under this protocol alone)",
    }
    commits = ", ".join(dict.fromkeys(run.commit for run in runs if run.commit)) or "unknown"
    sets = "; ".join(f"{name}: {states[state]}" for name, state in study.test_sets.items())
    return f"{first}  \nTest sets: {sets}.  \nCommits of the code in the runs that reached them: {commits}."
