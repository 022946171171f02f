"""Numbers that carry derivatives, and the rules that they obey."""

from . import dmath, functions
from .numbers.dual import DualNumber

__all__ = ["DualNumber", "dmath", "functions"]
