"""The words in which rules are written: decorators that make a function a row of the table.

Each takes the derivatives, one for each operand, and then the function; its name, its fixed parameters and their
defaults are those of the row. A derivative is of the word's own kind, or one of `kinds`; None is `Constant`:

    @linear(lambda g, x, axes: transpose(g, inverse(axes)), of=np.transpose)
    def transpose(a, axes=None):
        return np.transpose(a, axes)

The *table function* that comes of it looks the type of its argument up in one dictionary: ``float`` leads to
``math.sin``, ``ndarray`` to ``np.sin``, and a kind of number to its *lift*, the way in which that kind extends any row.
"""

from __future__ import annotations

import inspect
import sys
from _thread import RLock
from collections.abc import Callable
from functools import update_wrapper, wraps
from types import FrameType
from typing import Any, cast

import numpy as np

from ..levels import is_lazy
from ..messages.names import public_name
from .dispatch import TO_DECIDE_BY, by_level, by_type, python_value, refuse
from .kinds import Constant, Elementwise, ElementwiseOfSeveral, Kind, Linear, Multilinear, Smooth
from .registry import BY_NUMPY, BY_VALUES, COMPOSITIONS, MAKERS, TABLE
from .row import Face, Row, TableFunction

Function = Callable[..., Any]
Word = Callable[..., TableFunction]
_MAKING = RLock()
_WRITERS: dict[str, dict[str, Any]] = {}
"""The names of the file that wrote each row."""

EMPTY = inspect.Parameter.empty

# ------------------------------------------------------------------------------------ functions of elements


def elementwise(*partials: Any, name: str | None = None, unreal: Any = None, **fields: Any) -> Word:
    """Make a row of a function applied element by element, z = f(x[, y …]).

    Each partial is a function ``(x[, y …], z) -> ∂f/∂argᵢ`` written in table functions and arithmetic, or a number
    where it is constant. That of a function of several results is a tuple of such, in which None stands for a result
    that is locally constant; ``z`` is the tuple of the results. What it gives takes Python's function, or None, and
    then NumPy's, where there is one.
    ``unreal``: the function of complex arguments, where it is not holomorphic, or two, of Python's numbers and NumPy's.
    ``fields`` are others of `Row`, such as ``domain``.
    """
    if not any(type(p) is tuple for p in partials):
        return _with_two_faces(tuple(map(Elementwise, partials)), name, unreal, fields)
    carried = [any(p is not None for p in by_operand) for by_operand in zip(*partials, strict=True)]
    fields |= {"several": True, "carried": lambda z: carried}
    return _with_two_faces(tuple(map(ElementwiseOfSeveral, partials)), name, unreal, fields)


def locally_constant(arity: int = 1, name: str | None = None, unreal: Any = None, **fields: Any) -> Word:
    """Make a row of a function of elements whose derivative is zero wherever it has one: floor, comparisons, sign."""
    return _with_two_faces((Constant(),) * arity, name, unreal, fields)


def _with_two_faces(kinds: tuple[Kind, ...], name: str | None, unreal: Any, fields: Any) -> Word:
    of_python, of_numpy = unreal if isinstance(unreal, tuple) else (unreal, unreal)

    def word(python: Function | None, ufunc: Any = None) -> TableFunction:
        operator = getattr(python, "__module__", None) == "_operator"  # it dispatches by itself
        named = ufunc if python is None or operator else python
        row = Row(name or named.__name__.lstrip("_"), kinds, **fields)
        array = ufunc or _on_elements(python)
        row.numpy = Face(row, scalar=array, plain=array, unreal=of_numpy)
        row.numpy.evaluate = table_function(by_type(row.numpy, array, array), row.numpy)
        if ufunc is not None:
            BY_NUMPY[ufunc] = row.numpy.evaluate
        scalar = python or python_value(ufunc)
        row.python = Face(row, scalar=scalar, plain=array, unreal=of_python)
        function = enter(by_type(row.python, scalar, scalar if operator else array), row.python)
        row.python.evaluate = scalar if operator else function
        return function

    return word


def _on_elements(python: Any) -> Function:
    """Apply a function of Python numbers to each element, where NumPy has no such function."""
    vectorized = np.vectorize(python, otypes=[float])
    return lambda *xs: vectorized(*xs)[()]


