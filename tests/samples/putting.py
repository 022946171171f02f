"""Functions that write into their first argument."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .sample import Sample, entry, values

MASK = np.array([[True, False, True], [False, False, True]])


def written(function: Any, x: Any, *arguments: Any) -> Any:
    """A copy of ``x`` after the call; it can take numbers wherever one of the arguments is one."""
    y = x + sum(0.0 * np.sum(v) for v in arguments[-1:])
    function(y, *arguments)
    return y


CALLS = {
    "np.put_along_axis": (
        lambda x, v: written(lambda y, w: np.put_along_axis(y, np.array([[0], [2]]), w, 1), x, v),
        [(2, 1), (), (1,)],
    ),
    "np.put": (lambda x, v: written(np.put, x, [0, -1, 3], v), [(3,), (2,), ()]),
    "np.place": (lambda x, v: written(np.place, x, MASK, v), [(3,), (2,), (1,)]),
    "np.putmask": (lambda x, v: written(np.putmask, x, MASK, v), [(2, 3), (2,), ()]),
    "np.copyto": (lambda x, v: written(lambda y, w: np.copyto(y, w, where=MASK), x, v), [(2, 3), (3,), ()]),
    "np.fill_diagonal": (lambda x, v: written(np.fill_diagonal, x, v), [(2,), (), (3,)]),
}


@entry(*CALLS)
def _calls(name: str) -> Iterator[Sample]:
    call, shapes = CALLS[name]
    for shape in shapes:
        yield Sample(call, (values(2, 3), values(*shape, seed=1)), f"{shape}")
    function = getattr(np, name[3:])
    if name == "np.copyto":
        yield Sample(lambda x: written(function, x, x[::-1]), (values(2, 3),), "its own reverse")
    if name == "np.fill_diagonal":
        yield Sample(lambda x: written(function, x, 9.0, True), (values(5, 2),), "wrap")
    if name in ("np.put", "np.place"):
        given = ([5], 9.0) if name == "np.put" else (MASK, [1.0, 2.0])
        yield Sample(lambda x: written(function, x, *given), (values(2, 3),), "constants")
        nothing = ([1, 2] if name == "np.put" else np.zeros((2, 3), bool), [])
        yield Sample(lambda x: written(function, x, *nothing), (values(2, 3),), "nothing")


@entry("add_at", "subtract_at")
def _at(name: str) -> Iterator[Sample]:
    ufunc = {"add_at": np.add, "subtract_at": np.subtract}[name]
    for index, of in [(([0, 0, 1, 0], [1, 1, 0, 2]), (4,)), ([1, 1, 1], (3, 3)), (([], []), (0,)), ([1, -1], ())]:
        yield Sample(lambda x, v, index=index: written(lambda y, w: ufunc.at(y, index, w), x, v),
                     (values(2, 3), values(*of, seed=1)), f"{index}")  # fmt: skip


@entry("add_reduceat")
def _reduceat(name: str) -> Iterator[Sample]:
    for axis, starts in [(0, [0, 2, 1]), (1, [0]), (-1, [2, 0, 0])]:
        yield Sample(
            lambda x, axis=axis, starts=starts: np.add.reduceat(x, starts, axis), (values(4, 3),), f"{axis}, {starts}"
        )
