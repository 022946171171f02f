"""Networks: layers and losses against differences, modules, optimisers against formulas, training on real data."""

import itertools
import sys
import weakref

import matplotlib.figure
import mpmath
import numpy as np
import pytest
import scipy.special
from scipy.optimize import minimize, rosen

import autodiff
from autodiff import Constant, Variable, gradcheck, nn
from dualnumbers.rules.statistics.logarithmic_sums import log_softmax, softmax

RNG = np.random.default_rng(7)
X = RNG.normal(size=(5, 3))
IMAGES = RNG.normal(size=(2, 2, 4, 3))

LAYERS = {
    "Linear": (lambda: nn.Linear(3, 4, rng=1), X),
    "Linear, no bias": (lambda: nn.Linear(3, 4, bias=False, init="he", rng=1), X),
    "Conv2d": (lambda: nn.Conv2d(2, 2, 3, rng=1), IMAGES),
    "Conv2d, stride and padding": (lambda: nn.Conv2d(2, 2, (3, 2), stride=(2, 1), padding=(1, 0), rng=1), IMAGES),
    "ReLU": (nn.ReLU, X),
    "Tanh": (nn.Tanh, X),
    "Sigmoid": (nn.Sigmoid, X),
    "Softmax": (lambda: nn.Softmax(axis=1), X),
    "BatchNorm": (lambda: nn.BatchNorm(3), X),
    "BatchNorm of images": (lambda: nn.BatchNorm(2), IMAGES),
    "BatchNorm in use": (lambda: nn.BatchNorm(3).eval(), X),
    "Dropout in use": (lambda: nn.Dropout(0.5).eval(), X),
    "Sequential": (lambda: nn.Sequential(nn.Linear(3, 4, rng=1), nn.Tanh(), nn.Linear(4, 2, rng=2), np.sin), X),
}


@pytest.mark.parametrize(("make", "x"), LAYERS.values(), ids=LAYERS)
def test_layers_in_their_argument_and_in_their_parameters(make, x):
    """Both modes to second order in the argument; the parameters' gradients, which backward gives, against those."""
    layer = make()
    weights = np.cos(np.arange(np.size(autodiff.value_of(layer(x))))).reshape(np.shape(autodiff.value_of(layer(x))))

    def f(x, values):
        for parameter, value in zip(layer.parameters(), values, strict=True):
            parameter.data = autodiff.value_of(value)
        with autodiff.no_grad():
            return np.sum(layer(x) ** 2 * weights)

    values = [parameter.data.copy() for parameter in layer.parameters()]
    assert gradcheck(lambda x: f(x, values), [x], order=2, raises=True)
    if values:
        np.sum(layer(x) ** 2 * weights).backward()
    for k, parameter in enumerate(layer.parameters()):
        found, step = parameter.grad, 1e-6
        for place in itertools.islice(np.ndindex(parameter.shape), 12):
            moved = [[v.copy() for v in values] for _ in range(2)]
            moved[0][k][place] += step
            moved[1][k][place] -= step
            slope = (f(x, moved[0]) - f(x, moved[1])) / (2 * step)
            assert found[place] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_a_convolution_is_the_sum_over_its_window():
    conv, images = nn.Conv2d(3, 2, (3, 2), stride=(2, 1), padding=(1, 0), rng=3), RNG.normal(size=(2, 3, 6, 5))
    conv.bias.data = np.array([0.5, -1.0])
    found = autodiff.value_of(conv(images))
    padded = np.zeros((2, 3, 8, 5))
    padded[:, :, 1:7] = images
    expected = np.zeros((2, 2, 3, 4))
    for n, o, h, w in np.ndindex(expected.shape):
        window = padded[n, :, 2 * h : 2 * h + 3, w : w + 2]
        expected[n, o, h, w] = np.sum(window * conv.weight.data[o]) + conv.bias.data[o]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_layers_say_what_they_take():
    for layer, x in ((nn.Linear(3, 2), np.ones((4, 2))), (nn.Conv2d(3, 2, 3), X), (nn.BatchNorm(4), X)):
        with pytest.raises(ValueError, match=r"takes arrays of shape \(points, "):
            layer(x)
    with pytest.raises(ValueError, match="'xavier' or 'he'"):
        nn.Linear(2, 2, init="zeros")
    assert repr(nn.Conv2d(3, 2, 3)) == "Conv2d(inputs=3, outputs=2, kernel_size=(3, 3), stride=(1, 1), padding=(0, 0))"
    with pytest.raises(ValueError, match="below 1"):
        nn.Dropout(1.0)
    with pytest.raises(NotImplementedError, match=r"write its forward\(self, x\)"):
        nn.Module()(X)


def test_weights_come_from_the_seed():
    first, second, other = (nn.Linear(30, 20, rng=seed).weight.data for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)
    assert np.max(np.abs(first)) <= np.sqrt(6 / 50)
    assert np.std(nn.Linear(400, 300, init="he", rng=1).weight.data) == pytest.approx(np.sqrt(2 / 400), rel=0.02)
    rng = np.random.default_rng(5)
    assert not np.array_equal(nn.Linear(3, 3, rng=rng).weight.data, nn.Linear(3, 3, rng=rng).weight.data)


class Own(nn.Module):
    """Parameters among attributes, in a list, in a dict, shared, and one that is constant."""

    def __init__(self):
        self.scale = Variable(2.0)
        self.layers = [nn.Linear(3, 2, rng=1), nn.BatchNorm(2)]
        self.named = {"last": nn.Linear(2, 2, rng=2), "same": self.layers[0]}
        self.fixed = Constant([1.0, 2.0])
        self.note = "text"

    def forward(self, x):
        return self.named["last"](self.layers[1](self.layers[0](x))) * self.scale + self.fixed


def test_parameters_are_found():
    net = Own()
    assert [name for name, _ in net.named_parameters()] == [
        "scale", "layers.0.weight", "layers.0.bias", "layers.1.scale", "layers.1.shift", "named.last.weight",
        "named.last.bias"]  # fmt: skip
    assert len(net.parameters()) == 7
    np.sum(net(X) ** 2).backward()
    assert all(parameter.grad is not None for parameter in net.parameters())
    net.zero_grad()
    assert all(parameter.grad is None for parameter in net.parameters())
    assert not net.eval().layers[1].training
    assert net.train().layers[1].training


def test_parameters_are_found_behind_a_proxy():
    inner, outer = nn.Linear(1, 1, rng=0), nn.Sequential()
    outer.inner = weakref.proxy(inner)
    assert [name for name, _ in outer.named_parameters()] == ["inner.weight", "inner.bias"]


