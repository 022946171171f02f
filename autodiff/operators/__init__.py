"""Operators built on both modes: Jacobians by the cheaper mode, Hessians, products with vectors, linearisation."""

from .fields import curl, divergence, elementwise_grad, laplacian
from .hessians import hessian, hessian_diagonal, value_grad_and_hessian
from .jacobians import jacobian, value_and_jacobian
from .mapping import vmap
from .products import PushForward, gnvp, hvp, linear_transpose, linearize

__all__ = [
    "PushForward",
    "curl",
    "divergence",
    "elementwise_grad",
    "gnvp",
    "hessian",
    "hessian_diagonal",
    "hvp",
    "jacobian",
    "laplacian",
    "linear_transpose",
    "linearize",
    "value_and_jacobian",
    "value_grad_and_hessian",
    "vmap",
]
