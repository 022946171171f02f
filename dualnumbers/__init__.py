"""Numbers that carry derivatives, and the rules that they obey."""

from . import dmath
from .dualnumber import DualNumber

__all__ = ["DualNumber", "dmath"]