def test_the_state_is_saved_and_loaded(tmp_path):
    net, other = Own(), Own()
    net.scale.data = 5.0
    net(X)
    np.savez(tmp_path / "net.npz", **net.state_dict())
    with np.load(tmp_path / "net.npz") as state:
        other.load_state_dict(state)
    assert other.scale.data == 5.0
    np.testing.assert_array_equal(other.layers[1].running_mean, net.layers[1].running_mean)
    np.testing.assert_array_equal(other.eval()(X).data, net.eval()(X).data)
    state = net.state_dict()
    del state["scale"]
    with pytest.raises(KeyError, match=r"missing \['scale'\]"):
        other.load_state_dict(state)
    with pytest.raises(ValueError, match=r"layers.0.weight has the shape \(3, 2\), in the state \(2, 2\)"):
        other.load_state_dict(net.state_dict() | {"layers.0.weight": np.ones((2, 2))})


def test_dropout_keeps_the_mean():
    layer, x = nn.Dropout(0.25, rng=3), np.ones((100, 100))
    found = layer(x)
    assert set(np.unique(found)) == {0.0, 1 / 0.75}
    assert np.mean(found) == pytest.approx(1.0, abs=0.02)
    assert layer.eval()(x) is x


def test_batch_norm_remembers_for_use():
    layer, rng = nn.BatchNorm(2), np.random.default_rng(1)
    for _ in range(200):
        layer(rng.normal([3.0, -1.0], [2.0, 0.5], (50, 2)))
    np.testing.assert_allclose(layer.running_mean, [3.0, -1.0], atol=0.2)
    np.testing.assert_allclose(layer.running_variance, [4.0, 0.25], rtol=0.2)
    training = autodiff.value_of(layer(X[:, :2]))
    np.testing.assert_allclose(training.mean(0), 0.0, atol=1e-12)
    np.testing.assert_allclose(training.var(0), 1.0, rtol=1e-3)
    in_use = autodiff.value_of(layer.eval()(np.array([[3.0, -1.0]])))
    np.testing.assert_allclose(in_use, 0.0, atol=0.3)


def test_batch_norm_remembers_the_unbiased_variance():
    layer = nn.BatchNorm(2, momentum=0.25)
    layer(np.array([[1.0, 0.0], [3.0, 8.0], [5.0, 4.0]]))
    np.testing.assert_allclose(layer.running_mean, [0.25 * 3.0, 0.25 * 4.0], rtol=1e-15)
    np.testing.assert_allclose(layer.running_variance, [0.75 + 0.25 * 4.0, 0.75 + 0.25 * 16.0], rtol=1e-15)


def test_a_network_of_single_precision():
    f4, rng = np.float32, np.random.default_rng(0)

    class Flat(nn.Module):
        def forward(self, x):
            return np.reshape(x, (len(autodiff.value_of(x)), -1))

    net = nn.Sequential(nn.Conv2d(2, 3, 2, rng=rng, dtype=f4), nn.BatchNorm(3, dtype=f4), nn.ReLU(), Flat(),
                        nn.Dropout(0.5, rng=rng), nn.Linear(18, 4, rng=rng, dtype=f4), nn.Tanh())  # fmt: skip
    x, classes = IMAGES.astype(f4), np.array([1, 3])
    kinds = lambda: {value.dtype for value in net.state_dict().values()}
    assert net(x).dtype == f4
    for kind in (nn.SGD, nn.Adam, nn.RMSprop):
        nn.fit(net, nn.cross_entropy, kind(net.parameters()), x, classes, 2)
        assert {parameter.grad.dtype for parameter in net.parameters()} == kinds() == {np.dtype(f4)}
    assert net.eval()(x).dtype == f4
    net.load_state_dict({path: value.astype(float) for path, value in net.state_dict().items()})
    assert kinds() == {np.dtype(f4)}
    assert nn.Dropout(rng=1)(np.ones(4, int)).dtype == float
    assert nn.Linear(2, 2).weight.dtype == float


# ------------------------------------------------------------------------------------------------------------ losses


def test_mse():
    assert nn.mse(np.array([1.0, 3.0]), np.array([0.0, 0.0])) == 5.0
    assert gradcheck(lambda x: nn.mse(x, np.ones((5, 3))), [X], raises=True)
    with pytest.raises(ValueError, match=r"\(5, 1\), the target \(5,\); reshape"):
        nn.mse(X[:, :1], X[:, 0])


def test_cross_entropy():
    classes = np.array([0, 2, 1, 1, 0])
    softmax = np.exp(X) / np.exp(X).sum(1, keepdims=True)
    expected = -np.mean(np.log(softmax[np.arange(5), classes]))
    assert nn.cross_entropy(X, classes) == pytest.approx(expected, rel=1e-14)
    assert nn.cross_entropy(X, np.eye(3)[classes]) == pytest.approx(expected, rel=1e-14)
    gradient = autodiff.grad(nn.cross_entropy)(X, classes)
    np.testing.assert_allclose(gradient, (softmax - np.eye(3)[classes]) / 5, rtol=1e-12, atol=1e-16)  # by the count
    assert gradcheck(lambda x: nn.cross_entropy(x, classes), [X], raises=True)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_cross_entropy_has_one_derivative_with_the_value_and_without(dtype):
    """Of classes nearly certain, nearly impossible and tied; and of points in more axes than one."""
    rng = np.random.default_rng(11)
    logits = (rng.normal(size=(4, 5, 3)) * np.geomspace(0.1, 60.0, 4)[:, None, None]).astype(dtype)
    logits[0, 0], logits[3, 4] = 2.0, [30.0, -30.0, 30.0]
    classes, eps = rng.integers(0, 3, (4, 5)), float(np.finfo(dtype).eps)
    with_it = autodiff.grad(nn.cross_entropy)

    def without(x, k):
        (slopes,) = autodiff.vjp(lambda x: nn.cross_entropy(x, k), x)[1](1.0)
        return slopes

    found, loss = with_it(logits, classes), nn.cross_entropy(logits, classes)
    softmax, logs = scipy.special.softmax(logits.astype(float), -1), scipy.special.log_softmax(logits.astype(float), -1)
    assert found.dtype == dtype
    assert loss == pytest.approx(-np.mean(np.take_along_axis(logs, classes[..., None], -1)), rel=8 * eps)
    np.testing.assert_allclose(found, (softmax - np.eye(3)[classes]) / 20, rtol=0, atol=2 * eps)
    flat = logits.reshape(20, 3), classes.ravel()
    np.testing.assert_array_equal(with_it(*flat).reshape(4, 5, 3), found)
    apart = [without(x[None], np.array([k]))[0] for x, k in zip(*flat, strict=True)]
    np.testing.assert_allclose(found.reshape(20, 3), np.array(apart) / 20, rtol=64 * eps)
    along = np.ones_like(logits)
    along[..., 0] = -2.0
    pushed = autodiff.jvp(lambda x: nn.cross_entropy(x, classes), [logits], [along])[1]
    assert pushed == pytest.approx(np.sum(found * along), rel=100 * eps)


