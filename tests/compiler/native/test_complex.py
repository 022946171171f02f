"""Complex numbers in machine code: values and derivatives, and what is infinite or NaN, as NumPy has them."""

import itertools

import numpy as np
import pytest

from autodiff import grad, jit, value_and_grad

RNG = np.random.default_rng(15)
Z, W = (RNG.normal(size=21) + 1j * RNG.normal(size=21) for _ in range(2))
X = RNG.normal(size=21)


def written(z):
    z = z * 1.0
    z[2:5] = z[10:13] * 1j
    z[::4] += 2.0
    return z


def written_by_parts(z):
    z = z * 1.0
    z.real = z.imag * 2.0
    z.imag[3:] = 3.0
    return z, z.real, z.imag


def mandelbrot(c):
    z = c * 0.0
    for _ in range(20):
        z = z * z * 0.5 + c * 0.3
    return np.sum(np.abs(z) ** 2)


FUNCTIONS = {
    "product": (lambda z, w: z * w + 1j, (Z, W)),
    "quotient": (lambda z, w: (z * z - 1) / (2 + w), (Z, W)),
    "reciprocal": (lambda z: 1 / z, (Z,)),
    "powers": (lambda z: z**2 + z**3, (Z,)),
    "exponential": (lambda z: np.exp(2j * z), (Z,)),
    "modulus": (lambda z: np.abs(z), (Z,)),
    "parts": (lambda z: z.real * np.conj(z) + z.imag, (Z,)),
    "sums": (lambda z: (np.sum(z), np.mean(z), np.cumsum(z)), (Z,)),
    "rows": (lambda z: np.sum(z.reshape(3, 7), axis=0) * np.diff(z)[:7], (Z,)),
    "views": (lambda z: z.reshape(3, 7).T[::-1] * 2j, (Z,)),
    "writes": (written, (Z,)),
    "writes to parts": (written_by_parts, (Z,)),
    "itself": (lambda z: (z * 2.0, z.real, z.imag, np.conj(z)), (Z,)),
    "joined": (lambda z, x: np.concatenate([z[3:], x]) + np.roll(np.concatenate([x, z[3:]]), 2), (Z, X)),
    "chosen": (lambda z: z[[1, 2, 1]] * np.where(z[:3].real > 0, z[:3], -1j), (Z,)),
    "numbers": (lambda z, a, b: z * a - b, (Z, 0.5 - 2j, np.complex128(1 + 1j))),
    "real numbers": (lambda x, w: x * w / (1 + x), (X, W)),
    "truth values": (lambda z, w: np.where(z == w, 0, z), (Z, np.where(X > 0, Z, W))),
    "gradient": (value_and_grad(lambda z: np.sum(np.abs(z * z + 1) ** 2)), (Z,)),
    "of real arguments": (value_and_grad(lambda x: np.sum(np.real(np.exp(1j * x) / (1 + 1j * x)))), (X,)),
    "in a loop": (grad(mandelbrot), (Z,)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_derivatives(name):
    f, arguments = FUNCTIONS[name]
    compiled = jit(f)
    for _ in range(2):
        found, expected = compiled(*arguments), f(*arguments)
        pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
        for one, other in pairs:
            assert type(one) is type(other)
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, 1e-13, 1e-13 * np.max(np.abs(other)))
            assert not any(np.may_share_memory(one, x) for x in arguments)
    assert type(compiled.__call__).__name__ == "builtin_function_or_method"  # NumPy has no part in it


PARTS = (0.0, -0.0, 1.0, -2.5, 1e-320, 709.5, np.inf, -np.inf, np.nan)
SPECIAL = np.array([complex(*pair) for pair in itertools.product(PARTS, PARTS)])


@pytest.mark.parametrize("f", [lambda z, w: z * w, lambda z, w: z / w, lambda z, w: np.exp(z) + 0 * w.real,
                               lambda z, w: np.abs(z + w), lambda z, w: np.square(z), lambda z, w: 1 / w,
                               lambda z, w: z == w, lambda z, w: np.isnan(z) | np.isfinite(w)])  # fmt: skip
def test_what_is_infinite_or_nan(f):
    z, w = (x.ravel() for x in np.broadcast_arrays(SPECIAL[:, None], SPECIAL))
    with np.errstate(all="ignore"):
        found, expected = jit(f)(z.copy(), w.copy()), f(z, w)
    for part in (np.real, np.imag):
        one, other = part(found).astype(float), part(expected).astype(float)
        np.testing.assert_array_equal(np.isnan(one), np.isnan(other))
        np.testing.assert_allclose(one, other, 1e-14, 1e-300)


def test_numbers_are_arguments():
    f = lambda z, a, b: np.sum(z * a - b)
    compiled = jit(f)
    for a, b in ((0.5 - 2j, np.complex128(1j)), (3j, np.complex128(2.0))):
        np.testing.assert_allclose(compiled(Z, a, b), f(Z, a, b), 1e-13)
    assert type(compiled.__call__).__name__ == "builtin_function_or_method"


def test_derivatives_by_a_number_of_pythons():
    f = value_and_grad(lambda a: np.abs(a * Z[0]) ** 2 + a.real * a.imag + np.sum(np.abs(Z * a)))
    compiled = jit(f)
    for a in (0.5 - 2j, 3j, 1e100 + 0j):
        np.testing.assert_allclose(compiled(a), f(a), 1e-13)
    modulus = jit(lambda a: abs(a))
    assert modulus(3 + 4j) == 5.0
    with pytest.raises(OverflowError):
        modulus(1.5e308 + 1.5e308j)


def test_what_has_no_form_is_called_between():
    compiled = jit(lambda z: np.fft.fft(z * 2j) * z)
    np.testing.assert_allclose(compiled(Z), np.fft.fft(Z * 2j) * Z, 1e-13, 1e-13)
    (path,) = compiled.stats()[0]["paths"]
    assert path["native"] == path["lines"] - 1


@pytest.mark.parametrize("z", [Z[::-1], Z.reshape(3, 7).T, np.asfortranarray(Z.reshape(3, 7)), Z[4], complex(Z[4])])
def test_arguments_of_every_layout(z):
    f = lambda z: z * z + 2j
    compiled = jit(f)
    for _ in range(2):
        assert type(compiled(z)) is type(f(z))
        np.testing.assert_allclose(compiled(z), f(z), 1e-14)


def test_large_arrays_are_shared_among_threads():
    z = np.resize(Z, 200_000)
    f = lambda z: np.sum(np.exp(z * 0.1) / (2.0 + z))
    assert jit(f, threads=2)(z) == jit(f)(z)
    np.testing.assert_allclose(jit(f)(z), f(z), 1e-12)


def test_arrays_for_results():
    compiled, place = jit(lambda z: z * z), np.empty_like(Z)
    assert compiled(Z, out=place) is place
    np.testing.assert_allclose(place, Z * Z, 1e-14)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("index", [slice(1, 3), 1, [0, 4], slice(None)], ids=str)
def test_a_real_array_takes_the_real_part(index):
    """NumPy drops the other one, with a warning; the array stays one of floats, and of its size."""

    def f(x):
        z, r = x * (1.0 + 0.5j), x * 2.0
        r[index] = z[index] * 0.5
        return r * 3.0, z

    compiled, x = jit(f), np.arange(1.0, 7.0)
    for _ in range(3):
        for found, expected in zip(compiled(x), f(x), strict=True):
            assert found.dtype == expected.dtype
            assert np.array_equal(found, expected)
