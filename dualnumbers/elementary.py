"""What an elementary function is: a row of the table, and a dispatch by type.

A *table function* such as ``sin`` is an ordinary Python function. It looks the type of its argument up in one
dictionary: ``float`` leads to ``math.sin``, ``ndarray`` to ``np.sin``, and a kind of number to its *lift*, the way in
which that kind extends any row. The row (``sin.row``) is pure data: how to evaluate the function, and its derivative,
argument by argument, as one of five kinds: elementwise, linear, multilinear, smooth, locally constant (Griewank &
Walther, *Evaluating Derivatives*, 2008, §2).

A row has two *faces*: Python's own function decides how ``dmath.log(0.0)`` fails, NumPy's how ``np.log(0.0)`` does.
Both share the derivative. Of a Python float the one gives a Python float, the other what NumPy gives, ``np.float64``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

import numpy as np

from .dispatch import Lifts, by_level, by_type, python_value
from .errors import public_name, user_line

ELEMENTWISE, LINEAR, MULTILINEAR, SMOOTH, LOCALLY_CONSTANT = (
    "elementwise", "linear", "multilinear", "smooth", "locally constant")  # fmt: skip

PYTHON = (int, float, complex)
"""The types of Python's own numbers."""

TABLE: dict[str, TableFunction] = {}
"""Every table function by its name; a name with an underscore in front is for the other rows only."""

BY_NUMPY: dict[Any, Callable[..., Any]] = {}
"""The table function (its NumPy face) of each NumPy function, ufunc and SciPy ufunc name."""

COMPOSITIONS: dict[str, Callable[..., Any]] = {}
"""Every function that is written in table functions, by the public name of the one that it stands for."""


@dataclass(slots=True, eq=False, repr=False)
class Row:
    """One row of the table: a function of ``arity`` operands (−1: any number) and ``statics`` fixed parameters.

    ``partials`` (elementwise), ``adjoints`` (linear and multilinear) and ``pushes`` (smooth) hold one entry per
    operand; None marks one in which the function is locally constant. ``selects``: the derivative is 0 by choice alone.
    """

    name: str
    kind: str
    arity: int
    statics: int = 0
    partials: tuple[Any, ...] = ()
    adjoints: tuple[Any, ...] = ()
    pushes: tuple[Any, ...] = ()
    pulls: tuple[Any, ...] = ()
    """Explicit pull-backs ``(z̄, z, *operands, *static)`` beside push-forwards, where a benchmark shows the gain."""
    domain: Any = None
    singular: bool = False
    selects: bool = False
    signature: Callable[..., tuple[Any, ...]] | None = None
    shown: str = ""
    """What listings call the function, where that is not its name."""
    unreal: Callable[..., Any] | None = None
    """The function of a complex argument, where it is not holomorphic."""
    put: Callable[..., Any] | None = None
    """Of a view: ``put(x, v, *static)`` is ``x`` with ``v`` in the place that the view showed."""
    accumulate: Callable[..., Any] | None = None
    """Of getitem: ``accumulate(x̄, z̄, *static)`` adds the adjoint in place."""
    evaluate: Callable[..., Any] = field(init=False)
    """The function of operands of any kind."""
    scalar: Any = field(init=False, default=None)
    """An elementwise function of Python numbers."""
    plain: Any = field(init=False, default=None)
    """Any other function of plain arrays."""
    inline: bool = field(init=False)
    """Whether it is elementwise in one or two operands, which the hot paths write out."""
    lifts: Lifts = field(init=False)

    def __post_init__(self) -> None:
        self.inline = self.kind == ELEMENTWISE and self.arity <= 2
        self.lifts = Lifts(self)

    def __repr__(self) -> str:
        return f"<row {self.name}: {self.kind}>"


class TableFunction(Protocol):
    """A function of values of any kind, with its row."""

    row: Row

    def __call__(self, *arguments: Any) -> Any: ...


def _named(function: Any, row: Row) -> TableFunction:
    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = f"The table function of the {row.kind} row ``{row.name}``."
    function.row = row
    return cast(TableFunction, function)


def _on_elements(python: Any) -> Callable[..., Any]:
    """A function of Python numbers applied to each element, where NumPy has no such function."""
    vectorized = np.vectorize(python, otypes=[float])
    return lambda *xs: vectorized(*xs)[()]


