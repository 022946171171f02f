"""What lower floors of the house call on upper ones: all imports against its direction, in one table.

A tape has methods that run, sweep, print, draw and pickle it. What they do stands above the tape, each in a module of
its own, which knows the tape and is not known to it. The same holds of a derivative of some order, of a Variable made
by hand, and of the checks, which users find beside the mode that they check. Each name is imported from its module when
it is first asked for, as in `dualnumbers.upward`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dualnumbers.late import late

if TYPE_CHECKING:
    from .check.derivatives import check_derivative, check_gradient
    from .derivative_tensors import derivative_of_order
    from .drawing import picture
    from .objects.leaf import Leaf, together
    from .symbols.lines import rules
    from .tape.listing import listing
    from .tape.pickling import restored, state_of
    from .tape.profile import profile
    from .tape.replay import run
    from .tape.sweep import every_adjoint

__all__ = ["Leaf", "check_derivative", "check_gradient", "derivative_of_order", "every_adjoint", "listing", "picture",
           "profile", "restored", "rules", "run", "state_of", "together"]  # fmt: skip

UPWARD = {
    "Leaf": "objects.leaf",
    "check_derivative": "check",
    "check_gradient": "check",
    "derivative_of_order": "derivative_tensors",
    "every_adjoint": "tape.sweep",
    "listing": "tape.listing",
    "picture": "drawing",
    "profile": "tape.profile",
    "restored": "tape.pickling",
    "rules": "symbols.lines",
    "run": "tape.replay",
    "state_of": "tape.pickling",
    "together": "objects.leaf",
}
"""Name → the module of `autodiff` above that has it."""

__getattr__ = late(__name__, UPWARD, __package__)
