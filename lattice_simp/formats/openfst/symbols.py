r"""OpenFst's text symbol tables (`.syms`): one `word<TAB>number` on each line.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "words.syms"
>>> write_symbols(SymbolTable(["a", "cat"]), path)
>>> path.read_text()
'<epsilon>\t0\na\t1\ncat\t2\n'
>>> read_labels(path)
{0: '<epsilon>', 1: 'a', 2: 'cat'}
"""

from __future__ import annotations

import re
from pathlib import Path

from lattice_simp.core.fst_bytes import TABLE_MAGIC, parse_table, warn_of_zero
from lattice_simp.core.symbols import EPSILON, EPSILON_SYMBOL, SymbolTable
from lattice_simp.errors import FormatError, InvalidLatticeError
from lattice_simp.formats.common import natural, shown
from lattice_simp.support.textio import decode, open_text, read_bytes

_BLANKS = re.compile(r"[ \t]+")


def read_labels(path: str | Path) -> dict[int, str]:
    """Reads a symbol table, text or binary, as words by number; numbers may have gaps, and the word of 0 is epsilon.

    Raises:
        FormatError: a line is broken, a number or a word occurs twice, or the file is empty.
    """
    data = read_bytes(path)
    if data.startswith(TABLE_MAGIC):
        return parse_table(data, path)
    labels: dict[int, str] = {}
    words: set[str] = {EPSILON_SYMBOL}
    for number, line in enumerate(decode(data, path).split("\n"), 1):
        fields = _BLANKS.split(line.removesuffix("\r").strip(" \t"))
        if fields == [""]:
            continue
        label = natural(fields[1]) if len(fields) == 2 else None
        if label is None:
            raise FormatError(f"not a word and a number: {shown(line)}", path=path, line=number, remedy="word<TAB>id")
        if label in labels or (fields[0] in words and label != EPSILON):
            message = f"{shown(fields[0])} or its number {label} occurs twice"
            raise FormatError(message, path=path, line=number, remedy="give each word one number")
        labels[label] = fields[0]
        words.add(fields[0])
    if not labels:
        raise FormatError("the symbol table is empty", path=path, remedy="write one word and its number on each line")
    warn_of_zero(labels, path)
    return labels


def read_numbers(path: str | Path | None) -> dict[str, int] | None:
    """Reads a symbol table as numbers by word; None without a file."""
    return None if path is None else {word: number for number, word in read_labels(path).items()}


def read_label_pair(
    symbols_path: str | Path | None, isymbols_path: str | Path | None
) -> tuple[dict[int, str] | None, dict[int, str] | None]:
    """Reads the tables of the input and output labels; without a separate file, both are the same."""
    labels = None if symbols_path is None else read_labels(symbols_path)
    return (labels if isymbols_path is None else read_labels(isymbols_path)), labels


def write_symbols(symbols: SymbolTable, path: str | Path) -> None:
    """Writes a text symbol table.

    Raises:
        InvalidLatticeError: a word contains blanks, which the format cannot represent.
        LatticeSimpError: the file cannot be written.
    """
    for word in symbols:
        if any(blank in word for blank in " \t\n\r"):
            raise InvalidLatticeError(f"a text symbol table cannot represent the word {shown(word)} (write OpenFst)")
    with open_text(path, "w") as file:
        file.writelines(f"{word}\t{label}\n" for label, word in enumerate(symbols))
