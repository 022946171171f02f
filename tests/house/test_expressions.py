"""Typed expressions: what they mean, what is refused and how it is said; no text runs code or hangs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff import derivative, gradient
from autodiff.command_line.expressions import (
    CONSTANTS,
    FUNCTIONS,
    ExpressionError,
    assignments,
    expression,
    real_value,
    short,
)
from dualnumbers import dmath

X = 1.5


def value(text, x=X):
    return real_value(text, expression(text, ["x"]), [x])


def complaint(text):
    with pytest.raises(ExpressionError) as caught:
        value(text)
    return str(caught.value)


# ---------------------------------------------------------------------------------------- what they mean

MEANT = {
    "1": 1.0,
    "-x**2": -2.25,
    "+x - -x": 3.0,
    "x**-1": 1 / 1.5,
    "2**3**2": 512.0,
    "(x + 1) * (x - 1)": 1.25,
    "7 // 2 + 7 % 4 + x % 1": 6.5,
    "1e-3*x + .5": 0.5015,
    "sin(x)**sin(x)": math.sin(1.5) ** math.sin(1.5),
    "pi*e*tau": math.pi * math.e * math.tau,
    "log(x, 2)": math.log(1.5) / math.log(2.0),
    "max(x, 2) + min(x, 2) + abs(-x)": 5.0,
    "x if x > 1 else -x": 1.5,
    "x if x > 2 else -x": -1.5,
    "x if 1 < x < 2 and not x == 3 else 0": 1.5,
    "x if 1 < x < 1.2 or x != x else 0": 0.0,
    "log(-x) if x < 0 else x": 1.5,
    "0 if x < 9 or log(-x) else 1": 0.0,
    "fsum([x, 2*x, (3)])": 7.5,
    "prod((x, 2))": 3.0,
    "dist([x, 0], [0, 2])": 2.5,
    "sumprod([x, 1], [2, 3])": 6.0,
    "hypot(x, 2)": 2.5,
    "modf(x)[0] + modf(x)[1]": 1.5,
    "frexp(x)[1] * ldexp(frexp(x)[0], 2)": 3.0,
    "comb(5, 2) + factorial(4) + floor(x)": 35.0,
    "  x + 1  # a comment": 2.5,
    "(x +\n 1)": 2.5,
    "+".join("x" * 90): 135.0,
    "(" * 150 + "x" + ")" * 150: 1.5,
    "gcd(12, 18) * x": 9.0,
    "inf * x": math.inf,
}


@pytest.mark.parametrize("text", MEANT, ids=short)
def test_value(text):
    assert value(text) == pytest.approx(MEANT[text], rel=1e-15)


def test_the_names_of_math_are_all_there():
    public = {name for name in dir(math) if not name.startswith("_")}
    assert public <= FUNCTIONS.keys() | CONSTANTS.keys()
    assert all(FUNCTIONS[name] is getattr(dmath, name) for name in public & FUNCTIONS.keys())


def test_a_name_hides_a_constant_but_no_function():
    assert expression("e + 1", ["e"])(5.0) == 6.0
    assert expression("gamma + gamma(3)", ["gamma"])(5.0) == 7.0


def test_values_go_to_names_in_order():
    assert expression("x - y", ["y", "x"])(1.0, 5.0) == 4.0


def test_it_is_an_ordinary_function_to_both_modes():
    f = expression("x**2*y if x > y else fsum([x, y])", ["x", "y"])
    assert gradient(f, [3.0, 2.0]) == [derivative(f, k, [3.0, 2.0]) for k in (0, 1)] == [12.0, 9.0]
    assert derivative(f, (0, 1), [3.0, 2.0]) == 6.0
    assert gradient(f, [1.0, 2.0]) == [1.0, 1.0]


def test_a_chain_of_comparisons_evaluates_each_operand_once():
    from autodiff import record

    tape, _ = record(expression("x if 0 < 2*x < 9 else 0", ["x"]), [1.0])
    assert [row.name for row in tape.rows if row] == ["multiply", "greater", "less"]


operands = st.sampled_from(["x", "pi", "2", "0.5", "3"])
texts = st.recursive(
    operands,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/", "//", "%", "**"]), inner),
        st.builds("{}({})".format, st.sampled_from(["sin", "exp", "sqrt", "atan", "-", "+", "floor", "abs"]), inner),
        st.builds("({} if {} {} {} else {})".format, inner, inner, st.sampled_from(["<", ">=", "=="]), inner, inner),
    ),
    max_leaves=8,
)


@given(texts)
def test_it_means_what_python_means(text):
    try:
        expected = eval(text, {"x": X, "abs": abs, **vars(math)})
    except (ArithmeticError, ValueError, TypeError):
        expected = None
    huge = isinstance(expected, int) and abs(expected) >= 2**1023
    if expected is None or huge or isinstance(expected, complex):
        complaint(text)
    else:
        assert value(text) == pytest.approx(expected, rel=1e-12, nan_ok=True)


# ---------------------------------------------------------------------------------------- what is refused

REFUSED = {
    "sn(x)": "there is no function sn; did you mean sin?",
    "ln(x)": "did you mean log?",
    "arctan(x)": "did you mean atan?",
    "qqq(x)": "there is no function qqq",
    "z*x": "z: this variable has no value; add z=NUMBER",
    "x*taw": "did you mean tau?",
    "sin + 1": "sin: this is a function; write sin(...)",
    "x(2)": "x is a number; a product is written x*(...)",
    "pi(2)": "pi is a number; a product is written pi*(...)",
    "2(x)": "a product is written with *",
    "x^2": "a power is written **",
    "2x": "a product is written with *",
    "sin x": "not an expression (invalid syntax; write sin(...))",
    "x +": "not an expression",
    "x = 3": "the expression comes before NAME=NUMBER",
    "": "nothing: not an expression",
    " ": "nothing: not an expression",
    "x\ud800": "characters that are not text",
    "x\0": "not",
    "x, 2": "a list stands only",
    "[x] * 10**9": "a list stands only",
    "max([x, 2])": "a list stands only",
    "fsum(x)": "fsum takes lists",
    "modf(x) * 10**9": "modf gives two numbers",
    "modf(x)[2]": "brackets select",
    "x[0]": "brackets select",
    "x.real": "this is not arithmetic",
    "np.sin(x)": "by their name alone",
    "().__class__.__bases__[0]": "brackets select",
    "__import__('os')": "there is no function __import__",
    "eval('1')": "there is no function eval",
    "(lambda: 1)()": "this calls a number",
    "lambda: 1": "this is not arithmetic",
    "[y for y in [x]]": "this is not arithmetic",
    "f'{x}'": "this is not arithmetic",
    "(y := x)": "this is not arithmetic",
    "'a'": "not a real number",
    "True": "not a real number",
    "None": "not a real number",
    "...": "not a real number",
    "2j*x": "not a real number",
    "~x": "~ works on bits",
    "x @ x": "this operator does not work on real numbers",
    "1 << 10**9": "this operator does not work on real numbers",
    "x is 1": "compare numbers by",
    "x in [1]": "compare numbers by",
    "sin(*[x])": "one by one",
    "isclose(x, 1, rel_tol=1)": "one by one",
    "sin(x, 2)": "takes 1 positional argument",
    "comb(x, 2)": "integer",
    "x > 1": "its value is true or false",
    "not x": "its value is true or false",
    "(-8)**(1/3)*x": "its value is complex here",
    "log(-x)": "log(-x): no value at this point",
    "2 + 1/(x - x)": "1/(x - x): no value at this point (float division by zero)",
    "exp(1000*x)": "no value at this point",
    "0**-1": "no value at this point",
    "9**9**9**9": "the result is too large",
    "-9**9**9": "the result is too large",
    "2**1000 * 2**1000": "the result is too large",
    "9.0**9.0**9.0**9.0": "no value at this point",
    "1" + "0" * 400: "too large",
    "1" * 900: "too large",
    "factorial(10**8)": "the result is too large",
    "comb(10**6, 5*10**5)": "the result is too large",
    "perm(10**6)": "the result is too large",
    "factorial(900)": "the result is too large",
    "(" * 480 + "x" + ")" * 480: "nested more than 100 deep",
    "-" * 900 + "x": "nested more than 100 deep",
    "+".join("x" * 200): "nested more than 100 deep; a long sum is fsum([a, b, ...])",
    "sin(" * 120 + "x" + ")" * 120: "nested more than 100 deep",
    "x" * 20_000: "at most 1000",
    "-" * 5000 + "x": "at most 1000",
}


@pytest.mark.parametrize("text", ["foo(x)", "bar(x)", "f(x)", "exponential(x)"])
def test_a_name_that_is_far_from_all_others_is_not_corrected(text):
    with pytest.raises(ExpressionError, match=r"there is no function \w+$"):
        expression(text, ["x"])


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: ascii(short(text)))
def test_refused(text):
    message = complaint(text)
    assert REFUSED[text] in message
    assert "\n" not in message
    assert len(message) < 250


@given(st.text(max_size=30))
def test_any_text_has_a_value_or_one_line_that_says_why_not(text):
    try:
        found = value(text)
    except ExpressionError:
        assert len(complaint(text).splitlines()) == 1
    else:
        assert type(found) is float


@given(st.lists(st.sampled_from([*"x9().,[]*/%-+=<^:", "**", "//", " if ", " else ", "sin", "modf", "fsum", "1e9",
                                 "factorial", "not ", " and ", "lambda ", "\n", "#"]), max_size=14))  # fmt: skip
def test_any_words_have_a_value_or_one_line_that_says_why_not(words):
    test_any_text_has_a_value_or_one_line_that_says_why_not.hypothesis.inner_test("".join(words))


# ---------------------------------------------------------------------------------------- the values of variables


def test_assignments():
    given = ["x=1", "y = pi/4", "b=-2", "θ=1e-3", "z=-inf", "ﬁ=2"]
    assert assignments(given) == {"x": 1.0, "y": math.pi / 4, "b": -2.0, "θ": 1e-3, "z": -math.inf, "fi": 2.0}
    assert all(type(x) is float for x in assignments(given).values())
    assert math.isnan(assignments(["x=nan"])["x"])


NO_VALUES = {
    "x": "give a variable and its value",
    "=3": "give a variable and its value",
    "2x=3": "give a variable and its value",
    "lambda=1": "give a variable and its value",
    "x.y=1": "give a variable and its value",
    "": "give a variable and its value",
    "x=": "the value must be a number, such as 0.5 or pi/4",
    "x=abc": "the value must be a number",
    "x=x": "the value must be a number",
    "x==1": "the value must be a number",
    "x=True": "the value must be a number",
    "x=1j": "the value must be a number",
    "x=1/0": "the value must be a number",
    "x=9**9**9**9": "the value must be a number",
    "x=__import__('os')": "the value must be a number",
}


@pytest.mark.parametrize("item", NO_VALUES)
def test_bad_assignments(item):
    with pytest.raises(ExpressionError) as caught:
        assignments([item])
    assert NO_VALUES[item] in str(caught.value)
    assert str(caught.value).startswith(item)


def test_two_values_for_one_name():
    with pytest.raises(ExpressionError, match=r"x=2: x already has the value 1\.0"):
        assignments(["x=1", "x=2"])
