"""`debug_nans` names the code where the first NaN or infinity of a result arose, and nothing where there is none."""

import threading

import numpy as np
import pytest

from autodiff import (
    Variable,
    checkpointed_loop,
    debug_nans,
    derivative,
    derivative_tensor,
    grad,
    gradient,
    hessian,
    hessian_diagonal,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    laplacian,
    linearize,
    record,
    taylor,
    value_and_grad,
    vjp,
)
from autodiff.calls.watching import watching

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
X = np.array([-1.0, 1.0, 2.0])
HERE = r"test_debug_nans\.py:\d+"

REVERSE = {
    "grad": lambda f, x: grad(f)(x),
    "value_and_grad": lambda f, x: value_and_grad(f)(x),
    "gradient": lambda f, x: gradient(f, [x]),
    "vjp": lambda f, x: vjp(f, x)[1](1.0),
    "jacrev": lambda f, x: jacrev(f)(x),
    "hessian": lambda f, x: hessian(f)(x),
}
FORWARD = {
    "jvp": lambda f, x: jvp(f, [x], [np.ones_like(x)[()]]),
    "derivative": lambda f, x: derivative(f, 0, [x]),
    "jacfwd": lambda f, x: jacfwd(f)(x),
    "derivative of a derivative": lambda f, x: derivative(f, (0, 0), [x]),
}
OTHERS = {
    "hvp": lambda f, x: hvp(f)(x, np.ones_like(x)[()]),
    "jacobian": lambda f, x: jacobian(f)(x),
    "linearize": lambda f, x: linearize(f, x)[1](np.ones_like(x)[()]),
}
every = pytest.mark.parametrize("differentiate", (REVERSE | FORWARD | OTHERS).values(), ids=REVERSE | FORWARD | OTHERS)


def of_log(x):
    y = x - 1.5
    return np.sum(np.log(y) * x)


def of_power(x):
    y = np.exp(x * 300.0)
    return np.sum(np.sqrt(y * y))


@every
@pytest.mark.parametrize(
    ("f", "words"),
    [
        (of_log, r"`np\.log\(y\)` gives nan at element \[0\]: log of -2\.5 "),
        (of_power, r"`y \* y` gives inf at element \[2\]: multiply of 3\.77\S*, 3\.77\S* "),
    ],
)
def test_a_value(differentiate, f, words):
    """In the run of the function: whatever mode is used, the operation, what it got and the line of code are named."""
    with debug_nans(), pytest.raises(FloatingPointError, match=words + rf"\({HERE}\)$"):
        differentiate(f, X)


def of_root(x):
    return np.sum(np.cbrt(x**3) * 2.0)


@pytest.mark.parametrize("differentiate", REVERSE.values(), ids=REVERSE)
def test_an_adjoint(differentiate):
    """In the sweep: the values are all finite, and the slope of the root is not."""
    words = (
        r"sweep back through `np\.cbrt\(x\*\*3\)` gives inf at element \[1\]: the derivative of cbrt of 0, times .* 2 "
    )
    with debug_nans(), pytest.raises(FloatingPointError, match=words + rf"\({HERE}\)$"):
        differentiate(of_root, np.array([1.0, 0.0]))


@pytest.mark.parametrize("differentiate", FORWARD.values(), ids=FORWARD)
def test_a_tangent(differentiate):
    words = (
        r"tangent of `np\.cbrt\(x\*\*3\)` is nan at element \[1\]: the derivative of cbrt of 0, along the tangent .*0"
    )
    with debug_nans(), pytest.raises(FloatingPointError, match=words + rf".*\({HERE}\)$"):
        differentiate(of_root, np.array([1.0, 0.0]))


@pytest.mark.parametrize("differentiate", OTHERS.values(), ids=OTHERS)
def test_other_operators_name_it_too(differentiate):
    with debug_nans(), pytest.raises(FloatingPointError, match=rf"`np\.cbrt\(x\*\*3\)`.*\({HERE}\)$"):
        differentiate(of_root, np.array([1.0, 0.0]))


