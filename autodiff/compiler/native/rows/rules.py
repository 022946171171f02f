"""Which rule makes instructions of a step of real numbers, and which values native code takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dualnumbers.memory import without_repeats
from dualnumbers.table.row import is_of_table

from ...program import Step, may_raise
from ..elementary.forms import FORMS, OF_TRUTHS
from ..instructions.areas import KINDS
from .along import ALONG
from .choosing import CHOOSING
from .contractions import CONTRACTIONS
from .products import PRODUCTS
from .steps import ELSEWHERE, OF_NUMBERS, VIEWS, Rule, elementwise, is_view
from .systems import SOLVING
from .writing import WRITING

RULES = ELSEWHERE | WRITING | PRODUCTS | CHOOSING | SOLVING | CONTRACTIONS | ALONG
"""Rows that are not elementwise → how they become instructions."""

ASKING_FORMS = FORMS.keys() | PRODUCTS.keys() | ELSEWHERE.keys() | VIEWS.keys() - {"getitem"} | {"solve"}
"""Rows whose rules ask for the forms of values, and for none in an array."""

JOINING = ("concatenate", "stack")
"""Rows that take arrays of no elements as well."""


def rule_of(step: Step) -> Rule | None:
    """Return the rule of a step of real numbers."""
    name = step.row.name
    if not is_native(step.value):
        return None
    found = (VIEWS if is_view(step) else RULES).get(name)
    return found or (elementwise if name in FORMS or name in OF_TRUTHS else None)


def form_of_numbers(step: Step) -> tuple[str, str, bool] | None:
    """Return of a step of single floats its form, their kind, whether it raises; None where it asks for more."""
    name, kind = step.row.name, OF_NUMBERS.get(type(step.value), "b1")
    is_plain = kind != "b1" and rule_of(step) is elementwise and name in FORMS and is_of_table(step.row)
    return (name, kind, may_raise(step.row, step.value)) if is_plain and name != "power" else None


def is_native(value: Any) -> bool:
    """Return whether a value may be one of native code: a float, or an array of floats or truth values."""
    if isinstance(value, np.ndarray):
        return value.dtype.char in KINDS and value.dtype.isnative and value.size > 0 and type(value) is np.ndarray
    return type(value) in OF_NUMBERS


def uniform_of(value: Any) -> float | None:
    """Return the number that all elements of a constant are; None where there is none."""
    if type(value) in (bool, int, float) or isinstance(value, np.generic):
        kind = np.result_type(value).kind
        return float(value) if kind == "f" or (kind in "biu" and abs(int(value)) <= 1 << 53) else None
    if type(value) is np.ndarray and value.dtype.kind in "biuf" and value.size and value.itemsize <= 8:
        value = without_repeats(value)
        first = value.flat[0]
        same = (value == first).all() and (first or not np.signbit(value.astype(float)).any())
        return float(first) if same and (value.dtype.kind == "f" or abs(int(first)) <= 1 << 53) else None
    return None
