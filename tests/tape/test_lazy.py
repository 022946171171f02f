"""A tape that promises values: its program is that of an ordinary one, whatever stands in the place of values."""

import warnings

import numpy as np
import pytest
from array_samples import SAMPLES, each

from autodiff import grad, hvp, jit, vjp
from autodiff.compiler import paths
from autodiff.compiler.forms import form_of
from autodiff.tape import lazy
from autodiff.tape.lazy import LazyRecorder
from autodiff.tape.lazy_when_large import LazyWhenLarge
from autodiff.tape.recorder import Recorder
from autodiff.tape.replay import forms_of, same

FIRSTS = dict(reversed(SAMPLES))


@pytest.fixture(autouse=True)
def _no_value_is_true(monkeypatch):
    """Everything is large, and what stands for a value is NaN, or a number that is no place."""

    def poisoned(like):
        z = np.empty_like(like)
        z.fill(np.nan if z.dtype.kind in "fc" else 77)
        return z

    monkeypatch.setattr(lazy, "LARGE", 9)
    monkeypatch.setattr(lazy, "_unwritten", poisoned)


def recorded(f, args, tape):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return paths.recorded(f, args, {}, [form_of(x) for x in args], tape)
        except Exception as error:
            return type(error)


def assert_same_programs(f, args):
    """They have the same rows of the same operands, constants and guards, values of the same forms."""
    plain = recorded(f, args, Recorder())
    for tape in LazyRecorder(), LazyWhenLarge():
        assert_same(plain, recorded(f, args, tape))


def assert_same(plain, promised):
    if isinstance(plain, type):
        assert promised is plain
        return
    assert [step.row.name for step in promised.steps] == [step.row.name for step in plain.steps]
    for one, other in zip(promised.steps, plain.steps, strict=True):
        assert one.operands == other.operands
        assert forms_of(one.value) == forms_of(other.value), one.row.name
        assert [(g.operand, g.question) for g in one.guards] == [(g.operand, g.question) for g in other.guards]
        assert all(same(a.answer, b.answer) for a, b in zip(one.guards, other.guards, strict=True))
    assert len(promised.constants) == len(plain.constants)
    assert all(map(same, promised.constants, plain.constants))
    assert promised.returned == plain.returned


def pulled(f):
    def adjoints(*xs):
        out, pull = vjp(f, *xs)
        return pull(np.ones(np.shape(out)) if np.shape(out) else 1.0)

    return adjoints


@pytest.mark.parametrize(**each(FIRSTS.items()))
def test_every_function_and_its_gradient(name, sample):
    args = [np.array(x)[()] for x in sample.arrays]
    if any(form_of(x) is None for x in args):
        pytest.skip("an argument of it is no input of a program")
    assert_same_programs(sample.f, args)
    assert_same_programs(pulled(sample.f), args)


def written(x):
    y = np.sin(x)
    y[3:9] = x[:6] * 2.0
    y[0] += 1.0
    part = y[4:8]
    part *= 3.0
    return y


def nested(x):
    return hvp(lambda x: np.sum(np.sin(x) ** 3))(x, x)


def mixed(x):
    """Writes what was made of a large array into a small one, of which there is a view, and decides by that."""
    small = x * 2.0
    part = small[2:5]
    products = small[:, None] * np.sin(x)
    small[3] = np.sum(products * products)
    twice = part * 2.0
    if twice[1] > 20.0:
        part *= np.max(products, 0)[:3]
    return np.sum(part * twice) + np.sum(small) * small[3]


def summed_up(x):
    """Adds rows of a large array to a small one, in place."""
    total = 0.0 * x
    for row in np.exp(x[:, None] - x)[:3]:
        total += row
    return np.sum(total**3) if total[0] > 2.0 else total[1]


X = np.linspace(0.1, 1.0, 12)
WITH_ZERO = np.where(np.arange(12) == 0, 0.0, X)

