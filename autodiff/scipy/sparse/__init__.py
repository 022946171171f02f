"""scipy.sparse for numbers that carry derivatives."""

from .._counterpart import missing
from . import linalg

__all__ = ["linalg"]
__getattr__ = missing(__name__)
