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

Where f turns even between the points of the finest steps, steps of a few units in the last place of x are tried; where
it turns between those as well, nothing is known, and the error is infinite.

Where f is defined on one side only, the quotients of that side are extrapolated in h, h², ….
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dualnumbers.table.partials import FAILURES

from .tableau import Quotient, Values, best_of_row, better, extrapolated, unknown

LEVELS = 44
"""Steps of one ladder: the last is 2e-14 of its size, where a quotient still holds two digits."""

PROBES = (18, 26, 34, 42, 43)
"""The places in a ladder that are tried in any case: the last two for the scale of f, all for its true rounding."""

UNITS = 12
"""The last resort are steps of 2¹² to 1 units in the last place of the argument: sin at 1e14 is smooth there only."""

BITS = 181
"""The steps are 181 times a power of two: few bits, so that x ± h is exact, and no fraction of a usual period."""

EPS = float(np.finfo(float).eps)

GRAIN = 1e9
"""The coarsest grain that a function of rounded values may have, in units of the rounding of its type."""

FINEST = 4
"""How many of the finest steps are looked at for whether they resolve the function."""

TURNING = 100.0
"""By how much less a smooth function changes, at the least, over the finest steps than over the coarsest."""

RESOLVED = 1e-10
"""Error relative to the slope and the function at which steps of another size are not tried."""

Measure = Callable[..., Quotient]
"""A function of arguments whose value is known with an error: a user's, with its rounding, or a quotient itself."""


def slope(at: Measure, x: Any) -> Quotient:
    """Find the derivative of ``at``, a function of a real number, at ``x``; NaN with error ∞ where no step tells it."""
    centre = at(x)
    best = unknown(centre.value)
    with np.errstate(all="ignore"):
        if not np.isfinite(x):
            return _zero_where_constant(at, centre)
        for steps in _ladders(x):
            found = _descend(at, centre, x, steps)
            apart = np.abs(found.value - best.value) - found.error - best.error
            best = better(best, found)
            best = Quotient(best.value, np.fmax(best.error, apart), best.step)
            if np.all(best.error <= RESOLVED * (np.abs(best.value) + np.abs(centre.value))):
                break
        if np.any(np.isinf(best.error)):
            units = [float(np.spacing(abs(x))) * 2.0**level for level in range(UNITS, -1, -1)]
            best = better(best, _descend(at, centre, x, units))
        # far from 0 steps are long, and a zero looks sharper than a derivative can be computed: sin² + cos² at 1e6
        zero = np.abs(best.value) <= best.error
        return Quotient(best.value, np.where(zero, np.maximum(best.error, 4 * centre.error), best.error), best.step)


def _zero_where_constant(at: Measure, centre: Quotient) -> Quotient:
    """Return 0 at an x that is not finite, where no step can be taken, if f is finite and does not depend on x."""
    same, nan = np.isfinite(centre.value), np.full(centre.value.shape, np.nan)
    for elsewhere in (0.0, 1.0, -1.7):
        same = same & (_probe(at, elsewhere, centre).value == centre.value)
    return Quotient(np.where(same, 0.0, np.nan), np.where(same, 4 * centre.error, np.inf), nan)


def _ladders(x: Any) -> Iterator[list[float]]:
    """Yield falling steps: first in proportion to ``x``, from 0.18 to 0.35 of it on; if it is small, then from 0.35."""
    size = abs(float(x))
    exponents = [math.frexp(size)[1]] if size > 1e-307 else []
    for exponent in exponents + [1] * (size < 0.25):
        steps = [math.ldexp(BITS, exponent - 10 - level) for level in range(LEVELS)]
        yield [h for h in steps if h >= BITS * np.spacing(abs(x))]


@dataclass(frozen=True, eq=False)
class Sides:
    """The quotients at step ``h``: F, B, their mean, the one that there is where f fails on the other side."""

    h: float
    rise: Values
    fall: Values
    forward: Values
    backward: Values
    mean: Values
    alone: Values
    rounding: Values

    @cached_property
    def quotient(self) -> Values:
        """The mean, or the quotient of one side alone."""
        return np.where(np.isnan(self.mean), self.alone, self.mean)

    @property
    def grain(self) -> Values:
        """The least power of two in what f changes by."""
        return np.minimum(_lowest_bit(self.rise), _lowest_bit(self.fall))


