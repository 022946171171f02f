"""A function that is recorded once, and then run as a program: without its Python code, and without tapes.

- ``compiled``: `jit`, and the function that it returns; ``options``: what may be asked of it; ``nested``: that
  function inside a differentiation.
- ``forms``, ``paths``: its programs, one for each form of the arguments and each way through its branches;
  ``checking``: what ``check=True`` asks of them.
- ``program``, ``operands``, ``passes``, ``rounds``: a recording as steps, and what these are applied to; what of them
  is left out, and in which rounds not.
- ``source``: the steps as Python source, which calls NumPy; ``native``: as machine code; ``c``: as a file in C.
- ``direct``, ``into``, ``results``: calls without Python between, results written into arrays, results that are sparse.
- ``listing``, ``lines``: what a program tells of itself, its text with its loops, the time of each line of code.
"""

from .compiled import Compiled, jit

__all__ = ["Compiled", "jit"]