# ----------------------------------------------------------------------------------------- the five kinds of row


def _scalar_rows(row: Row, python: Callable[..., Any] | None, ufunc: Any, operator: bool) -> TableFunction:
    """Give an elementwise or locally constant row its two faces; returns the table function, Python's face."""
    array = row.scalar = ufunc or _on_elements(python)
    row.evaluate = _named(by_type(row, array, array), row)
    if ufunc is not None:
        BY_NUMPY[ufunc] = row.evaluate
    row = replace(row)
    scalar = row.scalar = python or python_value(ufunc)
    function = TABLE[row.name] = _named(by_type(row, scalar, scalar if operator else array), row)
    row.evaluate = scalar if operator else function
    return function


def elementwise(
    python: Callable[..., Any] | None,
    ufunc: Any,
    *partials: Any,
    name: str | None = None,
    domain: Any = None,
    singular: bool = False,
    operator: bool = False,
    **more: Any,
) -> TableFunction:
    """A function applied element by element, z = f(x[, y …]).

    Each partial is a function ``(x[, y …], z) -> ∂f/∂argᵢ`` written in table functions and arithmetic, or a number
    where it is constant. ``singular``: a partial may be infinite inside the domain. ``operator``: ``python`` is one
    of Python's operators, which dispatches by itself. ``more``: other fields of the row, such as ``unreal``.
    """
    name = name or (ufunc if python is None or operator else python).__name__
    row = Row(name, ELEMENTWISE, len(partials), partials=partials, domain=domain, singular=singular, **more)
    return _scalar_rows(row, python, ufunc, operator)


def locally_constant(
    python: Callable[..., Any] | None,
    ufunc: Any,
    arity: int = 1,
    name: str | None = None,
    operator: bool = False,
    unreal: Callable[..., Any] | None = None,
) -> TableFunction:
    """A function applied element by element whose derivative is zero wherever it has one: floor, comparisons, sign.

    ``unreal``: the function of a complex argument, where that has a derivative.
    """
    name = name or ufunc.__name__
    return _scalar_rows(Row(name, LOCALLY_CONSTANT, arity, unreal=unreal), python, ufunc, operator)


def locally_constant_of_array(numpy_function: Any, signature: Callable[..., tuple[Any, ...]],
                              evaluate: Callable[..., Any], name: str | None = None, arity: int = 1
                              ) -> TableFunction:  # fmt: skip
    """A function of arrays whose derivative is zero wherever it has one: argmax, argsort, any."""
    name = name or numpy_function.__name__
    statics = len(signature(*[None] * arity)) - arity
    row = Row(name, LOCALLY_CONSTANT, arity, signature=signature, statics=statics)
    return _array_row(row, numpy_function, evaluate)


def _array_row(row: Row, numpy_function: Any, evaluate: Callable[..., Any] | None) -> TableFunction:
    row.plain = evaluate or numpy_function
    function = _named(by_level(row, row.plain), row)
    row.evaluate = function
    if numpy_function is not None:
        BY_NUMPY[numpy_function] = entry(function)
    TABLE[row.name] = function
    return function


def with_values_of(numpy_function: Any, function: TableFunction) -> TableFunction:
    """The NumPy face of an array row whose table function gives Python numbers for such."""
    row = replace(function.row)
    row.plain = numpy_function
    row.evaluate = face = _named(by_level(row, numpy_function), row)
    return face


def required(signature: Callable[..., Any]) -> int:
    """How many arguments a call must give at least."""
    return signature.__code__.co_argcount - len(signature.__defaults__ or ())


def entry(function: TableFunction) -> Callable[..., Any]:
    """What a user's call of the function that a row is of becomes; a view stays tied to its base."""
    signature = function.row.signature
    assert signature is not None

    if not function.row.put:

        def called(*arguments: Any, **keywords: Any) -> Any:
            return function(*signature(*arguments, **keywords))

    else:

        def called(*arguments: Any, **keywords: Any) -> Any:
            x, *static = signature(*arguments, **keywords)
            return x.viewed(function, *static)

    called.function, called.__wrapped__ = function, signature  # type: ignore[attr-defined]
    return called


