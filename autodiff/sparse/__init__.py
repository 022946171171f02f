"""Sparse Jacobians and Hessians: which elements may be other than 0, and all of them by a few directions.

- ``asking``, ``pattern``: what a row connects, asked of the row; along a tape, the pattern of its outputs.
- ``products``: what a product with a sparse matrix connects.
- ``colouring``, ``sparsity``: which columns or rows are found together, and where each element is read off.
- ``programs``, ``evaluation``, ``jacobians``: when a pattern still holds, and the derivative by it.
"""

from . import products  # noqa: F401  # its rule is entered
from .jacobians import sparsity, value_and_sparse_jacobian, value_grad_and_sparse_hessian
from .sparsity import Sparsity

__all__ = ["Sparsity", "sparsity", "value_and_sparse_jacobian", "value_grad_and_sparse_hessian"]
