"""Reductions of np.logaddexp, softmax and its logarithm."""

from collections.abc import Iterator

import numpy as np

from dualnumbers.rules.statistics import logarithmic_sums

from .sample import Sample, entry, of_scipy, values


@entry("logaddexp_reduce", "logaddexp2_reduce")
def _reduce(name: str) -> Iterator[Sample]:
    ufunc = np.logaddexp if name == "logaddexp_reduce" else np.logaddexp2
    for shape, axis, keepdims in [((4,), 0, False), ((2, 3), None, False), ((2, 3), (0, 1), True), ((2, 3), -1, True)]:
        call = lambda x, axis=axis, keep=keepdims: ufunc.reduce(x, axis=axis, keepdims=keep)
        yield Sample(call, (values(*shape),), f"{shape}, {axis}, {keepdims}", unreal=False)
    far = np.array([[1000.0, 0.0, 999.0], [-1000.0, -1000.5, -2000.0]])
    yield Sample(lambda x: ufunc.reduce(x, axis=1), (far,), "far out", unreal=False, condition=1e3)


@entry("softmax2", "log_sum_exp")
def _behind_others(name: str) -> Iterator[Sample]:
    f = getattr(logarithmic_sums, name)
    static = (False,) if name == "log_sum_exp" else ()
    for shape, axis in [((4,), None), ((2, 3), 0), ((2, 3), (0, 1)), ((3, 1), 1)]:
        yield Sample(lambda x, axis=axis: f(x, axis, *static), (values(*shape),), f"{shape}, {axis}", exact=False)


@entry("softmax", "log_softmax")
def _softmax(name: str) -> Iterator[Sample]:
    f = getattr(logarithmic_sums, name)
    for shape, axis in [((4,), None), ((2, 3), 0), ((2, 3), (0, 1)), ((3, 1), 1), ((0, 2), 1), ((2, 0), 1), ((), None)]:
        unreal = name == "softmax" or shape != (3, 1)  # the logarithm of e^ib of one number rounds
        yield Sample(lambda x, axis=axis: f(x, axis), (values(*shape),), f"{shape}, {axis}", unreal=unreal)
        if shape not in ((0, 2), (2, 0)):
            yield of_scipy("special", lambda s, a, axis=axis: getattr(s, name)(a, axis), (values(*shape),),
                           f"SciPy's, {shape}, {axis}", unreal=False, exact=False)  # fmt: skip
    yield Sample(
        lambda x: f(x, 1), (np.array([[1000.0, 0.0], [-1000.0, -1000.5]]),), "far out", unreal=False, condition=1e3
    )


@entry("cross_entropy")
def _cross_entropy(name: str) -> Iterator[Sample]:
    for rows, classes in [((1, 3), [2]), ((4, 3), [0, 2, 2, 1]), ((2, 1), [0, 0]), ((2, 3, 4), [3, 0, 0])]:
        call = lambda x, classes=classes: logarithmic_sums.cross_entropy(x, np.array(classes))
        yield Sample(call, (values(*rows),), f"{rows}, {classes}", unreal=False, exact=False)
    far = np.array([[1000.0, 0.0], [-1000.0, -1000.5]])
    yield Sample(lambda x: logarithmic_sums.cross_entropy(x, np.array([1, 0])), (far,), "far out", unreal=False,
                 condition=1e3)  # fmt: skip
