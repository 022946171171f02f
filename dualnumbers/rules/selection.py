"""Choosing between values element by element."""

import numpy as np

from ..elementary import BY_NUMPY, PYTHON, composition, linear
from ..levels import plain
from .shaping import copied


def _where(condition, x, y):
    z = np.where(condition, x, y)
    if z.ndim:
        return z
    return z.item() if type(x) in PYTHON and type(y) in PYTHON else z[()]


where = linear(np.where, lambda condition, x, y: (condition, x, y), None,
               lambda g, condition, x, y: where(condition, g, 0.0),
               lambda g, condition, x, y: where(condition, 0.0, g), evaluate=_where)  # fmt: skip
_chosen = BY_NUMPY[np.where]


@composition(np.where)
def where_or_nonzero(condition, *choices):
    """The choice; without choices the places where the condition holds, as plain indices."""
    if not choices:
        return np.nonzero(plain(condition))
    z = _chosen(condition, *choices)
    return z if hasattr(type(z), "__len__") else copied(z, "C")  # an array also of scalars
