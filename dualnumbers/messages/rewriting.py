"""How the code at fault is written for numbers. Runs on the error path alone."""

from __future__ import annotations

import ast
from functools import reduce
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from .code import OPERATIONS, Code, code_at, holds_number
from .frames import Place
from .labelled import with_labels
from .shortening import FACTORS, METHODS, Written
from .storing import in_place, stored

MATH = {name: name for name in ("ceil", "copysign", "cos", "cosh", "cbrt", "degrees", "exp", "exp2", "expm1", "fabs",
                                "floor", "fmod", "frexp", "hypot", "isfinite", "isinf", "isnan", "ldexp",
                                "log", "log10", "log1p", "log2", "modf", "nextafter", "radians", "sin", "sinh", "sqrt",
                                "tan", "tanh")}  # fmt: skip
MATH |= {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
         "atan2": "arctan2", "atanh": "arctanh", "phase": "angle", "pow": "power"}  # fmt: skip
"""A function of ``math`` or ``cmath`` → the ufunc of NumPy that is the same."""

STATISTICS = {"mean": "np.mean({})", "fmean": "np.mean({})", "stdev": "np.std({}, ddof=1)", "pstdev": "np.std({})",
              "variance": "np.var({}, ddof=1)", "pvariance": "np.var({})", "median": "np.median({})"}  # fmt: skip
SCALED = dict.fromkeys(("gumbel", "laplace", "logistic", "normal"), ("loc", "scale")) | {
    "exponential": ("", "scale"),
    "rayleigh": ("", "scale"),
    "uniform": ("low", "high"),
}
"""Distributions of a place and a scale: a sample is the place and the scale times a standard one."""

PLAIN_COPIES = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.asarray_chkfinite,
                np.require, np.fromiter, np.nditer)  # fmt: skip


def rewritten(place: Place | None, road: str, rank: int = 0) -> Written:
    """Return what stands at a place from where ``road`` was asked for, and what to write instead.

    ``rank`` is that of the number that should have become plain.
    """
    found = code_at(place) if place else None
    if found is None:
        return Written("")
    for rule in (stored, with_labels, _formatted, in_place, _called):
        if written := rule(found, road, rank):
            return _as_operand(found, written)
    return Written(ast.unparse(found.node)) if isinstance(found.node, ast.expr) else Written("")


def _as_operand(code: Code, written: Written) -> Written:
    """Return what takes the place of an operand of a larger expression: a sum or the like in parentheses."""
    of_operators = isinstance(code.above, (*OPERATIONS, ast.Attribute, ast.Await, ast.BoolOp, ast.Starred))
    taken = code.node in (getattr(code.above, "func", None), getattr(code.above, "value", None))
    of_operators = of_operators or (isinstance(code.above, (ast.Call, ast.Subscript)) and taken)
    if not of_operators or written.old != ast.unparse(code.node) or not is_operation(written.new):
        return written
    return written._replace(new=f"({written.new})")


