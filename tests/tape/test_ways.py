"""Programs take the short ways that are there for them; that these agree with the general one is tested elsewhere."""

import numpy as np
import pytest
from scipy import special

from autodiff import Variable, derivative, grad, jacfwd, jvp, nn, value_and_grad
from autodiff.calls import captured
from autodiff.objects import result
from autodiff.scipy import special as special_functions
from autodiff.scipy.special import logsumexp, softmax
from autodiff.tape import accumulation, fast_paths, multiplication, sweep, variable
from dualnumbers import dmath
from dualnumbers.numbers import batch, dual, operators
from dualnumbers.numbers.taylor import propagation
from dualnumbers.rules import indexing, reductions, short_axes
from dualnumbers.rules.arrays import rearranging
from dualnumbers.rules.elementwise import exponential
from dualnumbers.rules.linalg import decompositions, products
from dualnumbers.rules.statistics import logarithmic_sums
from dualnumbers.table import kinds

RNG = np.random.default_rng(0)
LARGE, SMALL, MATRIX = RNG.uniform(1.0, 2.0, 50_000), RNG.uniform(1.0, 2.0, 10), RNG.uniform(1.0, 2.0, (400, 300))
SQUARE, POSITIVE = RNG.uniform(1.0, 2.0, (4, 4)) + 4.0 * np.eye(4), np.eye(200) + 0.1
POINTS, CENTRES = RNG.normal(size=(3000, 1, 2)), RNG.normal(size=(1, 5, 2))
CLASSES = RNG.integers(0, 300, 400)


def loop(x):
    for _ in range(5):
        x = x * x / (x + 1.0) - 0.5 / x + dmath.exp(-x / 2.0) ** 1.5
    return x


def by_numpy(x):
    return np.exp(-x * x / 2.0) * np.sin(3.0 * x) / np.sqrt(1.0 + x**2) + np.float64(2.0) * np.tanh(x)


def layers(x):
    return np.sum(1.0 / x - np.sin(2.0 * x) * SMALL + x**2 / 3.0) + np.mean(np.maximum(np.exp(x) @ MATRIX[:10], 0.0))


def moved(x):
    return sum(np.sum(y * y) for y in (np.roll(x, 1), np.flip(x), np.diff(x), np.gradient(x), np.repeat(x, 2)))


def of_matrices(a):
    values, vectors = np.linalg.eigh(a + a.T)
    others = np.linalg.solve(a, a) + np.linalg.inv(a) + np.linalg.qr(a)[0] + np.linalg.pinv(a) + vectors**2
    return np.sum(others) + np.sum(values) + np.linalg.slogdet(a)[1] + np.linalg.det(a) + np.linalg.svd(a)[1][0]


@pytest.fixture
def calls(monkeypatch):
    """Note what a function returns, from now on: one of a module or class and its name, which returns the list."""

    def noted(owner, name):
        found, function = [], getattr(owner, name)

        def called(*arguments, **keywords):
            found.append(function(*arguments, **keywords))
            return found[-1]

        static = isinstance(vars(owner)[name], staticmethod)
        monkeypatch.setattr(owner, name, staticmethod(called) if static else called)
        return found

    return noted


