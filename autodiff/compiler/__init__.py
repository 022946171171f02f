"""A function that is recorded once, and then run as a program: without its Python code, and without tapes.

- ``compiled``: `jit`, and the function that it returns; ``options``: what may be asked of it; ``nested``: that
  function inside a differentiation.
- ``forms``, ``paths``: its programs, one for each form of the arguments and each way through its branches;
  ``checking``: what ``check=True`` asks of them.
- ``making``: a recording becomes what runs. ``program``, ``operands``, ``keys``: it as steps, what these are applied
  to, and which of that is the same; ``passes``, ``rounds``: what of them is left out, and in which rounds not;
  ``shortening``, ``cuts``: most rounds of long loops are left out as long as machine code is made; ``elements``,
  ``indices``, ``parts``: of arrays of which each round reads other elements, and of what is added to these.
- ``source``: the steps as Python source, which calls NumPy; ``native``: as machine code; ``c``: as a file in C.
- ``direct``, ``into``, ``results``: calls without Python between, results written into arrays, results that are sparse.
- ``listing``, ``lines``: what a program tells of itself, its text with its loops, the time of each line of code.
"""

from .compiled import Compiled, jit

__all__ = ["Compiled", "jit"]
