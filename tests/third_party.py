"""Functions of other people's packages, called as the examples of their documentation do: which are differentiated?

``python tests/third_party.py OUTPUT.json PACKAGE …`` tries packages that are installed, as they are and adopted.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import json
import os
import pkgutil
import re
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from autodiff import adopt, jvp, vjp
from autodiff.differences.quotients import difference_quotient

SECONDS = 10
LARGEST_ERROR = 1e-4
"""Of a difference quotient, relative to its size; with a larger one it tells nothing."""

PACKAGES = {
    "fluids": ["fluids"],
    "chemicals": ["chemicals", "fluids"],
    "thermo": ["thermo", "chemicals", "fluids"],
    "pymap3d": ["pymap3d"],
    "ahrs": ["ahrs"],
    "pytransform3d": ["pytransform3d"],
    "modern_robotics": ["modern_robotics"],
    "skrf": ["skrf"],
    "pvlib": ["pvlib"],
    "lmfit": ["lmfit"],
    "sklearn.metrics": ["sklearn"],
    "vollib": ["vollib", "cody_special", "lets_be_rational", "py_lets_be_rational"],
    "filterpy": ["filterpy"],
}
"""Package to import → the packages whose modules are adopted with it."""

DISTRIBUTIONS = {"ahrs": "AHRS", "modern_robotics": "modern-robotics", "sklearn.metrics": "scikit-learn",
                 "skrf": "scikit-rf"}  # fmt: skip


@dataclass
class Call:
    """A call of a function, with the place of one argument that is a real number or array."""

    name: str
    function: Callable[..., Any]
    arguments: list[Any]
    keywords: dict[str, Any]
    place: int | str

    def along(self, t: Any) -> Any:
        """The call with that argument moved by ``t`` times its size: the sum of the real numbers it returns."""
        arguments, keywords = list(self.arguments), dict(self.keywords)
        holder: Any = arguments if isinstance(self.place, int) else keywords
        holder[self.place] = _moved(holder[self.place], t)
        return total(self.function(*arguments, **keywords))


def _moved(x: Any, t: Any) -> Any:
    if isinstance(x, list):
        return [part + t * (abs(part) or 1.0) * (0.5 + k) for k, part in enumerate(x)]
    if isinstance(x, np.ndarray):
        return x + t * (np.abs(x) + (x == 0)) * (0.5 + np.arange(x.size).reshape(x.shape))
    return x + t * (abs(x) or 1.0)


def _is_real(x: Any) -> bool:
    if isinstance(x, list):
        return bool(x) and all(isinstance(part, float) for part in x)
    return type(x) in (float, np.float64) or (type(x) is np.ndarray and x.dtype == float and 0 < x.size <= 100)


def total(out: Any) -> Any:
    """The real numbers in a result, each with a weight of its own, added."""
    if isinstance(out, dict):
        out = list(out.values())
    if isinstance(out, (list, tuple)):
        parts = [total(part) for part in out]
        parts = [part for part in parts if part is not None]
        return sum(part * (1.0 + 0.1 * k) for k, part in enumerate(parts)) if parts else None
    if np.iscomplexobj(out):
        return total([np.real(out), np.imag(out)])
    kind = getattr(out, "dtype", None)
    if isinstance(out, (bool, int, str)) or out is None or (kind is not None and kind.kind not in "fO"):
        return None
    if isinstance(out, float) or (kind is not None and not np.shape(out)):
        return out
    if kind is None:
        return None
    weights = 1.0 + 0.1 * np.arange(np.size(out)).reshape(np.shape(out))
    return np.sum(out * weights)


# ------------------------------------------------------------------------------------------------ finding calls


def modules_of(package: str) -> Iterator[ModuleType]:
    top = importlib.import_module(package)
    yield top
    for found in pkgutil.walk_packages(top.__path__, f"{package}."):
        if "test" in found.name or found.name.endswith("__main__") or "numba" in found.name:
            continue
        try:
            module = importlib.import_module(found.name)
        except BaseException:
            continue
        yield module


def calls_of(package: str) -> Iterator[Call]:
    """Calls of the functions of a package that its examples make, one for each real argument, of each the first."""
    seen: set[str] = set()
    for module in modules_of(package):
        for name, function in list(vars(module).items()):
            code = inspect.unwrap(function) if callable(function) else function
            if not isinstance(code, FunctionType) or code.__module__ != module.__name__ or name.startswith("_"):
                continue
            path = f"{module.__name__}.{name}"
            if path in seen:
                continue
            seen.add(path)
            found = list(_calls_in(code.__doc__ or "", path, name, function, module))
            yield from found or _guessed(path, function)


def _calls_in(text: str, path: str, name: str, function: Any, module: ModuleType) -> Iterator[Call]:
    names = dict(vars(module))
    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return
    for example in examples:
        try:
            tree = ast.parse(example.source)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == name:
                found = _evaluated(node, names)
                if found is not None:
                    yield from _by_argument(path, function, *found)
                    return
        with Limit():
            try:
                exec(compile(tree, path, "exec"), names)
            except BaseException:
                continue


def _evaluated(node: ast.Call, names: dict[str, Any]) -> tuple[list[Any], dict[str, Any]] | None:
    try:
        with Limit():
            arguments = [eval(compile(ast.Expression(x), "", "eval"), names) for x in node.args]
            keywords = {k.arg: eval(compile(ast.Expression(k.value), "", "eval"), names) for k in node.keywords}
    except BaseException:
        return None
    return None if None in keywords else (arguments, keywords)  # type: ignore[return-value]


def _by_argument(path: str, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Iterator[Call]:
    for place, x in [*enumerate(arguments), *keywords.items()]:
        if _is_real(x):
            yield Call(f"{path}[{place}]", function, arguments, keywords, place)


NUMBERS = (0.37, 1.23, 0.71, 2.31, 0.53, 1.71)
GUESSES: tuple[Callable[[float, int], Any], ...] = (
    lambda x, k: x,
    lambda x, k: x * np.array([1.0, 0.8, 1.7]),
    lambda x, k: x * np.array([1.0, 0.8, 1.7]) if k == 0 else x,
    lambda x, k: x * np.array([1.0, 0.8, 1.7, 0.6]),
    lambda x, k: x * np.array([1.0, 0.8, 1.7, 0.6, 1.1, 0.9]),
    lambda x, k: x * np.eye(3) + 0.1 * np.arange(9.0).reshape(3, 3),
    lambda x, k: x * np.eye(4) + 0.1 * np.arange(16.0).reshape(4, 4),
)
"""Arguments for functions whose documentation has no example, by a number and the argument's place."""


