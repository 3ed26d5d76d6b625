"""`lattice-simp doctor`: the installed packages, the caches, and the available programs."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import typer

from lattice_simp.commands.shared.options import command_app
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.array_cache import user_cache
from lattice_simp.support.plurals import counted

app = command_app()

PACKAGE = "lattice-simp"

FOR_DEVELOPERS = {"dev", "docs"}
"""Extras that users of the package do not need."""

_REQUIREMENT = re.compile(r"""(?P<name>[\w.-]+)[^;]*(?:;.*\bextra\s*==\s*["'](?P<extra>[\w-]+)["'])?""")


@dataclass(frozen=True)
class Finding:
    """A line of the report: a part of the installation, its state, and whether the package works with it."""

    part: str
    state: str
    fine: bool = True


@app.command()
def doctor() -> None:
    """Show versions, extras, caches and programs. Example: lattice-simp doctor"""
    fine = True
    for title, findings in sections():
        typer.echo(f"{title}:")
        lines = list(findings)
        width = max(len(finding.part) for finding in lines)
        for finding in lines:
            typer.echo(f"  {finding.part:{width}}  {finding.state}")
        fine = fine and all(finding.fine for finding in lines)
    if not fine:
        raise LatticeSimpError(f"{PACKAGE} does not work here; see the lines above that name a remedy")


def sections() -> Iterator[tuple[str, Sequence[Finding]]]:
    """Yields the parts of the report, each with its title."""
    yield "Python", [_python()]
    yield "required packages", [_package(name) for name in requirements().get("", [])]
    extras = {extra: names for extra, names in requirements().items() if extra and extra not in FOR_DEVELOPERS}
    yield "extras", [_extra(extra, names) for extra, names in sorted(extras.items())]
    yield "kernels", [_kernels()]
    yield "caches", [_folder("parsed models", user_cache())]
    yield "programs", [_program(name, use, find) for name, (use, find) in _PROGRAMS.items()]


def requirements() -> dict[str, list[str]]:
    """Returns the names of the packages of each extra; the required packages have an empty name."""
    names: dict[str, list[str]] = {}
    for line in metadata.requires(PACKAGE) or []:
        match = _REQUIREMENT.match(line)
        if match is None or match["name"] == PACKAGE:
            continue
        extra = match["extra"] or ""
        if not extra or match["name"] not in names.get(extra, []):  # else listed for another version of Python, too
            names.setdefault(extra, []).append(match["name"])
    return names


def _python() -> Finding:
    system = f"{platform.system()} {platform.machine()}"
    return Finding(platform.python_implementation(), f"{platform.python_version()} on {system}, {sys.executable}")


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _package(name: str) -> Finding:
    version = _version(name)
    return Finding(name, version or f"missing; pip install {PACKAGE}", version is not None)


def _extra(extra: str, names: Sequence[str]) -> Finding:
    """Returns the installed packages of an extra; a missing extra is not an error."""
    missing = [name for name in names if _version(name) is None]
    if not missing:
        return Finding(extra, ", ".join(f"{name} {_version(name)}" for name in names))
    return Finding(extra, f"pip install '{PACKAGE}[{extra}]' installs {', '.join(missing)}")


def _kernels() -> Finding:
    """Runs a kernel, compiling it if necessary."""
    from lattice_simp import Lattice
    from lattice_simp.ops.nbest import nbest

    began = time.perf_counter()
    try:
        nbest(Lattice.from_strings([("a b", 1.0), ("a c", 2.0)]), 2)
    except Exception as error:  # the compiler may raise anything, and the report shows it
        return Finding(
            "n-best", f"{type(error).__name__}: {error}; pip install --upgrade --force-reinstall numba", False
        )
    seconds = time.perf_counter() - began
    return Finding("n-best", f"ready in {seconds:.1f} s (the first use of each kernel compiles it)")


def _folder(part: str, folder: Path) -> Finding:
    """Returns the size of a folder, and whether it can be written to; caches are optional."""
    if not folder.exists():
        return Finding(part, f"{folder} will be created when it is needed")
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 2**20
    refusal = "" if os.access(folder, os.W_OK) else "; it cannot be written to, so nothing is cached"
    return Finding(part, f"{folder} ({counted(len(files), 'file')}, {size:.0f} MiB){refusal}")


def _lmplz() -> str | None:
    from lattice_simp.train.ngrams.estimate import find_lmplz

    try:
        return str(find_lmplz())
    except LatticeSimpError:
        return None


_PROGRAMS: dict[str, tuple[str, Callable[[], str | None]]] = {
    "lmplz": ("estimates language models: lattice-simp train", _lmplz),
    "java": ("runs METEOR: lattice-simp evaluate --metrics meteor --language en", lambda: shutil.which("java")),
}
"""Programs outside Python: their use, and the function that finds them."""


def _program(name: str, use: str, find: Callable[[], str | None]) -> Finding:
    return Finding(name, f"{find() or 'not found'} ({use})")
