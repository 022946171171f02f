"""Matrix and tensor products."""

from collections.abc import Iterator

import numpy as np

from dualnumbers.rules.linalg.products import affine
from dualnumbers.table import TABLE

from .sample import Sample, entry, exists, values


@entry("matmul")
def _matmul(name: str) -> Iterator[Sample]:
    pairs = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((2, 2, 3), (3, 4)), ((2, 3), (4, 3, 2)),
             ((2, 2, 3), (2, 3, 1)), ((2, 1, 2, 3), (4, 3, 2)), ((1, 2, 3), (4, 3, 2)), ((2, 2, 3), (3,)),
             ((3,), (2, 3, 4)), ((0, 3), (3, 2)), ((2, 0), (0, 2)), ((1, 1), (1, 1))]  # fmt: skip
    for left, right in pairs:
        yield Sample(lambda x, y: x @ y, (values(*left), values(*right, seed=1)), f"{left} @ {right}")
    yield Sample(lambda x: x @ x, (values(2, 2),), "a square")
    yield Sample(lambda x: np.matmul(x, np.eye(3)[:2].T), (values(2, 3),), "a constant")


@entry("np.dot")
def _dot(name: str) -> Iterator[Sample]:
    for left, right in [((), ()), ((2,), ()), ((), (2, 3)), ((3,), (3,)), ((2, 3), (3, 2)), ((2, 3), (3,)),
                        ((3,), (3, 2)), ((2, 2, 3), (2, 3, 2)), ((2, 2, 3), (3,)), ((0, 3), (3, 2))]:  # fmt: skip
        yield Sample(np.dot, (values(*left), values(*right, seed=1)), f"{left}, {right}")
    yield Sample(lambda x: x.dot(x), (values(2, 2),), "method")


@entry("dot")
def _dot_of_stacks(name: str) -> Iterator[Sample]:
    for left, right in [((2, 2, 3), (2, 3, 2)), ((2, 2, 3), (3,)), ((3,), (2, 3, 2)), ((2, 3), (2, 2, 3, 1))]:
        yield Sample(np.dot, (values(*left), values(*right, seed=1)), f"{left}, {right}")
    yield Sample(lambda x: np.dot(x, x[:, 0]), (values(2, 2, 2),), "of itself")


@entry("np.outer")
def _outer(name: str) -> Iterator[Sample]:
    for left, right in [((2,), (3,)), ((2, 2), (3,)), ((), (2,)), ((0,), (2,))]:
        yield Sample(np.outer, (values(*left), values(*right, seed=1)), f"{left}, {right}")


@entry("np.tensordot")
def _tensordot(name: str) -> Iterator[Sample]:
    for left, right, axes in [((2, 3), (3, 2), 1), ((2, 3), (2, 3), 2), ((2, 3, 4), (4, 2), ([0, 2], [1, 0])),
                              ((2, 3), (4, 3), (1, -1)), ((2,), (3,), 0)]:  # fmt: skip
        yield Sample(lambda x, y, axes=axes: np.tensordot(x, y, axes), (values(*left), values(*right, seed=1)),
                     f"{left}, {right}, {axes}")  # fmt: skip


PAIRS = {"vecdot": [((3,), (3,)), ((2, 3), (3,)), ((2, 1, 3), (4, 3)), ((0, 3), (3,)), ((2, 0), (2, 0))],
         "matvec": [((2, 3), (3,)), ((2, 2, 3), (3,)), ((2, 3), (4, 3)), ((0, 3), (3,))],
         "vecmat": [((2,), (2, 3)), ((4, 2), (2, 3)), ((3,), (2, 3, 2)), ((0,), (0, 2))]}  # fmt: skip


@entry("np.vecdot", "np.linalg.vecdot", "np.matvec", "np.vecmat")
def _of_vectors(name: str) -> Iterator[Sample]:
    short = name.rpartition(".")[2]
    function = np.linalg.vecdot if "linalg" in name else getattr(np, short)
    for left, right in PAIRS[short]:
        yield Sample(function, (values(*left), values(*right, seed=1)), f"{left}, {right}")
    if short == "vecdot":
        yield Sample(lambda x, y: function(x, y, axis=0), (values(3, 2), values(3, 2)), "axis=0")


