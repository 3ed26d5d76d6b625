"""The order of rooms: imports point down only, and no file of a lower room refers to a higher room."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from lattice_simp.cli import COMMANDS

PACKAGE = Path(__file__).parents[1] / "lattice_simp"

FLOORS = [
    {"errors"},
    {"support"},
    {"core", "grammars"},
    {"formats", "draw", "scores"},
    {"lm", "ops", "reference"},
    {"engines", "text"},
    {"skeleton"},
    {"translate", "rescore", "metrics", "pipeline"},
    {"tune"},
    {"train"},
    {"systems"},
    {"commands", "serve"},
    {"api"},
    {"cli"},
    {"__main__"},
]
"""The rooms from the ground up; rooms of one floor may use each other, but not cyclically."""

FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


@functools.cache
def imports_of(path: Path) -> list[tuple[ast.Import | ast.ImportFrom, str]]:
    """Returns the imports of a file, each with the name of the function that it is in; parsed once for all tests."""
    return list(_imports_within(ast.parse(path.read_text(encoding="utf-8")), ""))


def _imports_within(node: ast.AST, function: str) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, function
        elif not isinstance(child, ast.expr):
            yield from _imports_within(child, child.name if isinstance(child, ast.FunctionDef) else function)


def rooms_and_imports() -> Iterator[tuple[Path, str, str, ast.ImportFrom]]:
    """Yields each internal import: the file, its room, the imported room, the statement."""
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for node, _ in imports_of(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "lattice_simp":
                parts = node.module.split(".")
                names = parts[1:2] or [alias.name for alias in node.names if alias.name in FLOOR]
                for name in names:
                    yield path, room, name, node


def test_every_room_has_its_floor():
    rooms = {path.name.removesuffix(".py") for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert rooms - {"__init__", "__pycache__", "py.typed"} == set(FLOOR)


def test_imports_point_down_only():
    for path, room, imported, node in rooms_and_imports():
        if room != "__init__":
            assert FLOOR[imported] <= FLOOR[room], f"{path}:{node.lineno}: {room} may not import {imported}"


COMMAND_FLOORS = [{"shared"}, {"inputs"}, {"running"}, {"lattices", "runs"}]
"""The folders of `commands` from the ground up; those of one floor do not use each other. The commands lie above."""


def test_folders_of_commands_import_down_only():
    floor = {name: number for number, names in enumerate(COMMAND_FLOORS) for name in names}
    assert set(floor) == {path.parent.name for path in (PACKAGE / "commands").glob("*/__init__.py")}
    for path, room, imported, node in rooms_and_imports():
        if room == imported == "commands":
            used, user = node.module.split(".")[2], path.relative_to(PACKAGE).parts[1]
            below = used in floor and floor[used] < floor.get(user, len(COMMAND_FLOORS))
            assert below or used == user, f"{path}:{node.lineno}: may not import {node.module}"


def test_modules_beside_the_folders_of_commands_are_commands():
    assert {path.stem for path in (PACKAGE / "commands").glob("*.py")} == {"__init__", *COMMANDS}


def test_nothing_but_support_starts_a_process():
    starters = {"subprocess", "multiprocessing", "concurrent.futures.process"}
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] == "support":
            continue
        for node, _ in imports_of(path):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not starters & set(names), f"{path}: support starts processes"


def test_one_line_imports_the_exact_search():
    """It can be removed with that line; the settings hold its limits."""
    importers = [
        path.relative_to(PACKAGE).as_posix()
        for path, _, _, node in rooms_and_imports()
        if node.module.startswith("lattice_simp.translate.search.exact")
        and node.module != "lattice_simp.translate.search.exact.limits"
    ]
    outside = [path for path in importers if not path.startswith("translate/search/exact/")]
    assert outside == ["translate/strategies/plain.py"]
    assert len(importers) > 10


def test_systems_stand_alone():
    borrowed = set()
    for path, room, imported, node in rooms_and_imports():
        if room == imported == "systems":
            system, other = path.relative_to(PACKAGE).parts[1], node.module.split(".")[2]
            borrowed |= {(system, other)} - {(system, system)}
    assert borrowed == {("combination", "paraphrase")}


def test_tabs_of_the_page_stand_alone():
    """What tabs share is beside them in `serve`, so a tab can be removed with its folder."""
    tabs = {path.name for path in (PACKAGE / "serve").iterdir() if (path / "section.py").exists()}
    assert len(tabs) > 4
    for path, room, imported, node in rooms_and_imports():
        parts = node.module.split(".")
        if room == imported == "serve" and len(parts) > 3 and parts[2] in tabs:
            tab = path.relative_to(PACKAGE).parts[1]
            assert tab in (parts[2], "app.py"), f"{path}:{node.lineno}: imports the tab {parts[2]}"


def test_no_circle_between_rooms_of_one_floor():
    edges = {(room, value) for _, room, value, _ in rooms_and_imports() if room != value and room in FLOOR}
    for room, second in edges:
        if FLOOR[room] == FLOOR[second]:
            assert (second, room) not in edges, f"{room} and {second} import each other"


@pytest.mark.parametrize("room", ["core", "formats", "lm", "ops", "reference", "text", "translate", "tune", "skeleton"])
def test_no_import_inside_a_function_hides_a_circle(room):
    """What is imported late is an optional library, never a part of the package."""
    for path in sorted((PACKAGE / room).rglob("*.py")):
        for node, function in imports_of(path):
            inside = function and isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lattice_simp")
            assert not inside, f"{path}:{node.lineno}: an import inside {function}"


SLOW_TO_COMPILE = {"append", "argsort", "concatenate", "diff", "searchsorted", "sort", "where"}
"""Functions of numpy whose code is compiled anew into each kernel that calls them, which takes 0.3 to 3 seconds."""


def test_kernels_call_no_function_that_compiles_slowly():
    """Write a loop, or call a kernel of `core.sorting`."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    calls = [
        f"{path}:{node.lineno}: {ast.unparse(node.func)}"
        for path, text in texts.items()
        if "@jit" in text or "@inlined" in text  # parsing the others would take a second
        for kernel in ast.walk(ast.parse(text))
        if isinstance(kernel, ast.FunctionDef)
        and {"jit", "inlined"} & {ast.unparse(decorator) for decorator in kernel.decorator_list}
        for node in ast.walk(kernel)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {f"np.{name}" for name in SLOW_TO_COMPILE}
    ]
    assert not calls
