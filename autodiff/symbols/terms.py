"""Sums of products as data, and the little that is simplified of them.

A formula is a sum of terms, each a number times a quotient of two products of factors. Equal factors over and under the
bar go, powers of one base are put together, two equal square roots are what is under them, and terms that differ in
their number alone are added.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

WRITTEN_OUT = 8
"""Whole exponents up to this one are so many equal factors, which may meet others."""


class Factor(NamedTuple):
    """A factor of a product.

    ``head`` is ``symbol``, ``constant``, ``sum``, ``power``, ``relation``, ``and``, ``mod``, ``quotient`` or the name
    of a function, ``parts`` are the names and the sums of terms that it is made of.
    """

    head: str
    parts: tuple[Any, ...]


Factors = tuple[Factor, ...]


class Term(NamedTuple):
    """A number times a quotient of two products of factors."""

    coefficient: Fraction
    over: Factors = ()
    under: Factors = ()


Terms = tuple[Term, ...]

ONE = Term(Fraction(1))


def collected(terms: Iterable[Term]) -> Terms:
    """Add terms that differ in their number alone; what has the number 0 goes."""
    found: dict[Any, Term] = {}
    for term in terms:
        key = tuple(sorted(map(repr, term.over))), tuple(sorted(map(repr, term.under)))
        same = found.get(key)
        found[key] = term if same is None else same._replace(coefficient=same.coefficient + term.coefficient)
    return tuple(term for term in found.values() if term.coefficient)


def negated(terms: Terms) -> Terms:
    """Return the sum with the other sign."""
    return tuple(t._replace(coefficient=-t.coefficient) for t in terms)


def as_one(terms: Terms) -> Term:
    """Return a sum as one term."""
    if len(terms) == 1:
        return terms[0]
    return ONE._replace(over=(Factor("sum", (terms,)),)) if terms else Term(Fraction(0))


def whole(terms: Terms) -> int | None:
    """Return the integer that a sum is; None where it is none."""
    term = as_one(terms)
    if term.over or term.under or term.coefficient.denominator != 1:
        return None
    return int(term.coefficient)


def size(terms: Terms) -> int:
    """Return how many factors a sum has, with those inside them."""
    return sum(
        1 + sum(size(part) for part in factor.parts if type(part) is tuple)
        for term in terms
        for factor in (*term.over, *term.under)
    )


def product(a: Term, b: Term) -> Term:
    """Return the product of two terms."""
    return _reduced(a.coefficient * b.coefficient, a.over + b.over, a.under + b.under)


def inverse(term: Term) -> Term:
    """Return one over a term, whose number is not 0."""
    return Term(1 / term.coefficient, term.under, term.over)


def power(base: Terms, exponent: Terms) -> Term:
    """Return a power; to a small integer as so many factors."""
    n, one = whole(exponent), as_one(base)
    if n is not None and abs(n) <= WRITTEN_OUT and one.coefficient:
        one = one if n >= 0 else inverse(one)
        return _reduced(one.coefficient ** abs(n), one.over * abs(n), one.under * abs(n))
    return ONE if base == (ONE,) else ONE._replace(over=(Factor("power", (base, exponent)),))


def _reduced(coefficient: Fraction, over: Factors, under: Factors) -> Term:
    """Make a term of what stands over and under a bar."""
    above, roots_above = _unrooted(over)
    below, roots_below = _unrooted(under)
    above, below = _gathered(above, below)
    for factor in list(above):
        if factor in below:
            above.remove(factor)
            below.remove(factor)
    return Term(coefficient * roots_above / roots_below, _grouped(above), _grouped(below))


def _grouped(factors: list[Factor]) -> Factors:
    """Bring equal factors together, each where its first one stands."""
    return tuple(sorted(factors, key=factors.index))


def _unrooted(factors: Factors) -> tuple[list[Factor], Fraction]:
    """Replace every two equal square roots by what is under them: the factors, and the number that comes out."""
    found, number = list(factors), ONE.coefficient
    for factor in dict.fromkeys(factors):
        inside = as_one(factor.parts[0]) if factor.head == "sqrt" else ONE
        for _ in range(found.count(factor) // 2 if factor.head == "sqrt" and not inside.under else 0):
            found.remove(factor)
            place = found.index(factor)
            found[place : place + 1] = inside.over
            number = number * inside.coefficient
    return found, number


def _gathered(above: list[Factor], below: list[Factor]) -> tuple[list[Factor], list[Factor]]:
    """Put powers of one base together, over and under the bar, with the base itself: x xⁿ⁻¹ is xⁿ."""
    for base in dict.fromkeys(f.parts[0] for f in (*above, *below) if f.head == "power"):
        over, under = ([f for f in side if _base(f) == base] for side in (above, below))
        if len(over) + len(under) > 1:
            exponents = [t for f in over for t in _exponent(f)] + [t for f in under for t in negated(_exponent(f))]
            found = power(base, collected(exponents))
            above = [*(f for f in above if f not in over), *found.over]
            below = [*(f for f in below if f not in under), *found.under]
    return above, below


def _base(factor: Factor) -> Any:
    """Return what a factor is a power of."""
    return factor.parts[0] if factor.head == "power" else (ONE._replace(over=(factor,)),)


def _exponent(factor: Factor) -> Any:
    return factor.parts[1] if factor.head == "power" else (ONE,)
