"""The optimisers as methods of ``scipy.optimize.minimize``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..objects.leaf import Leaf
from .optimisers import SGD, Adam, Optimiser, RMSprop

HELP = """`{kind}` for ``scipy.optimize.minimize(f, x0, jac=autodiff.grad(f), method=nn.{name}, options={{...}})``.

It ends where no element of the gradient is larger than ``tol``, and only then with ``success``; after ``maxiter``
steps; and where the callback raises StopIteration or returns true. That is called with x, or, where its parameter is
named ``intermediate_result``, with an OptimizeResult of x and ``fun``, which takes an evaluation of f each time.

Options and their defaults: {options}. ``disp`` prints a summary, ``return_all`` keeps all points in ``allvecs``.
Raises ValueError without a gradient, and with bounds or constraints; TypeError where there is no such option.

>>> from scipy.optimize import minimize
>>> from autodiff import grad, nn
>>> f = lambda x: np.sum((x - 1.0) ** 2)
>>> found = minimize(f, np.zeros(2), jac=grad(f), method=nn.{name}, options={{"lr": 0.01, "maxiter": 5000}})
>>> bool(np.all(np.abs(found.x - 1.0) < 0.02))
True
"""
OWN = {"maxiter": 1000, "tol": 1e-8, "disp": False, "return_all": False}
"""The options that all methods have, beside those of the optimiser."""

MESSAGES = {
    0: "no element of the gradient is larger than tol",
    1: "after maxiter steps the gradient is still larger than tol",
    3: "the gradient is not a number",
    99: "the callback ended it before the gradient was as small as tol",
}
"""What each status says; the numbers are SciPy's."""

SUMMARY = """{message}
         Current function value: {fun}
         Iterations: {nit}
         Function evaluations: {nfev}
         Gradient evaluations: {njev}"""


class _Counted:
    """A function of x, and how often it was called."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.function, self.args, self.calls = function, args, 0

    def __call__(self, x: Any) -> Any:
        self.calls += 1
        return self.function(x, *self.args)


def _method(kind: type[Optimiser]) -> Callable[..., Any]:
    """Make of an optimiser a custom method of ``minimize``."""
    name = kind.__name__.lower()
    known = {p.name: p.default for p in inspect.signature(kind).parameters.values() if p.name != "parameters"} | OWN

    def method(fun: Any, x0: Any, args: tuple[Any, ...] = (), jac: Any = None, hess: Any = None, hessp: Any = None,
               bounds: Any = None, constraints: Any = (), callback: Any = None, **options: Any) -> Any:  # fmt: skip
        if not callable(jac):
            raise ValueError(
                f"nn.{name} needs the gradient: minimize(f, x0, jac=autodiff.grad(f)), or jac=True with "
                "autodiff.value_and_grad(f)"
            )
        if bounds is not None or len(np.ravel(constraints)):
            raise ValueError(f"nn.{name} takes no bounds and no constraints")
        if options.keys() - known:
            raise TypeError(
                f"nn.{name} has no option {', '.join(sorted(options.keys() - known))}; it has {', '.join(known)}"
            )
        parameter = Leaf(np.atleast_1d(np.array(x0, float)))
        optimiser = kind([parameter], **{option: options[option] for option in options.keys() - OWN})
        return _minimised(optimiser, parameter, _Counted(fun, args), _Counted(jac, args), callback, **(OWN | {
            option: options[option] for option in options.keys() & OWN}))  # fmt: skip

    method.__name__ = method.__qualname__ = name
    options = ", ".join(f"``{option}={default}``" for option, default in known.items())
    method.__doc__ = HELP.format(kind=kind.__name__, name=name, options=options)
    return method


def _minimised(optimiser: Optimiser, parameter: Leaf, value: _Counted, slope: _Counted, callback: Any, maxiter: int,
               tol: float, disp: bool, return_all: bool) -> Any:  # fmt: skip
    """Return the result of all steps."""
    from scipy.optimize import OptimizeResult

    path, ended = [], False
    while True:
        x = np.array(parameter.primal)
        path += [x] if return_all else []
        gradient = parameter.grad = np.atleast_1d(slope(x))
        largest = np.max(np.abs(gradient), initial=0.0)
        ended = callback is not None and slope.calls > 1 and _ends(callback, x, value)
        if ended or not largest > tol or slope.calls > maxiter:
            break
        optimiser.step()
    status = 0 if largest <= tol else 3 if np.isnan(largest) else 99 if ended else 1
    found = OptimizeResult(x=x, fun=value(x), jac=gradient, nit=slope.calls - 1, njev=slope.calls, status=status,
                           success=status == 0, message=MESSAGES[status])  # fmt: skip
    both = getattr(slope.function, "__self__", None) is value.function  # jac=True: a value comes with each gradient
    found.nfev = slope.calls if both else value.calls
    if return_all:
        found.allvecs = path
    if disp:
        print(SUMMARY.format(**found))
    return found


def _ends(callback: Callable[..., Any], x: Any, value: Callable[[Any], Any]) -> bool:
    """Call a callback in either of SciPy's ways: return whether it ends the steps."""
    from scipy.optimize import OptimizeResult

    try:
        named = set(inspect.signature(callback).parameters) == {"intermediate_result"}
    except ValueError:  # of some builtins
        named = False
    try:
        if named:
            return bool(callback(intermediate_result=OptimizeResult(x=x.copy(), fun=value(x))))
        return bool(callback(x.copy()))
    except StopIteration:
        return True


sgd, adam, rmsprop = map(_method, (SGD, Adam, RMSprop))