def test_cross_entropy_is_that_of_the_target_when_it_was_called():
    """A loop may fill one array with the targets of one batch after the other."""
    logits, classes = X[:2], np.array([0, 1])

    def two_batches(x):
        target = classes.copy()
        first = nn.cross_entropy(x, target)
        target[:] = [2, 2]
        return first + nn.cross_entropy(2.0 * x, target)

    def apart(x):
        return nn.cross_entropy(x, classes) + nn.cross_entropy(2.0 * x, np.array([2, 2]))

    np.testing.assert_array_equal(autodiff.grad(two_batches)(logits), autodiff.grad(apart)(logits))


def test_cross_entropy_of_many_points_in_half_precision():
    loss = nn.cross_entropy(np.zeros((20_000, 100), np.float16), np.zeros(20_000, int))
    assert loss == pytest.approx(np.log(100.0), rel=1e-3)


def test_cross_entropy_far_out():
    logits = np.array([[1000.0, 0.0, -1000.0], [-1e4, 0.0, 1e4]])
    assert nn.cross_entropy(logits, np.array([0, 2])) == 0.0
    assert nn.cross_entropy(logits, np.array([1, 0])) == (1000.0 + 2e4) / 2
    assert np.all(np.isfinite(autodiff.grad(nn.cross_entropy)(logits, np.array([1, 0]))))


@pytest.mark.parametrize("logits", [[40.0, 0.0], [0.0, -700.0, -41.0], [1000.0, 999.0, 3.0], [2.0, 2.0, 2.0, -30.0]])
def test_cross_entropy_keeps_digits(logits):
    """Against mpmath in 400 digits: value, and gradient in both modes."""
    count, z = len(logits), np.array([logits])
    with mpmath.workdps(400):
        powers = [mpmath.exp(value) for value in logits]
        shares = [power / mpmath.fsum(powers) for power in powers]
        for k in range(count):
            f = lambda z, k=k: nn.cross_entropy(z, np.array([k]))
            assert f(z) == pytest.approx(float(-mpmath.log(shares[k])), rel=1e-14, abs=0)
            beside = mpmath.fsum(share for place, share in enumerate(shares) if place != k)
            expected = [float(-beside if place == k else share) for place, share in enumerate(shares)]
            for mode in (autodiff.jacrev, autodiff.jacfwd):
                np.testing.assert_allclose(mode(f)(z), [expected], rtol=1e-13)
            soft = autodiff.grad(nn.cross_entropy)(z, np.eye(count)[[k]])
            np.testing.assert_allclose(soft, [expected], rtol=1e-13)


def test_cross_entropy_of_logits_that_are_excluded():
    logits, inf = np.array([[-np.inf, 1.0, 1.0], [0.0, -np.inf, 2.0], [3.0, 3.0, 3.0]]), np.inf
    with np.errstate(all="ignore"):
        expected = scipy.special.log_softmax(logits, axis=1)
    for column in range(3):
        for row in range(3):
            found = nn.cross_entropy(logits[[row]], np.array([column]))
            assert found == pytest.approx(-expected[row, column], rel=1e-15)
    assert nn.cross_entropy(np.array([[1.0, 1.0], [-inf, -inf]])[:1], np.array([0])) == pytest.approx(np.log(2.0))
    with np.errstate(invalid="ignore"):
        both = log_softmax(np.array([[1.0, 1.0], [-inf, -inf], [inf, 0.0]]), 1)
    np.testing.assert_allclose(both[0], -np.log(2.0))  # beside rows that are not finite
    assert np.all(np.isnan(both[1]))


def test_cross_entropy_of_many_points_has_the_slopes_of_each():
    """To their last digits, whether a class is nearly certain or nearly impossible."""
    rng = np.random.default_rng(0)
    logits, classes = rng.normal(size=(400, 7)) * np.geomspace(0.1, 60.0, 400)[:, None], rng.integers(0, 7, 400)
    classes[::2] = np.argmax(logits[::2], 1)
    slope = autodiff.grad(nn.cross_entropy)
    found = slope(logits, classes) * 400.0
    apart = [slope(x[None], np.array([k]))[0] for x, k in zip(logits, classes, strict=True)]
    np.testing.assert_allclose(found, apart, rtol=2e-15)
    assert np.count_nonzero(np.abs(found[np.arange(400), classes]) < 1e-8) > 10


def test_softmax_and_its_logarithm_of_integers_and_numbers():
    for f, original in ((softmax, scipy.special.softmax), (log_softmax, scipy.special.log_softmax)):
        for x, axis in ((np.array([[1, 2], [3, 4]]), 1), (3, None), (2.0, None), (np.float32(2.0), None)):
            np.testing.assert_allclose(f(x, axis), original(x, axis), rtol=1e-7)
        assert f(np.zeros((2, 0)), 1).shape == (2, 0)
        assert f(np.ones((2, 3), np.float32), 1).dtype == np.float32
    np.testing.assert_allclose(nn.Softmax()(np.array([[1, 2]])), [[1 / (1 + np.e), np.e / (1 + np.e)]])
    assert nn.cross_entropy(np.array([[1, 2]]), np.array([0])) == pytest.approx(np.log(1 + np.e), rel=1e-15)


def test_cross_entropy_says_what_it_takes():
    for target in (np.zeros(5), np.zeros((5, 2), int), np.zeros(4, int)):
        with pytest.raises(ValueError, match="class numbers"):
            nn.cross_entropy(X, target)
    with pytest.raises(ValueError, match="from 0 to 2"):
        nn.cross_entropy(X, np.array([0, 1, 2, 3, 0]))


def test_accuracy():
    output = np.array([[0.1, 0.9], [0.8, 0.2], [0.4, 0.6]])
    assert nn.accuracy(output, np.array([1, 0, 0])) == pytest.approx(2 / 3)
    assert nn.accuracy(output, np.eye(2)[[1, 0, 0]]) == pytest.approx(2 / 3)
    points = np.stack([output, output[::-1]])  # of two axes
    assert nn.accuracy(points, np.array([[1, 0, 0], [1, 1, 1]])) == pytest.approx(4 / 6)
    assert nn.accuracy(points, np.eye(2)[[[1, 0, 0], [1, 1, 1]]]) == pytest.approx(4 / 6)


