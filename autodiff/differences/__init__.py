"""Derivatives by differences of values, with an error estimate: the oracle of every check."""

from .quotients import difference_quotient

__all__ = ["difference_quotient"]
