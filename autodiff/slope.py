"""The slope of a function along one real coordinate by difference quotients, with an error estimate.

F = (f(x + h) − f(x)) / h and B = (f(x) − f(x − h)) / h are taken at h, h/2, h/4, …. Their mean has an expansion in h²,
h⁴, …, their difference one in h, h³, …; Neville's tableau extrapolates both to h = 0 (Ridders, *Accurate computation of
F′(x) and F′(x)F″(x)*, 1982; Press et al., *Numerical Recipes*, §5.7). The entry of least error is taken. Its error is
made of

- the distances to its neighbours in the tableau,
- the rounding of f,
- the extrapolated difference F − B: where that does not vanish f has a kink, and any slope between is as good,
- the distance to the quotients at the finest steps, beyond their scatter: an oscillation or a step that is short beside
  h shows only there.

Where f is defined on one side only, the quotients of that side are extrapolated in h, h², ….
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dualnumbers.elementary import FAILURES

Values = NDArray[Any]
Rows = list[Values]

COLUMNS = 7
"""Columns of the tableau: from 7 on, halving h removes more rounding than truncation."""

LEVELS = 44
"""Steps of one ladder: the last is 2e-14 of its size, where a quotient still holds two digits."""

PROBES = (18, 26, 34, 42, 43)
"""The places in a ladder that are tried in any case: the last two for the scale of f, all for its true rounding."""

BITS = 181
"""The steps are 181 times a power of two: few bits, so that x ± h is exact, and no fraction of a usual period."""

EPS = float(np.finfo(float).eps)

GRAIN = 1e10
"""The coarsest grain that a function of rounded values may have, in units of the rounding of its type."""

RESOLVED = 1e-10
"""Error relative to the slope and the function at which steps of another size are not tried."""


@dataclass(frozen=True, eq=False)
class Quotient:
    """A derivative by differences: ``value``, its ``error``, the ``step`` it was taken at, arrays of one shape."""

    value: Any
    error: Any
    step: Any


Measure = Callable[..., Quotient]
"""A function of arguments whose value is known with an error: a user's, with its rounding, or a quotient itself."""


def slope(at: Measure, x: Any) -> Quotient:
    """The derivative of ``at``, a function of one real number, at ``x``; NaN with error ∞ where no step gives one."""
    centre = at(x)
    best = _unknown(centre.value)
    with np.errstate(all="ignore"):
        if not np.isfinite(x):
            return _zero_where_constant(at, centre)
        for steps in _ladders(x):
            found = _descend(at, centre, x, steps)
            apart = np.abs(found.value - best.value) - found.error - best.error
            best = _better(best, found)
            best = Quotient(best.value, np.fmax(best.error, apart), best.step)
            if np.all(best.error <= RESOLVED * (np.abs(best.value) + np.abs(centre.value))):
                break
        # far from 0 steps are long, and a zero looks sharper than a derivative can be computed: sin² + cos² at 1e6
        zero = np.abs(best.value) <= best.error
        return Quotient(best.value, np.where(zero, np.maximum(best.error, 4 * centre.error), best.error), best.step)


def _zero_where_constant(at: Measure, centre: Quotient) -> Quotient:
    """At an x that is not finite no step can be taken: 0 where the function is finite and does not depend on x."""
    unknown = _unknown(centre.value)
    same = np.isfinite(centre.value)
    for elsewhere in (0.0, 1.0, -1.7):
        same = same & (_probe(at, elsewhere, centre).value == centre.value)
    return Quotient(np.where(same, 0.0, np.nan), np.where(same, 4 * centre.error, np.inf), unknown.step)


def _ladders(x: Any) -> Iterator[list[float]]:
    """Falling steps: first in proportion to ``x``, from between 0.18 and 0.35 of it; if it is small, then from 0.35."""
    size = abs(float(x))
    exponents = [math.frexp(size)[1]] if size > 1e-307 else []
    for exponent in exponents + [1] * (size < 0.25):
        steps = [math.ldexp(BITS, exponent - 10 - level) for level in range(LEVELS)]
        yield [h for h in steps if h >= BITS * np.spacing(abs(x))]


