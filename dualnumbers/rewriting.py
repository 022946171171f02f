"""How the code at fault is written for numbers. Runs on the error path alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import BuiltinFunctionType
from typing import Any, NamedTuple

import numpy as np

from .frames import Place
from .lines import LABELLED, Code, code_at, holds_number, root_of

MATH = {name: name for name in ("ceil", "copysign", "cos", "cosh", "cbrt", "degrees", "exp", "exp2", "expm1", "fabs",
                                "floor", "fmod", "frexp", "hypot", "isclose", "isfinite", "isinf", "isnan", "ldexp",
                                "log", "log10", "log1p", "log2", "modf", "nextafter", "radians", "sin", "sinh", "sqrt",
                                "tan", "tanh")}  # fmt: skip
MATH |= {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
         "atan2": "arctan2", "atanh": "arctanh", "phase": "angle", "pow": "power"}  # fmt: skip
"""A function of ``math`` or ``cmath`` → the ufunc of NumPy that is the same."""

STATISTICS = {"mean": "np.mean({})", "fmean": "np.mean({})", "stdev": "np.std({}, ddof=1)", "pstdev": "np.std({})",
              "variance": "np.var({}, ddof=1)", "pvariance": "np.var({})", "median": "np.median({})"}  # fmt: skip
SCALED = ("gumbel", "laplace", "logistic", "normal")
"""Distributions of a place and a scale: a sample is the place and the scale times a standard one."""

MAKERS = ("arange", "array", "asarray", "empty", "eye", "full", "identity", "ones", "tri", "zeros")
"""What makes an array in NumPy and takes ``like=``."""

PLAIN_COPIES = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.asarray_chkfinite,
                np.require, np.fromiter, np.nditer)  # fmt: skip


class Written(NamedTuple):
    """What stands on a line, and what to write instead, empty where nothing is known; the SciPy function called."""

    old: str
    new: str = ""
    scipy: str = ""


def rewritten(place: Place | None, road: str, rank: int = 0) -> Written:
    """What stands at a place from where ``road`` was asked for, and what to write instead.

    ``rank`` is that of the number that should have become plain.
    """
    found = code_at(place) if place else None
    if found is None:
        return Written("")
    for rule in (_stored, _with_labels, _formatted, _in_place, _called):
        if written := rule(found, road, rank):
            return written
    return Written(ast.unparse(found.node)) if isinstance(found.node, ast.expr) else Written("")


def _stored(code: Code, road: str, rank: int) -> Written | None:
    """``dy[0] = y[1]``: the array must be one that takes numbers."""
    target, statement = code.node, code.statement
    values = [statement.value] if isinstance(statement, (ast.Assign, ast.AugAssign)) else []
    if isinstance(target, ast.Subscript) and isinstance(target.ctx, ast.Store) and values:
        if root_of(code.meaning(target.value)) in LABELLED:
            return None
        return Written(ast.unparse(statement), _taking(code, target.value, *values))
    if not isinstance(target, ast.Call) or not target.args:
        return None
    if road.endswith("into a plain array"):
        return Written(ast.unparse(target), _taking(code, target.args[0], *target.args[1:]))
    filled = isinstance(target.func, ast.Attribute) and target.func.attr in ("fill", "itemset", "put")
    owner = target.func.value if isinstance(target.func, ast.Attribute) else target
    if filled and (isinstance(code.meaning(owner), np.ndarray) or _makes(owner)):
        return Written(ast.unparse(target), _taking(code, owner, *target.args))
    return None


def _makes(call: Any) -> bool:
    return isinstance(call, ast.Call) and getattr(call.func, "attr", "") in MAKERS


def _taking(code: Code, array: ast.expr, *values: ast.AST) -> str:
    """How an array is made that takes these values: as the function at fault makes it, with ``like=``."""
    name, like = ast.unparse(array), f"like={code.number_in(*values) or 'x'}"
    made: list[Any] = [array, *(node.value for node in sorted(_assignments(code, name), key=lambda node: -node.lineno))]
    for call in made:
        if _makes(call):
            arguments = [*map(ast.unparse, (*call.args, *call.keywords)), like]
            anew = f"{ast.unparse(call.func)}({', '.join(arguments)})"
            return anew if call is array else f"{name} = {anew}"
    return f"{name} = np.array({name}, {like})"


def _assignments(code: Code, name: str) -> Iterator[ast.Assign]:
    """Where the function at fault assigns to a name, before the line at fault."""
    assignments = (node for node in ast.walk(code.around) if isinstance(node, ast.Assign))
    for node in assignments:
        if node.lineno < code.place.line and any(ast.unparse(target) == name for target in node.targets):
            yield node


def _with_labels(code: Code, road: str, rank: int) -> Written | None:
    """``p * df["x"]``: columns of a table as arrays."""
    node, to = code.whole, ""
    if isinstance(code.statement, ast.AugAssign) and code.node in (code.statement, code.statement.target):
        target = code.statement.target
        node, to = ast.BinOp(target, code.statement.op, code.statement.value), f"{ast.unparse(target)} = "
    if not isinstance(node, (ast.BinOp, ast.Compare, ast.Call, ast.Subscript)):
        return None
    old = ast.unparse(node)
    new = ast.unparse(_ToArrays(code).visit(ast.parse(old, mode="eval").body))
    return Written(ast.unparse(code.statement) if to else old, f"{to}{new}") if new != old else None


class _ToArrays(ast.NodeTransformer):
    def __init__(self, code: Code) -> None:
        self.code = code

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if root_of(self.code.meaning(node)) in LABELLED:
            return ast.Call(ast.Attribute(node, "to_numpy", ast.Load()), [], [])  # type: ignore[arg-type]
        return super().generic_visit(node)


def _formatted(code: Code, road: str, rank: int) -> Written | None:
    """``"%f" % x``."""
    node = code.node
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)):
        return None
    if not isinstance(node.left, (ast.Constant, ast.JoinedStr)) and not isinstance(code.meaning(node.left), str):
        return None
    return Written(ast.unparse(node), f"{ast.unparse(node.left)} % {plain_text(node.right)}")


def plain_text(node: ast.AST) -> str:
    """The plain value of an expression."""
    return f"autodiff.value_of({ast.unparse(node)})"


def _in_place(code: Code, road: str, rank: int) -> Written | None:
    """``plain += x``, where ``plain`` is an array."""
    statement, node = code.statement, code.node
    if isinstance(statement, ast.AugAssign) and node in (statement, statement.target) and "out=" in road:
        if isinstance(statement.target, ast.Subscript):
            return Written(ast.unparse(statement), _taking(code, statement.target.value, statement.value))
        target = ast.unparse(statement.target)
        sum_of = ast.unparse(ast.BinOp(statement.target, statement.op, statement.value))
        return Written(ast.unparse(statement), f"{target} = {sum_of}")
    if not isinstance(node, ast.Call) or "out=" not in road:
        return None
    named = [keyword.value for keyword in node.keywords if keyword.arg == "out"]
    plain = [part for part in node.args if _makes(part) or type(code.meaning(part)) is np.ndarray]
    targets = named or plain[-1:]
    return Written(ast.unparse(node), _taking(code, targets[0], *node.args) if targets else "")


def _called(code: Code, road: str, rank: int) -> Written | None:
    """A call, by what is called."""
    node = code.node
    if not isinstance(node, ast.Call) or not (node.args or node.keywords):
        return None
    function, old = code.meaning(node.func), ast.unparse(node)
    for rule in (_of_math, _of_conversion, _of_random, _of_statistics, _of_objects):
        if new := rule(code, node, function, rank):
            return Written(old, new)
    return Written(old, _of_values(code, node), "scipy.sparse.linalg.splu" if _of_factors(code, node.func) else "")


def _of_factors(code: Code, function: ast.expr) -> bool:
    """Whether a function solves an equation by the factors of a sparse matrix, which C code holds."""
    maker = function.value if isinstance(function, ast.Attribute) else function
    owners = (maker, getattr(code.meaning(function), "__self__", None), code.meaning(maker))
    made_by = code.meaning(maker.func) if isinstance(maker, ast.Call) else None
    of_scipy = str(getattr(made_by, "__module__", "")).startswith("scipy.sparse.linalg")
    return of_scipy or any(type(owner).__name__ == "SuperLU" for owner in owners)


def _with(name: str, node: ast.Call) -> str:
    return f"{name}({', '.join(map(ast.unparse, (*node.args, *node.keywords)))})"


def _of_math(code: Code, node: ast.Call, function: Any, rank: int) -> str:
    if not isinstance(function, BuiltinFunctionType) or function.__module__ not in ("math", "cmath"):
        return ""
    name = MATH.get(function.__name__, "")
    arguments = getattr(getattr(np, name, None), "nin", len(node.args))
    numpy = code.called(name) if name and arguments == len(node.args) else ""
    if not numpy and function.__module__ == "cmath":
        return _with(f"np.{name}", node) if name else ""
    return _with(numpy or f"dualnumbers.dmath.{function.__name__}", node)


def _of_conversion(code: Code, node: ast.Call, function: Any, rank: int) -> str:
    if not node.args:
        return ""
    first, text = node.args[0], ast.unparse(node.args[0])
    if function is int or (isinstance(function, type) and issubclass(function, np.integer)):
        return f"int({plain_text(first)})"
    if function is complex:
        return f"{text} + {'0j' if len(node.args) == 1 else f'1j * {ast.unparse(node.args[1])}'}"
    if function is float or (isinstance(function, type) and issubclass(function, np.inexact)):
        return f"{text}.reshape(())" if rank else text
    if not callable(function) or function not in PLAIN_COPIES:
        return ""
    if function is np.fromiter:
        return f"np.stack(list({text}))"
    if function is np.nditer:
        return f"({text}[place] for place in np.ndindex({text}.shape))"
    if isinstance(first, (ast.List, ast.Tuple)) and not any(isinstance(e, (ast.List, ast.Tuple)) for e in first.elts):
        return f"np.stack({text})"
    if isinstance(first, (ast.List, ast.Tuple, ast.ListComp)) or isinstance(code.meaning(first), (list, tuple)):
        return f"autodiff.array({text})"
    simple = isinstance(first, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return (f"{text}.copy()" if simple else f"({text}).copy()") if function is np.array else text


def _of_random(code: Code, node: ast.Call, function: Any, rank: int) -> str:
    if not isinstance(node.func, ast.Attribute):
        return ""
    owner, method = code.meaning(node.func.value), node.func.attr
    made_by = code.meaning(node.func.value.func) if isinstance(node.func.value, ast.Call) else None
    of_numpy = isinstance(owner, (np.random.Generator, np.random.RandomState)) or owner is np.random
    given = dict(zip(("loc", "scale", "size"), map(ast.unparse, node.args), strict=False))
    given |= {str(keyword.arg): ast.unparse(keyword.value) for keyword in node.keywords}
    place, scale = given.get("loc", ""), given.get("scale", "")
    of_numpy = of_numpy or made_by in (np.random.default_rng, np.random.RandomState)
    if not of_numpy or method not in SCALED or not (place or scale):
        return ""
    size = given.get("size", f"np.shape({place or scale})")
    draw = f"{ast.unparse(node.func)}(size={size})"
    scaled = f"{scale} * {draw}" if scale else draw
    return f"{place} + {scaled}" if place else scaled


def _of_statistics(code: Code, node: ast.Call, function: Any, rank: int) -> str:
    known = getattr(function, "__module__", "") == "statistics" and function.__name__ in STATISTICS
    return STATISTICS[function.__name__].format(ast.unparse(node.args[0])) if known and node.args else ""


def _of_objects(code: Code, node: ast.Call, function: Any, rank: int) -> str:
    """A function of NumPy, given numbers in a list or an array of objects."""
    if not isinstance(function, np.ufunc) and not str(getattr(function, "__module__", "")).startswith("numpy"):
        return ""
    arguments = [_joined(code, part) for part in node.args]
    if arguments == [ast.unparse(part) for part in node.args]:
        return ""
    return f"{ast.unparse(node.func)}({', '.join((*arguments, *map(ast.unparse, node.keywords)))})"


def _joined(code: Code, node: ast.expr) -> str:
    """An argument as one array: what is a list or an array of objects is joined."""
    inner = node.args[0] if isinstance(node, ast.Call) and node.args and code.meaning(node.func) is np.array else node
    listed = isinstance(inner, (ast.List, ast.Tuple)) and code.number_in(inner)
    value = code.meaning(inner)
    if listed or (isinstance(value, (list, tuple, np.ndarray)) and holds_number(value)):
        return f"autodiff.array({ast.unparse(inner)})"
    return ast.unparse(node)


def _of_values(code: Code, node: ast.Call) -> str:
    """The call with plain values, for what only reads them; empty where no number is in it."""
    parts = [(f"{part.arg}=" if part.arg else "**", part.value) for part in node.keywords]
    parts = [*(("", part) for part in node.args), *parts]
    if not any(code.number_in(part) for _, part in parts):
        return ""
    arguments = [name + (plain_text(part) if code.number_in(part) else ast.unparse(part)) for name, part in parts]
    return f"{ast.unparse(node.func)}({', '.join(arguments)})"
