"""Options of commands that are fields of settings: declared at the field, shown by every command that takes them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Annotated, Any, Optional, get_type_hints

import typer

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.options import nested_kind


@dataclass(frozen=True)
class SettingOption:
    """An option: the names of the fields that lead to it, and its declaration."""

    path: tuple[str, ...]
    flag: str
    help: str
    kind: Any
    is_switch: bool
    least: int | None = None
    default: Any = None

    def parameter(self, panel: str | None = None) -> inspect.Parameter:
        """Returns the option as a parameter of a command with the default None; `panel` is its part of --help."""
        flags = f"--{self.flag}/--no-{self.flag}" if self.is_switch else f"--{self.flag}"
        kind = bool if self.is_switch else self.kind
        declared = typer.Option(flags, help=self.help + self._default, rich_help_panel=panel, min=self.least)
        annotation = Annotated[Optional[kind], declared]  # type: ignore[valid-type]  # noqa: UP045
        name = self.flag.replace("-", "_")
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)

    @property
    def _default(self) -> str:
        """The default as part of the help text; empty if there is none, or the text has it already."""
        is_shown = not self.is_switch and not isinstance(self.default, bool) and self.default not in (None, "", ())
        if not is_shown or "default:" in self.help:
            return ""
        value = self.default.value if isinstance(self.default, Enum) else self.default
        return f"; default: {value:g}" if isinstance(value, float) else f"; default: {value}"


def setting_options(settings: type[Any], path: tuple[str, ...] = ()) -> list[SettingOption]:
    """Returns the options of settings (a dataclass), including those of nested settings."""
    kinds = get_type_hints(settings)
    options: list[SettingOption] = []
    for field in fields(settings):
        kind, field_path = nested_kind(kinds[field.name]), (*path, field.name)
        if "flag" in field.metadata:
            flag, text = field.metadata["flag"], field.metadata["help"]
            kind_of_field, least = kinds[field.name], field.metadata.get("least")
            options.append(SettingOption(field_path, flag, text, kind_of_field, kind is not None, least, field.default))
        if kind is not None:
            options += setting_options(kind, field_path)
    return options


def takes_settings(settings: type[Any], panel: str | Mapping[str, str] | None = None) -> Callable[..., Any]:
    """Adds the options of settings to a command, which gets their values as nested dicts in `settings`.

    Args:
        settings: a dataclass.
        panel: the part of --help that lists the options, or one for each field of the settings; None for the main part.
    """
    options = setting_options(settings)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def wrapped(*arguments: Any, **values: Any) -> Any:
            chosen = {option: values.pop(option.flag.replace("-", "_"), None) for option in options}
            return command(*arguments, **values, settings=nested_values(chosen))

        signature = inspect.signature(command)
        hints = get_type_hints(command, include_extras=True)
        kept = [
            parameter.replace(annotation=hints.get(parameter.name, Any), kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in signature.parameters.values()
            if parameter.name != "settings"
        ]
        panels = {option: panel.get(option.path[0]) if isinstance(panel, Mapping) else panel for option in options}
        parameters = [*kept, *(option.parameter(panels[option]) for option in options)]
        wrapped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return wrapped

    return decorate


def nested_values(values: Mapping[SettingOption, Any]) -> dict[str, Any]:
    """Returns the values on the command line (not None) as nested dicts; a switch that is off becomes None.

    Raises:
        LatticeSimpError: a switch is off, but an option needs it.
    """
    nested: dict[str, Any] = {}
    off = {option.path: option.flag for option, value in values.items() if option.is_switch and value is False}
    for option, value in values.items():
        if value is None:
            continue
        for above, flag in off.items():
            if option.path[: len(above)] == above and option.path != above:
                raise LatticeSimpError(f"--no-{flag} and --{option.flag} contradict each other")
        inner = nested
        for name in option.path[:-1]:
            inner = inner.setdefault(name, {})
        if not option.is_switch:
            inner[option.path[-1]] = value
        elif value:
            inner.setdefault(option.path[-1], {})
        else:
            inner[option.path[-1]] = None
    return nested
