"""Networks whose weights and data are arrays of another library, as those on a GPU are."""

import re

import foreign_array
import numpy as np
import pytest
from foreign_array import Foreign

from autodiff import nn

RNG = np.random.default_rng(0)
X, CLASSES = RNG.normal(size=(12, 3)), np.arange(12) % 2
IMAGES = RNG.normal(size=(6, 1, 5, 5))


@pytest.fixture(autouse=True)
def library(monkeypatch):
    """Plain arrays beside its own are refused, as by CuPy."""
    monkeypatch.setitem(foreign_array.BESIDE, "host", False)


def dense():
    return nn.Sequential(
        nn.Linear(3, 8, rng=0), nn.ReLU(), nn.BatchNorm(8), nn.Dropout(0.2, rng=3), nn.Linear(8, 2, rng=1)
    )


def convolutional():
    return nn.Sequential(nn.Conv2d(1, 2, 2, rng=0), nn.Tanh(), lambda z: z.reshape(len(z), -1), nn.Linear(32, 2, rng=1))


OPTIMISERS = {
    "SGD": lambda ps: nn.SGD(ps, lr=0.05, momentum=0.9),
    "RMSprop": lambda ps: nn.RMSprop(ps, lr=0.01),
    "Adam": lambda ps: nn.Adam(ps, lr=0.05),
}


@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize(("make", "x"), [(dense, X), (convolutional, IMAGES)], ids=["dense", "convolutional"])
def test_training_is_that_of_plain_arrays(make, x, optimiser):
    def trained(made):
        net = make().to(made)
        curves = nn.fit(net, nn.cross_entropy, OPTIMISERS[optimiser](net.parameters()), made(x),
                        made(CLASSES[: len(x)]), epochs=3, batch_size=4, rng=0,
                        metrics={"accuracy": nn.accuracy})  # fmt: skip
        return curves, net.state_dict(), net.eval()(made(x))

    (curves, state, output), (wanted, plain, there) = trained(Foreign), trained(np.array)
    for name in wanted:
        np.testing.assert_allclose(curves[name], wanted[name], 1e-12)
    assert state.keys() == plain.keys()
    for name, value in state.items():
        assert type(value) is Foreign, name
        np.testing.assert_allclose(value.host, plain[name], 1e-10)
    np.testing.assert_allclose(output.data.host, there.data, 1e-10)


def test_a_network_goes_there_and_back():
    net, other = dense().to(Foreign), dense()
    assert all(type(parameter.data) is Foreign for parameter in net.parameters())
    assert type(nn.parameters_of(net)["layers.0.weight"]) is Foreign
    net.load_state_dict(dense().to(Foreign).state_dict())
    assert net.to(lambda x: x.host) is net
    for (name, x), y in zip(net.state_dict().items(), other.state_dict().values(), strict=True):
        np.testing.assert_array_equal(x, y, name)


@pytest.mark.parametrize(
    ("made", "error", "says"),
    [
        (3, TypeError, "as in net.to(cupy.asarray), not 3"),
        (lambda x: x.tolist(), TypeError, "of layers.0.weight was made list, which is no array"),
        (lambda x: x[:1], ValueError, "layers.0.weight has the shape (3, 8); what is made of it, (1, 8)"),
        (lambda x: x if x.ndim == 2 else x[:1], ValueError, "layers.0.bias has the shape (8,)"),
    ],
)
def test_what_makes_no_array_is_refused_and_nothing_has_changed(made, error, says):
    net, other = dense(), dense()
    with pytest.raises(error, match=re.escape(says)):
        net.to(made)
    for x, y in zip(net.state_dict().values(), other.state_dict().values(), strict=True):
        np.testing.assert_array_equal(x, y)
