"""Products with sparse matrices, and sparse linear systems."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse

from autodiff.scipy.sparse import csc_array, csr_array
from autodiff.scipy.sparse.linalg import factorized, splu, spsolve
from dualnumbers.rules.of_scipy.linalg.sparse_products import sparse_matmul
from dualnumbers.sparse import as_sparse_array

from .sample import Sample, entry, of_scipy, values

ROW, COLUMN = np.array([0, 1, 2, 0, 2, 2]), np.array([0, 1, 2, 2, 1, 2])
DATA = np.array([3.0, 4.0, 5.0, -1.0, 0.5, 1.0])


FROM_CSR = np.array([0, 2, 1, 0, 1, 2]), np.array([0, 2, 3, 6])
"""Indices of another matrix with six elements, and where its rows or columns begin."""


@entry("spsolve", "scipy.sparse.linalg.spsolve")
def _spsolve(name: str) -> Iterator[Sample]:
    for shape in [(3,), (3, 2)]:
        yield Sample(lambda d, b: spsolve((d, (ROW, COLUMN)), b), (DATA, values(*shape)), f"{shape}", condition=8)
    matrix = scipy.sparse.csc_array((DATA, (ROW, COLUMN)))
    yield Sample(lambda b: spsolve(matrix, b, "NATURAL", False) * b, (values(3),), "constant", condition=8, exact=False)
    of_numbers = lambda d, b: spsolve(csr_array((d, *FROM_CSR)), b)
    yield Sample(of_numbers, (DATA, values(3)), "csr_array", condition=8)


@entry("scipy.sparse.linalg.splu", "scipy.sparse.linalg.factorized")
def _factors(name: str) -> Iterator[Sample]:
    matrix = scipy.sparse.csc_array((DATA, (ROW, COLUMN)))
    if name.endswith("factorized"):
        yield Sample(lambda b: factorized(matrix)(b), (values(3),), "", condition=8)
        yield Sample(lambda d, b: factorized((d, (ROW, COLUMN)))(b), (DATA, values(3)), "elements", condition=8)
        return
    for trans in "NTH":
        of_numbers = lambda d, b, t=trans: splu(csc_array((d, (ROW, COLUMN))), "COLAMD").solve(b, t)
        yield Sample(of_numbers, (DATA, values(3, 2)), trans, condition=8)
    yield Sample(
        lambda b: splu(matrix, None, 0.1, 1, 1, {"SymmetricMode": True}).solve(b), (values(3),), "constant", condition=8
    )


@entry(*(f"scipy.sparse.{form}_{kind}" for form in ("coo", "csr", "csc", "dia") for kind in ("array", "matrix")))
def _made(name: str) -> Iterator[Sample]:
    name = name.rpartition(".")[2]
    offsets = np.array([-1, 0, 2])
    if name.startswith("dia"):
        call = lambda m, d: getattr(m, name)((d, offsets), (4, 5), float, True)
        yield of_scipy("sparse", lambda m, d: call(m, d).toarray(), (values(3, 5),), "", unreal=False)
        return
    call = lambda m, d: getattr(m, name)((d, (ROW, COLUMN)), (4, 3), float, True)
    yield of_scipy("sparse", lambda m, d: call(m, d).toarray(), (DATA,), "", unreal=False)
    yield of_scipy("sparse", lambda m, d: getattr(m, name)(d) @ np.arange(3.0), (values(2, 3),), "dense")
    if not name.startswith("coo"):
        call = lambda m, d: getattr(m, name)((d, *FROM_CSR))
        yield of_scipy("sparse", lambda m, d: call(m, d) @ np.arange(3.0), (DATA,), "indices")


@entry("scipy.sparse.diags", "scipy.sparse.diags_array")
def _diagonals(name: str) -> Iterator[Sample]:
    name = name.rpartition(".")[2]
    f = lambda m, d, e: getattr(m, name)([d, e], offsets=[-1, 1], shape=(4, 4), format="csr", dtype=float).toarray()
    yield of_scipy("sparse", f, (values(3), values(1)), "", unreal=False)
    yield of_scipy("sparse", lambda m, d: getattr(m, name)(d).toarray(), (values(3),), "one")
    if name == "diags":
        yield of_scipy("sparse", lambda m, d: m.diags([d], [2]).toarray(), (values(3),), "by place")


@entry(*(f"scipy.sparse.{name}" for name in ("block_array", "vstack", "hstack", "block_diag", "kron")))
def _joined(name: str) -> Iterator[Sample]:
    name = name.rpartition(".")[2]
    fixed = scipy.sparse.csr_array(np.diag([1.0, 2.0, 3.0]))

    def blocks(m: Any, d: Any) -> Any:
        a = m.coo_array((d, (ROW, COLUMN)))
        if name == "kron":
            return m.kron(a, fixed, format="csr") @ np.arange(9.0) + (m.kron(fixed, a).tocsr() @ np.arange(9.0))
        parts = [[a, None], [fixed, a]] if name == "block_array" else [a, fixed]
        found = getattr(m, name)(parts, format="csr", dtype=float)
        return found.toarray()

    yield of_scipy("sparse", blocks, (DATA,), "", unreal=False)


@entry("sparse_matmul")
def _sparse_matmul(name: str) -> Iterator[Sample]:
    whole = np.arange(24.0).reshape(4, 6) % 5.0 - 1.0
    for form in ("csr", "csc", "coo", "dia", "bsr"):
        a = as_sparse_array(getattr(scipy.sparse, f"{form}_array")(whole))
        for transposed, shape in ((False, (6,)), (True, (4, 2))):
            yield Sample(
                lambda d, x, a=a, t=transposed: sparse_matmul(d, x, a.first, a.second, a.format, a.shape, t),
                (values(*a.data.shape), values(*shape)),
                f"{form}, transposed={transposed}",
            )
