"""Automatic differentiation in a hundred lines, both modes, any order, of nothing but Python's math.

``python examples/hundred_lines.py`` prints a gradient, and second derivatives; notebooks/Hundred-Lines.ipynb tells how.
"""

import itertools
import math


def elementary(value, *partials):
    """A function of numbers of every kind, by its value and its partial derivatives."""

    def function(*operands):
        level = max(map(level_of, operands))
        if level == 0:
            return value(*operands)
        plain = [x.primal if level_of(x) == level else x for x in operands]
        steps = [(x, d(*plain)) for x, d in zip(operands, partials, strict=True) if level_of(x) == level]
        return steps[0][0].result(function(*plain), steps)

    return function


add = elementary(lambda x, y: x + y, lambda x, y: 1.0, lambda x, y: 1.0)
multiply = elementary(lambda x, y: x * y, lambda x, y: y, lambda x, y: x)
divide = elementary(lambda x, y: x / y, lambda x, y: 1.0 / y, lambda x, y: -x / (y * y))
sin = elementary(math.sin, lambda x: cos(x))
cos = elementary(math.cos, lambda x: -sin(x))
exp = elementary(math.exp, lambda x: exp(x))
log = elementary(math.log, lambda x: 1.0 / x)


class Number:
    """What dual numbers and lines of a tape have in common: a plain value, a level, and Python's operators."""

    __add__ = __radd__ = add
    __mul__ = __rmul__ = multiply
    __neg__ = lambda x: -1.0 * x
    __sub__ = lambda x, y: x + -1.0 * y
    __rsub__ = lambda x, y: y + -1.0 * x
    __truediv__ = divide
    __rtruediv__ = lambda x, y: divide(y, x)
    __lt__ = lambda x, y: x.primal < (y.primal if isinstance(y, Number) else y)
    __gt__ = lambda x, y: x.primal > (y.primal if isinstance(y, Number) else y)


class Dual(Number):
    """Forward mode: the derivative goes along with the value, as its tangent."""

    def __init__(self, level, primal, tangent):
        self.level, self.primal, self.tangent = level, primal, tangent

    def result(self, value, steps):
        return Dual(self.level, value, sum(partial * x.tangent for x, partial in steps))


class Line(Number):
    """Reverse mode: a line of the tape, which remembers what it was made of; the derivative is found afterwards."""

    def __init__(self, level, primal, steps, tape):
        self.level, self.primal, self.steps, self.tape, self.adjoint = level, primal, steps, tape, 0.0
        tape.append(self)

    def result(self, value, steps):
        return Line(self.level, value, steps, self.tape)


LEVELS = itertools.count(1)


def level_of(x):
    """0 for a plain number, else the differentiation that the number belongs to; inner ones are higher."""
    return x.level if isinstance(x, Number) else 0


def derivative(f, x):
    """The derivative of a function of one number, in one run."""
    level = next(LEVELS)
    y = f(Dual(level, x, 1.0))
    return y.tangent if level_of(y) == level else 0.0


def gradient(f, *xs):
    """The partial derivatives of a function of any number of numbers, in one run and one sweep back."""
    level, tape = next(LEVELS), []
    inputs = [Line(level, x, [], tape) for x in xs]
    y = f(*inputs)
    if level_of(y) == level:
        y.adjoint = 1.0
    for line in reversed(tape):
        for x, partial in line.steps:
            x.adjoint = x.adjoint + partial * line.adjoint
    return [x.adjoint for x in inputs]


if __name__ == "__main__":
    f = lambda x, y: (x * y + sin(x)) * y
    print("gradient", gradient(f, 2.0, 3.0))
    print("second  ", [gradient(lambda x, y, k=k: gradient(f, x, y)[k], 2.0, 3.0) for k in range(2)])
