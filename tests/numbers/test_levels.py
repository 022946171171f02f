"""The order of levels: what was begun later is higher, what was made by hand stands between."""

import itertools

import pytest

from autodiff import Variable, derivative
from dualnumbers import DualNumber, TaylorNumber
from dualnumbers.levels import GROUND, HELD, Level, Parts, level_of


def made_by_hand(x):
    """Return numbers made by hand of ``x``, of rising levels, with the parts of each beyond that of ``x``."""
    dual, series, leaf = DualNumber(x, 1.0), TaylorNumber([x, 1.0]), Variable(x)
    return [(dual, (0, 0, 1)), (DualNumber(dual, 1.0), (0, 0, 2)), (series, (0, 1, 0)),
            (TaylorNumber([dual, 1.0]), (0, 1, 0)), (TaylorNumber([series, 1.0]), (0, 2, 0)),
            (DualNumber(series, 1.0), (0, 1, 1)), (leaf, (1, 0, 0)), (Variable(dual), (1, 0, 1)),
            (Variable(series), (1, 1, 0)), (TaylorNumber([leaf, 1.0]), (1, 1, 0)),
            (DualNumber(leaf, 1.0), (1, 0, 1)), (Variable(leaf * 1.0), (2, 0, 0))]  # fmt: skip


@pytest.mark.parametrize("within", [False, True], ids=["outside", "within a differentiation"])
def test_the_parts_of_numbers_made_by_hand(within):
    def f(x):
        differentiation = level_of(x).parts.differentiation
        assert (differentiation > 0) is within
        for number, parts in made_by_hand(x):
            assert number.level.parts == Parts(differentiation, *parts)
            assert number.level.by_hand
            assert number.level.is_of_leaves is (parts[0] > 0)
            assert level_of(x) < number.level < Level()
        return x

    if within:
        derivative(f, 0, [2.0])
    else:
        f(2.0)


def test_levels_are_ordered_as_their_parts():
    first, second = Level(), Level()
    levels = [GROUND, GROUND.above, GROUND.above.above, GROUND.of_series, GROUND.of_series.above, GROUND.of_leaves,
              GROUND.above.of_leaves, GROUND.of_series.of_leaves, first, first.above, first.of_series,
              first.of_leaves, first.of_leaves.above, first.of_leaves.of_leaves, second, HELD]  # fmt: skip
    for low, high in itertools.combinations(levels, 2):
        assert low < high
        assert not high < low
        assert low.parts < high.parts
        assert low.order < high.order
    assert max(levels) is HELD
    assert min(levels) is GROUND


def test_a_level_made_by_hand_is_made_once():
    level = Level()
    assert level.above is level.above
    assert level.of_series is level.of_series
    assert level.of_leaves is level.of_leaves


def test_a_level_shows_its_parts():
    level = Level().of_leaves.above
    number = level.parts.differentiation
    assert repr(level) == f"Level(differentiation={number}, variables=1, series=0, duals=1)"
    level.ended = True
    assert repr(level) == f"Level(differentiation={number}, variables=1, series=0, duals=1, ended)"


def test_variables_of_one_tape():
    first, second = Level(), Level()
    assert second.takes_in(GROUND.of_leaves)
    assert second.takes_in(first.of_leaves)
    assert GROUND.above.of_leaves.takes_in(GROUND.of_leaves)
    assert not second.takes_in(first)
    assert not first.takes_in(second.of_leaves)
    assert not GROUND.of_leaves.of_leaves.takes_in(GROUND.of_leaves)
