"""Sample calls of every function that is not elementwise, and directions to differentiate them along."""

import pkgutil
from importlib import import_module

import numpy as np
from samples import samples
from table import ROWS

import autodiff.scipy
from autodiff.scipy._counterpart import COUNTERPARTS
from dualnumbers.table import COMPOSITIONS

for _module in pkgutil.iter_modules(autodiff.scipy.__path__):
    import_module(f"autodiff.scipy.{_module.name}")

NAMES = [f.row.name for f in ROWS if f.row.several or not f.row.is_elementwise] + [*COMPOSITIONS]
NAMES += [name for name, function in COUNTERPARTS.items() if not hasattr(function, "function")]  # else it is a row
SAMPLES = [(name, sample) for name in NAMES for sample in samples(name)]


def each(chosen):
    """The arguments of ``pytest.mark.parametrize`` for a test of these samples, called by row and call."""
    return {"argnames": ("name", "sample"), "argvalues": chosen, "ids": [f"{name}: {s.text}" for name, s in chosen]}


def directions(arrays, seed=7):
    """One random direction per array, complex where the array is."""
    rng = np.random.default_rng(seed)
    real = [np.asarray(rng.normal(size=x.shape)) for x in arrays]
    turn = [1j * rng.normal(size=x.shape) if np.iscomplexobj(x) else 0.0 for x in arrays]
    return [(t + i).astype(np.asarray(x).dtype) for t, i, x in zip(real, turn, arrays, strict=True)]