def entry_of(function: TableFunction, *numpy_functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: what a user's call of these NumPy functions becomes, the row of ``function`` in the plain case."""

    def register(called: Callable[..., Any]) -> Callable[..., Any]:
        called.function = function  # type: ignore[attr-defined]
        BY_NUMPY.update(dict.fromkeys(numpy_functions, called))
        return called

    return register


def composition(*numpy_functions: Any, weak: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: a function written in table functions is what these NumPy functions do to numbers.

    It takes what a user may pass to the NumPy function, with numbers of NumPy in place of Python's; if ``weak``, for
    which the type of the other operands counts, as it is.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        function.weak = weak  # type: ignore[attr-defined]
        for numpy_function in numpy_functions:
            BY_NUMPY[numpy_function] = COMPOSITIONS[public_name(numpy_function)] = function
        return function

    return register


def linear(
    numpy_function: Any,
    signature: Callable[..., tuple[Any, ...]] | None,
    *adjoints: Any,
    evaluate: Callable[..., Any] | None = None,
    name: str | None = None,
    statics: int = 0,
    arity: int | None = None,
    **more: Any,
) -> TableFunction:
    """A function linear in its operands jointly: sum, reshape, concatenate, getitem.

    ``signature`` takes what a user may pass to ``numpy_function`` and returns operands and static parameters in one
    order; ``evaluate`` takes them in that order (``numpy_function`` itself if absent). Each adjoint maps
    ``(z̄, *operands, *static)`` to the operand's adjoint; ``None`` marks an operand that carries no derivative
    (the condition of ``where``). A function of any number of operands (``arity=-1``) has one adjoint, which is
    also given the operand's place: ``(z̄, place, *operands, *static)``.
    """
    arity = len(adjoints) if arity is None else arity
    row = Row(name or numpy_function.__name__, LINEAR, arity, adjoints=adjoints, signature=signature,
              statics=statics, **more)  # fmt: skip
    return _array_row(row, numpy_function, evaluate)


def multilinear(
    numpy_function: Any,
    signature: Callable[..., tuple[Any, ...]] | None,
    *adjoints: Any,
    evaluate: Callable[..., Any] | None = None,
    name: str | None = None,
    statics: int = 0,
    arity: int | None = None,
    **more: Any,
) -> TableFunction:
    """A function linear in each operand with the others fixed: matmul, einsum, outer. Fields as `linear`'s."""
    arity = len(adjoints) if arity is None else arity
    row = Row(name or numpy_function.__name__, MULTILINEAR, arity, adjoints=adjoints, signature=signature,
              statics=statics, **more)  # fmt: skip
    return _array_row(row, numpy_function, evaluate)


def smooth(
    numpy_function: Any,
    signature: Callable[..., tuple[Any, ...]] | None,
    *pushes: Any,
    adjoints: tuple[Any, ...] | None = None,
    evaluate: Callable[..., Any] | None = None,
    name: str | None = None,
    statics: int = 0,
    **more: Any,
) -> TableFunction:
    """A differentiable function of arrays, written by its push-forward: solve in A, inv, det, max.

    Each push maps ``(ẋ, z, *operands, *static)`` to the tangent of z and is linear in ẋ; the pull-back is derived
    from it. An operand in which the function is linear has ``None`` there and its adjoint map in ``adjoints``.
    """
    row = Row(name or numpy_function.__name__, SMOOTH, len(pushes), pushes=pushes,
              adjoints=adjoints or (None,) * len(pushes), signature=signature, statics=statics, **more)  # fmt: skip
    return _array_row(row, numpy_function, evaluate)


class Refused:
    """The partial by an argument in which a derivative is not to be had, such as the order of a Bessel function."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __call__(self, *arguments: Any) -> Any:
        raise self.error()

    def error(self) -> TypeError:
        """What the user sees."""
        return TypeError(f"{self.reason}; give that argument as autodiff.value_of(...) if its derivative is not "
                         f"wanted{user_line()}")  # fmt: skip


# ----------------------------------------------------------------------------------- partials at singular points

FAILURES = (ArithmeticError, ValueError, TypeError)
"""What a partial may raise on Python numbers where NumPy's would be infinite, NaN or complex."""
