"""Points of a row, drawn once by hypothesis and given to all tests of the row, and to all rows of that domain.

Hypothesis's own work on an example is as much as a test's, so a list of examples is shared; so are the 50-digit
references at its points, which `table.exactly` keeps. What is a list already is taken as it is. Where hypothesis
searches deep, each test draws its own, and what fails is shrunk.
"""

import functools
import itertools

from hypothesis import given, settings
from hypothesis import strategies as st
from noted import noted
from table import EXAMPLES, few_points, repeatable

DEEP = EXAMPLES >= 1000


def drawn_from(strategy_of, one_in=1, turns=False):
    """Run a test of a function and an example with those of a strategy of its row, or with one in so many of them.

    A test that takes turns is given the number of the example, too; None, for all at once, where hypothesis searches
    deep, and at a few points of the row's domain that come first.
    """

    def decorator(test):
        @functools.wraps(test)
        def at_each(function):
            if DEEP:
                call = functools.partial(test, function, **{"turn": None} if turns else {})
                search(strategy_of(function.row), EXAMPLES // one_in, call)
                return
            found = drawn(strategy_of, function.row)
            chosen = enumerate(found[:: max(1, one_in * len(found) // EXAMPLES)])  # all of a few
            for turn, example in itertools.chain([(None, x) for x in few_points(function.row) if turns], chosen):
                with noted(repr(example)):
                    test(function, example, **{"turn": turn} if turns else {})

        del at_each.__wrapped__  # by which pytest would ask for a fixture of the example
        return at_each

    return decorator


def drawn(strategy_of, row):
    """As many examples as the profile says of a strategy of a row, the same at every run."""
    strategy = strategy_of(row)
    return strategy if isinstance(strategy, list) else _drawn(strategy)


@functools.cache
def _drawn(strategy):
    found = []
    search(strategy, EXAMPLES, found.append)
    return found


def at_each_of(strategy, call):
    """Call a function with examples of a strategy, which all that name the same strategy share."""
    if DEEP:
        search(strategy, EXAMPLES, call)
        return
    for example in _drawn(strategy):
        with noted(repr(example)):
            call(example)


def search(strategy, examples, call):
    """Call a function with examples of a strategy."""

    @settings(repeatable, max_examples=examples)
    @given(st.sampled_from(strategy) if isinstance(strategy, list) else strategy)
    def called(example):
        call(example)

    called()
