"""Numbers that carry derivatives, and the rules that they obey."""

from typing import TYPE_CHECKING

from .late import late
from .numbers.dual import DualNumber
from .numbers.typed import register_number

if TYPE_CHECKING:
    from . import dmath, functions
    from .numbers.taylor import TaylorNumber

__all__ = ["DualNumber", "TaylorNumber", "dmath", "functions", "register_number"]

__getattr__ = late(__name__, dict.fromkeys(("dmath", "functions"), "") | {"TaylorNumber": "numbers.taylor"})
