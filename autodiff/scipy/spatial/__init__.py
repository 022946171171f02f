"""Geometry for numbers: distances."""

from ..counterpart import missing
from . import distance

__all__ = ["distance"]
__getattr__ = missing(__name__)
