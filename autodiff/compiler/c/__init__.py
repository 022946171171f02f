"""Programs as C99: the kernels that machine code is made of, printed in another language."""

from .export import export_c

__all__ = ["export_c"]
