"""The code that stands on the line at fault: its expression, its statement, and what the names in it mean."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..levels import is_number
from .frames import Place
from .shortening import LABELLED

OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Compare)


class Code(NamedTuple):
    """The innermost expression that a place is at, and what names mean in it.

    ``above`` is what it stands in, ``whole`` the expression of operators around it; further the statement and the
    function around that.
    """

    node: ast.AST
    above: ast.AST
    whole: ast.AST
    statement: ast.AST
    around: ast.AST
    place: Place

    def meaning(self, node: ast.AST) -> Any:
        """Return what a name, an attribute or a column of a table stands for; None where it cannot be told."""
        frame = self.place.frame
        if isinstance(node, ast.Name):
            scopes = (frame.f_locals, frame.f_globals, frame.f_builtins)
            return next((scope[node.id] for scope in scopes if node.id in scope), None)
        if isinstance(node, ast.Attribute):
            owner = self.meaning(node.value)
            known = isinstance(owner, (ModuleType, type)) or root_of(owner) in ("numpy", "random", "scipy")
            if known or root_of(owner) in LABELLED:
                return getattr(owner, node.attr, None)
            return owner.__dict__.get(node.attr) if type(owner).__dictoffset__ else None
        if isinstance(node, ast.Subscript):
            owner = self.meaning(node.value)
            return self._selected(owner, node.slice) if root_of(owner) in LABELLED else None
        return None

    def _selected(self, table: Any, index: ast.expr) -> Any:
        """Return what a literal or a name selects of a table; None where that cannot be told."""
        try:
            return table[self.meaning(index) if isinstance(index, ast.Name) else ast.literal_eval(index)]
        except Exception:  # whatever the package raises of an index
            return None

    def number_in(self, *nodes: ast.AST) -> str:
        """Return the first of the names in some code that stands for numbers; empty where none does."""
        names = (part for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name))
        return next((name.id for name in names if holds_number(self.meaning(name))), "")

    def called(self, name: str) -> str:
        """Return how this code would call a function of NumPy; empty where it has not imported that."""
        frame = self.place.frame
        modules = [
            (key, x)
            for space in (frame.f_globals, frame.f_locals)
            for key, x in space.items()
            if isinstance(x, ModuleType)
        ]
        alias = next((key for key, module in modules if module.__name__ in ("numpy", "autodiff.numpy")), "")
        return f"{alias}.{name}" if alias else ""


def root_of(x: Any) -> str:
    """Return the package that defines the type of a value."""
    return (getattr(type(x), "__module__", "") or "").partition(".")[0]


def holds_number(x: Any) -> bool:
    """Return whether a value is a number, or a list, a tuple or an array of objects that holds one."""
    if isinstance(x, np.ndarray):
        return x.dtype == object and any(map(holds_number, x.flat))
    return is_number(type(x)) or (isinstance(x, (list, tuple)) and any(map(holds_number, x)))


@lru_cache(maxsize=4)
def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Return the parts of a node that have a place in the text."""
    for child in ast.iter_child_nodes(node):
        if hasattr(child, "lineno"):
            yield child
        else:
            yield from _children(child)


def code_at(place: Place) -> Code | None:
    """Return the code that a place is at; None where its text is not to be had."""
    code = place.frame.f_code
    tree = _tree("".join(linecache.getlines(code.co_filename, place.frame.f_globals)))
    positions = list(code.co_positions())
    at = place.instruction // 2
    first, last, start, end = positions[at] if 0 <= at < len(positions) else (None,) * 4
    if tree is None:
        return None
    begin = (first or place.line, -1 if start is None else start)
    stop = (last or place.line, -1 if end is None else end)
    node: ast.AST | None = tree
    statement: ast.AST = tree
    around = inner = above = whole = statement
    while node is not None:
        of_operators = isinstance(inner, OPERATIONS) and isinstance(node, OPERATIONS)
        above, inner, whole = inner, node, whole if of_operators else node
        if isinstance(node, ast.stmt):
            statement = node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            around = node
        node = next((child for child in _children(node) if _covers(child, begin, stop)), None)
    return None if statement is tree else Code(inner, above, whole, statement, around, place)


def _covers(node: Any, begin: tuple[int, int], stop: tuple[int, int]) -> bool:
    from_here, to_here = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    if begin[1] < 0:  # Python was told to keep no columns
        return bool(isinstance(node, ast.stmt) and from_here[0] <= begin[0] <= to_here[0])
    return from_here <= begin and stop <= to_here
