"""Random programs compiled: machine code and the replay by NumPy against the function itself, at several points.

``python -m fuzz.compiled KIND FIRST COUNT`` tries as many programs from a seed on and prints which failed, and how. The
kinds are ``programs``, those of the fuzzer of derivatives; ``ways``, nested blocks; ``loops`` and ``arrays``, short
loops of numbers and of arrays; ``rounds``, long loops.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from loops import ArrayLoops, Loops

from autodiff import grad, jit, value_and_grad
from autodiff.calls.structures import flatten
from autodiff.compiler.native import entry
from dualnumbers.levels import is_number

from .generator import program
from .program import moved
from .rounds import Rounds
from .ways import Ways

Function = Callable[..., Any]


EPS, SINGLE = 2.0**-52, 2.0**-22
"""By which share, and 16 times as much, arguments are moved to find out how well a function is conditioned; of single
precision. What is in between may be so large that it stays the same where they move by their last digit."""

TIMES = 100
"""How many times as much as the results of such arguments lie apart a result may be off."""


class Case(NamedTuple):
    """A function, the arguments that it is called with one after the other, made anew, and its source."""

    name: str
    f: Function
    points: list[Callable[[], list[Any]]]
    source: str


class Found(NamedTuple):
    """What is other than it should be: of which function, at which point, by machine code or exactly."""

    name: str
    point: int
    how: str
    found: Any
    expected: Any
    source: str


def weighted(f: Function) -> Function:
    """Return the sum of all parts of all that a function returns, with weights."""

    def total(*xs: Any) -> Any:
        parts = [x for x in flatten(f(*xs))[0] if is_number(type(x))]
        return sum(np.sum(np.cos(1.0 + np.arange(np.size(x))).reshape(np.shape(x)) * (np.real(x) + np.imag(x)))
                   for x in parts) + 0.0  # fmt: skip

    return total


def weighted_gradient(f: Function) -> Function:
    """Return the gradient of that sum by all arguments."""
    return lambda *xs: grad(weighted(f), tuple(range(len(xs))))(*xs)


def of_programs(seed: int) -> Iterator[Case]:
    """Yield a program of the fuzzer of derivatives, and its gradient: beside its arguments and far from them."""
    drawn = program(seed)
    function, count = drawn.function(), len(drawn.differentiated)

    def f(*xs: Any) -> Any:
        return function(*xs, *drawn.fresh()[count:])

    points = [
        lambda step=step: [moved(x, step) for x in drawn.fresh(drawn.differentiated)]
        for step in (0.0, 1e-3, 0.7, -0.4, 0.0)
    ]
    yield Case("value", f, points, drawn.source())
    yield Case("gradient", weighted_gradient(f), points, drawn.source())


def of_ways(seed: int) -> Iterator[Case]:
    """Yield a function of nested blocks, or its gradient: on several ways, there and back."""
    drawn = Ways(seed)
    f, points = drawn.function(), [lambda k=k: drawn.arguments(k) for k in (0, 1, 0)]
    yield (
        Case("value", f, points, drawn.source)
        if seed % 2
        else Case("gradient", weighted_gradient(f), points, drawn.source)
    )


def of_loops(seed: int) -> Iterator[Case]:
    """Yield the value and gradient of a function of loops over numbers."""
    drawn = Loops(seed, 8 + seed % 7)

    def arguments(k: int) -> list[Any]:
        rng = np.random.default_rng(k)
        return [rng.normal(size=drawn.n + 1), float(rng.normal())]

    points = [lambda k=k: arguments(k) for k in range(3)]
    yield Case("both", value_and_grad(drawn.function(), (0, 1)), points, drawn.source)


def of_arrays(seed: int) -> Iterator[Case]:
    """Yield the value and gradient of a function of loops over arrays."""
    drawn = ArrayLoops(seed, 4 + seed % 5, 3 + seed % 3)
    points = [lambda k=k: drawn.arguments(k) for k in range(3)]
    yield Case("both", value_and_grad(drawn.function(), (0, 1, 2)), points, drawn.source)


def of_rounds(seed: int) -> Iterator[Case]:
    """Yield the value and gradient of a function of long loops."""
    drawn = Rounds(seed)
    points = [lambda k=k: drawn.arguments(k) for k in range(2)]
    yield Case("both", value_and_grad(drawn.function(), (0, 1, 2, 3)), points, drawn.source)


KINDS: dict[str, Callable[[int], Iterator[Case]]] = {"programs": of_programs, "ways": of_ways, "loops": of_loops,
                                                     "arrays": of_arrays, "rounds": of_rounds}  # fmt: skip


def outcome(f: Function, arguments: list[Any]) -> list[Any] | type:
    """Return what a call gives, as arrays, or the type of its error."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return [np.asarray(x) for x in flatten(f(*arguments))[0]]
        except Exception as error:
            return type(error)


