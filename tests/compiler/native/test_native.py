"""Compiled functions at the boundary to Python: what they take, give and raise, and whose memory it is."""

import copy
import gc
import pickle
import subprocess
import sys
import threading
import tracemalloc
import warnings
import weakref

import numpy as np
import pytest
from array_programs import Choosing, Drawn
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("llvmlite")

from autodiff import grad, jit, value_and_grad
from autodiff.calls.structures import flatten
from autodiff.compiler.native.machine import engine
from dualnumbers import dmath
from dualnumbers.levels import is_number

X = np.array([0.25, -0.5, 0.75])
ARRAYS = (np.ndarray, np.generic)
LONG = np.linspace(-1.0, 1.2, 200)


def paths(compiled):
    """The paths of a compiled function."""
    return [path for form in compiled._programs.forms.values() for path in form.paths]


def is_whole(compiled):
    """Whether all its programs are single functions of machine code."""
    found = paths(compiled)
    return bool(found) and all(path.source.native and path.source.native.whole for path in found)


def outcome(f, xs):
    """What a call gives, as a list of leaves, or the type of its error."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return flatten(f(*xs))[0]
        except Exception as error:
            return type(error)


def assert_same(found, expected, near=1e-13):
    """They are of the same types, shapes and dtypes, and the same to rounding."""
    if isinstance(expected, type) or isinstance(found, type):
        assert found is expected
        return
    assert len(found) == len(expected)
    for x, y in zip(found, expected, strict=True):
        assert type(x) is type(y) or (np.ndim(x) == 0 and isinstance(x, ARRAYS) and isinstance(y, ARRAYS))
        if isinstance(y, (str, type(None))):
            assert x == y
            continue
        assert np.shape(x) == np.shape(y)
        assert np.result_type(x) == np.result_type(y)
        size = np.max(np.abs(y), initial=1.0, where=np.isfinite(y)) if np.result_type(y).kind in "fc" else 0.0
        assert_allclose(x, y, rtol=near, atol=near * size)


# ------------------------------------------------------------------------------------------------------ random programs


def gradient(f):
    """The gradient of a weighted sum of what a function returns."""

    def total(*xs):
        parts = [x for x in f(*xs) if is_number(type(x)) and x.dtype.kind == "f"]
        return sum(np.sum(np.cos(1.0 + np.arange(np.size(x))).reshape(np.shape(x)) * x) for x in parts) + np.sum(xs[0])

    return lambda *xs: grad(total, tuple(range(len(xs))))(*xs)


@pytest.mark.parametrize("drawn_by", [Drawn, Choosing])
@pytest.mark.parametrize("seeds", [range(k, k + 8) for k in range(500, 532, 8)], ids=lambda seeds: str(seeds.start))
def test_random_functions_of_arrays(seeds, drawn_by):
    """And their gradients: beside their arguments, and far from them, there and back."""
    native = 0
    for seed in seeds:
        drawn = drawn_by(seed)
        near = 2e-4 if any(np.result_type(x) == np.float32 for x in drawn.values()) else 1e-9
        for f in (drawn, gradient(drawn)):
            compiled = jit(f)
            for step in (0.0, 0.3, -0.7, 0.0):
                xs, same = ([np.asarray(x + x.dtype.type(step)) for x in drawn.arguments] for _ in range(2))
                assert_same(outcome(compiled, xs), outcome(f, same), near)
                for x, y in zip(xs, same, strict=True):
                    assert_array_equal(x, y)
            native += is_whole(compiled)
    assert native


# ------------------------------------------------------------------------------------------------------------ arguments


class Subclass(np.ndarray):
    """An array of a class of one's own."""


def misaligned(x):
    buffer = np.zeros(x.nbytes + 1, np.uint8)
    found = buffer[1:].view(x.dtype).reshape(x.shape)
    found[...] = x
    assert not found.flags.aligned
    return found


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def strided(x):
    found = np.zeros(tuple(2 * n for n in x.shape), x.dtype)[tuple(slice(None, None, 2) for _ in x.shape)]
    found[...] = x
    return found


LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": strided,
    "reversed": lambda x: np.ascontiguousarray(x[::-1])[::-1],
    "misaligned": misaligned,
    "swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "read-only": read_only,
    "subclass": lambda x: x.view(Subclass),
    "single": lambda x: x.astype(np.float32),
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
    "a number": lambda x: float(x.flat[0]),
    "np.float64": lambda x: x.flat[0],
    "np.float32": lambda x: np.float32(x.flat[0]),
    "0-d": lambda x: np.array(x.flat[0]),
    "an int": lambda x: 3,
    "a bool": lambda x: True,
    "empty": lambda x: x[:0],
    "complex": lambda x: x + 0.5j,
    "half": lambda x: x.astype(np.float16),
    "integers": lambda x: (4 * x).astype(int),
    "longdouble": lambda x: x.astype(np.longdouble),
}