TAKEN = {
    "the extrema of many": (lambda: grad(lambda x: np.sum(np.max(x, 1)))(MATRIX), sweep, "add_few"),
    "sums across rows": (lambda: grad(lambda x: np.sum((MATRIX + x) ** 2))(MATRIX[0]), accumulation, "_ones"),
    "products that are summed as they are made": (
        lambda: grad(lambda x: np.sum(np.sin(MATRIX) * x))(MATRIX[0]), multiplication, "contracted"),
    "the same of a number": (lambda: grad(lambda x: np.sum(np.sin(MATRIX * x)))(1.5), np, "vdot"),
    "rows by one number each": (
        lambda: grad(lambda x: np.sum(np.sum(x * x, 1) ** 2))(MATRIX[:, :40]), multiplication, "_product_of_rows"),
    "classes by columns": (
        lambda: grad(lambda x: np.sum(softmax(x, 1)))(MATRIX[:, :2].copy()), logarithmic_sums, "by_columns"),
    "the normal density": (lambda: grad(lambda x: np.sum(special.erf(x)))(LARGE), exponential, "_of_blocks"),
    "gradients that are looked through together": (
        lambda: grad(lambda *xs: sum(np.sum(x * x) for x in xs), (0, 1))(SMALL, SMALL[:4].copy()), np, "frombuffer"),
    "the factor of Cholesky": (
        lambda: grad(lambda a: np.sum(np.linalg.cholesky(a)))(POSITIVE), decompositions, "_fill_by_halves"),
}  # fmt: skip

NOT_TAKEN = {
    "numbers have a sweep of their own": (lambda: grad(loop)(1.5), sweep, "_sweep"),
    "operators of numbers append to the tape": (lambda: grad(loop)(1.5), fast_paths, "record_line"),
    "operators and functions of arrays do": (lambda: grad(layers)(SMALL), fast_paths, "record_line"),
    "arrays and plain ones are joined at once": (
        lambda: grad(lambda x: np.sum(np.concatenate([SMALL, x]) ** 2))(SMALL), fast_paths, "record_line"),
    "most rows are pulled back at once": (lambda: grad(layers)(SMALL), sweep, "_pull"),
    "an element, too": (lambda: grad(lambda x: x[0] * x[1])(SMALL), sweep, "_pull"),
    "dual numbers have the algebra": (lambda: derivative(loop, 0, [1.5]), dual, "by_table"),
    "so have nested ones": (lambda: derivative(loop, (0, 0), [1.5]), dual, "by_table"),
    "and their functions": (lambda: derivative(loop, (0, 0), [1.5]), kinds.Elementwise, "push"),
    "and power series": (lambda: derivative(loop, (0, 0, 0), [1.5]), propagation, "Operation"),
    "of NumPy's numbers": (lambda: derivative(by_numpy, (0, 0, 0), [1.5]), propagation, "Operation"),
    "or of two variables": (
        lambda: derivative(lambda x: np.hypot(x, loop(x)) ** x, (0, 0, 0), [1.5]), propagation, "Operation"),
    "dual arrays have": (
        lambda: jvp(lambda x: (x * x - x / 2.0) / (x + SMALL), [SMALL], [SMALL]), operators, "as_operand"),
    "of all directions at once": (
        lambda: jacfwd(lambda a: np.cumsum(np.linalg.solve(a, a @ a), 0))(SQUARE), batch, "over_members"),
    "no pull-back that is known is derived": (lambda: grad(of_matrices)(SQUARE), kinds, "_transpose"),
    "what is moved is moved back": (lambda: grad(moved)(SMALL), rearranging, "spread"),
    "an element adds to an array that is there": (
        lambda: grad(lambda x: x[0] * x[1] + np.sum(x[2:4]))(SMALL), indexing, "scatter"),
    "a product is divided by each factor": (lambda: grad(np.prod)(SMALL), reductions, "product_of_others"),
    "a value comes with its pull-back": (
        lambda: grad(lambda x: np.sum(logsumexp(x, 1)) + nn.cross_entropy(x, CLASSES))(MATRIX), kinds.Smooth, "pull"),
    "a sum of finite terms has no errors": (lambda: logarithmic_sums.log_sum_exp(SMALL, 0, False), np, "errstate"),
    "and is recorded at once": (lambda: grad(logsumexp)(SMALL), special_functions, "_of_finite"),
    "a small argument is copied": (lambda: grad(lambda x: np.sum(x * x))(np.ones(1 << 17)), captured, "checksum"),
    "several are compared at once": (
        lambda: grad(lambda *xs: sum(np.sum(x * x) for x in xs), (0, 1))(SMALL, SMALL[:4].copy()), captured, "_differ"),
    "and compared as words": (lambda: grad(lambda x: np.sum(x * x))(np.ones(1 << 17)), captured, "_differ"),
}  # fmt: skip


