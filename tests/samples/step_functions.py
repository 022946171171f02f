"""Step functions: each is multiplied by its argument, so that there is a derivative."""

from collections.abc import Iterator

import numpy as np
import scipy.special

from autodiff import stop_gradient

from .sample import ENTRIES, Sample, apart, entry

STEP_OPERANDS = {1: ((2, 3),), 2: ((2, 1), (3,))}


@entry("floor", "ceil", "trunc", "rint", "sign", "signbit", "floor_divide")
def stepwise(name: str) -> Iterator[Sample]:
    """Yield a ufunc that is locally constant, times its first argument, so that there is a derivative."""
    ufunc = getattr(np, name)
    arrays = tuple(apart(*shape) + 5.1 * k for k, shape in enumerate(STEP_OPERANDS[getattr(ufunc, "nin", 1)]))
    yield Sample(lambda *xs: ufunc(*xs) * xs[0], arrays, unreal=False)


@entry("gammasgn", "special_round")
def _steps_of_scipy(name: str) -> Iterator[Sample]:
    ufunc = scipy.special.gammasgn if name == "gammasgn" else scipy.special.round
    yield Sample(lambda x: ufunc(x) * x, (apart(2, 3),), unreal=False)


ENTRIES["ulp"] = lambda name: stepwise("spacing")


@entry("frexp")
def _frexp(name: str) -> Iterator[Sample]:
    yield Sample(
        lambda x: np.ldexp(*np.frexp(x)) * np.frexp(x)[0], (np.array([[0.3, -3.0], [0.7, 40.0]]),), unreal=False
    )
    yield Sample(lambda x: np.frexp(x)[0] * np.frexp(x)[1], (apart(4),), unreal=False)


@entry("modf", "divmod")
def _parts(name: str) -> Iterator[Sample]:
    x, y = np.array([[-1.63], [2.47]]), np.array([0.7, -0.45, 1.1])
    if name == "modf":
        yield Sample(lambda x: np.modf(x)[0] * np.modf(x)[1], (x,), unreal=False)
        return
    yield Sample(lambda x, y: np.divmod(x, y)[0] * np.divmod(x, y)[1], (x, y), unreal=False)
    yield Sample(lambda x: np.divmod(x, 0.4)[1] + np.divmod(3.0, x)[1], (x,), "a constant", unreal=False)
    yield Sample(lambda x: divmod(x, 0.4)[1] + divmod(3.0, x)[1], (x,), "operator", unreal=False)


@entry("round")
def _round(name: str) -> Iterator[Sample]:
    for round in (np.round, np.around):
        for decimals in (0, 1, -1):
            yield Sample(lambda x, decimals=decimals, round=round: round(4 * x, decimals) * x, (apart(2, 3),),
                         f"{round.__name__}, {decimals}", unreal=False)  # fmt: skip
    yield Sample(lambda x: x.round(1) * x, (apart(3),), "method", unreal=False)


@entry("stopped")
def _stopped(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: stop_gradient(np.round(4 * x)) * x, (apart(2, 3),), "an array", unreal=False)
    yield Sample(lambda x: stop_gradient(np.floor(4 * x[0])) * x, (apart(3),), "a number", unreal=False)
