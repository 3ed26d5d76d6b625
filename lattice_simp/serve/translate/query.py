"""What is asked for: the sentence, the marked words and the options, as the address of a page holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias, get_args

from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.common import is_plain, natural
from lattice_simp.ops.gappy_acceptor import Loops
from lattice_simp.serve.limits import Limits
from lattice_simp.serve.text import one_line
from lattice_simp.translate.settings import GapLoops
from lattice_simp.translate.strategies import STRATEGIES

Value: TypeAlias = str | int | float | bool

SKELETON_STRATEGIES = {name: own.help for name, own in STRATEGIES.items() if own.needs}
"""The strategies to choose from, with what they do."""


@dataclass(frozen=True)
class Choice:
    """An option that takes one of some names."""

    label: str
    names: tuple[str, ...]

    def read(self, text: str) -> str:
        """Returns the name; raises LatticeSimpError for another one."""
        if text not in self.names:
            raise LatticeSimpError(f"the {self.label.lower()} is {text!r}; known are {', '.join(self.names)}")
        return text


@dataclass(frozen=True)
class Number:
    """An option that takes a number within bounds; whole ones where the step is whole."""

    label: str
    least: float
    most: float
    step: float

    def read(self, text: str) -> float:
        """Returns the number; raises LatticeSimpError for what is none, or is out of bounds."""
        try:
            value = float("nan") if not is_plain(text) else int(text) if isinstance(self.step, int) else float(text)
        except ValueError:
            value = float("nan")
        if not self.least <= value <= self.most:
            message = f"the {self.label.lower()} is {text[:40]!r}; give a number from {self.least:g} to {self.most:g}"
            raise LatticeSimpError(message)
        return value


@dataclass(frozen=True)
class Switch:
    """An option that is on or off."""

    label: str

    def read(self, text: str) -> bool:
        """Returns whether it is on; raises LatticeSimpError for other words than 1 and 0."""
        if text not in ("0", "1"):
            raise LatticeSimpError(f"{self.label} is {text[:40]!r}; give 1 or 0")
        return text == "1"


def _option(default: Value, kind: Choice | Number | Switch) -> Any:
    return field(default=default, metadata={"kind": kind})


@dataclass(frozen=True)
class Options:
    """How a sentence is translated; a field is a parameter of the address and an entry of the form.

    Attributes:
        strategy: see `translate.strategies`.
        weight, loops, gaps, hypotheses: see `SkeletonSettings`.
        edits: whether deviations from the skeleton are tolerated, at a cost.
        nbest: hypotheses to list.
        confidence: whether each word gets its probability among the lattice's hypotheses.
        scale: of the costs for these probabilities.
    """

    strategy: str = _option("gappy", Choice("Strategy", tuple(SKELETON_STRATEGIES)))
    weight: float = _option(0.5, Number("Weight of the skeleton", 0.0, 20.0, 0.1))
    hypotheses: int = _option(200, Number("Hypotheses of the skeleton", 1, 1000, 1))
    loops: str = _option("sigma", Choice("Loops", get_args(Loops)))
    gaps: str = _option("everywhere", Choice("Gaps open", get_args(GapLoops)))
    edits: bool = _option(False, Switch("Tolerate deviations"))
    nbest: int = _option(10, Number("Hypotheses to list", 1, 50, 1))
    confidence: bool = _option(False, Switch("Show word confidence"))
    scale: float = _option(1.0, Number("Scale of costs for confidence", 0.01, 10.0, 0.01))

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> Options:
        """Reads the options of an address; what is not there, or empty, is the default.

        >>> Options.read({"weight": "0.7", "nbest": ""}).changed
        {'weight': '0.7'}

        Raises:
            LatticeSimpError: a value is none of the option's.
        """
        given = {name: text for name in KINDS if (text := parameters.get(name, ""))}
        values: dict[str, Any] = {name: KINDS[name].read(text) for name, text in given.items()}
        return cls(**values)

    @property
    def changed(self) -> dict[str, str]:
        """What differs from the defaults, as parameters of an address."""
        values = {own.name: (getattr(self, own.name), own.default) for own in fields(self)}
        return {name: _written(value) for name, (value, default) in values.items() if value != default}

    @property
    def settings(self) -> dict[str, Any]:
        """What differs from a model's settings, as nested dicts."""
        own = {"weight": self.weight, "hypotheses": self.hypotheses, "loops": self.loops, "gaps": self.gaps}
        return {"skeleton": own | {"edits": {} if self.edits else None}}


KINDS: Mapping[str, Choice | Number | Switch] = {own.name: own.metadata["kind"] for own in fields(Options)}
"""The kind of each option."""


def _written(value: Value) -> str:
    return str(int(value)) if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Query:
    """A request for a translation.

    Attributes:
        text: the sentence as it was typed, on one line; "" if none was.
        mask: `1` for a marked token, `0` for others; "" if nothing is marked.
        options: how to translate.
    """

    text: str = ""
    mask: str = ""
    options: Options = field(default_factory=Options)

    @classmethod
    def read(cls, parameters: Mapping[str, str], limits: Limits) -> Query:
        """Reads an address.

        Raises:
            LatticeSimpError: a parameter is broken or out of bounds.
        """
        text = one_line(parameters.get("text", ""), limits.characters)
        return cls(text, read_mask(parameters.get("mask", ""), limits.tokens), Options.read(parameters))

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of the address; those that say nothing are left out."""
        own = {"text": self.text, "mask": self.mask}
        return {name: value for name, value in own.items() if value} | self.options.changed


def read_mask(mask: str, tokens: int) -> str:
    """Returns a mask; "" for one that marks nothing.

    >>> read_mask("0110", 100), read_mask("000", 100)
    ('0110', '')

    Raises:
        LatticeSimpError: it holds anything but 0 and 1, or is too long.
    """
    if len(mask) > tokens:
        raise LatticeSimpError(f"the mask has {len(mask):,} characters; sentences have at most {tokens} tokens")
    if strange := mask.strip("01"):
        raise LatticeSimpError(f"the mask holds {strange[0]!r}; it is made of 1 (marked) and 0")
    return mask if "1" in mask else ""


def toggled(mask: str, tokens: int, position: str) -> str:
    """Returns the mask with one token's mark changed; what is no position of the sentence changes nothing.

    >>> toggled("", 3, "1"), toggled("010", 3, "2"), toggled("010", 3, "9")
    ('010', '011', '010')
    """
    bits = list(mask if len(mask) == tokens else "0" * tokens)
    if (place := natural(position)) is not None and place < tokens:
        bits[place] = "0" if bits[place] == "1" else "1"
    return "".join(bits)
