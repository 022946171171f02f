"""Loops of many rounds are compiled as loops of few rounds, and go on over all of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from autodiff import grad, jit, value_and_grad
from autodiff.calls.structures import flatten
from autodiff.compiler import making, shortening

pytest.importorskip("llvmlite")

ROUNDS = 150
RNG = np.random.default_rng(0)
DATA, LABELS = RNG.normal(size=ROUNDS), RNG.integers(0, 2, ROUNDS).astype(float)
ROWS = RNG.normal(size=(ROUNDS, 3))
X, SIGNS = RNG.normal(size=(20, 3)), RNG.choice([-1.0, 1.0], 20)
POINT = np.array([0.3, -0.4, 0.5])


@pytest.fixture
def cuts(monkeypatch):
    """How many rounds of the loops of each program in a test were left out, and whether it was made of that."""
    found = []
    of_short = making.Making._of_short

    def noted(self):
        made = of_short(self)
        short = shortening.shortened(self._folded)
        found.append(([cut.gap for cut in short.cuts] if short else [], made is not None))
        return made

    monkeypatch.setattr(making.Making, "_of_short", noted)
    return found


def oscillation(w):
    x, v = w, 0.0 * w
    for _ in range(ROUNDS):
        x, v = x + 0.01 * v, v - 0.01 * np.sin(x)
    return x * v


def data_beside(w):
    total, h = 0.0, w
    for k in range(ROUNDS):
        h = np.tanh(h * 0.9 + w * DATA[k])
        total = total + (h - DATA[-1 - k]) ** 2 * (1.5 if k == 1 else 2.0)
    return total


def network(w):
    h, total = 0.1 * w, 0.0
    for row in ROWS:
        h = np.tanh(w * h + row)
        total = total + np.sum(h * row) + np.log(np.sum(np.exp(h)))
    return total


def descent(w):
    gradient = grad(lambda w: np.mean(np.log1p(np.exp(-SIGNS * (X @ w)))))
    for _ in range(ROUNDS):
        w = w - 0.1 * gradient(w)
    return w


def two_loops(order):
    """Return a function of two loops, of which the second reads what the first one gave, in an order of its rounds."""

    def f(w):
        kept, x = [], w
        for _ in range(ROUNDS):
            x = np.sin(x) + 0.1 * w
            kept.append(x)
        total = 0.0 * w
        for x in order(kept):
            total = np.cos(total * x) + x
        return total

    return f


STRETCHED = [
    (value_and_grad(oscillation), 0.7),
    (value_and_grad(data_beside), 0.3),
    (value_and_grad(network), POINT),
    (descent, POINT),
    (grad(lambda w: np.sum(descent(w) ** 2)), POINT),
    (value_and_grad(two_loops(iter)), 0.4),
    (value_and_grad(two_loops(reversed)), 0.4),
]


@pytest.mark.parametrize("case", STRETCHED, ids=["oscillation", "data", "network", "descent", "through", "two", "back"])
def test_long_loops_are_made_of_short_ones(case, cuts):
    f, x = case
    compiled = jit(f)
    for point in (x, 1.1 * x, x - 0.5):
        for found, expected in zip(flatten(compiled(point))[0], flatten(f(point))[0], strict=True):
            assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    (left_out, is_made), *_ = cuts
    assert is_made
    assert min(left_out) >= 100


def far_back(w):
    """A round reads what the one five before gave."""
    kept = [w] * 5
    for _ in range(ROUNDS):
        kept.append(np.sin(kept[-5]) + 0.1 * kept[-1])
    return kept[-1]


def in_the_middle(w):
    """What a round in the middle gave is read at the end."""
    x, kept = w, w
    for k in range(ROUNDS):
        x = np.sin(x) + 0.1 * w
        kept = x if k == ROUNDS // 2 else kept
    return x * kept


def unlike(w):
    """A round in the middle is given another number."""
    x = w
    for k in range(ROUNDS):
        x = np.sin(x) * (0.5 if k == ROUNDS // 2 else 0.9)
    return x


def chosen(w):
    """Elements of an argument."""
    total = 0.0
    for k in range(len(w) - 1):
        total = total + (w[k + 1] - w[k] ** 2) ** 2
    return total


def labelled(w):
    """Numbers of few kinds; two lists of them that are equal at both ends."""
    total = 0.0
    for k, label in enumerate(LABELS):
        other = label if k < 40 or k > ROUNDS - 40 else 1.0 - label
        total = total + np.tanh(w * label + total) * other
    return total


@pytest.mark.parametrize("f", [far_back, in_the_middle, unlike, chosen, labelled], ids=lambda f: f.__name__)
def test_what_goes_on_otherwise_is_right_all_the_same(f, cuts):
    x = np.linspace(0.1, 0.9, ROUNDS) if f is chosen else 0.7
    both = value_and_grad(f)
    compiled = jit(both)
    for point in (x, 0.9 * x):
        for found, expected in zip(compiled(point), both(point), strict=True):
            assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("when", [0, 5, 70, 140, ROUNDS - 1])
def test_the_guard_of_each_round_is_looked_at(when, cuts):
    """A slope is NaN from some round on, which gives another way."""
    steps = np.full(ROUNDS, 0.01)
    steps[when] = 2.0

    def f(w):
        gradient = grad(lambda w: np.sum(np.sqrt(w)))
        for step in steps:
            w = w - step * gradient(w)
        return w

    compiled = jit(f)
    assert_allclose(compiled(np.array([400.0, 900.0])), f(np.array([400.0, 900.0])))
    path = compiled._programs.forms.popitem()[1].first
    assert cuts[0] == ([132], True)
    assert len(path.source.guards) == ROUNDS
    with np.errstate(all="ignore"):
        assert_array_equal(jit(f)(np.array([0.3, 900.0])), f(np.array([0.3, 900.0])))
        assert_array_equal(compiled(np.array([0.3, 900.0])), f(np.array([0.3, 900.0])))


STATEMENTS = (
    "s = s + 0.1 * np.sin({0} * {1})", "t = np.tanh({0}) * 0.5 + {1} * {2}", "s = 0.9 * s + {0} / (2.0 + {1} ** 2)",
    "u = np.maximum({0}, {1}) * 0.3", "h = np.tanh(h * {0} + r)", "h = np.cos(h[::-1] * {0}) + w * {1}",
    "s = s + 0.1 * np.sum(h * r)", "h = m @ np.tanh(h) * 0.3 + w", "t = 0.5 * t + np.exp(-(s * s)) * {0}",
    "h = np.where(h > 0.1, h * {0}, 0.2 * w)", "s, t = 0.7 * t, 0.5 * s + {0}", "h = h * 0.5; h[1] = {0}",
)  # fmt: skip
"""What may stand in a loop over numbers a and b and rows r of data, that carries numbers s, t, u and a vector h."""


class Drawn:
    """The source of a function of a vector w and a number s, with one or two long loops, and its data."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        rounds = int(self.rng.integers(70, 120))
        lines = ["def f(w, s):", "  t, u, h, kept = 0.3 * s, 1.0, w, []"]
        lines.append("  for a, b, r in zip(A, B, R):")
        lines += [f"    {self.statement('stuab')}" for _ in range(self.rng.integers(1, 5))]
        lines.append(f"    kept.append({self.rng.choice(list('stu'))})")
        if self.rng.random() < 0.6:
            order = self.rng.choice(["kept", "kept[::-1]", "kept[1:]"])
            lines.append(f"  for a, k, r in zip(A, {order}, R):")
            lines += [f"    {self.statement('stuak')}" for _ in range(self.rng.integers(1, 4))]
        lines.append("  return s + 0.5 * t * u + np.sum(np.sin(h)) + 0.1 * kept[2] * kept[-1]")
        self.source = "\n".join(lines)
        kinds = (self.rng.normal(size=rounds), self.rng.integers(0, 2, rounds).astype(float), np.full(rounds, 0.5))
        a, b = (kinds[k].tolist() for k in self.rng.integers(0, 3, 2))
        self.names = {"np": np, "A": a, "B": b, "R": self.rng.normal(size=(rounds, 3)), "m": MATRIX}

    def statement(self, names):
        atoms = self.rng.choice([*names, "0.7"], 3)
        return self.rng.choice(STATEMENTS).format(*atoms)

    def function(self):
        exec(self.source, self.names)
        return self.names["f"]