@entry("np.matmul", "np.linalg.matmul")
def _matmul_along(name: str) -> Iterator[Sample]:
    function = np.linalg.matmul if "linalg" in name else np.matmul
    yield Sample(function, (values(2, 3), values(3, 2)), "no keyword")
    if function is not np.matmul:
        return
    for left, right, axes in [((3, 2, 4), (3, 2, 4), [(0, 1), (1, 0), (0, 1)]), ((2, 3), (3,), [(0, 1), (0,), (0,)]),
                              ((3, 2, 4), (4, 3), [(0, 2), (-2, -1), (2, 0)]), ((3, 2), (3,), [1, 0, 0]),
                              ((2, 3), (3, 2), [(0, 1), (0, 1), (1, 0)])]:  # fmt: skip
        if axes[0] != 1:
            yield Sample(
                lambda x, y, axes=axes: np.matmul(x, y, axes=axes), (values(*left), values(*right)), f"axes={axes}"
            )
    x, y = values(3, 2), values(3, 2, seed=1)
    yield Sample(lambda x, y: np.vecdot(x, y, axis=0, keepdims=True), (x, y), "keepdims")
    yield Sample(lambda x, y: np.vecdot(x, y, axes=[0, 0]), (x, y), "vecdot with axes")
    yield Sample(lambda x, y: np.vecdot(x, y, keepdims=True), (x, y), "the last axis kept")
    if exists("np.matvec"):
        yield Sample(lambda x, y: np.matvec(x, y, axes=[(1, 0), 0, 0]), (x, y), "matvec with axes")


@entry("np.vdot", "vdot")
def _vdot(name: str) -> Iterator[Sample]:
    for left, right in [((3,), (3,)), ((2, 2), (4,)), ((), ()), ((0,), (0,))]:
        yield Sample(np.vdot, (values(*left), values(*right, seed=1)), f"{left}, {right}")
    yield Sample(lambda x: np.stack([np.imag(np.vdot(x, x * x * 1j))]), (values(2),), "a part of a complex number")


@entry("np.inner")
def _inner(name: str) -> Iterator[Sample]:
    for left, right in [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((2, 3), (4, 3)),
        ((2, 2, 3), (2, 3)),
        ((), (2,)),
        ((2, 0), (0,)),
    ]:
        yield Sample(np.inner, (values(*left), values(*right, seed=1)), f"{left}, {right}")


@entry("inner")
def _inner_of_arrays(name: str) -> Iterator[Sample]:
    for left, right in [((3,), (3,)), ((2, 3), (4, 3)), ((2, 2, 3), (2, 3))]:
        yield Sample(np.inner, (values(*left), values(*right, seed=1)), f"{left}, {right}")
    yield Sample(lambda x: np.inner(x, x), (values(2, 3),), "of itself")


@entry("np.kron")
def _kron(name: str) -> Iterator[Sample]:
    for left, right in [((2,), (3,)), ((2, 2), (1, 3)), ((2,), (2, 2)), ((2, 1, 2), (2,)), ((), (2,)), ((), ()),
                        ((0,), (2,))]:  # fmt: skip
        yield Sample(np.kron, (values(*left), values(*right, seed=1)), f"{left}, {right}")
    yield Sample(lambda a: np.kron(a.T, np.eye(2)), (values(2, 3),), "a transposed array, a constant")


@entry("np.cross", "np.linalg.cross")
def _cross(name: str) -> Iterator[Sample]:
    function = np.linalg.cross if "linalg" in name else np.cross
    for left, right, axis in [((3,), (3,), -1), ((2, 3), (3,), -1), ((3, 2), (3, 2), 0), ((2, 1, 3), (4, 3), -1),
                              ((0, 3), (3,), -1)]:  # fmt: skip
        yield Sample(lambda x, y, axis=axis: function(x, y, axis=axis), (values(*left), values(*right, seed=1)),
                     f"{left}, {right}, axis={axis}")  # fmt: skip
    if function is np.cross:
        yield Sample(lambda x, y: np.cross(x, y, axisa=0, axisb=1, axisc=0), (values(3, 2), values(2, 3)), "three axes")
        yield Sample(lambda x: np.cross(x, [1.0, 2.0, 3.0]), (values(2, 3),), "a list")


@entry("np.linalg.outer")
def _outer_of_vectors(name: str) -> Iterator[Sample]:
    yield Sample(np.linalg.outer, (values(2), values(3)), "vectors")


@entry("np.linalg.tensordot")
def _tensordot_of_linalg(name: str) -> Iterator[Sample]:
    yield Sample(lambda x, y: np.linalg.tensordot(x, y, axes=([0], [1])), (values(2, 3), values(3, 2)), "axes")


@entry("np.linalg.matrix_transpose")
def _matrix_transpose(name: str) -> Iterator[Sample]:
    for shape in [(3, 3), (2, 3), (2, 3, 2), (1, 1), (0, 2, 2), (0, 2)]:
        yield Sample(np.linalg.matrix_transpose, (values(*shape),), f"{shape}")


