"""gradcheck: all derivatives of a function by both modes and their nestings, held against each other and differences.

At each order every nesting of the modes (forward over reverse, …) is compared with the difference quotients of the
derivative of one order less, and with the first nesting, to rounding. A complex argument or output counts as its real
and imaginary part, so functions that are not holomorphic are checked as well.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dualnumbers.levels import is_number
from dualnumbers.rules.complexes import imag, is_unreal, real
from dualnumbers.rules.shaping import zeros_like

from .differences import RELATIVE, allowed, as_double, close, quotients
from .forward import jacfwd, jvp
from .report import Comparison, Finding, GradcheckError, Report
from .reverse import jacrev, vjp
from .seeding import CONTAINERS, argnums_of, arguments, differentiable, flatten, output, output_leaf
from .slope import Quotient

__all__ = ["Comparison", "Finding", "GradcheckError", "Report", "gradcheck"]

Function = Callable[..., Any]
Blocks = list[Any]
"""A derivative of order n: for each n inputs (the last first) and output an array, output shape + input shapes."""

JACOBIANS: dict[str, Callable[..., Function]] = {"forward": jacfwd, "reverse": jacrev}

ENTRIES = 5000
"""Derivatives of the highest order up to which all are checked."""

DIRECTIONS = 4
"""Random directions in the arguments, and in the outputs, along which a larger function is checked."""

ROUNDING = 1e4
"""How many eps two modes may differ by, relatively; and 64 of the size of f, where terms cancel."""

RESOLVED = 1e-3
"""The error, relative to the derivative and the size of f, from which on a quotient counts as unresolved."""

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def gradcheck(
    f: Function,
    args: Sequence[Any],
    modes: Sequence[str] = ("forward", "reverse"),
    order: int = 2,
    raises: bool = False,
    *,
    argnums: int | tuple[int, ...] | None = None,
    rtol: float = RELATIVE,
) -> Report:
    """Whether the derivatives of ``f`` at ``args`` are right, in every mode and nesting, up to ``order``.

    f may return numbers, arrays, or tuples and dicts of them; arguments may be nested. ``argnums`` selects arguments
    (all of them by default); what is no number in them reaches f as it is, integers become floats. All elements of the
    Jacobians are compared, up to 5000 of the highest order; of a larger function, those along four random directions in
    its arguments and outputs. ``rtol`` is the tolerance against differences, beside four times their error; modes agree
    to rounding. The value of f in each mode is compared with the plain one, bit for bit.

    Returns a `Report`, true if all agree. With ``raises``, GradcheckError (an AssertionError) if not. Raises ValueError
    for unknown modes, an order below 1, or where no argument is a number; and whatever f raises.

    A property-based check of a function of one's own:

    >>> from hypothesis import given, strategies as st
    >>> def mine(x, y):
    ...     return np.exp(-x * x) * np.sin(y) / (1 + y * y)
    >>> @given(st.floats(-3, 3), st.floats(-3, 3))
    ... def test_mine(x, y):
    ...     gradcheck(mine, [x, y], raises=True)
    >>> test_mine()
    """
    if isinstance(modes, str) or not modes or any(mode not in JACOBIANS for mode in modes):
        raise ValueError(f"modes is a sequence of {', '.join(map(repr, JACOBIANS))}; got {modes!r}")
    if order < 1:
        raise ValueError(f"order is 1 or more; got {order!r}")
    args = arguments(f, args)
    indices = range(len(args)) if argnums is None else argnums_of(argnums, len(args))
    check = _Check(*_of_few_directions(*_of_real_leaves(f, args, indices), order))
    check.primals(modes)
    for n in range(1, order + 1):
        check.derivatives(modes, n, rtol)
    report = Report(tuple(check.comparisons), tuple(check.findings))
    if raises and not report:
        raise GradcheckError(report)
    return report


# ---------------------------------------------------------------------------------------- the comparisons


class _Check:
    """A function of real leaves that returns a tuple of real leaves, their names, and what was found so far."""

    def __init__(self, function: Function, leaves: list[Any], inputs: list[str], outputs: list[str]) -> None:
        self.function, self.leaves, self.inputs, self.outputs = function, leaves, inputs, outputs
        self.comparisons: list[Comparison] = []
        self.findings: list[Finding] = []

    def primals(self, modes: Sequence[str]) -> None:
        """Compare the value of f in each mode with the plain one."""
        plain = _by_copies(self.function)(*self.leaves)
        for mode in modes:
            if mode == "forward":
                found, _ = jvp(self.function, self.leaves, [zeros_like(x) for x in self.leaves])
            else:
                found, _ = vjp(self.function, *self.leaves)
            self.compare(0, mode, "f itself", found, _known(plain), [0.0] * len(plain))

    def derivatives(self, modes: Sequence[str], order: int, rtol: float) -> None:
        """Compare all derivatives of one order, nesting by nesting."""
        first: Blocks = []
        first_name = ""
        for inner in itertools.product(modes, repeat=order - 1):
            lower = self.function
            for mode in inner:
                lower = self.jacobian(lower, mode)
            values = _by_copies(lower)(*self.leaves)
            expected = list(self.by_differences(lower, values))
            sizes = [_size(value) for _ in self.leaves for value in values]
            size = max(sizes, default=0.0)
            for mode in modes:
                name = " over ".join((mode, *reversed(inner)))
                found = self.jacobian(lower, mode)(*self.leaves)
                limits = [allowed(q, _precision(z), rtol) for q, z in zip(expected, found, strict=True)]
                self.compare(order, name, "differences", found, expected, limits, size)
                if first:
                    limits = list(map(_rounding, found, first, expected, sizes))
                    self.compare(order, name, first_name, found, _known(first), limits)
                else:
                    first, first_name = found, name

    def jacobian(self, function: Function, mode: str) -> Function:
        """The blocks of the next order, by one mode, as a function of the leaves."""
        by_argument = JACOBIANS[mode](function, tuple(range(len(self.leaves))))
        return lambda *xs: tuple(flatten(by_argument(*xs))[0])

    def by_differences(self, lower: Function, values: Blocks) -> Iterator[Quotient]:
        """The blocks of the next order by difference quotients."""
        doubles = [as_double(x) for x in self.leaves]
        for k, x in enumerate(doubles):
            joined = quotients(lambda *xs: np.concatenate([np.ravel(value) for value in lower(*xs)]), k, doubles)
            start = 0
            for value in values:
                part, dims = slice(start, start + np.size(value)), np.shape(value) + np.shape(x)
                yield Quotient(*(a[part].reshape(dims) for a in (joined.value, joined.error, joined.step)))
                start += np.size(value)

    def compare(self, order: int, mode: str, against: str, found: Blocks, expected: list[Quotient], limits: list[Any],
                size: float = np.inf) -> None:  # fmt: skip
        """Add a line to the report, and a finding for each element that is further off than its limit."""
        names = list(itertools.product(*[range(len(self.inputs))] * order, range(len(self.outputs))))
        worst, entries, unresolved = 0.0, 0, 0
        for block, (value, q, limit) in enumerate(zip(found, expected, limits, strict=True)):
            z, w, limit = np.asarray(value), q.value, np.broadcast_to(limit, np.shape(value))
            same = close(z, w, limit) & (order > 0 or (z.dtype == w.dtype) & (np.signbit(z) == np.signbit(w)))
            with np.errstate(all="ignore"):
                ratio = np.where(z == w, 0.0, np.abs(z - w) / limit)
                unresolved += int(np.sum(q.error > RESOLVED * (np.abs(w) + size)))
            worst = float(np.max(np.where(same, np.nan_to_num(ratio), np.fmax(ratio, 1.0)), initial=worst))
            entries += z.size
            for place in map(tuple, np.argwhere(~same)):
                self.findings.append(Finding(order, mode, against, self.element(names[block], place), z[place].item(),
                                             w[place].item(), float(limit[place]), float(q.step[place])))  # fmt: skip
        self.comparisons.append(Comparison(order, mode, against, entries, worst, unresolved))

    def element(self, name: tuple[int, ...], place: tuple[int, ...]) -> str:
        """An element of a block in words: of output ``name[-1]``, by the inputs before it, the last derivative first."""
        *by, out = name
        below = ""
        for k in by:
            rank = np.ndim(self.leaves[k])
            below = f"∂{self.inputs[k]}{_index(place[len(place) - rank :])}{below}"
            place = place[: len(place) - rank]
        value = f"{self.outputs[out]}{_index(place)}"
        return f"∂{'' if len(by) < 2 else str(len(by)).translate(SUPERSCRIPTS)}{value}/{below}" if by else value


def _by_copies(function: Function) -> Function:
    """A function that may write to its arguments, called on copies."""
    return lambda *xs: function(*(x.copy() if isinstance(x, np.ndarray) else x for x in xs))


def _known(values: Blocks) -> list[Quotient]:
    """Values without error, in the form of quotients."""
    return [Quotient(np.asarray(v), 0.0, np.full(np.shape(v), np.nan)) for v in values]


def _size(value: Any) -> float:
    finite = np.abs(value)[np.isfinite(value)]
    return float(np.max(finite, initial=0.0))


def _precision(value: Any) -> float:
    return float(np.finfo(np.result_type(value)).eps)


def _rounding(z: Any, w: Any, quotient: Quotient, size: float) -> Any:
    """How far two modes may be apart: eps of the derivative, and where terms cancel, eps of the function."""
    eps = max(_precision(z), _precision(w))
    cancelled = np.fmin(4 * quotient.error, 64 * eps * (size + max(_size(z), _size(w))))
    return ROUNDING * eps * np.fmax(np.abs(z), np.abs(w)) + cancelled


def _index(place: Sequence[int]) -> str:
    return f"[{', '.join(map(str, place))}]" if len(place) else ""


# ---------------------------------------------------------------------------------------- the function as one of real leaves


def _of_real_leaves(
    f: Function, args: list[Any], indices: Sequence[int]
) -> tuple[Function, list[Any], list[str], list[str]]:
    """f as a function of its real leaves that returns a tuple of them, the leaves, and the names of both."""
    leaves: list[Any] = []
    inputs: list[str] = []

    def taken(x: Any, name: str) -> Callable[[Iterator[Any]], Any]:
        """Add a leaf; returns how it is made again from the stream of all."""
        try:
            x = differentiable(x)
        except TypeError:
            return lambda _: x
        if is_number(type(x)):
            raise TypeError("gradcheck takes plain values: use autodiff.value_of(x)")
        if not is_unreal(x):
            leaves.append(x)
            inputs.append(name)
            return next
        leaves.extend((+x.real, +x.imag))
        inputs.extend((f"{name}.real", f"{name}.imag"))
        return lambda stream: next(stream) + 1j * next(stream)

    parts = {}
    for index in indices:
        found, rebuild = flatten(args[index])
        names = _names(args[index], f"args[{index}]")
        parts[index] = ([taken(x, name) for x, name in zip(found, names, strict=True)], rebuild)
    if not leaves:
        raise ValueError("gradcheck: no argument is a number or an array of numbers")

    def called(*xs: Any) -> Any:
        stream = iter(xs)
        given = list(args)
        for index, (made, rebuild) in parts.items():
            given[index] = rebuild([make(stream) for make in made])
        out = f(*given)
        return out if isinstance(out, (tuple, dict)) else output(out, f)

    def function(*xs: Any) -> tuple[Any, ...]:
        outs = [output_leaf(out, f) for out in flatten(called(*xs))[0]]
        return tuple(part for out in outs for part in ((real(out), imag(out)) if is_unreal(out) else (out,)))

    tree = _by_copies(called)(*leaves)
    outputs = [name + part for out, name in zip(flatten(tree)[0], _names(tree, "f"), strict=True)
               for part in ((".real", ".imag") if is_unreal(out) else ("",))]  # fmt: skip
    function.__name__ = getattr(f, "__name__", "f")
    return function, leaves, inputs, outputs


def _names(tree: Any, name: str) -> list[str]:
    """The name of each leaf of a structure, as Python would index it, in the order of `flatten`."""
    if not isinstance(tree, CONTAINERS):
        return [name]
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    return [leaf for key, part in items for leaf in _names(part, f"{name}[{key!r}]")]


def _of_few_directions(
    function: Function, leaves: list[Any], inputs: list[str], outputs: list[str], order: int
) -> tuple[Function, list[Any], list[str], list[str]]:
    """The same if its derivatives are few; else along random directions in its arguments and outputs."""
    values = _by_copies(function)(*leaves)
    n, m = (sum(map(np.size, parts)) for parts in (leaves, values))
    if m * n**order <= ENTRIES:
        return function, leaves, inputs, outputs
    random = np.random.default_rng(0)

    def directions(x: Any, lead: bool) -> Any:
        dims = (DIRECTIONS, np.size(x)) if lead else (*np.shape(x), DIRECTIONS)
        return random.normal(size=dims).astype(np.result_type(x)) * (1.0 if lead else max(_size(x), 1e-3) / np.sqrt(n))

    ways, weights = [directions(x, False) for x in leaves], [directions(value, True) for value in values]

    def along(z: Any) -> Any:
        return function(*(x + np.matmul(way, z) for x, way in zip(leaves, ways, strict=True)))

    def summed(*xs: Any) -> Any:
        outs = (along if n > DIRECTIONS else function)(*xs)
        terms = [np.matmul(weight, np.reshape(out, -1)) for weight, out in zip(weights, outs, strict=True)]
        return (sum(terms[1:], terms[0]),)

    if n > DIRECTIONS:
        leaves, inputs = [np.zeros(DIRECTIONS, np.result_type(*leaves))], ["args along random directions"]
    return (
        (summed, leaves, inputs, ["f along random directions"]) if m > DIRECTIONS else (along, leaves, inputs, outputs)
    )