def _descend(at: Measure, centre: Quotient, x: Any, steps: list[float]) -> Quotient:
    """The best entry of the tableau of these steps, down to where rounding outweighs what is left of the error."""
    probed = [steps[k] for k in PROBES if k < len(steps)]
    probes = [_sides(at, centre, x, h) for h in probed]
    fine, scatter = _finest(probes[-2:], probed[-2:])
    means: Rows = []
    jumps: Rows = []
    sides: Rows = []
    slopes: Rows = []
    found: list[Quotient] = []
    coarsest, least = centre.error, np.full(centre.error.shape, np.inf)
    for h in steps:
        forward, backward, mean, rounding = _sides(at, centre, x, h)
        side = np.where(np.isnan(backward), forward, np.where(np.isnan(forward), backward, np.nan))
        slopes.append(np.where(np.isnan(mean), side, mean))
        coarsest = np.fmax(coarsest, rounding)
        noise = np.where(slopes[-1] == 0.0, coarsest, rounding) / h  # equal values: the grain of f may be coarse
        coarser, means = means, _extrapolated(mean, means, 2, 2)
        jumps = _extrapolated(forward - backward, jumps, 1, 2)
        best = _best_of_row(means, coarser, [noise + np.abs(jump) / 2 for jump in jumps], h)
        coarser, sides = sides, _extrapolated(side, sides, 1, 1)
        best = _better(best, _best_of_row(sides, coarser, [noise] * len(sides), h))
        found.append(Quotient(best.value, np.fmax(best.error, np.abs(best.value - fine) - scatter), best.step))
        least = np.fmin(least, found[-1].error)
        if np.all((noise >= least) | ~np.isfinite(centre.value)):
            break
    best = _best_of_levels(found, steps[: len(found)] + probed, slopes + [mean for _, _, mean, _ in probes], coarsest)
    if len(found) < LEVELS // 2:
        return best
    return _infinite_where_growing(_with_slow_limit(best, slopes), slopes, forward, backward)


def _sides(at: Measure, centre: Quotient, x: Any, h: float) -> tuple[Values, Values, Values, Values]:
    """F, B, their mean, and the rounding of f there; NaN where f fails, or is complex although real at x."""
    above, below = _probe(at, x + h, centre), _probe(at, x - h, centre)
    up, down = (x + h) - x, x - (x - h)
    forward, backward = (above.value - centre.value) / up, (centre.value - below.value) / down
    share = down / (up + down)  # not 1/2 where x + h had to be rounded
    rounding = np.fmax(np.fmax(above.error, below.error), centre.error)
    still = (forward == 0.0) & (backward == 0.0) & (centre.value == 0.0)
    rounding = np.where(still, np.maximum(rounding, EPS), rounding)  # 1 − cos x is 0 near 0, with the rounding of 1
    return forward, backward, share * forward + (1.0 - share) * backward, rounding


def _probe(at: Measure, x: Any, centre: Quotient) -> Quotient:
    """The function elsewhere; NaN where it fails there."""
    nan = np.full(centre.value.shape, np.nan)
    try:
        found = at(x)
    except FAILURES:
        return Quotient(nan, nan, nan)
    if found.value.shape != centre.value.shape:
        raise ValueError(
            f"the function returned shape {centre.value.shape} at the point and {found.value.shape} beside it"
        )
    return Quotient(nan, nan, nan) if found.value.dtype.kind == "c" != centre.value.dtype.kind else found


def _finest(probes: list[tuple[Values, Values, Values, Values]], steps: list[float]) -> tuple[Values, Values]:
    """The mean of the quotients at the finest steps and how far they scatter; ∞ where they say nothing.

    Quotients that are all exactly 0 say nothing: a function that cancels inside, such as 1 − cos x, is flat there.
    """
    quotients = np.stack([side for forward, backward, _, _ in probes for side in (forward, backward)])
    noise = np.fmax.reduce([rounding / h for (*_, rounding), h in zip(probes, steps, strict=True)])
    known = np.isfinite(quotients)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.sum(np.where(known, quotients, 0.0), axis=0) / count
    distances = np.where(known, np.abs(quotients - mean), 0.0)
    silent = ~np.any(known & (quotients != 0.0), axis=0)
    return mean, np.where(silent, np.inf, 2 * (np.max(distances, axis=0) + noise) + 0.05 * np.abs(mean))


def _extrapolated(quotient: Values, coarser: Rows, first: int, stride: int) -> Rows:
    """The next row of the tableau: column j is free of the powers ``first``, ``first + stride``, … of h, j of them."""
    row = [quotient]
    for j, entry in enumerate(coarser[:COLUMNS]):
        row.append(row[j] + (row[j] - entry) / (2.0 ** (first + stride * j) - 1.0))
    return row


