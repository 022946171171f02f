"""Arithmetic that a user typed, as a function: parsed by `ast`, and only the kinds of node in `NODES` mean anything.

What is not listed is refused, so no text can run other code, and every number stays so small that none can hang.
"""

from __future__ import annotations

import ast
import difflib
import keyword
import math
import operator
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from dualnumbers import dmath
from dualnumbers.levels import read
from dualnumbers.table import TABLE

from ..tape.sources import EVALUATORS, Source, part_of_line

Evaluate = Callable[[dict[str, Any]], Any]

LONGEST_TEXT, DEEPEST = 1_000, 100
"""Characters of an expression, and how deep its parts may be nested: evaluation is recursive."""

MOST_BITS, LARGEST_FACTORIAL = 1023, 1000
"""The bits of the largest whole number that has a float beside it; the largest that factorials are computed of."""


class ExpressionError(ValueError):
    """What is wrong with an expression, in one line."""


def expression(text: str, names: Sequence[str]) -> Callable[..., Any]:
    """Return the expression as a function of as many values as there are names, in that order.

    It may hold numbers, the names, the functions and constants of `dualnumbers.dmath` and ``abs``, ``max``, ``min``,
    ``+ - * / // % **``, comparisons, ``and or not``, and ``a if condition else b``. A name hides the constant of the
    same name.

    Raises ExpressionError for anything else; so does the function at a point where it has no value.
    """
    source = _Source(text, frozenset(names))
    evaluate = source.compiled(_parsed(text).body)

    def function(*values: Any) -> Any:
        value = evaluate(dict(zip(names, values, strict=True)))
        return float(value) if type(value) is int else value  # 3, floor(x): an integer would have no derivative

    function.__name__ = text
    return function


def real_value(text: str, function: Callable[..., Any], values: Iterable[Any]) -> float:
    """Return the value of an expression as a float; ExpressionError where it is not a real number."""
    value = function(*values)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        kind = "true or false" if isinstance(value, bool) else f"complex here ({value:.6g})"
        raise ExpressionError(f"{short(text)}: its value is {kind}; a derivative needs a real number")
    return float(value)


def assignments(items: Sequence[str]) -> dict[str, float]:
    """Read ``["x=1", "y=pi/4"]`` as values by name, in order; ExpressionError where one is something else."""
    values: dict[str, float] = {}
    for item in items:
        name, equals, text = item.partition("=")
        name = unicodedata.normalize("NFKC", name.strip())  # as Python reads the names in the expression
        if not equals or not name.isidentifier() or keyword.iskeyword(name):
            raise ExpressionError(f"{short(item)}: give a variable and its value, such as x=0.5")
        if name in values:
            raise ExpressionError(f"{short(item)}: {name} already has the value {values[name]!r}")
        try:
            values[name] = real_value(text, expression(text, []), [])
        except ExpressionError:
            raise ExpressionError(f"{short(item)}: the value must be a number, such as 0.5 or pi/4") from None
    return values


def _parsed(text: str) -> ast.Expression:
    """Parse to a syntax tree; ExpressionError where there is none, or where it is too long or too deep."""
    if len(text) > LONGEST_TEXT:
        raise ExpressionError(f"the expression has {len(text)} characters; at most {LONGEST_TEXT} are read")
    too_deep = ExpressionError(f"{short(text)}: nested more than {DEEPEST} deep; a long sum is fsum([a, b, ...])")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval")
    except (RecursionError, MemoryError):
        raise too_deep from None
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else "it has characters that are not text"
        if "too many nested" in reason:
            raise too_deep from None
        hint = "".join(f"; write {name}(...)" for name in text.split()[:1] if name in FUNCTIONS)  # sin x
        if reason.startswith("invalid decimal"):
            hint = "; a product is written with *"
        elif text.partition("=")[0].strip().isidentifier() and "=" in text:
            hint = "; the expression comes before NAME=NUMBER"
        raise ExpressionError(f"{short(text) or 'nothing'}: not an expression ({short(reason)}{hint})") from None
    level: list[ast.AST] = [tree]
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return tree
    raise too_deep


def short(text: str) -> str:
    """Cut a text to one line of at most 60 characters."""
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."


# ---------------------------------------------------------------------------------------------- names