def test_accuracy_says_what_it_takes():
    output = np.array([[0.1, 0.9], [0.8, 0.2], [0.4, 0.6]])
    for target in (np.array([[1], [0], [1]]), np.array([1]), np.array(1), np.eye(3)):
        with pytest.raises(ValueError, match=r"class numbers, of shape \(3,\), or is of the output's shape, \(3, 2\)"):
            nn.accuracy(output, target)
    for target in ([-1, 1, 1], [1.0, 2.0, 1.0], [0.5, 1.0, 0.0], [np.nan, 1.0, 0.0], ["1", "0", "1"]):
        with pytest.raises(ValueError, match=r"numbered from 0 to 1.*np\.unique\(labels, return_inverse=True\)"):
            nn.accuracy(output, np.array(target))
    for target in ([1.0, 0.0, 0.0], [True, False, False]):
        assert nn.accuracy(output, np.array(target)) == pytest.approx(2 / 3)
    for one in (output[:, :1], np.array(1.0)):
        with pytest.raises(ValueError, match=r"np\.mean\(\(output > 0\.5\) == target\)"):
            nn.accuracy(one, np.array([[1], [0], [1]]))


# -------------------------------------------------------------------------------------------------------- optimisers


def steps(make, count=4):
    """The path of x² y-shaped gradients: x of two elements, f = Σ aᵢ xᵢ²/2 with a = (1, 10)."""
    x = Variable([1.0, -2.0])
    optimiser = make([x])
    path = []
    for _ in range(count):
        optimiser.zero_grad()
        np.sum(np.array([0.5, 5.0]) * x * x).backward()
        optimiser.step()
        path.append(x.data.copy())
    return np.array(path)


def test_gradient_descent_by_its_formula():
    x, a, expected = np.array([1.0, -2.0]), np.array([1.0, 10.0]), []
    for _ in range(4):
        x = x - 0.05 * a * x
        expected.append(x)
    np.testing.assert_allclose(steps(lambda p: nn.SGD(p, lr=0.05)), expected, rtol=1e-14)


@pytest.mark.parametrize("nesterov", [False, True])
def test_momentum_by_its_formula(nesterov):
    x, v, a, expected = np.array([1.0, -2.0]), np.zeros(2), np.array([1.0, 10.0]), []
    for _ in range(4):
        v = 0.9 * v + a * x
        x = x - 0.01 * (a * x + 0.9 * v if nesterov else v)
        expected.append(x)
    found = steps(lambda p: nn.SGD(p, lr=0.01, momentum=0.9, nesterov=nesterov))
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_adam_by_its_formula():
    """Kingma & Ba 2015, algorithm 1, each mean as the weighted sum of all gradients."""
    x, a, gradients, expected = np.array([1.0, -2.0]), np.array([1.0, 10.0]), [], []
    for t in range(1, 5):
        gradients.append(a * x)
        first = sum(0.8 ** (t - k) * 0.2 * g for k, g in enumerate(gradients, 1)) / (1 - 0.8**t)
        second = sum(0.95 ** (t - k) * 0.05 * g**2 for k, g in enumerate(gradients, 1)) / (1 - 0.95**t)
        x = x - 0.1 * first / (np.sqrt(second) + 1e-3)
        expected.append(x)
    np.testing.assert_allclose(steps(lambda p: nn.Adam(p, lr=0.1, betas=(0.8, 0.95), eps=1e-3)), expected, rtol=1e-13)


def test_rmsprop_by_its_formula():
    x, a, gradients, expected = np.array([1.0, -2.0]), np.array([1.0, 10.0]), [], []
    for t in range(1, 5):
        gradients.append(a * x)
        mean = sum(0.9 ** (t - k) * 0.1 * g**2 for k, g in enumerate(gradients, 1))
        x = x - 0.01 * gradients[-1] / (np.sqrt(mean) + 1e-3)
        expected.append(x)
    np.testing.assert_allclose(steps(lambda p: nn.RMSprop(p, lr=0.01, alpha=0.9, eps=1e-3)), expected, rtol=1e-13)


def test_the_first_steps_of_adam_and_rmsprop():
    """The first step of Adam is lr against the sign of each gradient, that of RMSprop lr / √(1 − α)."""
    np.testing.assert_allclose(steps(lambda p: nn.Adam(p, lr=0.1), 1)[0], [0.9, -1.9], rtol=1e-7)
    np.testing.assert_allclose(steps(lambda p: nn.RMSprop(p, lr=0.01, alpha=0.96), 1)[0], [0.95, -1.95], rtol=1e-6)


@pytest.mark.parametrize("kind", [nn.SGD, nn.Adam, nn.RMSprop])
def test_objects_and_methods_of_scipy_take_the_same_path(kind):
    options = {"lr": 0.02} | ({"momentum": 0.5} if kind is nn.SGD else {})
    path = steps(lambda p: kind(p, **options), 6)
    method = {nn.SGD: nn.sgd, nn.Adam: nn.adam, nn.RMSprop: nn.rmsprop}[kind]
    f = autodiff.value_and_grad(lambda x: np.sum(np.array([0.5, 5.0]) * x * x))
    options |= {"maxiter": 6, "return_all": True}
    found = minimize(f, np.array([1.0, -2.0]), jac=True, method=method, options=options)
    np.testing.assert_allclose(found.allvecs[1:], path, rtol=1e-13)
    assert (found.nit, found.success) == (6, False)


def test_minimising_rosenbrocks_function_by_adam():
    seen, slope = [], autodiff.grad(lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2)
    found = minimize(rosen, [-1.0, 1.5], jac=slope, method=nn.adam, callback=seen.append,
                     options={"lr": 0.05, "maxiter": 20_000, "tol": 1e-6})  # fmt: skip
    np.testing.assert_allclose(found.x, 1.0, atol=1e-4)
    assert found.success
    assert np.max(np.abs(found.jac)) <= 1e-6
    assert len(seen) == found.nit
    with pytest.raises(ValueError, match=r"jac=autodiff\.grad\(f\)"):
        minimize(rosen, [0.0, 0.0], method=nn.adam)
    with pytest.raises(ValueError, match="no bounds"):
        minimize(rosen, [0.0, 0.0], jac=autodiff.grad(rosen), method=nn.adam, bounds=[(0, 1)] * 2)


