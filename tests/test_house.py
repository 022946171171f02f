"""What docs/how-it-is-built.md says of the code is so: the journey of a float, the files, their lengths."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from autodiff import derivative
from dualnumbers import dmath
from dualnumbers.table import BY_NUMPY, TABLE, elementwise, family, linear

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "how-it-is-built.md").read_text(encoding="utf-8")


def calls_of_ours(call):
    """File and function of every call of our code that a call makes, in order."""
    found = []

    def note(frame, event, argument):
        file = Path(frame.f_code.co_filename)
        if event == "call" and file.is_relative_to(ROOT) and not file.is_relative_to(ROOT / "tests"):
            name = frame.f_code.co_qualname
            found.append((file.relative_to(ROOT).as_posix(), name.rpartition("<locals>.")[2]))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return found


def test_the_journey_of_a_float_is_as_told():
    told = [
        tuple(line.split()[:2]) for line in re.findall(r"^(?:autodiff|dualnumbers)/\S+\.py .*$", PAGE, re.MULTILINE)
    ]
    f = lambda x: dmath.sin(x) * x
    derivative(f, 0, [2.0])  # what is made at first use is there then
    assert calls_of_ours(lambda: derivative(f, 0, [2.0])) == told


def test_every_file_that_is_named_is_there():
    for name in set(re.findall(r"[\w/]+\.py", PAGE)):
        folders = ("", "dualnumbers", "autodiff", "dualnumbers/table")
        assert any((ROOT / folder / name).is_file() for folder in folders), name


def test_the_ten_files_are_as_long_as_told():
    names = re.findall(r"`([\w/]+\.py)`", PAGE.partition("## Ten files")[2])
    assert len(names) == 10
    folder = "dualnumbers"
    total = 0
    for name in names:
        folder = "autodiff" if name.startswith("autodiff/") else folder
        path = ROOT / folder / name.removeprefix("autodiff/").removeprefix("dualnumbers/")
        total += path.read_text(encoding="utf-8").count("\n")
    assert 1900 <= total <= 2200


def test_a_name_stands_for_one_row():
    row, entry = dmath.sin.row, BY_NUMPY[np.sum]
    with pytest.raises(ValueError, match="has a row 'sin' already"):
        elementwise(1.0)(dmath.sin)
    with pytest.raises(ValueError, match="has a row 'sum' already"):
        linear(lambda g, x: g, name="sum")(lambda x: x)
    assert TABLE["sin"].row is row
    assert BY_NUMPY[np.sum] is entry


def test_a_row_of_a_family_is_made_once_by_any_number_of_threads(often):
    made = []

    @family
    def power(n):
        made.append(n)
        return elementwise(lambda x, z: n * power(n - 1)(x), name=f"test_power_{n}")(lambda x: x**n)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: power(k % 3 + 2), range(300)))
    for n in (2, 3, 4):
        del TABLE[f"test_power_{n}"]
    assert sorted(made) == [2, 3, 4]
    assert len(set(map(id, found))) == 3
