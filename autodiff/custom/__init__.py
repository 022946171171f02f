"""Functions with derivatives of the user's own, and functions as objects."""

from dualnumbers.table.kinds import Linear, Multilinear, Smooth

from .black_box import black_box
from .blocks import Argument, Block, SimpleBlock
from .decorators import elementwise, linear, locally_constant, multilinear, smooth

__all__ = [
    "Argument",
    "Block",
    "Linear",
    "Multilinear",
    "SimpleBlock",
    "Smooth",
    "black_box",
    "elementwise",
    "linear",
    "locally_constant",
    "multilinear",
    "smooth",
]
