"""With which errors the library may refuse a program that runs on plain values."""

import re

from .nestings import ONE_AT_A_TIME
from .program import Program

REFUSALS = {
    "of an inner differentiation into an array of an outer one": "an operator that takes one argument at a time",
    "a Variable made by hand is what is differentiated": "the program writes to its argument, which is a leaf",
    ".backward of a ": "a leaf of a plain value beside numbers of a differentiation",
    "has no derivative by the matrix": "lstsq where the rank can change",
    "up to rounding are not determined": "eigenvectors of repeated values of Hermitian matrices, singular vectors",
    "up to rounding, are not determined": "eigenvectors of repeated values, singular vectors where a value is 0",
    "a singular value that is 0 has a kink, and no second": "functions of singular values that are not even",
    "second derivatives of vectors of equal": "in forward over forward mode",
    "that are equal up to rounding: write": "third derivatives of repeated eigenvalues and singular values",
    "they have no order": "the larger or smaller of complex numbers",
}
"""Parts of messages with which the library may refuse a program, as the documentation says, and of which ones."""

CONSTANT = re.compile(r"= (np\.float64\(|-?\d)")
"""A variable that is a plain number."""

INTO_A_PLAIN_ARRAY = ("would lose its derivative", "Error setting single item of array")
"""The same, of writing into a plain array."""


FORWARD = {"jvp", "linearize", "forward_gradient", "jacfwd"}


def may_be_nan(program: Program, check: str) -> bool:
    """Whether a second derivative of a program may be NaN: of singular values that are 0, forward over forward."""
    names = check.split(", ")
    return len(names) > 1 and FORWARD.issuperset(names) and "np.linalg.svd(" in program.source()


def may_be_refused(program: Program, check: str, error: Exception) -> bool:
    """Whether an error in a check of a program is one of `REFUSALS`; that a plain array is written to, if there is one.

    There is one where an argument is not differentiated, or while an operator takes another argument; and a sum of no
    elements in a loop of Python's is the plain number that it began with, ``min``, ``max`` and a branch may give their
    constant.
    """
    message = f"{error} {error.__cause__}"  # NumPy's own, where one element is stored
    if any(part in message for part in REFUSALS):
        return True
    empty = any(text.startswith("np.zeros((0,") or ", 0)" in text for text in program.arguments.values())
    empty |= any(part in program.source() for part in ("[[]]", "np.extract("))
    chosen = "min(" in program.source() or "max(" in program.source() or CONSTANT.search(program.source())
    there_is_one = empty or chosen or program.constants > 0 or any(name in ONE_AT_A_TIME for name in check.split(", "))
    return bool(there_is_one) and any(part in message for part in INTO_A_PLAIN_ARRAY)
