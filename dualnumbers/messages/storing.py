"""What to write where numbers are stored into a plain array: another way to make it. Runs on the error path alone.

A plain array keeps plain values, so a number stored in it would lose its derivative, and that is an error. The error
says which line made the array, and how to write that line so that it makes one that takes numbers:

    def f(x):
        y = np.zeros(3)
        y[0] = x       # would lose the derivative of a DualNumber: write y = np.zeros(3, like=x)

To find this, the code of the function at fault is read from its line backwards: the expression that is stored into
(`_shown`: the array behind its views), the last assignment to that name (`_assignments`), and a number to name in
``like=`` (`_like`). Where any of these cannot be told, the advice is in words, or there is none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..forms import dtype_of, is_array
from ..levels import HELD, is_number, plain
from .code import Code, root_of
from .shortening import LABELLED, Written

MAKERS = ("arange", "array", "asarray", "empty", "eye", "full", "identity", "ones", "tri", "zeros")
"""Functions of NumPy that make an array and take ``like=``."""

_VIEWS = ("T", "diagonal", "flat", "imag", "mT", "ravel", "real", "reshape", "squeeze", "swapaxes", "transpose", "view")
"""Attributes and methods of an array that show its elements."""


def stored(code: Code, road: str, rank: int) -> Written | None:
    """Rewrite ``dy[0] = y[1]``: make the array one that takes numbers. None where the line stores nothing."""
    target, statement = code.node, code.statement
    values = [statement.value] if isinstance(statement, (ast.Assign, ast.AugAssign)) else []
    if isinstance(target, ast.Subscript) and isinstance(target.ctx, ast.Store) and values:
        if root_of(code.meaning(target.value)) in LABELLED:
            return None
        return _taking(code, ast.unparse(statement), target.value, *values)
    if not isinstance(target, ast.Call) or not target.args:
        return None
    if road.endswith("into a plain array"):
        return _taking(code, ast.unparse(target), target.args[0], *target.args[1:])
    filled = isinstance(target.func, ast.Attribute) and target.func.attr in ("__setitem__", "fill", "itemset", "put")
    owner = target.func.value if isinstance(target.func, ast.Attribute) else target
    if filled and (isinstance(code.meaning(owner), np.ndarray) or _makes(owner)):
        return _taking(code, ast.unparse(target), owner, *target.args)
    return None


def in_place(code: Code, road: str, rank: int) -> Written | None:
    """Rewrite ``plain += x``, or ``out=plain``, where ``plain`` is an array; None where the line is neither."""
    statement, node = code.statement, code.node
    if isinstance(statement, ast.AugAssign) and node in (statement, statement.target) and "out=" in road:
        old, target = ast.unparse(statement), statement.target
        if isinstance(target, ast.Subscript):
            return _taking(code, old, target.value, statement.value)
        if not _is_alone(code, target):
            return _taking(code, old, target, statement.value)
        return Written(old, f"{ast.unparse(target)} = {ast.unparse(ast.BinOp(target, statement.op, statement.value))}")
    if not isinstance(node, ast.Call) or "out=" not in road:
        return None
    named = [keyword.value for keyword in node.keywords if keyword.arg == "out"]
    plain = [part for part in node.args if _makes(part) or type(code.meaning(part)) is np.ndarray]
    targets = named or plain[-1:]
    old = ast.unparse(node)
    return _taking(code, old, targets[0], *node.args) if targets else Written(old)


def _makes(call: Any) -> bool:
    return isinstance(call, ast.Call) and getattr(call.func, "attr", "") in MAKERS


def _taking(code: Code, old: str, array: ast.expr, *values: ast.AST) -> Written:
    """Say how to make an array that takes these values: as the function at fault makes it, with ``like=``."""
    if _makes(array):
        return Written(old, ast.unparse(_anew(code, array, _like(code, values), None)))
    shown = _shown(code, array)
    value, name = code.meaning(shown), ast.unparse(shown)
    names = [name, *_others(code, shown)]
    for one in names:
        for made in _assignments(code, one):
            root = _root(made.value)
            if _makes(root):
                anew = ast.unparse(_anew(code, root, _like(code, values, made.place), value))
                return Written(old, f"{made.to} = {anew}{ast.unparse(made.value)[len(ast.unparse(root)) :]}")
            if ast.unparse(root) not in names:
                break
    like = f"like={_like(code, values)}"
    if isinstance(shown, ast.Name) and _is_alone(code, shown):
        whole_numbers = isinstance(value, np.ndarray) and value.dtype.kind in "biu"
        return Written(old, f"{name} = np.array({name}, {'dtype=float, ' if whole_numbers else ''}{like})")
    owner = next((one for one in names[1:] if _elements(code.place.frame.f_locals[one])[1]), "")
    given = name in code.place.frame.f_code.co_varnames[: _count_of_arguments(code)]
    array_named = f"{owner}, which {name} shows," if owner else f"what is given as {name}" if given else name
    return Written(old, how=f"make {array_named} by np.zeros(..., {like})")


def _shown(code: Code, node: ast.expr) -> ast.expr:
    """Return the array whose elements an expression shows: ``a`` of ``a[1:].T``, ``rows[0]`` of ``rows[0][1:]``."""
    chain: list[ast.expr] = [node]
    while (inside := _within(chain[-1])) is not None:
        chain.append(inside)
    of_arrays = len(chain) > 1 and isinstance(code.meaning(chain[-1]), (list, tuple, dict))
    return chain[-2] if of_arrays else chain[-1]


def _within(node: ast.AST) -> ast.expr | None:
    """Return the expression whose elements one shows, a step further in; None where it is no view."""
    if isinstance(node, ast.Subscript):
        return node.value
    attribute = node.func if isinstance(node, ast.Call) and not _makes(node) else node
    return attribute.value if isinstance(attribute, ast.Attribute) and attribute.attr in _VIEWS else None


def _root(node: ast.expr) -> ast.expr:
    while (inside := _within(node)) is not None:
        node = inside
    return node


def _elements(x: Any) -> tuple[Any, bool]:
    """Return the array that owns the elements, and whether it is the given one; None for what is no array."""
    x = plain(x)
    if not isinstance(x, np.ndarray):
        return None, False
    return (x.base, False) if isinstance(x.base, np.ndarray) else (x, True)


def _others(code: Code, node: ast.expr) -> list[str]:
    """Return the other names in the function at fault whose arrays show the same elements."""
    base, _ = _elements(code.meaning(node))
    frame = code.place.frame
    if base is None or frame.f_locals is frame.f_globals:
        return []
    mine = ast.unparse(node)
    return [name for name, x in frame.f_locals.items() if name != mine and _elements(x)[0] is base]


def _is_alone(code: Code, node: ast.expr) -> bool:
    """Return whether no other name can show the elements, so that the name may stand for a new array."""
    if _others(code, node):
        return False
    if isinstance(node, ast.Attribute):
        return _elements(code.meaning(node))[1]
    made = next(_assignments(code, ast.unparse(node)), None)
    root = _root(made.value) if made else None
    return isinstance(root, (ast.BinOp, ast.Call, ast.UnaryOp)) and (_elements(code.meaning(node))[1] or _makes(root))


class _Assigned(NamedTuple):
    """An assignment: to what, of what, and where."""

    to: str
    value: ast.expr
    place: tuple[int, int]


def _place(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _assignments(code: Code, name: str) -> Iterator[_Assigned]:
    """Return the assignments to a name in the function at fault, before the line at fault; the last one first."""
    found = []
    here = _place(code.statement)
    for node in ast.walk(code.around):
        if not isinstance(node, (ast.AnnAssign, ast.Assign)) or _place(node) >= here or node.value is None:
            continue
        if isinstance(node, ast.AnnAssign):
            found.append((ast.unparse(node.target), _Assigned(ast.unparse(node.target), node.value, _place(node))))
            continue
        to = " = ".join(map(ast.unparse, node.targets))
        for target in node.targets:
            parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
            if isinstance(node.value, ast.Tuple) and len(parts) == len(node.value.elts) > 1:
                pairs = zip(map(ast.unparse, parts), node.value.elts, strict=True)
                found += [(one, _Assigned(one, value, _place(node))) for one, value in pairs]
            else:
                found += [(ast.unparse(one), _Assigned(to, node.value, _place(node))) for one in parts]
    return (made for one, made in sorted(found, key=lambda pair: pair[1].place, reverse=True) if one == name)


def _like(code: Code, values: tuple[ast.AST, ...], place: tuple[int, int] | None = None) -> str:
    """Return what ``like=`` may be given: a name of a number that is stored, known where the array is made."""
    frame = code.place.frame
    given = frame.f_code.co_varnames[: _count_of_arguments(code)] + frame.f_code.co_freevars
    stored = [name for node in values if (name := code.number_in(node))]
    names = [name for name in (*stored, *given, *frame.f_locals) if _number(code, name)]
    known = [name for name in names if not place or name in given or _is_set(code, name, place)]
    return next((_number(code, name) for name in known or names), "x")


def _count_of_arguments(code: Code) -> int:
    return code.place.frame.f_code.co_argcount + code.place.frame.f_code.co_kwonlyargcount


def _number(code: Code, name: str) -> str:
    """Return how a name gives a number: ``x``, or ``x[0]`` of a list; empty where it gives none."""
    value = code.meaning(ast.Name(name, ast.Load()))
    if isinstance(value, (list, tuple)):
        return f"{name}[0]" if value and _is_number(value[0]) else ""
    return name if _is_number(value) else ""


def _is_number(x: Any) -> bool:
    return is_number(type(x)) and x.level is not HELD


def _is_set(code: Code, name: str, place: tuple[int, int]) -> bool:
    """Return whether the function at fault gives a name a value before a place."""
    places = (node for node in ast.walk(code.around) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return any(node.id == name and _place(node) < place for node in places)


def _anew(code: Code, call: Any, like: str, made: Any) -> ast.Call:
    """Return the call that makes an array, with ``like=``; one of whole numbers as one of floats."""
    arguments, keywords = list(call.args), list(call.keywords)
    if is_array(made) and dtype_of(made).kind in "biu":
        arguments = [ast.Name("float", ast.Load()) if _is_type(code.meaning(part)) else part for part in arguments]
        keywords = [keyword for keyword in keywords if keyword.arg != "dtype"]
        if not any(_is_type(code.meaning(part)) for part in call.args):
            keywords.append(ast.keyword("dtype", ast.Name("float", ast.Load())))
    return ast.Call(call.func, arguments, [*keywords, ast.keyword("like", ast.Name(like, ast.Load()))])


def _is_type(x: Any) -> bool:
    return isinstance(x, (type, np.dtype))
