"""Matrix and tensor products."""

from collections.abc import Iterator

import numpy as np

from dualnumbers.elementary import TABLE

from .sample import Sample, entry, values


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
        yield Sample(np.dot, (values(*left), values(*right, seed=1)), f"{left}, {right}", exact=len(left) < 3)
    yield Sample(lambda x: x.dot(x), (values(2, 2),), "method")


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


@entry("einsum")
def _einsum(name: str) -> Iterator[Sample]:
    calls = [("ij,jk->ik", (2, 3), (3, 2)), ("ij,jk", (2, 3), (3, 2)), ("ij->ji", (2, 3)),
             ("ij->", (2, 3)), ("ij->j", (2, 3)), ("ji", (2, 3)), ("ii", (3, 3)), ("ii->", (3, 3)),
             ("ii->i", (3, 3)), ("iij->j", (2, 2, 3)), ("iii->i", (2, 2, 2)), ("ijij->j", (2, 3, 2, 3)),
             ("ii,i->i", (2, 2), (2,)), ("ii,jj", (2, 2), (3, 3)), ("i,i", (3,), (3,)),
             ("i,j->ij", (2,), (3,)), ("i,i->i", (3,), (3,)), ("i,j->", (2,), (3,)), (",i->i", (), (3,)),
             ("...ij,...jk->...ik", (2, 2, 3), (2, 3, 2)), ("...ij,...jk->...ik", (2, 2, 3), (3, 2)),
             ("...i->...", (2, 3)), ("...,...", (2, 3), (3,)), ("i...,i->...", (2, 3), (2,)),
             ("...ii->...i", (3, 2, 2)), ("b...i,b...i->b...", (2, 1, 3), (2, 2, 3)),
             ("ij,jk,kl->il", (2, 3), (3, 2), (2, 2)), ("i,i,i->i", (3,), (3,), (3,)),
             ("ij,ij->ij", (1, 3), (2, 3)), ("ij,ij->j", (2, 1), (2, 3)), ("ij,jk->ik", (2, 3), (1, 2)),
             ("ij,jk->ik", (2, 1), (3, 2)), ("ij,jk->ik", (0, 3), (3, 2)), ("ij,jk->ik", (2, 0), (0, 2)),
             (" i j , j -> i ", (2, 3), (3,)), ("bij,bj->", (2, 2, 3), (2, 3))]  # fmt: skip
    for subscripts, *shapes in calls:
        arrays = tuple(values(*shape, seed=k) for k, shape in enumerate(shapes))
        yield Sample(lambda *xs, subscripts=subscripts: np.einsum(subscripts, *xs), arrays, f"{subscripts} {shapes}")
    yield Sample(lambda x, y, z: np.einsum("ij,jk,kl->il", x, y, z, optimize=True),
                 (values(2, 3), values(3, 2, seed=1), values(2, 2, seed=2)), "optimize")  # fmt: skip
    yield Sample(lambda x: np.einsum("ij,ik->jk", x, x), (values(2, 3),), "one array twice")
    yield Sample(lambda x: np.einsum("ij,j->i", x, np.arange(3.0)), (values(2, 3),), "a constant")


@entry("strong")
def _strong(name: str) -> Iterator[Sample]:
    for left, right in [((), ()), ((3,), (3,)), ((2, 1), (1, 3)), ((2, 3), ())]:
        yield Sample(TABLE["strong"], (values(*left), values(*right, seed=1)), f"{left}, {right}")