def test_methods_count_what_they_call(capsys):
    calls = {"f": 0, "f'": 0, "both": 0}

    def counted(name, result):
        calls[name] += 1
        return result

    options = {"maxiter": 5, "disp": True}
    apart = minimize(
        lambda x: counted("f", x @ x), np.ones(2), jac=lambda x: counted("f'", 2 * x), method=nn.adam, options=options
    )
    assert (apart.nfev, apart.njev) == (calls["f"], calls["f'"]) == (1, 6)
    shown = capsys.readouterr().out
    assert "maxiter" in shown.splitlines()[0]
    assert "Gradient evaluations: 6" in shown
    both = minimize(lambda x: counted("both", (x @ x, 2 * x)), np.ones(2), jac=True, method=nn.adam, tol=1e9)
    assert (both.nfev, both.njev, both.nit, both.success) == (calls["both"], 1, 0, True)
    assert not capsys.readouterr().out


def test_callbacks_of_methods_are_scipys():
    def stopping(x):
        raise StopIteration

    def told(intermediate_result):
        seen.append(intermediate_result)
        return len(seen) == 3

    f, seen = autodiff.value_and_grad(lambda x: np.sum(x * x)), []
    found = minimize(f, np.ones(2), jac=True, method=nn.sgd, callback=stopping)
    assert (found.nit, found.status, found.success) == (1, 99, False)
    found = minimize(f, np.ones(2), jac=True, method=nn.sgd, callback=told)
    assert found.nit == 3
    assert [step.fun for step in seen] == pytest.approx([2 * 0.98 ** (2 * k) for k in (1, 2, 3)])
    np.testing.assert_array_equal(seen[-1].x, found.x)
    assert minimize(f, np.array([np.nan]), jac=True, method=nn.sgd).status == 3


def test_methods_name_their_options():
    with pytest.raises(TypeError, match=r"no option maxit; it has lr, betas, eps, maxiter, tol, disp, return_all"):
        minimize(rosen, np.ones(2), jac=autodiff.grad(rosen), method=nn.adam, options={"maxit": 3})
    for method in (nn.sgd, nn.adam, nn.rmsprop):
        assert all(word in method.__doc__ for word in ("lr=0.0", "maxiter=1000", "tol=1e-08", "ValueError", "callback"))


def test_optimisers_say_what_they_take():
    with pytest.raises(TypeError, match=r"net\.parameters\(\)"):
        nn.SGD([np.ones(3)])
    x = Variable([1.0, 2.0])
    for one in (x, Variable(1.0), x * 2):
        with pytest.raises(TypeError, match=r"a list of Variables, \[x\] or net\.parameters\(\), not one Variable"):
            nn.SGD(one)
    with pytest.raises(TypeError, match="not Linear"):
        nn.SGD(nn.Linear(2, 2))
    with pytest.raises(ValueError, match="no parameters"):
        nn.SGD([])
    with pytest.raises(ValueError, match="positive"):
        nn.Adam([x], lr=0.0)
    for make in (lambda: nn.SGD([x], momentum=-3), lambda: nn.SGD([x], momentum=1.0), lambda: nn.RMSprop([x], alpha=1),
                 lambda: nn.Adam([x], betas=(1.0, 0.9)), lambda: nn.Adam([x], betas=(0.9, -0.1))):  # fmt: skip
        with pytest.raises(ValueError, match="at least 0 and below 1"):
            make()
    with pytest.raises(ValueError, match="momentum"):
        nn.SGD([Variable(1.0)], nesterov=True)
    still = Variable(1.0)
    nn.Adam([still]).step()  # it has no gradient
    assert still.data == 1.0


class InPlace(nn.Optimiser):
    """One that writes to the array which the tape holds."""

    def moved(self, x, gradient, state):
        x -= self.lr * gradient
        return x


class Narrow(nn.Optimiser):
    """One that forgets an element."""

    def moved(self, x, gradient, state):
        return x[1:]


def test_a_step_keeps_shape_and_type():
    w = Variable([1.0, 2.0, 3.0])
    w.grad = np.ones((3, 1))
    with pytest.raises(ValueError, match=r"the gradient of a parameter has shape \(3, 1\)"):
        nn.SGD([w]).step()
    w.grad = np.ones(3)
    with pytest.raises(ValueError, match=r"what an optimiser moves to has shape \(2,\)"):
        Narrow([w]).step()
    for kind in (nn.SGD, nn.Adam, nn.RMSprop):
        for value in (2.0, np.float32(2.0), np.ones(2, np.float32)):
            x = Variable(value)
            np.sum(x * x).backward()
            kind([x]).step()
            assert type(x.data) is type(value)
            assert np.asarray(x.data).dtype == np.asarray(value).dtype


def test_a_step_does_not_write_to_a_tape():
    w = Variable([1.0, 2.0])
    y = np.sum(w**3)
    y.backward()
    with pytest.raises(ValueError, match="read-only"):
        InPlace([w]).step()
    nn.SGD([w], lr=0.1).step()
    w.zero_grad()
    y.backward()
    np.testing.assert_array_equal(w.grad, [3.0, 12.0])


# ---------------------------------------------------------------------------------------------------------- training


def test_batches():
    x, y = np.arange(10), np.arange(10) * 2
    parts = list(nn.batches(x, y, batch_size=4))
    assert [len(part[0]) for part in parts] == [4, 4, 2]
    shuffled = np.concatenate([part[0] for part in nn.batches(x, y, batch_size=4, rng=1)])
    assert sorted(shuffled) == list(x)
    assert list(shuffled) != list(x)
    assert all(np.array_equal(b, 2 * a) for a, b in nn.batches(x, y, batch_size=3, rng=1))
    with pytest.raises(ValueError, match="different numbers of points"):
        next(nn.batches(x, y[:3]))


def line():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(200, 1))
    return x, 3.0 * x - 1.0 + 0.01 * rng.normal(size=(200, 1))


def test_training_a_line():
    x, y = line()
    net = nn.Linear(1, 1, rng=0)
    seen = []
    curves = nn.fit(net, nn.mse, nn.SGD(net.parameters(), lr=0.1), x[:150], y[:150], 60, batch_size=30, rng=1,
                    validation=(x[150:], y[150:]), metrics={"largest error": lambda a, b: np.max(np.abs(a - b))},
                    callback=lambda epoch, curves: seen.append(epoch))  # fmt: skip
    assert [net.weight.data.item(), net.bias.data.item()] == pytest.approx([3.0, -1.0], abs=0.01)
    assert set(curves) == {"loss", "largest error", "validation loss", "validation largest error"}
    assert all(len(curve) == 60 for curve in curves.values())
    assert curves["validation loss"][-1] < 2e-4 < curves["validation loss"][0]
    assert seen == list(range(60))


