"""SciPy's ufuncs of several outputs: each output is a row, and the ufunc is the tuple of them."""

from ....table import BY_NUMPY, COMPOSITIONS, elementwise
from ...from_scipy import scipy_function


def outputs_of_scipy(ufunc, partials, unreal=None, **fields):
    """Return the rows of the outputs of ``scipy.special.<ufunc>``.

    ``partials`` has one entry per output: the name of its row → its partials, as `elementwise` takes them.
    ``unreal``: the functions of a complex argument, by name, of the outputs that are not holomorphic.
    """

    def output(k):
        return lambda *xs: scipy_function(f"special.{ufunc}")(*xs)[k]

    rows = tuple(elementwise(*own, name=name, unreal=(unreal or {}).get(name), **fields)(None, output(k))
                 for k, (name, own) in enumerate(partials.items()))  # fmt: skip
    register(ufunc, lambda *xs: tuple(row(*xs) for row in rows))
    return rows


def register(ufunc, function):
    """Let a function written in table functions be what ``scipy.special.<ufunc>`` does to numbers."""
    BY_NUMPY[ufunc] = COMPOSITIONS[f"scipy.special.{ufunc}"] = function
