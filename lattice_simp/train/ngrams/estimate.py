"""Estimates n-gram language models with KenLM's `lmplz`.

Modified Kneser-Ney smoothing without memory limits: Heafield, Pouzyrevsky, Clark and Koehn, "Scalable Modified
Kneser-Ney Language Model Estimation", ACL 2013. The program is not part of KenLM's Python package: `make lmplz`
compiles it from that package's sources.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from lattice_simp.errors import FormatError, LatticeSimpError, MissingExtraError
from lattice_simp.support.programs import feed_program
from lattice_simp.support.textio import open_binary, read_lines

VARIABLE = "LMPLZ"
"""The environment variable that names the program; it takes precedence over all other places."""

PROGRAM = "lmplz"

REMEDY = (
    "run `make lmplz` in the project's sources: cmake, a C++ compiler and Boost do it; "
    f"or name the program in the environment variable {VARIABLE}"
)

ORDERS = range(2, 7)
"""The orders that KenLM reads as it is usually built."""

LEAST_MEMORY = 32
"""The MiB below which `lmplz` has no room for its initial table of words."""

_BLANKS = "\0\t\r "
"""The characters that `lmplz` takes for blanks inside a line."""

_RESERVED = re.compile(rf"(?<![^{_BLANKS}])(?:</?s>|<unk>|<UNK>)(?![^{_BLANKS}])")
"""The words that `lmplz` refuses, and `<UNK>`, which it takes for a word but KenLM reads as `<unk>`."""

_MODEL, _LOG = "model.arpa", "log"


def estimate(
    text: str | Path,
    arpa: str | Path,
    *,
    order: int = 4,
    prune: Sequence[int] = (),
    memory: str | int = "40%",
    discount_fallback: bool = False,
    temporary: str | Path | None = None,
) -> None:
    """Estimates a model with interpolated modified Kneser-Ney smoothing; the same text always gives the same bytes.

    Args:
        text: one sentence a line, words between blanks (plain, gz, xz, zst; `-` for standard input). Empty lines are
            no sentences.
        arpa: the file for the model, compressed by its ending; it appears when it is complete.
        order: 2 to 6.
        prune: n-grams that occur at most `prune[n - 1]` times are left out; the last number counts for all higher n.
        memory: memory for sorting: MiB, or a percentage of the memory of the machine (or of the container).
        discount_fallback: use the discounts 0.5, 1 and 1.5 for orders for which the text is too small or too
            repetitive to estimate them.
        temporary: the folder for temporary files; the system's by default. At order 4 they take about 120 bytes for
            each word of the text, including the unpacked model.

    Raises:
        FormatError: text that cannot be read, holds `<s>`, `</s>`, `<unk>` or `<UNK>` as words, or no word at all.
        MissingExtraError: `lmplz` is not installed.
        LatticeSimpError: invalid settings, or `lmplz` failed: too little text, memory or disk space.
    """
    mebibytes = memory_mebibytes(memory)
    if order not in ORDERS:
        raise LatticeSimpError(f"order {order} (choose {ORDERS[0]} to {ORDERS[-1]}, which KenLM reads)")
    settings = ["--order", str(order), "--memory", f"{mebibytes}M"]
    if prune:
        if len(prune) > order or min(prune) < 0 or list(prune) != sorted(prune):
            remedy = f"give at most {order} counts from 0 upwards, none below the last"
            raise LatticeSimpError(f"prune {tuple(prune)} ({remedy})")
        settings += ["--prune", *map(str, prune)]
    if discount_fallback:
        settings.append("--discount_fallback")
    program = find_lmplz()
    try:
        scratch = tempfile.TemporaryDirectory(prefix="lmplz.", dir=temporary)
    except OSError as error:
        place = temporary or "the folder for temporary files"
        raise LatticeSimpError(f"{place}: {error.strerror} (give another temporary folder)") from error
    with scratch as name:
        folder = Path(name).absolute()
        command = [str(program), *settings, "--temp_prefix", f"{folder}/"]
        code = feed_program(command, _sentences(text), folder, output=folder / _MODEL, messages=folder / _LOG)
        if code != 0:
            messages = (folder / _LOG).read_text(encoding="utf-8", errors="replace")
            raise LatticeSimpError(explain(code, messages, folder.parent, mebibytes))
        _check_complete(folder / _MODEL, program)
        with open(folder / _MODEL, "rb") as source, open_binary(arpa, "w") as target:
            shutil.copyfileobj(source, target, 1 << 20)


def memory_mebibytes(memory: str | int) -> int:
    """Converts a setting to MiB; a percentage is never less than `LEAST_MEMORY`.

    >>> memory_mebibytes(500), memory_mebibytes("500")
    (500, 500)

    Raises:
        LatticeSimpError: the setting is neither MiB nor a percentage, or too little.
    """
    match = re.fullmatch(r"(\d+)(%?)", str(memory).strip())
    amount = int(match[1]) if match else 0
    if match and match[2] and 0 < amount <= 100:
        return max(LEAST_MEMORY, _machine_bytes() * amount // 100 >> 20)
    if not match or match[2] or amount < LEAST_MEMORY:
        raise LatticeSimpError(f"memory {memory!r} (give at least {LEAST_MEMORY} MiB, or a percentage such as 40%)")
    return amount


def explain(code: int, messages: str, temporary: Path, mebibytes: int) -> str:
    """Explains in one line why `lmplz` failed, from its exit status (negative for a signal) and its messages.

    >>> explain(-9, "", Path("/tmp"), 500)
    'lmplz was killed, most likely for lack of memory (give it less than 500 MiB, or free some)'
    """
    reason = _reason(messages) or f"status {code}"
    if re.search(r"BadDiscountException|Kneser-Ney (?:discounts|smoothing)|discount out of range", messages):
        remedy = "take more text, or accept default discounts: --set language_model.discount_fallback=true"
        return f"the text is too small or too repetitive for Kneser-Ney smoothing: {reason} ({remedy})"
    if code == -signal.SIGXFSZ or re.search(r"No space left|quota exceeded|File too large", messages):
        return f"{temporary}: the disk is full (free some space, or give another temporary folder)"
    if re.search(r"exceeds total memory|Not enough memory", messages):
        return f"lmplz needs more than {mebibytes} MiB of memory here: {reason} (give it more memory)"
    killed = code in (-signal.SIGKILL, 128 + signal.SIGKILL)
    if killed or re.search(r"MallocException|bad_alloc|Cannot allocate memory", messages):
        event = "was killed, most likely for lack of memory" if killed else "got no memory from the system"
        return f"lmplz {event} (give it less than {mebibytes} MiB, or free some)"
    return f"lmplz failed: {reason}"


def program_folder() -> Path:
    """Returns the folder into which `make lmplz` puts the program."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lattice_simp" / "bin"


