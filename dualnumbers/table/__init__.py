"""The table of rules: rows, their kinds of dependence, and the words in which they are written."""

from .language import (
    composition,
    elementwise,
    entry,
    entry_of,
    family,
    linear,
    locally_constant,
    locally_constant_of_arrays,
    multilinear,
    required,
    smooth,
    with_values_of,
)
from .partials import Refused
from .registry import BY_NUMPY, COMPOSITIONS, TABLE
from .row import Row, TableFunction, is_of_table

__all__ = [
    "BY_NUMPY",
    "COMPOSITIONS",
    "TABLE",
    "Refused",
    "Row",
    "TableFunction",
    "composition",
    "elementwise",
    "entry",
    "entry_of",
    "family",
    "is_of_table",
    "linear",
    "locally_constant",
    "locally_constant_of_arrays",
    "multilinear",
    "required",
    "smooth",
    "with_values_of",
]