@pytest.mark.parametrize(("program", "owner", "name"), TAKEN.values(), ids=TAKEN)
def test_a_short_way_is_taken(program, owner, name, calls):
    found = calls(owner, name)
    program()
    assert found


@pytest.mark.parametrize(("program", "owner", "name"), NOT_TAKEN.values(), ids=NOT_TAKEN)
def test_a_long_way_is_not_taken(program, owner, name, calls):
    found = calls(owner, name)
    program()
    assert not found


def test_a_larger_argument_is_summed_at_both_ends(calls):
    sums = calls(captured, "checksum")
    grad(lambda x: np.sum(x * x))(np.ones((1 << 17) + 1))
    assert len(sums) == 2
    assert sums[0] == sums[1]


def test_a_captured_array_is_copied_once_for_all_gradients(calls):
    copies, slope = calls(captured, "_copied"), grad(lambda x: np.sum(MATRIX @ x))
    for _ in range(3):
        slope(np.ones(300))
    assert len(copies) == 3
    assert copies[0] is copies[1] is copies[2]


DATA = RNG.normal(size=(4001, 100))


def test_a_large_captured_matrix_is_multiplied_as_it_is_compared(calls):
    kept, compared = calls(captured.Captured, "keep_by_rows"), calls(captured.Copy, "holds")
    data, slope = DATA.copy(), value_and_grad(lambda w: np.sum(np.tanh(data @ w)))
    for _ in range(3):
        slope(np.ones(100))
    assert [x is None for x in kept] == [True, False, False]
    assert not compared


def test_arithmetic_along_short_axes_repeats_rows_and_sums_by_columns(calls):
    repeats, shorts = calls(short_axes, "_repeats"), calls(short_axes, "is_short")
    grad(lambda c: np.sum(np.min(np.sum((POINTS - c) ** 2, 2), 1)))(CENTRES)
    assert any(repeats)
    assert any(shorts)


def test_numbers_made_by_hand_append_to_their_tape(calls):
    y = Variable(1.5) * 2.0
    common = calls(result, "common")
    loop(y).backward()
    assert not common


class NumPy:
    """NumPy as a module sees it, with another ``multiply``."""

    def __init__(self, multiply):
        self.multiply = multiply

    def __getattr__(self, name):
        return getattr(np, name)


def test_a_large_adjoint_is_multiplied_in_place(monkeypatch):
    places = []

    def noted(*arguments, **keywords):
        places.append("out" in keywords)
        return np.multiply(*arguments, **keywords)

    monkeypatch.setattr(multiplication, "np", NumPy(noted))
    grad(lambda x: np.sum(np.sin(np.sin(x))))(LARGE)
    assert places == [True, True]


def test_a_product_is_added_to_a_large_adjoint_block_by_block(monkeypatch):
    blocks = []

    def noted(x, y, out=None):
        blocks.append(None if out is None else len(out))
        return np.multiply(x, y, out=out)

    monkeypatch.setattr(multiplication, "np", NumPy(noted))
    grad(lambda x: np.sum(x * MATRIX[:1] + np.exp(x)))(np.ones((1000, 300)))
    assert sum(blocks) == 1000
    assert len(blocks) > 4


def test_blas_multiplies_the_adjoint_of_a_sum(calls):
    vectors = calls(products, "written_out")
    grad(lambda x: np.sum(MATRIX @ x) + np.sum(x @ MATRIX.T))(SMALL[:1].repeat(300))
    assert [x.strides for x in vectors] == [(8,), (8,)]


def smoothed(x):
    u = x * 1.0
    for _ in range(3):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def test_an_array_is_copied_once_in_place_of_its_large_views(calls):
    views = calls(variable, "detached")
    grad(smoothed)(LARGE)
    assert not views
