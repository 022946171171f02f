"""Equations of ``scipy.linalg``."""

from collections.abc import Iterator
from inspect import signature

import numpy as np
import scipy.linalg

from .sample import Sample, entry, matrices, of_scipy, scipy_is, values

A, B = matrices(3, 3), values(3, 2, seed=1)


def positive(*shape: int) -> np.ndarray:
    """Symmetric positive definite matrices."""
    a = values(*shape, seed=4)
    return np.asarray(a @ np.swapaxes(a, -1, -2) + shape[-1] * np.eye(shape[-1]))


@entry("solve_structured", "scipy.linalg.solve")
def _solve(name: str) -> Iterator[Sample]:
    stack = ((2, 3, 3), (2, 3, 2))
    for left, right in [((3, 3), (3,)), ((3, 3), (3, 2)), ((1, 1), (1,)), *([stack] if scipy_is(1, 16) else [])]:
        yield of_scipy("linalg", lambda s, a, b: s.solve(a, b), (matrices(*left), values(*right, seed=1)),
                       f"{left}, {right}", condition=8)  # fmt: skip
    for assume in ("gen", "sym", "pos", "her", "upper triangular", "lower triangular", "diagonal", "tridiagonal"):
        for lower in (False, True) if assume in ("sym", "pos", "her") else (False,):
            matrix = positive(3, 3) if assume in ("pos", "her") else A + A.T
            keywords = {"lower": lower, "assume_a": assume}
            yield of_scipy("linalg", lambda s, a, b, keywords=keywords: s.solve(a, b, **keywords), (matrix, B),
                           f"{assume}, lower={lower}", condition=32, unreal=assume not in ("pos", "her"))  # fmt: skip
    yield of_scipy(
        "linalg", lambda s, a, b: s.solve(a, b, transposed=True), (A, B), "transposed", condition=8, unreal=False
    )


@entry("scipy.linalg.inv")
def _inv(name: str) -> Iterator[Sample]:
    yield of_scipy("linalg", lambda s, a: s.inv(a), (A,), "", condition=8)
    if scipy_is(1, 16):
        yield of_scipy("linalg", lambda s, a: s.inv(a), (matrices(2, 2, 2),), "a stack", condition=8)
    if "assume_a" in signature(scipy.linalg.inv).parameters:  # from SciPy 1.17 on
        yield of_scipy("linalg", lambda s, a: s.inv(a, assume_a="pos", lower=True), (positive(3, 3),), "pos",
                       condition=8, unreal=False)  # fmt: skip


@entry("scipy.linalg.pinv")
def _pinv(name: str) -> Iterator[Sample]:
    yield of_scipy("linalg", lambda s, a: s.pinv(a), (A[:, :2],), "", condition=64)
    yield of_scipy("linalg", lambda s, a: s.pinv(a, atol=1e-3, return_rank=True)[0], (A,), "atol", condition=64)


@entry("scipy.linalg.pinvh")
def _pinvh(name: str) -> Iterator[Sample]:
    for lower in (True, False):
        yield of_scipy("linalg", lambda s, a, lower=lower: s.pinvh(a, lower=lower), (positive(3, 3),), f"{lower}",
                       condition=64, unreal=False)  # fmt: skip
    yield of_scipy("linalg", lambda s, a: s.pinvh(a @ a.T, atol=1e-9, return_rank=True)[0], (A[:, :2],), "rank 2",
                   condition=512, unreal=False)  # fmt: skip


@entry("scipy.linalg.lstsq")
def _lstsq(name: str) -> Iterator[Sample]:
    tall, wide = values(4, 2), values(2, 3)
    for place, a, b in [(0, tall, values(4)), (0, wide, values(2, 2)), (0, A, B), (1, tall, values(4)),
                        (1, tall, values(4, 2))]:  # fmt: skip
        yield of_scipy("linalg", lambda s, a, b, place=place: s.lstsq(a, b)[place], (a, b),
                       f"{place}, {a.shape}, {b.shape}", condition=256)  # fmt: skip
    yield of_scipy(
        "linalg", lambda s, a, b: s.lstsq(a, b, lapack_driver="gelsy")[0], (tall, values(4)), "gelsy", condition=256
    )
    yield of_scipy("linalg", lambda s, a: s.lstsq(a, np.ones(4))[3], (tall,), "singular values", condition=64)


@entry("scipy.linalg.det")
def _det(name: str) -> Iterator[Sample]:
    for shape in [(3, 3), (2, 2, 2)]:
        yield of_scipy("linalg", lambda s, a: s.det(a), (matrices(*shape),), f"{shape}", condition=8)


@entry("solve_triangular", "scipy.linalg.solve_triangular")
def _triangular(name: str) -> Iterator[Sample]:
    for trans in (0, "T", 2):
        for lower, unit in [(False, False), (True, False), (True, True)]:
            yield of_scipy("linalg", lambda s, a, b, keywords=(trans, lower, unit): s.solve_triangular(a, b, *keywords),
                           (A, B), f"{trans}, {lower}, {unit}", condition=16)  # fmt: skip
    yield of_scipy("linalg", lambda s, a, b: s.solve_triangular(a, b), (A, B[:, 0]), "a vector", condition=16)