def test_training_stops_early():
    x, y = line()
    net = nn.Linear(1, 1, rng=0)
    curves = nn.fit(net, nn.mse, nn.SGD(net.parameters(), lr=0.3), x, y, 1000, patience=5, progress=True)
    assert 10 < len(curves["loss"]) < 300
    net = nn.Linear(1, 1, rng=0)
    curves = nn.fit(net, nn.mse, nn.SGD(net.parameters(), lr=0.1), x, y, 100, callback=lambda epoch, _: epoch == 4)
    assert len(curves["loss"]) == 5


def test_patience_watches_the_validation_data():
    """They lie on the opposite line, so that the progress of the training goes away from them."""
    x, y = line()
    net = nn.Linear(1, 1, rng=0)
    curves = nn.fit(net, nn.mse, nn.SGD(net.parameters(), lr=0.05), x, y, 100, validation=(x, -y), patience=7)
    assert np.all(np.diff(curves["loss"]) < 0)
    assert len(curves["loss"]) == int(np.argmin(curves["validation loss"])) + 8 < 20


def test_training_puts_a_network_into_training():
    net = nn.Sequential(nn.Linear(3, 2, rng=1), nn.BatchNorm(2)).eval()
    modes = []
    nn.fit(net, nn.mse, nn.SGD(net.parameters()), X, X[:, :2], 3,
           callback=lambda epoch, _: modes.append(net[1].training) or (net.eval() and None))  # fmt: skip
    assert modes == [True, True, True]
    assert np.any(net[1].running_mean)


def test_what_stays_in_use_is_not_trained():
    net = nn.Sequential(nn.Linear(3, 2, rng=1), nn.BatchNorm(2))
    net[1].eval()
    before = net.state_dict()
    nn.fit(net, nn.mse, nn.SGD(net.parameters()), X, X[:, :2], 2, validation=(X, X[:, :2]))
    assert (net.training, net[1].training) == (True, False)
    np.testing.assert_array_equal(net.state_dict()["layers.1.running_mean"], before["layers.1.running_mean"])
    assert not np.array_equal(net.state_dict()["layers.0.weight"], before["layers.0.weight"])


def test_evaluation_leaves_the_modes_as_they_were():
    net = nn.Sequential(nn.Linear(3, 2, rng=1), nn.Dropout(0.5, rng=1), nn.BatchNorm(2))
    net[2].eval()
    found = nn.evaluate(net, {"loss": nn.mse}, X, X[:, :2])
    assert found == nn.evaluate(net, {"loss": nn.mse}, X, X[:, :2])
    with pytest.raises(ValueError, match="mse"):
        nn.evaluate(net, {"loss": nn.mse}, X, X)
    assert [module.training for _, module in net.named_modules()] == [True, True, True, False]


@pytest.mark.parametrize("name", ["loss", "validation loss", "validation accuracy"])
def test_metrics_have_names_of_their_own(name):
    net = nn.Linear(3, 2)
    with pytest.raises(ValueError, match=f"{name}.*that of another curve"):
        nn.fit(net, nn.mse, nn.SGD(net.parameters()), X, X[:, :2], 1, metrics={name: nn.mse})


def test_moons_are_told_apart():
    """Two half circles, by a network of the size of micrograd's."""
    rng = np.random.default_rng(0)
    angle = np.linspace(0, np.pi, 100)
    upper, lower = np.stack([np.cos(angle), np.sin(angle)], 1), np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], 1)
    x, classes = np.concatenate([upper, lower]) + 0.1 * rng.normal(size=(200, 2)), np.repeat([0, 1], 100)
    net = nn.Sequential(nn.Linear(2, 16, init="he", rng=rng), nn.ReLU(), nn.Linear(16, 16, init="he", rng=rng),
                        nn.ReLU(), nn.Linear(16, 2, rng=rng))  # fmt: skip
    nn.fit(net, nn.cross_entropy, nn.Adam(net.parameters(), lr=0.02), x, classes, 100)
    assert nn.accuracy(net(x).data, classes) >= 0.99


# ----------------------------------------------------------------------------------------------------- learning curves


def test_curves_of_one_training():
    figure = nn.plot_curves(
        {"loss": [3.0, 2.0], "validation loss": [4.0, 3.0], "accuracy": [0.1, 0.2], "validation accuracy": [0.0, 0.1]},
        "title",
        log=("loss",),
    )
    assert [panel.get_ylabel() for panel in figure.axes] == ["loss", "accuracy"]
    assert [panel.get_yscale() for panel in figure.axes] == ["log", "linear"]
    assert [line.get_label() for line in figure.axes[0].lines] == ["train", "validation"]
    np.testing.assert_array_equal(figure.axes[0].lines[1].get_xydata(), [[1.0, 4.0], [2.0, 3.0]])
    assert not figure.axes[0].collections
    assert figure.get_suptitle() == "title"


def test_curves_of_several_trainings_are_medians_and_quartiles():
    runs = [{"loss": [float(k), 10.0 + k]} for k in range(5)]
    runs[4]["loss"].pop()  # it stopped early, and keeps its 4
    figure = nn.plot_curves(runs)
    assert figure._repr_png_().startswith(b"\x89PNG")  # what a notebook shows
    (panel,) = figure.axes
    assert [list(line.get_ydata()) for line in panel.lines] == [[2.0, 11.0]]
    (band,) = panel.collections
    heights = band.get_paths()[0].vertices
    assert {(float(x), float(y)) for x, y in heights} >= {(1.0, 1.0), (1.0, 3.0), (2.0, 10.0), (2.0, 12.0)}


def test_curves_in_a_part_of_a_figure(tmp_path):
    figure = matplotlib.figure.Figure()
    parts = figure.subfigures(1, 2)
    assert nn.plot_curves({"loss": [1.0]}, figure=parts[1]) is parts[1]
    assert [len(part.axes) for part in parts] == [0, 1]
    figure.savefig(tmp_path / "curves.png")


def test_curves_that_do_not_belong_together(monkeypatch):
    for wrong in (3, [3], "loss"):
        with pytest.raises(TypeError, match=r"plot_curves takes what nn\.fit returned"):
            nn.plot_curves(wrong)
    for runs in ([], [{"loss": [1.0]}, {"accuracy": [1.0]}]):
        with pytest.raises(ValueError, match="the same measures"):
            nn.plot_curves(runs)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'dualautodiff\[plot\]'"):
        nn.plot_curves({"loss": [1.0]})


