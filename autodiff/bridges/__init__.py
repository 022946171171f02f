"""Functions of PyTorch and JAX as functions of NumPy arrays, and the other way round: derivatives go across.

Each library differentiates its own code; a bridge passes tangents and adjoints from one to the other. Its derivative is
a bridge as well, so it goes to any order:

==================== ============================================== =============================================
function             takes a function of                            gives one of
==================== ============================================== =============================================
`from_torch`         PyTorch's tensors                              NumPy arrays and numbers, differentiated here
`to_torch`           NumPy arrays                                   tensors, differentiated by PyTorch
`from_jax`           JAX's arrays                                   NumPy arrays and numbers, differentiated here
`to_jax`             NumPy arrays                                   JAX's arrays, differentiated by JAX
==================== ============================================== =============================================

Arrays are copied across, by DLPack, to the processor's memory. Neither library is imported before its bridge is used.
"""

from .imported import from_jax, from_torch
from .to_jax import to_jax
from .to_torch import to_torch

__all__ = ["from_jax", "from_torch", "to_jax", "to_torch"]
