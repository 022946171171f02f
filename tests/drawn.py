"""Points of a row, drawn once by hypothesis and given to all tests of the row.

Hypothesis's own work on an example is as much as a test's, so a list of examples is shared; so are the 50-digit
references at its points, which `table.exactly` keeps. Where hypothesis searches deep, each test draws its own, and what
fails is shrunk.
"""

import functools

from hypothesis import given, settings
from noted import noted
from table import EXAMPLES, repeatable

DEEP = EXAMPLES >= 1000


def drawn_from(strategy_of, one_in=1):
    """Run a test of a function and an example with those of a strategy of its row, or with one in so many of 100."""

    def decorator(test):
        @functools.wraps(test)
        def at_each(function):
            if DEEP:
                search(strategy_of(function.row), EXAMPLES // one_in, lambda example: test(function, example))
                return
            found = drawn(strategy_of, function.row)
            for example in found[:: max(1, one_in * len(found) // EXAMPLES)]:  # all of a few
                with noted(repr(example)):
                    test(function, example)

        del at_each.__wrapped__  # by which pytest would ask for a fixture of the example
        return at_each

    return decorator


@functools.cache
def drawn(strategy_of, row):
    """As many examples as the profile says of a strategy of a row, the same at every run."""
    found = []
    search(strategy_of(row), EXAMPLES, found.append)
    return found


def search(strategy, examples, call):
    """Call a function with examples of a strategy."""

    @settings(repeatable, max_examples=examples)
    @given(strategy)
    def called(example):
        call(example)

    called()
