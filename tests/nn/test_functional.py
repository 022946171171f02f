"""A module called with given parameters: per-sample gradients, Hessians; the module itself stays as it is."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from autodiff import check_derivative, grad, hessian, jacobian, nn, vmap

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(6, 3)), RNG.normal(size=(6, 2))


def network():
    rng = np.random.default_rng(1)
    return nn.Sequential(nn.Linear(3, 4, rng=rng), nn.Tanh(), nn.Linear(4, 2, rng=rng))


def loss(net):
    return lambda parameters, x, y: nn.mse(nn.functional_call(net, parameters, x), y)


def test_it_is_the_module_with_other_parameters():
    net, other = network(), network()
    for parameter in other.parameters():
        parameter.data *= 2.0
    assert_array_equal(nn.functional_call(net, nn.parameters_of(other), X), other(X).data)
    assert_array_equal(nn.functional_call(net, {}, X), net(X).data)
    first = {"layers.0.weight": other.layers[0].weight.data}
    assert not np.allclose(nn.functional_call(net, first, X), net(X).data)


def test_gradients_of_samples():
    net = network()
    parameters = nn.parameters_of(net)
    found = vmap(grad(loss(net)), in_axes=(None, 0, 0))(parameters, X, Y)
    for k in range(6):
        net.zero_grad()
        nn.mse(net(X[k]), Y[k]).backward()
        for path, parameter in net.named_parameters():
            assert_allclose(found[path][k], parameter.grad, atol=1e-14)


def test_the_hessian_by_the_parameters():
    net = network()
    parameters = nn.parameters_of(net)
    found = hessian(lambda parameters: loss(net)(parameters, X, Y))(parameters)
    by_columns = jacobian(grad(lambda parameters: loss(net)(parameters, X, Y)), mode="reverse")(parameters)
    for one in parameters:
        for other in parameters:
            assert_allclose(found[one][other], by_columns[one][other], atol=1e-12)
    of_weight = lambda w: loss(net)({"layers.2.weight": w}, X, Y)
    weight = parameters["layers.2.weight"]
    assert check_derivative(of_weight, 0, [weight], grad(of_weight)(weight))


class Branches(nn.Module):
    """Parameters in a dict, a tuple and a list; one of them twice, and a module that holds its owner."""

    def __init__(self):
        shared = nn.Linear(3, 3, rng=np.random.default_rng(2))
        self.parts = {"a": shared, "b": (shared, nn.Linear(3, 3, rng=np.random.default_rng(3)))}
        self.listed = [self.parts, self]
        self.norm = nn.BatchNorm(3)

    def forward(self, x):
        one, other = self.listed[1].parts["b"]
        return self.norm(self.parts["a"](x) + other(one(x)))


def test_modules_in_containers_and_what_is_shared():
    net = Branches()
    parameters = {path: 2.0 * value for path, value in nn.parameters_of(net).items()}
    mean = net.norm.running_mean.copy() if hasattr(net.norm, "running_mean") else None
    found = nn.functional_call(net, parameters, X)
    if mean is not None:
        assert_array_equal(net.norm.running_mean, mean)
    for parameter in net.parameters():
        parameter.data = 2.0 * parameter.data
    assert_allclose(found, net(X).data)


def test_what_is_wrong_is_said():
    net = network()
    with pytest.raises(KeyError, match=r"no parameter weight: they are layers\.0\.weight"):
        nn.functional_call(net, {"weight": 1.0}, X)
    with pytest.raises(ValueError, match=r"layers\.0\.weight has the shape \(3, 4\); given is one of \(\)"):
        nn.functional_call(net, {"layers.0.weight": 1.0}, X)