PROGRAMS = {
    "NaN, later": (grad(lambda x: np.sum(np.where(x > 0, np.sqrt(x) * x, 0.0))), (X, WITH_ZERO, X, WITH_ZERO)),
    "NaN, at once": (grad(lambda x: np.sum(np.where(x > 0, np.sqrt(x) * x, 0.0))), (WITH_ZERO, X, WITH_ZERO)),
    "NaN of the function": (grad(lambda x: np.sum(np.log(-x) * x)), (X,)),
    "branch": (grad(lambda x: np.sum(np.sin(x)) if np.max(x * 2) > 1.5 else np.sum(np.cos(x))), (X, X / 2, X)),
    "sorted": (lambda x: np.sort(np.sin(x * 7))[:5], (X, X[::-1].copy())),
    "places": (lambda x: np.sin(x)[np.argsort(-x)], (X, X[::-1].copy())),
    "mask": (lambda x: np.exp(x)[np.exp(x) > 2.0], (X, X * 0.9)),
    "written": (written, (X, X * 0.3)),
    "written, gradient": (grad(lambda x: np.sum(written(x) ** 2)), (X, X * 0.3)),
    "singular values": (lambda x: np.linalg.svd(np.exp(x[:9]).reshape(3, 3))[1], (X, X * 0.5)),
    "products": (grad(lambda x: np.sum(np.tanh(x.reshape(3, 4).T @ np.exp(x.reshape(3, 4))))), (X, X * 0.5)),
    "Fourier": (grad(lambda x: np.sum(np.log(np.abs(np.fft.rfft(x)) + 1.0))), (X,)),
    "second order": (nested, (X,)),
    "written into a small one": (mixed, (X, X * 0.5, X)),
    "written into a small one, gradient": (grad(mixed), (X, X * 0.5, X)),
    "added to a small one": (grad(summed_up), (X, X * 3.0, X - 1.0)),
    "single": (lambda x: x.astype(np.float32) * 2, (X,)),
    "columns": (grad(lambda x: np.sum(np.tanh(x) * x)), (np.asfortranarray(X.reshape(3, 4)),)),
}


@pytest.mark.parametrize(("f", "points"), PROGRAMS.values(), ids=PROGRAMS)
def test_compiled_it_gives_what_the_function_gives(f, points, monkeypatch):
    ways = []
    for many, large in ((1 << 40, 1 << 40), (9, 9), (1 << 40, 9), (1 << 40, 100)):
        monkeypatch.setattr(paths, "MANY", many)
        monkeypatch.setattr(lazy, "LARGE", large)
        compiled = jit(f)
        for x in points:
            with np.errstate(all="ignore"):
                found, wanted = compiled(x.copy("K")), f(x)
            np.testing.assert_allclose(found, wanted, rtol=1e-6 if found.dtype == np.float32 else 1e-12)
            assert found.dtype == wanted.dtype
        ways.append([bool(form["eager"]) for form in compiled.stats()])
    assert all(way == ways[0] for way in ways)  # it runs as it stands where an ordinary recording does


def test_no_array_in_between_takes_memory(monkeypatch):
    """Of forty operations on eight megabytes, the argument and the result."""
    monkeypatch.undo()
    made = []
    monkeypatch.setattr(lazy, "_unwritten", lambda like, of=lazy._unwritten: made.append(of(like)) or made[-1])

    def f(x):
        for _ in range(10):
            x = np.sin(x) * 1.01 + np.cos(x)
        return x

    x = np.linspace(0.0, 1.0, 1 << 20)
    kinds = [form_of(x)]
    paths.recorded(f, [x], {}, kinds, LazyRecorder())
    assert len(made) == 41
    assert all(z.base is not None and z.nbytes == x.nbytes for z in made)


@pytest.mark.parametrize("f", [mixed, grad(mixed), summed_up, grad(summed_up)])
def test_small_arrays_have_values_that_large_ones_went_into(f, monkeypatch):
    monkeypatch.setattr(lazy, "LARGE", X.nbytes + 1)
    assert_same_programs(f, [X])


def test_of_small_arguments_large_values_take_no_memory_either(monkeypatch):
    """But for the first one."""
    monkeypatch.undo()
    x = np.linspace(0.0, 1.0, 1 << 10)
    tape = LazyWhenLarge()
    paths.recorded(grad(lambda x: np.sum(np.tanh(x[:, None] * x) ** 2)), [x], {}, [form_of(x)], tape)
    large = [k for k, z in enumerate(tape.values) if isinstance(z, np.ndarray) and z.nbytes == 8 << 20]
    assert len(large) > 8
    assert len(set(large) - tape.promised) <= 1
    assert type(LazyWhenLarge()) is not type(tape)


@pytest.mark.parametrize("kind", [LazyRecorder, LazyWhenLarge])
def test_small_constants_that_are_equal_are_one_copy(kind):
    data, tape = np.arange(5.0), kind()

    def f(x):
        for _ in range(20):
            x = np.sin(x * data) + data.copy() - data.reshape(1, 5)[0]
        data[0] = -0.0
        return x + data

    recorded(f, [np.ones(5)], tape)
    copies = {id(x): x for x in tape.constants if isinstance(x, np.ndarray)}.values()
    assert sorted(map(str, copies)) == sorted(map(str, [np.arange(5.0), np.array([-0.0, 1.0, 2.0, 3.0, 4.0])]))
    assert not any(np.shares_memory(x, data) for x in copies)
