"""Decompositions and matrices of a given form of ``scipy.linalg``."""

from collections.abc import Callable, Iterator

import numpy as np

from .sample import Sample, entry, matrices, of_scipy, values
from .scipy_linalg_equations import positive

A, P, V = matrices(3, 3), positive(3, 3), values(4)
BAND = values(3, 4) + np.array([[0.0], [0.0], [8.0]])

CALLS: dict[str, list[tuple[Callable, tuple[np.ndarray, ...]]]] = {
    "toeplitz": [(lambda s, c: s.toeplitz(c), (V,)), (lambda s, c, r: s.toeplitz(c, r), (V, V[:3]))],
    "circulant": [(lambda s, c: s.circulant(c), (V,))],
    "hankel": [(lambda s, c: s.hankel(c), (V,)), (lambda s, c, r: s.hankel(c, r), (V, V[:3]))],
    "companion": [(lambda s, a: s.companion(a), (V,))],
    "convolution_matrix": [(lambda s, a, n=n, mode=mode: s.convolution_matrix(a, n, mode), (V,))
                           for n in (2, 6) for mode in ("full", "same", "valid")],
    "leslie": [(lambda s, f, t: s.leslie(f, t), (V, V[:3]))],
    "fiedler": [(lambda s, a: s.fiedler(a), (V,))],
    "khatri_rao": [(lambda s, a, b: s.khatri_rao(a, b), (A, A[:2]))],
    "block_diag": [(lambda s, a, b: s.block_diag(a, b, a), (A[:2], V))],
    "svd": [(lambda s, a: s.svd(a, False)[1], (A[:, :2],)), (lambda s, a: s.svd(a, compute_uv=False), (A,))],
    "svdvals": [(lambda s, a: s.svdvals(a), (A[:, :2],))],
    "polar": [(lambda s, a: s.polar(a)[0], (A,)), (lambda s, a: s.polar(a, "left")[1], (A,))],
    "qr": [(lambda s, a: s.qr(a, mode="economic")[1], (A[:, :2],)), (lambda s, a: s.qr(a)[0], (A,)),
           *((lambda s, a, mode=mode, i=i: s.qr(a, mode=mode, pivoting=True)[i], (A,))
             for mode, i in (("full", 0), ("full", 1), ("economic", 0), ("economic", 1), ("r", 0)))],
    "rq": [(lambda s, a: s.rq(a)[0], (A,)), (lambda s, a: s.rq(a)[1], (A[:, :2],)),
           (lambda s, a: s.rq(a, mode="economic")[1], (A[:2],)), (lambda s, a: s.rq(a, mode="r"), (A,))],
    "lu": [(lambda s, a: s.lu(a)[1], (A[::-1],)), (lambda s, a: s.lu(a, permute_l=True)[0], (A[::-1],)),
           (lambda s, a: s.lu(a, p_indices=True)[2], (A,))],
    "lu_factor": [(lambda s, a: s.lu_factor(a)[0], (A[::-1],))],
    "orthogonal_procrustes": [(lambda s, a, b: s.orthogonal_procrustes(a, b)[0], (A, P)),
                              (lambda s, a, b: s.orthogonal_procrustes(a, b)[1], (A[:, :2], P[:, :2]))],
    "norm": [(lambda s, a: s.norm(a), (A,)), (lambda s, a: s.norm(a, 1, axis=0), (A,))],
}  # fmt: skip
"""By name: calls and their arrays."""

HERMITIAN: dict[str, list[tuple[Callable, tuple[np.ndarray, ...]]]] = {
    "cholesky": [(lambda s, a: s.cholesky(a), (P,)), (lambda s, a: s.cholesky(a, lower=True), (P,))],
    "cho_factor": [(lambda s, a, b: s.cho_solve(s.cho_factor(a), b), (P, V[:3]))],
    "eigh": [(lambda s, a: s.eigh(a)[1] ** 2, (P,)), (lambda s, a, b: s.eigh(a, b)[1] ** 2, (A, P)),
             (lambda s, a, b: s.eigh(a, b, type=2, lower=False)[1] ** 2, (A, P)),
             (lambda s, a, b: s.eigh(a, b, type=3, subset_by_index=[1, 2])[1] ** 2, (A, P))],
    "eigvalsh": [(lambda s, a: s.eigvalsh(a, subset_by_value=[0.0, 99.0]), (P,)),
                 (lambda s, a, b: s.eigvalsh(a, b), (A, P))],
    "eigh_tridiagonal": [(lambda s, d, e: s.eigh_tridiagonal(d, e)[1] ** 2, (V, V[:3]))],
    "eigvalsh_tridiagonal": [(lambda s, d, e: s.eigvalsh_tridiagonal(d, e, select="i", select_range=(1, 2)),
                              (V, V[:3]))],
    "cholesky_banded": [(lambda s, ab: s.cholesky_banded(ab)[:, 2:], (BAND,)),
                        (lambda s, ab: s.cholesky_banded(ab[::-1], lower=True)[:, :2], (BAND,))],
    "cho_solve_banded": [(lambda s, ab, b: s.cho_solve_banded((s.cholesky_banded(ab), False), b), (BAND, V)),
                         (lambda s, ab, b: s.cho_solve_banded((ab[::-1], True), b), (BAND, values(4, 2)))],
    "eig_banded": [(lambda s, ab: s.eig_banded(ab)[1] ** 2, (BAND,)),
                   (lambda s, ab: s.eig_banded(ab[::-1], lower=True, select="i", select_range=(1, 2))[0], (BAND,))],
    "eigvals_banded": [(lambda s, ab: s.eigvals_banded(ab, select="v", select_range=(0.0, 9.0)), (BAND,))],
    "eig": [(lambda s, a: np.sum(s.eig(a)[0] ** 3), (A,)), (lambda s, a, b: np.sum(s.eig(a, b)[0] ** 3), (A, P)),
            (lambda s, a, b: abs(np.sum(s.eig(a, b)[1] ** 4)), (A + A.T, P))],
    "eigvals": [(lambda s, a: np.sum(s.eigvals(a) ** 3), (A,)), (lambda s, a, b: np.sum(s.eigvals(a, b) ** 3), (A, P))],
}  # fmt: skip
"""The same, of functions of which only real samples are differentiated, and functions of all eigenvalues."""


@entry(*(f"scipy.linalg.{name}" for name in (*CALLS, *HERMITIAN)))
def _calls(name: str) -> Iterator[Sample]:
    short = name.rpartition(".")[2]
    for number, (call, arrays) in enumerate((CALLS | HERMITIAN)[short]):
        yield of_scipy("linalg", call, arrays, f"{number}", condition=512, unreal=short in CALLS)


@entry("eliminated")
def _eliminated(name: str) -> Iterator[Sample]:
    yield of_scipy("linalg", lambda s, a: s.lu_factor(a)[0], (A,), "", condition=64)
