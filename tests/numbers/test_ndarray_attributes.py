"""Arrays of numbers beside ``ndarray``: whatever that has works here, or is refused with what to do instead."""

import numpy as np
import pytest

from autodiff import gradcheck, jacfwd, jacrev

X = np.array([[0.4, 1.3, 0.7], [2.1, 0.9, 1.6]])
NAMES = sorted(name for name in dir(np.ndarray) if not name.startswith("_"))

CALLS = {
    "T": lambda x: x.T,
    "all": lambda x: x * x.all(),
    "any": lambda x: x * x.any(axis=0),
    "argmax": lambda x: x[0, x.argmax(axis=1)],
    "argmin": lambda x: x.ravel()[x.argmin()],
    "argpartition": lambda x: np.sort(np.take_along_axis(x, x.argpartition(1), -1)),
    "argsort": lambda x: np.take_along_axis(x, x.argsort(0), 0),
    "astype": lambda x: x.astype(np.longdouble).astype(float),
    "choose": lambda x: np.choose(x > 1, [x, x * x]),
    "clip": lambda x: x.clip(0.5, 1.5),
    "compress": lambda x: x.compress([True, False, True], axis=1),
    "conj": lambda x: x.conj(),
    "conjugate": lambda x: x.conjugate(),
    "copy": lambda x: x.copy() * x,
    "cumprod": lambda x: x.cumprod(1),
    "cumsum": lambda x: x.cumsum(),
    "diagonal": lambda x: x.diagonal(1),
    "dot": lambda x: x.dot(X.T),
    "dtype": lambda x: x.astype(x.dtype),
    "fill": lambda x: (lambda y: (y[0].fill(x[1, 1]), y)[1])(x * 1.0),
    "flat": lambda x: (lambda y: (y.flat.__setitem__(slice(1, 3), x.flat[::-1][:2]), y * len(y.flat))[1])(x.T * 1.0),
    "flatten": lambda x: x.flatten("F"),
    "imag": lambda x: (x * (1 + 2j)).imag,
    "itemsize": lambda x: x * x.itemsize,
    "mT": lambda x: x.mT,
    "max": lambda x: x.max(axis=1),
    "mean": lambda x: x.mean(0, keepdims=True),
    "min": lambda x: x.min(),
    "nbytes": lambda x: x * x.nbytes,
    "ndim": lambda x: x * x.ndim,
    "nonzero": lambda x: x[x.nonzero()],
    "partition": lambda x: (lambda y: (y.partition(1), y[:, 1])[1])(x * 1.0),
    "prod": lambda x: x.prod(axis=0),
    "put": lambda x: (lambda y: (y.put([0, 4], x[0, :2]), y)[1])(x * 1.0),
    "ravel": lambda x: x.ravel("F"),
    "real": lambda x: (x * (1 + 2j)).real,
    "repeat": lambda x: x.repeat(2, axis=1),
    "reshape": lambda x: x.reshape(3, 2),
    "round": lambda x: x.round(1) * x,
    "searchsorted": lambda x: x * np.sort(x[0]).searchsorted(1.0),
    "shape": lambda x: x.reshape(x.shape[::-1]),
    "size": lambda x: x * x.size,
    "sort": lambda x: (lambda y: (y.sort(axis=0), y)[1])(x * 1.0),
    "squeeze": lambda x: x[None].squeeze(0),
    "std": lambda x: x.std(axis=1, ddof=1),
    "strides": lambda x: x * x.strides[0],
    "sum": lambda x: x.sum(axis=(0, 1)),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "take": lambda x: x.take([0, 0, 5]),
    "trace": lambda x: x.trace(),
    "transpose": lambda x: x.transpose(1, 0),
    "var": lambda x: x.var(),
    "flags": lambda x: x * x.flags.c_contiguous,
    "device": lambda x: x * len(x.device),
    "base": lambda x: x if x.base is None else None,
}
REFUSED = ("byteswap", "ctypes", "data", "dump", "dumps", "getfield", "item", "resize", "setfield", "setflags",
           "to_device", "tobytes", "tofile", "tolist", "view", "tostring", "newbyteorder", "itemset")  # fmt: skip


def test_every_name_of_ndarray_is_here():
    assert [name for name in NAMES if name not in CALLS and name not in REFUSED] == []


@pytest.mark.parametrize("name", [name for name in NAMES if name in CALLS])
def test_it_works(name):
    f = CALLS[name]
    found = jacfwd(f)(X)
    assert np.shape(found) == np.shape(f(X * 1.0)) + X.shape
    np.testing.assert_allclose(jacrev(f)(X), found, rtol=1e-14)
    assert gradcheck(lambda x: np.sum(np.real(f(x)) ** 2), [X], order=2, raises=True)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
@pytest.mark.parametrize("name", [name for name in NAMES if name in REFUSED])
def test_it_is_refused_with_what_to_do_instead(name, mode):
    def f(x):
        attribute = getattr(x, name)
        return attribute(1) * x

    with pytest.raises(AttributeError, match=r"value_of|np\.resize|copy what must not change"):
        mode(f)(X)


def test_flat_of_an_array_that_is_not_contiguous_is_written():
    def f(x):
        y = x.T * 1.0
        z = y.T
        z.flat[0] = 5.0
        z.flat = z.flat[::-1] * 2.0
        return y

    assert np.array_equal(jacrev(f)(X), jacfwd(f)(X))
    assert gradcheck(lambda x: np.sum(f(x) ** 2), [X], raises=True)
