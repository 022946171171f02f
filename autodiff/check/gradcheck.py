"""gradcheck: all derivatives of a function by both modes and their nestings, held against each other and differences.

At each order every nesting of the modes (forward over reverse, …) is compared with the difference quotients of the
derivative of one order less by the first mode, and with the first nesting, to rounding. A complex argument or output
counts as its real and imaginary part, so functions that are not holomorphic are checked as well.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dualnumbers.forms import zeros_like
from dualnumbers.levels import plain
from dualnumbers.several import parts

from ..calls.given import no_function
from ..calls.places import Which, arguments, distinct, places
from ..calls.structures import flatten
from ..calls.values import without_leaves
from ..differences.quotients import as_double, quotients
from ..differences.tableau import Quotient
from ..forward import jacfwd, jvp
from ..reverse import jacrev, record, vjp
from .derivatives import RELATIVE, allowed, close
from .real_function import Function, RealFunction, by_copies, of_few_directions, of_real_leaves, size
from .report import Comparison, Finding, GradcheckError, Report

__all__ = ["Comparison", "Finding", "GradcheckError", "Report", "gradcheck"]

Blocks = list[Any]
"""A derivative of order n: for each n inputs (the last first) and output an array, output shape + input shapes."""

JACOBIANS: dict[str, Callable[..., Function]] = {"forward": jacfwd, "reverse": jacrev}

ROUNDING = 1e4
"""How many eps two modes may differ by."""

CANCELLING = 64
"""How many eps of the size of its terms a derivative may be off where they cancel."""

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
    argnums: Which | None = None,
    rtol: float = RELATIVE,
) -> Report:
    """Return whether the derivatives of ``f`` at ``args`` are right, in every mode and nesting, up to ``order``.

    f may return numbers, arrays, or structures of them; arguments may be nested. ``argnums`` selects arguments
    (all of them by default); what is no number in them reaches f as it is, integers become floats. All elements of the
    Jacobians are compared, up to 1000 of the highest order; of a larger function, those along four random directions
    in its arguments and outputs. ``rtol`` is the tolerance against differences, beside four times their error and eps
    of the largest derivative; modes agree to rounding, and so does the value of f in each mode with the plain one.

    Returns an `autodiff.check.Report`, true if all agree. With ``raises``, GradcheckError (an AssertionError) if not.
    Raises ValueError for unknown modes, an order below 1, or where no argument is a number; and whatever f raises.

    For a property-based test of a function of one's own there is `autodiff.check.strategies`.

    >>> bool(gradcheck(lambda x, y: np.exp(-x * x) * np.sin(y) / (1 + y * y), [0.5, 2.0], order=3))
    True
    """
    if not callable(f):
        raise no_function("gradcheck(f, [x])", f)
    if isinstance(modes, str) or not modes or any(mode not in JACOBIANS for mode in modes):
        raise ValueError(f"modes is a sequence of {', '.join(map(repr, JACOBIANS))}; got {modes!r}")
    if order < 1:
        raise ValueError(f"order is 1 or more; got {order!r}")
    args = arguments(f, args)
    indices = range(len(args)) if argnums is None else distinct(argnums, places(argnums, f, len(args)))
    check = _Check(of_few_directions(of_real_leaves(f, args, indices), order))
    check.primals(modes)
    for n in range(1, order + 1):
        check.derivatives(modes, n, rtol)
    report = Report(tuple(check.comparisons), tuple(check.findings))
    if raises and not report:
        raise GradcheckError(report)
    return report


# ---------------------------------------------------------------------------------------- the comparisons


class _Check:
    """A function of real leaves and what has been found about it so far."""

    def __init__(self, checked: RealFunction) -> None:
        self.function, self.leaves = checked.function, checked.leaves
        self.inputs, self.outputs = checked.inputs, checked.outputs
        self.comparisons: list[Comparison] = []
        self.findings: list[Finding] = []
        self.terms = largest_term(self.function, self.leaves)

    def primals(self, modes: Sequence[str]) -> None:
        """Compare the value of f in each mode with the plain one."""
        plain = by_copies(self.function)(*self.leaves)
        for mode in modes:
            if mode == "forward":
                found = by_copies(lambda *xs: jvp(self.function, xs, [zeros_like(x) for x in xs])[0])(*self.leaves)
            else:
                found = by_copies(lambda *xs: vjp(self.function, *xs)[0])(*self.leaves)
            limits = [CANCELLING * eps_of(z) * size(z) for z in plain]
            self.compare(0, mode, "f itself", list(map(without_leaves, found)), _known(plain), limits)

    def derivatives(self, modes: Sequence[str], order: int, rtol: float) -> None:
        """Compare all derivatives of one order, nesting by nesting."""
        first: Blocks = []
        first_name = ""
        for inner in itertools.product(modes, repeat=order - 1):
            lower = self.function
            for mode in inner:
                lower = self.jacobian(lower, mode)
            values = by_copies(lower)(*self.leaves)
            if not first:  # most of the work; a lower derivative that is another one beside the point has another slope
                expected = list(self.by_differences(lower, values))
                scale = max(map(size, values), default=0.0)
            nearby = [_over(max(size(value), self.terms), x) for x in self.leaves for value in values]
            for mode in modes:
                name = " over ".join((mode, *reversed(inner)))
                found = self.jacobian(lower, mode)(*self.leaves)
                largest = max(map(size, found), default=0.0)
                limits = [
                    allowed(q, eps_of(z), rtol) + eps_of(z) * largest for q, z in zip(expected, found, strict=True)
                ]
                self.compare(order, name, "differences", found, expected, limits, scale)
                if first:
                    limits = [_rounding(*parts, largest) for parts in zip(found, first, expected, nearby, strict=True)]
                    self.compare(order, name, first_name, found, _known(first), limits)
                else:
                    first, first_name = found, name

    def jacobian(self, function: Function, mode: str) -> Function:
        """Return the blocks of the next order, by one mode, as a function of the leaves."""
        by_argument = JACOBIANS[mode](function, tuple(range(len(self.leaves))))
        return by_copies(lambda *xs: tuple(map(without_leaves, flatten(by_argument(*xs))[0])))

    def by_differences(self, lower: Function, values: Blocks) -> Iterator[Quotient]:
        """Find the blocks of the next order by difference quotients."""
        doubles = [as_double(x) for x in self.leaves]
        for k, x in enumerate(doubles):
            (joined,), _ = quotients(lambda *xs: np.concatenate([np.ravel(value) for value in lower(*xs)]), k, doubles)
            start = 0
            for value in values:
                part, dims = slice(start, start + np.size(value)), np.shape(value) + np.shape(x)
                yield Quotient(*(a[part].reshape(dims) for a in (joined.value, joined.error, joined.step)))
                start += np.size(value)

    def compare(self, order: int, mode: str, against: str, found: Blocks, expected: list[Quotient], limits: list[Any],
                scale: float = np.inf) -> None:  # fmt: skip
        """Add a line to the report, and a finding for each element that is further off than its limit."""
        names = list(itertools.product(*[range(len(self.inputs))] * order, range(len(self.outputs))))
        worst, entries, unresolved = 0.0, 0, 0
        for block, (value, q, limit) in enumerate(zip(found, expected, limits, strict=True)):
            z, w, limit = np.asarray(value), q.value, np.broadcast_to(limit, np.shape(value))
            same = close(z, w, limit)
            if order == 0:
                same &= z.dtype == w.dtype
            with np.errstate(all="ignore"):
                ratio = np.where(z == w, 0.0, np.abs(z - w) / limit)
                unresolved += int(np.sum(q.error > RESOLVED * (np.abs(w) + scale)))
            worst = float(np.max(np.where(same, np.nan_to_num(ratio), np.fmax(ratio, 1.0)), initial=worst))
            entries += z.size
            for place in map(tuple, np.argwhere(~same)):
                self.findings.append(Finding(order, mode, against, self.element(names[block], place), z[place].item(),
                                             w[place].item(), float(limit[place]), float(q.step[place])))  # fmt: skip
        self.comparisons.append(Comparison(order, mode, against, entries, worst, unresolved))

    def element(self, name: tuple[int, ...], place: tuple[int, ...]) -> str:
        """Name an element: output ``name[-1]``, differentiated by the inputs before it, the last one first."""
        *by, out = name
        below = ""
        for k in by:
            rank = np.ndim(self.leaves[k])
            below = f"∂{self.inputs[k]}{_index(place[len(place) - rank :])}{below}"
            place = place[: len(place) - rank]
        value = f"{self.outputs[out]}{_index(place)}"
        return f"∂{'' if len(by) < 2 else str(len(by)).translate(SUPERSCRIPTS)}{value}/{below}" if by else value


def _known(values: Blocks) -> list[Quotient]:
    """Return values without error, in the form of quotients."""
    return [Quotient(np.asarray(v), 0.0, np.full(np.shape(v), np.nan)) for v in values]


def eps_of(value: Any) -> float:
    return float(np.finfo(np.result_type(value)).eps)


def largest_term(function: Function, leaves: Sequence[Any]) -> float:
    """Return the largest size on the way of a function: what cancels is rounded by eps of that."""
    tape, _ = record(function, list(leaves))
    sizes = (size(plain(x)) for value in tape.values for x in parts(value))
    return max((s for s in sizes if np.isfinite(s)), default=0.0)


def _over(scale: float, x: Any) -> Any:
    """Guess a slope: the size of a function over that of its argument, or over 1 where that is larger."""
    with np.errstate(all="ignore"):
        return scale / np.fmin(np.abs(x), 1.0)


def _rounding(z: Any, w: Any, quotient: Quotient, slope: Any, largest: float) -> Any:
    """Return how far two modes may be apart: eps of the derivative; where terms cancel, of their slope or of all."""
    eps = max(eps_of(z), eps_of(w))
    cancelled = CANCELLING * eps * largest + np.fmin(4 * quotient.error, CANCELLING * eps * slope)
    return ROUNDING * eps * np.fmax(np.abs(z), np.abs(w)) + np.fmax(cancelled, np.finfo(np.result_type(z)).tiny)


def _index(place: Sequence[int]) -> str:
    return f"[{', '.join(map(str, place))}]" if len(place) else ""