def _from_dmath() -> tuple[dict[str, Callable[..., Any]], dict[str, float]]:
    values = {name: getattr(dmath, name) for name in {*dir(math), "fma", "sumprod"} if not name.startswith("_")}
    functions = {name: value for name, value in values.items() if callable(value)}
    return functions, {name: value for name, value in values.items() if name not in functions}


FUNCTIONS, CONSTANTS = _from_dmath()
FUNCTIONS |= {"abs": abs, "max": TABLE["maximum"], "min": TABLE["minimum"]}
PAIRS, OF_LISTS = ("frexp", "modf"), ("dist", "fsum", "prod", "sumprod")
OTHER_NAMES = {"ln": "log", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "power": "pow",
               "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "absolute": "abs"}  # fmt: skip


def _advice(name: str, candidates: Iterable[str]) -> str:
    near = [known for known in candidates if abs(len(known) - len(name)) < 2]
    close = [OTHER_NAMES[name]] if name in OTHER_NAMES else difflib.get_close_matches(name, near, 1)
    return f"; did you mean {close[0]}?" if close else ""


# ---------------------------------------------------------------------------------------------- nodes


def _power(x: Any, y: Any) -> Any:
    if type(x) is int and type(y) is int and y > 0 and (x.bit_length() - 1) * y > MOST_BITS:
        raise OverflowError("the result is too large")
    return x**y


UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}  # fmt: skip
BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: _power}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne}  # fmt: skip


