"""Queries: the sentence, the marked words and the options, as in the address of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias, get_args

from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.common import is_plain
from lattice_simp.ops.gappy_acceptor import Loops
from lattice_simp.serve.limits import Limits
from lattice_simp.serve.text import one_line
from lattice_simp.support.plurals import counted
from lattice_simp.translate.settings import GapLoops
from lattice_simp.translate.strategies import STRATEGIES

Value: TypeAlias = str | int | float | bool

SKELETON_STRATEGIES = {name: strategy.help for name, strategy in STRATEGIES.items() if strategy.needs}
"""The strategies to choose from, with their descriptions."""


@dataclass(frozen=True)
class Choice:
    """An option with a fixed set of names."""

    label: str
    names: tuple[str, ...]

    def read(self, text: str) -> str:
        """Returns the name, or raises LatticeSimpError for an unknown one."""
        if text not in self.names:
            raise LatticeSimpError(f"the {self.label.lower()} is {text!r}; choose from {', '.join(self.names)}")
        return text


@dataclass(frozen=True)
class Number:
    """An option with a number within bounds, an integer if the step is one."""

    label: str
    least: float
    most: float
    step: float

    def read(self, text: str) -> float:
        """Returns the number, or raises LatticeSimpError if it is invalid or out of bounds."""
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
        """Returns whether the option is on, or raises LatticeSimpError for anything but 1 and 0."""
        if text not in ("0", "1"):
            raise LatticeSimpError(f"{self.label} is {text[:40]!r}; give 1 or 0")
        return text == "1"


def _option(default: Value, kind: Choice | Number | Switch) -> Any:
    return field(default=default, metadata={"kind": kind})


@dataclass(frozen=True)
class Options:
    """The options of a translation; each field is a parameter of the address and an entry of the form.

    Attributes:
        strategy: the name of a strategy; see `translate.strategies`.
        weight, loops, gaps, hypotheses: see `SkeletonSettings`.
        edits: whether to tolerate deviations from the skeleton at a cost.
        nbest: the number of hypotheses to list.
        confidence: whether to show the probability of each word among the lattice's hypotheses.
        scale: the scale of costs for these probabilities.
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
        """Reads the options of an address; missing and empty ones have their defaults.

        >>> Options.read({"weight": "0.7", "nbest": ""}).changed
        {'weight': '0.7'}
        """
        texts = {name: text for name in KINDS if (text := parameters.get(name, ""))}
        values: dict[str, Any] = {name: KINDS[name].read(text) for name, text in texts.items()}
        return cls(**values)

    @property
    def changed(self) -> dict[str, str]:
        """The options that differ from the defaults, as parameters of an address."""
        values = {option.name: (getattr(self, option.name), option.default) for option in fields(self)}
        return {name: _written(value) for name, (value, default) in values.items() if value != default}

    @property
    def settings(self) -> dict[str, Any]:
        """The changes to a model's settings, as nested dicts."""
        skeleton = {"weight": self.weight, "hypotheses": self.hypotheses, "loops": self.loops, "gaps": self.gaps}
        return {"skeleton": skeleton | {"edits": {} if self.edits else None}}


KINDS: Mapping[str, Choice | Number | Switch] = {option.name: option.metadata["kind"] for option in fields(Options)}
"""The kind of each option."""


def _written(value: Value) -> str:
    return str(int(value)) if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Query:
    """A request for a translation.

    Attributes:
        text: the sentence as typed, on one line; "" for none.
        mask: `1` for each marked token, `0` for others; "" if nothing is marked.
        options: the options of the translation.
    """

    text: str = ""
    mask: str = ""
    options: Options = field(default_factory=Options)

    @classmethod
    def read(cls, parameters: Mapping[str, str], limits: Limits) -> Query:
        """Reads an address; raises LatticeSimpError if a parameter is invalid or out of bounds."""
        text = one_line(parameters.get("text", ""), limits.characters)
        return cls(text, read_mask(parameters.get("mask", ""), limits.tokens), Options.read(parameters))

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of the address, without empty ones."""
        values = {"text": self.text, "mask": self.mask}
        return {name: value for name, value in values.items() if value} | self.options.changed


def read_mask(mask: str, tokens: int) -> str:
    """Returns a mask, or "" if it marks nothing; raises LatticeSimpError if it is too long or not of 0 and 1.

    >>> read_mask("0110", 100), read_mask("000", 100)
    ('0110', '')
    """
    if len(mask) > tokens:
        raise LatticeSimpError(
            f"the mask has {counted(len(mask), 'character')}; sentences have at most {counted(tokens, 'token')}"
        )
    if strange := mask.strip("01"):
        raise LatticeSimpError(f"the mask contains {strange[0]!r}; use only 1 (marked) and 0")
    return mask if "1" in mask else ""
