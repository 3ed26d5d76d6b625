"""Finding KenLM's `lmplz`, the program that estimates n-gram language models.

It is not part of KenLM's Python package: `make lmplz` compiles it from that package's sources.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from lattice_simp.errors import MissingExtraError

VARIABLE = "LMPLZ"
"""The environment variable that names the program; it comes before all other places."""

PROGRAM = "lmplz"

REMEDY = (
    "run `make lmplz` in the project's sources: cmake, a C++ compiler and Boost do it; "
    f"or name the program in the environment variable {VARIABLE}"
)


def program_folder() -> Path:
    """Returns the folder that `make lmplz` puts the program into.

    >>> program_folder().parts[-2:]
    ('lattice_simp', 'bin')
    """
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lattice_simp" / "bin"


def find_lmplz() -> Path:
    """Finds `lmplz`: in the environment variable LMPLZ, then in PATH, then in `program_folder()`.

    Returns:
        An absolute path.

    Raises:
        MissingExtraError: it is in none of them, or LMPLZ names no program.
    """
    if named := os.environ.get(VARIABLE):
        found = shutil.which(named)
        if found is None:
            raise MissingExtraError(f"{VARIABLE}={named} names no program that can be run ({REMEDY})")
    else:
        found = shutil.which(PROGRAM) or shutil.which(PROGRAM, path=program_folder())
        if found is None:
            raise MissingExtraError(f"KenLM's {PROGRAM} is not there ({REMEDY})")
    return Path(found).absolute()
