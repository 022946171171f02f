"""Programs as C99: the kernels that machine code is made of, printed in another language.

- ``export``: `export_c`, which writes the file; ``function``, ``names``: a block as a function, and what it is called.
- ``printing``, ``code``, ``forms``: kernels as loops, what stands in them, elementary functions.
- ``systems``: linear systems and factors of matrices.
"""

from .export import export_c

__all__ = ["export_c"]
