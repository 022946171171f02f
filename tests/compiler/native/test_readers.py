"""Arrays that are filled in loops: a step writes over the array before it, where nothing needs that any more."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import autodiff.numpy as anp
from autodiff import jit, value_and_grad

pytest.importorskip("llvmlite")


def forwards(x, a):
    y = anp.zeros(len(x))
    y[0], y[1] = x[0], a
    for i in range(2, len(x)):
        y[i] = a * y[i - 1] - 0.5 * y[i - 2] + np.sin(x[i])
    return np.sum(y * y)


def backwards(x, a):
    y = x * a
    for i in range(len(x) - 2, -1, -1):
        y[i] -= a * y[i + 1] ** 2
    return np.sum(np.tanh(y))


def tridiagonal(x, a):
    """The algorithm of Thomas, for a system whose diagonal moves."""
    n = len(x)
    c, d, y = anp.zeros(n), anp.zeros(n), anp.zeros(n)
    c[0], d[0] = a / 3.0, x[0] / 3.0
    for i in range(1, n):
        pivot = 3.0 + x[i] ** 2 - a * c[i - 1]
        c[i], d[i] = a / pivot, (x[i] - a * d[i - 1]) / pivot
    y[n - 1] = d[n - 1]
    for i in range(n - 2, -1, -1):
        y[i] = d[i] - c[i] * y[i + 1]
    return np.sum(y * x)


def windows(x, a):
    y = x * 1.0
    for i in range(3, len(x)):
        y[i] += a * np.sum(y[i - 3 : i])
    return np.sum(y * y)


def kept_view(x, a):
    """A view shows what is written later."""
    y = x * 1.0
    seen = y[2:5]
    for i in range(1, len(x)):
        y[i] = y[i] * a + seen[1] * y[i - 1]
    return np.sum(seen) + y[-1]


def kept_copy(x, a):
    """A copy, and elements that were read, do not."""
    y = x * 1.0
    copy, element = y.copy(), y[3]
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] + element * copy[i]
    return np.sum(y * copy)


def swapped(x, a):
    y = x * a
    for i in range(len(x) - 1):
        y[i], y[i + 1] = y[i + 1] * a, y[i]
    return np.sum(y * x)


def moved_along(x, a):
    """Parts of an array are written to its other parts."""
    y = x * a
    for i in range(4, len(x) - 2):
        y[i : i + 2] = y[i - 2 : i]
        y[i - 3 : i - 1] = np.tanh(y[i - 4 : i - 2])
    return np.sum(y * x)


def of_rows(x, a):
    m = anp.zeros((3, len(x)))
    for i in range(1, len(x)):
        m[0, i] = x[i] + a * m[0, i - 1]
        m[1, i] = m[0, i] * m[2, i - 1]
        m[2, i] = np.cos(m[1, i]) - m[0, i - 1]
    return np.sum(m * m)


def of_complex_numbers(x, a):
    y = anp.zeros(len(x), complex)
    y[0] = x[0] + 1j * a
    for i in range(1, len(x)):
        y[i] = (0.5 + 0.3j) * y[i - 1] * a + 1j * x[i] * y[0]
    return np.sum(np.real(y * np.conj(y)))


def last_of_sines(x, a):
    y = np.sin(x)
    for i in range(len(x)):
        e = y[i]
    y += x
    return e * a + np.sum(y)


def all_of_sines(x, a):
    y, total = np.sin(x), 0.0
    for i in range(len(x)):
        e = y[i]
        total = total + e
    y[:] = 0.5 * x
    return e * np.sum(y) + total * a


def last_but_one(x, a):
    y = np.sin(x)
    es = [y[i] for i in range(len(x))]
    y[:] = 0.5 * x
    return es[-2] * a + y[3]


def from_behind(x, a):
    y = np.sin(x)
    for i in range(1, len(x) - 1):
        y[-i] = np.sin(a - y[2])
    for i in range(1, len(x) - 1):
        e = y[-1 - i]
    y[1] = 3.0
    return e + np.sum(y)


def powers(x, a):
    y = np.sin(x)
    for i in range(1, len(x)):
        y[i] = y[i - 1] * a
    for i in range(len(x)):
        e = y[i]
    y[:] = 0.5 * x + y
    return e + np.sum(y)


PROGRAMS = [forwards, backwards, tridiagonal, windows, kept_view, kept_copy, swapped, moved_along, of_rows,
            of_complex_numbers, last_of_sines, all_of_sines, last_but_one, from_behind, powers]  # fmt: skip


def check(f, xs):
    both, expected = jit(value_and_grad(f, (0, 1))), value_and_grad(f, (0, 1))
    for x, a in xs:
        value, slopes = expected(x, a)
        found, partials = both(x, a)
        assert_allclose(found, value, rtol=1e-11)
        for p, q in zip(partials, slopes, strict=True):
            assert_allclose(p, q, rtol=1e-10, atol=1e-11 * np.max(np.abs(slopes[0])))
    return both


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("n", [8, 20, 90])
def test_values_and_gradients(f, n):
    rng = np.random.default_rng(n)
    check(f, [(rng.normal(size=n) * 0.4, 0.3), (rng.normal(size=n) * 0.4, -0.6)])


@pytest.mark.parametrize("f", [forwards, backwards, tridiagonal, of_rows])
def test_a_loop_that_fills_an_array_takes_memory_for_it_once(f):
    """In place of once a round: at 400 rounds that were 1.3 MB."""
    both = check(f, [(np.random.default_rng(0).normal(size=400) * 0.4, 0.3)])
    (path,) = both.stats()[0]["paths"]
    assert path["bytes"] < 30 * 400 * 8


# ---------------------------------------------------------------------------------------------------------------- drawn


class Writer:
    """A random program that writes to elements and parts of arrays, in loops and beside them."""

    def __init__(self, seed):
        self.rng = np.random.default_rng([seed, 77])
        self.n = int(self.pick(self.rng.integers(18, 40), self.rng.integers(66, 100)))  # the long ones are shortened

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def number(self, index):
        """An operand: a number, an element, or a sum of a part."""
        start = self.rng.integers(0, 3)
        return self.pick("s", "a", f"x[{index()}]", f"y[{index()}]", f"y[{index()}]", f"z[{index()}]",
                         f"m[{self.rng.integers(3)}, {index()}]", f"np.sum(y[{start}:{start + 3}])",
                         "np.sum(w)")  # fmt: skip

    def expression(self, index):
        terms = [self.number(index) for _ in range(self.rng.integers(1, 4))]
        text = terms[0]
        for term in terms[1:]:
            text = f"({text} {self.pick('+', '-', '*')} {term})"
        return self.pick("np.sin({})", "np.tanh({})", "0.5 * {}").format(text)

    def statement(self, index):
        to, source = self.rng.integers(0, self.n - 4, 2)
        count, value = self.rng.integers(1, 4), self.expression(index)
        return self.pick(
            *[f"y[{index()}] = {value}"] * 3, f"y[{index()}] += {value}", f"z[{index()}] = {value}",
            f"m[{self.rng.integers(3)}, {index()}] = {value}", f"w[{self.rng.integers(2)}] = {value}",
            f"y[{to}:{to + count}] = {self.pick('x', 'y', 'z')}[{source}:{source + count}]{self.pick('', ' * s')}",
            f"s = {value}", f"s = s + {value}", f"m[{self.rng.integers(3)}] = y * {value}",
            f"w = y[{self.rng.integers(2)}:{self.rng.integers(3, 6)}]", "w = y.copy()", "y = np.tanh(y + z * 0.1)",
            "z = y * 0.9 + x * 0.1", "y[::3] *= np.cos(s)", "y[1:] = np.tanh(y[:-1] + 0.3 * x[1:])",
            "y[:-1] += 0.2 * y[1:]",
        )  # fmt: skip

    def write(self):
        at = lambda: str(self.rng.integers(self.n))
        lines = [self.pick(f"y = anp.zeros({self.n})", "y = x * 1.0"), "z, s, w = np.sin(x), a * 1.0, y[1:4]",
                 f"m = anp.zeros((3, {self.n}))"]  # fmt: skip
        for _ in range(self.rng.integers(1, 3)):
            lines += [self.statement(at) for _ in range(self.rng.integers(3))]
            lines.append(self.pick(f"for i in range(1, {self.n - 1}):", f"for i in range({self.n - 2}, 0, -1):"))
            around = lambda: self.pick("i", "i - 1", "i + 1", f"{self.n - 1} - i", at())
            lines += ["    " + self.statement(around) for _ in range(self.rng.integers(1, 4))]
        lines.append(self.pick("return np.sum(y * y) + s", "return np.sum(y * z) + np.sum(m * m)",
                               "return np.sum(m * y) + np.sum(w)",
                               "return np.sum(y[::-1] * x) + s * y[2]"))  # fmt: skip
        return "def f(x, a):\n    " + "\n    ".join(lines)


def is_well_conditioned(f, x, a):
    """Return whether derivatives are of moderate size, and stay where they are if an argument moves by rounding."""
    (one, (p, q)), (_, (r, s)) = (value_and_grad(f, (0, 1))(x * by, a * by) for by in (1.0, 1.0 + 2.0**-50))
    size = max(abs(one), *np.abs(p), abs(q))
    return size < 1e6 and np.allclose([*p, q], [*r, s], rtol=1e-11, atol=1e-11 * size)


@pytest.mark.parametrize("seeds", [range(k, k + 6) for k in range(0, 48, 6)], ids=lambda seeds: str(seeds.start))
def test_drawn_programs(seeds):
    for seed in seeds:
        writer = Writer(seed)
        names = {"np": np, "anp": anp}
        text = writer.write()
        exec(text, names)
        f, x = names["f"], writer.rng.normal(size=(2, writer.n)) * 0.5
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                check(
                    f, [(point, a) for point, a in zip(x, (0.7, -0.4), strict=True) if is_well_conditioned(f, point, a)]
                )
            except AssertionError as error:
                error.add_note(text)
                raise
