"""Mutation operators: plausible errors at every place of a file where they fit."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "+",
    ast.BitOr: "&",
    ast.BitAnd: "|",
    ast.LShift: ">>",
    ast.RShift: "<<",
}
_LEFT_ALONE = (ast.Raise, ast.Import, ast.ImportFrom, ast.JoinedStr)
_ANY_VALUE = re.compile(r"(.*_)?(BYTES|SECONDS|ROOM|CACHED|PATIENCE)|KEPT_.*")
"""The names of constants that affect speed only: results are right with any similar value."""

_ANY_SIZE = ("empty", "lru_cache", "warn")
"""Calls whose numbers are initial sizes, sizes of caches, or the lines that warnings name."""

_ANY_OPTION = ("compresslevel", "compression_level", "buffering", "stacklevel", "chunksize", "timeout", "patience")
"""Arguments of the same kind."""

LARGE = 100
"""Integers of at least this size become a tenth; adding one would change almost nothing."""

_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "argmin": "argmax", "argmax": "argmin"}
_NAMES = {"left": "right", "right": "left"}


@dataclass(frozen=True)
class Edit:
    """A piece of a file (lines from 1, columns in characters), the new text, and a description."""

    line: int
    column: int
    end_line: int
    end_column: int
    after: str
    what: str

    def applied(self, text: str) -> str:
        """Returns a file's text with the error in it."""
        lines = text.split("\n")
        first, last = lines[self.line - 1], lines[self.end_line - 1]
        changed = first[: self.column] + self.after + last[self.end_column :]
        return "\n".join([*lines[: self.line - 1], changed, *lines[self.end_line :]])


def edits(text: str) -> Iterator[Edit]:
    """Yields the errors that fit into a file: comparisons, arithmetic, constants, conditions, calls, lost statements.

    Docstrings, annotations, decorators, and raised or printed values stay unchanged.
    """
    tree = ast.parse(text)
    lines = text.split("\n")
    for node in _code(tree):
        yield from _edits(node, lines)


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes of a tree whose changes affect results."""
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment", "bases"):
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST) and not isinstance(child, _LEFT_ALONE) and not _changes_nothing(child, node):
                yield child
                yield from _code(child)


def _changes_nothing(node: ast.AST, parent: ast.AST) -> bool:
    """Returns whether changes of a node do not affect results."""
    if isinstance(node, ast.If | ast.While):
        return getattr(node.test, "id", "") == "TYPE_CHECKING" or all(map(_makes_room, node.body))
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)  # a docstring
    if isinstance(node, ast.FunctionDef):
        return node.name == "__repr__"
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [part for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
        return bool(names) and all(_ANY_VALUE.fullmatch(part.id) for part in names)
    if isinstance(node, ast.keyword):
        return node.arg in _ANY_OPTION
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return isinstance(parent, ast.Call)  # -1 means none, and so does any negative number
    return isinstance(node, ast.Constant) and isinstance(parent, ast.Call) and _name(parent.func) in _ANY_SIZE


def _makes_room(statement: ast.stmt) -> bool:
    """Returns whether a statement makes an array grow; the moment does not matter."""
    values = statement.value if isinstance(statement, ast.Assign) else None
    calls = values.elts if isinstance(values, ast.Tuple) else [values]
    return all(isinstance(call, ast.Call) and _name(call.func) == "grown" for call in calls)


def _name(function: ast.expr) -> str:
    """Returns the last part of a called name."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _edits(node: ast.AST, lines: list[str]) -> Iterator[Edit]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from _between(node.left, node.comparators[0], lines, _COMPARISONS.get(type(node.ops[0])))
    elif isinstance(node, ast.BinOp):
        yield from _between(node.left, node.right, lines, _ARITHMETIC.get(type(node.op)))
    elif isinstance(node, ast.BoolOp):
        word = "or" if isinstance(node.op, ast.And) else "and"
        yield from _between(node.values[0], node.values[1], lines, word)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield _whole(node, ast.unparse(node.operand), "not left out")
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield _whole(node.test, f"(not ({ast.unparse(node.test)}))", "condition turned round")
    elif isinstance(node, ast.Constant):
        yield from _constant(node)
    elif isinstance(node, ast.Name | ast.Attribute):
        name = node.id if isinstance(node, ast.Name) else node.attr
        if name in _CALLS and node.end_lineno is not None and node.end_col_offset is not None:
            begin = node.end_col_offset - len(name)
            yield Edit(
                node.end_lineno, begin, node.end_lineno, node.end_col_offset, _CALLS[name], f"{name} -> {_CALLS[name]}"
            )
    elif isinstance(node, ast.Continue | ast.Break):
        word = "break" if isinstance(node, ast.Continue) else "continue"
        yield _whole(node, word, f"{word} instead")
    elif isinstance(node, ast.AugAssign) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield _whole(node, "pass", "statement left out")


def _constant(node: ast.Constant) -> Iterator[Edit]:
    value = node.value
    if isinstance(value, bool):
        yield _whole(node, str(not value), f"{value} -> {not value}")
    elif isinstance(value, int | float):
        wrong = value // 10 if isinstance(value, int) and value >= LARGE else value + 1
        yield _whole(node, repr(wrong), f"{value} -> {wrong}")
    elif isinstance(value, str) and value in _NAMES:
        yield _whole(node, repr(_NAMES[value]), f"{value} -> {_NAMES[value]}")


def _whole(node: ast.stmt | ast.expr, after: str, what: str) -> Edit:
    return Edit(node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0, after, what)


def _between(left: ast.expr, right: ast.expr, lines: list[str], after: str | None) -> Iterator[Edit]:
    """Yields the error of another operator between two operands on one line."""
    if after is None or left.end_lineno != right.lineno or left.end_col_offset is None:
        return
    line = lines[right.lineno - 1]
    between = line[left.end_col_offset : right.col_offset]
    operator = between.strip(" ()")
    if operator and between.count(operator) == 1:
        changed = between.replace(operator, after)
        yield Edit(right.lineno, left.end_col_offset, right.lineno, right.col_offset, changed, f"{operator} -> {after}")
