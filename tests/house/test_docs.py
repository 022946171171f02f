"""The pages of docs/: their examples run, their links lead somewhere, their tables say what is so."""

import ast
import decimal
import doctest
import importlib
import inspect
import math
import pickle
import re
import runpy
import shlex
import textwrap
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from pkgutil import resolve_name
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import autodiff
import autodiff.scipy
from autodiff import Constant, Variable, grad, implicit, jacfwd, jacrev, linalg, nn
from autodiff.command_line.main import main

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md"))}
SESSIONS = [page for page, text in PAGES.items() if ">>> " in text]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def rows(page: str) -> list[list[str]]:
    """The cells of the tables of a page, row by row, without their heads."""
    lines = PAGES[page].splitlines()
    found = [line for line, below in pairwise(lines) if line.startswith("| ") and not below.startswith("|--")]
    return [line.strip("| ").split(" | ") for line in found]


@pytest.mark.parametrize("page", SESSIONS)
def test_examples(page):
    """All examples of a page, in order, in one session; what they print is what stands there."""
    pytest.importorskip("scipy")
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGES[page], re.DOTALL | re.MULTILINE)
    session = "\n".join(block for block in blocks if ">>>" in block)
    report: list[str] = []
    example = doctest.DocTestParser().get_doctest(session, {"__name__": "__main__"}, page, page, 0)
    results = doctest.DocTestRunner(optionflags=FLAGS).run(example, out=report.append)
    assert results.failed == 0, "".join(report)


COMMANDS = [line for text in PAGES.values() for line in re.findall(r"^python -m autodiff (\S.*)$", text, re.MULTILINE)]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)) == 0


def test_examples_fit_the_column():
    """90 characters: what is longer is cut on the site."""
    for page in SESSIONS:
        for block in re.findall(r"^```python\n(.*?)^```$", PAGES[page], re.DOTALL | re.MULTILINE):
            assert max(map(len, block.splitlines())) <= 90, page


def test_links_lead_somewhere():
    for page, text in PAGES.items():
        prose = re.sub(r"^```python\n.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\(([^)#\s]+)\)", prose):
            assert target.startswith("https://") or ((DOCS / page).parent / target).exists(), f"{page}: {target}"


