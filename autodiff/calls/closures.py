"""What a user's function depends on: the numbers among its further arguments, and those that it closes over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dis import get_instructions
from functools import lru_cache, partial, wraps
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from dualnumbers.foreign import is_foreign
from dualnumbers.forms import is_unreal, shape
from dualnumbers.levels import HELD, RUNNING, is_lazy, is_number, plain
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.arguments import joined
from dualnumbers.rules.shaping import array, astype, concatenate, reshape
from dualnumbers.table import is_of_table

from .structures import kind_of

Function = Callable[..., Any]

NUMPYS = frozenset((float, np.float64, np.ndarray))
"""What most functions return that a solver calls, thousands of times."""


def closure_converted(function: Function, args: tuple[Any, ...]) -> tuple[Any, Callable[[Any], Function]]:
    """Return the vector θ of all numbers that ``function(…, *args)`` depends on, and ``at``.

    ``at(θ)`` is the function of its first arguments, with the numbers θ in the places of its own. Its own are those of
    `numbers_in`. What holds none of them stays the object that it is; a function that names a number as a global
    variable, or an object that holds one, is a copy, and what it assigns there is lost.
    """
    found = {id(x): x for x in numbers_in((function, args))}
    for x in found.values():
        if is_unreal(x):
            raise TypeError(f"no derivative by a complex parameter: give its real and imaginary parts{user_line()}")
    theta = concatenate(*(reshape(x, -1, "C") for x in found.values()), 0) if found else np.zeros(0)
    latest: tuple[Any, Function] = (None, function)

    def at(theta: Any) -> Function:
        nonlocal latest
        known, call = latest
        if known is not theta:
            new, start = {}, 0
            for key, x in found.items():
                stop = start + int(np.prod(shape(x)))
                new[key] = reshape(theta[start:stop], shape(x), "C") if shape(x) else theta[start]
                start = stop
            bound, further = replaced((function, args), new, {})
            call = lambda *first: bound(*first, *further)
            latest = theta, call
        return call

    return theta, at


def parameters_converted(function: Function, args: tuple[Any, ...]) -> tuple[Any, Callable[[Any], Function]]:
    """Return what `closure_converted` does, θ in double precision: what is solved for has it, too."""
    theta, at = closure_converted(function, args)
    in_numpy("a parameter is", theta)
    return astype(theta, np.float64), at


def in_numpy(what: str, *values: Any, refused: Callable[[type], bool] = is_foreign) -> None:
    """Raise TypeError where a value, or one in a list, is an array of another library, which solvers cannot read."""
    for x in values:
        if type(x) is list or type(x) is tuple:
            in_numpy(what, *x, refused=refused)
        elif refused(kind := type(plain(x))):
            raise TypeError(
                f"solvers compute with NumPy's arrays, but {what} one of {kind.__module__}.{kind.__qualname__}: "
                f"give NumPy's, as x.compute() makes of Dask's and x.get() of CuPy's{user_line()}"
            )


def plain_result(call: str, z: Any) -> Any:
    """Return what a function returned at plain arguments; raise TypeError where it depends on a number all the same."""
    if type(z) not in NUMPYS:
        in_numpy("the function returned", z, refused=is_lazy)  # which would be computed; others convert, or say why not
    z = array(joined(z))
    if is_number(type(z)):
        raise _hidden_number(call)
    return z


def checked(call: str, f: Any) -> Any:
    """Return a function that raises TypeError where its result depends on a number, and its arguments do not.

    Outside of every differentiation it is f itself, as is what is no function.
    """
    if not RUNNING or not callable(f):
        return f

    @wraps(f)
    def plainly(*args: Any, **keywords: Any) -> Any:
        z = f(*args, **keywords)
        if holds_numbers(z) and not holds_numbers(args, keywords):
            raise _hidden_number(call)
        return z

    return plainly


def _hidden_number(call: str) -> TypeError:
    """Return the error for a function that depends on a number which is not found in it."""
    return TypeError(
        f"the function given to {call} uses a number that is neither in args nor a variable that it "
        f"closes over or names, such as an object's attribute: give it in args{user_line()}"
    )


# ------------------------------------------------------------------------------------------------ what holds what


def numbers_in(x: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """Yield the numbers in containers, in object arrays, and in what functions close over, name or have by default.

    Of a bound method and of an object that can be called, the attributes count as well.
    """
    if is_number(type(x)) and x.level is HELD:
        x = x.primal
    if is_number(type(x)):
        yield x
        return
    seen = set() if seen is None else seen
    parts = parts_of(x)
    if parts and id(x) not in seen:
        seen.add(id(x))
        for part in parts:
            yield from numbers_in(part, seen)


def holds_numbers(*values: Any) -> bool:
    """Return whether a derivative may come through any of the values."""
    return next(numbers_in(values), None) is not None


def parts_of(x: Any) -> Iterable[Any]:
    """Return what a value holds; its parts live as long as it does."""
    kind = None if _is_called(x) else kind_of(x)
    if kind is not None:
        return kind.parts(x)
    if isinstance(x, np.ndarray):
        return list(x.flat) if x.dtype == object else ()
    if isinstance(x, partial):
        return [x.func, *x.args, *x.keywords.values()]
    if isinstance(x, FunctionType):
        if _is_of_table(x):
            return ()
        held = [_contents(cell) for cell in x.__closure__ or ()]
        return [*held, *(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values(), *_globals(x).values()]
    if isinstance(x, MethodType):
        return [x.__func__, *_attributes(x.__self__).values()]
    return list(_attributes(x).values()) if _is_called(x) else ()


def _is_called(x: Any) -> bool:
    """Return whether it is an object of a class written in Python that can be called."""
    return isinstance(getattr(type(x), "__call__", None), FunctionType)  # noqa: B004  of the class, not of x


def _is_of_table(function: FunctionType) -> bool:
    """Return whether it is a function of the table: what it does to each kind of number holds none of the user's."""
    face = getattr(function, "face", None)
    return face is not None and is_of_table(face.row)