@dataclass(frozen=True)
class _Source:
    """A text and the names that have a value; each method makes one kind of node an evaluation."""

    text: str
    names: frozenset[str]

    def compiled(self, node: ast.AST) -> Evaluate:
        kind = NODES.get(type(node))
        if kind is None:
            raise self.error(node, "this is not arithmetic; numbers, variables, functions such as sin(x), "
                                   "+ - * / ** and parentheses are")  # fmt: skip
        return kind(self, node)

    def segment(self, node: ast.AST) -> str:
        return short(ast.get_source_segment(self.text.strip(), node) or self.text)

    def error(self, node: ast.AST, reason: str) -> ExpressionError:
        return ExpressionError(f"{self.segment(node)}: {reason}")

    def applied(self, node: ast.AST, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        """Return the function's value; a failure names the part of the text that has none."""
        try:
            result = function(*arguments)
        except (ArithmeticError, ValueError) as failure:
            raise self.error(node, f"no value at this point ({failure.args[-1]})") from failure
        except TypeError as failure:
            raise self.error(node, str(failure)) from failure
        if type(result) is int and result.bit_length() > MOST_BITS:
            raise self.error(node, "no value at this point (the result is too large)")
        return result

    def application(self, node: ast.AST, function: Callable[..., Any], operands: Sequence[ast.AST]) -> Evaluate:
        parts = [self.compiled(operand) for operand in operands]
        return lambda values: self.applied(node, function, [part(values) for part in parts])

    def constant(self, node: ast.Constant) -> Evaluate:
        value = node.value
        if type(value) not in (int, float) or (type(value) is int and value.bit_length() > MOST_BITS):
            raise self.error(node, "too large" if type(value) is int else "not a real number")
        return lambda values: value

    def name(self, node: ast.Name) -> Evaluate:
        name = node.id
        if name in self.names:
            return lambda values: values[name]
        if name in CONSTANTS:
            value = CONSTANTS[name]
            return lambda values: value
        if name in FUNCTIONS:
            raise self.error(node, f"this is a function; write {name}(...)")
        advice = _advice(name, {*self.names, *CONSTANTS})
        raise self.error(node, f"this variable has no value; add {name}=NUMBER{advice}")

    def unary(self, node: ast.UnaryOp) -> Evaluate:
        function = UNARY.get(type(node.op))
        if function is None:
            raise self.error(node, "~ works on bits, not on real numbers")
        return self.application(node, function, [node.operand])

    def binary(self, node: ast.BinOp) -> Evaluate:
        function = BINARY.get(type(node.op))
        if function is None:
            power = isinstance(node.op, ast.BitXor)
            raise self.error(node, "a power is written **" if power else "this operator does not work on real numbers")
        return self.application(node, function, [node.left, node.right])

    def comparison(self, node: ast.Compare) -> Evaluate:
        if any(type(op) not in COMPARISONS for op in node.ops):
            raise self.error(node, "compare numbers by < <= > >= == !=")
        first, *others = [self.compiled(part) for part in (node.left, *node.comparators)]
        steps = [(COMPARISONS[type(op)], part) for op, part in zip(node.ops, others, strict=True)]

        def holds(values: dict[str, Any]) -> bool:
            left = first(values)
            for compare, part in steps:
                right = part(values)
                if not self.applied(node, compare, (left, right)):
                    return False
                left = right
            return True

        return holds

    def logic(self, node: ast.BoolOp) -> Evaluate:
        parts = [self.compiled(part) for part in node.values]
        every = all if isinstance(node.op, ast.And) else any
        return lambda values: every(bool(part(values)) for part in parts)

    def choice(self, node: ast.IfExp) -> Evaluate:
        condition, then, otherwise = (self.compiled(part) for part in (node.test, node.body, node.orelse))
        return lambda values: then(values) if condition(values) else otherwise(values)

    def call(self, node: ast.Call, pair: bool = False) -> Evaluate:
        if not isinstance(node.func, ast.Name):
            dotted = isinstance(node.func, ast.Attribute)
            raise self.error(node, "write functions by their name alone, such as sin(x)" if dotted else
                             "this calls a number; a product is written with *")  # fmt: skip
        name = node.func.id
        if name not in FUNCTIONS:
            number = name in self.names or name in CONSTANTS
            raise self.error(node, f"{name} is a number; a product is written {name}*(...)" if number else
                             f"there is no function {name}{_advice(name, FUNCTIONS)}")  # fmt: skip
        if node.keywords or any(isinstance(part, ast.Starred) for part in node.args):
            raise self.error(node, "give the arguments one by one, without names")
        if name in PAIRS and not pair:
            raise self.error(node, f"{name} gives two numbers; write {name}(...)[0] or {name}(...)[1]")
        if name in OF_LISTS:
            return self.call_of_lists(node, name)
        return self.application(node, _of_small_integers(name), node.args)

    def call_of_lists(self, node: ast.Call, name: str) -> Evaluate:
        if not all(isinstance(part, (ast.List, ast.Tuple)) for part in node.args):
            raise self.error(node, f"{name} takes lists, such as [x, 2]")
        lists = [[self.compiled(element) for element in part.elts] for part in node.args]  # type: ignore[attr-defined]
        return lambda values: self.applied(node, FUNCTIONS[name],
                                           [[element(values) for element in part] for part in lists])  # fmt: skip

    def part_of_pair(self, node: ast.Subscript) -> Evaluate:
        call, index = node.value, node.slice
        paired = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in PAIRS
        if not paired or not isinstance(index, ast.Constant) or index.value not in (0, 1):
            raise self.error(node, "brackets select [0] or [1] of modf(x) or frexp(x) only")
        pair, place = self.call(call, pair=True), int(index.value)  # type: ignore[arg-type]
        return lambda values: pair(values)[place]

    def sequence(self, node: ast.List | ast.Tuple) -> Evaluate:
        raise self.error(node, "a list stands only in the call of a function of lists, such as fsum([x, y])")


def _of_small_integers(name: str) -> Callable[..., Any]:
    """Return a function of `FUNCTIONS`; factorials of numbers that would take long refuse them."""
    function = FUNCTIONS[name]
    if name not in ("comb", "factorial", "perm"):
        return function

    def bounded(*arguments: Any) -> Any:
        if any(read(x) > LARGEST_FACTORIAL for x in arguments):
            raise OverflowError("the result is too large")
        return function(*arguments)

    return bounded


NODES: dict[type[ast.AST], Callable[[_Source, Any], Evaluate]] = {
    ast.Constant: _Source.constant, ast.Name: _Source.name, ast.UnaryOp: _Source.unary, ast.BinOp: _Source.binary,
    ast.Compare: _Source.comparison, ast.BoolOp: _Source.logic, ast.IfExp: _Source.choice, ast.Call: _Source.call,
    ast.Subscript: _Source.part_of_pair, ast.List: _Source.sequence, ast.Tuple: _Source.sequence,
}  # fmt: skip


def _evaluated_part(frame: FrameType) -> Source | None:
    """Return the part of the text whose value a frame of `_Source.applied` computes."""
    node, lines = frame.f_locals["node"], frame.f_locals["self"].text.strip().splitlines()
    line = lines[node.lineno - 1]
    end = node.end_col_offset if node.end_lineno == node.lineno else len(line.encode())
    return part_of_line(line, node.col_offset, end)


EVALUATORS[_Source.applied.__code__] = _evaluated_part