def find_lmplz() -> Path:
    """Finds `lmplz`, an absolute path: in the environment variable LMPLZ, then in PATH, then in `program_folder()`.

    Raises:
        MissingExtraError: it is in none of them, or LMPLZ does not name a program.
    """
    if named := os.environ.get(VARIABLE):
        program = shutil.which(named)
        if program is None:
            raise MissingExtraError(f"{VARIABLE}={named} is not an executable program ({REMEDY})")
    else:
        program = shutil.which(PROGRAM) or shutil.which(PROGRAM, path=program_folder())
        if program is None:
            raise MissingExtraError(f"KenLM's {PROGRAM} is not installed ({REMEDY})")
    return Path(program).absolute()


def _machine_bytes() -> int:
    """Returns the memory of the machine, or of the container if that is less (control groups, versions 2 and 1)."""
    sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            sizes.append(int(Path(limit).read_text(encoding="ascii")))
    return min(sizes)


def _sentences(text: str | Path) -> Iterator[bytes]:
    """Returns the checked lines for `lmplz`."""
    yield b" "  # lmplz would take a text that begins with BZh for a compressed one
    empty = True
    for number, line in enumerate(read_lines(text), start=1):
        if "<" in line and (reserved := _RESERVED.search(line)):
            remedy = "language models keep this word for themselves; replace it, or drop the line"
            raise FormatError(f"the word {reserved[0]}", path=text, line=number, remedy=remedy)
        if line.strip(_BLANKS):
            empty = False
            yield line.encode() + b"\n"
    if empty:
        raise FormatError("the text has no words", path=text, remedy="give one sentence per line")


def _reason(messages: str) -> str:
    """Finds the relevant sentence: the one after the place in KenLM's sources, or else the last."""
    lines = [line.strip() for line in messages.splitlines() if line.strip()]
    thrown = [number for number, line in enumerate(lines) if " threw " in line]
    after = lines[thrown[-1] + 1 : thrown[-1] + 2] if thrown else []
    return (after or lines[-1:] or [""])[0]


def _check_complete(model: Path, program: Path) -> None:
    with open(model, "rb") as file:
        head = file.read(7)
        file.seek(max(0, model.stat().st_size - 64))
        tail = file.read()
    if head != b"\\data\\\n" or tail.rstrip().rpartition(b"\n")[2] != b"\\end\\":
        raise LatticeSimpError(f"{program}: wrote no complete ARPA file (is this KenLM's lmplz?)")