MATRIX = RNG.normal(size=(3, 3))


@pytest.mark.parametrize("seeds", [range(k, k + 8) for k in range(0, 48, 8)], ids=lambda seeds: str(seeds.start))
def test_random_loops(seeds, cuts, monkeypatch):
    """They are what they are with nothing left out; some are chaotic, and so not to all digits what they are."""
    for seed in seeds:
        drawn = Drawn(seed)
        f = value_and_grad(drawn.function(), (0, 1))
        compiled, whole, rng = jit(f), jit(f), np.random.default_rng(seed)
        for _ in range(2):
            w, s = rng.normal(size=3), float(rng.normal())
            found, expected = flatten(compiled(w, s))[0], flatten(f(w, s))[0]
            with monkeypatch.context() as patch:
                patch.setattr(shortening, "MANY", 1000)
                same = flatten(whole(w, s))[0]
            for one, other, exact in zip(found, same, expected, strict=True):
                size = np.max(np.abs(exact), initial=1.0)
                assert_allclose(one, other, rtol=1e-12, atol=1e-12 * size, err_msg=drawn.source)
                assert_allclose(one, exact, rtol=1e-6, atol=1e-6 * size, err_msg=drawn.source)
    assert any(is_made for _, is_made in cuts)


def test_stats_tell_how_many_rounds_were_compiled():
    both = jit(value_and_grad(network))
    both(POINT)
    (form,) = both.stats()
    (path,) = form["paths"]
    assert len(path["rounds"]) == 2
    for recorded, compiled in path["rounds"]:
        assert ROUNDS - 2 <= recorded <= ROUNDS
        assert 16 <= compiled < 30
    assert path["lines"] > 5 * ROUNDS


@pytest.mark.parametrize("f", [in_the_middle, lambda w: w * w], ids=["in the middle", "no loop"])
def test_no_rounds_are_told_of_what_was_compiled_whole(f):
    compiled = jit(f)
    compiled(0.5)
    assert [path["rounds"] for form in compiled.stats() for path in form["paths"]] == [[]]


def test_rounds_that_are_two_at_once_are_told_one_by_one():
    def f(x):
        t = 0.0
        for k in range(200):
            t = np.cos(t) + x[k // 2]
        return t

    compiled = jit(f)
    compiled(np.linspace(0.0, 1.0, 100))
    ((recorded, kept),) = compiled.stats()[0]["paths"][0]["rounds"]
    assert recorded in (199, 200)
    assert kept < 70