def _descend(at: Measure, centre: Quotient, x: Any, steps: list[float]) -> Quotient:
    """Find the best entry of the tableau of these steps, down to where rounding outweighs the rest of the error."""
    probes = [_sides(at, centre, x, steps[k]) for k in PROBES if k < len(steps)] or [
        _sides(at, centre, x, h) for h in steps[-2:]
    ]
    fine, scatter = _finest(probes[-2:], np.fmin.reduce([sides.grain for sides in probes]))
    levels: list[Sides] = []
    found: list[Quotient] = []
    means = jumps = lone = np.empty((0, *centre.value.shape), centre.value.dtype)
    coarsest, least, done = centre.error, np.full(centre.error.shape, np.inf), np.array(False)
    for h in steps:
        levels.append(sides := _sides(at, centre, x, h))
        coarsest = np.fmax(coarsest, sides.rounding)
        noise = np.where(sides.quotient == 0.0, coarsest, sides.rounding) / h
        coarser, means = means, extrapolated(sides.mean, means, 2, 2)
        jumps = extrapolated(sides.forward - sides.backward, jumps, 1, 2)
        best = best_of_row(means, coarser, noise + np.abs(jumps) / 2, h)
        if len(lone) or not np.all(np.isnan(sides.alone)):
            coarser, lone = lone, extrapolated(sides.alone, lone, 1, 1)
            best = better(best, best_of_row(lone, coarser, np.broadcast_to(noise, lone.shape), h))
        found.append(Quotient(best.value, np.fmax(best.error, np.abs(best.value - fine) - scatter), best.step))
        if np.all(done):
            break
        least = np.fmin(least, found[-1].error)
        done = (noise >= least) | ~np.isfinite(centre.value)
    best = _unknown_where_rough(_best_of_levels(found, levels + probes, coarsest), levels + probes)
    return best if len(levels) < LEVELS // 2 else _infinite_where_growing(_with_slow_limit(best, levels), levels)


def _sides(at: Measure, centre: Quotient, x: Any, h: float) -> Sides:
    """Compute the quotients at a step; NaN where f fails, or is complex although real at x."""
    above, below = _probe(at, x + h, centre), _probe(at, x - h, centre)
    up, down = (x + h) - x, x - (x - h)
    rise, fall = above.value - centre.value, centre.value - below.value
    forward, backward = rise / up, fall / down
    share = down / (up + down)  # not 1/2 where x + h had to be rounded
    alone = np.where(np.isnan(backward), forward, np.where(np.isnan(forward), backward, np.nan))
    rounding = np.fmax(np.fmax(above.error, below.error), centre.error)
    still = (rise == 0.0) & (fall == 0.0) & (centre.value == 0.0)
    rounding = np.where(still, np.maximum(rounding, EPS), rounding)  # 1 − cos x is 0 near 0, with the rounding of 1
    mean = share * forward + (1.0 - share) * backward
    return Sides(h, rise, fall, forward, backward, mean, alone, rounding)


def _lowest_bit(x: Values) -> Values:
    """Find the power of two that a number is an odd multiple of: rounded values show their grain in it; ∞ for 0."""
    if np.iscomplexobj(x):
        return np.asarray(np.minimum(_lowest_bit(x.real), _lowest_bit(x.imag)))
    digits, exponent = np.frexp(np.asarray(x, float))
    whole = np.where(np.isfinite(digits), np.ldexp(digits, 53), 0.0).astype(np.int64)
    return np.where(whole == 0, np.inf, np.ldexp((whole & -whole).astype(float), exponent - 53))


def _probe(at: Measure, x: Any, centre: Quotient) -> Quotient:
    """Call the function elsewhere; NaN where it fails there."""
    dims = centre.value.shape
    try:
        found = at(x)
    except FAILURES:
        return Quotient(*[np.full(dims, np.nan)] * 3)
    if found.value.shape != dims:
        raise ValueError(f"the function returned shape {dims} at the point and {found.value.shape} beside it")
    if found.value.dtype.kind == "c" != centre.value.dtype.kind:
        return Quotient(*[np.full(dims, np.nan)] * 3)
    return found


def _finest(probes: list[Sides], grain: Values) -> tuple[Values, Values]:
    """Return the mean of the quotients at the finest steps and how far they scatter; ∞ where they say nothing.

    Quotients that are all exactly 0 say nothing: a function that cancels inside, such as 1 − cos x, is flat there.
    """
    quotients = np.stack([sides.quotient for sides in probes])
    noise = np.fmax.reduce([np.fmax(sides.rounding, grain) / sides.h for sides in probes])
    known = np.isfinite(quotients)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.sum(np.where(known, quotients, 0.0), axis=0) / count
    distances = np.where(known, np.abs(quotients - mean), 0.0)
    silent = ~np.any(known & (quotients != 0.0), axis=0)
    return mean, np.where(silent, np.inf, 2 * (np.max(distances, axis=0) + noise) + 0.05 * np.abs(mean))


