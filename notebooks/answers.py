"""Says whether an answer to an exercise of a lesson is right, and if not, why: ``check("Hundred-Lines", 1, answer)``.

What is expected is found in another way than the lesson's, and only when it is asked for.

>>> check("Hundred-Lines", 3, 1.0)
Exercise 3: wrong. That is the true derivative; with one level the inner differentiation takes both tangents.
>>> bool(check("Hundred-Lines", 3, 2.0))
True
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

import autodiff
from autodiff.differences import difference_quotient


@dataclass(frozen=True)
class Verdict:
    """What a cell shows; true if the answer is right."""

    text: str
    right: bool = False

    def __bool__(self):
        return self.right

    def __repr__(self):
        return self.text


@dataclass(frozen=True)
class Exercise:
    """What is expected, numbers or arrays of them; what to learn from it; wrong answers, by the reason."""

    expected: Callable[[], Any]
    lesson: str
    mistakes: dict[str, Any] = field(default_factory=dict)
    rtol: float = 1e-6


def check(lesson: str, number: int, answer: Any = ...) -> Verdict:
    """Compare an answer with what is expected, and with the mistakes that others made."""
    exercise, name = EXERCISES[lesson][number - 1], f"Exercise {number}: "
    if answer is ...:
        return Verdict(name + "put your answer in the place of the dots, and run the cell.")
    try:
        others = [x for x in np.asarray(answer, object).flat if not isinstance(x, Real)]
        found = np.asarray(() if others else answer, float)
    except TypeError:  # of what carries derivatives
        others = [answer]
    if others:
        return Verdict(f"{name}wrong. Numbers are asked for, not {type(others[0]).__name__}.")
    expected = np.asarray(exercise.expected(), float)
    if found.shape != expected.shape:
        return Verdict(f"{name}wrong. The answer has the shape {expected.shape}, yours has {found.shape}.")
    if _close(found, expected, exercise.rtol):
        return Verdict(f"{name}right. {exercise.lesson}", True)
    for reason, mistake in exercise.mistakes.items():
        if _close(found, np.asarray(mistake, float), exercise.rtol):
            return Verdict(f"{name}wrong. {reason}")
    if _close(found, expected, 1e-2):
        return Verdict(f"{name}almost. Give all the digits that you found, not rounded ones.")
    with np.errstate(invalid="ignore"):  # ∞ − ∞, where it is not asked for
        error = np.where(found == expected, 0.0, np.abs(found - expected))
    place = np.unravel_index(np.argmax(np.nan_to_num(error, nan=np.inf)), found.shape)
    where = f"Element {', '.join(map(str, place))} of it, {found[place]:.6g}," if place else f"{found:.6g}"
    if np.isnan(found[place]):
        return Verdict(f"{name}wrong. {where} is not a number.")
    return Verdict(f"{name}wrong. {where} is {'too small' if found[place] < expected[place] else 'too large'}.")


def _close(found, expected, rtol):
    scale = np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
    is_close = found.shape == expected.shape and np.allclose(found, expected, rtol, 1e-3 * rtol * scale, equal_nan=True)
    return bool(is_close)


def _kepler(M, e):
    E = M
    for _ in range(60):
        E = M + e * np.sin(E)
    return E


def _bend():
    """The second derivative of exp(sin x) in the middle of 0 and 0.1."""
    return np.exp(np.sin(0.05)) * (np.cos(0.05) ** 2 - np.sin(0.05))


def _integral():
    """The integral of exp(sin x) from 0 to 0.1, by Gauss's points."""
    nodes, weights = np.polynomial.legendre.leggauss(10)
    return 0.05 * np.sum(weights * np.exp(np.sin(0.05 + 0.05 * nodes)))


def _decays(t):
    """The derivatives of a sum of two decays by its parameters, at 2, 0.5, 1, 3."""
    slow, fast = np.exp(-0.5 * t), np.exp(-3.0 * t)
    return np.stack([slow, -2.0 * t * slow, fast, -t * fast], axis=1)


