"""``adopt``: code that cannot be changed, differentiated while its names mean others, and all as before afterwards."""

import builtins
import functools
import json
import math
import sys
import threading
import types

import foreign
import numpy as np
import pytest

import autodiff
from autodiff import Variable, adopt, derivative, grad, hessian, jvp, value_of
from autodiff.adoption._builtins import complex_, float_, int_, type_
from autodiff.differences import check_derivative

POINT = 1.3
MATH = r"math domain error|expected a (nonnegative|positive) input"


@pytest.fixture(autouse=True)
def unchanged():
    """Every test leaves the module as it was."""
    names, defaults = dict(vars(foreign)), foreign.by_default.__defaults__
    members, cells = dict(vars(foreign.Model)), [cell.cell_contents for cell in foreign.closed.__closure__]
    table, steps = dict(foreign.TABLE), list(foreign.STEPS)
    python = vars(builtins).copy()
    yield
    names["calls"] = foreign.calls
    for before, after in ((names, vars(foreign)), (members, vars(foreign.Model)), (table, foreign.TABLE)):
        assert before.keys() == after.keys()
        assert all(before[name] is after[name] for name in before)
    assert foreign.by_default.__defaults__ is defaults
    assert foreign.by_default.__kwdefaults__ == {"log": math.log}
    assert all(a is b for a, b in zip(steps, foreign.STEPS, strict=True))
    assert all(a is c.cell_contents for a, c in zip(cells, foreign.closed.__closure__, strict=True))
    assert python.items() == vars(builtins).items()


def name_of(function):
    return getattr(function, "__name__", "") or "vectorized"


@pytest.mark.parametrize("name", [name for f in foreign.SCALARS for name, x in vars(foreign).items() if x is f])
def test_an_adopted_function_is_differentiated(name):
    plain = getattr(foreign, name)
    with adopt(foreign):
        f = getattr(foreign, name)
        value, forward = jvp(f, [POINT], [1.0])
        reverse = grad(f)(POINT)
        second = hessian(f)(POINT)
        nested = derivative(lambda x: derivative(f, 0, [x]), 0, [POINT])
        x = Variable(POINT)
        f(x).backward()
    assert float(value) == float(plain(POINT))
    assert check_derivative(lambda x: float(plain(float(x))), 0, [POINT], forward)
    assert reverse == pytest.approx(forward, rel=1e-13)
    assert x.grad == pytest.approx(forward, rel=1e-13)
    assert check_derivative(grad(adopt(foreign)(lambda x: getattr(foreign, name)(x))), 0, [POINT], second)
    assert nested == pytest.approx(second, rel=1e-12)


def test_without_adoption_it_is_refused():
    refused = [f for f in foreign.SCALARS if not _works(f)]
    assert len(refused) >= len(foreign.SCALARS) - 4


def _works(f):
    try:
        return check_derivative(lambda x: float(f(float(x))), 0, [POINT], derivative(f, 0, [POINT]))
    except (TypeError, AttributeError):
        return False


def test_adopt_of_a_function_and_as_a_decorator():
    assert derivative(adopt(foreign.by_math), 0, [POINT]) == grad(adopt(foreign.by_math))(POINT)
    assert adopt(foreign.by_math).__name__ == "by_math"
    assert adopt(foreign.by_math)(POINT) == foreign.by_math(POINT)

    @adopt
    def f(x):
        return math.sin(x)

    assert derivative(f, 0, [POINT]) == math.cos(POINT)

    @adopt(foreign)
    def g(x):
        return foreign.wrapped(x)

    assert derivative(g, 0, [POINT]) == math.sinh(POINT)
    assert derivative(adopt(functools.partial(foreign.wrapped)), 0, [POINT]) == math.sinh(POINT)
    assert derivative(lambda x: adopt(foreign.Model.of)(x).x ** 2, 0, [3.0]) == 6.0


def test_plain_values_are_as_ever():
    expected = foreign.plain(POINT)
    with adopt(foreign):
        assert foreign.plain(POINT) == expected
        for f in foreign.SCALARS:
            assert float(f(POINT)) == float(f(POINT))
        assert foreign.by_math(np.float64(POINT)) == foreign.by_math(POINT)
        with pytest.raises(ValueError, match=MATH):
            foreign.by_default(-1.0)
        with pytest.raises(TypeError):
            foreign.by_math("1.0")
        with pytest.raises(ValueError, match="could not convert"):
            foreign.float("one")


def test_errors_of_math_are_those_of_math():
    with adopt(foreign):
        for mode in (lambda f, x: derivative(f, 0, [x]), lambda f, x: grad(f)(x)):
            with pytest.raises(ValueError, match=MATH):
                mode(foreign.by_default, -1.0)
            with pytest.raises(OverflowError):
                mode(foreign.by_math, 1e3)
            with pytest.raises(ZeroDivisionError):
                mode(lambda x: 1.0 / foreign.float(np.sin(x)), 0.0)


def test_nested_and_after_exceptions():
    with adopt(foreign) as outer, adopt(foreign, json):
        assert foreign.math is not math
        with pytest.raises(KeyError), adopt(foreign):
            grad(foreign.failing)(POINT)
        assert foreign.math is not math
        with outer:
            assert derivative(foreign.wrapped, 0, [POINT]) == math.sinh(POINT)
        assert foreign.math is not math
    assert foreign.math is math
    with pytest.raises(KeyError):
        grad(adopt(foreign.failing))(POINT)
    assert foreign.math is math


