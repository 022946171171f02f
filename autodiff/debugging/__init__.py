"""Where trouble comes from: the first NaN or infinity of a differentiation."""

from .watch import debug_nans

__all__ = ["debug_nans"]
