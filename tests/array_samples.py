"""Sample calls of every function that is not elementwise, and directions to differentiate them along."""

import functools
import pkgutil
from collections import defaultdict
from importlib import import_module

import numpy as np
import pytest
from noted import noted
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


def of_each(chosen):
    """Make of a test of a row and a sample one of each row, with those of its samples that are chosen."""
    samples_of = defaultdict(list)
    for name, sample in chosen:
        samples_of[name].append(sample)

    def decorator(test):
        @pytest.mark.parametrize("name", samples_of)
        @functools.wraps(test)
        def of_row(name):
            for sample in samples_of[name]:
                with noted(f"{name}: {sample.text}"):
                    test(name, sample)

        del of_row.__wrapped__  # by which pytest would ask for a fixture of the sample
        return of_row

    return decorator


def directions(arrays, seed=7):
    """One random direction per array, complex where the array is."""
    rng = np.random.default_rng(seed)
    real = [np.asarray(rng.normal(size=x.shape)) for x in arrays]
    turn = [1j * rng.normal(size=x.shape) if np.iscomplexobj(x) else 0.0 for x in arrays]
    return [(t + i).astype(np.asarray(x).dtype) for t, i, x in zip(real, turn, arrays, strict=True)]
