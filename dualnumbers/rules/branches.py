"""Formulas of plain values in two branches: one that no element takes is not computed."""

import numpy as np

from ..foreign import is_foreign


def either(condition, here, there):
    """Return ``here()`` where a condition on plain values holds, elsewhere ``there()``.

    Each computes all elements, and nothing is raised or warned of where it is not taken: that is for the caller to see
    to. Of a foreign array nothing is asked, and both are computed.
    """
    if not is_foreign(type(condition)):
        if np.all(condition):
            return here()
        if not np.any(condition):
            return there()
    return np.where(condition, here(), there())
