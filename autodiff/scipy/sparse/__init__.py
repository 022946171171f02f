"""scipy.sparse for numbers that carry derivatives."""

from ..counterpart import missing
from . import linalg

__all__ = ["linalg"]
__getattr__ = missing(__name__)
