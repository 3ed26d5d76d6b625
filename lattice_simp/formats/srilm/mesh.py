"""SRILM's word meshes, which are confusion networks: `nbest-lattice -use-mesh`, `lattice-tool -write-mesh`.

After `numaligns COUNT` and `posterior TOTAL`, there is a line `align SLOT word probability word probability ...` for
each slot, from 0 on; `*DELETE*` is the empty word. Probabilities are divided by the total. Lines with further keywords
(`reference`, `hyps`) are skipped; those with the times and scores of words (`info`, `time`) cause a warning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import warn
from lattice_simp.formats.common import Format, field_of, finite, natural, shown
from lattice_simp.formats.networks import Slot, field_words, lost, network, probability, word_labels, written_slots
from lattice_simp.formats.srilm.lines import LineReader
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import open_text

NO_WORD = "*DELETE*"

_SNIFFED = re.compile(rb"(?:name[ \t]+[^\n]*\n)?numaligns[ \t]+\d")
_NAME = "a word mesh"
_SKIPPED = frozenset({"reference", "hyps"})
_OF_WORDS = frozenset({"info", "time"})


def parse_mesh(data: bytes, *, path: str | Path | None = None, symbols: SymbolTable | None = None) -> Lattice:
    """Parses the bytes of a word mesh to a confusion network; a cost is minus the log of a probability.

    >>> network = parse_mesh(b"numaligns 1\\nposterior 1\\nalign 0 a 0.75 the 0.25\\n")
    >>> [(arc.word, round(arc.weight, 3)) for arc in network.arcs_of(0)]
    [('a', 0.288), ('the', 1.386)]

    Entries with the probability 0 are left out.

    Args:
        data: the file's bytes.
        path: the file's name, for errors.
        symbols: the table that numbers the words; it grows as needed. A new one if None.

    Raises:
        FormatError: a line is broken (the message has its number), slots are missing or occur twice, or there are
            several meshes.
    """
    return _Reader(path).parse(data, symbols)


def write_mesh(lattice: Lattice, path: str | Path) -> None:
    """Writes a confusion network as a word mesh.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cat.mesh"
    >>> write_mesh(Lattice.from_strings("a cat"), path)
    >>> path.read_text().splitlines()
    ['numaligns 2', 'posterior 1', 'align 0 a 1.0', 'align 1 cat 1.0']

    Raises:
        InvalidLatticeError: the lattice is not a confusion network, or the format cannot hold a word.
        EmptyLatticeError: the lattice accepts nothing.
        LatticeSimpError: the file cannot be written.
    """
    slots = written_slots(lattice, field_words(lattice, NO_WORD, _NAME), _NAME)
    with open_text(path, "w") as file:
        name = lattice.header.name
        file.write("" if name is None else f"name {field_of(name, path)}\n")
        file.write(f"numaligns {len(slots)}\nposterior 1\n")
        for number, entries in enumerate(slots):
            file.write(f"align {number} {' '.join(f'{word} {text}' for word, text in entries)}\n")


@dataclass
class _Reader(LineReader):
    """Collects the lines of a mesh."""

    remedy = "write align SLOT word probability word probability ..."
    name: str | None = None
    count: int | None = None
    total: float = 1.0
    slots: dict[int, Slot] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)

    def line(self, number: int, fields: list[str]) -> None:
        kind, values = fields[0], fields[1:]
        if kind == "align":
            self.align(number, values)
        elif kind in ("name", "numaligns") and (self.slots or (kind == "numaligns" and self.count is not None)):
            raise self.error("another word mesh begins", number, "write each mesh to a separate file")
        elif kind == "name" and values:
            self.name = " ".join(values)
        elif kind == "numaligns" and len(values) == 1 and natural(values[0]) is not None:
            self.count = natural(values[0])
        elif kind == "posterior" and len(values) == 1 and (total := finite(values[0])) is not None and total > 0:
            self.total = total
        elif kind in _OF_WORDS:
            self.unread.setdefault(kind, number)
        elif kind not in _SKIPPED:
            raise self.error(f"not a line of a word mesh: {shown(' '.join(fields))}", number)

    def align(self, number: int, values: list[str]) -> None:
        slot = natural(values[0]) if values else None
        if slot is None or self.count is None or slot >= self.count or slot in self.slots:
            raise self.error("a slot that is missing, occurs twice, or is beyond numaligns", number)
        if len(values) % 2 == 0:
            raise self.error("a word without a probability", number)
        entries = list[tuple[str, float]]()
        for word, text in zip(values[1::2], values[2::2], strict=True):
            value = finite(text)
            share = None if value is None else probability(repr(value / self.total))
            if share is None:
                raise self.error(f"not a probability: {shown(text)}", number)
            if share:
                entries.append((word, share))
        if not entries:
            raise self.error("a slot without a probable word", number)
        self.slots[slot] = entries

    def lattice(self, symbols: SymbolTable) -> Lattice:
        for kind, number in self.unread.items():
            message = f"the times and scores of words are not read: lines {kind}"
            warn(message, path=self.path, line=number, remedy="SLF has them: lattice-tool -write-htk")
        if self.count is None or len(self.slots) != self.count:
            message = (
                "no numaligns"
                if self.count is None
                else f"{counted(len(self.slots), 'slot')}, but numaligns is {self.count}"
            )
            raise self.error(message, None, "is the file cut off?")
        slots = [self.slots[number] for number in range(self.count)]
        return network(slots, word_labels(slots, symbols, {NO_WORD}), symbols, self.path, self.name)


FORMAT = Format((".mesh",), _SNIFFED.match, parse_mesh, write_mesh, lost)
