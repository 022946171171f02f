"""Numbers that carry derivatives, and the rules that they obey."""

from typing import TYPE_CHECKING

from .late import late

if TYPE_CHECKING:
    from . import dmath, functions
    from .numbers.dual import DualNumber
    from .numbers.taylor.number import TaylorNumber
    from .numbers.typed import register_number

__all__ = ["DualNumber", "TaylorNumber", "dmath", "functions", "register_number"]

__getattr__ = late(__name__, {"DualNumber": "numbers.dual", "TaylorNumber": "numbers.taylor.number",
                              "register_number": "numbers.typed", "dmath": "", "functions": ""})  # fmt: skip


def __dir__() -> list[str]:
    return sorted({*__all__, "__doc__"})
