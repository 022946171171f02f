"""Layers of networks, written in NumPy's functions. Data lie point by point along the first axis.

``rng`` is a seed or a generator of NumPy's, for weights that can be had again; ``dtype`` the precision of the weights:
of np.float32 and data of that, all of a network is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dualnumbers.foreign import as_like
from dualnumbers.forms import shape
from dualnumbers.rules.elementwise.logistic import logistic
from dualnumbers.rules.linalg.products import affine
from dualnumbers.rules.statistics.logarithmic_sums import softmax

from ..calls.values import value_of
from ..objects.leaf import Leaf
from .module import Module
from .settings import check_inexact, check_not_negative, check_share, check_whole, is_whole

INITIAL = {
    "xavier": lambda rng, size, inputs, outputs: rng.uniform(-1.0, 1.0, size) * np.sqrt(6.0 / (inputs + outputs)),
    "he": lambda rng, size, inputs, outputs: rng.normal(size=size) * np.sqrt(2.0 / inputs),
}
"""How weights begin, by the numbers of a unit's inputs and outputs: Glorot & Bengio 2010, He et al. 2015."""


def _initial(init: str, rng: Any, size: tuple[int, ...], inputs: int, outputs: int, dtype: Any) -> Any:
    if not isinstance(init, str) or init not in INITIAL:
        raise ValueError(f"init is {' or '.join(map(repr, INITIAL))}, not {init!r}")
    check_inexact("the dtype of a layer", dtype)
    return Leaf(INITIAL[init](np.random.default_rng(rng), size, inputs, outputs).astype(dtype))


class Linear(Module):
    """x W + b: of shape (points, inputs) → (points, outputs).

    ``weight`` has the shape (inputs, outputs), the transpose of PyTorch's; ``bias`` (outputs,), or it is None.
    Raises ValueError for a number of either that is none or an unknown ``init``, and called, for an array of another
    shape.

    >>> import numpy as np
    >>> Linear(3, 2, rng=0)(np.ones((5, 3))).shape
    (5, 2)
    """

    shown = ("inputs", "outputs")

    def __init__(
        self, inputs: int, outputs: int, bias: bool = True, init: str = "xavier", rng: Any = None, dtype: Any = float
    ) -> None:
        check_whole("the number of inputs of Linear", inputs)
        check_whole("the number of outputs of Linear", outputs)
        self.inputs, self.outputs = inputs, outputs
        self.weight = _initial(init, rng, (inputs, outputs), inputs, outputs, dtype)
        self.bias = Leaf(np.zeros(outputs, dtype)) if bias else None

    def forward(self, x: Any) -> Any:
        dims = shape(x)
        if not dims or dims[-1] != self.inputs:
            raise ValueError(
                f"Linear({self.inputs}, {self.outputs}) takes arrays of shape (points, {self.inputs}), not {dims}"
            )
        return x @ self.weight if self.bias is None else affine(x, self.weight, self.bias)


class Conv2d(Module):
    """The correlation of images with kernels: of shape (points, channels, height, width) → the same, of new channels.

    ``kernel_size``, ``stride`` and ``padding``, with zeros, are whole numbers or pairs of them. ``weight`` has the
    shape (outputs, inputs, height, width), as PyTorch's; ``bias`` (outputs,), or it is None. Raises
    ValueError for other sizes, or an unknown ``init``, and called, for an array of another shape.

    >>> import numpy as np
    >>> Conv2d(1, 4, 3, rng=0)(np.ones((2, 1, 8, 8))).shape
    (2, 4, 6, 6)
    """

    shown = ("inputs", "outputs", "kernel_size", "stride", "padding")

    def __init__(self, inputs: int, outputs: int, kernel_size: int | tuple[int, int],
                 stride: int | tuple[int, int] = 1, padding: int | tuple[int, int] = 0, bias: bool = True,
                 init: str = "he", rng: Any = None, dtype: Any = float) -> None:  # fmt: skip
        check_whole("the number of inputs of Conv2d", inputs)
        check_whole("the number of outputs of Conv2d", outputs)
        self.inputs, self.outputs = inputs, outputs
        self.kernel_size, self.stride, self.padding = map(_pair, (kernel_size, stride, padding), (1, 1, 0))
        reached, size = int(np.prod(self.kernel_size)), (outputs, inputs, *self.kernel_size)
        self.weight = _initial(init, rng, size, inputs * reached, outputs * reached, dtype)
        self.bias = Leaf(np.zeros(outputs, dtype)) if bias else None

    def forward(self, x: Any) -> Any:
        if len(shape(x)) != 4 or shape(x)[1] != self.inputs:
            raise ValueError(f"Conv2d takes arrays of shape (points, {self.inputs}, height, width), not {shape(x)}")
        if any(self.padding):
            x = np.pad(x, ((0, 0), (0, 0), *((n, n) for n in self.padding)))
        windows = np.lib.stride_tricks.sliding_window_view(x, self.kernel_size, (2, 3))
        windows = windows[:, :, :: self.stride[0], :: self.stride[1]]
        z = np.einsum("nchwij,ocij->nohw", windows, self.weight, optimize=True)
        return z if self.bias is None else z + self.bias[:, None, None]