def is_same(found: Any, expected: Any) -> bool:
    """Return whether two outcomes are the same to the bit."""
    if isinstance(found, type) or isinstance(expected, type):
        return found is expected
    return all(
        np.array_equal(x, y, equal_nan=y.dtype.kind in "fc") and np.array_equal(_signs(x), _signs(y))
        for x, y in zip(found, expected, strict=True)
    )


def _signs(x: np.ndarray) -> np.ndarray:
    return np.signbit(x.real) & (x == 0) if x.dtype.kind in "fc" else np.zeros(0)


def spread(f: Function, arguments: Callable[[], list[Any]], expected: Any, single: bool) -> list[float]:
    """Return how far results lie apart, each for itself, of arguments that differ in their last digits."""
    rng, found = np.random.default_rng(0), [0.0 for _ in ([] if isinstance(expected, type) else expected)]
    for step in (EPS, EPS, 16 * EPS, 16 * EPS, *((SINGLE, SINGLE) if single else ())):
        other = outcome(f, [x * (1.0 + step * rng.choice([-1.0, 1.0], np.shape(x))) for x in arguments()])
        if not is_near(other, expected, 1e300):
            return [np.inf for _ in found]
        for k, (x, y) in enumerate(zip(other, expected, strict=True)):
            finite = np.isfinite(x) & np.isfinite(y)
            found[k] = max(found[k], np.max(np.abs(np.subtract(x, y, dtype=complex)), initial=0.0, where=finite))
    return found


def is_near(found: Any, expected: Any, digits: float, spreads: list[float] | None = None) -> bool:
    """Return whether two outcomes are of one form, and the same to a share of their size, and many times the spread."""
    if isinstance(found, type) or isinstance(expected, type):
        return found is expected
    if [(x.dtype, x.shape) for x in found] != [(x.dtype, x.shape) for x in expected]:
        return False
    spreads = [0.0 for _ in found] if spreads is None else spreads
    return all(map(lambda x, y, apart: _is_near(x, y, digits, apart), found, expected, spreads))


def _is_near(x: np.ndarray, y: np.ndarray, digits: float, apart: float) -> bool:
    if y.dtype.kind not in "fc" or apart == np.inf:
        return np.array_equal(x, y) or apart > 0.0
    size = np.max(np.abs(y), initial=1.0, where=np.isfinite(y))
    return np.allclose(x, y, digits, digits * size + TIMES * apart, equal_nan=True)


@contextmanager
def without_drafts() -> Iterator[None]:
    """Let machine code be made by LLVM's level 2 from the first call on."""
    known, entry.MAKING = entry.MAKING, 0.0
    try:
        yield
    finally:
        entry.MAKING = known


def failures(case: Case) -> Iterator[Found]:
    """Yield where the compiled function gives something else than the function: by machine code, exactly, in bits.

    It may be off by more where the function itself gives other digits beside the point. To the bit a function of real
    numbers is the same; the sweep of a derivative goes shorter ways where numbers are plain. The draft of machine code
    gives the bits of what is made after it.
    """
    native, better, exact = jit(case.f), jit(case.f), jit(case.f, exact=True)
    for k, arguments in enumerate(case.points):
        expected = outcome(case.f, arguments())
        single = "float32" in case.source or "complex64" in case.source
        digits = 1e-4 if single else 1e-9
        for how, compiled in (("machine code", native), ("exact", exact)):
            found = outcome(compiled, arguments())
            if compiled is native:
                with without_drafts():
                    after = outcome(better, arguments())
                if not is_same(after, found):
                    yield Found(case.name, k, "draft", found, after, case.source)
            if not is_near(found, expected, digits):
                if not is_near(found, expected, digits, spread(case.f, arguments, expected, single)):
                    yield Found(case.name, k, how, found, expected, case.source)
            elif how == "exact" and not is_same(found, expected):
                is_real = not any(x.dtype.kind == "c" for x in map(np.asarray, [*arguments(), *expected]))
                is_plain = not any(word in case.source for word in ("grad", "backward", "jvp", "vjp"))
                how = "exact" if case.name == "value" and is_real and is_plain else "bits"
                yield Found(case.name, k, how, found, expected, case.source)


def main(kind: str, first: int, count: int) -> None:
    """Try programs and print what failed."""
    wrong, rounded = list[int](), list[int]()
    for tried, seed in enumerate(range(first, first + count), 1):
        for case in KINDS[kind](seed):
            for found in failures(case):
                if found.how == "bits":
                    rounded.append(seed)
                else:
                    wrong.append(seed)
                    print(
                        f"{kind} {seed}: {found.name}, point {found.point}, {found.how}\n  {found.found}\n"
                        f"  {found.expected}",
                        flush=True,
                    )
                break
        if tried % 100 == 0:
            print(
                f"{kind}: {tried} tried, {len(set(wrong))} failed {sorted(set(wrong))}, {len(set(rounded))} of other "
                f"bits {sorted(set(rounded))[:20]}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