@pytest.mark.parametrize("make", [lambda p: nn.Adam(p, lr=0.1), lambda p: nn.RMSprop(p, lr=0.01)])
def test_complex_parameters_come_to_the_minimum(make):
    w = Variable(1.0 + 1.0j)
    optimiser = make([w])
    for _ in range(400):
        w.zero_grad()
        ((w - 2.0j) * np.conj(w - 2.0j)).real.backward()
        optimiser.step()
    assert abs(w.data - 2.0j) < 0.02


def test_what_is_asked_of_data_and_layers():
    w = Variable(1.0)
    with pytest.raises(ValueError, match="twice"):
        nn.SGD([w, w])
    for size in (0, -2):
        with pytest.raises(ValueError, match=f"batch_size is a whole number of at least 1, not int {size}"):
            list(nn.batches(np.ones((3, 2)), batch_size=size))
    with pytest.raises(ValueError, match="0 points"):
        list(nn.batches(np.ones((0, 2))))
    assert [part.tolist() for (part,) in nn.batches([1.0, 2.0, 3.0], batch_size=2)] == [[1.0, 2.0], [3.0]]
    for keywords in ({"stride": -1}, {"stride": 0}, {"padding": "same"}, {"padding": -1}, {"stride": (1, 2, 3)}):
        with pytest.raises(ValueError, match="Conv2d takes a whole number"):
            nn.Conv2d(1, 1, 3, **keywords)
    for n in ("a", 2.0, 0, -1, None):
        for what, make in (
            ("inputs of Linear", lambda: nn.Linear(n, 2)),  # noqa: B023  # called here
            ("outputs of Linear", lambda: nn.Linear(2, n)),  # noqa: B023
            ("outputs of Conv2d", lambda: nn.Conv2d(1, n, 3)),  # noqa: B023
            ("features of BatchNorm", lambda: nn.BatchNorm(n)),  # noqa: B023
        ):
            said = f"the number of {what} is a whole number of at least 1, not {type(n).__name__} {n!r}"
            with pytest.raises(ValueError, match=said):
                make()
    assert nn.Linear(np.int64(3), 2, rng=0)(np.ones((1, 3))).shape == (1, 2)
    norm = nn.BatchNorm(2)
    with pytest.raises(ValueError, match="no points"):
        norm(np.ones((0, 2)))
    assert norm.running_mean.tolist() == [0.0, 0.0]


def fitted(epochs=1, **options):
    net = nn.Linear(2, 1, rng=0)
    nn.fit(net, nn.mse, nn.SGD(net.parameters()), np.ones((4, 2)), np.ones((4, 1)), epochs, **options)


def evaluated(measures):
    nn.evaluate(nn.ReLU(), measures, np.ones((4, 2)), np.ones((4, 2)))


WRONG_SETTINGS = {
    "the probability of Dropout is a number of at least 0 and below 1": (
        nn.Dropout,
        ["a", None, np.ones(2), 1.0, np.nan],
    ),
    "init is 'xavier' or 'he'": (lambda init: nn.Linear(2, 1, init=init), [3, [3], "glorot"]),
    "the dtype of a layer is a type of floating": (
        lambda dtype: nn.Linear(2, 1, dtype=dtype),
        [int, "?", 3],
    ),
    "the dtype of BatchNorm is a type of floating": (lambda dtype: nn.BatchNorm(2, dtype=dtype), [int, "no type"]),
    "the momentum of BatchNorm is a number of at least 0": (lambda x: nn.BatchNorm(2, momentum=x), ["a", None, -0.1]),
    "eps of BatchNorm is a number of at least 0": (lambda eps: nn.BatchNorm(2, eps=eps), ["a", -1.0]),
    "Sequential takes layers one by one, modules or functions": (nn.Sequential, [3, [nn.ReLU()]]),
    "the step size lr is a positive number": (lambda lr: nn.SGD([Variable(1.0)], lr=lr), ["a", None, 0.0, np.ones(2)]),
    "the momentum is a number of at least 0 and below 1": (lambda x: nn.SGD([Variable(1.0)], momentum=x), ["a", None]),
    "betas is a pair of numbers": (lambda x: nn.Adam([Variable(1.0)], betas=x), [0.9, (0.9, 0.9, 0.9), None]),
    "each of the betas is a number of at least 0": (lambda x: nn.Adam([Variable(1.0)], betas=x), [("a", "b")]),
    "alpha is a number of at least 0": (lambda x: nn.RMSprop([Variable(1.0)], alpha=x), ["a", None]),
    "eps is a number of at least 0": (lambda x: nn.Adam([Variable(1.0)], eps=x), ["a", -1.0]),
    "epochs is a whole number of at least 0": (fitted, ["a", 2.5, -1, None, True]),
    "batch_size is a whole number of at least 1": (lambda x: fitted(batch_size=x), ["a", 2.5, 0]),
    "patience is a whole number of at least 0": (lambda x: fitted(patience=x), ["a", -1]),
    "fit: metrics is a dict of functions": (lambda x: fitted(metrics=x), [nn.mse, [nn.mse], {"mse": 3}]),
    "fit: metrics is .*: 'mse' is a function": (lambda x: fitted(metrics=x), [{"rest": nn.mse, "mse": "mse"}]),
    "evaluate: measures is a dict of functions": (evaluated, [nn.mse, [nn.mse], None, "mse", {"mse": 3}]),
    "evaluate: net is a network": (lambda net: nn.evaluate(net, {}, X, X), [nn.mse, nn.ReLU, None]),
    "the measure 'off' gives a number": (evaluated, [{"off": lambda out, y: out - y}, {"off": lambda out, y: None}]),
    "the measure 'by' gives a number": (lambda f: fitted(metrics={"by": f}), [lambda out, y: out - y, lambda *_: None]),
    "validation is a pair of data": (lambda x: fitted(validation=x), [np.ones((2, 2)), (1, 2, 3)]),
    "callback is a function": (lambda x: fitted(callback=x), [3]),
}


@pytest.mark.parametrize(
    ("said", "make", "wrong"), [(said, make, x) for said, (make, given) in WRONG_SETTINGS.items() for x in given]
)
def test_a_wrong_setting_is_told_when_it_is_given(said, make, wrong):
    with pytest.raises((TypeError, ValueError), match=f"{said}.*, not "):
        make(wrong)


def test_modules_take_keywords():
    class Scaled(nn.Module):
        def forward(self, x, scale=1.0):
            return scale * x

    assert Scaled()(2.0, scale=3.0) == 6.0


@pytest.mark.parametrize("swapped", [lambda net: (nn.Adam(net.parameters()), nn.mse), lambda net: (nn.mse, nn.Adam)])
def test_a_loss_and_an_optimiser_that_are_none_are_told(swapped):
    net = nn.Linear(2, 1, rng=1)
    with pytest.raises(TypeError, match=r"a loss and then an optimiser, .*Adam.*test_nn\.py"):
        nn.fit(net, *swapped(net), np.ones((3, 2)), np.ones((3, 1)), 2)