def _guessed(path: str, function: Any) -> Iterator[Call]:
    """Calls with the first guess for all required arguments with which the function returns finite numbers."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return
    count = sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    if not 0 < count <= len(NUMBERS):
        return
    for guess in GUESSES:
        arguments = [guess(NUMBERS[k], k) for k in range(count)]
        try:
            with Limit(), np.errstate(all="ignore"):
                value = total(function(*[np.copy(x) if isinstance(x, np.ndarray) else x for x in arguments]))
        except BaseException:
            continue
        if value is not None and np.isfinite(value):
            yield from _by_argument(path, function, arguments, {})
            return


# ------------------------------------------------------------------------------------------------ trying them


class Limit:
    """At most `SECONDS` seconds."""

    def __enter__(self) -> None:
        signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError("too long")))
        signal.alarm(SECONDS)

    def __exit__(self, *error: object) -> None:
        signal.alarm(0)


def expected(call: Call) -> tuple[float, float, float] | None:
    """The plain value, the difference quotient and its error; None where they tell nothing."""
    try:
        with Limit(), np.errstate(all="ignore"):
            value = call.along(0.0)
            if value is None or not np.isfinite(value) or call.along(0.0) != value:
                return None
            quotient, error = difference_quotient(lambda t: np.float64(call.along(float(t))), 0, [0.0])
    except BaseException:
        return None
    size = abs(quotient) + abs(value) * 1e-3
    good = np.isfinite(quotient) and np.isfinite(error) and error <= LARGEST_ERROR * size
    return (float(value), float(quotient), float(error)) if good else None


def outcome(call: Call, known: tuple[float, float, float], context: Any) -> str:
    """``works``, ``wrong: …`` or the error, in both modes."""
    value, quotient, error = known
    allowed = 20 * error + 1e-6 * (abs(quotient) + abs(value) * 1e-3)
    try:
        with Limit(), context, np.errstate(all="ignore"):
            forward_value, forward = jvp(call.along, [0.0], [1.0])
            reverse_value, pullback = vjp(call.along, 0.0)
            reverse = pullback(1.0)[0]
    except BaseException as failure:
        return f"{type(failure).__name__}: {failure}"
    for mode, found, by in (("forward", forward_value, forward), ("reverse", reverse_value, reverse)):
        if not np.isclose(float(found), value, rtol=1e-12, atol=0):
            return f"wrong: {mode} value {found}, plain {value}"
        if not abs(float(by) - quotient) <= allowed:
            return f"wrong: {mode} derivative {by}, differences {quotient} ± {error}"
    return "works"


def tried(package: str, adopted: list[str], largest: int | None = None) -> dict[str, Any]:
    """What becomes of the calls of a package, as they are and adopted."""
    results: dict[str, dict[str, str]] = {}
    modules = [importlib.import_module(name) for name in adopted]
    for call in calls_of(package):
        if largest is not None and len(results) >= largest:
            break
        known = expected(call)
        if known is not None:
            results[call.name] = {
                "as it is": outcome(call, known, nullcontext()),
                "adopted": outcome(call, known, adopt(*modules, package=True)),
            }
    return {"version": version(DISTRIBUTIONS.get(package, package)), "calls": results}


def summary(package: str, found: dict[str, Any]) -> dict[str, Any]:
    """The counts of both roads; adopted, the names of what is wrong, and how often which error was raised."""
    roads: dict[str, Any] = {}
    for road in ("as it is", "adopted"):
        outs = [outs[road] for outs in found["calls"].values()]
        roads[road] = {"works": outs.count("works"), "wrong": sum(out.startswith("wrong") for out in outs)}
    outs = {name: outs["adopted"] for name, outs in found["calls"].items()}
    errors = [re.sub(r"(: | )?\(at .*|autodiff\.value_of.*|\s+", " ", out).strip() for out in outs.values()]
    shown = (error if len(error) <= 160 else f"{error[:160]}…" for error in errors)
    refused = Counter(error for error in shown if error != "works" and not error.startswith("wrong"))
    return {"distribution": DISTRIBUTIONS.get(package, package), "version": found["version"],
            "calls": len(outs), **roads, "wrong": sorted(n for n, out in outs.items() if out.startswith("wrong")),
            "refused": dict(refused)}  # fmt: skip


if __name__ == "__main__":
    output, *names = sys.argv[1:]
    output = str(Path(output).resolve())
    os.chdir(tempfile.mkdtemp())  # some examples write files
    warnings.simplefilter("ignore")
    results = json.loads(Path(output).read_text(encoding="utf-8")) if Path(output).exists() else {}
    for name in names or PACKAGES:
        found = tried(name, PACKAGES[name])
        Path(f"{output}.{name}").write_text(json.dumps(found, indent=1), encoding="utf-8")
        results[name] = summary(name, found)
        print(name, results[name]["calls"], results[name]["as it is"], results[name]["adopted"])
        Path(output).write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf-8")
