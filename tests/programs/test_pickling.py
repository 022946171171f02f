"""What the operators return can be pickled where the function can: to other processes, to a file."""

import inspect
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import autodiff
from autodiff import differentiate, grad, hessian, hvp, jacfwd, jacobian, jacrev, value_and_grad

X = np.array([1.0, 2.0])


def energy(x, k=2.0):
    return k * np.sum(x**3) + x[0] * x[1]


OPERATORS = {
    "differentiate": differentiate(energy),
    "grad": grad(energy),
    "grad by argnums": grad(energy, argnums=(0, 1)),
    "value_and_grad": value_and_grad(energy, 0),
    "jacfwd": jacfwd(energy),
    "jacrev": jacrev(energy),
    "jacobian": jacobian(energy, mode="forward"),
    "hessian": hessian(energy),
    "nested": jacfwd(jacrev(grad(energy))),
}


def same(a, b):
    pairs = zip(a, b, strict=True) if isinstance(a, tuple) else [(a, b)]
    return all(np.array_equal(x, y) for x, y in pairs)


@pytest.mark.parametrize("name", OPERATORS)
def test_what_an_operator_returns_is_pickled(name):
    function = OPERATORS[name]
    again = pickle.loads(pickle.dumps(function))
    assert same(again(X, 3.0), function(X, 3.0))
    assert list(inspect.signature(again).parameters)[:1] in (["x"], ["args"])


def test_a_product_with_the_hessian_is_pickled():
    assert same(pickle.loads(pickle.dumps(hvp(energy)))(X, X), hessian(energy)(X) @ X)


def test_what_cannot_be_pickled_is_the_function_itself():
    with pytest.raises((AttributeError, pickle.PicklingError), match="<lambda>"):
        pickle.dumps(grad(lambda x: x * x))


def test_gradients_in_other_processes():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert [g.tolist() for g in pool.map(grad(energy), [X, 2 * X])] == [[8.0, 25.0], [28.0, 98.0]]


class Model:
    """A derivative as a method, as a function in a class is one."""

    def __init__(self, k):
        self.k = k

    def loss(self, x):
        return self.k * np.sum(x * x)

    slope = differentiate(loss, 1)


def test_a_derivative_in_a_class_is_a_method():
    assert Model(3.0).slope(X).tolist() == [6.0, 12.0]
    assert Model.slope(Model(3.0), X).tolist() == [6.0, 12.0]


def test_names_and_representations():
    assert repr(grad(energy, argnums=1)) == "grad(energy, argnums=1)"
    assert repr(hessian(energy)) == "hessian(energy)"
    assert autodiff.grad.__doc__.startswith("Return the gradient of a scalar ``f``")
    assert list(inspect.signature(autodiff.grad).parameters) == ["f", "argnums", "has_aux"]
    assert list(inspect.signature(grad(energy)).parameters) == ["x", "k"]
