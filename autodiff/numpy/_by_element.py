"""Functions of NumPy that call a Python function with one element, or one row, after the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from dualnumbers.forms import shape, size
from dualnumbers.levels import is_number, plain, read
from dualnumbers.memory import axes_by_stride
from dualnumbers.messages.errors import user_line
from dualnumbers.messages.refusals import note
from dualnumbers.rules.arrays import along_axes
from dualnumbers.rules.from_scipy import OF_PYTHON
from dualnumbers.rules.shaping import array, broadcast_to, reshape, transpose

from ..calls.running import is_inside
from ._held import all_held, held, holds_number
from ._holder import keeping
from ._taking import as_array, stands_for, within


def elementwise(function: Callable[..., Any], operands: list[Any], types: Any = None) -> Any:
    """Return what a function of single elements gives on arrays: an array, or a tuple of them for a tuple.

    Plain elements are Python's own numbers, as `numpy.vectorize` has it. Without ``types`` for the results these are
    of the type of the first; TypeError where that is no floating one and a number with a derivative is among them.
    """
    operands = [held(as_array(x)) for x in operands]
    common = np.broadcast_shapes(*map(shape, operands))
    operands = [x if is_number(type(x)) else np.asarray(x, object) for x in operands]
    given = [broadcast_to(x, common) if shape(x) != common else x for x in operands]
    axes = axes_by_stride(np.asarray(_of_nothing(len(given))(*map(plain, given))))
    lengths, places = [common[axis] for axis in axes], np.argsort(axes).tolist()
    results = [
        function(*(x if is_number(type(x)) and not shape(x) else x[tuple(index[i] for i in places)] for x in given))
        for index in np.ndindex(*lengths)
    ]
    if not isinstance(results[0], tuple):
        return transpose(_joined(results, lengths, types and types[0]), places)
    kinds = types or [None] * len(results[0])
    parts = zip(*results, strict=True)
    return tuple(transpose(_joined(list(part), lengths, kind), places) for part, kind in zip(parts, kinds, strict=True))


@cache
def _of_nothing(count: int) -> Any:
    """Return a ufunc of so many operands whose result lies in memory as NumPy's would."""
    return np.frompyfunc(lambda *operands: None, count, 1)


def _joined(results: list[Any], lengths: list[int], kind: Any) -> Any:
    """Put results one after the other into an array of a shape."""
    of = np.dtype(kind) if kind else np.asarray(plain(held(results[0]))).dtype
    if not holds_number(results):
        return keeping(np.asarray(results, of).reshape(lengths))
    if not kind and of.kind not in "fcO":
        text = (
            f"np.vectorize gives all results the type of the first, {of}, in which a number has no derivative: "
            f"write np.vectorize(f, otypes=[float]){user_line()}"
        )
        note(results, text)
        raise TypeError(text)
    z = reshape(array(results), tuple(lengths), "C")
    return z if of.char == "O" or z.dtype == of else z.astype(of)


def _value(x: Any) -> Any:
    return read(held(x))


@stands_for(np.vectorize)
class vectorize(np.vectorize):  # noqa: N801
    """As ``numpy.vectorize``; with numbers that carry derivatives, the function is called with such."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if not is_inside() or not callable(getattr(self, "pyfunc", None)):
            return super().__call__(*arguments, **keywords)
        if self.signature is not None:
            if holds_number([*arguments, *keywords.values()]):
                raise TypeError(
                    "np.vectorize with a signature makes plain arrays: np.stack the results of a loop" + user_line()
                )
            return super().__call__(*map(held, arguments), **all_held(keywords))
        names = [name for name in keywords if name not in self.excluded]
        places = [k for k in range(len(arguments)) if k not in self.excluded]
        operands = [*(arguments[k] for k in places), *(keywords[name] for name in names)]
        if not operands:
            return super().__call__(*map(held, arguments), **all_held(keywords))
        if not all(size(held(as_array(x))) for x in operands):  # the function is not called
            return super().__call__(*map(_value, arguments), **{name: _value(x) for name, x in keywords.items()})

        def function(*elements: Any) -> Any:
            given = list(arguments)
            for k, element in zip(places, elements, strict=False):
                given[k] = element
            return self.pyfunc(*given, **{**keywords, **dict(zip(names, elements[len(places) :], strict=True))})

        return elementwise(function, operands, self.otypes)


@stands_for(np.frompyfunc)
def frompyfunc(func: Any, /, nin: int, nout: int, **identity: Any) -> Any:
    """Make a Python function a ufunc; over arrays with derivatives it is mapped element by element."""

    def called(*elements: Any) -> Any:
        return func(*elements)

    def rule(*operands: Any) -> Any:
        z = elementwise(func, list(operands), "O" * nout)
        return tuple(part[()] for part in z) if nout > 1 else z[()]

    called.__name__, called.rule = getattr(func, "__name__", "?"), rule  # type: ignore[attr-defined]
    ufunc = np.frompyfunc(called, nin, nout, **identity)
    OF_PYTHON[id(ufunc)] = called
    return ufunc


@stands_for(np.ndenumerate)
class ndenumerate(np.ndenumerate):  # noqa: N801
    """As ``numpy.ndenumerate``; of numbers with derivatives as well, and of an array that gets them meanwhile."""

    def __new__(cls, arr: Any) -> Any:
        x = as_array(arr)
        return super().__new__(cls) if is_number(type(x)) else np.ndenumerate(arr)

    def __init__(self, arr: Any) -> None:
        self.array = as_array(arr)
        self.places = np.ndindex(self.array.shape)

    def __next__(self) -> Any:
        place = next(self.places)
        return place, self.array[place]


@within(np.apply_along_axis)
def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """Apply a function of vectors to each vector along an axis."""
    x = held(as_array(arr))
    x = x if is_number(type(x)) else np.asanyarray(x)
    return keeping(along_axes.apply_along_axis(func1d, axis, x, *args, **kwargs))
