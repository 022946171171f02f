"""Functions that choose between several arrays, element by element. Written in where and getitem."""

import numpy as np

from ...foreign import as_array, new_like
from ...forms import asked, dtype_of, shape
from ...levels import read
from ...table import composition
from ..axes import broadcast_arrays
from ..indexing import fixed, getitem, setitem
from ..shaping import arrays, astype, in_common, in_order, lying_as, stack
from ..where import chosen


def _of_common_type(x, choices):
    """``x`` in the type of all choices, Python's numbers taking part as the weaker ones."""
    common = asked(np.result_type, *choices)
    return x if dtype_of(x) == common or common.kind not in "fc" else astype(x, common)


@composition(np.choose, weak=True)
def choose(a, choices, *, mode="raise"):
    """``choices[a[i]][i]`` for every place i of the common shape."""
    choices = in_common(arrays(choices))
    places, *options = broadcast_arrays(fixed(a), *choices)
    places = np.choose(places, np.arange(len(options)), mode=mode)
    chosen = getitem(stack(*options, 0), (places, *np.indices(places.shape, sparse=True)))
    return _of_common_type(chosen, choices)


@composition(np.select, weak=True)
def select(condlist, choicelist, default=0):
    """Take at every place the first choice whose condition holds there, else the default."""
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError("select: as many conditions as choices are needed, at least one")
    if any(dtype_of(condition).kind != "b" for condition in condlist):
        raise TypeError("select: the conditions must be arrays of bool")
    *choices, result = in_common([*arrays(choicelist), default])
    for condition, choice in zip(condlist[::-1], choices[::-1], strict=True):
        result = chosen(condition, choice, result)
    return in_order(_of_common_type(result, [*choices, default]), "C")


@composition(np.piecewise, by_values=("condlist",))
def piecewise(x, condlist, funclist, *args, **kw):
    """Functions or constants, each where its condition holds; one more is for everywhere else."""
    single = np.isscalar(condlist) or (not shape(condlist[0]) and len(shape(x)) > 0)
    given = [condlist] if single else condlist
    conditions = [as_array(read(condition), bool) for condition in given]
    for condition in conditions:
        new_like(x, shape(x), bool)[condition]  # raises where it is no mask of x
    if len(funclist) == len(conditions) + 1:
        conditions.append(~np.any(np.stack(conditions), axis=0))
    if len(funclist) != len(conditions):
        raise ValueError(
            f"piecewise: {len(conditions)} conditions need as many functions, or one more, not {len(funclist)}"
        )
    result = setitem(lying_as(x, x), 0, ...)  # a number like x, though nothing may be chosen
    for condition, function in zip(conditions, funclist, strict=True):
        if callable(function):
            if np.any(condition):
                result = setitem(result, function(getitem(x, condition), *args, **kw), condition)
        else:
            result = setitem(result, function, condition)
    return result
