"""`python docs/style.py`: reports words of pages and docstrings that `style.tsv` lists, with what to write instead."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = "docs/style.tsv"
CHECKED = ("*.md", "lattice_simp/*.py", "experiments/*.py", "docs/*.py", "grammars/*.py")
GENERATED = ("RESULTS.md", "experiments/walkthrough/README.md")


def main() -> int:
    """Prints each listed word with its place; returns 1 if there are any."""
    patterns = read_patterns(ROOT / LIST)
    listing = subprocess.run(["git", "ls-files", *CHECKED], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [name for name in listing.stdout.splitlines() if not name.endswith(GENERATED)]
    places = [place for name in files for place in stumbles((ROOT / name).read_text(encoding="utf-8"), name, patterns)]
    print("\n".join(places) if places else f"{len(files)} files use none of the listed words")
    return 1 if places else 0


def read_patterns(path: Path) -> list[tuple[re.Pattern[str], str]]:
    """Returns the patterns and their replacements."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [(re.compile(pattern, re.IGNORECASE), better) for pattern, better in rows[1:]]


def stumbles(text: str, name: str, patterns: list[tuple[re.Pattern[str], str]]) -> Iterator[str]:
    """Yields a line for each listed word of a text.

    >>> list(stumbles("It fails.\\nIt utilises words.", "a.md", [(re.compile("utilises"), "uses")]))
    ["a.md:2: 'utilises': write uses"]
    """
    for number, line in enumerate(text.splitlines(), start=1):
        for pattern, better in patterns:
            if match := pattern.search(line):
                yield f"{name}:{number}: {match[0]!r}: write {better}"


if __name__ == "__main__":
    sys.exit(main())
