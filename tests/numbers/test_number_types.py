"""Numbers of other types: rational, decimal, of any precision, symbolic, intervals, uncertain; and a user's own."""

import copy
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import special

import autodiff as ad
from autodiff import forward, reverse
from dualnumbers import DualNumber, TaylorNumber, dmath, register_number
from dualnumbers.number_types import FUNCTIONS

THIRD = Fraction(1, 3)


def rational(x):
    """A rational function with whole numbers and short floats, plain, on both sides of every operator."""
    return (x**3 / 7 + 2.0 * x - 5) / (1 + x * x) - 0.5 / x**2 + x**-1 * (3 - x) / 9 + abs(-x) % 1


def slope(x):
    """Its derivative, by hand; |x| % 1 has 1."""
    p, q = x**3 / 7 + 2 * x - 5, 1 + x * x
    return ((3 * x**2 / 7 + 2) * q - p * 2 * x) / q**2 + 1 / x**3 + (-3 / x**2) / 9 + 1


WAYS = {
    "derivative": lambda f, x: ad.derivative(f, 0, [x]),
    "forward.gradient": lambda f, x: forward.gradient(f, [x])[0],
    "grad": lambda f, x: ad.grad(f)(x),
    "reverse.gradient": lambda f, x: reverse.gradient(f, [x])[0],
    "jacfwd": lambda f, x: ad.jacfwd(f)(x),
    "jacrev": lambda f, x: ad.jacrev(f)(x),
    "jacobian": lambda f, x: ad.jacobian(f)(x),
    "taylor": lambda f, x: ad.taylor(f, x, 3)[1],
    "jvp": lambda f, x: ad.jvp(f, [x], [type(x)(1)])[1],
    "vjp": lambda f, x: ad.vjp(f, x)[1](1)[0],
    "linearize": lambda f, x: ad.linearize(f, x)[1](1),
    "DualNumber": lambda f, x: f(DualNumber(x, 1)).dual,
    "TaylorNumber": lambda f, x: f(TaylorNumber([x, 1])).coefficients[1],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("x", [THIRD, Fraction(-22, 7), Fraction(10**30 + 1, 3)])
def test_rational_derivatives_are_exact(way, x):
    found = WAYS[way](rational, x)
    assert type(found) is Fraction
    assert found == slope(x) - (2 if x < 0 else 0)  # that of |x|


@pytest.mark.parametrize("n", range(6))
def test_rational_derivatives_of_higher_order_are_exact(n):
    wanted = math.factorial(n) / (1 - THIRD) ** (n + 1)

    def f(x):
        return 1 / (1 - x)

    found = [
        ad.derivative(f, (0,) * n, [THIRD]) if n else f(THIRD),
        ad.derivative(f, 0, [THIRD], order=n),
        ad.taylor(f, THIRD, n)[n] * math.factorial(n),
    ]
    assert found == [wanted] * 3
    assert set(map(type, found)) == {Fraction}


def test_partials_by_several_fractions():
    def f(p):
        return p["a"] ** 2 * p["b"][0] / 3 - p["b"][1] / p["a"]

    p = {"a": THIRD, "b": (Fraction(2), Fraction(5, 7))}
    assert ad.grad(f)(p) == {"a": Fraction(4, 9) + Fraction(45, 7), "b": (Fraction(1, 27), -3)}
    assert ad.hessian(lambda a, b: a**2 * b / 3, (0, 1))(THIRD, Fraction(2)) == (
        (Fraction(4, 3), Fraction(2, 9)),
        (Fraction(2, 9), 0),
    )
    assert ad.jacobian(lambda a, b: (a * b, {"c": a / b}), (0, 1))(THIRD, Fraction(2)) == (
        (2, {"c": Fraction(1, 2)}),
        (THIRD, {"c": -Fraction(1, 12)}),
    )
    assert ad.hvp(lambda x: x**3 / 3)(THIRD, Fraction(2)) == Fraction(4, 3)


def _leaves(x):
    return [leaf for part in x for leaf in _leaves(part)] if isinstance(x, (tuple, list)) else [x]


def test_what_comes_back_are_fractions():
    def f(x):
        return x * x / 3, x, THIRD

    tape, out = ad.record(lambda x: x * x / 3, [THIRD])
    found = [
        tape.run([Fraction(5)]),
        tape.adjoints(out),
        ad.linearize(f, THIRD)[0],
        ad.vjp(f, THIRD)[0],
        ad.vjp(f, THIRD)[1]((1, THIRD, 0.0)),
        ad.jvp(f, [THIRD], [0]),
        ad.value_and_grad(lambda x: (x * x, 3 * x), has_aux=True)(THIRD),
        ad.value_and_jacobian(f)(THIRD),
        ad.value_grad_and_hessian(lambda x: THIRD * x)(THIRD),
        ad.taylor(f, THIRD, 3),
        ad.hvp(lambda x: THIRD * x)(THIRD, THIRD),
        ad.stop_gradient(THIRD),
        ad.value_of(DualNumber(THIRD, 1)),
        ad.derivative(lambda x: Fraction(5), 0, [THIRD]),
        ad.grad(lambda x: 5.0)(THIRD),
    ]
    assert {type(leaf) for leaf in _leaves(found)} == {Fraction}


def test_no_integer_is_rounded():
    n = 10**400 + 1
    assert ad.derivative(lambda x: n * x / 3 - n, 0, [THIRD]) == Fraction(n, 3)
    assert ad.grad(lambda x: n * x / 3 - n)(THIRD) == Fraction(n, 3)
    assert ad.taylor(lambda x: x * n / 3, THIRD, 1)[1] == Fraction(n, 3)
    assert DualNumber(n, THIRD) / 3 == Fraction(n, 3)
    assert ad.derivative(lambda x: x * np.int64(2) / np.int64(3), 0, [THIRD]) == Fraction(2, 3)


def test_a_float_that_is_no_short_fraction_is_a_float_as_in_python():
    assert ad.derivative(lambda x: 0.1 * x, 0, [THIRD]) == 0.1
    assert ad.derivative(lambda x: x**0.5, 0, [Fraction(2)]) == pytest.approx(0.5 / math.sqrt(2.0), rel=1e-15)
    assert (DualNumber(2.0, 1.0) * THIRD).dual == 1.0 / 3.0


def test_branches_and_kinks():
    f = lambda x: 3 * x if x > Fraction(1, 2) else THIRD * x
    assert (ad.derivative(f, 0, [THIRD]), ad.grad(f)(Fraction(2))) == (THIRD, 3)
    assert ad.grad(lambda x: np.where(x > 0, x, -x))(-THIRD) == -1
    assert ad.grad(lambda x: max(x, 0))(THIRD) == 1
    assert ad.derivative(abs, 0, [Fraction(0)]) == 0
    assert ad.derivative(lambda x: dmath.floor(x) * x, 0, [Fraction(7, 3)]) == 2
    with pytest.raises(ZeroDivisionError):
        ad.derivative(lambda x: 1 / x, 0, [Fraction(0)])


def test_by_hand():
    x = DualNumber(THIRD, 1)
    assert repr(x / 3) == "DualNumber(Fraction(1, 9), Fraction(1, 3))"
    assert str(x * x) == "1/9 + 2/3ε"
    assert (x.real, x.dual, DualNumber(THIRD).dual) == (THIRD, 1, 0)
    assert (hash(x), x == THIRD, x < 1) == (hash(THIRD), True, True)
    for other in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert (other.real, other.dual) == (THIRD, 1)
    assert repr(DualNumber(x, 1) ** 2 / 3).count("Fraction") == 4
    series = TaylorNumber([THIRD, 1], order=3)
    assert (1 / series).coefficients == (3, -9, 27, -81)
    assert str(series * series) == "1/9 + 2/3t + 1t² + 0t³"


def test_variables():
    v, c = ad.Variable(THIRD), ad.Constant(Fraction(5))
    (v * v * c / 3).backward()
    assert (v.grad, v.data, c.data) == (Fraction(10, 9), THIRD, 5)
    v.data = Fraction(2)
    assert (type(v.data), repr(v)) == (Fraction, "Variable(Fraction(2, 1))")


REFUSED = {
    "sqrt": lambda x: dmath.sqrt(x),
    "exp": lambda x: np.exp(x),
    "erf": lambda x: dmath.erf(x),
    "log": lambda x: 2**x,
    "sum": lambda x: np.sum(x),
    "stack": lambda x: [x, x],
    "multiply": lambda x: x * np.ones(2),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_type_has_not_is_refused_by_name(name):
    f = REFUSED[name]
    if name == "log":
        assert ad.derivative(f, 0, [2.0]) == pytest.approx(4 * math.log(2))
        with pytest.raises(TypeError, match="log is not there for numbers of type Fraction"):
            ad.derivative(lambda x: x**x, 0, [Fraction(2)])
        return
    for way in (ad.derivative, lambda f, k, args: ad.grad(f)(*args)):
        with pytest.raises(TypeError, match=rf"{name} .*Fraction"):
            way(f, 0, [THIRD])


def test_arrays_of_them_are_refused():
    with pytest.raises(TypeError, match="exp is not there"):
        np.exp(np.array([DualNumber(THIRD, 1)], dtype=object))
    with pytest.raises(TypeError, match="each alone"):
        forward.gradient(lambda x, y: x * y[0], [THIRD, np.ones(2)])
    with pytest.raises(TypeError, match="linear_transpose"):
        ad.linear_transpose(lambda x: x / 3, THIRD)
    for given in ([THIRD, np.ones(2)], [np.ones(2), THIRD]):
        with pytest.raises((TypeError, ValueError)):
            DualNumber(*given)
    with pytest.raises(ValueError, match="shape"):
        ad.jvp(lambda x: x / 3, [THIRD], [np.ones(2)])


# --------------------------------------------------------------------------------------------- decimals, mpmath


def test_decimals_have_their_own_functions():
    def f(x):
        return dmath.exp(x) * dmath.log10(x) + dmath.sqrt(x) / x**2 + 0.5 * dmath.log(x)

    with mpmath.workdps(60):
        wanted = mpmath.diff(
            lambda x: mpmath.exp(x) * mpmath.log10(x) + mpmath.sqrt(x) / x**2 + mpmath.log(x) / 2, mpmath.mpf("0.7")
        )
        for found in (ad.derivative(f, 0, [Decimal("0.7")]), ad.grad(f)(Decimal("0.7"))):
            assert type(found) is Decimal
            assert abs(mpmath.mpf(str(found)) - wanted) < 1e-26
    with pytest.raises(TypeError, match="sin is not there for numbers of type Decimal"):
        ad.derivative(dmath.sin, 0, [Decimal(1)])
    with pytest.raises(TypeError, match="float"):
        ad.derivative(lambda x: 0.1 * x, 0, [Decimal(1)])


OF_BOTH = (name for name in FUNCTIONS - {"hypot", "atan2"} if hasattr(mpmath, name) and hasattr(dmath, name))
OF_MPMATH = {name: getattr(mpmath, name) for name in OF_BOTH}
STEPS = {"floor", "ceil", "sign", "isfinite", "isinf", "isnan"}


@pytest.mark.parametrize("name", sorted(OF_MPMATH.keys() - STEPS))
def test_derivatives_to_fifty_digits(name):
    """Against mpmath's differences, at twice the digits."""
    f, g = getattr(dmath, name), OF_MPMATH[name]
    x = mpmath.mpf(1.3 if name == "acosh" else 0.3)
    for n in (1, 2, 3):
        with mpmath.workdps(50):
            found = [ad.derivative(f, (0,) * n, [x]), ad.taylor(f, x, n)[n] * math.factorial(n)]
            if n == 1:
                found.append(ad.grad(f)(x))
        with mpmath.workdps(100):
            wanted = mpmath.diff(g, x, n)
            assert all(abs(d - wanted) <= mpmath.mpf(10) ** -45 * max(1, abs(wanted)) for d in found)


@pytest.mark.parametrize("name", ["cbrt", "gamma", "lgamma"])
def test_left_of_0_to_forty_digits(name):
    """The real cube root, and the logarithm of |Γ|, as Python's functions have them."""
    real = {"cbrt": lambda x: -mpmath.cbrt(-x), "lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x)))}
    x, g = mpmath.mpf(-0.7), real.get(name, mpmath.gamma)
    for n in (1, 2, 3):
        with mpmath.workdps(50):
            found = ad.derivative(getattr(dmath, name), (0,) * n, [x])
        with mpmath.workdps(100):
            wanted = mpmath.diff(g, x, n)
            assert abs(found - wanted) <= mpmath.mpf(10) ** -40 * abs(wanted)


SPECIAL = {
    "erf": (dmath.erf, mpmath.erf, -1.3),
    "erfc": (dmath.erfc, mpmath.erfc, 5.3),
    "erfi": (special.erfi, mpmath.erfi, 0.6),
    "psi": (special.psi, mpmath.digamma, -0.7),
    "gamma": (dmath.gamma, mpmath.gamma, 2.7),
    "beta": (lambda x: special.beta(x, 2.5), lambda x: mpmath.beta(x, 2.5), 0.7),
    "beta, its second": (lambda x: special.beta(2.5, x), lambda x: mpmath.beta(x, 2.5), 0.7),
    "expi": (special.expi, mpmath.ei, -0.7),
    "exp1": (special.exp1, mpmath.e1, 0.7),
    "degrees": (dmath.degrees, mpmath.degrees, 0.7),
    "radians": (np.radians, mpmath.radians, 0.7),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions_to_forty_digits(name):
    f, g, x = SPECIAL[name]
    for n in (1, 2, 3, 6):
        with mpmath.workdps(50):
            found = [ad.derivative(f, (0,) * n, [mpmath.mpf(x)])]
            if n < 3:
                found.append(
                    ad.grad(lambda x, n=n: ad.derivative(f, (0,) * (n - 1), [x]) if n > 1 else f(x))(mpmath.mpf(x))
                )
        with mpmath.workdps(120):
            wanted = mpmath.diff(g, mpmath.mpf(x), n)
            assert all(abs(d - wanted) <= mpmath.mpf(10) ** -40 * max(1, abs(wanted)) for d in found)


def test_special_functions_of_expressions():
    sympy = pytest.importorskip("sympy")
    x = sympy.Symbol("x", positive=True)
    for name, f in {"erf": sympy.erf, "erfc": sympy.erfc, "gamma": sympy.gamma, "lgamma": sympy.loggamma}.items():
        found = ad.derivative(getattr(dmath, name), (0, 0), [x]).subs(x, sympy.Rational(7, 10)).evalf(30)
        assert abs(found - sympy.diff(f(x), x, 2).subs(x, sympy.Rational(7, 10)).evalf(30)) < 1e-28


def test_special_functions_of_uncertain_numbers():
    uncertainties = pytest.importorskip("uncertainties")
    found = ad.derivative(dmath.erf, 0, [uncertainties.ufloat(0.5, 0.1)])
    slope = 2.0 / math.sqrt(math.pi) * math.exp(-0.25)
    assert found.nominal_value == pytest.approx(slope, rel=1e-14)
    assert found.std_dev == pytest.approx(0.1 * slope, rel=1e-14)


def test_a_type_without_a_constant_says_so():
    class Steps(Fraction):
        """A Fraction with an error function and no π."""

    register_number(Steps, {"erf": lambda x: x, "exp": lambda x: x}, Steps)
    with pytest.raises(TypeError, match=r"(sqrt|pi) is not there for numbers of type Steps"):
        ad.derivative(dmath.erf, 0, [Steps(1, 2)])


def test_partials_in_two_mpfs():
    with mpmath.workdps(50):
        x, y = mpmath.mpf(3) / 10, mpmath.mpf(2) / 7
        found = ad.grad(lambda x, y: dmath.atan2(x, y) * dmath.hypot(x, y) + mpmath.pi * x**y / 3, (0, 1))(x, y)
        f = lambda x, y: mpmath.atan2(x, y) * mpmath.hypot(x, y) + mpmath.pi * x**y / 3
        wanted = [mpmath.diff(f, (x, y), n) for n in ((1, 0), (0, 1))]
        assert all(abs(d - w) < mpmath.mpf(10) ** -40 for d, w in zip(found, wanted, strict=True))


WITH_INTS = {
    "2 ** x": (lambda x: 2**x, lambda x: 2**x * mpmath.log(2)),
    "2.0 ** x": (lambda x: 2.0**x, lambda x: 2**x * mpmath.log(2)),
    "pow(3, x)": (lambda x: dmath.pow(3, x), lambda x: 3**x * mpmath.log(3)),
    "np.power(3, x)": (lambda x: np.power(3, x), lambda x: 3**x * mpmath.log(3)),
    "x / 3": (lambda x: x / 3, lambda x: mpmath.mpf(1) / 3),
    "np.divide(x, 3)": (lambda x: np.divide(x, 3), lambda x: mpmath.mpf(1) / 3),
    "x**3 / 3": (lambda x: x**3 / 3, lambda x: x * x),
    "7 / x": (lambda x: 7 / x, lambda x: -7 / x**2),
    "7 % x": (lambda x: 7 % x, lambda x: -23),
    "hypot(3, x)": (lambda x: dmath.hypot(3, x), lambda x: x / mpmath.sqrt(9 + x * x)),
    "atan2(3, x)": (lambda x: dmath.atan2(3, x), lambda x: -3 / (9 + x * x)),
    "log10": (lambda x: dmath.log10(x / 3), lambda x: 1 / x / mpmath.log(10)),
}


@pytest.mark.parametrize("name", WITH_INTS)
def test_no_factor_is_a_float(name):
    """Where a partial is a function of a plain int alone."""
    f, slope = WITH_INTS[name]
    with mpmath.workdps(50):
        x = mpmath.mpf(3) / 10
        for way, derivative in WAYS.items():
            found = derivative(f, x)
            assert abs(found - slope(x)) < mpmath.mpf(10) ** -47, way
        second = [ad.derivative(f, (0, 0), [x]), ad.grad(ad.grad(f))(x), ad.taylor(f, x, 2)[2] * 2]
        assert all(abs(d - mpmath.diff(slope, x)) < mpmath.mpf(10) ** -20 for d in second)


def test_a_context_of_mpmath_keeps_its_digits():
    context = mpmath.MPContext()
    context.dps = 70
    assert ad.derivative(dmath.exp, 0, [context.mpf(1)]) == context.e
    assert ad.derivative(lambda x: x * dmath.exp(context.mpf(1)), 0, [context.mpf(1)]) == context.e


def test_a_root_that_is_complex_is_refused():
    with pytest.raises(TypeError, match="mpc"):
        ad.derivative(dmath.sqrt, 0, [mpmath.mpf(-2)])


def test_intervals_enclose():
    iv = mpmath.iv
    x = iv.mpf(["0.9", "1.1"])
    f = lambda m: lambda x: m.sin(x) * m.exp(-(x**2)) / m.sqrt(x) + m.log(x) / 3
    for found in (ad.derivative(f(dmath), 0, [x]), ad.grad(f(dmath))(x), ad.taylor(f(dmath), x, 1)[1]):
        for point in ("0.9", "0.95", "1", "1.05", "1.1"):
            with mpmath.workdps(30):
                wanted = mpmath.diff(f(mpmath.mp), mpmath.mpf(point))
                assert found.a <= wanted <= found.b
    with pytest.raises(TypeError, match="not certain"):
        ad.derivative(abs, 0, [iv.mpf([-1, 1])])
    with pytest.raises(TypeError, match="tanh is not there for numbers of type ivmpf"):
        ad.derivative(dmath.tanh, 0, [x])


# --------------------------------------------------------------------------------------------- where installed


def test_symbols():
    sympy = pytest.importorskip("sympy")
    x, y = sympy.symbols("x y", positive=True)
    functions = [
        lambda m, x: m.sin(x) * m.exp(-(x**2)) / m.sqrt(x),
        lambda m, x: m.tanh(x) + m.atan(x) * m.log(x) ** 2,
        lambda m, x: sympy.pi * (x**3 + 1) / (x - 2) ** 2 + x / 3,
        lambda m, x: x**x + 2**x + abs(x),
        lambda m, x: m.atan2(x, y) + m.sqrt(x * x + y * y),
    ]
    for f in functions:
        wanted = sympy.diff(f(sympy, x), x)
        for found in (ad.derivative(lambda x, f=f: f(dmath, x), 0, [x]), ad.grad(lambda x, f=f: f(dmath, x))(x)):
            assert sympy.simplify(found - wanted) == 0
            assert not found.has(sympy.Float)
    assert repr(x * DualNumber(x, 1) / 2) == "DualNumber(x**2/2, x/2)"


def test_uncertain_numbers():
    """The slope has the uncertainty that propagates to it: |f″| σ."""
    uncertainties = pytest.importorskip("uncertainties")
    x = uncertainties.ufloat(1.5, 0.1)
    for found in (ad.derivative(lambda x: dmath.sin(x) * x, 0, [x]), ad.grad(lambda x: dmath.sin(x) * x)(x)):
        assert found.nominal_value == pytest.approx(math.cos(1.5) * 1.5 + math.sin(1.5), rel=1e-14)
        assert found.std_dev == pytest.approx(abs(2 * math.cos(1.5) - 1.5 * math.sin(1.5)) * 0.1, rel=1e-12)
    with pytest.raises(TypeError, match="log2 is not there"):
        ad.derivative(dmath.log2, 0, [x])


# --------------------------------------------------------------------------------------------- a user's own


def test_a_type_of_the_users_own():
    @register_number
    class Residue:
        """A number modulo 7."""

        def __init__(self, n):
            self.n = int(n) % 7

        def __add__(self, other):
            return Residue(self.n + (other.n if isinstance(other, Residue) else other))

        def __mul__(self, other):
            return Residue(self.n * (other.n if isinstance(other, Residue) else other))

        def __pow__(self, n):
            return Residue(pow(self.n, n, 7))

        __radd__, __rmul__ = __add__, __mul__

    assert ad.derivative(lambda x: 3 * x**4 + x + 1, 0, [Residue(5)]).n == (12 * 5**3 + 1) % 7
    assert ad.grad(lambda x: 3 * x**4 + x + 1)(Residue(5)).n == (12 * 5**3 + 1) % 7
    for no_class in (3, float, np.ndarray):
        with pytest.raises(TypeError, match="register_number"):
            register_number(no_class)


def test_functions_of_a_users_own_type():
    class Logged(Fraction):
        """A Fraction with one function."""

    register_number(Logged, {"exp": lambda x: Logged(math.exp(x))}, exact=Logged)
    assert ad.derivative(dmath.exp, 0, [Logged(0)]) == 1
    assert dmath.exp(Logged(0)) == Logged(1)
    with pytest.raises(TypeError, match="sin is not there for numbers of type Logged"):
        ad.derivative(dmath.sin, 0, [Logged(0)])
