"""scipy.linalg for numbers that carry derivatives: each family of functions is a module, which lists its names."""

# ruff: noqa: F403

from .._counterpart import missing
from . import _banded, _decompositions, _elimination, _equations, _functions, _least_squares, _structured
from ._banded import *
from ._decompositions import *
from ._elimination import *
from ._equations import *
from ._functions import *
from ._least_squares import *
from ._structured import *

__all__ = [
    *_banded.__all__,
    *_decompositions.__all__,
    *_elimination.__all__,
    *_equations.__all__,
    *_functions.__all__,
    *_least_squares.__all__,
    *_structured.__all__,
]
__getattr__ = missing(__name__)
