"""Choosing between values element by element."""

import numpy as np

from ..foreign import as_like, is_foreign, one_of
from ..forms import PYTHON, type_of
from ..levels import is_lazy, is_noted
from ..table import composition, entry, linear, with_values_of
from ..table.batching import by_elements
from . import ENTRIES
from .shaping import arrays, in_common


@linear(
    None,
    lambda g, condition, x, y: where(condition, g, 0.0),
    lambda g, condition, x, y: where(condition, 0.0, g),
    of=np.where,
    batched=by_elements,
)
def where(condition, x, y):
    if type(condition) is bool:
        condition = as_like(np.asarray(condition), one_of((x, y)))
    z = np.where(condition, x, y)
    if z.ndim or is_foreign(type(z)):
        return z
    return z.item() if type(x) in PYTHON and type(y) in PYTHON else z[()]


chosen = entry(with_values_of(np.where, where))


def nowhere(mask):
    """Return whether a choice by a mask can be left out, since it holds nowhere.

    A recording that is to be run at other inputs is not asked: there it may hold. Nor is a lazy mask, as it would be
    computed.
    """
    return not (is_noted(mask) or is_lazy(type_of(mask)) or np.any(mask))


@composition(np.where, weak=True)
def where_or_nonzero(condition, *choices):
    """The choice; without choices the places where the condition holds, as plain indices."""
    return chosen(condition, *in_common(arrays(choices))) if choices else ENTRIES[np.nonzero](condition)
