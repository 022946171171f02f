"""A function of any arguments as one of its real leaves, which returns a tuple of real leaves: what gradcheck compares.

A complex leaf counts as its real and its imaginary part.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dualnumbers.forms import is_unreal
from dualnumbers.levels import is_number
from dualnumbers.rules.complexes import imag, real

from ..calls.structures import flatten, keeps_structure, paths_of_leaves
from ..calls.values import differentiable, output, output_leaf, without_leaves

Function = Callable[..., Any]

ENTRIES = 1000
"""Derivatives of the highest order up to which all are checked."""

DIRECTIONS = 4
"""Random directions in the arguments, and in the outputs, along which a larger function is checked."""


@dataclass(frozen=True, eq=False)
class RealFunction:
    """``function(*leaves)`` returns a tuple of real numbers and arrays; ``inputs`` and ``outputs`` are their names."""

    function: Function
    leaves: list[Any]
    inputs: list[str]
    outputs: list[str]


def by_copies(function: Function) -> Function:
    """Call a function that may write to its arguments on copies of them."""
    return lambda *xs: function(*(x.copy(order="K") if isinstance(x, np.ndarray) else x for x in xs))


def size(value: Any) -> float:
    """Return the largest finite absolute value in a number or array."""
    return float(np.max(np.abs(value)[np.isfinite(value)], initial=0.0))


Maker = Callable[[Iterator[Any]], Any]
"""What makes a leaf of a stream of real ones."""


def _real_parts(x: Any, name: str) -> tuple[list[Any], list[str], Maker]:
    """Return the real leaves of a leaf, their names, and what makes it of others; what is no number has none."""
    try:
        x = differentiable(x)
    except TypeError:
        return [], [], lambda _: x
    if is_number(type(x)):
        raise TypeError("gradcheck takes plain values: use autodiff.value_of(x)")
    if not is_unreal(x):
        return [x], [name], next
    return [+x.real, +x.imag], [f"{name}.real", f"{name}.imag"], lambda stream: next(stream) + 1j * next(stream)


def of_real_leaves(f: Function, args: list[Any], indices: Sequence[int]) -> RealFunction:
    """Turn ``f(*args)`` into a function of the real leaves of the arguments at ``indices``; other things stay."""
    leaves: list[Any] = []
    inputs: list[str] = []
    made: dict[int, tuple[Function, list[Maker]]] = {}
    for index in indices:
        parts, rebuild = flatten(args[index])
        names = paths_of_leaves(args[index], f"args[{index}]")
        makers = []
        for x, name in zip(parts, names, strict=True):
            found, named, maker = _real_parts(x, name)
            leaves += found
            inputs += named
            makers.append(maker)
        made[index] = rebuild, makers
    if not leaves:
        raise ValueError("gradcheck: no argument is a number or an array of numbers")

    def called(*xs: Any) -> Any:
        stream = iter(xs)
        given = list(args)
        for index, (rebuild, makers) in made.items():
            given[index] = rebuild([make(stream) for make in makers])
        out = f(*given)
        return out if keeps_structure(out) else output(out, f)

    tree = by_copies(called)(*leaves)
    unreal = [is_unreal(out) for out in flatten(tree)[0]]
    if not unreal:
        raise ValueError(f"gradcheck: {getattr(f, '__name__', 'f')} returned no number: {tree!r}")

    def function(*xs: Any) -> tuple[Any, ...]:
        outs = [without_leaves(output_leaf(out, f)) for out in flatten(called(*xs))[0]]
        found = [is_unreal(out) for out in outs]
        if len(found) != len(unreal) or any(map(operator.gt, found, unreal)):
            raise ValueError("beside the point the function returns more, or complex numbers, as (-2.0) ** 0.5")
        return tuple(
            part
            for out, pair in zip(outs, unreal, strict=True)
            for part in ((real(out), imag(out)) if pair else (out,))
        )

    outputs = [
        name + part
        for name, pair in zip(paths_of_leaves(tree, "f"), unreal, strict=True)
        for part in ((".real", ".imag") if pair else ("",))
    ]
    function.__name__ = getattr(f, "__name__", "f")
    return RealFunction(function, leaves, inputs, outputs)


def of_few_directions(full: RealFunction, order: int) -> RealFunction:
    """Return a function of few derivatives as it is, others along random directions of arguments and outputs."""
    values = by_copies(full.function)(*full.leaves)
    n, m = sum(map(np.size, full.leaves)), sum(map(np.size, values))
    if m * n**order <= ENTRIES:
        return full
    random = np.random.default_rng(0)

    def directions(x: Any, dims: tuple[int, ...], length: float) -> Any:
        return (length * random.normal(size=dims)).astype(np.result_type(x))

    ways = [directions(x, (*np.shape(x), DIRECTIONS), max(size(x), 1e-3) / n**0.5) for x in full.leaves]
    weights = [directions(value, (DIRECTIONS, np.size(value)), 1.0) for value in values]

    def along(z: Any) -> Any:
        return full.function(*(x + np.matmul(way, z) for x, way in zip(full.leaves, ways, strict=True)))

    function = along if n > DIRECTIONS else full.function

    def summed(*xs: Any) -> Any:
        terms = [np.matmul(weight, np.reshape(out, -1)) for weight, out in zip(weights, function(*xs), strict=True)]
        return (sum(terms[1:], terms[0]),)

    kind = np.result_type(*full.leaves)
    leaves, inputs = (
        ([np.zeros(DIRECTIONS, kind)], ["args along random directions"])
        if n > DIRECTIONS
        else (full.leaves, full.inputs)
    )
    if m > DIRECTIONS:
        return RealFunction(summed, leaves, inputs, ["f along random directions"])
    return RealFunction(function, leaves, inputs, full.outputs)
