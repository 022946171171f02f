"""The Jacobian ∂f/∂y of a problem, for solvers that are implicit: the user's, or one by automatic differentiation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from dualnumbers.levels import read

from ...calls.closures import closure_converted, plain_result
from ...forward import jacfwd
from ...operators.jacobians import jacobian
from ...sparse.sparsity import Sparsity
from ._solvers import family

Function = Callable[..., Any]


def jacobians(
    method: Any, options: dict[str, Any], args: tuple[Any, ...], slope: Function, theta: Any
) -> tuple[dict[str, Any], Function | None]:
    """Return the options that are about the Jacobian, taken out of ``options``, and ∂f/∂y of plain (t, y).

    The latter is None of a method that is explicit. ``slope(t, y, θ)`` is f, ``theta`` its plain parameters.
    """
    names = ("jac", "jac_sparsity", "lband", "uband")
    own = {name: found for name in names if (found := options.pop(name, None)) is not None}
    jac = own.get("jac")
    if callable(jac):
        parameters, at = closure_converted(jac, args)
        plain = at(read(parameters))
        jac = own["jac"] = lambda t, y: z if scipy.sparse.issparse(z := plain(t, y)) else plain_result("jac", z)
    if family(method) is None:
        return own, None
    if jac is None or "lband" in own or "uband" in own:
        return own, derived(slope, theta, own.get("jac_sparsity"))
    if callable(jac):
        return own, jac
    constant = jac if scipy.sparse.issparse(jac) else np.asarray(jac)
    return own, lambda t, y: constant


def derived(slope: Function, theta: Any, sparsity: Any = None) -> Function:
    """Return ∂f/∂y by automatic differentiation, sparse where there is a pattern."""
    if sparsity is None:
        return lambda t, y: jacfwd(lambda y: slope(t, y, theta))(y)
    pattern = Sparsity(sparsity if scipy.sparse.issparse(sparsity) else np.asarray(sparsity))
    return lambda t, y: jacobian(lambda y: slope(t, y, theta), sparse=pattern)(y)