@entry("einsum")
def _einsum(name: str) -> Iterator[Sample]:
    calls = [("ij,jk->ik", (2, 3), (3, 2)), ("ij,jk", (2, 3), (3, 2)),
             ("ij->", (2, 3)), ("ij->j", (2, 3)), ("ii", (3, 3)), ("ii->", (3, 3)),
             ("iij->j", (2, 2, 3)), ("ijij->j", (2, 3, 2, 3)),
             ("ii,i->i", (2, 2), (2,)), ("ii,jj", (2, 2), (3, 3)), ("i,i", (3,), (3,)),
             ("i,j->ij", (2,), (3,)), ("i,i->i", (3,), (3,)), ("i,j->", (2,), (3,)), (",i->i", (), (3,)),
             ("...ij,...jk->...ik", (2, 2, 3), (2, 3, 2)), ("...ij,...jk->...ik", (2, 2, 3), (3, 2)),
             ("...i->...", (2, 3)), ("...,...", (2, 3), (3,)), ("i...,i->...", (2, 3), (2,)),
             ("b...i,b...i->b...", (2, 1, 3), (2, 2, 3)),
             ("ij,jk,kl->il", (2, 3), (3, 2), (2, 2)), ("i,i,i->i", (3,), (3,), (3,)),
             ("ij,ij->ij", (1, 3), (2, 3)), ("ij,ij->j", (2, 1), (2, 3)), ("ij,jk->ik", (2, 3), (1, 2)),
             ("ij,jk->ik", (2, 1), (3, 2)), ("ij,jk->ik", (0, 3), (3, 2)), ("ij,jk->ik", (2, 0), (0, 2)),
             (" i j , j -> i ", (2, 3), (3,)), ("bij,bj->", (2, 2, 3), (2, 3))]  # fmt: skip
    for subscripts, *shapes in calls:
        arrays = tuple(values(*shape, seed=k) for k, shape in enumerate(shapes))
        yield Sample(lambda *xs, subscripts=subscripts: np.einsum(subscripts, *xs), arrays, f"{subscripts} {shapes}")
    yield Sample(lambda x, y, z: np.einsum("ij,jk,kl->il", x, y, z, optimize=True),
                 (values(2, 3), values(3, 2, seed=1), values(2, 2, seed=2)), "optimize")  # fmt: skip
    yield Sample(lambda x, y: np.einsum(x, [0, 1], y, [2, 1], [0, 2]), (values(2, 3), values(2, 3)), "lists of labels")
    yield Sample(lambda x, y: np.einsum(x, [..., 1], y, [1, 0]), (values(2, 3), values(3, 2)), "lists, no output")
    yield Sample(lambda x, y: np.einsum("ij,jk,kl", x, y, y.T, optimize=np.einsum_path("ij,jk,kl", x, y, y.T)[0]),
                 (values(2, 3), values(3, 2)), "a path")  # fmt: skip
    yield Sample(lambda x: np.einsum("ij,ik->jk", x, x), (values(2, 3),), "one array twice")
    yield Sample(lambda x: np.einsum("ij,j->i", x, np.arange(3.0)), (values(2, 3),), "a constant")


@entry("relabelled")
def _relabelled(name: str) -> Iterator[Sample]:
    for subscripts, shape in [("ij->ji", (2, 3)), ("ji", (2, 3)), ("ii->i", (3, 3)), ("iii->i", (2, 2, 2)),
                              ("...ii->...i", (3, 2, 2)), ("i...->...i", (2, 0, 3))]:  # fmt: skip
        yield Sample(
            lambda x, subscripts=subscripts: np.einsum(subscripts, x), (values(*shape),), f"{subscripts} {shape}"
        )


@entry("strong")
def _strong(name: str) -> Iterator[Sample]:
    for left, right in [((), ()), ((3,), (3,)), ((2, 1), (1, 3)), ((2, 3), ())]:
        yield Sample(TABLE["strong"], (values(*left), values(*right, seed=1)), f"{left}, {right}")


@entry("affine")
def _affine(name: str) -> Iterator[Sample]:
    for x, w, b in [((4, 2), (2, 3), (3,)), ((2,), (2, 3), (3,)), ((4, 2), (2,), ()), ((2, 4, 2), (2, 3), (3,)),
                    ((0, 2), (2, 3), (3,)), ((4, 2), (2, 3), (4, 1)), ((2,), (2, 3), (4, 3)),
                    ((2,), (2,), ())]:  # fmt: skip
        yield Sample(affine, (values(*x), values(*w, seed=1), values(*b, seed=2)), f"{x} @ {w} + {b}")
    yield Sample(lambda x: affine(x, x, x), (values(2, 2),), "all three")
