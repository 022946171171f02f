"""Functions of ``scipy.special`` that are no ufuncs."""

from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, of_scipy, values

SHAPES = [((4,), None), ((2, 3), 0), ((2, 3), (0, 1)), ((3, 1), 1)]


@entry("scipy.special.logsumexp")
def _logsumexp(name: str) -> Iterator[Sample]:
    for shape, axis in SHAPES:
        for keepdims in (False, True):
            yield of_scipy("special", lambda s, a, axis=axis, keepdims=keepdims: s.logsumexp(a, axis, None, keepdims),
                           (values(*shape),), f"{shape}, {axis}, {keepdims}", unreal=False, exact=False)  # fmt: skip
        yield of_scipy("special", lambda s, a, b, axis=axis: s.logsumexp(a, axis=axis, b=b),
                       (values(*shape), np.abs(values(*shape)) + 0.1), f"weighted {shape}, {axis}", unreal=False,
                       exact=False)  # fmt: skip
        yield of_scipy("special", lambda s, a, axis=axis: s.logsumexp(a, axis=axis, return_sign=True)[0],
                       (values(*shape),), f"with sign {shape}, {axis}", unreal=False, exact=False)  # fmt: skip


@entry("scipy.special.polygamma", "scipy.special.multigammaln", "scipy.special.diric")
def _of_a_number(name: str) -> Iterator[Sample]:
    calls = {
        "polygamma": lambda s, x, n: s.polygamma(n, x),
        "multigammaln": lambda s, x, n: s.multigammaln(x, n),
        "diric": lambda s, x, n: s.diric(x, n),
    }
    for n in (1, 2, 3):
        for shape in ((), (3,), (2, 0)):
            yield of_scipy("special", lambda s, x, n=n: calls[name.rpartition(".")[2]](s, x, n),
                           (np.abs(values(*shape)) + 1.5,), f"{n}, {shape}", unreal=False, exact=False,
                           condition=8)  # fmt: skip


@entry("scipy.special.comb", "scipy.special.perm", "scipy.special.factorial")
def _counting(name: str) -> Iterator[Sample]:
    name = name.rpartition(".")[2]
    for shape in ((), (3,), (2, 0)):
        n, k = np.abs(values(*shape)) + 4.5, np.abs(values(*shape[-1:])) + 0.3
        if name == "factorial":
            yield of_scipy("special", lambda s, n: s.factorial(n), (n,), f"{shape}", unreal=False, exact=False)
            yield of_scipy("special", lambda s, n: s.factorial(-n) + n, (n,), f"below {shape}", unreal=False)
            continue
        choose = lambda s, n, k: getattr(s, name)(n, k)
        yield of_scipy("special", choose, (n, k), f"{shape}", unreal=False, exact=False, condition=64)
        yield of_scipy("special", lambda s, n, k: getattr(s, name)(k, n) + n, (n, k), f"none {shape}", unreal=False)
    if name == "comb":
        yield of_scipy("special", lambda s, n, k: s.comb(n, k, repetition=True), (n, k), "repetition", unreal=False,
                       exact=False, condition=64)  # fmt: skip
