"""scipy.linalg for numbers that carry derivatives."""

from ..counterpart import missing
from .equations import *
from .equations import __all__ as _equations
from .factors import *
from .factors import __all__ as _factors
from .functions import *
from .functions import __all__ as _functions
from .special import *
from .special import __all__ as _special

__all__ = [*_equations, *_factors, *_functions, *_special]
__getattr__ = missing(__name__)