@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4), (1, 4), (4, 1)], ids=str)
def test_arguments_of_every_layout(shape):
    """One function, called with one after the other, and then once more with other numbers."""
    rng = np.random.default_rng(0)
    f = lambda x: (x * 2.0 + 0.5, np.sum(x * x), np.max(x) if np.size(x) else 0.0, 1.0 - x)
    compiled = jit(f)
    for _ in range(2):
        x = rng.uniform(-1, 1, shape)
        for name, layout in LAYOUTS.items():
            for each in (x, x + 1.0):
                given = layout(each)
                near = 2e-6 if name == "single" else 2e-2 if name == "half" else 1e-12
                assert_same(outcome(compiled, [given]), outcome(f, [given]), near)


@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed", "misaligned", "read-only", "transposed"])
def test_arrays_out_of_order_are_put_in_order(layout):
    """And the program is run, not the function."""
    calls = []

    def f(x):
        calls.append(x)
        return np.sin(x) * 2.0

    compiled = jit(f)
    for k in range(4):
        x = LAYOUTS[layout](np.random.default_rng(k).normal(size=(4, 6)))
        assert_allclose(compiled(x), np.sin(x) * 2.0, rtol=1e-15)
    assert len(calls) == 1
    assert is_whole(compiled)


def test_the_same_memory_twice():
    f = lambda x, y: (x * y[::-1], x - y)
    compiled, x = jit(f), LONG.copy()
    for pair in ((x, x), (x[:100], x[50:150]), (x, LONG.copy()), (x[::-1], x)):
        assert_same(outcome(compiled, pair), outcome(f, pair))
    assert_array_equal(x, LONG)


def test_what_is_called_with_other_arguments():
    compiled = jit(lambda x, y=2.0: x * y)
    assert compiled(3.0, 4.0) == 12.0
    assert compiled(3.0) == 6.0
    assert compiled(3.0, y=5.0) == 15.0
    assert compiled(y=5.0, x=2.0) == 10.0
    assert compiled(3, 4.0) == 12.0
    assert type(compiled(3, 4)) is int
    assert_array_equal(compiled(X, 2.0), X * 2.0)
    assert_array_equal(compiled(X, X), X * X)
    assert_array_equal(compiled(X[:2], X[:2]), X[:2] ** 2)
    for wrong in ((), (1.0, 2.0, 3.0)):
        with pytest.raises(TypeError, match="argument"):
            compiled(*wrong)
    with pytest.raises(TypeError, match="argument"):
        compiled(1.0, z=1.0)
    with pytest.raises(TypeError):
        compiled({}, 1.0)
    assert compiled(3.0, 4.0) == 12.0


def test_a_structure_of_one_array_is_not_the_array():
    """Its program takes one array as well, and another argument."""
    first = jit(lambda x: x[0] * 2.0)
    assert_array_equal(first([X]), X * 2.0)
    assert first(X) == 0.5
    assert_array_equal(first((X,)), X * 2.0)
    of_two = jit(lambda x, y: x[0] + (x[1] if len(y) == 0 else y[0]))
    assert_array_equal(of_two([X, X], ()), X + X)
    assert of_two(X, X) == 0.5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (1,), (3,)], ids=str)
def test_derivatives_by_arguments_of_single_precision_are_of_their_type(shape, dtype):
    f = grad(lambda x, y: np.sum(x) * np.sum(y * y) + 2.0 * np.sum(x * x), (0, 1))
    arguments = np.ones(shape, np.float32), np.arange(2.0, dtype=dtype)
    for compiled in (jit(f), jit(f, exact=True)):
        assert [x.dtype for x in compiled(*arguments)] == [x.dtype for x in f(*arguments)] == [np.float32, dtype]


