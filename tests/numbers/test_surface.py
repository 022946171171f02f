"""What is written out for editors and type checkers is what numbers have at run time."""

import ast
import inspect

import numpy as np
import pytest

import autodiff
from autodiff import Variable
from dualnumbers import DualNumber
from dualnumbers.numbers import surface
from dualnumbers.numbers.array import ArrayNumber
from dualnumbers.numbers.operators import BINARY, UNARY

DECLARED = {
    node.name: {f.name: f for f in ast.walk(node) if isinstance(f, ast.FunctionDef)}
    for node in ast.parse(inspect.getsource(surface)).body
    if isinstance(node, ast.ClassDef)
}
OF_NUMBERS = DECLARED["NumberSurface"]
OF_ARRAYS = OF_NUMBERS | DECLARED["ArraySurface"]
OF_INTEGERS = {f"__i{name}__" for name in ("and", "or", "xor", "lshift", "rshift")}
NOT_DECLARED = OF_INTEGERS | {"__ceil__", "__floor__", "__trunc__"}
UFUNCS = {name for name in dir(np) if isinstance(getattr(np, name), np.ufunc)} | {"round", "conj"}


def functions_of(cls):
    """The names of all functions in the sources of a class and those below it, but for what is only declared."""
    modules = {inspect.getmodule(base) for base in cls.__mro__[:-1]} - {surface}
    trees = [ast.parse(inspect.getsource(module)) for module in modules]
    return {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.fixture(params=["float", "float64", "leaf", "array", "array leaf"])
def number(request):
    """Made anew for each test: a leaf that lives on would let arrays of the drop-in namespace take numbers."""
    value = np.ones(3) if "array" in request.param else np.float64(2.0) if request.param == "float64" else 2.0
    return Variable(value) if "leaf" in request.param else DualNumber(value, value)


def test_what_the_table_makes_is_declared(number):
    cls = type(number)
    made = {name for name in dir(cls) if not name.startswith("_") and inspect.isfunction(getattr(cls, name))}
    declared = OF_ARRAYS if isinstance(number, ArrayNumber) else OF_NUMBERS
    assert made - functions_of(cls) - UFUNCS <= declared.keys()
    sides = [("", "r"), ("", "r", "i")][isinstance(number, ArrayNumber)]
    operators = {f"__{side}{name}__" for name in BINARY for side in sides} | {f"__{name}__" for name in UNARY}
    assert operators - functions_of(cls) - NOT_DECLARED <= declared.keys()


def test_what_is_declared_is_there(number):
    if isinstance(number.primal, float) and not isinstance(number.primal, np.float64):
        names = [name for name in OF_NUMBERS if hasattr(2.0, name)]  # no more than a float has
        assert len(names) > 20
    else:
        names = list(OF_ARRAYS if isinstance(number, ArrayNumber) else OF_NUMBERS)
    for name in names:
        assert callable(getattr(number, name)), name


def test_only_what_is_public_is_listed():
    assert set(dir(autodiff)) >= {*autodiff.__all__, "check", "numpy"}
    assert all(hasattr(autodiff, name) for name in dir(autodiff))
    modules = {name for name in dir(autodiff) if inspect.ismodule(getattr(autodiff, name))}
    modes = {"forward", "reverse"}
    rooms = "bridges check custom distributed drawing implicit linalg nn numpy scipy"
    assert modules - modes == set(rooms.split())
