"""Functions that tell of their arguments: of their forms, or of their plain values. They carry no derivative."""

from typing import Any

import numpy as np

from ...forms import form_of
from ...levels import is_lazy, read
from ...messages.names import public_name
from ...table import BY_NUMPY
from ...table.dispatch import TO_DECIDE_BY, refuse
from ...table.registry import BY_VALUES

READING: set[Any] = set()
"""What functions of NumPy become that give plain values at once, and no line of a tape."""


def _asks_form(numpy_function):
    """Register a function that is asked of the forms of its arguments."""

    def ask(*arguments, **keywords):
        return numpy_function(*map(form_of, arguments), **{name: form_of(x) for name, x in keywords.items()})

    BY_NUMPY[numpy_function] = ask
    READING.add(ask)


def _reads_values(numpy_function):
    """Register a function that is called with the plain values of its arguments."""
    BY_VALUES[public_name(numpy_function)] = ()

    def reading(*arguments, **keywords):
        refuse(is_lazy, public_name(numpy_function), TO_DECIDE_BY, (arguments, keywords))
        return numpy_function(*map(read, arguments), **{name: read(value) for name, value in keywords.items()})

    BY_NUMPY[numpy_function] = reading
    READING.add(reading)


for _function in (np.einsum_path, np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.result_type,
                  np.can_cast, np.common_type, np.diag_indices_from, np.tril_indices_from, np.triu_indices_from,
                  np.shares_memory, np.may_share_memory):  # fmt: skip
    _asks_form(_function)
_reads_values(np.min_scalar_type)
