"""Builds KenLM's `lmplz` and `build_binary` from the source distribution of the Python package `kenlm`.

`python -m lattice_simp.train.ngrams.lmplz_build` puts them where `find_lmplz` looks. pip fetches the sources, so that
the user's mirrors and proxies hold; cmake, a C++ compiler and Boost (program_options and thread) must be there.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.train.ngrams.lmplz import PROGRAM, program_folder

SOURCE = "kenlm>=0.3"
"""What pip is asked for; older releases were never tried."""

PROGRAMS = (PROGRAM, "build_binary")

LOG = "lmplz_build.log"
"""The file in the target folder that keeps the output of every step."""

_BOOST_PACKAGES = "on Debian and Ubuntu: apt install libboost-program-options-dev libboost-thread-dev"
_COMPILER_PACKAGES = "on Debian and Ubuntu: apt install g++ make"
_CMAKE_PACKAGES = "on Debian and Ubuntu: apt install cmake; elsewhere: pip install cmake"

_CONFIGURE_ERRORS = {
    r"CMAKE_C(?:XX)?_COMPILER|is not able to compile|unable to find a build program": (
        f"a C++ compiler or make is not there ({_COMPILER_PACKAGES})"
    ),
    r'Could NOT find Boost|configuration\s+file\s+provided\s+by\s+"[Bb]oost': f"Boost is not there ({_BOOST_PACKAGES})",
    r"CMake .* or higher is required": f"cmake is too old ({_CMAKE_PACKAGES})",
}
_DOWNLOAD_ERRORS = {
    r"No module named pip": "this Python has no pip (run `python -m ensurepip`)",
    r"No matching distribution|Could not find a version": (
        f"the package index has no sources of {SOURCE} (check pip's index settings and the network)"
    ),
    r"No space left on device": "the disk is full (free some space, or set TMPDIR to another folder)",
}
_COMPILE_ERRORS = {
    r"No space left on device": "the disk is full (free some space, or set TMPDIR to another folder)",
    r"Killed signal terminated program|virtual memory exhausted": "the compiler ran out of memory (free some of it)",
}


@dataclass(frozen=True)
class Step:
    """A command of the build, the seconds it may take and what its known complaints (as patterns) mean."""

    name: str
    command: Sequence[str | Path]
    seconds: float
    complaints: dict[str, str]


def build(folder: Path | None = None) -> list[Path]:
    """Downloads, compiles, tries and installs the programs; takes one to three minutes.

    Args:
        folder: where they go; `program_folder()` if not given.

    Raises:
        MissingExtraError: cmake is not there.
        LatticeSimpError: a step failed or took too long; the message names the log.
    """
    target = (folder or program_folder()).absolute()
    cmake = _find_cmake()
    try:
        target.mkdir(parents=True, exist_ok=True)
        log = target / LOG
        log.write_bytes(b"")
        with tempfile.TemporaryDirectory(prefix="lmplz_build.") as scratch:
            source = download(Path(scratch), log)
            return [_install(program, target) for program in compile_programs(source, Path(scratch), cmake, log)]
    except OSError as error:
        place = error.filename or target
        raise LatticeSimpError(f"{place}: {error.strerror or error} (choose another folder with --to)") from error


def download(scratch: Path, log: Path) -> Path:
    """Fetches the sources with pip and unpacks them; gives their folder.

    pip asks the sources for their metadata, which needs setuptools. With build isolation it would compile cmake's own
    Python package on some systems, so setuptools goes to a scratch folder instead.

    Raises:
        LatticeSimpError: pip failed or took too long.
    """
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    tools, packed = scratch / "tools", scratch / "packed"
    get_tools = [*pip, "install", "--quiet", "--target", tools, "setuptools", "wheel"]
    run(Step("fetching setuptools", get_tools, 600, _DOWNLOAD_ERRORS), log)
    get_source = [
        *pip,
        "download",
        "--no-deps",
        "--no-binary",
        ":all:",
        "--no-build-isolation",
        "--dest",
        packed,
        SOURCE,
    ]
    search_path = os.pathsep.join(filter(None, [str(tools), os.environ.get("PYTHONPATH")]))
    run(Step("fetching KenLM's sources", get_source, 600, _DOWNLOAD_ERRORS), log, {"PYTHONPATH": search_path})
    try:
        with tarfile.open(next(packed.glob("*.tar.gz"))) as archive:
            archive.extractall(scratch / "source", filter="data")
        return next((scratch / "source").glob("*/CMakeLists.txt")).parent
    except (StopIteration, tarfile.TarError) as error:
        raise LatticeSimpError(f"pip gave no sound archive of KenLM's sources (the log is {log})") from error


def compile_programs(source: Path, scratch: Path, cmake: str, log: Path) -> list[Path]:
    """Compiles the programs in a scratch folder and tries `lmplz` on a sentence; gives the programs' paths.

    Raises:
        LatticeSimpError: a step failed or took too long.
    """
    lists = source / "CMakeLists.txt"
    lists.write_text(relax(lists.read_text(encoding="utf-8")), encoding="utf-8")
    compiled, sentence = scratch / "compiled", scratch / "sentence"
    # KenLM asks for a version of cmake whose policies the newest ones refuse unless told otherwise.
    settings = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_POLICY_VERSION_MINIMUM=3.5", "-DENABLE_INTERPOLATE=OFF"]
    configure: list[str | Path] = [cmake, "-Wno-dev", *settings, "-S", source, "-B", compiled]
    run(Step("configuring", configure, 300, _CONFIGURE_ERRORS), log)
    jobs = str(len(os.sched_getaffinity(0)))
    make: list[str | Path] = [cmake, "--build", compiled, "--parallel", jobs, "--target", *PROGRAMS]
    run(Step("compiling", make, 3600, _COMPILE_ERRORS), log)
    programs = [compiled / "bin" / name for name in PROGRAMS]
    sentence.write_text("a b\n", encoding="utf-8")
    options = ["--order", "2", "--memory", "64M", "--discount_fallback"]
    attempt: list[str | Path] = [programs[0], *options, "--text", sentence, "--arpa", scratch / "arpa"]
    run(Step(f"trying {PROGRAM}", attempt, 60, {}), log)
    return programs


def relax(lists: str) -> str:
    """Takes out of KenLM's CMakeLists.txt what the programs do not need.

    Boost's test framework is for KenLM's tests alone, its library `system` is in headers now and gone from newer Boost,
    whose headers ask for C++14. C++17 is no choice: it has no std::binary_function.

    >>> relax("set(CMAKE_CXX_STANDARD 11) find_package(Boost 1.41.0 REQUIRED COMPONENTS system thread)")
    'set(CMAKE_CXX_STANDARD 14) find_package(Boost 1.41.0 REQUIRED COMPONENTS  thread)'
    """
    lists = lists.replace("set(CMAKE_CXX_STANDARD 11)", "set(CMAKE_CXX_STANDARD 14)")
    needless = re.compile(r"\b(?:system|unit_test_framework)\b")
    return re.sub(r"find_package\(Boost[^)]*\)", lambda found: needless.sub("", found[0]), lists)


def run(step: Step, log: Path, environment: dict[str, str] | None = None) -> None:
    """Runs a step, its output appended to the log; what it started ends with it.

    Raises:
        LatticeSimpError: it failed or took too long.
    """
    print(f"{step.name} ...", flush=True)
    with open(log, "ab") as output:
        start = output.tell()
        output.write(f"\n# {step.name}: {' '.join(map(str, step.command))}\n".encode())
        output.flush()
        process = subprocess.Popen(
            step.command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {}), "LC_ALL": "C"},
            start_new_session=True,
        )
        try:
            code = process.wait(step.seconds)
        except BaseException as error:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                message = f"{step.name} took more than {step.seconds:.0f} seconds (the log is {log})"
                raise LatticeSimpError(message) from error
            raise
    if code != 0:
        said = log.read_bytes()[start:].decode("utf-8", "replace")
        meaning = next(
            (text for pattern, text in step.complaints.items() if re.search(pattern, said)), f"status {code}"
        )
        raise LatticeSimpError(f"{step.name} failed: {meaning}; the log is {log}")


def _find_cmake() -> str:
    # pip installs cmake beside this Python, which need not be in PATH.
    found = shutil.which("cmake") or shutil.which("cmake", path=Path(sys.executable).parent)
    if found is None:
        raise MissingExtraError(f"cmake is not there ({_CMAKE_PACKAGES})")
    return found


def _install(program: Path, folder: Path) -> Path:
    """Puts a program in its place in one go, even where the old one is running."""
    target = folder / program.name
    growing = folder / f".{program.name}.{os.getpid()}.tmp"
    try:
        shutil.copy(program, growing)
        os.replace(growing, target)
    finally:
        growing.unlink(missing_ok=True)
    return target


def main(arguments: Sequence[str] | None = None) -> int:
    """Builds the programs; gives the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lattice_simp.train.ngrams.lmplz_build", description=__doc__)
    parser.add_argument("--to", type=Path, metavar="FOLDER", help=f"where the programs go ({program_folder()})")
    try:
        for program in build(parser.parse_args(arguments).to):
            print(program)
    except LatticeSimpError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
