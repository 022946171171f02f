"""Exact derivatives of ordinary Python and NumPy code, forward and reverse, of any order.

How the package is laid out, from its doors down; docs/how-it-is-built.md tells it at length:

- ``forward``, ``reverse``, ``operators``, ``check``: what users call; beside them ``nn``, ``scipy``, ``linalg``,
  ``implicit``, ``numpy``, ``drawing``, ``symbols``, ``custom``, ``checkpoints``, ``debugging``, ``compiler``.
- ``calls``: arguments enter a differentiation, answers leave it.
- ``tape``: the Wengert list, handles on its lines, the sweep through it, what prints it and runs it elsewhere;
  ``second_look``, where a derivative came out NaN; ``objects``, Variables made by hand.
- ``dualnumbers`` below: kinds of number, and the table of rules, each derivative written once.

``from autodiff import *`` brings neither ``numpy`` nor ``scipy`` nor ``linalg``, which would hide those of others.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from dualnumbers.late import late
from dualnumbers.messages.names import COUNTERPARTS
from dualnumbers.numbers.ndarray_attributes import NAMESPACES
from dualnumbers.numbers.typed import register_number
from dualnumbers.rules.shaping import array

from .calls.structures import register_structure
from .calls.values import stop_gradient, value_of
from .reverse import grad, gradient, jacrev, record, value_and_grad, vjp
from .tape.variable import Variable
from .tape.wengert import Tape

if TYPE_CHECKING:
    from . import drawing, implicit, nn
    from . import linalg as linalg
    from . import scipy as scipy
    from .adoption import adopt
    from .any_order import taylor
    from .check.derivatives import check_derivative, check_gradient
    from .check.gradcheck import gradcheck
    from .checkpoints.checkpoint import checkpoint
    from .checkpoints.loop import checkpointed_loop
    from .compiler import jit
    from .compiler.c import export_c
    from .custom.black_box import black_box
    from .custom.blocks import Block, SimpleBlock
    from .custom.decorators import elementwise, linear, locally_constant, multilinear, smooth
    from .debugging import debug_nans
    from .derivative_tensors import derivative_tensor
    from .drawing import animate, draw_graph
    from .forward import derivative, differentiate, jacfwd, jvp
    from .objects.leaf import Constant
    from .objects.no_grad import no_grad
    from .operators import (
        curl,
        divergence,
        elementwise_grad,
        gnvp,
        hessian,
        hessian_diagonal,
        hvp,
        jacobian,
        laplacian,
        linear_transpose,
        linearize,
        value_and_jacobian,
        value_grad_and_hessian,
        vmap,
    )
    from .operators.linear_operators import gauss_newton_operator, hessian_operator, jacobian_operator
    from .sparse.jacobians import sparsity
    from .sparse.sparsity import Sparsity
    from .symbols.latex import latex

__all__ = [
    "Block",
    "Constant",
    "SimpleBlock",
    "Sparsity",
    "Tape",
    "Variable",
    "adopt",
    "animate",
    "array",
    "black_box",
    "check_derivative",
    "check_gradient",
    "checkpoint",
    "checkpointed_loop",
    "curl",
    "debug_nans",
    "derivative",
    "derivative_tensor",
    "differentiate",
    "divergence",
    "draw_graph",
    "drawing",
    "elementwise",
    "elementwise_grad",
    "export_c",
    "gauss_newton_operator",
    "gnvp",
    "grad",
    "gradcheck",
    "gradient",
    "hessian",
    "hessian_diagonal",
    "hessian_operator",
    "hvp",
    "implicit",
    "jacfwd",
    "jacobian",
    "jacobian_operator",
    "jacrev",
    "jit",
    "jvp",
    "laplacian",
    "latex",
    "linear",
    "linear_transpose",
    "linearize",
    "locally_constant",
    "multilinear",
    "nn",
    "no_grad",
    "record",
    "register_number",
    "register_structure",
    "smooth",
    "sparsity",
    "stop_gradient",
    "taylor",
    "value_and_grad",
    "value_and_jacobian",
    "value_grad_and_hessian",
    "value_of",
    "vjp",
    "vmap",
]
__version__ = "0.1.0"

COUNTERPARTS.append(lambda name: import_module(".scipy", __name__).counterparts_of(name))
NAMESPACES.append(lambda: import_module(".numpy", __name__))

OPERATORS = (
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
)

LATE = {
    **dict.fromkeys(("bridges", "check", "custom", "distributed", "drawing", "forward", "implicit"), ""),
    **dict.fromkeys(("linalg", "nn", "numpy", "scipy"), ""),
    **dict.fromkeys(("black_box", "elementwise", "linear", "locally_constant", "multilinear", "smooth"), "custom"),
    **dict.fromkeys(("check_derivative", "check_gradient"), "check"),
    **dict.fromkeys(("derivative", "differentiate", "jacfwd", "jvp"), "forward"),
    **dict.fromkeys(OPERATORS, "operators"),
    **dict.fromkeys(("gauss_newton_operator", "hessian_operator", "jacobian_operator"), "operators.linear_operators"),
    **dict.fromkeys(("animate", "draw_graph"), "drawing"),
    **dict.fromkeys(("Block", "SimpleBlock"), "custom"),
    **dict.fromkeys(("checkpoint", "checkpointed_loop"), "checkpoints"),
    **dict.fromkeys(("Sparsity", "sparsity"), "sparse"),
    "Constant": "objects.leaf",
    "adopt": "adoption",
    "debug_nans": "debugging",
    "derivative_tensor": "derivative_tensors",
    "gradcheck": "check",
    "export_c": "compiler.c",
    "jit": "compiler",
    "latex": "symbols.latex",
    "no_grad": "objects.no_grad",
    "taylor": "any_order",
}
"""Name → the module that it is imported from when it is first asked for; none if it is a module itself."""

__getattr__ = late(__name__, LATE)


def __dir__() -> list[str]:
    return sorted({*__all__, *LATE, "__doc__", "__version__", "reverse"})