def _attributes(x: Any) -> dict[str, Any]:
    return {} if isinstance(x, type) else getattr(x, "__dict__", {})


def _contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet assigned
        return None


@lru_cache(maxsize=1024)
def _names(code: CodeType) -> frozenset[str]:
    """Return the global names that code reads, with the functions in it; an attribute may be called the same."""
    own = (step.argval for step in get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    inner = (_names(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return frozenset(own).union(*inner)


def _globals(function: FunctionType) -> dict[str, Any]:
    """Return the global variables that hold numbers and that a function names."""
    there = ((name, function.__globals__.get(name)) for name in _names(function.__code__))
    return {name: x for name, x in there if is_number(type(x))}


ATOMS = frozenset((float, int, bool, str, type, type(None), np.float64, np.ufunc, ModuleType, BuiltinFunctionType))
"""Types of values that hold nothing."""


class Watched:
    """Functions that are asked at every call which numbers they depend on: most hold none, as is seen at once."""

    __slots__ = ("functions", "named", "quick")

    def __init__(self, functions: Any) -> None:
        """Watch the functions in a structure of tuples."""
        self.functions = functions
        found = [f for f in _flat(functions) if type(f) not in ATOMS]
        self.quick = all(type(f) is FunctionType and not f.__defaults__ and not f.__kwdefaults__ for f in found)
        named = [(f.__globals__, tuple(_names(f.__code__)), f.__closure__ or ()) for f in found if self.quick]
        self.named = [parts for parts in named if parts[1] or parts[2]]

    def numbers(self) -> list[Any]:
        """Return the numbers of `numbers_in`, each once."""
        if self.quick and not self._may_hold():
            return []
        return list({id(x): x for x in numbers_in(self.functions)}.values())

    def _may_hold(self) -> bool:
        for names_to, names, cells in self.named:
            for cell in cells:
                if not _is_atom(_contents(cell)):
                    return True
            for name in names:
                if is_number(type(names_to.get(name))):
                    return True
        return False


def _flat(functions: Any) -> Iterator[Any]:
    for part in functions if isinstance(functions, tuple) else ():
        yield from _flat(part) if isinstance(part, tuple) else (part,)


def _is_atom(x: Any) -> bool:
    """Return whether a value holds no number, as is seen at once."""
    if type(x) is list or type(x) is tuple:
        return ATOMS.issuperset(map(type, x))
    return type(x) in ATOMS or (type(x) is np.ndarray and x.dtype.char != "O")


# ------------------------------------------------------------------------------------------------ other numbers


def replaced(x: Any, new: dict[int, Any], made: dict[int, Any]) -> Any:
    """Return a number by its replacement, what holds one by a copy that has the replacement; anything else as it is."""
    if id(x) in new:
        return new[id(x)]
    if id(x) in made:
        return made[id(x)]
    if not any(id(number) in new for number in numbers_in(x)):
        return x

    def again(part: Any) -> Any:
        return replaced(part, new, made)

    kind = None if _is_called(x) else kind_of(x)
    if kind is not None:
        return kind.built(x, [again(part) for part in kind.parts(x)])
    if isinstance(x, np.ndarray):
        return array(again(x.tolist()))
    if isinstance(x, partial):
        return partial(again(x.func), *map(again, x.args), **again(x.keywords))
    if isinstance(x, FunctionType):
        return _function(x, again, made)
    if isinstance(x, MethodType):
        return MethodType(again(x.__func__), _object(x.__self__, again, made))
    return _object(x, again, made)


def _object(x: Any, again: Function, made: dict[int, Any]) -> Any:
    """Return a copy of an object with other attributes."""
    if id(x) not in made:
        made[id(x)] = found = copy(x)
        found.__dict__.update({name: again(part) for name, part in _attributes(x).items()})
    return made[id(x)]


def _function(x: FunctionType, again: Function, made: dict[int, Any]) -> FunctionType:
    """Return a function of the same code with other cells, defaults and global variables."""
    named = _globals(x)
    names = {**x.__globals__, **{name: again(number) for name, number in named.items()}} if named else x.__globals__
    held = [(cell, _contents(cell)) for cell in x.__closure__ or ()]
    cells = [CellType() if holds_numbers(value) else cell for cell, value in held]
    made[id(x)] = function = FunctionType(x.__code__, names, x.__name__, again(x.__defaults__), tuple(cells))
    function.__kwdefaults__ = again(x.__kwdefaults__)
    for cell, (old, value) in zip(cells, held, strict=True):
        if cell is not old:
            cell.cell_contents = again(value)
    return function