@entry("scipy.linalg.cho_solve")
def _cho_solve(name: str) -> Iterator[Sample]:
    for lower in (False, True):
        yield of_scipy(
            "linalg", lambda s, c, b, lower=lower: s.cho_solve((c, lower), b), (A, B), f"{lower}", condition=64
        )


@entry("scipy.linalg.lu_solve")
def _lu_solve(name: str) -> Iterator[Sample]:
    pivots = np.array([1, 2, 2])
    for trans in (0, 1, 2):
        yield of_scipy(
            "linalg", lambda s, lu, b, trans=trans: s.lu_solve((lu, pivots), b, trans), (A, B), f"{trans}", condition=64
        )
    yield of_scipy("linalg", lambda s, lu, b: s.lu_solve((lu, pivots), b), (A, B[:, 0]), "a vector", condition=64)


@entry("solve_banded", "scipy.linalg.solve_banded")
def _banded(name: str) -> Iterator[Sample]:
    for below, above in [(1, 1), (2, 1), (0, 1)]:
        ab = values(below + above + 1, 4)
        ab[above] += 4.0
        yield of_scipy("linalg", lambda s, ab, b, lu=(below, above): s.solve_banded(lu, ab, b), (ab, values(4, 2)),
                       f"{below}, {above}", condition=16)  # fmt: skip
    yield of_scipy("linalg", lambda s, ab, b: s.solve_banded((1, 1), ab, b), (ab[[0, 1, 1]] + 1.0, values(4)),
                   "a vector", condition=16)  # fmt: skip


@entry("solveh_banded", "scipy.linalg.solveh_banded")
def _banded_hermitian(name: str) -> Iterator[Sample]:
    for lower in (False, True):
        ab = values(3, 4)
        ab[0 if lower else -1] += 8.0
        yield of_scipy("linalg", lambda s, ab, b, lower=lower: s.solveh_banded(ab, b, lower=lower), (ab, values(4, 2)),
                       f"{lower}", condition=16)  # fmt: skip


@entry("solve_toeplitz", "scipy.linalg.solve_toeplitz", "scipy.linalg.matmul_toeplitz")
def _toeplitz(name: str) -> Iterator[Sample]:
    c, r = values(4) + 5.0 * np.eye(4)[0], values(4, seed=2)
    short = name.rpartition(".")[2]
    yield of_scipy(
        "linalg", lambda s, c, r, b: getattr(s, short)((c, r), b), (c, r, values(4, 2)), "both", condition=16
    )
    yield of_scipy("linalg", lambda s, c, b: getattr(s, short)(c, b), (c, values(4)), "a column alone", condition=16)


@entry("solve_circulant", "scipy.linalg.solve_circulant")
def _circulant(name: str) -> Iterator[Sample]:
    c = values(4) + 5.0 * np.eye(4)[0]
    yield of_scipy("linalg", lambda s, c, b: s.solve_circulant(c, b), (c, values(4)), "a vector", condition=16)
    yield of_scipy("linalg", lambda s, c, b: s.solve_circulant(c, b), (c, values(4, 2)), "a matrix", condition=16)
    yield of_scipy("linalg", lambda s, c, b: s.solve_circulant(c, b, caxis=0, baxis=-1, outaxis=-1),
                   (np.stack([c, c + 1.0], 1), values(2, 4)), "axes", condition=16)  # fmt: skip


@entry("solve_sylvester")
def _sylvester(name: str) -> Iterator[Sample]:
    equation = lambda s, a, b, q: s.solve_sylvester(a, b, q)
    yield of_scipy("linalg", equation, (A, matrices(2, 2), values(3, 2)), "", condition=16, step=2e-3)


@entry("scipy.linalg.solve_continuous_lyapunov", "scipy.linalg.solve_lyapunov", "solve_discrete_lyapunov")
def _lyapunov(name: str) -> Iterator[Sample]:
    short = name.rpartition(".")[2]
    yield of_scipy("linalg", lambda s, a, q: getattr(s, short)(a, q), (A, values(3, 3, seed=3)), "", condition=64)


@entry(
    "solve_continuous_are", "scipy.linalg.solve_continuous_are", "solve_discrete_are", "scipy.linalg.solve_discrete_are"
)
def _riccati(name: str) -> Iterator[Sample]:
    short = name.rpartition(".")[2]
    hermitian = lambda q: q @ np.conj(q).T + 2.0 * np.eye(len(q))
    yield of_scipy("linalg", lambda s, a, b, q, r: getattr(s, short)(a, b, hermitian(q), hermitian(r)),
                   (values(3, 3), values(3, 2), 0.3 * values(3, 3), 0.3 * values(2, 2)), "four",
                   condition=512)  # fmt: skip
    yield of_scipy("linalg", lambda s, e, c: getattr(s, short)(values(2, 2), values(2, 1), np.eye(2), np.eye(1), e, c),
                   (matrices(2, 2), 0.1 * values(2, 1)), "six", condition=512)  # fmt: skip
