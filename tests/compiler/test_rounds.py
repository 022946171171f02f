"""Rounds that happen to be given equal numbers, or ones, are rounds of a loop all the same."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from autodiff import grad, jit, value_and_grad
from autodiff.calls.structures import flatten
from autodiff.compiler import making, rounds, source

pytest.importorskip("llvmlite")

RNG = np.random.default_rng(0)
FEW, LABELS = (RNG.integers(0, n, 100).astype(float).tolist() for n in (3, 2))
MANY = RNG.normal(size=100).tolist()
ROWS = RNG.integers(0, 2, (100, 2)).astype(float)
MATRIX = RNG.normal(size=(3, 3))


def squares(w):
    total = 0.0
    for x, y in zip(FEW, MANY, strict=True):
        total = total + (np.tanh(w * x) - y) ** 2
    return total


def likelihood(w):
    total = 0.0
    for x, label in zip(MANY, LABELS, strict=True):
        p = 1 / (1 + np.exp(-(w * x + 0.5 * w)))
        total = total - (label * np.log(p) + (1 - label) * np.log(1 - p))
    return total


def descent(w):
    for x, label in zip(MANY, LABELS, strict=True):
        w = w - 0.1 * (1 / (1 + np.exp(-w * x)) - label) * x
    return w


def rows(w):
    h, total = 0.1, 0.0
    for x in ROWS:
        h = np.tanh(w * h + x * w)
        total = total + np.sum(h * x)
    return total


def twice_a_round(w):
    total = 0.0
    for x, y in zip(FEW, LABELS, strict=True):
        total = total + np.sin(w * x) * np.cos(w * y) + np.sin(w * y) * (w * x)
    return total


def constant_matrix(w):
    h = w
    for _ in range(60):
        h = np.tanh(MATRIX.T @ h + w * h)
    return np.sum(h)


@pytest.fixture
def nodes(monkeypatch):
    """The number of nodes in the kernels of each program that is compiled in a test."""
    from autodiff.compiler.native import entry

    found = []
    write = entry.Text._write
    count = lambda text: sum(len(kernel.nodes) for kernel in text.kernels)
    monkeypatch.setattr(entry.Text, "_write", lambda self: (found.append(count(self)), write(self))[1])
    return found


@pytest.mark.parametrize(("f", "x"), [
    (squares, 0.7), (likelihood, 0.7), (descent, 0.3), (twice_a_round, 0.4), (rows, np.array([0.3, 0.4])),
    (constant_matrix, np.array([0.3, -0.4, 0.5])),
], ids=lambda x: getattr(x, "__name__", ""))  # fmt: skip
def test_data_that_repeat_themselves(f, x, nodes):
    both = value_and_grad(f)
    compiled = jit(both)
    for point in (x, 1.1 * x, x - 1.0):
        for found, expected in zip(compiled(point), both(point), strict=True):
            assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    assert nodes[-1] < 150


def test_equal_steps_of_a_recursion_are_computed_once(monkeypatch):
    def minors(rows):
        if len(rows) == 1:
            return rows[0][0]
        rest = [[row[:k] + row[k + 1 :] for row in rows[1:]] for k in range(len(rows))]
        return sum((-1.0) ** k * rows[0][k] * minors(rest[k]) for k in range(len(rows)))

    def determinant(x):
        return minors([[x[5 * i + k] for k in range(5)] for i in range(5)])

    def lines():
        compiled = jit(grad(determinant))
        compiled(np.arange(25.0) ** 0.5)
        (form,) = compiled.stats()
        return form["paths"][0]["lines"]

    found = lines()
    monkeypatch.setattr(rounds, "ROUNDS", 1000)
    assert found == lines()


def test_what_is_kept_in_one_round_is_kept_in_all():
    kept = []

    def others(so_far):
        kept.append(len(so_far))
        return np.array([number if number in so_far or number % 20 else 0 for number in range(1, 101)])

    compiled = jit(lambda x: [x := x * y for y in MANY][-1])
    compiled(0.5)
    (form,) = compiled._programs.forms.values()
    program = form.first.making.whole
    assert len(program.steps) == 100
    assert list(rounds.evenly(program, others)) == list(range(1, 101))
    assert kept == [0, 100]


@pytest.mark.parametrize("seed", range(12))
def test_random_loops_over_data_of_few_kinds(seed):
    rng = np.random.default_rng(seed)
    sets = ([0.0, 1.0], [1.0, 2.0], [-1.0, 0.0, 1.0], [0.5, 1.0, 1.5, 2.0])
    data = [rng.choice(sets[rng.integers(4)], 30).tolist() for _ in range(3)]
    terms = ["s = s + {0} * w", "s = s + np.sin(w * {0}) * {1}", "h = h * 0.5 + {0} * w", "s = s + h * h * {1}",
             "t = {0} * w; s = s + t * {1}", "h = np.tanh(h * {0}) + w * {2}", "s = s - (w * {1}) ** 2"]  # fmt: skip
    body = [rng.choice(terms).format(*rng.permutation(["a", "b", "c"])) for _ in range(rng.integers(2, 5))]
    lines = ["def f(w):", " s, h = 0.0, w", " for a, b, c in zip(*data):", *(f"  {line}" for line in body),
             " return s + h"]  # fmt: skip
    names = {"np": np, "data": data}
    exec("\n".join(lines), names)
    both = value_and_grad(names["f"])
    compiled = jit(both)
    for w in (0.3, -1.2, 2.0):
        for found, expected in zip(compiled(w), both(w), strict=True):
            assert_allclose(found, expected, rtol=1e-9, atol=1e-11, err_msg="\n".join(lines))


def layered(steps):
    """Return a function of two layers of cells, whose gradient adds up what each step gives to shared weights."""
    sequence = RNG.integers(0, 2, (steps + 1, 4)).astype(float)

    def loss(weights, scale):
        cells, hidden, total = [np.zeros(4), np.zeros(4)], [np.zeros(4), np.zeros(4)], 0.0
        for t in range(steps):
            x = sequence[t] * scale
            for k in range(2):
                gates = np.concatenate([x, hidden[k]]) * weights[2 * k] + weights[2 * k + 1]
                cells[k] = cells[k] / (1 + np.exp(-gates[:4])) + np.tanh(gates[4:])
                x = hidden[k] = np.tanh(cells[k])
            total = total + np.sum(sequence[t + 1] * x) - np.log(np.sum(np.exp(x)) + 2.0)
        return total / steps

    return loss


@pytest.mark.parametrize("is_short", [False, True])
def test_a_network_of_many_steps_is_as_many_loops_as_one_of_a_few(nodes, is_short, monkeypatch):
    """And of no more where most of its steps are left out before the passes."""
    if not is_short:
        monkeypatch.setattr(making, "shortened", lambda program: None)
    weights, scale = RNG.normal(size=(4, 8)), RNG.normal(size=4)
    for steps in (40, 300):
        both = value_and_grad(layered(steps), (0, 1))
        found, expected = (flatten(f(weights, scale))[0] for f in (jit(both), both))
        for x, y in zip(found, expected, strict=True):
            assert_allclose(x, y, rtol=1e-10, atol=1e-13)
    few, many = nodes
    assert many <= few < 400
    assert is_short or many == few


def test_what_is_too_long_for_python_is_called_as_it_stands(monkeypatch):
    monkeypatch.setattr(source, "LONGEST", 5)
    f = jit(lambda x: np.linalg.eigvalsh(np.sin(np.linalg.eigvalsh(np.cos(np.linalg.eigvalsh(x)) * x)) * x).sum())
    x = RNG.normal(size=(3, 3))
    x = x + x.T
    assert_allclose(f(x), f.f(x), rtol=1e-13)
    (form,) = f.stats()
    assert "more than 5 of its steps" in form["eager"]
    assert not form["paths"]
