"""THE table: every elementary function once, with its derivative, one file a family.

The files beside this one are the vocabulary that rules are written in; the rooms are by topic, as NumPy's manual has
them. In a rule the same letters stand for the same things everywhere:

- ``x``, ``y``, ``a``: operands, of any kind: plain, dual, recorded, with tangents of their own;
- ``z``: the value of the function at them;
- ``dx``: the tangent of ``x``, in a push-forward, which returns that of ``z``;
- ``g``: the adjoint of ``z``, in a pull-back, which returns that of an operand;
- what follows: the fixed parameters, such as ``axis``.

A rule gets operands of which some are recorded, to be run at other inputs later. What it does may depend on their
shapes (`forms`); where it depends on a value it says how: ``read(x)`` is the plain value, and a later run is refused if
it would be another one; ``known(x)`` is the plain value as well, but of a recorded operand that operand itself, to make
masks and places of by locally constant functions, which a later run computes anew.

The families of `EARLY` are read at once, the others when a function that is theirs is first looked up: those that have
a ufunc or a method of arrays stand in `LATE` with their functions, and are read one by one; what is in neither is
looked for in all. SciPy's own functions are in ``of_scipy``, read when the first of them is called.
"""

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from ..table import BY_NUMPY

ROOMS = ("elementwise", "arrays", "linalg", "statistics", "calculus", "signals")
EARLY = ("elementwise.kinks", "elementwise.trigonometric", "reductions")
"""The families that most programs need; with those that these import."""

LATE = {
    "arrays.choosing": "choose piecewise select",
    "arrays.computed_places": "take_along_axis",
    "arrays.creating": "array arange asanyarray asarray empty empty_like eye full full_like geomspace identity "
    "linspace logspace ones ones_like tri zeros zeros_like",
    "arrays.inspecting": "can_cast common_type diag_indices_from einsum_path iscomplexobj isrealobj may_share_memory "
    "min_scalar_type ndim result_type shape shares_memory size tril_indices_from triu_indices_from",
    "arrays.putting": "copyto fill_diagonal place put put_along_axis putmask",
    "arrays.rearranging": "compress delete extract insert repeat resize roll take tile tril trim_zeros triu",
    "arrays.searching": "all any argmax argmin argpartition argsort argwhere count_nonzero digitize flatnonzero isin "
    "lexsort nanargmax nanargmin nonzero searchsorted",
    "axes": "array_split atleast_1d atleast_2d atleast_3d broadcast_arrays dsplit flip fliplr flipud hsplit meshgrid "
    "moveaxis rollaxis rot90 split squeeze swapaxes unstack vsplit",
    "elementwise.clipping": "clip nan_to_num",
    "elementwise.hyperbolic": "arccosh arcsinh arctanh cosh sinh tanh",
    "elementwise.logistic": "logaddexp logaddexp2",
    "integers": "bitwise_and bitwise_count bitwise_or bitwise_xor gcd invert lcm left_shift right_shift",
    "linalg.diagonals": "diag diagflat diagonal trace",
    "linalg.products": "cross dot inner kron matmul matvec outer tensordot vdot vecdot vecmat",
    "statistics.cumulative": "cumprod cumsum cumulative_prod cumulative_sum",
    "statistics.moments": "average corrcoef cov ptp std var",
    "statistics.sorting": "partition sort sort_complex unique unique_all unique_counts unique_inverse unique_values",
}
"""Family → its functions of NumPy's, by name."""

FAMILY_OF = {getattr(np, name): family for family, names in LATE.items() for name in names.split() if hasattr(np, name)}
"""Function of NumPy's → its family; what this NumPy does not have is left out."""


def families_of(room):
    """Import every family of a room; return their modules in the order of their names."""
    from pkgutil import iter_modules

    names = sorted(module.name for module in iter_modules(import_module(room).__path__) if not module.ispkg)
    return [import_module(f"{room}.{name}") for name in names]  # waits for another thread that is reading them


@cache
def families():
    """Return the modules of all families of NumPy's functions and of Python's, read by now."""
    return [family for room in (__name__, *(f"{__name__}.{room}" for room in ROOMS)) for family in families_of(room)]


class Entries(dict[Any, Any]):
    """Function of NumPy's → what a user's call of it becomes, None where there is no rule; found at the first call.

    An entry is here when its family is whole, and in `BY_NUMPY` as soon as it is read: another thread may be reading.
    """

    def __missing__(self, function):
        if function in FAMILY_OF:
            import_module(f"{__name__}.{FAMILY_OF[function]}")
        elif isinstance(function, np.ufunc):
            return import_module(f"{__name__}.from_scipy").rule_of(function)
        else:
            families()
        entry = BY_NUMPY.get(function)
        if entry is not None:
            self[function] = entry
        return entry


ENTRIES = Entries()

for _family in EARLY:
    import_module(f"{__name__}.{_family}")
ENTRIES.update(BY_NUMPY)
