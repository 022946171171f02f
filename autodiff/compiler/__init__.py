"""A function that is recorded once, and then run as a program: without its Python code, and without tapes."""

from .compiled import Compiled, jit

__all__ = ["Compiled", "jit"]
