"""What is no function is refused at once, in the same words by everything that takes one."""

import importlib
import inspect
import pickle
import pkgutil
import re

import numpy as np
import pytest

import autodiff
from autodiff.check.strategies import numbers

REST = {
    "animate": ([1.0],),
    "argmin": (1.0,),
    "check_derivative": (0, [1.0], 1.0),
    "check_gradient": ([1.0], [1.0]),
    "checkpointed": ("journal",),
    "checkpointed_loop": (1.0, 3),
    "checks": (numbers(),),
    "derivative": (0, [1.0]),
    "derivative_tensor": (1.0, 2),
    "difference_quotient": (0, [1.0]),
    "export_c": ([1.0],),
    "fixed_point": (1.0,),
    "gauss_newton_operator": (np.ones(2),),
    "gradcheck": ([1.0],),
    "gradient": ([1.0],),
    "hessian_operator": (np.ones(2),),
    "jacobian_operator": (np.ones(2),),
    "jvp": ([1.0], [1.0]),
    "latex": (0, [1.0]),
    "linear_solve": (np.ones(2),),
    "linear_transpose": (1.0,),
    "linearize": (1.0,),
    "plot_difference_error": (1.0,),
    "plot_surface_path": ([[0.0, 0.0]],),
    "points": (numbers(),),
    "record": ([1.0],),
    "root": (1.0,),
    "sparsity": (1.0,),
    "summed": ([np.ones(2)],),
    "taylor": (1.0, 2),
    "vjp": (1.0,),
}
"""What follows the function in a call, by the function's name."""

OTHERS = {"linear_solve": "a matrix is solved by autodiff.linalg.solve"}
"""Those whose message knows better."""

INNER = {
    "autodiff.sparse.value_and_sparse_jacobian",
    "autodiff.sparse.value_grad_and_sparse_hessian",
    "autodiff.upward.derivative_of_order",
}
"""What ``jacobian``, ``hessian`` and ``derivative`` call, which have looked at the function."""


def public_functions():
    """Every public function of the package whose first parameter is a function, by where it is imported from."""
    found = {}
    for info in pkgutil.walk_packages(autodiff.__path__, "autodiff."):
        if not re.search(r"\._", info.name):
            module = importlib.import_module(info.name)
            for name in getattr(module, "__all__", ()):
                found[f"{info.name}.{name}"] = getattr(module, name)
    found |= {f"autodiff.{name}": getattr(autodiff, name) for name in autodiff.__all__}
    by_identity = {}
    for path, function in found.items():
        if inspect.isfunction(function):
            first = next(iter(inspect.signature(function).parameters.values()), None)
            if path not in INNER and first is not None and re.match("(Callable|Function)", str(first.annotation)):
                by_identity[id(function)] = path, function
    return dict(sorted(by_identity.values()))


FUNCTIONS = public_functions() | {
    "autodiff.animate": autodiff.animate,
    "autodiff.elementwise": autodiff.elementwise(1.0),
    "autodiff.linear": autodiff.linear(lambda g, x: g),
    "autodiff.multilinear": autodiff.multilinear(lambda g, x: g),
    "autodiff.smooth": autodiff.smooth(lambda t, z, x: t),
}
"""Some take something else as well, or are decorators with derivatives."""


def test_those_that_take_a_function_are_found():
    assert len(FUNCTIONS) > 60
    assert {"autodiff.derivative", "autodiff.jit", "autodiff.scipy.optimize.minimize", "autodiff.implicit.root"} <= (
        FUNCTIONS.keys()
    )


NO_FUNCTIONS = {"number": 3, "None": None, "text": "f", "array": np.ones(2)}


@pytest.mark.parametrize(
    ("path", "kind"),
    [(path, kind) for path in FUNCTIONS for kind in NO_FUNCTIONS if (path, kind) != ("autodiff.black_box", "None")],
)
def test_what_is_no_function_is_refused_in_the_same_words(path, kind):
    name, given = path.rpartition(".")[2], NO_FUNCTIONS[kind]
    said = OTHERS.get(name, rf"{name} takes a function, as in {name}\(.+\), not {type(given).__name__} ")
    with pytest.raises(TypeError, match=said + r".*test_no_function\.py:\d+\)"):
        FUNCTIONS[path](given, *REST.get(name, ()))
    parameters = list(inspect.signature(FUNCTIONS[path]).parameters.values())
    if kind == "number" and parameters[0].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
        names = [x.name for x in parameters if x.kind is x.POSITIONAL_OR_KEYWORD]
        named = dict(zip(names, (given, *REST.get(name, ())), strict=False))
        with pytest.raises(TypeError, match=said + r".*test_no_function\.py:\d+\)"):
            FUNCTIONS[path](**named)


def square(x):
    return x * x


def test_a_function_that_is_named_is_like_one_that_is_not():
    """Its derivative is compiled where it is, and can be pickled."""
    for f in (square, autodiff.jit(square)):
        found = autodiff.grad(f=f)
        assert type(found) is type(autodiff.grad(f))
        assert found(3.0) == pickle.loads(pickle.dumps(found))(3.0) == 6.0
    with pytest.raises(TypeError, match="multiple values for argument 'f'"):
        autodiff.grad(square, f=square)


WITH_AUX = [path for path, f in FUNCTIONS.items() if "has_aux" in inspect.signature(f).parameters]


@pytest.mark.parametrize("path", WITH_AUX)
def test_what_is_neither_true_nor_false_is_refused_for_has_aux(path):
    """An argument that slipped into its place, say: an array has no truth value, and a number was taken for True."""
    name, x = path.rpartition(".")[2], np.ones(2)
    rest = {"jvp": ([x], [x]), "vjp": (x,), "linearize": (x,)}.get(name, ())
    for given in (x, 1.0, "yes", None):
        with pytest.raises(TypeError, match=rf"has_aux is True or False, not {type(given).__name__} .*\.py:\d+\)"):
            FUNCTIONS[path](square, *rest, has_aux=given)
    FUNCTIONS[path](lambda *xs: (square(*xs), 0), *rest, has_aux=np.True_)


def test_has_aux_without_its_name():
    assert autodiff.grad(lambda x: (x * x, 1), 0, True)(3.0) == (6.0, 1)
    with pytest.raises(TypeError, match="has_aux is True or False, not ndarray"):
        autodiff.grad(square, 0, np.ones(2))


def test_functions_with_aux_are_found():
    assert len(WITH_AUX) >= 15
