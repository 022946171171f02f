"""What the tests over the rule table share: rows, points from their domains, references, derivatives by each mode."""

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import mpmath
import numpy as np
import references  # noqa: F401  # which reads all families, and makes rows that are made at first use
import references_bessel
import scipy.special
from hypothesis import settings
from hypothesis import strategies as st
from mpmath import mp
from references_special import NOISE as NOISE_OF_SPECIAL
from references_special import VALUE_NOISE as VALUE_NOISE_OF_SPECIAL
from results import WHOLE, results

from autodiff import derivative, grad, jacfwd, jacrev, jvp, value_of, vjp
from dualnumbers.rules.domains import reals
from dualnumbers.table import BY_NUMPY, TABLE, Refused, Row

EPS, TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)
EXAMPLES = settings().max_examples
repeatable = settings(derandomize=EXAMPLES < 1000, deadline=None)
"""As many examples as the profile says, the same at every run unless it searches deep."""
rarely = settings(repeatable, max_examples=EXAMPLES // 4)
"""For what is slow: a quarter of the examples."""

OF_SCIPY = {**vars(scipy.special._ufuncs), **vars(scipy.special)}
LACKING = {function.row.name for name, function in BY_NUMPY.items() if isinstance(name, str) and name not in OF_SCIPY}
"""The rows of functions that this version of SciPy has not yet."""

OF_PROGRAMS = {"flow", "integral", "linear_solve", "root"}
"""The rows of `autodiff.scipy.integrate` and `autodiff.implicit`, which differentiate a program."""

ROWS = [function for name, function in TABLE.items() if name not in LACKING | OF_PROGRAMS]
"""Every table function, by Python's face where it has one. A new row is in it, and so in the tests."""

FUNCTIONS = [result for function in ROWS for result in results(function)]
"""The same, each result of an elementwise function of several as one of its own."""


def named(functions: list[Callable[..., Any]]) -> dict[str, Any]:
    """The arguments of ``pytest.mark.parametrize`` for a test of each function, called by its name."""
    return {"argnames": "function", "argvalues": functions, "ids": [f.row.name for f in functions]}


# --------------------------------------------------------------------------------------------- points


def ranges(row: Row) -> tuple[tuple[float, float], ...]:
    """The box that a row's arguments are drawn from."""
    return (row.domain or reals(row.arity)).ranges


@functools.cache
def coordinates(row: Row) -> list[st.SearchStrategy[Any]]:
    """One strategy per argument of a row, shared with rows of the same ranges."""
    return [coordinate(*ends) for ends in ranges(row)]


@functools.lru_cache(None, typed=True)
def coordinate(low: Any, high: Any) -> st.SearchStrategy[Any]:
    """Whole numbers of a range of whole numbers; else floats, not next to 0: tiny ones have their own tests."""
    return st.integers(low, high) if type(low) is int else st.floats(low, high).map(_not_tiny)


def _not_tiny(x: float) -> float:
    return x if abs(x) > 1e-10 else 0.0


def distance(row: Row, point: tuple[Any, ...]) -> float:
    """How far a point is from a kink, step or pole of a row; at most 1."""
    return min(1.0, row.domain.distance(*point)) if row.domain and row.domain.distance else 1.0


def room(row: Row, point: tuple[Any, ...]) -> float:
    """How far a point is from where a difference quotient would fail: `distance`, and the ends of the domain."""
    to_ends = (min(x - low, high - x) + 0.01 for x, (low, high) in zip(point, ranges(row), strict=True))
    return min(distance(row, point), *to_ends)


COSTLY = {"airy", "bessel", "bessel_i", "bessel_scaled", "carlson", "elliptic", "faddeeva", "hypergeometric",
          "integrals", "kelvin", "legendre", "mathieu", "orthogonal", "quantiles", "struve", "zeta"}  # fmt: skip
"""The families whose values in 50 digits, or on the whole, take long: their rows are tested at a few fixed points."""


@functools.cache
def is_costly(row: Row) -> bool:
    """Whether a row is of a family that is tested at a few fixed points."""
    return not COSTLY.isdisjoint(getattr(partial, "__module__", "").rpartition(".")[2] for partial in row.partials)


FEW = {0: 1, 1: 3, 2: 3, 3: 2, 4: 1}
"""How many points, by the number of arguments that are differentiated."""


@functools.cache
def few_points(row: Row) -> list[tuple[Any, ...]]:
    """A few points spread over a row's domain, by Roberts's sequence: ⟨½ + k φ⁻ⁱ⟩, φ^(n + 1) = φ + 1."""
    phi = 2.0
    for _ in range(50):
        phi = (1.0 + phi) ** (1.0 / (row.arity + 1))

    def place(low: Any, high: Any, t: float) -> Any:
        return low + int(t * (high - low + 1)) if type(low) is int else low + t * (high - low)

    spread = (
        tuple(place(*ends, (0.5 + k * phi ** -(i + 1)) % 1.0) for i, ends in enumerate(ranges(row)))
        for k in itertools.count(1)
    )
    return list(itertools.islice((point for point in spread if distance(row, point) > 0.05), FEW[len(places(row))]))


tuples = functools.cache(st.tuples)
"""Points whose coordinates have these strategies."""


@functools.cache
def points(row: Row) -> st.SearchStrategy[Any] | list[tuple[Any, ...]]:
    """Points of a row's domain that are not next to its boundary: a list of a few, or a strategy."""
    if is_costly(row):
        return few_points(row)
    bounded = row.domain and row.domain.distance
    return anywhere(row).filter(lambda point: distance(row, point) > 0.05) if bounded else anywhere(row)


def anywhere(row: Row) -> st.SearchStrategy[Any]:
    """Points of a row's domain."""
    return tuples(*coordinates(row))


@functools.cache
def places(row: Row) -> list[int]:
    """The places of the arguments that can be differentiated: not whole numbers, nor refused."""
    refused = [isinstance(partial, Refused) for partial in row.partials] or [False] * row.arity
    return [k for k, ends in enumerate(ranges(row)) if type(ends[0]) is not int and not refused[k]]


# --------------------------------------------------------------------------------------------- both faces


def python_function(row: Row) -> Callable[..., Any] | None:
    """The function of ``math``, or the operator, whose values and exceptions a row's Python face has."""
    return getattr(math, row.name, None) or row.python.scalar  # type: ignore[no-any-return]


@functools.cache
def numpy_function(row: Row) -> Callable[..., Any] | None:
    """The function of NumPy or ufunc of SciPy that a row extends to numbers; of one of several results that result."""
    if row in WHOLE:
        whole, taken = WHOLE[row]
        several = numpy_function(whole)
        return several and (lambda *xs: taken(several(*xs)))
    for found, function in BY_NUMPY.items():
        if getattr(getattr(function, "row", None), "name", None) == row.name:
            if isinstance(found, np.ufunc) or found is getattr(np, row.name, None):
                return found  # type: ignore[no-any-return]
            if isinstance(found, str):
                return getattr(scipy.special._ufuncs if found.startswith("_") else scipy.special, found)  # type: ignore[no-any-return]
    return None


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a call returns, or the type of what it raises."""
    try:
        with np.errstate(all="ignore"):
            return function(*arguments)
    except Exception as error:
        return type(error)


def same_bits(x: Any, y: Any) -> bool:
    """Whether two values have one type, dtype and shape, and the same bits but for the payload of a NaN."""
    if type(x) is not type(y):
        return False
    if isinstance(x, float):  # the short way
        return bool(x != x and y != y) or bool(x == y and math.copysign(1.0, x) == math.copysign(1.0, y))
    if isinstance(x, (np.ndarray, np.generic)):
        if x.dtype != y.dtype or x.shape != y.shape:
            return False
        if x.tobytes() == y.tobytes():  # the short way; a longdouble has idle bytes
            return True
    if isinstance(x, type):
        return x is y
    real = all(
        np.array_equal(np.signbit(part(x)), np.signbit(part(y)))
        for part in (np.real, np.imag)
        if np.asarray(x).dtype.kind in "fc"
    )
    return np.array_equal(x, y, equal_nan=np.asarray(x).dtype.kind in "fc") and (real or bool(np.any(np.isnan(x))))


def complex_of_reals(row: Row) -> bool:
    """Whether a row's value is complex also at real arguments: gradients are not for it."""
    types = getattr(numpy_function(row), "types", ["d->d"])
    return all(kinds[-1] in "FD" for kinds in types)


ELEMENTWISE_FUNCTIONS = [f for f in FUNCTIONS if f.row.is_elementwise and places(f.row) and not complex_of_reals(f.row)]
"""Those of which some partial is to be had, a real function of real arguments."""


# --------------------------------------------------------------------------------------------- derivatives by each mode


def forward(f: Callable[..., Any], wrt: int) -> Callable[..., Any]:
    """∂f/∂args[wrt] by forward mode, as a function."""
    return lambda *args: derivative(f, wrt, args)


def reverse(f: Callable[..., Any], wrt: int) -> Callable[..., Any]:
    """∂f/∂args[wrt] by reverse mode, as a function."""
    return grad(f, wrt)


Mode = Callable[[Callable[..., Any], int], Callable[..., Any]]
MODES: dict[str, Mode] = {"forward": forward, "reverse": reverse}
JACOBIANS: dict[str, Mode] = {"forward": jacfwd, "reverse": jacrev}
"""The same where a derivative is an array and is differentiated again."""


def nestings(
    f: Callable[..., Any], wrt: tuple[int, ...], modes: dict[str, Mode] = MODES
) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The mixed partial of ``f`` by every nesting of the two modes: name and function."""
    for names in itertools.product(modes, repeat=len(wrt)):
        partial = f
        for name, place in zip(names, wrt, strict=True):
            partial = modes[name](partial, place)
        yield " in ".join(reversed(names)), partial


def _noting(f: Callable[..., Any], noted: list[Any]) -> Callable[..., Any]:
    """``f``, but whole numbers and truth values, which are refused as results, are noted and 0.0 in their place."""

    def noting(*xs: Any) -> Any:
        out = f(*xs)
        if isinstance(out, tuple) or np.result_type(value_of(out)).kind not in "iub":
            return out
        noted.append(value_of(out))
        return 0.0

    return noting


def value_forward(f: Callable[..., Any], *args: Any) -> Any:
    """The primal of ``f(*args)`` beside its tangent."""
    noted: list[Any] = []
    value = jvp(_noting(f, noted), args, tuple(np.ones_like(x)[()] for x in args))[0]
    return noted[0] if noted else value


def value_reverse(f: Callable[..., Any], *args: Any) -> Any:
    """The primal of ``f(*args)`` on a tape that has been swept."""
    noted: list[Any] = []
    value, pullback = vjp(_noting(f, noted), *args)
    pullback(np.ones(np.shape(value))[()])
    return noted[0] if noted else value


VALUES = {"forward": value_forward, "reverse": value_reverse}


# --------------------------------------------------------------------------------------------- differences


def difference(
    f: Callable[[float], Any], step: Any, offset: Any = 0.0, noise: float = 1.0, each: bool = False
) -> tuple[Any, Any]:
    """The slope at 0 of ``t ↦ f(t)`` by central differences, once extrapolated (Richardson 1911), and its error.

    The error is the sum of what the extrapolation changed and of what the rounding of f, and of ``offset + t`` inside
    it, amounts to; that of f is measured by its largest element, or by ``each`` itself, which may have a step of its
    own.
    """
    ends = [np.asarray(f(t)) for t in (step, -step, step / 2, -step / 2)]
    wide, narrow = (ends[0] - ends[1]) / (2 * step), (ends[2] - ends[3]) / step
    rounding = (
        8 * EPS * noise * (np.max(np.abs(ends), axis=0 if each else None, initial=0.0) + abs(offset * narrow)) + TINY
    ) / step
    return (4 * narrow - wide) / 3, np.abs(narrow - wide) + rounding


def partial_difference(
    f: Callable[..., Any], wrt: int, point: Sequence[Any], room: Any, noise: float = 1.0, each: bool = False
) -> tuple[Any, Any]:
    """∂f/∂point[wrt] by `difference`, over a small part of the ``room`` that there is."""
    moved = lambda t: f(*point[:wrt], point[wrt] + t, *point[wrt + 1 :])
    return difference(moved, 2e-4 * room, point[wrt], noise, each)


# --------------------------------------------------------------------------------------------- 50-digit derivatives


NOISE: dict[str, float] = references_bessel.NOISE | NOISE_OF_SPECIAL
VALUE_NOISE: dict[str, float] = NOISE | references_bessel.VALUE_NOISE | VALUE_NOISE_OF_SPECIAL


def noise(row: Row) -> float:
    """By how much the partials of a row may be worse than rounding, since SciPy's values in them are."""
    return NOISE.get(row.name, 1.0)


def value_noise(row: Row) -> float:
    """By how much SciPy's own values of a row may be worse than rounding."""
    return VALUE_NOISE.get(row.name, 1.0)


REFERENCE_NOISE = mpmath.mpf(10) ** -45
"""What is left of `exactly` where the partial is 0."""


@functools.cache
def exactly(f: Callable[..., Any], point: tuple[Any, ...], orders: tuple[int, ...], digits: int = 50) -> Any:
    """The partial of an mpmath function of these orders, one per argument, by central differences in so many digits.

    Steps are a tiny part of each argument, so the digits carried cover the argument's magnitude as well. They are of
    half the digits, since the error is of their square, and each costs as many in the difference; `mpmath.diff` takes
    steps of all digits, which for mixed partials means up to five times as many.
    """
    magnitude = sum(n * abs(math.log10(abs(x))) for x, n in zip(point, orders, strict=True) if x)
    with mp.workdps(digits + int(magnitude)):
        bits = mp.prec // 2 + 20
        with mp.workprec(mp.prec + sum(orders) * bits + 20):
            centre = [x if type(x) is int else mp.mpf(x) for x in point]
            steps = [mp.ldexp(abs(x) or mp.one, -bits) if n else 0 for x, n in zip(centre, orders, strict=True)]
            total = mp.zero
            for places in itertools.product(*(range(n + 1) for n in orders)):
                weight = math.prod((-1) ** k * math.comb(n, k) for k, n in zip(places, orders, strict=True))
                moved = zip(centre, steps, places, orders, strict=True)
                total += weight * f(*(x + (n - 2 * k) * h if n else x for x, h, k, n in moved))
            slope = total / mp.fprod((2 * h) ** n for h, n in zip(steps, orders, strict=True) if n)
        return +slope


def settled(f: Callable[..., Any], point: tuple[Any, ...], orders: tuple[int, ...]) -> Any:
    """`exactly` with ever more digits until two results agree: for tails, where 1 − tanh 300 has 260 zeros to carry."""
    coarse, fine = None, exactly(f, point, orders, 50)
    for digits in (150, 400, 900, 2000):
        coarse, fine = fine, exactly(f, point, orders, digits)
        if fine and abs(fine - coarse) <= 1e-20 * abs(fine):
            return fine
    return mp.zero  # what remains is below the smallest float


def orders_of(wrt: tuple[int, ...], arity: int) -> tuple[int, ...]:
    """How often each argument is differentiated in the mixed partial ``wrt``."""
    return tuple(wrt.count(k) for k in range(arity))
