"""The Wengert list, handles on its lines, how it is recorded, swept, run again and printed."""

from .locally_constant import LocallyConstant
from .variable import Variable
from .wengert import Tape

__all__ = ["LocallyConstant", "Tape", "Variable"]
