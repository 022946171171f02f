"""scipy.linalg for numbers that carry derivatives."""

from ..counterpart import missing
from .equations import *
from .equations import __all__ as _equations
from .functions import *
from .functions import __all__ as _functions

__all__ = [*_equations, *_functions]
__getattr__ = missing(__name__)
