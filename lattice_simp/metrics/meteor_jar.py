"""METEOR's jar, which is part of the Python package `pycocoevalcap`, and a cache of its results.

Starting the jar takes ten seconds, and the same files are scored again and again.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.metrics.metric import References
from lattice_simp.support.array_cache import read_arrays, user_cache, write_arrays
from lattice_simp.support.programs import ProgramTimeError, run_program

VERSION = "1.5"
JAR = f"meteor-{VERSION}.jar"

COLUMNS = 23
"""The statistics of a sentence, see `meteor.py`."""

_START_SECONDS = 120.0
_SECONDS_A_PAIR = 0.5
"""The time limit: the jar takes some ten seconds to start and a millisecond or two a pair, so more means a failure."""

_NO_MEMORY = re.compile("OutOfMemoryError|object heap|initialization of VM")
"""Java's messages if the heap is too small for the jar, too large for the machine, or too small for Java itself."""

_JAVA_LINE_ENDS = re.compile(r"[\r\n]")
"""Java ends a line at a carriage return, too."""


@dataclass(frozen=True)
class JarOptions:
    """How the jar is run.

    Attributes:
        heap: Java's largest heap, as for its option -Xmx; English needs some 1.5 GB for its paraphrases.
        seconds: the time after which it is killed; None for a limit by the number of sentences.
    """

    heap: str = "2G"
    seconds: float | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[1-9][0-9]*[kKmMgG]?", self.heap):
            raise LatticeSimpError(f"a Java heap of {self.heap!r}; write it as 2G or 1500M")
        if self.seconds is not None and not self.seconds > 0:
            raise LatticeSimpError(f"a time limit of {self.seconds} seconds; give a number above 0")


def find_jar() -> Path:
    """Returns the jar's path, or raises MissingExtraError."""
    spec = importlib.util.find_spec("pycocoevalcap")
    for folder in (spec.submodule_search_locations if spec else None) or ():
        jar = Path(folder, "meteor", JAR)
        if jar.is_file():
            return jar
    raise MissingExtraError(f"METEOR's {JAR} is missing; pip install 'lattice-simp[evaluate]'")


def find_java() -> str:
    """Returns the path of the program `java`, or raises MissingExtraError."""
    java = shutil.which("java")
    if java is None:
        raise MissingExtraError("METEOR needs Java, and there is no `java` in PATH (Debian: apt install default-jre)")
    return java


def sentence_statistics(
    hypotheses: Sequence[str],
    references: References,
    arguments: Sequence[str],
    paraphrases: Path | None,
    options: JarOptions,
    *,
    cache: bool = True,
) -> Floats:
    """Returns the statistics of each sentence, (sentences, `COLUMNS`) float64.

    Args:
        hypotheses, references: equal numbers of lines.
        arguments: the jar's options.
        paraphrases: a table that is not part of the jar.
        options: how the jar is run.
        cache: whether the user's cache folder keeps the statistics.

    Raises:
        MissingExtraError: Java or the jar is missing.
        LatticeSimpError: the jar failed, wrote unexpected output, or took too long.
    """
    jar_arguments = arguments if paraphrases is None else [*arguments, "-a", str(paraphrases)]
    if not cache:
        return _run(hypotheses, references, jar_arguments, options)
    files = [find_jar()] if paraphrases is None else [find_jar(), paraphrases]
    cached = user_cache() / "meteor" / f"{cache_key(files, arguments, hypotheses, references)}.arrays"
    with contextlib.suppress(LatticeSimpError, KeyError):
        rows = read_arrays(cached)["statistics"]
        if rows.shape == (len(hypotheses), COLUMNS) and rows.dtype == np.float64:
            return rows
    rows = _run(hypotheses, references, jar_arguments, options)
    with contextlib.suppress(LatticeSimpError, OSError):  # a cache that cannot be written keeps nothing
        cached.parent.mkdir(parents=True, exist_ok=True)
        write_arrays(cached, {"statistics": rows})
    return rows


def cache_key(
    files: Sequence[Path], arguments: Sequence[str], hypotheses: Sequence[str], references: References
) -> str:
    """Returns a hash of all inputs of the statistics: the jar and its data by content, options, and sentences."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    for part in (arguments, hypotheses, *references):
        digest.update(b"\x00%d\n" % len(part))
        for line in part:
            data = line.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()


def _run(hypotheses: Sequence[str], references: References, arguments: Sequence[str], options: JarOptions) -> Floats:
    """Runs the jar with `-ssOut`."""
    command = [find_java(), f"-Xmx{options.heap}", "-Dfile.encoding=UTF-8", "-jar", str(find_jar())]
    limit = options.seconds or _START_SECONDS + _SECONDS_A_PAIR * len(hypotheses) * len(references)
    with tempfile.TemporaryDirectory(prefix="meteor.") as folder:
        test, reference = Path(folder, "hypotheses"), Path(folder, "references")
        _write(test, hypotheses)
        _write(reference, [line for lines in zip(*references, strict=True) for line in lines])
        try:
            arguments = [*command, str(test), str(reference), "-r", str(len(references)), *arguments, "-ssOut"]
            result = run_program(arguments, Path(folder), seconds=limit)
        except ProgramTimeError:
            raise LatticeSimpError(f"METEOR took more than {limit:g} seconds (raise --meteor-seconds)") from None
    output, complaint = (text.decode(errors="replace") for text in (result.output, result.messages))
    rows = [line.split() for line in output.splitlines()]
    if result.status or len(rows) != len(hypotheses) or any(len(row) != COLUMNS for row in rows):
        raise LatticeSimpError(_reason(complaint or output, result.status, options))
    return np.array(rows, dtype=np.float64)


def _write(path: Path, lines: Sequence[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(_JAVA_LINE_ENDS.sub(" ", line) + "\n" for line in lines)


def _reason(complaint: str, code: int, options: JarOptions) -> str:
    if _NO_MEMORY.search(complaint):
        return f"METEOR ran out of a Java heap of {options.heap} (give it another one: 2G will do, 4G for large files)"
    first = next((line.strip() for line in complaint.splitlines() if line.strip()), "no message")
    return f"METEOR failed with exit code {code}: {first[:200]}"
