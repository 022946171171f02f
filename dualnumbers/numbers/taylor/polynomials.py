"""The algebra of complete power series of floats, written out: lists of coefficients, without zeros behind the last.

It is what series.py says coefficient by coefficient, without the rules, at a tenth of the time; a test holds the two,
and the table, against each other.

>>> times([1.0, 2.0], [1.0, -2.0], 5), over([1.0], [1.0, -0.5], 3)
([1.0, 0.0, -4.0], [1.0, 0.5, 0.25, 0.125])
"""

from __future__ import annotations

from typing import Any

Coefficients = list[Any]


def plus(a: Coefficients, b: Coefficients, order: int) -> Coefficients:
    """Return the sum of two series up to an order."""
    count = min(len(a), len(b))
    return ([s + t for s, t in zip(a, b, strict=False)] + a[count:] + b[count:])[: order + 1]


def minus(a: Coefficients, b: Coefficients, order: int) -> Coefficients:
    """Return the difference of two series up to an order."""
    count = min(len(a), len(b))
    return ([s - t for s, t in zip(a, b, strict=False)] + a[count:] + [-t for t in b[count:]])[: order + 1]


def times(a: Coefficients, b: Coefficients, order: int) -> Coefficients:
    """Return the product of two series up to an order; where both have two to four coefficients, written out."""
    first = a[0]
    if len(a) == 1:
        return [first * t for t in b[: order + 1]]
    if len(a) == len(b) <= order + 1 <= 4:
        if len(a) == 2:
            _, s = a
            c, d = b
            found = [first * c, first * d + s * c, s * d]
            return found if order > 1 else found[:2]
        if order == 2 and len(a) == 3:
            _, s, t = a
            c, d, e = b
            return [first * c, first * d + s * c, first * e + s * d + t * c]
        if len(a) == 4:
            _, s, t, u = a
            c, d, e, f = b
            return [first * c, first * d + s * c, first * e + s * d + t * c, first * f + s * e + t * d + u * c]
    found = [first * t for t in b]
    for j, s in enumerate(a[1:], 1):
        for k, t in enumerate(b, j):
            if k < len(found):
                found[k] += s * t
            else:
                found.append(s * t)
    return found[: order + 1]


def over(a: Coefficients, b: Coefficients, order: int) -> Coefficients:
    """Return the quotient of two series up to an order; ZeroDivisionError where the second one begins with 0."""
    first = b[0]
    if len(b) == 1:
        return [t / first for t in a[: order + 1]]
    found = [a[0] / first]
    for k in range(1, order + 1):
        total = a[k] if k < len(a) else 0.0
        for j in range(1, min(k, len(b) - 1) + 1):
            total = total - b[j] * found[k - j]
        found.append(total / first)
    return found


def to_power(a: Coefficients, exponent: float, order: int) -> Coefficients:
    """Return a series, which does not begin with 0, to a constant power up to an order."""
    first = a[0]
    found = [first**exponent]
    if len(a) == 1:
        return found
    for k in range(1, order + 1):
        total = 0.0
        for j in range(1, min(k, len(a) - 1) + 1):
            total = total + (exponent * j - (k - j)) * a[j] * found[k - j]
        found.append(total / (k * first))
    return found


def of_slope(first: float, a: Coefficients, slope: Coefficients, order: int) -> Coefficients:
    """Return a function of a series up to an order, given its ``first`` coefficient and its ``slope`` there, p.

    k zₖ = Σ j aⱼ pₖ₋ⱼ, j = 1 … k.
    """
    if len(a) == 1:
        return [first]
    if len(a) == 2:
        s = a[1]
        return [first, *[s * t / k for k, t in enumerate(slope[:order], 1)]]
    found = times([j * t for j, t in enumerate(a[1:], 1)], slope, order - 1)
    return [first, *[t / k for k, t in enumerate(found, 1)]]
