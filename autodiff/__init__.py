"""Exact derivatives of ordinary Python and NumPy code, forward and reverse, of any order.

How the package is laid out, from its doors down; docs/how-it-is-built.md tells it at length:

- ``forward``, ``reverse``, ``operators``, ``check``: what users call; beside them ``nn``, ``scipy``, ``linalg``,
  ``numpy``, ``drawing``, ``custom``.
- ``calls``: arguments enter a differentiation, answers leave it.
- ``tape``: the Wengert list, handles on its lines, the sweep through it, what prints it and runs it elsewhere;
  ``second_look``, where a derivative came out NaN; ``objects``, Variables made by hand.
- ``dualnumbers`` below: kinds of number, and the table of rules, each derivative written once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from dualnumbers.late import late
from dualnumbers.messages.errors import COUNTERPARTS
from dualnumbers.numbers.ndarray_attributes import NAMESPACES
from dualnumbers.rules.shaping import array

from .calls.structures import register_structure
from .calls.values import stop_gradient, value_of
from .forward import derivative, differentiate, jacfwd, jvp
from .reverse import grad, gradient, jacrev, record, value_and_grad, vjp
from .tape.variable import Variable
from .tape.wengert import Tape

if TYPE_CHECKING:
    from . import drawing, linalg, nn, scipy
    from .adoption import adopt
    from .check.derivatives import check_derivative, check_gradient
    from .check.gradcheck import gradcheck
    from .custom.blocks import Block, SimpleBlock
    from .custom.decorators import elementwise, linear, locally_constant, multilinear, smooth
    from .drawing import animate, draw_graph
    from .objects.leaf import Constant
    from .objects.no_grad import no_grad
    from .operators import hessian, hvp, jacobian, linearize

__all__ = [
    "Block",
    "Constant",
    "SimpleBlock",
    "Tape",
    "Variable",
    "adopt",
    "animate",
    "array",
    "check_derivative",
    "check_gradient",
    "derivative",
    "differentiate",
    "draw_graph",
    "drawing",
    "elementwise",
    "grad",
    "gradcheck",
    "gradient",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linalg",
    "linear",
    "linearize",
    "locally_constant",
    "multilinear",
    "nn",
    "no_grad",
    "record",
    "register_structure",
    "scipy",
    "smooth",
    "stop_gradient",
    "value_and_grad",
    "value_of",
    "vjp",
]
__version__ = "0.1.0"

COUNTERPARTS.append(lambda name: import_module(".scipy", __name__).counterparts_of(name))
NAMESPACES.append(lambda: import_module(".numpy", __name__))

LATE = {
    **dict.fromkeys(("check", "custom", "drawing", "linalg", "nn", "numpy", "scipy"), ""),
    **dict.fromkeys(("elementwise", "linear", "locally_constant", "multilinear", "smooth"), "custom"),
    **dict.fromkeys(("check_derivative", "check_gradient"), "check"),
    **dict.fromkeys(("hessian", "hvp", "jacobian", "linearize"), "operators"),
    **dict.fromkeys(("animate", "draw_graph"), "drawing"),
    **dict.fromkeys(("Block", "SimpleBlock"), "custom"),
    "Constant": "objects.leaf",
    "adopt": "adoption",
    "gradcheck": "check",
    "no_grad": "objects.no_grad",
}
"""Name → the module that it is imported from when it is first asked for; none if it is a module itself."""

__getattr__ = late(__name__, LATE)


def __dir__() -> list[str]:
    return sorted({*__all__, *LATE, "forward", "reverse"})
