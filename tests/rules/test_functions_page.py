"""docs/functions.md is current, and nothing public of NumPy is left without a word."""

from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from samples import ENTRIES

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def build(monkeypatch):
    pytest.importorskip("scipy")
    monkeypatch.syspath_prepend(str(DOCS))
    import build_functions

    if build_functions.VERSIONS not in build_functions.PAGE.read_text(encoding="utf-8"):
        pytest.skip(f"the page was printed with other versions than {build_functions.VERSIONS}")
    return build_functions


def test_the_page_is_current(build):
    is_current = build.PAGE.read_text(encoding="utf-8") == build.page()
    assert is_current, "out of date: python docs/build_functions.py"


def test_no_argument_has_the_name_of_the_value(build):
    """On the page z is the value; in one formula with an argument z the two would cancel."""
    rows = [build.row_of(f) for functions in build.sections().values() for f in functions.values()]
    partials = [p for row in rows if row and row.is_elementwise for by in row.partials for p in build.parts(by)]
    named = [list(signature(p).parameters)[:-1] for p in partials if callable(p)]
    assert len(named) > 200
    assert not any("z" in names for names in named)


def test_every_function_of_numpy_is_there_or_has_its_reason(build):
    absent = {name for _, names in build.missing() for name in names}
    for name in np.__all__:
        if callable(getattr(np, name)) and not isinstance(getattr(np, name), type):
            assert (f"np.{name}" in absent) != (f"np.{name}" in build.of_numpy("np"))


def test_every_function_that_is_there_is_called_by_the_tests(build):
    """A row of an array function, a composition and a counterpart have samples; elementwise rows have their domains."""
    for functions in build.sections().values():
        for name, function in functions.items():
            row = build.row_of(function)
            keys = {name, name.removeprefix("autodiff."), row.name if row else name}
            scalar = (row is not None and (row.is_elementwise or row.is_constant)) or function in build.READING
            assert scalar or any(key in ENTRIES for key in keys), f"write an entry of {name} in tests/samples/"
