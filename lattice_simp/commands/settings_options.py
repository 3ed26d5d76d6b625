"""Options of commands that are fields of settings: declared at the field, offered by every command that takes them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Optional, get_type_hints

import typer

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.options import nested_kind


@dataclass(frozen=True)
class SettingOption:
    """An option: the names of the fields that lead to it, and what it looks like."""

    path: tuple[str, ...]
    flag: str
    help: str
    kind: Any
    is_switch: bool

    def parameter(self, panel: str | None = None) -> inspect.Parameter:
        """Returns the option as a parameter of a command, None where it is not given; `panel` is its part of --help."""
        flags = f"--{self.flag}/--no-{self.flag}" if self.is_switch else f"--{self.flag}"
        kind = bool if self.is_switch else self.kind
        given = typer.Option(flags, help=self.help, rich_help_panel=panel)
        annotation = Annotated[Optional[kind], given]  # type: ignore[valid-type]  # noqa: UP045
        name = self.flag.replace("-", "_")
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def setting_options(settings: type[Any], path: tuple[str, ...] = ()) -> list[SettingOption]:
    """Returns the options of settings (a dataclass), those of nested settings among them."""
    kinds = get_type_hints(settings)
    found: list[SettingOption] = []
    for own in fields(settings):
        kind, here = nested_kind(kinds[own.name]), (*path, own.name)
        if "flag" in own.metadata:
            flag, text = own.metadata["flag"], own.metadata["help"]
            found.append(SettingOption(here, flag, text, kinds[own.name], kind is not None))
        if kind is not None:
            found += setting_options(kind, here)
    return found


def takes_settings(settings: type[Any], panel: str | None = None) -> Callable[[Callable[..., Any]], Any]:
    """Makes a command take the options of settings: it gets those that were given as nested dicts, in `settings`.

    `panel` is the part of --help that lists them, for a `PanelCommand`.
    """
    options = setting_options(settings)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def wrapped(*arguments: Any, **given: Any) -> Any:
            values = {own: given.pop(own.flag.replace("-", "_"), None) for own in options}
            return command(*arguments, **given, settings=nested_values(values))

        signature = inspect.signature(command)
        hints = get_type_hints(command, include_extras=True)
        kept = [
            own.replace(annotation=hints.get(own.name, own.annotation), kind=inspect.Parameter.KEYWORD_ONLY)
            for own in signature.parameters.values()
            if own.name != "settings"
        ]
        added = [own.parameter(panel) for own in options]
        wrapped.__signature__ = signature.replace(parameters=[*kept, *added])  # type: ignore[attr-defined]
        wrapped.__annotations__ = {own.name: own.annotation for own in [*kept, *added]}
        return wrapped

    return decorate


def nested_values(values: Mapping[SettingOption, Any]) -> dict[str, Any]:
    """Returns the options that were given (not None) as nested dicts; a switch that is off becomes None.

    Raises:
        LatticeSimpError: a switch that is off, and an option that needs it.
    """
    nested: dict[str, Any] = {}
    off = {own.path: own.flag for own, value in values.items() if own.is_switch and value is False}
    for own, value in values.items():
        if value is None:
            continue
        for above, flag in off.items():
            if own.path[: len(above)] == above and own.path != above:
                raise LatticeSimpError(f"--no-{flag} and --{own.flag} contradict each other")
        inner = nested
        for name in own.path[:-1]:
            inner = inner.setdefault(name, {})
        if not own.is_switch:
            inner[own.path[-1]] = value
        elif value:
            inner.setdefault(own.path[-1], {})
        else:
            inner[own.path[-1]] = None
    return nested
