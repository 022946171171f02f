"""Decompositions. Of complex matrices, functions of the vectors that do not depend on their phases."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from dualnumbers.rules.linalg.spectra import Basis
from dualnumbers.table import TABLE

from .sample import Sample, entry, values

SQUARE = [(3, 3), (1, 1), (2, 2, 2), (2, 1, 2, 2), (0, 2, 2), (0, 0)]
OBLONG = [(3, 3), (3, 2), (2, 3), (4, 2), (2, 4), (1, 1), (3, 1), (1, 3), (2, 3, 2), (0, 2, 3), (2, 0)]


def separate(*shape: int) -> np.ndarray:
    """Square matrices whose eigenvalues and singular values are positive and far from one another."""
    return values(*shape) + np.diag([4.0, 7.0, 11.0, 16.0][: shape[-1]])


@entry("hermitian")
def _hermitian(name: str) -> Iterator[Sample]:
    for triangle, shape in itertools.product("LU", SQUARE):
        yield Sample(lambda a, triangle=triangle: TABLE[name](a, triangle), (values(*shape),), f"{triangle}, {shape}")


@entry("cholesky")
def _cholesky(name: str) -> Iterator[Sample]:
    for shape in SQUARE:
        yield Sample(lambda a: a * np.linalg.cholesky(a), (separate(*shape),), f"{shape}", condition=4)


@entry("quotient")
def _quotient(name: str) -> Iterator[Sample]:
    for left, right in [((2, 2), (2, 2)), ((2, 2), (1, 2)), ((2, 2, 2), (2, 1, 2))]:
        yield Sample(lambda t, d: TABLE["quotient"](t, d, "eigenvalues"), (values(*left), 2.0 + values(*right) ** 2),
                     f"{left}, {right}")  # fmt: skip


@entry("eigenvalue_rates", "from_eigenvalues")
def _of_one_basis(name: str) -> Iterator[Sample]:
    def hermitian(x: Any) -> Any:
        return x + np.conj(np.linalg.matrix_transpose(x))

    def call(a: Any, x: Any) -> Any:
        a, x = (hermitian(a), hermitian(x)) if name == "eigenvalue_rates" else (hermitian(a), np.real(x))
        return TABLE[name](a, x, "L", Basis())

    for shape in SQUARE:
        other = values(*shape) if name == "eigenvalue_rates" else values(*shape[:-1])
        yield Sample(call, (separate(*shape), other), f"{shape}", condition=16)


@entry("qr")
def _qr(name: str) -> Iterator[Sample]:
    for shape in [shape for shape in OBLONG if shape != (2, 0)]:
        yield Sample(lambda a: np.linalg.qr(a).Q, (values(*shape),), f"Q, {shape}", condition=64)
        yield Sample(lambda a: np.linalg.qr(a)[1], (values(*shape),), f"R, {shape}", condition=64)


@entry("eigh")
def _eigh(name: str) -> Iterator[Sample]:
    for shape in SQUARE:
        yield Sample(lambda a: np.linalg.eigh(a).eigenvalues, (separate(*shape),), f"values, {shape}", condition=4)
        yield Sample(lambda a: np.abs(np.linalg.eigh(a)[1]) ** 2, (separate(*shape),), f"vectors, {shape}", condition=8)
    yield Sample(lambda a: np.linalg.eigh(a)[1], (separate(3, 3),), "signs, too", condition=8, unreal=False)


@entry("eigvalsh")
def _eigvalsh(name: str) -> Iterator[Sample]:
    for shape in SQUARE:
        yield Sample(np.linalg.eigvalsh, (separate(*shape),), f"{shape}", condition=4)


def rotations(*shape: int) -> np.ndarray:
    """Matrices with pairs of complex eigenvalues."""
    return separate(*shape) + 9.0 * (np.tri(shape[-1]) - np.tri(shape[-1]).T)


@entry("eig")
def _eig(name: str) -> Iterator[Sample]:
    for shape in SQUARE:
        yield Sample(lambda a: np.linalg.eig(a).eigenvalues, (separate(*shape),), f"values, {shape}", condition=16)
        yield Sample(lambda a: np.linalg.eig(a)[1], (separate(*shape),), f"vectors, {shape}", condition=16)
    yield Sample(lambda a: np.linalg.eig(a)[0].imag, (rotations(3, 3),), "complex values", condition=16, unreal=False)
    yield Sample(lambda a: np.linalg.eig(a)[1].imag, (rotations(3, 3),), "complex vectors", condition=16, unreal=False)


@entry("eigvals")
def _eigvals(name: str) -> Iterator[Sample]:
    for shape in SQUARE:
        yield Sample(np.linalg.eigvals, (separate(*shape),), f"{shape}", condition=16)
    yield Sample(lambda a: np.linalg.eigvals(a).imag, (rotations(3, 3),), "complex", condition=16, unreal=False)


@entry("svd")
def _svd(name: str) -> Iterator[Sample]:
    for shape in OBLONG:
        yield Sample(lambda a: np.abs(np.linalg.svd(a, full_matrices=False).U) ** 2, (values(*shape),), f"U, {shape}",
                     condition=64)  # fmt: skip
        yield Sample(lambda a: np.linalg.svd(a).S, (values(*shape),), f"S, {shape}", condition=16)
        yield Sample(lambda a: np.abs(np.linalg.svd(a, False)[2]) ** 2, (values(*shape),), f"V, {shape}", condition=64)
    for shape in [(3, 3), (4, 2), (2, 3, 2)]:
        yield Sample(lambda a: _rebuilt(*np.linalg.svd(a, False)), (values(*shape),), f"U S^2 V, {shape}", condition=16)
    yield Sample(lambda a: np.abs(np.linalg.svd(a)[0][:, 2:]) ** 2, (values(3, 2),), "one column more", condition=64)
    yield Sample(lambda a: _projector(np.linalg.svd(a)[2][2:]), (values(2, 4),), "two rows more", condition=64)


@entry("svdvals")
def _svdvals(name: str) -> Iterator[Sample]:
    for shape in OBLONG:
        yield Sample(np.linalg.svdvals, (values(*shape),), f"{shape}", condition=16)


def _rebuilt(u: np.ndarray, s: np.ndarray, vh: np.ndarray) -> np.ndarray:
    return (u * s[..., None, :] ** 2) @ vh


def _projector(vh: np.ndarray) -> np.ndarray:
    return np.conj(vh.T) @ vh


KEYWORDS = {
    "cholesky": [lambda a: np.linalg.cholesky(a, upper=True)],
    "qr": [lambda a: np.linalg.qr(a, mode="r"), lambda a: np.linalg.qr(a[:2], "complete")[0]],
    "eigh": [lambda a: np.abs(np.linalg.eigh(a, UPLO="U")[1])],
    "eigvalsh": [lambda a: np.linalg.eigvalsh(a, "u")],
    "eig": [lambda a: np.linalg.eig(a.T).eigenvalues],
    "eigvals": [lambda a: np.linalg.eigvals(a.T)],
    "svd": [lambda a: np.linalg.svd(a[:2], compute_uv=False),
            lambda a: _rebuilt(*np.linalg.svd(a - 9.0 * np.eye(3), hermitian=True)),
            lambda a: np.linalg.svd(a - 9.0 * np.eye(3), compute_uv=False, hermitian=True)],
    "svdvals": [lambda a: np.linalg.svdvals(a.T)],
}  # fmt: skip


@entry(*(f"np.linalg.{name}" for name in KEYWORDS))
def _keywords(name: str) -> Iterator[Sample]:
    for k, call in enumerate(KEYWORDS[name.removeprefix("np.linalg.")]):
        yield Sample(call, (separate(3, 3),), f"keywords {k}", condition=16)


@entry("item")
def _item(name: str) -> Iterator[Sample]:
    for shape in ((3, 3), (2, 3, 3)):
        yield Sample(lambda a: np.linalg.eigh(a)[0], (separate(*shape),), f"the first, {shape}", condition=4)
        yield Sample(
            lambda a: np.linalg.eigh(a)[1] ** 2, (separate(*shape),), f"the last, {shape}", condition=8, unreal=False
        )


@entry("matrix_rank")
def _matrix_rank(name: str) -> Iterator[Sample]:
    for shape in [(3, 3), (2, 2, 3)]:
        yield Sample(lambda a: np.linalg.matrix_rank(a) * np.sum(a), (values(*shape),), f"{shape}")
    yield Sample(lambda a: np.linalg.matrix_rank(a, tol=9.0) * a, (values(2, 2),), "a tolerance")