@every
def test_what_does_not_reach_the_result_is_no_error(differentiate):
    """A branch that is not chosen, a zero against an infinite slope, an infinity that e^x makes 0 of."""

    def f(x):
        chosen = np.where(x > 0.0, np.log(x), x)
        rooted = np.where(x > 1.5, np.sqrt(x - 2.0 + (x < 1.5)), 0.0)[:2]
        return np.sum(chosen**2) + np.sum(rooted * x[:2]) + np.sum(np.exp(-np.exp(x * 1000.0))[2:] * 0.0)

    expected = differentiate(f, X)
    with debug_nans():
        np.testing.assert_equal(differentiate(f, X), expected)


@every
def test_it_tells_the_cause_from_what_is_masked(differentiate):
    def f(x):
        masked = np.where(x > 0.0, np.log(x), 0.0)
        return np.sum(masked * np.log(x + 5.0)) + 1.0 / (np.sum(x) - 2.0)

    with (
        debug_nans(),
        pytest.raises(FloatingPointError, match=r"`1\.0 / \(np\.sum\(x\) - 2\.0\)` gives inf"),
    ):
        differentiate(f, X)


def test_arguments_and_cotangents_that_are_not_finite():
    f = lambda x, y: np.sum(x * y)
    with debug_nans():
        with pytest.raises(FloatingPointError, match=r"input 1 of the function is nan at element \[2\]$"):
            gradient(f, [X, np.array([1.0, 2.0, np.nan])])
        with pytest.raises(FloatingPointError, match="cotangent given, is inf"):
            vjp(np.sum, X)[1](np.inf)
        with pytest.raises(FloatingPointError, match=r"the tangent of input 0 of the function is inf at element \[0\]"):
            jvp(np.sum, [X], [np.array([np.inf, 0.0, 0.0])])


def test_a_sum_that_overflows():
    f = lambda x: x * 1.5e308 + x * 1.5e308
    with debug_nans(), pytest.raises(FloatingPointError, match=r"the sum of adjoints that reach input 0 .* is inf"):
        grad(f)(1e-300)


def test_functions_of_several_results_and_large_arrays():
    def f(x):
        w, v = np.linalg.eigh(x * np.ones((2, 2)))
        return np.sum(np.log(w[:1] - 1.0)) + v[0, 0]

    with debug_nans():
        with pytest.raises(FloatingPointError, match=r"`np\.log\(w\[:1\] - 1\.0\)` gives nan at element \[0\]"):
            grad(f)(1.0)
        with pytest.raises(FloatingPointError, match=r"`np\.cbrt\(x \* 2\.0 - 2\.0\)` gives inf"):
            grad(lambda x: np.sum(np.cbrt(x * 2.0 - 2.0) * 1.5))(np.ones(100_000))


def test_inside_a_loop_that_is_run_again():
    def f(x):
        return np.sum(checkpointed_loop(lambda k, s: np.cbrt(s), x * 0.0, 20))

    with debug_nans(), pytest.raises(FloatingPointError, match=rf"`np\.cbrt\(s\)` gives inf .*\({HERE}\)"):
        grad(f)(X)


def test_inner_differentiations_speak_for_themselves():
    """Also where f is at fault in an inner one; and what is fine stays so."""
    with debug_nans():
        with pytest.raises(FloatingPointError, match=r"`np\.cbrt\(x\*\*3\)`"):
            grad(lambda x: np.sum(grad(of_root)(x) ** 2))(np.array([0.0, 1.0]))
        assert derivative(lambda x: derivative(lambda y: y**3 * x, 0, [2.0]), 0, [1.0]) == 12.0


def test_variables_made_by_hand_name_the_operation():
    x = Variable(0.0)
    with debug_nans(), pytest.raises(FloatingPointError, match=r"sweep back through `cbrt\(v1\)` gives inf.*line 2 of"):
        np.cbrt(x**3).backward()


def test_a_recording_for_reading():
    with debug_nans(), pytest.raises(FloatingPointError, match=rf"`np\.log\(y\)` gives nan .*{HERE}"):
        record(of_log, [X])