def is_operation(text: str) -> bool:
    """Return whether code is an expression that stands in parentheses as an operand."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return False
    return isinstance(node, (*OPERATIONS, ast.BoolOp, ast.IfExp, ast.Lambda))


def operand(node: ast.expr) -> str:
    """Return an expression, in parentheses where it is an operation."""
    text = ast.unparse(node)
    return f"({text})" if is_operation(text) else text


def _formatted(code: Code, road: str, rank: int) -> Written | None:
    """Rewrite ``"%f" % x``."""
    node = code.node
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)):
        return None
    if not isinstance(node.left, (ast.Constant, ast.JoinedStr)) and not isinstance(code.meaning(node.left), str):
        return None
    return Written(ast.unparse(node), f"{ast.unparse(node.left)} % {plain_text(node.right)}")


def plain_text(node: ast.AST) -> str:
    """Write the plain value of an expression."""
    return f"autodiff.value_of({ast.unparse(node)})"


def _called(code: Code, road: str, rank: int) -> Written | None:
    """Rewrite a call, by what is called."""
    node = code.node
    if isinstance(node, ast.Attribute) and isinstance(code.above, ast.Call) and code.above.func is node:
        return _of_methods(code.above, node, rank)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and road == f".{node.func.attr}":
        method = f"{plain_text(node.func.value)}.{node.func.attr}"
        return Written(ast.unparse(node), _with(method, node))
    if not isinstance(node, ast.Call) or not (node.args or node.keywords):
        return None
    function, old = code.meaning(node.func), ast.unparse(node)
    for rule in (_of_mapped, _of_math, _of_conversion, _of_random, _of_statistics, _of_objects):
        if new := rule(code, node, function, rank):
            return Written(old, new)
    return Written(old, _of_values(code, node), FACTORS if _of_factors(code, node.func) else "")


def _of_methods(call: ast.Call, method: ast.Attribute, rank: int) -> Written | None:
    """Rewrite ``x[0].item()``, ``x.tolist()``."""
    owner, index = operand(method.value), ", ".join(map(ast.unparse, call.args))
    if f".{method.attr}" not in METHODS or call.keywords or rank > 1:
        return None
    if method.attr == "tolist":
        return Written(ast.unparse(call), f"list({ast.unparse(method.value)})" if rank else owner)
    return Written(ast.unparse(call), f"{owner}[{index}]" if index else f"{owner}.reshape(())" if rank else owner)


def _of_mapped(code: Code, node: ast.Call, function: Any, rank: int) -> str:
    """Rewrite a function that is handed on to be called by compiled code: ``sum(map(math.sin, x))``."""
    mapped = _Mapped(code)
    new = ast.unparse(mapped.visit_Call(ast.parse(ast.unparse(node), mode="eval").body))  # type: ignore[arg-type]
    return new if mapped.found else ""


class _Mapped(ast.NodeTransformer):
    """Functions of math that stand in no call of their own, as NumPy's; what is mapped by float as it is."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.found = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        by_float = self.code.meaning(node.func) is map and len(node.args) == 2
        if by_float and self.code.meaning(node.args[0]) is float:
            self.found = True
            return self.visit(node.args[1])  # type: ignore[no-any-return]
        node.args = [self.visit(part) for part in node.args]
        node.keywords = [self.visit(part) for part in node.keywords]
        return node

    def visit_Name(self, node: ast.AST) -> ast.AST:
        name = _instead_of(self.code, self.code.meaning(node))
        self.found = self.found or bool(name)
        return ast.Name(name, ast.Load()) if name else node

    visit_Attribute = visit_Name  # noqa: N815


def _instead_of(code: Code, function: Any, count: int | None = None) -> str:
    """Return what to call in place of a function of ``math`` or ``cmath`` with so many arguments."""
    if not isinstance(function, BuiltinFunctionType) or function.__module__ not in ("math", "cmath"):
        return ""
    name = MATH.get(function.__name__, "")
    fits = bool(name) and count in (None, getattr(getattr(np, name), "nin", count))
    if function.__module__ == "cmath":
        return f"{code.called(name) or f'np.{name}'}" if fits else ""
    return (code.called(name) if fits else "") or f"dualnumbers.dmath.{function.__name__}"


def _of_factors(code: Code, function: ast.expr) -> bool:
    """Return whether a function solves an equation by the factors of a sparse matrix, which C code holds."""
    maker = function.value if isinstance(function, ast.Attribute) else function
    owners = (maker, getattr(code.meaning(function), "__self__", None), code.meaning(maker))
    made_by = code.meaning(maker.func) if isinstance(maker, ast.Call) else None
    of_scipy = str(getattr(made_by, "__module__", "")).startswith("scipy.sparse.linalg")
    return of_scipy or any(type(owner).__name__ == "SuperLU" for owner in owners)


def _with(name: str, node: ast.Call) -> str:
    return f"{name}({', '.join(map(ast.unparse, (*node.args, *node.keywords)))})"


def _of_math(code: Code, node: ast.Call, function: Any, rank: int) -> str:
    name = _instead_of(code, function, len(node.args))
    return _with(name, node) if name else ""


def _of_conversion(code: Code, node: ast.Call, function: Any, rank: int) -> str:
    if function is complex:
        named = {str(keyword.arg): keyword.value for keyword in node.keywords}
        return _complex(**(dict(zip(("real", "imag"), node.args, strict=False)) | named))
    if not node.args:
        return ""
    first, text = node.args[0], ast.unparse(node.args[0])
    if function is int or (isinstance(function, type) and issubclass(function, np.integer)):
        return f"int({plain_text(first)})"
    if isinstance(function, type) and issubclass(function, np.complexfloating):
        return _complex(first)
    if function is float or (isinstance(function, type) and issubclass(function, np.inexact)):
        return f"{operand(first)}.reshape(())" if rank else text
    if function is np.arange:
        return _with("autodiff.numpy.arange", node)
    if not callable(function) or function not in PLAIN_COPIES:
        return ""
    if function is np.fromiter:
        return f"np.stack(list({text}))"
    if function is np.nditer:
        return f"({operand(first)}[place] for place in np.ndindex({operand(first)}.shape))"
    if isinstance(first, (ast.List, ast.Tuple)) and not any(isinstance(e, (ast.List, ast.Tuple)) for e in first.elts):
        return f"np.stack({text})"
    if isinstance(first, (ast.List, ast.Tuple, ast.ListComp)) or isinstance(code.meaning(first), (list, tuple)):
        return f"autodiff.array({text})"
    return f"{operand(first)}.copy()" if function is np.array else text


