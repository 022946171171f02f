"""Domains as data: where a row is tested. The documents print them, the tests draw their points from them."""

import math
from collections.abc import Callable

Range = tuple[float, float]


class Domain:
    """An open set in which an elementwise function is differentiable; its rule may hold beyond.

    ``text`` as a table prints it; ``ranges``, one per argument, a box that tests draw from; ``distance``, of a point
    from the nearest kink, step or pole inside the box (tests stay away from zero distance).
    """

    __slots__ = ("distance", "ranges", "text")

    def __init__(self, text: str, ranges: tuple[Range, ...], distance: Callable[..., float] | None = None) -> None:
        self.text, self.ranges, self.distance = text, ranges, distance


def reals(arity: int) -> Domain:
    """Everywhere, in ``arity`` arguments."""
    return Domain("", ((-5.0, 5.0),) * arity)


positive = Domain("x > 0", ((0.01, 20.0),))
nonzero = Domain("x ≠ 0", ((-5.0, 5.0),), abs)
above_minus_one = Domain("x > −1", ((-0.99, 10.0),))
above_one = Domain("x > 1", ((1.01, 20.0),))
inside_one = Domain("|x| < 1", ((-0.99, 0.99),))
off_half_turns = Domain("x ≠ π/2 + kπ", ((-5.0, 5.0),), lambda x: abs((x / math.pi) % 1.0 - 0.5))
nonzero_second = Domain("y ≠ 0", ((-5.0, 5.0), (-5.0, 5.0)), lambda x, y: abs(y))
positive_base = Domain("x > 0", ((0.05, 5.0), (-4.0, 4.0)))
nonzero_first = Domain("x ≠ 0", ((-5.0, 5.0), (-5.0, 5.0)), lambda x, y: abs(x))
between = Domain(
    "a < b, x ≠ a, x ≠ b", ((-5.0, 5.0), (-4.0, -0.1), (0.1, 4.0)), lambda x, a, b: min(abs(x - a), abs(x - b))
)
no_ties = Domain("x ≠ y", ((-5.0, 5.0), (-5.0, 5.0)), lambda x, y: abs(x - y))
nonzero_both = Domain("x ≠ 0, y ≠ 0", ((-5.0, 5.0), (-5.0, 5.0)), lambda x, y: min(abs(x), abs(y)))
off_origin = Domain("(x, y) ≠ (0, 0)", ((-5.0, 5.0), (-5.0, 5.0)), lambda x, y: abs(x) + abs(y))
off_steps = Domain("x/y not an integer, y ≠ 0", ((-5.0, 5.0), (-5.0, 5.0)),
                   lambda x, y: min(abs(y), abs(y) and abs(x / y - round(x / y))))  # fmt: skip
off_half_steps = Domain("x/y not a half-integer, y ≠ 0", ((-5.0, 5.0), (-5.0, 5.0)),
                        lambda x, y: min(abs(y), abs(y) and abs((x / y) % 1.0 - 0.5)))  # fmt: skip
right_half_plane = Domain("y not 0 where x ≤ 0", ((-5.0, 5.0), (-5.0, 5.0)), lambda y, x: max(abs(y), x))
whole_second = Domain("i an integer", ((-5.0, 5.0), (-4, 4)))
off_integers = Domain("x not an integer", ((-5.0, 5.0),), lambda x: abs(x - round(x)))
off_powers_of_two = Domain("|x| not a power of 2", ((0.1, 5.0),), lambda x: abs(math.log2(x) - round(math.log2(x))))
both_positive = Domain("a > 0, b > 0", ((0.1, 10.0), (0.1, 10.0)))