def test_as_a_decorator_in_threads_and_off_afterwards():
    @debug_nans()
    def slope():
        return grad(of_root)(np.zeros(1))

    with pytest.raises(FloatingPointError, match="cbrt"):
        slope()
    assert watching() is None
    assert not np.isfinite(grad(of_root)(np.zeros(1))[0])
    raised = []

    def in_thread():
        try:
            grad(of_root)(np.zeros(1))
        except FloatingPointError as error:
            raised.append(error)

    for target, count in ((in_thread, 0), (debug_nans()(in_thread), 1)):
        with debug_nans():
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()
        assert len(raised) == count


def test_a_decorated_derivative_names_the_line_that_calls_it():
    with pytest.raises(FloatingPointError, match=rf"log of -1 \({HERE}\)"):
        debug_nans()(grad(np.log))(-1.0)


SECOND = {
    "hessian of a number": lambda: hessian(lambda x: x**1.5)(0.0),
    "hessian": lambda: hessian(lambda x: np.sum(x) ** 1.5)(np.zeros(2)),
    "hessian_diagonal": lambda: hessian_diagonal(lambda x: np.sum(x**1.5))(np.zeros(2)),
    "hvp": lambda: hvp(lambda x: np.sum(x**1.5))(np.zeros(2), np.ones(2)),
    "laplacian": lambda: laplacian(lambda x: np.sum(x**1.5))(np.zeros(2)),
    "taylor": lambda: taylor(lambda x: x**1.5, 0.0, 3),
    "taylor of a high order": lambda: taylor(lambda x: x**1.5, 0.0, 12),
    "taylor along a direction": lambda: taylor(lambda x: x**1.5, np.zeros(2), 3, direction=np.ones(2)),
    "derivative of order 5": lambda: derivative(lambda x: x**1.5, 0, [0.0], order=5),
    "derivative_tensor": lambda: derivative_tensor(lambda x: np.sum(x**1.5), np.zeros(2), 3),
}


@pytest.mark.parametrize("differentiate", SECOND.values(), ids=SECOND)
def test_infinities_of_higher_orders(differentiate):
    with debug_nans(), pytest.raises(FloatingPointError, match=rf"derivative .*power of 0, .*{HERE}"):
        differentiate()


def test_a_series_that_has_no_value_and_one_beyond_what_is_looked_for():
    with debug_nans():
        with pytest.raises(FloatingPointError, match=rf"`np\.log\(x\)` gives nan: log of -1 .*{HERE}"):
            taylor(lambda x: np.log(x), -1.0, 3)
        with pytest.raises(FloatingPointError, match=r"coefficient of order 10 of <lambda> is nan or inf"):
            taylor(lambda x: x**9.5, 0.0, 11)
        assert taylor(np.exp, 0.0, 2) == [1.0, 1.0, 0.5]


def test_higher_orders_that_are_mended_are_no_error():
    f = lambda x: np.sum(np.sqrt(x) * np.array([0.0, 1.0]))
    at = np.array([0.0, 1.0])
    with debug_nans():
        assert laplacian(f)(at) == -0.25
        assert hessian(f)(at).tolist() == [[0.0, 0.0], [0.0, -0.25]]
        assert hessian_diagonal(f)(at).tolist() == [0.0, -0.25]
        assert hvp(f)(at, np.ones(2)).tolist() == [0.0, -0.25]
        assert derivative_tensor(f, at, 2).tolist() == [[0.0, 0.0], [0.0, -0.25]]
        assert laplacian(np.sum)(np.zeros(0)) == 0.0


def test_what_cannot_be_recorded_says_where_it_fails():
    """The tangents of a function that takes dual numbers alone."""

    def f(x):
        if type(x).__name__ != "DualNumber":
            raise TypeError("only dual numbers")
        return np.cbrt(x**3)

    with debug_nans(), pytest.raises(FloatingPointError, match=r"a tangent of f is .*cannot be recorded"):
        derivative(f, 0, [0.0])