def _complex(real: ast.expr | None = None, imag: ast.expr | None = None) -> str:
    return _sum(real or ast.Constant(0.0), ast.BinOp(ast.Constant(1j), ast.Mult(), imag) if imag else ast.Constant(0j))


def _of_random(code: Code, node: ast.Call, function: Any, rank: int) -> str:
    if not isinstance(node.func, ast.Attribute):
        return ""
    owner, method = code.meaning(node.func.value), node.func.attr
    made_by = code.meaning(node.func.value.func) if isinstance(node.func.value, ast.Call) else None
    of_numpy = isinstance(owner, (np.random.Generator, np.random.RandomState)) or owner is np.random
    of_numpy = of_numpy or made_by in (np.random.default_rng, np.random.RandomState)
    if not of_numpy or method not in SCALED or any(isinstance(part, ast.Starred) for part in node.args):
        return ""
    first, second = SCALED[method]
    given = dict(zip((first, second, "size") if first else (second, "size"), node.args, strict=False))
    given |= {str(keyword.arg): keyword.value for keyword in node.keywords}
    place, scale = given.get(first), given.get(second)
    if method == "uniform":
        scale = ast.BinOp(scale or ast.Constant(1.0), ast.Sub(), place) if place else scale
    known = [part for part in (place, scale) if part and not isinstance(part, ast.Constant)]
    if not known:
        return ""
    size = ast.unparse(given["size"]) if "size" in given else f"np.shape({_sum(*known)})"
    draw = ast.parse(f"{ast.unparse(node.func)}(size={size})", mode="eval").body
    return _sum(*filter(None, [place, ast.BinOp(scale, ast.Mult(), draw) if scale else draw]))


def _sum(*parts: ast.expr) -> str:
    return ast.unparse(reduce(lambda x, y: ast.BinOp(x, ast.Add(), y), parts))


def _of_statistics(code: Code, node: ast.Call, function: Any, rank: int) -> str:
    known = getattr(function, "__module__", "") == "statistics" and function.__name__ in STATISTICS
    alone = len(node.args) == 1 and not node.keywords
    return STATISTICS[function.__name__].format(_joined(code, node.args[0])) if known and alone else ""


def _of_objects(code: Code, node: ast.Call, function: Any, rank: int) -> str:
    """Rewrite a call of a NumPy function that is given numbers in a list or an array of objects."""
    if not isinstance(function, np.ufunc) and not str(getattr(function, "__module__", "")).startswith("numpy"):
        return ""
    parts = _by_name(node)
    arguments = [name + _joined(code, part) for name, part in parts]
    if arguments == [name + ast.unparse(part) for name, part in parts]:
        return ""
    return f"{ast.unparse(node.func)}({', '.join(arguments)})"


def _by_name(node: ast.Call) -> list[tuple[str, ast.expr]]:
    """Return the arguments of a call, each with what stands before it."""
    named = [(f"{part.arg}=" if part.arg else "**", part.value) for part in node.keywords]
    return [*(("", part) for part in node.args), *named]


def _joined(code: Code, node: ast.expr) -> str:
    """Write an argument as one array: what is a list or an array of objects is joined."""
    inner = node.args[0] if isinstance(node, ast.Call) and node.args and code.meaning(node.func) is np.array else node
    listed = isinstance(inner, (ast.List, ast.Tuple)) and code.number_in(inner)
    value = code.meaning(inner)
    if listed or (isinstance(value, (list, tuple, np.ndarray)) and holds_number(value)):
        return f"autodiff.array({ast.unparse(inner)})"
    return ast.unparse(node)


def _of_values(code: Code, node: ast.Call) -> str:
    """Write the call with plain values, for what only reads them; empty where no number is in it."""
    parts = _by_name(node)
    if not any(code.number_in(part) for _, part in parts):
        return ""
    arguments = [name + (plain_text(part) if code.number_in(part) else ast.unparse(part)) for name, part in parts]
    return f"{ast.unparse(node.func)}({', '.join(arguments)})"