def test_what_the_module_binds_meanwhile_stays():
    module = types.ModuleType("bound")
    exec(
        "import math\n"
        "def f(x):\n    global math, float, new\n    new = math.sin(x)\n    math = float = None\n    return new\n",
        vars(module),
    )
    with adopt(module):
        derivative(module.f, 0, [POINT])
    assert module.math is None
    assert module.float is None


def test_threads():
    """The one that comes second leaves last; a third adopts nothing and sees no difference."""
    expected, found, failed = foreign.plain(POINT), [], []
    both, first_left = threading.Barrier(2), threading.Event()

    def first():
        with adopt(foreign):
            both.wait(10)
            found.append(derivative(foreign.by_math, 0, [POINT]))
        first_left.set()

    def second():
        with adopt(foreign):
            both.wait(10)
            first_left.wait(10)
            found.append(grad(foreign.by_math)(POINT))

    def third():
        while not stop.is_set():
            if foreign.plain(POINT) != expected:
                failed.append(foreign.plain(POINT))

    stop = threading.Event()
    threads = [threading.Thread(target=f) for f in (first, second, third)]
    for thread in threads:
        thread.start()
    for thread in threads[:2]:
        thread.join()
    stop.set()
    threads[2].join()
    assert not failed
    assert found[0] == pytest.approx(found[1], rel=1e-14)
    assert foreign.math is math


def test_a_package_and_its_parts():
    package, part = types.ModuleType("bundle"), types.ModuleType("bundle.part")
    exec("import math\ndef f(x):\n    return math.sin(x)", vars(part))
    package.part = part
    sys.modules.update({"bundle": package, "bundle.part": part})
    try:
        with pytest.raises(TypeError), adopt(package):
            derivative(part.f, 0, [POINT])
        with adopt(package, package=True):
            assert derivative(part.f, 0, [POINT]) == math.cos(POINT)
        assert part.math is math
    finally:
        del sys.modules["bundle"], sys.modules["bundle.part"]


def test_functions_of_scipy():
    linalg = pytest.importorskip("scipy.linalg")
    module = types.ModuleType("consumer")
    exec(
        "import numpy as np, scipy, scipy.linalg as la\n"
        "from scipy import integrate\nfrom scipy.special import logsumexp, gammaln\nfrom scipy.stats import norm\n"
        "cdf = norm.cdf\n"
        "def f(x):\n"
        "    a = cdf(x) + scipy.linalg.expm(np.array([[0.0, x], [-x, 0.0]]))[0, 0] + la.det([[x, 1.0], [2.0, x]])\n"
        "    b = norm.pdf(x) + norm(loc=x).cdf(0.3) + logsumexp([x, 1.0]) + gammaln(x)\n"
        "    from scipy.stats import gamma\n"
        "    return a + b + integrate.quad(lambda t: t * x, 0.0, 1.0)[0] + gamma.cdf(x, 2.0)\n"
        "def g():\n"
        "    return isinstance(norm, scipy.stats.rv_continuous), norm.mean(), norm.rvs(size=2).shape, la.LinAlgError\n",
        vars(module),
    )
    with adopt(module):
        found = derivative(module.f, 0, [POINT])
        assert grad(module.f)(POINT) == pytest.approx(found, rel=1e-12)
        assert module.g() == (True, 0.0, (2,), linalg.LinAlgError)
    assert check_derivative(module.f, 0, [POINT], found)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        *((code, "is not adopted: its functions take numbers") for code in (autodiff, np, np.linalg.norm)),
        *(
            (code, f"written in Python, not {code.__name__}: ")
            for code in (math, builtins, math.sin, np.sin, [].append, list)
        ),
        (3, "written in Python, not 3: "),
        ("foreign", r"import foreign, then adopt\(foreign\)"),
    ],
)
def test_what_is_not_adopted(code, reason):
    with pytest.raises(TypeError, match=reason):
        adopt(code)


def test_nothing_is_not_adopted():
    with pytest.raises(TypeError, match="adopt needs"):
        adopt()


def test_pythons_types_stand_for_themselves():
    assert float_ == float  # noqa: E721
    assert {float: 1}[float_] == 1
    assert np.dtype(float_) == np.float64
    assert np.dtype(complex_) == np.complex128
    assert np.zeros(2, dtype=int_).dtype == int
    assert isinstance(2.0, float_)
    assert isinstance(np.float64(2.0), float_)
    assert isinstance(True, int_)
    assert not isinstance(2, float_)
    assert issubclass(np.float64, float_)
    assert issubclass(float_, float_)
    assert float_.fromhex("0x1p3") == 8.0
    assert type(float_("inf")) is float
    assert type(int_("ff", 16)) is int
    assert complex_(1, imag=2) == 1 + 2j
    assert type_(2.0) is float_
    assert type_("") is str
    assert isinstance(str, type_)
    assert type_("Made", (), {}).__name__ == "Made"
    assert repr(float_) == "<class 'float'>"
    x = jvp(lambda x: [float_(x) * 1.0, int_(x) * 1.0, complex_(x).imag], [2.5], [1.0])
    assert x == ([2.5, 2.0, 0.0], [1.0, 0.0, 0.0])


def test_a_cache_keeps_no_number():
    model = foreign.Model(2.0)
    with adopt(foreign):
        assert derivative(foreign.cached, 0, [3.0]) == 6.0

        def f(x):
            model.x = x
            return model.value()

        derivative(f, 0, [POINT])
        assert "size" not in vars(model)
        model.x = 2.0
        assert model.size == vars(model)["size"] == math.exp(2.0)
    assert foreign.cached(3.0) == 9.0
    assert value_of(model.x) == 2.0
