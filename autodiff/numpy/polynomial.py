"""The modules and classes of ``numpy.polynomial``, whose coefficients and arguments may carry derivatives."""

import sys
from typing import Any

import numpy
import numpy.polynomial
from numpy.polynomial import _polybase, polyutils

from . import linalg
from ._copied import Combined, Copied
from ._taking import public_names

_NAMES = {name: value for name, value in vars(sys.modules[__package__]).items() if name in public_names(numpy)}
_np = Combined(numpy, _NAMES)
_utils = Copied(polyutils, {"np": _np})
_pu = Combined(polyutils, _utils.names)
_base = Copied(_polybase, {"np": _np, "pu": _pu, "ABCPolyBase": _polybase.ABCPolyBase}, _utils)


def _again(name: str) -> Any:
    """Make a module of numpy.polynomial again, as a module here."""
    original = getattr(numpy.polynomial, name)
    names = {"np": _np, "pu": _pu, "la": linalg}
    copied = Copied(original, names, _utils, _base)
    module = Combined(original, {x: copied.names[x] for x in public_names(original)})
    sys.modules[f"{__name__}.{name}"] = module
    return module


for _name in public_names(numpy.polynomial):
    _value = getattr(numpy.polynomial, _name)
    globals()[_name] = _again(_name) if hasattr(_value, "__all__") and _name != "polyutils" else _value
polyutils = _pu
sys.modules[f"{__name__}.polyutils"] = _pu
for _name in numpy.polynomial.__all__:
    if isinstance(getattr(numpy.polynomial, _name), type):
        _module = getattr(numpy.polynomial, _name).__module__.rpartition(".")[2]
        globals()[_name] = getattr(globals()[_module], _name)
__all__ = list(numpy.polynomial.__all__)
