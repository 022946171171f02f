"""What the four older systems have, in our spelling; and each of their measured defects, as a test that passes."""

import re
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from ancestors import INVENTORY, ITEMS, PICTURES_AND_LESSONS, names

import autodiff
import dualnumbers.dmath as dmath
from autodiff import Variable, array, forward, grad, jacobian, linalg, nn, reverse, vjp
from dualnumbers import DualNumber

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "coming-from-ancestors.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)

SECTIONS = {part.partition("\n")[0]: part for part in PAGE.split("\n## ")[1:]}

NAMESPACE: dict[str, object] = {}
exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1], NAMESPACE)  # type: ignore[index]


@pytest.mark.parametrize("here", [here for _, here in ROWS if not here.startswith(("gone", "here", "---"))])
def test_every_name_of_the_page_is_there(here):
    spans = re.findall(r"`([^`]+)`", here)
    files = [name for name in spans if re.search(r"\.(ipynb|pdf|py)$", name)]
    known = [name for name in spans if name.split(".")[0].split("(")[0] in NAMESPACE]
    assert known or files or here.startswith("operators")
    for name in known:
        eval(name, NAMESPACE)
    for name in files:
        assert (ROOT / name).is_file()


def same(found, expected):
    """Equal to rounding, through lists, tuples and dicts."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        found, expected = list(found.values()), list(expected.values())
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    elif isinstance(expected, (str, bool, type(None))):
        assert found == expected
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("program", [pytest.param(run, id=f"{system}: {names[0]}") for system, names, run in ITEMS])
def test_every_item_in_our_spelling(program):
    pairs = program()
    assert pairs
    for found, expected in pairs:
        same(found, expected)


@pytest.mark.parametrize("system", INVENTORY)
def test_every_item_has_a_program(system):
    assert set(chain.from_iterable(items for where, items, _ in ITEMS if where == system)) == names(INVENTORY[system])


@pytest.mark.parametrize("system", INVENTORY)
def test_every_item_stands_on_the_page(system):
    """Item by item: what stands there in backquotes, operators one by one, is what the system has, no less, no more."""
    there = re.findall(r"^\| (.+?) \| ", SECTIONS[system], re.MULTILINE)
    spans = [span for column in there for span in re.findall(r"`([^`]+)`", column)]
    found = {name for span in spans for name in ([span] if re.search("[A-Za-z]", span) else span.split())}
    assert found == names(INVENTORY[system]) | names(PICTURES_AND_LESSONS[system])


# ------------------------------------------------------------------------------- Hands-on-Intro-to-Auto-Diff


def test_dual_numbers():
    x = DualNumber(3.0, 1.0)
    assert DualNumber(2.0, 0.0) < x
    assert (-x, abs(-x)) == (DualNumber(-3.0, -1.0), x)
    assert (DualNumber(0.0, 1.0) ** 0).real == 1.0
    cube = DualNumber(-2.0, 1.0) ** DualNumber(3.0, 0.0)
    assert (cube.real, cube.dual) == (-8.0, 12.0)
    assert np.sin(x).dual == np.cos(3.0)
    np.testing.assert_array_equal((DualNumber(np.ones(2), np.arange(2.0)) * 2.0).dual, [0.0, 2.0])


def test_checks_take_any_sequence():
    f = lambda x, y: dmath.sin(x) * y
    assert forward.check_derivative(f, 0, (0.5, 2.0), forward.derivative(f, 0, (0.5, 2.0)))
    assert reverse.check_gradient(f, np.array([0.5, 2.0]), reverse.gradient(f, [0.5, 2.0]))


def test_a_node_used_at_different_depths():
    """2.597 there: adjoints were passed on before all had come."""
    x = Variable(0.5)
    y = np.sin(x)
    z = y * x + np.exp(y) * np.cos(y * x)
    z.backward()
    s, c, e = np.sin(0.5), np.cos(0.5), np.exp(np.sin(0.5))
    slope = c * 0.5 + s
    assert x.grad == pytest.approx(slope + e * c * np.cos(s * 0.5) - e * np.sin(s * 0.5) * slope, rel=1e-14)


def test_mean_sums_along_axes_and_broadcasts():
    assert grad(np.mean)(np.arange(3.0)).tolist() == [1 / 3] * 3
    assert grad(lambda x: np.sum(np.sum(x, axis=1) ** 2))(np.ones((2, 3))).tolist() == [[6.0] * 3] * 2
    a, b = Variable(np.ones((3, 1))), Variable(np.ones((1, 3)))
    np.sum(a + b).backward()
    assert (a.grad.shape, b.grad.shape) == ((3, 1), (1, 3))
    assert grad(lambda x: np.sum((-x @ x.T)[0]))(np.ones((2, 2))).tolist() == [[-3.0, -3.0], [-1.0, -1.0]]


def test_gradients_by_name():
    found = grad(lambda w: np.sum(w["a"] * w["b"]))({"a": np.ones(2), "b": np.array([3.0, 4.0])})
    assert {name: part.tolist() for name, part in found.items()} == {"a": [3.0, 4.0], "b": [1.0, 1.0]}


# ------------------------------------------------------------------------------------------- CS207 autograd


def test_every_variable_is_an_input():
    """There the newest one overwrote the input."""
    x, y = Variable(2.0), Variable(3.0)
    (x * y).backward()
    assert (x.grad, y.grad) == (3.0, 2.0)
    assert {x: "a key"}[x] == "a key"


def test_no_dense_jacobian_of_elementwise_functions():
    """32 MB there, for 2,000 elements."""
    x = Variable(np.linspace(0.0, 1.0, 200_000))
    np.sum(np.sin(x)).backward()
    np.testing.assert_array_equal(x.grad, np.cos(x.data))


def test_thousands_of_operations():
    for start in (Variable(1.0), Variable(np.ones(3))):
        y = start
        for _ in range(5_000):
            y = y * 1.0001
        np.sum(y).backward()
        np.testing.assert_allclose(start.grad, 1.0001**5_000, rtol=1e-12)


# ---------------------------------------------------------------------------------------------- Autogradlib


def test_powers_and_numbers_in_front():
    x = Variable(2.0)
    (x**3).backward()
    assert x.grad == 12.0  # 6 there
    x.zero_grad()
    (2 * x).backward()
    assert x.grad == 2.0


def test_shared_nodes_are_swept_once():
    """Sixteen doublings took 0.22 s there, and each one more twice as long."""
    x = Variable(1.0)
    y = x
    for _ in range(60):
        y = y + y
    y.backward()
    assert x.grad == 2.0**60


def test_a_network_as_there():
    net = nn.Sequential(nn.Linear(2, 5, rng=1), nn.ReLU(), nn.Linear(5, 2, rng=2), nn.Softmax(axis=1))
    X, Y = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    adam = nn.Adam(net.parameters(), lr=0.02)
    losses = []
    for _ in range(200):
        loss = nn.mse(net(X), Y)
        net.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.data)
    assert losses[-1] < 0.1 * losses[0]


# ------------------------------------------------------------------------------------------------ micrograd


def test_the_posts_example_row_by_row():
    f = lambda x: array([x[0] + 4 * x[1], 10 * x[1] ** 2 + np.sin(x[2])])
    x = np.array([1.0, 2.0, 3.0])
    expected = [[1.0, 4.0, 0.0], [0.0, 40.0, np.cos(3.0)]]
    np.testing.assert_allclose(jacobian(f)(x), expected)
    for row, unit in zip(expected, np.eye(2), strict=True):
        np.testing.assert_allclose(vjp(f, x)[1](unit)[0], row)


def test_items_are_assigned():
    def f(x):
        y = x * 1.0
        y[0] = y[1] * y[2]
        return np.sum(y * y)

    assert grad(f)(np.array([1.0, 2.0, 3.0])).tolist() == [0.0, 2 * 2 * 9 + 4.0, 2 * 3 * 4 + 6.0]


def test_arrays_of_both_kinds_beside_one_another():
    x = Variable([1.0, 2.0])
    for product in (np.array([3.0, 4.0]) * x, x * np.array([3.0, 4.0])):
        assert isinstance(product, Variable)
    for y in (x + Variable([[1.0], [2.0]]), x**x, 2**x):
        assert isinstance(y, Variable)
    repeated = x[np.array([0, 0, 1])]
    np.sum(repeated).backward()
    assert x.grad.tolist() == [2.0, 1.0]


def test_a_krylov_solver_without_the_matrix():
    from scipy.sparse.linalg import LinearOperator, gmres

    f = lambda x: np.stack([x[0] ** 2 + x[1], np.sin(x[0]) + 3.0 * x[1]])
    x, b = np.array([1.0, 2.0]), np.array([1.0, 1.0])
    push = autodiff.linearize(f, x)[1]
    found, failed = gmres(LinearOperator((2, 2), matvec=push), b, rtol=1e-12)
    assert not failed
    np.testing.assert_allclose(found, np.linalg.solve([[2.0, 1.0], [np.cos(1.0), 3.0]], b), rtol=1e-10)


def test_linear_algebra():
    A, x = np.array([[2.0, 1.0], [0.0, 3.0]]), np.array([1.0, -1.0])
    assert linalg.quadratic_form(A, x) == pytest.approx(0.5 * (x @ A @ x))
    np.testing.assert_allclose(linalg.solve(A, x), np.linalg.solve(A, x))