def _best_of_levels(found: list[Quotient], levels: list[Sides], rounding: Values) -> Quotient:
    """Find the best of one entry per level, the rounding of f taken as all shorter steps show it.

    It is by how much their quotients miss the entry, times h, less what truncation explains: it falls at least in
    proportion to h. Quotients that are exactly 0 show a plateau, against which no entry of longer steps stands, unless
    the entry times h is at most `GRAIN` times the rounding. Then f is of single precision inside, or cancels, and the
    zeros count for nothing where an entry is larger than its error. An entry that is much better than the next two is
    so by chance.
    """
    count, ones = len(found), (1,) * rounding.ndim
    values, errors = np.stack([q.value for q in found]), np.stack([q.error for q in found])
    for later in (1, 2):
        errors[:-later] = np.fmax(errors[:-later], errors[later:] / 4)
    quotients = np.stack([sides.quotient for sides in levels])
    steps = np.array([sides.h for sides in levels])
    h = steps.reshape(-1, *ones)
    part = h / h[:count, None]
    truncation = np.abs(quotients[:count] - values)
    missed = (np.abs(quotients - values[:, None]) - 2 * truncation[:, None] * part) * part
    plateau = (quotients == 0.0) & (h * np.abs(values)[:, None] > GRAIN * rounding)
    missed = np.where(plateau, np.abs(values)[:, None], missed)
    errors = np.fmax(errors, np.fmax.reduce(np.where(part < 1.0, missed, 0.0), axis=1))
    flat = quotients[:count] == 0.0
    sure = np.max(np.where(~flat & (np.abs(values) > 10 * errors), np.abs(values), 0.0), axis=0)
    errors = np.where(flat & (sure > 0.0) & (h[:count] * sure <= GRAIN * rounding), np.inf, errors)
    best = np.argmin(errors, axis=0)[None]
    value, error = (np.take_along_axis(a, best, axis=0)[0] for a in (values, errors))
    return Quotient(value, error, np.where(np.isfinite(error), steps[best[0]], np.nan))


def _with_slow_limit(best: Quotient, levels: list[Sides]) -> Quotient:
    """Estimate the error anew where h^α, α < 1, leads, as for x**1.2 at 0: by the distance to the limit (Aitken)."""
    quotients = np.stack([sides.quotient for sides in levels[-6:]])
    changes = np.diff(quotients, axis=0)
    ratios = changes[1:] / changes[:-1]
    ratio = ratios[-1]
    steady = (ratio < 0.99) & np.all(np.abs(ratios - ratio) < 0.01, axis=0) & (ratio > 0.55)
    limit = quotients[-1] + changes[-1] * ratio / (1.0 - ratio)
    apart = np.where(steady, np.abs(best.value - limit), 0.0)
    return Quotient(best.value, np.fmax(best.error, 2 * apart), best.step)


def _unknown_where_rough(best: Quotient, levels: list[Sides]) -> Quotient:
    """Make the error infinite where f turns between the points of the finest steps, as sin does at 1e16.

    There f changes over two successive ones by about as much as over any, and in another proportion than they do.
    """
    rough = np.zeros(best.value.shape, bool)
    levels = sorted(levels, key=lambda sides: -sides.h)
    for side in ("forward", "backward"):
        slopes = np.abs(np.stack([getattr(sides, side) for sides in levels]))
        rises = slopes * np.array([sides.h for sides in levels]).reshape(-1, *(1,) * best.value.ndim)
        wide, narrow = slopes[-FINEST:-1], slopes[1 - FINEST :]
        turns = np.abs(wide - narrow) > np.fmax(wide, narrow) / 4
        finest = np.fmax(rises[-FINEST:-1], rises[1 - FINEST :])
        rounding = np.stack([sides.rounding for sides in levels])[1 - FINEST :]
        large = (finest > np.fmax.reduce(rises) / TURNING) & (finest > 4 * rounding)
        rough |= np.any(turns & large, axis=0)
    return Quotient(best.value, np.where(rough, np.inf, best.error), best.step)


def _infinite_where_growing(best: Quotient, levels: list[Sides]) -> Quotient:
    """Make the slope infinite where quotients grow at every halving, as of sqrt at 0; by 2, f jumps instead."""
    quotients = np.stack([sides.quotient for sides in levels])
    sizes, last = np.abs(quotients), levels[-1]
    growing = np.all((sizes[1:] > 1.05 * sizes[:-1]) & (sizes[1:] < 1.95 * sizes[:-1]), axis=0)
    growing &= ~np.isnan(last.alone) | (np.sign(last.forward) == np.sign(last.backward))
    return Quotient(
        np.where(growing, np.sign(quotients[-1]) * np.inf, best.value), np.where(growing, 0.0, best.error), best.step
    )
