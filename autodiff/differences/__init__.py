"""Derivatives by differences of values, with an error estimate: the oracle of every check."""

from .quotients import check_derivative, check_gradient, difference_quotient

__all__ = ["check_derivative", "check_gradient", "difference_quotient"]
