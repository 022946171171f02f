"""Geometry for numbers: distances."""

from .._counterpart import missing
from . import distance

__all__ = ["distance"]
__getattr__ = missing(__name__)