def test_every_page_is_linked_from_the_repository():
    """On the site the contents lead everywhere; in the repository, links do."""
    reached, waiting = set(), ["index.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        links = re.findall(r"\]\(([^)#\s]+\.md)\)", PAGES[page])
        inside = [((DOCS / page).parent / link).resolve() for link in links if not link.startswith("https://")]
        names = [path.relative_to(DOCS).as_posix() for path in inside if path.is_relative_to(DOCS)]
        waiting += [name for name in names if name not in reached]
    assert reached == PAGES.keys()


@pytest.mark.parametrize("module", [autodiff, nn, linalg, implicit])
def test_the_reference_has_every_public_name(module):
    text = PAGES[f"reference/{module.__name__.rpartition('.')[2]}.md"]
    shown = set(re.findall(r"^\.\. auto(?:function|class):: (\w+)", text, re.MULTILINE))
    assert set(module.__all__) - {"drawing", "implicit", "nn"} == shown - {"Compiled", "Leaf"}


@pytest.mark.parametrize("module", [autodiff, nn, linalg, implicit])
def test_every_public_name_has_an_example(module):
    """The doctests run it."""
    shown = {name: getattr(module, name) for name in module.__all__ if not inspect.ismodule(getattr(module, name))}
    assert [name for name, x in shown.items() if ">>>" not in (inspect.getdoc(x) or "")] == []


def functions_of_the_reference() -> dict[str, Any]:
    """Functions whose parameters the reference shows, by name."""
    packages = [autodiff, nn, linalg, implicit, autodiff.scipy.optimize, autodiff.scipy.fft, importlib.import_module(
        "autodiff.check.strategies")]  # fmt: skip
    named = [(f"{module.__name__}.{name}", getattr(module, name)) for module in packages for name in module.__all__]
    return {path: x for path, x in named if inspect.isfunction(inspect.unwrap(x))}


def test_the_reference_shows_the_values_of_defaults():
    """16, not PATHS. Autodoc calls `with_values` with the text of each signature."""
    with_values = runpy.run_path(str(DOCS / "conf.py"))["with_values"]
    shown: dict[str, str] = {}
    for path, function in functions_of_the_reference().items():
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body
        if isinstance(definition, ast.FunctionDef):
            written = f"({ast.unparse(definition.args)})"
            shown[path], _ = with_values(None, "function", path, function, None, written, None)
    names = {path: re.findall(r"=([A-Z_a-z]\w*)(?=[,)])", text) for path, text in shown.items()}
    assert {name for found in names.values() for name in found} <= {"None", "True", "False", "float"}
    assert "max_paths: int=16" in shown["autodiff.jit"]
    assert "max_steps: int=1000000" in shown["autodiff.jit"]
    assert "rtol: float=1e-07" in shown["autodiff.gradcheck"]
    assert "away: float=0.001" in shown["autodiff.check.strategies.points"]
    assert "xtol: float=2e-12" in shown["autodiff.scipy.optimize.brentq"]


def test_the_lessons_are_the_notebooks():
    source = (DOCS / "conf.py").read_text(encoding="utf-8")
    ordered = re.findall(r'"([\w-]+)"', re.search(r"LESSONS = \[(.*?)\]", source, re.DOTALL)[1])  # type: ignore[index]
    assert {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")} <= set(ordered)


def test_the_first_page_has_an_expression_to_play_with(tmp_path):
    """The page in its frame is written when the site is built."""
    shown = re.findall(r'<iframe src="\.\./(.*?)"', PAGES["index.md"])
    settings = runpy.run_path(str(DOCS / "conf.py"))
    settings["with_explorer"](SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path), None)
    assert [path.name for path in tmp_path.iterdir()] == shown
    assert "class OfExpression" in (tmp_path / shown[0]).read_text(encoding="utf-8")


def test_the_picture_of_the_tutorial():
    tape, _ = autodiff.record(lambda x, y: x * y + np.sin(x), [2.0, 3.0])
    assert "record(lambda x, y: x * y + np.sin(x), [2.0, 3.0])" in PAGES["tutorial.md"]
    stored = ElementTree.parse(DOCS / "static" / "tape.svg").getroot()
    drawn = ElementTree.fromstring(autodiff.draw_graph(tape).to_svg())
    words = [[text for text in tree.itertext() if "{" not in text] for tree in (stored, drawn)]
    assert words[0] == words[1], 'autodiff.draw_graph(tape).save("docs/static/tape.svg")'


@pytest.mark.parametrize("picture", ["build_tanh", "build_throw"])
def test_the_curves_of_a_page(picture, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("scipy")
    monkeypatch.syspath_prepend(str(DOCS))
    build = importlib.import_module(picture)
    stored = build.PICTURE.read_text(encoding="utf-8")
    if f"Matplotlib {matplotlib.__version__}" not in stored:
        pytest.skip("the picture was drawn by another version of Matplotlib")
    number = r"-?\d+\.\d+"  # rounded, on another machine perhaps to another last digit
    drawn = build.svg()
    is_current = re.split(number, stored) == re.split(number, drawn)
    is_current = is_current and np.allclose(*(np.array(re.findall(number, text), float) for text in (stored, drawn)))
    assert is_current, f"out of date: python docs/{picture}.py"


def code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


# ------------------------------------------------------------------------------------------------ limitations

REFUSALS = [expression for row in rows("limitations.md") for expression in code(row[0])]
SAYS = r"derivative|autodiff|no attribute|hash|pickled|operand|input types|exception set|scalar value"
"""What the errors say; not what they would say of a call that is wrong in itself."""


@pytest.mark.parametrize("expression", REFUSALS)
def test_what_is_said_to_raise_raises(expression):
    pytest.importorskip("scipy")
    for module in ("linalg", "stats", "signal", "optimize"):
        importlib.import_module(f"scipy.{module}")
    names = {"np": np, "math": math, "pickle": pickle, "decimal": decimal, "autodiff": autodiff,
             "scipy": importlib.import_module("scipy")}  # fmt: skip

    def f(x, t, A):
        here = {"x": x, "t": t, "A": A, "plain": np.zeros(6)}
        eval(expression, names | here)
        return np.sum(x) + t + np.sum(A)

    for mode in (jacfwd, jacrev):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises((TypeError, AttributeError, ValueError, SystemError), match=SAYS):
                mode(f, (0, 1, 2))(np.linspace(0.2, 0.9, 6), 0.5, np.eye(4) + 0.1)


def test_the_ufuncs_without_a_derivative_are_those_that_are_listed():
    special = pytest.importorskip("scipy.special")
    section = PAGES["limitations.md"].split("## Functions without a derivative here")[1].split("\n\n")[2]
    there = set(re.findall(r"`scipy\.special\.(\w+)`", PAGES["functions.md"]))
    absent = {name for name in dir(special) if isinstance(getattr(special, name), np.ufunc)} - there
    assert set(code(section)) == absent, "docs/limitations.md lists them"


def test_the_goals_that_are_not_reached_are_those_of_the_benchmarks():
    results = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    titles = "How fast it is", "Jacobians, "
    eager, promised = (results.split(f"# {title}")[1].split("\n## ")[0] for title in titles)
    rows = re.findall(r"^\| .+ \| (-?[\d.]+) \S+ \| ([\d.]+) \S+ \| (reached|not reached) \|", eager, re.MULTILINE)
    missed = [(measured, bound) for measured, bound, verdict in rows if verdict == "not reached"]
    speed = PAGES["limitations.md"].split("## Speed")[1].replace("\n", " ")
    assert speed.startswith(f"  Of {len(rows)} goals that were set beforehand, {len(missed)} are not reached:")
    assert re.findall(r"\(([\d.]+) times [^()]*; the goal was ([\d.]+)\)", speed) == missed
    verdicts = re.findall(r"\| (reached|not reached) \|", promised)
    said = (
        f"Of {len(verdicts)} promises about Jacobians, Hessians and their products {verdicts.count('not reached')} are"
    )
    assert said in speed


# ------------------------------------------------------------------------------------- coming from elsewhere

ELSEWHERE = {"coming-from-jax.md": "jax", "coming-from-autograd.md": "autograd", "coming-from-pytorch.md": "torch"}
COUNTERPARTS = [(page, *row[:2]) for page in ELSEWHERE for row in rows(page) if len(row) < 5]
KINKS = [(page, *row) for page in ELSEWHERE for row in rows(page) if len(row) == 5]
HERE = {"np": np, "autodiff": autodiff, "nn": nn, "Variable": Variable, "Constant": Constant}
PHRASES = ("nothing", "tuples", "nested", "the same", "Python's", "a plain array", "leave", "`if`", "`x[i]")
NO_NAMES = {"if", "for", "while", "x[i] = v", "x[i] += v", "with no_grad()"}
OTHERS = ("flax.", "equinox.", "optax.", "x.at[", "create_graph", "retain_graph", "torch.tensor(")
"""What begins so there is in other packages, or no name."""


@pytest.mark.parametrize(("page", "there", "here"), COUNTERPARTS)
def test_every_counterpart_is_there(page, there, here):
    pytest.importorskip("scipy.optimize")
    names = HERE | {"scipy": importlib.import_module("scipy")}
    importlib.import_module("scipy.special")
    found = [name for name in code(here) if name not in NO_NAMES]
    assert found or here.startswith(PHRASES)
    for name in found:
        eval(name, names)


@pytest.mark.parametrize(("page", "there", "here"), COUNTERPARTS)
def test_every_name_is_one_of_theirs(page, there, here):
    package = ELSEWHERE[page]
    pytest.importorskip(package)
    for name in code(there):
        if name.startswith(OTHERS):
            continue
        path = name.replace("Tensor.", "torch.Tensor.") if name.startswith("Tensor") else name
        path = path.replace("Module.", "torch.nn.Module.") if name.startswith("Module") else path
        resolve_name(path if path.startswith(f"{package}.") else f"{package}.{path}")


def slope(text: str) -> Any:
    numbers = [complex(part.replace(" ", "").replace("−", "-")) for part in text.split(",")]
    return np.array(numbers) if len(numbers) > 1 else numbers[0]


@pytest.mark.parametrize(("page", "x", "there", "by_them", "here", "by_us"), KINKS)
def test_our_slope_where_it_is_a_convention(page, x, there, by_them, here, by_us):
    at = eval(x.strip("`"))
    f = lambda x: eval(here.strip("`"), HERE | {"x": x})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = grad(f)(np.array(at) if isinstance(at, list) else at)
    np.testing.assert_allclose(found, slope(by_us), rtol=1e-12)


@pytest.mark.parametrize(("page", "x", "there", "by_them", "here", "by_us"), KINKS)
def test_their_slope_where_it_is_a_convention(page, x, there, by_them, here, by_us):
    pytest.importorskip(ELSEWHERE[page])
    at, expression = eval(x.strip("`")), there.strip("`")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = SLOPES[ELSEWHERE[page]](expression, at)
    np.testing.assert_allclose(found, slope(by_them), rtol=1e-6)


def by_jax(expression: str, at: Any) -> Any:
    import jax

    names = {"jax": jax, "jnp": jax.numpy}
    return jax.grad(lambda x: eval(expression, names | {"x": x}))(jax.numpy.asarray(at))


def by_autograd(expression: str, at: Any) -> Any:
    import autograd

    return autograd.grad(lambda x: eval(expression, {"anp": autograd.numpy, "x": x}))(np.asarray(at)[()])


def by_torch(expression: str, at: Any) -> Any:
    import torch

    x = torch.tensor(at, requires_grad=True)
    eval(expression, {"torch": torch, "x": x}).backward()
    return x.grad.numpy()


SLOPES: dict[str, Callable[[str, Any], Any]] = {"jax": by_jax, "autograd": by_autograd, "torch": by_torch}


def test_what_is_said_of_torch():
    torch = pytest.importorskip("torch")
    assert torch.tensor([1.0, 2.0]).dtype == torch.float32
    assert Variable([1.0, 2.0]).data.dtype == np.float64
    x = torch.tensor(3.0, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own, of this
        (float(x) * x).backward()
    assert x.grad == 3.0  # of x², which has 6
    with pytest.raises(TypeError, match="lose the derivative"):
        grad(lambda x: float(x) * x)(3.0)
    y = x * x
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    x = Variable(3.0)
    y = x * x
    y.backward()
    y.backward()
    assert x.grad == 12.0


def test_what_is_said_of_autograd():
    autograd = pytest.importorskip("autograd")
    with pytest.raises(TypeError, match="int"):
        autograd.grad(lambda x: x**2)(3)
    assert grad(lambda x: x**2)(3) == 6.0

    def assigned(x):
        x = x * 1.0
        x[0] = 0.0
        return x @ x

    with pytest.raises(TypeError, match="item assignment"):
        autograd.grad(assigned)(np.ones(2))
    assert grad(assigned)(np.ones(2)).tolist() == [0.0, 2.0]


def test_what_is_said_of_jax():
    jax = pytest.importorskip("jax")
    assert jax.numpy.asarray([1.0, 2.0]).dtype == np.float32
    with pytest.raises(TypeError, match="immutable"):
        jax.numpy.zeros(2)[0] = 1.0


def test_what_a_star_brings_hides_nothing_of_others():
    """`from autodiff import *` behind `import scipy` left `scipy` another module."""
    assert not {"linalg", "numpy", "scipy"} & set(autodiff.__all__)
    assert autodiff.scipy.__name__ == "autodiff.scipy"
