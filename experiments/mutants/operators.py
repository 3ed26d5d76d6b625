"""Errors that anybody could make, at every place of a file where they fit."""

from __future__ import annotations

import ast
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
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "argmin": "argmax", "argmax": "argmin"}
_NAMES = {"left": "right", "right": "left"}


@dataclass(frozen=True)
class Edit:
    """A piece of a line and what is written in its place.

    Attributes:
        line, column, end_line, end_column: where it is; lines from 1, columns in characters.
        after: the new text.
        what: for people.
    """

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

    Docstrings, annotations, decorators, and what is raised or printed are left alone.
    """
    tree = ast.parse(text)
    lines = text.split("\n")
    for node in _code(tree):
        yield from _edits(node, lines)


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes of a tree in which an error changes what is computed."""
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment", "bases", "keywords_of_class"):
            continue
        for child in field if isinstance(field, list) else [field]:
            if not isinstance(child, ast.AST) or isinstance(
                child, ast.Raise | ast.Import | ast.ImportFrom | ast.JoinedStr
            ):
                continue
            if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
                continue
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue  # a docstring
            if isinstance(child, ast.FunctionDef) and child.name == "__repr__":
                continue
            yield child
            yield from _code(child)


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
        yield _whole(node, repr(value + 1), f"{value} -> {value + 1}")
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
