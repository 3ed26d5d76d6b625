"""Settings in YAML files, with overrides from the command line, checked field by field."""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from lattice_simp.errors import FormatError, one_line
from lattice_simp.support.textio import decode, read_bytes

Model = TypeVar("Model", bound=BaseModel)

_SCALARS = (bool, int, float, datetime.date)
"""The types of YAML values without quotes that may have been meant as text."""


class _UniqueLoader(yaml.SafeLoader):  # type: ignore[misc]
    """A safe loader that refuses a name which occurs twice; YAML forbids that, but PyYAML takes the last value."""

    def compose_mapping_node(self, anchor: str | None) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        names = set[tuple[str, str]]()
        for key, _ in node.value:
            name = (key.tag, key.value) if isinstance(key, yaml.ScalarNode) else None
            if name in names:
                message = f"the name {key.value!r} occurs twice"
                raise yaml.constructor.ConstructorError(problem=message, problem_mark=key.start_mark)
            if name is not None:
                names.add(name)
        return node


def read_settings(path: str | Path, overrides: Iterable[str] = ()) -> dict[str, Any]:
    """Reads the nested values of a YAML file; overrides are `name.of.field=value`.

    Raises:
        FormatError: the file is not YAML, holds no fields, or an override does not fit.
    """
    text = decode(read_bytes(path), path)
    try:
        values = yaml.load(text, _UniqueLoader)  # a safe loader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
        is_syntax = isinstance(error, yaml.parser.ParserError | yaml.scanner.ScannerError)
        remedy = "put texts that contain `:`, `?`, `#` or commas in quotes" if is_syntax else "fix the file"
        message = f"invalid YAML: {reason}"
        raise FormatError(message, path=path, line=mark and mark.line + 1, remedy=remedy) from None
    except (RecursionError, ValueError, OverflowError) as error:  # too deep; a number of too many digits; no such date
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else one_line(error)
        raise FormatError(f"invalid YAML: {reason}", path=path, remedy="fix the file") from None
    if not isinstance(values, dict):
        raise FormatError("holds no fields", path=path, remedy="write `name: value` lines")
    for override in overrides:
        _override(values, override, path)
    return values


def checked_settings(model: type[Model], values: Mapping[str, Any], path: str | Path, section: str = "") -> Model:
    """Makes settings from nested values of a file, or of its `section`, such as `rules.filter`.

    Raises:
        FormatError: a field is wrong or unknown; for an unknown one, the message suggests the nearest known name.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        # A misspelt field is also a missing field; the misspelling says more.
        first = min(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")
        field = ".".join(map(str, [section, *first["loc"]] if section else first["loc"]))
        if first["type"] == "extra_forbidden":
            field_names = _known_names(model, first["loc"][:-1])
            near = difflib.get_close_matches(str(first["loc"][-1]), field_names, n=1)
            remedy = f"did you mean {near[0]}?" if near else f"known are {', '.join(field_names)}"
            raise FormatError(f"unknown field {field}", path=path, remedy=remedy) from None
        if first["type"] == "missing":
            raise FormatError(f"the field {field} is missing", path=path, remedy="add it") from None
        message = first["msg"].removeprefix("Value error, ")
        remedy = "fix this field"
        if first["type"] == "string_type" and isinstance(first["input"], _SCALARS):
            explained = "; YAML reads yes, no, on and off as true or false"
            remedy = "put the text in quotes" + explained * isinstance(first["input"], bool)
        raise FormatError(f"{field}: {message}" if field else message, path=path, remedy=remedy) from None


def read_run(model: type[Model], path: str | Path, overrides: Iterable[str], files: Iterable[str]) -> Model:
    """Reads the settings of a run from a YAML file; the paths of its `files` count from the file's folder.

    `files` names the fields that hold paths; empty ones stay empty.

    Raises:
        FormatError: as `read_settings` and `checked_settings`.
    """
    settings = checked_settings(model, read_settings(path, overrides), path)
    folder = Path(path).parent
    return settings.model_copy(update={name: str(folder / file) for name in files if (file := getattr(settings, name))})


def _override(values: dict[str, Any], override: str, path: str | Path) -> None:
    name, equals, text = override.partition("=")
    if not equals or not name:
        message = f"the override {override!r} is not name=value"
        raise FormatError(message, path=path, remedy="write rules.max_span=12")
    *sections, last = name.split(".")
    for section in sections:
        values = values.setdefault(section, {})
        if not isinstance(values, dict):
            raise FormatError(f"the override {override!r} goes into a plain value", path=path, remedy="name a section")
    try:
        values[last] = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError):
        raise FormatError(f"the override {override!r} is not a YAML value", path=path, remedy="quote it") from None


def _known_names(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    section: Any = model
    for name in location:
        if isinstance(name, str):
            annotation = section.model_fields[name].annotation
            options = [annotation, *getattr(annotation, "__args__", ())]
            kinds = (kind for kind in options if isinstance(kind, type) and issubclass(kind, BaseModel))
            section = next(kinds, model)
    return list(section.model_fields)