def _points():
    """The 500 points of the lesson on forward mode."""
    random = np.random.default_rng(2026)
    xs = random.uniform(0.0, 2.0, 500)
    return xs, 3.0 * xs + 2.0 + random.normal(0.0, 0.5, 500)


def _turns():
    """How often a pendulum turns round that is pushed the way it moves, with 0.2, until it is over the top."""
    angle, speed, turns = 0.0, 0.0, 0
    while abs(angle) < np.pi:
        before = speed
        speed += 0.01 * (np.copysign(0.2, speed) - np.sin(angle) - 0.05 * speed)
        angle += 0.01 * speed
        turns += before * speed < 0.0
    return turns


def _product(x, y):
    return (x * y + np.sin(x)) * y


EXERCISES = {
    "Hundred-Lines": (
        Exercise(
            lambda: [1 / np.cosh(0.5) ** 2, -2 * np.tanh(0.5) / np.cosh(0.5) ** 2],
            "One line in the table, and both modes and every order know the function.",
            {"The second number is the first derivative once more.": [1 / np.cosh(0.5) ** 2, 1 / np.cosh(0.5) ** 2]},
        ),
        Exercise(
            lambda: autodiff.hessian(lambda v: _product(v[0], v[1]))(np.array([2.0, 3.0])),
            "It is symmetric, and nobody has seen to that.",
            {"Those are the first derivatives.": [[9 + 3 * np.cos(2.0), 12 + np.sin(2.0)]] * 2},
        ),
        Exercise(
            lambda: 2.0,
            "No error, no NaN, a wrong number: that is why every differentiation has a level of its own.",
            {"That is the true derivative; with one level the inner differentiation takes both tangents.": 1.0},
        ),
        Exercise(
            lambda: autodiff.derivative(lambda x: x**10, 0, [1.1]),
            "A method that is made of others needs no derivative of its own.",
            {"That is the value, not the derivative.": 1.1**10, "The factor 10 is missing.": 1.1**9},
        ),
    ),
    "Property-Based-Checks": (
        Exercise(
            lambda: 2,
            "A formula that is near to the right one need not have a derivative near to the right one.",
            {"The slope is off by 5e-9 at the most, and passes.": 1, "The slope of a staircase is 0.": 3},
        ),
        Exercise(
            lambda: np.diff(np.sort([3.0, 1.0, 1.5, 7.0, 1.2])).min(),
            "A point is left out rather too often than too rarely.",
            {"That is the distance of the median from the next; other elements are nearer to each other.": 0.3},
        ),
        Exercise(
            lambda: 1,
            "What hypothesis shows is the plainest example, not the first one.",
            {"One element may be enough: how large must it be?": 3},
        ),
    ),
    "Machine-Code": (
        Exercise(
            lambda: 1,
            "Equal lines are computed once.",
            {"Two stand in the function. Look at the program.": 2},
        ),
        Exercise(
            lambda: 1,
            "The second loop was the sweep's.",
            {"Without a derivative there is no sweep.": 2},
        ),
        Exercise(
            lambda: 3,
            "A way is the answers to all the questions; a loop whose length depends on the value has many.",
            {"There is a recording for each way.": 1, "12 goes through 6, but its way is longer by a round.": 2},
        ),
    ),
    "Jacobians-and-Sparsity": (
        Exercise(
            lambda: 4,
            "A multiple of three points would do with three.",
            {"Go once around: what are the colours where the ends meet?": 3, "That is the number of points.": 8},
        ),
        Exercise(
            lambda: [0, 2],
            "One dense column costs one tangent more, no matter how many others there are.",
            {"All columns meet column 0.": [9, 2], "Columns that do not meet may have one colour.": [0, 10]},
        ),
        Exercise(
            lambda: 28,
            "A sum over neighbours has a Hessian of neighbours.",
            {"It is symmetric, and both halves count.": 19, "The elements next to the diagonal count, too.": 10},
        ),
    ),
    "Taylor-Series": (
        Exercise(
            lambda: [0, 1, -1 / 2, 1 / 3, -1 / 4],
            "The rule of every function comes from its derivative.",
            {"Those are derivatives; divide by k!.": [0, 1, -1, 2, -6]},
        ),
        Exercise(
            lambda: 5 / 66,
            "A removable 0/0 is removed by a shift of coefficients.",
            {"That is the coefficient; multiply by 10!.": 5 / 66 / 3628800},
        ),
        Exercise(
            lambda: np.pi / 2 - 0.5,
            "The nearest pole rules, here on the axis.",
            {"That is the quotient the other way round.": 1 / (np.pi / 2 - 0.5), "About 0 it would be so.": np.pi / 2},
        ),
    ),
    "Implicit-Functions": (
        Exercise(
            lambda: 1 / (1 + np.exp(0.567143290409784)),
            "Any function that is defined by an equation has such a derivative.",
            {"That is the value, not the derivative.": 0.567143290409784},
        ),
        Exercise(
            lambda: -0.739085133215161 * np.sqrt(1 - 0.739085133215161**2) / (1 + np.sqrt(1 - 0.739085133215161**2)),
            "The iteration itself was never differentiated.",
            {"That is the fixed point itself.": 0.739085133215161},
        ),
        Exercise(
            lambda: 2.0,
            "There the two solutions meet, and the slope of each is infinite.",
            {"That is x; p is asked for.": -1.0, "That is the other turning point, at x = 1.": -2.0},
        ),
    ),
    "Uncertainties": (
        Exercise(
            lambda: np.pi * np.hypot(2 * 2 * 10 * 0.1, 4 * 0.2),
            "The radius, which is squared, is what matters.",
            {
                "Independent errors add by their squares.": np.pi * (4.0 + 0.8),
                "That is the variance.": np.pi**2 * (16.0 + 0.64),
            },
        ),
        Exercise(
            lambda: np.sqrt(0.002),
            "What errs together cancels in a difference.",
            {
                "That would be so without the correlation.": np.sqrt(0.02),
                "In a difference the covariance is subtracted.": np.sqrt(0.038),
            },
        ),
        Exercise(
            lambda: 0.995,
            "The spread moves the mean, although it does not tilt anything.",
            {
                "That is the cosine of the mean.": 1.0,
                "The half is missing.": 0.99,
                "That is the exact mean; the second derivative gives it to five digits.": np.exp(-0.005),
            },
        ),
    ),
    "Dual-Math": (
        Exercise(
            lambda: [13.0, -0.25],
            "The square of ε is nowhere to be seen.",
            {
                "The sign: 2·(−1) + 3·5, and −1/4.": [13.0, 0.25],
                "The second one is divided by the square, 4.": [13.0, -0.5],
            },
        ),
        Exercise(lambda: 0.25, "It is σ (1 − σ), and σ is one half there.", {"That is the value.": 0.5}),
        Exercise(lambda: 0.0, "So it is a plain number, a².", {"Both products count: a·(−b) and b·a.": -28.0}),
        Exercise(lambda: [12.0, 14.0], "Sums and products are enough for all polynomials."),
        Exercise(
            lambda: [9.1, 2.2, -9.8],
            "Two units carry a second derivative.",
            {"The second derivative of 4.9 t² is 9.8.": [9.1, 2.2, -4.9]},
        ),
        Exercise(lambda: 0.7390851332151607, "The number of right digits doubles at each step.", rtol=1e-12),
        Exercise(
            lambda: [0.0, np.inf, 0.0],
            "A tangent of exactly 0 means that nothing changes, whatever comes after it.",
            {"Zero wins against an infinite slope, where nothing changes.": [0.0, np.inf, np.nan]},
        ),
    ),
    "Forward-AD": (
        Exercise(
            lambda: difference_quotient(lambda x: x**x, 0, [2.0])[0],
            "Both places where x stands count.",
            {"That is x·x^(x − 1): the exponent changes as well.": 4.0, "That is for a constant base.": 4 * np.log(2)},
        ),
        Exercise(
            lambda: np.sqrt(2.2e-16),
            "Half of the digits are lost there.",
            {"Where both terms are equal, h/2 = u/h.": 1.1e-16, "h/2 and u/h, not h and u/h.": np.sqrt(1.1e-16)},
            rtol=0.02,
        ),
        Exercise(
            lambda: [4 * np.pi, 0.4 * np.pi],
            "The radius counts ten times as much.",
            {"Those are the slopes; times 0.1 cm.": [40 * np.pi, 4 * np.pi]},
            rtol=0.01,
        ),
        Exercise(lambda: np.cbrt(5.0), "An exact slope, and the digits double.", rtol=1e-12),
        Exercise(
            lambda: np.polyfit(*_points(), 2)[::-1],
            "The loss gets less than one per cent smaller: c only follows the noise.",
            {"np.polyfit begins with the highest power; here it is the last.": [0.110695, 2.763460, 2.096671]},
            rtol=1e-3,
        ),
        Exercise(
            lambda: [0, 1],
            "A check at one point is a check at one point.",
            {
                "At 1 the ripple has the slope 0.0005, which it sees.": [1, 1],
                "At π/2 the slope of the ripple is 0.": [0, 0],
            },
        ),
    ),
    "Reverse-AD": (
        Exercise(
            lambda: [np.exp(0.5) / 2, -np.exp(0.5) / 4],
            "A new function is two entries, wherever it is used.",
            {"The quotient falls when y grows.": [np.exp(0.5) / 2, np.exp(0.5) / 4]},
        ),
        Exercise(
            lambda: [9 + 3 * np.cos(2.0), 12 + np.sin(2.0)],
            "One push for each input, where one sweep does them all.",
            {"That is the other way round.": [12 + np.sin(2.0), 9 + 3 * np.cos(2.0)]},
        ),
        Exercise(
            lambda: [8.0, 4.0, 2.0, 1.0],
            "Each square doubles what comes back.",
            {"From the input to the result, please.": [1.0, 2.0, 4.0, 8.0]},
        ),
    ),
    "Computational-Graphs": (
        Exercise(
            lambda: 6,
            "One for each round, and the one that ends the loop.",
            {"The comparison that ends the loop counts, too.": 5},
        ),
        Exercise(lambda: [3, 2], "The array of squares is a line of its own.", {"The input is a line, too.": [2, 1]}),
        Exercise(
            lambda: -(1.5**2) * np.sin(1.5) + 6 * np.cos(1.5) + 2 * np.sin(1.5),
            "A gradient is a program, which has a drawing and a gradient.",
            {"That is the first derivative.": 1.5**2 * np.cos(1.5) + 3 * np.sin(1.5)},
        ),
    ),
    "Higher-Order": (
        Exercise(
            lambda: _integral() - 0.05 * (1 + np.exp(np.sin(0.1))),
            "The prediction is right to a fraction of a per cent.",
            {
                "The third power of h, and 12.": -_bend() * 0.01 / 12,
                "The sign: the trapezoid is too large.": _bend() * 0.001 / 12,
            },
            rtol=0.02,
        ),
        Exercise(lambda: np.cbrt(5.0), "Each step triples the digits, and costs a second derivative.", rtol=1e-12),
        Exercise(
            lambda: 1.0,
            "That is what a level is.",
            {"The inner differentiation has taken both tangents.": 2.0},
        ),
    ),
    "Vector-Functions": (
        Exercise(
            lambda: [[1, 4, 0], [0, 40, np.cos(3.0)]],
            "Columns by one mode, rows by the other.",
            {"20 times x₂, which is 2.": [[1, 4, 0], [0, 20, np.cos(3.0)]]},
        ),
        Exercise(
            lambda: 2,
            "It knows the diffusion; the number of Newton steps is that of the equation.",
            {"Those become more with c, with a preconditioner or without.": 1},
        ),
        Exercise(
            lambda: np.linalg.norm(_decays(np.linspace(0.0, 4.0, 2000)), 2) ** 2,
            "Nobody has multiplied two matrices.",
            {"Take the square of the singular value.": np.linalg.norm(_decays(np.linspace(0.0, 4.0, 2000)), 2)},
        ),
    ),
    "Custom-Rules": (
        Exercise(
            lambda: np.sin(_kepler(1.0, 0.3)) / (1 - 0.3 * np.cos(_kepler(1.0, 0.3))),
            "A solver in C, and an exact derivative of any order.",
            {"That is the derivative by M.": 1 / (1 - 0.3 * np.cos(_kepler(1.0, 0.3)))},
        ),
        Exercise(
            lambda: [6.0, 5.0, 3.0],
            "A sum from the left has a sum from the right as its transpose.",
            {"That is the running sum once more.": [1.0, 3.0, 6.0]},
        ),
        Exercise(
            lambda: 4.0,
            "Twice the rounded value, 2, as if rounding were nothing.",
            {"That is the true one.": 0.0, "The value is rounded: 2, not 2.3.": 4.6},
        ),
    ),
    "Kinks-and-Ties": (
        Exercise(
            lambda: [-0.5, 0.0, -1.0],
            "Only equal shares do not depend on the order.",
            {"It is the other way round: max keeps the first of two equal ones.": [-0.5, -1.0, 0.0]},
        ),
        Exercise(
            lambda: [0.5, 0.0, 0.5, 0.0],
            "What is tied shares.",
            {"The second largest is a 3 as well.": [0.0, 0.0, 0.0, 1.0], "The two threes share.": [1.0, 0.0, 0.0, 0.0]},
        ),
        Exercise(lambda: [0.0, 0.0], "Right, and by luck: the branch that was chosen is constant."),
    ),
    "Optimisers": (
        Exercise(
            lambda: [-2.0652, -2.0652],
            "It looks ahead, and brakes.",
            {"There goes RMSprop.": [2.3263, 2.3263], "Plain momentum goes there.": [-4.179, 7.228]},
            rtol=1e-3,
        ),
        Exercise(
            lambda: 4,
            "A saddle goes up one way and down the other.",
            {"Those with curvatures of both signs only.": 7, "Far out there are two more.": 2},
        ),
        Exercise(
            lambda: max(1.03 % 0.1, 0.1 - 1.03 % 0.1),
            "The gradient does not get smaller at a kink, so the step must.",
            {"On the other side of the kink it is farther.": 0.03, "So far it is with the rate 1/k.": 0.0025},
            rtol=1e-2,
        ),
    ),
    "Neural-Network": (
        Exercise(
            lambda: 2,
            "Each unit is a fold along a straight line, and the boundary needs several.",
            {"With two units it gets nine of ten points right, which is no boundary yet.": 1, "Four are enough.": 3},
        ),
        Exercise(
            lambda: 0.1,
            "So little, in the direction that the gradient knows.",
            {"Not quite so little.": 0.01, "Then it would be another picture. Go in small steps.": 1.0},
        ),
        Exercise(
            lambda: 8 * (3 * 3 + 1) + (8 * 6 * 6 + 1) * 10,
            "A convolution uses each of its few parameters everywhere.",
            {"A picture of 8 × 8 has 6 × 6 places for 3 × 3.": 80 + 5130, "Those are without the offsets.": 72 + 2880},
        ),
    ),
    "Differentiable-Simulation": (
        Exercise(
            _turns,
            "It gains most if it is always pushed the way it moves.",
            {"So often it turns in the solution of the optimiser, which arrives at rest.": 6},
        ),
        Exercise(
            lambda: 2,
            "The gaps are steep beside the rest, which L-BFGS minds; it pays where a single run is too sensitive.",
            {"Compare the cost after 60 iterations with that of section 3.": 1},
        ),
        Exercise(lambda: 0.05, "A simulation is a model like any other.", rtol=0.05),
    ),
}
"""The exercises of each lesson, in their order."""
