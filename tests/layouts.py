"""Arrays of one shape that lie in memory in different ways, and how an array lies."""

import numpy as np


def spaced(x):
    wide = np.zeros([2 * n for n in x.shape], x.dtype)
    every_other = (*(slice(None, None, 2) for _ in x.shape), ...)
    wide[every_other] = x
    return wide[every_other]


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


LAYOUTS = {
    "C": lambda x: x.copy(),
    "Fortran": lambda x: x.copy(order="F"),
    "the first axis last": lambda x: np.moveaxis(np.moveaxis(x, 0, -1).copy(), -1, 0),
    "reversed": lambda x: x[::-1].copy()[::-1],
    "reversed columns": lambda x: x[..., ::-1].copy(order="F")[..., ::-1],
    "with gaps": spaced,
    "columns of a matrix": lambda x: np.concatenate([x, x], -1)[..., : x.shape[-1]],
    "read-only": read_only,
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
}
"""Name → a copy of an array of one axis or more."""


def lying(z):
    """What of an array's strides NumPy's views depend on: from the nearest axis, its direction and whether it is apart.

    The type of what is no array.
    """
    if not isinstance(z, np.ndarray) or not z.size:
        return type(z)
    found, reach = [], z.itemsize
    for axis in sorted(range(z.ndim), key=lambda i: (abs(z.strides[i]), -i)):
        if z.shape[axis] > 1:
            found.append((axis, z.strides[axis] < 0, abs(z.strides[axis]) == reach))
            reach = abs(z.strides[axis]) * z.shape[axis]
    return z.flags.writeable, *found