def _pair(n: Any, least: int) -> tuple[int, int]:
    pair = tuple(n) if isinstance(n, (tuple, list)) else (n, n)
    if len(pair) != 2 or not all(is_whole(k, least) for k in pair):
        raise ValueError(f"Conv2d takes a whole number of at least {least} there, or a pair of them, not {n!r}")
    return pair


class ReLU(Module):
    """max(x, 0).

    >>> import numpy as np
    >>> ReLU()(np.array([-1.0, 2.0]))
    array([0., 2.])
    """

    def forward(self, x: Any) -> Any:
        return np.maximum(x, 0.0)


class Tanh(Module):
    """tanh x.

    >>> import numpy as np
    >>> Tanh()(np.array([0.0]))
    array([0.])
    """

    def forward(self, x: Any) -> Any:
        return np.tanh(x)


class Sigmoid(Module):
    """1 / (1 + exp(−x)).

    >>> import numpy as np
    >>> Sigmoid()(np.array([0.0]))
    array([0.5])
    """

    def forward(self, x: Any) -> Any:
        return logistic(x)


class Softmax(Module):
    """exp xᵢ / Σ exp xₖ along an axis.

    >>> import numpy as np
    >>> Softmax()(np.array([[0.0, 0.0]]))
    array([[0.5, 0.5]])
    """

    shown = ("axis",)

    def __init__(self, axis: int = -1) -> None:
        self.axis = axis

    def forward(self, x: Any) -> Any:
        return softmax(x, self.axis)


class Dropout(Module):
    """In training each element is 0 with the given probability, the others are scaled up to keep the mean.

    Raises ValueError where the probability is not at least 0 and below 1.

    >>> import numpy as np
    >>> layer = Dropout(0.5, rng=0)
    >>> layer.eval()(np.ones(3))
    array([1., 1., 1.])
    """

    shown = ("probability",)

    def __init__(self, probability: float = 0.5, rng: Any = None) -> None:
        check_share("the probability of Dropout", probability)
        self.probability, self.rng = probability, np.random.default_rng(rng)

    def forward(self, x: Any) -> Any:
        if not self.training or not self.probability:
            return x
        kept = self.rng.random(shape(x)) >= self.probability
        return x * as_like(np.divide(kept, 1.0 - self.probability, dtype=np.result_type(value_of(x), 0.0)), x)


class BatchNorm(Module):
    """Every feature, along axis 1, to mean 0 and variance 1 over the batch, then scaled and shifted.

    In use, the running means and variances of training stand for those of the batch (Ioffe & Szegedy 2015).
    Raises ValueError for a wrong setting, such as a negative ``eps``; called, for an array of another number of
    features, and in training for one of no points.

    >>> import numpy as np
    >>> layer = BatchNorm(1)
    >>> print(np.round(layer(np.array([[1.0], [3.0]])).data.ravel(), 4))
    [-1.  1.]
    """

    shown = ("features",)
    buffers = ("running_mean", "running_variance")

    def __init__(self, features: int, momentum: float = 0.1, eps: float = 1e-5, dtype: Any = float) -> None:
        check_whole("the number of features of BatchNorm", features)
        check_not_negative("the momentum of BatchNorm", momentum)
        check_not_negative("eps of BatchNorm", eps)
        check_inexact("the dtype of BatchNorm", dtype)
        self.features, self.momentum, self.eps = features, momentum, eps
        self.scale, self.shift = Leaf(np.ones(features, dtype)), Leaf(np.zeros(features, dtype))
        self.running_mean, self.running_variance = np.zeros(features, dtype), np.ones(features, dtype)

    def forward(self, x: Any) -> Any:
        if len(shape(x)) < 2 or shape(x)[1] != self.features:
            raise ValueError(
                f"BatchNorm({self.features}) takes arrays of shape (points, {self.features}, ...), not {shape(x)}"
            )
        axes = (0, *range(2, len(shape(x))))
        along = (slice(None), *(None,) * (len(shape(x)) - 2))
        if self.training:
            if 0 in shape(x):
                raise ValueError(
                    f"BatchNorm in training takes a mean over the batch: there are no points in {shape(x)}"
                )
            mean, variance = np.mean(x, axis=axes), np.var(x, axis=axes)
            count = np.size(value_of(x)) // self.features
            self._remember(value_of(mean), value_of(variance) * count / max(count - 1, 1))
        else:
            mean, variance = self.running_mean, self.running_variance
        unit = (x - mean[along]) / np.sqrt(variance[along] + self.eps)
        return unit * self.scale[along] + self.shift[along]

    def _remember(self, mean: Any, variance: Any) -> None:
        for name, now in (("running_mean", mean), ("running_variance", variance)):
            before = getattr(self, name)
            setattr(self, name, ((1.0 - self.momentum) * before + self.momentum * now).astype(before.dtype))