def test_a_state_that_does_not_fit_changes_nothing():
    net = nn.Sequential(nn.Linear(2, 3, rng=0), nn.BatchNorm(3), nn.Linear(3, 1, rng=1))
    before = net.state_dict()
    for wrong in (np.array([1.0j]), np.array([None])):
        with pytest.raises(ValueError, match=r"layers\.2\.bias"):
            net.load_state_dict({name: value + 1.0 for name, value in before.items()} | {"layers.2.bias": wrong})
    after = net.state_dict()
    assert all(np.array_equal(after[name], before[name]) for name in before)


def test_patience_is_not_ended_by_a_loss_that_is_no_number():
    losses = iter([np.nan, 3.0, 2.0, 1.0, 0.5])
    net = nn.Linear(1, 1, rng=0)
    value = {"next": np.nan}

    def loss(output, target):
        return np.mean(output - target) * 0.0 + value["next"]

    def callback(epoch, curves):
        value["next"] = next(losses, 0.1)

    value["next"] = next(losses)
    curves = nn.fit(
        net, loss, nn.SGD(net.parameters(), lr=1e-9), np.ones((2, 1)), np.ones((2, 1)), 5, patience=2, callback=callback
    )
    assert len(curves["loss"]) == 5


def test_no_class_is_found_where_the_output_is_no_number():
    assert nn.accuracy(np.array([[np.nan, np.nan], [0.0, 1.0]]), np.array([0, 1])) == 0.5


def trained(jit, optimiser, classes, dtype=float, **options):
    """The curves and the state after a training, with batches of two sizes."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 2)).astype(dtype)
    inside = (x[:, 0] * x[:, 1] > 0.0).astype(int)
    last = [] if classes else [nn.Softmax(axis=1)]
    net = nn.Sequential(nn.Linear(2, 8, rng=1, dtype=dtype), nn.Tanh(), nn.Linear(8, 2, rng=2, dtype=dtype), *last)
    loss, target = (nn.cross_entropy, inside) if classes else (nn.mse, np.eye(2, dtype=dtype)[inside])
    made = optimiser(net.parameters())
    curves = nn.fit(net, loss, made, x, target, 5, batch_size=20, rng=3, metrics={"accuracy": nn.accuracy}, jit=jit,
                    validation=(x, target), **options)  # fmt: skip
    return curves, net.state_dict(), made


OPTIMISERS = {
    "descent": lambda parameters: nn.SGD(parameters, lr=0.1),
    "momentum": lambda parameters: nn.SGD(parameters, lr=0.05, momentum=0.9, nesterov=True),
    "adam": lambda parameters: nn.Adam(parameters, lr=0.01),
    "rmsprop": lambda parameters: nn.RMSprop(parameters, lr=0.01),
}


@pytest.mark.parametrize("optimiser", OPTIMISERS.values(), ids=OPTIMISERS)
@pytest.mark.parametrize("classes", [True, False])
def test_a_training_by_programs_is_the_training(optimiser, classes):
    (plain, state, _), (curves, moved, made) = (trained(jit, optimiser, classes) for jit in (False, True))
    assert curves.keys() == plain.keys()
    for name in curves:
        np.testing.assert_allclose(curves[name], plain[name], rtol=1e-10)
    for name in state:
        np.testing.assert_allclose(moved[name], state[name], rtol=1e-8, atol=1e-12)
    assert all(type(part) is int for kept in made.states for name, part in kept.items() if name == "count")


def test_a_training_by_programs_in_single_precision_and_with_a_step_size_that_changes():
    def lower(epoch, curves, made):
        made[0].lr *= 0.5

    found = []
    for jit in (False, True):
        kept = []

        def optimiser(parameters, kept=kept):
            kept.append(nn.SGD(parameters, lr=0.5))
            return kept[0]

        curves, state, _ = trained(jit, optimiser, True, np.float32, callback=lambda e, c, k=kept: lower(e, c, k))
        found.append((curves["loss"], state))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-5)
    assert all(x.dtype == np.float32 for x in found[1][1].values())


def test_what_no_program_can_be_made_of_is_refused():
    x, y = np.ones((4, 2)), np.array([0, 1, 0, 1])
    for layer in (nn.BatchNorm(2), nn.Dropout(0.5)):
        net = nn.Sequential(layer, nn.Linear(2, 2, rng=0))
        with pytest.raises(ValueError, match="leave jit=True out"):
            nn.fit(net, nn.cross_entropy, nn.SGD(net.parameters()), x, y, 1, jit=True)
    net = nn.Linear(2, 2, rng=0)
    fit = lambda loss, x, y, parameters=None: nn.fit(
        net, loss, nn.SGD(parameters or net.parameters()), x, y, 1, jit=True
    )
    with pytest.raises(ValueError, match="the data are floats"):
        fit(nn.cross_entropy, x.astype(int), y)
    with pytest.raises(ValueError, match="the targets are floats"):
        fit(lambda z, t: np.sum(z[np.arange(4), t]), x, y)
    with pytest.raises(ValueError, match="numbered from 0 to 1"):
        fit(nn.cross_entropy, x, y + 1)
    with pytest.raises(ValueError, match="of the network alone"):
        fit(nn.mse, x, x, [*net.parameters(), Variable(1.0)])
    with pytest.raises(RuntimeError, match="did different things"):
        fit(lambda z, t: np.mean((z - t + RNG.normal()) ** 2), x, x)


def test_a_network_in_use_is_trained_by_programs():
    net = nn.Sequential(nn.Dropout(0.5).eval(), nn.Linear(2, 1, rng=0))
    curves = nn.fit(net, nn.mse, nn.Adam(net.parameters(), lr=0.1), X[:, :2], X[:, 2:], 20, jit=True)
    assert curves["loss"][-1] < curves["loss"][0]


@pytest.mark.parametrize("dtype", ["i1", "i2", ">i2", "i8"])
@pytest.mark.parametrize("label", [-1, -100])
def test_a_negative_class_of_few_bits_is_none_of_many(dtype, label):
    """Without its sign −1 of eight bits is 255, of sixteen 65535."""
    logits = np.zeros((2, 70_000 if "2" in dtype else 300))
    with pytest.raises(ValueError, match="numbered from 0"):
        nn.cross_entropy(logits, np.array([3, label], dtype))
    assert nn.cross_entropy(logits, np.array([3, 127], dtype)) == pytest.approx(np.log(logits.shape[1]))