def table_function(function: Any, face: Face) -> TableFunction:
    """Give a function the name of its row, the row and the face."""
    row = face.row
    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = f"The table function of {row!r}."
    function.row, function.face = row, face
    return cast(TableFunction, function)


def _writer() -> dict[str, Any]:
    """Return the names of the file that is being read, of which a line writes a row."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return {} if frame is None else frame.f_globals


def enter(function: Any, face: Face) -> TableFunction:
    """Enter a function into the table as that of a row; ValueError where the table has that name already."""
    name, writer = face.row.name, _writer()
    before = _WRITERS.get(name, {})
    again = before is not writer and before.get("__name__", 0) == writer.get("__name__")
    if name in TABLE and not again:  # a file whose import was interrupted is read once more
        raise ValueError(f"the table has a row {name!r} already: {TABLE[name].row!r}")
    TABLE[name], _WRITERS[name] = table_function(function, face), writer
    return cast(TableFunction, function)


def family(make: Callable[..., TableFunction]) -> Callable[..., TableFunction]:
    """Decorate a function that makes a row for an argument, such as an order: it makes each once, when asked for it."""
    made: dict[tuple[Any, ...], TableFunction] = {}

    def member(*which: Any) -> TableFunction:
        if which not in made:
            with _MAKING:  # a row is entered once, whichever thread asks first
                if which not in made:
                    made[which] = row = make(*which)
                    MAKERS[row.row.name] = make.__module__, make.__qualname__, which
        return made[which]

    return update_wrapper(member, make)


# ------------------------------------------------------------------------------------ functions of arrays


def linear(*adjoints: Any, **options: Any) -> Word:
    """Make a row of a function linear in its operands together: sum, reshape, getitem. Options as `array_row`'s.

    Each adjoint maps ``(z̄, *operands, *parameters)`` to the operand's adjoint.
    """
    return array_row(Linear, adjoints, **options)


def multilinear(*adjoints: Any, **options: Any) -> Word:
    """Make a row of a function linear in each operand with the others fixed: matmul, einsum, outer. As `linear`."""
    return array_row(Multilinear, adjoints, **options)


def smooth(*pushes: Any, **options: Any) -> Word:
    """Make a row of a differentiable function of arrays, by its push-forward: solve in A, inv, det, max. As `linear`.

    Each push maps ``(ẋ, z, *operands, *parameters)`` to the tangent of z and is linear in ẋ; the pull-back is derived
    from it.
    """
    return array_row(Smooth, pushes, **options)


def locally_constant_of_arrays(operands: int = 1, **options: Any) -> Word:
    """Make a row of a function of arrays whose derivative is zero wherever it has one: argmax, any. As `linear`."""
    return array_row(Constant, (None,) * operands, **options)


def array_row(kind: Any, derivatives: tuple[Any, ...], *, of: Any = None, needs: Any = EMPTY,
              call: Function | None = None, any_number: bool = False, name: str | None = None,
              **fields: Any) -> Word:  # fmt: skip
    """Make a row of a function of arrays.

    ``of`` is the function of NumPy's that it stands for. A user's call of that has the row's own parameters, or those
    of ``call``, which returns operands and parameters in the row's order. A function that names none, such as one in C,
    has operands only. ``needs`` is the function that a library must have for its lazy arrays, ``of`` unless another is
    given; None where it can do without any. With ``any_number`` of operands they come as one sequence, also to the only
    derivative, ``(z̄, place, operands, *parameters)``; then there is a ``call``. ``name`` is that of the row where the
    function has another; ``fields`` are others of `Row`.
    """
    needed = of if needs is EMPTY else needs
    kinds = tuple(as_kind(kind, derivative) for derivative in derivatives)

    def word(function: Function) -> TableFunction:
        found = parameters(function, len(kinds))
        names = list(found)[len(kinds) :]
        named = of if function.__name__ == "<lambda>" else function
        row = Row(name or named.__name__.lstrip("_"), kinds, tuple(names), call, any_number, **fields)
        plain = _of_a_sequence(function, len(names)) if any_number else function
        row.python = row.numpy = face = Face(row, plain=plain)
        face.evaluate = enter(by_level(face, plain, needed), face)
        if of is not None:
            BY_NUMPY[of] = entry(face.evaluate)
        return face.evaluate

    return word


def as_kind(kind: Any, derivative: Any) -> Kind:
    """Return a derivative as a kind: None is `Constant`; what is no kind yet is of ``kind``."""
    return Constant() if derivative is None else derivative if isinstance(derivative, Kind) else kind(derivative)


def parameters(function: Any, operands: int) -> dict[str, Any]:
    """Return the parameters of a function, each with its default or `EMPTY`."""
    code = getattr(function, "__code__", None)
    if code is None or not code.co_argcount:
        return {f"x{k + 1}": EMPTY for k in range(operands)}
    names = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    return dict(zip(names, (*(EMPTY,) * (len(names) - len(defaults)), *defaults), strict=True))


def _binder(found: dict[str, Any]) -> Function:
    """Make a function of these parameters that returns its arguments."""
    taken = ", ".join(name if default is EMPTY else f"{name}=defaults[{name!r}]" for name, default in found.items())
    return cast(Function, eval(f"lambda {taken}: ({', '.join(found)},)", {"defaults": found}))


def _of_a_sequence(function: Function, statics: int) -> Function:
    """Turn a function of a sequence and parameters into one of operands one by one and parameters."""
    if not statics:
        return lambda *operands: function(operands)
    return lambda *arguments: function(arguments[:-statics], *arguments[-statics:])


def with_values_of(numpy_function: Any, function: TableFunction) -> TableFunction:
    """Make the NumPy face of an array row whose table function gives Python numbers for Python numbers."""
    row = function.row
    row.numpy = face = Face(row, plain=numpy_function)
    face.evaluate = numpy_face = table_function(by_level(face, numpy_function), face)
    return numpy_face


# ------------------------------------------------------------------------------------ what a user's call becomes


def entry(function: TableFunction) -> Function:
    """Make the function that a user's call of NumPy's becomes: it applies the row to the arguments in its order.

    What it returns of a row with a ``put`` is a view, which stays tied to its base.
    """
    row = function.row
    call = row.call = row.call or _binder(parameters(function.face.plain, row.arity))

    if not row.put:

        def called(*arguments: Any, **keywords: Any) -> Any:
            return function(*call(*arguments, **keywords))

    else:

        def called(*arguments: Any, **keywords: Any) -> Any:
            x, *static = call(*arguments, **keywords)
            return x.viewed(function, *static)

    called.function, called.__wrapped__ = function, call  # type: ignore[attr-defined]
    return called


def _deciding(name: str, function: Function, of: Any) -> Function:
    """Return a function that refuses what it would compute of the arguments ``of`` these names, True for all."""
    taken = inspect.signature(function)
    BY_VALUES[name] = () if of is True else of

    @wraps(function)
    def deciding(*arguments: Any, **keywords: Any) -> Any:
        given = taken.bind(*arguments, **keywords).arguments
        values = [x for parameter, x in given.items() if of is True or parameter in of]
        refuse(is_lazy, name, TO_DECIDE_BY, values)
        return function(*arguments, **keywords)

    return deciding


def required(call: Function) -> int:
    """Return how many arguments a call must give at least."""
    return call.__code__.co_argcount - len(call.__defaults__ or ())


def entry_of(function: TableFunction, *numpy_functions: Any) -> Callable[[Function], Function]:
    """Enter what a user's call of these NumPy functions becomes: a function that in the plain case is ``function``."""

    def register(called: Function) -> Function:
        called.function = function  # type: ignore[attr-defined]
        BY_NUMPY.update(dict.fromkeys(numpy_functions, called))
        return called

    return register


def composition(
    *numpy_functions: Any, weak: bool = False, by_values: bool | tuple[str, ...] = False
) -> Callable[[Function], Function]:
    """Enter a function written in table functions as what these NumPy functions do to numbers.

    It takes what a user may pass to the NumPy function, with numbers of NumPy in place of Python's; if ``weak``, for
    which the type of the other operands counts, as it is. Where the length of its result, or what it does, goes
    ``by_values``, of all arguments or of those named, it refuses a lazy array, which it would compute.
    """

    def register(function: Function) -> Function:
        function = _deciding(public_name(numpy_functions[0]), function, by_values) if by_values else function
        function.weak = weak  # type: ignore[attr-defined]
        for numpy_function in numpy_functions:
            BY_NUMPY[numpy_function] = COMPOSITIONS[public_name(numpy_function)] = function
        return function

    return register