def _best_of_row(row: Rows, coarser: Rows, floors: Rows, h: float) -> Quotient:
    """The entry of least error in a row of the tableau: the distance to its three neighbours, and its floor."""
    best = _unknown(row[0])
    for j in range(1, min(len(row), len(coarser))):
        entry = row[j]
        nearby = np.maximum(np.abs(entry - row[j - 1]), np.abs(entry - coarser[j - 1]))
        error = np.maximum(nearby, np.abs(entry - coarser[j])) + floors[j]
        best = _better(best, Quotient(entry, error, np.full(error.shape, h)))
    return best


def _best_of_levels(found: list[Quotient], steps: list[float], slopes: Rows, rounding: Values) -> Quotient:
    """The best of one entry per level, the rounding of f taken as all shorter steps show it.

    That is by how much their quotients miss the entry, times h, less what truncation explains: it falls at least in
    proportion to h. Quotients that are exactly 0 count for nothing where others give a slope beyond its error that is
    no larger than `GRAIN` times rounding over h: then f is of single precision inside, or cancels, and has no plateau.
    """
    count = len(found)
    values, errors = np.stack([q.value for q in found]), np.stack([q.error for q in found])
    quotients = np.stack(slopes)
    part = (np.array(steps) / np.array(steps[:count])[:, None]).reshape(count, len(steps), *(1,) * (values.ndim - 1))
    truncation = np.abs(quotients[:count] - values)
    missed = np.abs(quotients - values[:, None]) - 2 * truncation[:, None] * part
    errors = np.fmax(errors, np.fmax.reduce(np.where(part < 1.0, missed * part, 0.0), axis=1))
    flat = quotients[:count] == 0.0
    sure = np.max(np.where(~flat & (np.abs(values) > 10 * errors), np.abs(values), 0.0), axis=0)
    shown = sure * np.array(steps[:count]).reshape(count, *(1,) * (values.ndim - 1)) <= GRAIN * rounding
    errors = np.where(flat & shown & (sure > 0.0), np.inf, errors)
    best = np.argmin(errors, axis=0)[None]
    value, error = (np.take_along_axis(a, best, axis=0)[0] for a in (values, errors))
    return Quotient(value, error, np.where(np.isfinite(error), np.array(steps)[best[0]], np.nan))


def _better(best: Quotient, other: Quotient) -> Quotient:
    closer = other.error < best.error
    return Quotient(np.where(closer, other.value, best.value), np.where(closer, other.error, best.error),
                    np.where(closer, other.step, best.step))  # fmt: skip


def _unknown(value: Values) -> Quotient:
    """What is known of the slope of such a value before any step."""
    nan = np.full(value.shape, np.nan)
    return Quotient(nan, np.full(value.shape, np.inf), nan)


def _with_slow_limit(best: Quotient, slopes: Rows) -> Quotient:
    """The error where h^α with α < 1 is the leading term, as for x**1.2 at 0: the distance to the limit (Aitken)."""
    quotients = np.stack(slopes[-6:])
    changes = np.diff(quotients, axis=0)
    ratios = changes[1:] / changes[:-1]
    ratio = ratios[-1]
    steady = (ratio < 0.99) & np.all(np.abs(ratios - ratio) < 0.01, axis=0) & (ratio > 0.55)
    limit = quotients[-1] + changes[-1] * ratio / (1.0 - ratio)
    apart = np.where(steady, np.abs(best.value - limit), 0.0)
    return Quotient(best.value, np.fmax(best.error, 2 * apart), best.step)


def _infinite_where_growing(best: Quotient, slopes: Rows, forward: Values, backward: Values) -> Quotient:
    """The slope is infinite where the quotients grow at every halving, as those of sqrt at 0; by 2, f jumps instead."""
    sizes = np.abs(np.stack(slopes))
    growing = np.all((sizes[1:] > 1.05 * sizes[:-1]) & (sizes[1:] < 1.95 * sizes[:-1]), axis=0)
    growing &= np.isnan(forward) | np.isnan(backward) | (np.sign(forward) == np.sign(backward))
    return Quotient(np.where(growing, np.sign(slopes[-1]) * np.inf, best.value), np.where(growing, 0.0, best.error),
                    best.step)  # fmt: skip