def test_forms_that_change_at_every_call():
    f = lambda x: np.cos(x) * 2.0 + np.sum(x)
    compiled, rng = jit(f), np.random.default_rng(0)
    for k in range(24):
        x = rng.normal(size=rng.integers(1, 5, k % 3)).astype([float, np.float32][k // 2 % 2])
        assert_same(outcome(compiled, [x]), outcome(f, [x]), 1e-5 if x.dtype == np.float32 else 1e-13)


def test_a_guard_that_flips_at_every_call():
    def f(x):
        y = np.sin(x)
        if y[0] > 0:
            y[0] = -y[0] * 2.0  # what was decided by is written over
        if np.sum(y) > 0:
            return y, np.exp(y)
        return y * 3.0, y

    compiled = jit(f)
    for k in range(24):
        x = X * (-1.0) ** k * (-1.0 if k % 3 else 1.0)
        assert_same(outcome(compiled, [x]), outcome(f, [x]))
    assert len(paths(compiled)) <= 4


def test_guards_in_the_rounds_of_a_loop():
    """Each way through the loop is a program, whose loops are found again."""

    def f(x, a):
        s, t = a, 1.0
        for k in range(12):
            s = s + np.sin(t * x[k])
            if k in (3, 8) and s > x[k]:
                t = 0.5 * t - s
            if np.isnan(t):
                return x[0]
        return s * t

    g, rng = value_and_grad(f, (0, 1)), np.random.default_rng(0)
    compiled, points = jit(g), [(rng.normal(size=12), float(rng.normal())) for _ in range(8)]
    for x, a in [*points, *points[::-1], (points[0][0], np.nan), *points]:
        assert_same(outcome(compiled, (x, a)), outcome(g, (x, a)), 1e-11)
    assert 3 <= len(paths(compiled)) <= 5


# -------------------------------------------------------------------------------------------------------------- results


@pytest.mark.parametrize("f", [
    lambda x: (x * 2.0, x * 2.0), lambda x: (lambda y: (y, y))(np.exp(x)), lambda x: (x, x), lambda x: [x, x + 1.0],
    lambda x: (np.ones(3), x * 2.0, 3, "text", None, 2.5), lambda x: (lambda y: (y, y[1:], y[::-1], y.T))(x * 2.0),
    lambda x: {"a": np.exp(x), "b": {"c": np.sum(x)}}, lambda x: np.sum(x), lambda x: (np.exp(x),),
    lambda x: (+x, np.sin(x[:0])), lambda x: (np.positive(x), np.real(x), x.copy()),
    lambda x: (x > 0.0, np.any(x > 0.0), np.max(x) > 0.5), lambda x: np.broadcast_to(x * 2.0, (2, 3)), lambda x: (),
])  # fmt: skip
def test_results_are_the_callers_own(f):
    compiled, x = jit(f), X.copy()
    expected = flatten(f(X.copy()))[0]
    for _ in range(3):
        found = flatten(compiled(x))[0]
        assert_same(found, expected)
        arrays = [part for part in found if isinstance(part, np.ndarray)]
        for part in arrays:
            assert not np.shares_memory(part, x)
            assert not any(np.shares_memory(part, other) for other in arrays if other is not part)
            part[...] = False
    assert_array_equal(x, X)


def test_writes_to_itself_and_to_parts():
    def reverse(x):
        y = np.sin(x)
        y[::-1] = y
        return y

    def shift(x):
        y = np.sin(x)
        y[1:] = y[:-1]
        y[::2] += 1.0
        z = y[::-1]
        y[3] = 7.0
        return y, z

    for f in (reverse, shift):
        assert_same(outcome(jit(f), [LONG]), outcome(f, [LONG]))


# ----------------------------------------------------------------------------------------------------------- exceptions


@pytest.mark.parametrize(("f", "good", "bad"), [
    (lambda x: 1.0 / x, 2.0, [0.0, -0.0]), (lambda x: dmath.exp(x), 1.0, [1000.0]),
    (lambda x: dmath.log(x), 2.0, [-1.0, 0.0]), (lambda x: x**0.5, 2.0, [-1.0]), (lambda x: x**400, 1.5, [10.0]),
    (lambda x: x**-1, 1.5, [0.0]), (lambda x: x**-2.5, 1.5, [0.0, -1.0]), (lambda x: x**x, 1.5, [300.0, -0.5]),
    (lambda x: dmath.sqrt(x), 2.0, [-1.0]), (lambda x: dmath.acos(x), 0.5, [2.0]),
    (lambda x: dmath.atanh(x), 0.5, [1.0]), (lambda x: dmath.sin(x), 0.5, [np.inf]),
    (lambda x: dmath.cosh(x), 0.5, [1e4]), (lambda x: dmath.log1p(x), 0.5, [-1.0]),
    (lambda x: dmath.tan(x) / (x - 1.0), 0.5, [1.0]), (lambda x: dmath.expm1(x), 0.5, [1e4]),
    (lambda x: 2.0 / (x * 1e-320), 1e300, [0.0]), (lambda x: 2.0 % x, 1.5, [0.0, -0.0]),
    (lambda x: dmath.log2(x) * 0.0, 1.0, [0.0]),
])  # fmt: skip
def test_functions_of_python_numbers_raise(f, good, bad):
    """As they do without a program; and it runs again after that."""
    for g in (f, value_and_grad(f)):
        compiled = jit(g)
        first = compiled(good)
        for x in bad:
            expected = outcome(g, [x])
            assert_same(outcome(compiled, [x]), expected)
            for special in (np.nan, np.inf, -np.inf):
                assert_same(outcome(compiled, [special]), outcome(g, [special]))
            assert compiled(good) == first


def test_arrays_do_not_raise():
    f = lambda x: (1.0 / x, np.log(x), x**0.5, np.exp(1000.0 * x), np.sqrt(x) / np.sum(x))
    compiled = jit(f)
    for x in (X, np.zeros(3), -np.ones(3), np.array([np.inf, -np.inf, np.nan]), np.array([-0.0, 0.0, 5e-324])):
        assert_same(outcome(compiled, [x]), outcome(f, [x]))
    assert is_whole(compiled)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is that of Linux")
def test_no_memory_is_no_crash():
    """In a process of its own, whose memory is limited."""
    script = """
import resource
import numpy as np
from autodiff import jit
x = np.ones(3000)
compiled = jit(lambda x: (x[:, None] + x[None, :], np.sum(x)))
compiled(x)
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (16 << 20), used + (16 << 20)))
try:
    compiled(x)
except MemoryError:
    print("no memory")
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert found.stdout.strip() == "no memory", found.stderr


# --------------------------------------------------------------------------------------------------- memory and threads


def test_nothing_is_kept_of_a_call():
    compiled, x, y = jit(lambda x, y: (x * y, np.sum(x), x[0] > 0 and y)), LONG.copy(), 2.0
    flips = jit(lambda x: np.exp(x) if x[0] > 0 else x * 2.0)
    raises = jit(lambda x: 1.0 / x)
    raises(2.0)

    def call():
        for k in range(200):
            compiled(x, y)
            compiled(x, 2.5)
            flips(x if k % 2 else -x)
            compiled(x, np.float64(2.0))
            with pytest.raises(ZeroDivisionError):
                raises(0.0)

    call()
    gc.collect()
    before = sys.getrefcount(x), sys.getrefcount(y), sys.getrefcount(x.dtype)
    tracemalloc.start()
    try:
        call()
        gc.collect()
        start = tracemalloc.get_traced_memory()[0]
        for _ in range(3):
            call()
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - start < 20_000
    finally:
        tracemalloc.stop()
    after = sys.getrefcount(x), sys.getrefcount(y), sys.getrefcount(x.dtype)
    assert all(abs(a - b) < 50 for a, b in zip(before, after, strict=True))


def test_a_result_holds_only_itself():
    compiled = jit(lambda x: (np.exp(x), np.sum(x)))
    found = compiled(X)
    assert [sys.getrefcount(part) for part in found] == [sys.getrefcount(part) for part in (np.exp(X), np.sum(X))]
    kept = weakref.ref(found[0])
    del found
    assert kept() is None


def test_machine_code_lives_as_long_as_its_function():
    compiled = jit(lambda x: np.exp(x) * 2.0)
    compiled(X)
    function = paths(compiled)[0].source.native.whole.function
    entry = weakref.ref(function.__self__)
    del compiled
    gc.collect()
    assert_allclose(function(X), np.exp(X) * 2.0, rtol=1e-15)
    assert entry() is not None
    gc.disable()
    try:
        del function
        assert entry() is None  # it goes with its last reference, and is in no cycle
    finally:
        gc.enable()


def run_together(count, work):
    """Run something in threads, and raise what one of them raises."""
    errors = []

    def guarded(k):
        try:
            work(k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=[k]) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def in_blocks(x):
    y = np.sin(x) * np.sum(x)
    return np.cumsum(y[::-1]) * 2.0, np.sum(y * y) + y, np.max(y) * x[::-1] if x[0] > 0 else y


def whole(x):
    y = np.sin(x) * x
    return y[::-1] - np.sum(y), np.exp(y) / np.max(y), np.sum(y) if x[1] > 0 else y[0]


@pytest.mark.parametrize("size", [3, 30_000])
@pytest.mark.parametrize("f", [in_blocks, whole])
def test_threads_share_one_function(f, size):
    """Also where what is in between does not fit the stack."""
    compiled, switch = jit(f), sys.getswitchinterval()

    def work(k):
        x = np.linspace(0.1, 1.0, size) * (k + 1) * (-1.0) ** k
        expected = f(x)
        for _ in range(6):
            assert_same(list(compiled(x)), list(expected), 1e-10)

    sys.setswitchinterval(1e-5)
    try:
        run_together(8, work)
    finally:
        sys.setswitchinterval(switch)
    if f is whole:
        for path in paths(compiled):
            assert (path.source.native.whole.function.__self__._memory.size > 0) == (size > 3)


def test_a_function_that_calls_itself_and_others():
    inner = jit(lambda x: np.sum(np.sin(x)))

    @jit
    def power(x, n):
        return x if n == 0 else x * power(x, n - 1)

    assert power(2.0, 4) == 32.0
    assert power(3.0, 4) == 243.0
    outer = jit(lambda x: inner(x) * inner(x * 2.0))
    assert_allclose(outer(X), np.sum(np.sin(X)) * np.sum(np.sin(2 * X)), rtol=1e-14)
    assert_allclose(grad(outer)(X), grad(lambda x: np.sum(np.sin(x)) * np.sum(np.sin(x * 2.0)))(X), rtol=1e-13)


def square(x):
    return x * x + np.sum(x)


def test_copies_are_made_without_their_code():
    compiled = jit(square)
    assert_allclose(compiled(X), square(X), rtol=1e-15)
    again = pickle.loads(pickle.dumps(compiled))
    assert not paths(again)
    assert_allclose(again(X), square(X), rtol=1e-15)
    assert_allclose(copy.deepcopy(compiled)(X), square(X), rtol=1e-15)


def test_what_interrupts_is_passed_on():
    interrupted = []

    def f(x):
        if not interrupted:
            interrupted.append(x)
            raise KeyboardInterrupt
        return x * 2.0

    compiled = jit(f)
    with pytest.raises(KeyboardInterrupt):
        compiled(X)
    assert_array_equal(compiled(X), X * 2.0)
    assert_array_equal(compiled(X + 1.0), (X + 1.0) * 2.0)


# ----------------------------------------------------------------------------------------------------- without llvmlite


@pytest.fixture
def no_llvm(monkeypatch):
    """As where llvmlite is not installed."""
    monkeypatch.setattr(engine, "llvm", None)
    engine.is_there.cache_clear()
    yield
    engine.is_there.cache_clear()


FUNCTIONS = [
    lambda x: np.sum(np.sin(x) * x),
    lambda x: np.exp(-x * x) / (2.0 + x),
    lambda x: np.where(x > 0, np.sqrt(np.abs(x)), x),
    lambda x: np.cumsum(np.tanh(x))[::-1] * np.mean(x),
    lambda x: x**3 - np.log1p(x * x),
    lambda x: np.max(x) * np.min(x) + x[1:] * x[:-1],
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_without_llvmlite_numpy_gives_the_same(f, no_llvm):
    compiled = jit(f)
    for x in (X, X + 0.125, LONG):
        assert_array_equal(compiled(x), f(x))
    assert all(path.source.native is None for path in paths(compiled))


@pytest.mark.parametrize("f", FUNCTIONS)
def test_exact_gives_the_bits_of_the_function(f):
    exact, native = jit(f, exact=True), jit(f)
    for x in (X, X + 0.125, LONG):
        assert_array_equal(exact(x), f(x))
        assert_allclose(native(x), f(x), rtol=1e-13, atol=1e-15)
    assert all(path.source.native is None for path in paths(exact))
    assert any(path.source.native for path in paths(native))


def test_quotients_of_doubles_by_a_divisor_of_single_precision():
    f = lambda x, y, z: (x / y, z / y, np.sin(z) / y)
    compiled, rng = jit(f), np.random.default_rng(0)
    for _ in range(3):
        x, y, z = rng.normal(size=(3, 40))
        for found, expected in zip(compiled(x, y.astype("f"), z), f(x, y.astype("f"), z), strict=True):
            assert_allclose(found, expected, rtol=1e-14)


def test_arrays_that_were_unpickled_are_as_others():
    """Their dtype is an object of its own."""
    calls = []

    def f(x, k):
        calls.append(k)
        return np.sum(np.sin(x) * x) * k

    x = np.linspace(0.0, 1.0, 12).reshape(3, 4)
    sent = pickle.loads(pickle.dumps(x))
    assert sent.dtype is not x.dtype
    for first, second in ((x, sent), (sent, x), (sent, sent)):
        compiled, before = jit(f), len(calls)
        assert compiled(first, 2.0) == compiled(second, 2.0) == pytest.approx(2.0 * np.sum(np.sin(x) * x))
        assert len(calls) == before + 1
    assert jit(f)(x.astype(">f8"), 2.0) == pytest.approx(2.0 * np.sum(np.sin(x) * x))
