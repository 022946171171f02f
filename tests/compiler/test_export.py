"""Functions exported to C give what they give in Python, compiled without a warning; what has no form in C is said."""

import ctypes
import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path

import mpmath
import numpy as np
import pytest
from array_programs import Choosing, Drawn
from elementary_points import REFERENCES, SPECIAL, TWO, pairs, points, ulps
from exported import COMPILER, FLAGS, called, compiled, needs_cc
from loops import ArrayLoops, Loops
from numpy.testing import assert_allclose, assert_array_equal

from autodiff import export_c, grad, hessian, hvp, jacobian, value_and_grad
from autodiff.calls.structures import flatten
from autodiff.compiler.c.forms import C_FORMS, LIBRARY, WRITTEN, written
from autodiff.compiler.native.elementary.functions import ELEMENTARY
from autodiff.scipy.linalg import solve_triangular
from dualnumbers import dmath
from dualnumbers.levels import is_number
from dualnumbers.table.registry import TABLE

for rows in ("elementwise.normal", "of_scipy.special.sigmoids", "of_scipy.special.losses"):
    import_module(f"dualnumbers.rules.{rows}")

X = np.array([0.3, -0.7, 1.1, 0.4])
W = np.array([[0.9, -0.2, 0.1, 0.4], [0.3, 0.8, -0.5, 0.2], [0.1, 0.1, 0.7, -0.6], [0.2, -0.4, 0.3, 1.2]])


def assert_near(found, expected, near=1e-11):
    for x, y in zip(found, expected, strict=True):
        size = np.max(np.abs(y), initial=1.0, where=np.isfinite(y)) if np.result_type(y).kind == "f" else 0.0
        assert_allclose(x, y, rtol=near, atol=near * size)


# ------------------------------------------------------------------------------------------------------------- programs


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def population(r):
    x = 0.1
    for _ in range(50):
        x = r * x * (1 - x)
    return x


def network(weights, x):
    for w, b in zip(weights["w"], weights["b"], strict=True):
        x = np.tanh(w @ x + b)
    return np.sum(x**2)


def recurrent(w, x):
    h = np.zeros(4)
    for k in range(30):
        h = np.tanh(w @ h + x * np.sin(0.3 * k))
    return np.sum(h * h)


def sampled(x, count):
    total = 0.0
    for k in range(count):
        total = total + np.exp(-((x - 0.1 * k) ** 2))
    return np.sum(total)


def gaussian(w, x):
    lower = np.linalg.cholesky(w @ w.T + np.eye(4))
    z = solve_triangular(lower, x, lower=True)
    return z @ z / 2 + np.sum(np.log(np.diagonal(lower))) + np.linalg.slogdet(w + 3 * np.eye(4))[1]


def systems(w, x):
    a = w @ w.T + np.eye(4)
    return np.sum(np.linalg.solve(a, x) * x) + np.sum(np.linalg.inv(a)[0])


def several(x, a):
    return {"sum": np.sum(x) * a, "same": x, "part": x[1:3], "twice": (x * a, x * a), "fixed": np.arange(3), "n": 3,
            "mask": x > 0, "table": np.eye(2), "a": a}  # fmt: skip


WEIGHTS = {"w": [W, 0.5 * W.T], "b": [X, -X]}

PROGRAMS = {
    "scalar": (lambda x: dmath.sin(x) ** dmath.cos(x) + dmath.exp(-x), [0.7]),
    "scalar_hessian": (hessian(lambda x, y: dmath.sin(x * y) + x**3, (0, 1)), [0.7, 1.3]),
    "rosenbrock": (value_and_grad(rosenbrock), [X]),
    "rosenbrock_hvp": (hvp(rosenbrock), [X, X[::-1].copy()]),
    "rosenbrock_hessian": (hessian(rosenbrock), [X]),
    "population": (value_and_grad(population), [2.8]),
    "network": (value_and_grad(network, (0, 1)), [WEIGHTS, X]),
    "recurrent": (value_and_grad(recurrent, (0, 1)), [W, X]),
    "recurrent_hvp": (hvp(lambda x: recurrent(W, x)), [X, 0.5 * X]),
    "sampled": (value_and_grad(sampled), [X, 7]),
    "gaussian": (value_and_grad(gaussian, (0, 1)), [W, X]),
    "systems": (value_and_grad(systems, (0, 1)), [W, X]),
    "several": (several, [X, 0.5]),
    "products": (lambda a, b: (a @ b, np.einsum("ij,kj->ik", a, b), np.trace(a), a.T @ a[0]), [W, W.T.copy()]),
    "reductions": (lambda a: (np.max(a, 0), np.mean(a, 1), np.min(a), np.ptp(a), np.any(a > 1)), [W]),
    "products_of_elements": (jacobian(lambda a: (np.prod(a), np.prod(a, 1))), [W]),
    "long_sums": (lambda a: (np.sum(a), np.sum(np.sin(a) ** 2), a[::-1] * a[5]), [np.linspace(0, 1, 20_000)]),
    "jacobian": (jacobian(lambda x: np.sin(x[:, None] - x).sum(0)), [X]),
    "single": (value_and_grad(lambda w: np.sum(np.tanh(w @ w) / np.float32(3))), [W.astype(np.float32)]),
    "number_of_numpy": (lambda x, y: x * y, [np.float64(2.0), np.float32(3.0)]),
    "chosen": (grad(lambda x: np.sum(x[[0, 2, 0]] ** 2) + np.sum(np.where(x > 0, x, x**2))), [X]),
    "masks": (lambda x: ((x > 0) & (x < 1) | ~(x > -1), np.where((x > 0) ^ (x > 0.35), x, 0.0)), [X]),
    "itself": (lambda x: x, [X]),
    "nothing_read": (lambda x, y: y * 2.0, [X, 1.5]),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """All programs, compiled together, and the texts of their files."""
    return compiled(tmp_path_factory.mktemp("c"), PROGRAMS)


@needs_cc
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_derivatives(name, library):
    f, args = PROGRAMS[name]
    near = 1e-4 if name == "single" else 1e-11
    for scale in (1.0, 1.1, 0.8):
        leaves, rebuild = flatten(args)
        moved = rebuild(
            [x if type(x) is int else type(x)(x * scale) if np.isscalar(x) else x * x.dtype.type(scale) for x in leaves]
        )
        expected = f(*moved)
        code, found = called(library[0][name], moved, expected)
        assert code == 0
        assert_near(found, flatten(expected)[0], near)


def gradient(f):
    """The gradient of a weighted sum of what a function returns."""

    def total(*xs):
        parts = [x for x in f(*xs) if is_number(type(x)) and x.dtype.kind == "f"]
        return sum(np.sum(np.cos(1.0 + np.arange(np.size(x))).reshape(np.shape(x)) * x) for x in parts) + np.sum(xs[0])

    return lambda *xs: grad(total, tuple(range(len(xs))))(*xs)


def drawn_functions(seeds):
    """Random functions of arrays and their gradients, and functions with loops; and how near they are to come."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        for drawn in (Drawn(seed), Choosing(seed)):
            single = any(np.result_type(x) == np.float32 for x in drawn.values())
            for f in (drawn, gradient(drawn)):
                yield f, drawn.arguments, 2e-4 if single else 1e-9
        loops = Loops(seed, 6 + seed % 5)
        yield value_and_grad(loops.function(), (0, 1)), [rng.normal(size=loops.n + 1), float(rng.normal())], 1e-9
    arrays = ArrayLoops(seeds[0], 6, 3)
    yield value_and_grad(arrays.function(), (0, 1, 2)), arrays.arguments(seeds[0]), 1e-8


@needs_cc
@pytest.mark.parametrize("seeds", [range(k, k + 10) for k in (2000, 2010)], ids=lambda seeds: str(seeds.start))
@pytest.mark.filterwarnings("ignore")
def test_random_programs(seeds, tmp_path):
    functions, data, refused = {}, {}, 0
    with np.errstate(all="ignore"):
        for k, (f, args, near) in enumerate(drawn_functions(seeds)):
            try:
                f(*args)
                export_c(f, args)
            except Exception:  # it writes to an argument, or takes places that no strides lead through
                refused += 1
                continue
            functions[f"f{k}"], data[f"f{k}"] = (f, args), near
        assert refused < 10 < len(functions)
        library, _ = compiled(tmp_path, functions)
        for name, (f, args) in functions.items():
            for step in (0.0, -0.7):
                xs = [x + step if isinstance(x, float) else np.asarray(x + x.dtype.type(step)) for x in args]
                expected = flatten(f(*xs))[0]
                code, found = called(library[name], xs, expected)
                assert code == 0 or step
                if code == 0:
                    assert_near(found, expected, data[name])


# ------------------------------------------------------------------------------------------------------------ functions


def test_every_elementary_function_has_a_form_in_c():
    assert ELEMENTARY.keys() <= LIBRARY.keys() | WRITTEN.keys()
    assert C_FORMS.keys() >= ELEMENTARY.keys()


@pytest.fixture(scope="module")
def elementary(tmp_path_factory):
    """Loops over arrays of every elementary function, as a library."""
    folder = tmp_path_factory.mktemp("elementary")
    texts = ["#include <math.h>", "#include <stddef.h>", *written({f"own_{name}" for name in WRITTEN})]
    for name in ELEMENTARY:
        function, count = LIBRARY.get(name, f"own_{name}"), 2 if name in (*TWO, "pow") else 1
        given = "".join(f"const double *x{k}, " for k in range(count))
        call = ", ".join(f"x{k}[i]" for k in range(count))
        texts += [
            f"void all_{name}({given}double *out, ptrdiff_t n);",
            f"void all_{name}({given}double *out, ptrdiff_t n)",
            f"{{\n    for (ptrdiff_t i = 0; i < n; ++i)\n        out[i] = {function}({call});\n}}",
        ]
    (folder / "elementary.c").write_text("\n".join(texts))
    subprocess.run([COMPILER, *FLAGS, folder / "elementary.c", "-o", folder / "elementary.so", "-lm"], check=True)
    library = ctypes.CDLL(str(folder / "elementary.so"))

    def values(name, *xs):
        out = np.empty_like(xs[0])
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in (*xs, out)]
        getattr(library, f"all_{name}")(*pointers, ctypes.c_ssize_t(len(out)))
        return out

    return values


ULPS = 5.0
"""C's library is the system's; glibc's error functions are known to be wrong by 5 units in the last place."""


@needs_cc
@pytest.mark.parametrize("name", [name for name in WRITTEN if name in REFERENCES])
def test_functions_that_are_written_out_are_near_the_truth(name, elementary):
    reference, intervals = REFERENCES[name]
    x = points(name, intervals)
    with mpmath.workdps(50):
        true = [reference(mpmath.mpf(one)) for one in x.tolist()]
        wrong = ulps(elementary(name, x), true)
    assert wrong.max() < ULPS, (x[wrong.argmax()], wrong.max())


@needs_cc
@pytest.mark.parametrize("name", [name for name in WRITTEN if name in TWO])
def test_functions_of_two_that_are_written_out_are_near_the_truth(name, elementary):
    x, y = np.ascontiguousarray(pairs(name))
    with mpmath.workdps(50):
        true = [TWO[name](mpmath.mpf(a), mpmath.mpf(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
        wrong = ulps(elementary(name, x, y), true)
        if name.startswith("log"):  # of the largest one's last place: the terms may cancel
            z = np.abs(np.array(true, float))
            wrong *= np.spacing(z) / np.spacing(np.max([abs(x), abs(y), z], axis=0))
    assert wrong.max() < ULPS, (x[wrong.argmax()], y[wrong.argmax()], wrong.max())


@needs_cc
@pytest.mark.parametrize("name", [name for name in ELEMENTARY if name != "special_expm1"])  # 0 for 5e-324 in SciPy
def test_special_points_are_those_of_the_row(name, elementary):
    xs = [SPECIAL] if name not in (*TWO, "pow") else [x.ravel().copy() for x in np.meshgrid(SPECIAL, SPECIAL)]
    found = elementary(name, *xs)
    with np.errstate(all="ignore"):
        expected = TABLE[name].row.numpy.evaluate(*xs)
    assert_array_equal(np.isnan(found), np.isnan(expected))
    special = (expected == 0) | np.isinf(expected) | (found == 0) | np.isinf(found) | np.isnan(found)
    assert_array_equal(found[special], expected[special])
    real = ~np.isnan(found)
    assert_array_equal(np.signbit(found)[real], np.signbit(expected)[real])


# ---------------------------------------------------------------------------------------------------------------- loops


@pytest.mark.parametrize("f", [population, recurrent, sampled])
def test_the_file_does_not_grow_with_the_rounds_of_a_loop(f):
    lengths = []
    for rounds in (700, 900):
        code = f.__code__.replace(co_consts=tuple(rounds if x in (30, 50) else x for x in f.__code__.co_consts))
        g = type(f)(code, f.__globals__)
        source, _ = export_c(value_and_grad(g), [2.8] if f is population else [W, X] if f is recurrent else [X, rounds])
        lengths.append(len(re.sub(r"(?s)static const \w+ \w+\[\d+\] = \{.*?\};", "", source)))
    assert lengths[1] < 1.05 * lengths[0] < 10_000


def test_a_constant_of_a_loop_is_written_once():
    weights = np.cos(np.arange(600.0)).reshape(20, 30)

    def f(x):
        for _ in range(40):
            x = np.tanh(weights.T @ np.tanh(weights @ x))
        return np.sum(x)

    source, _ = export_c(value_and_grad(f), [np.ones(30)])
    sizes = [int(size) for size in re.findall(r"static const double \w+\[(\d+)\]", source)]
    assert sum(sizes) <= 3 * weights.size


@needs_cc
def test_file_and_function_may_have_different_names(tmp_path):
    export_c(value_and_grad(rosenbrock), [X], tmp_path / "file.c", name="function")
    assert '#include "file.h"' in (tmp_path / "file.c").read_text()
    subprocess.run([COMPILER, *FLAGS, "file.c", "-o", "file.so", "-lm"], cwd=tmp_path, check=True)
    code, found = called(ctypes.CDLL(str(tmp_path / "file.so")).function, [X], value_and_grad(rosenbrock)(X))
    assert code == 0
    assert_near(found, value_and_grad(rosenbrock)(X))


def test_nothing_is_kept_between_calls():
    for f, args in PROGRAMS.values():
        source, _ = export_c(f, args)
        assert not re.search(r"^static (?!const )[^(]*[=;]", source, re.MULTILINE)


# ---------------------------------------------------------------------------------------------------------------- codes


def branched(x):
    return x * x if x > 0.5 else -x


@needs_cc
def test_another_way_has_the_number_of_its_decision(tmp_path):
    library, _ = compiled(tmp_path, {"branched": (value_and_grad(branched), [2.0])})
    header = (tmp_path / "branched.h").read_text()
    assert "1: `return x * x if x > 0.5 else -x" in header
    for x, code in ((0.6, 0), (0.5, 1), (-3.0, 1), (np.nan, 1)):
        found, results = called(library.branched, [x], value_and_grad(branched)(x))
        assert found == code
        assert code or results == [x * x, 2 * x]


@needs_cc
def test_where_python_would_raise_the_code_is_negative(tmp_path):
    functions = {
        "logarithm": (lambda x: dmath.log(x), [2.0]),
        "quotient": (lambda x: 1.0 / x, [2.0]),
        "solved": (lambda a: np.linalg.solve(a, X), [W]),
        "factored": (lambda a: np.linalg.cholesky(a), [W @ W.T]),
        "unlike_them": (lambda x: np.log(x), [X**2]),
    }
    library, _ = compiled(tmp_path, functions)
    bad = {"logarithm": -1.0, "quotient": 0.0, "solved": np.ones((4, 4)), "factored": -np.eye(4)}
    for name, (f, args) in functions.items():
        assert called(library[name], args, f(np.abs(args[0])) if name == "unlike_them" else f(*args))[0] == 0
        if name in bad:
            assert called(library[name], [bad[name]], f(*args))[0] == -1


def test_a_derivative_that_is_nan_is_said_in_the_header():
    _, header = export_c(grad(lambda x: np.sum(np.sqrt(x) * x)), [X**2])
    assert "1: a derivative is NaN" in header


# ----------------------------------------------------------------------------------------------------------- its names


@needs_cc
def test_names_that_c_has_or_has_not(tmp_path):
    def f(double, exp, λ, v0, x_, x):
        return double * exp * λ["a b"] + np.exp(v0) * x_[0] + x[0]

    args = [2.0, X, {"a b": X, 1: 0.5}, 1.0, [0.25, X], (0.5,)]
    library, _ = compiled(tmp_path, {"names": (f, args)})
    code, found = called(library.names, args, f(*args))
    assert code == 0
    assert_near(found, [f(*args)])


def test_the_header_says_what_is_taken_and_given():
    _, header = export_c(value_and_grad(sampled), [np.ones((2, 3)), 4], name="sampled")
    assert "int sampled(const double x[6], double *out_0, double out_1[6]);" in header
    assert "x: an array of shape (2, 3), row by row" in header
    assert "fixed: count is 4" in header
    assert 'extern "C" {' in header
    named, _ = export_c(lambda *args: args[0] * args[1], [1.0, 2.0])
    assert "int lambda(double x0, double x1, double *out)" in named


@pytest.mark.parametrize("name", ["double", "2x", "a-b", "class", "exp", "kernel0", ""])
def test_a_name_that_is_none_in_c(name, tmp_path):
    if name:
        with pytest.raises(ValueError, match=f"{name!r} is no name of a function in C"):
            export_c(rosenbrock, [X], name=name)
    with pytest.raises(ValueError, match=r"as 'loss\.c'"):
        export_c(rosenbrock, [X], tmp_path / f"{name}.cpp")
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------------------------------------------------ what is refused


def reads(x):
    return x * 2.0 if x[0] else x


def sorts(x):
    y = x * 2.0
    return np.sort(y)


def decomposed(x):
    return np.linalg.eigvalsh(np.outer(x, x))


def counted(x):
    return np.sum(x[x > 0])


def extended(x):
    y = np.sin(x)[:0]
    return np.sum(np.concatenate([y, np.cos(x)]))


def written_to(x):
    x[0] = 1.0
    return x


def in_no_file(text):
    names = {"np": np}
    exec(f"def f(x):\n    return {text}", names)
    return names["f"]


@pytest.mark.parametrize(
    ("f", "args", "said"),
    [
        (in_no_file("np.sort(x)"), [X], r"no form in C of sort, in <string>:2 \(at"),
        (in_no_file("x if x[0] else -x"), [X], r"a value of getitem, in <string>:2 \(at"),
        (sorts, [X], r"no form in C of .*sort.*`return np.sort\(y\)` \(test_export.py:\d+\)"),
        (decomposed, [X], r"no form in C of .*`return np.linalg.eigvalsh\(np.outer\(x, x\)\)`"),
        (reads, [X], "cannot check in C what is decided by a value of getitem, in return x \\* 2.0 if x\\[0\\] else x"),
        (counted, [X], r"no form in C of indices, in `return np.sum\(x\[x > 0\]\)`"),
        (written_to, [X], "no program of written_to: it writes to an argument"),
        (rosenbrock, [X.astype(complex)], "x is ndarray of complex128"),
        (rosenbrock, [object()], "x is object"),
        (lambda x: x * 1j, [X], "out is .*complex"),
        (lambda x: None, [X], "out is None"),
        (lambda x: (None, "a"), [X], "returns none"),
        (lambda x: x[:0], [X], r"of shape \(0,\)"),
        (lambda x: np.argsort(x), [X], "no form in C|writes floats"),
        (extended, [X], r"no form in C of getitem, in `y = np.sin\(x\)\[:0\]`"),
    ],
)
def test_what_has_no_form_in_c_is_said_with_its_line(f, args, said):
    with pytest.raises(ValueError, match=said):
        export_c(f, args)


def test_errors_of_the_function_are_its_own():
    with pytest.raises(TypeError, match="would lose the derivative"):
        export_c(lambda x: x * float(x), [0.5])
    with pytest.raises(ZeroDivisionError):
        export_c(lambda x: x / (x - x), [1.0])
    with pytest.raises(TypeError):
        export_c(rosenbrock, [X, X])


# ------------------------------------------------------------------------------------------------------ other languages


@pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler is installed")
def test_the_header_is_one_of_cpp(tmp_path):
    export_c(value_and_grad(rosenbrock), [X], tmp_path / "rosenbrock.c")
    main = '#include "rosenbrock.h"\nint main() { double x[4] = {0}, y, g[4]; return rosenbrock(x, &y, g); }\n'
    (tmp_path / "main.cpp").write_text(main)
    subprocess.run(["cc", "-c", "-O1", "rosenbrock.c"], cwd=tmp_path, check=True)
    subprocess.run(["c++", "-Wall", "-Wextra", "-Werror", "main.cpp", "rosenbrock.o", "-lm"], cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "a.out"], check=True)


def blocks(language):
    """The code of a language on the page that tells how to call what is exported."""
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "compile.md").read_text(encoding="utf-8")
    return re.findall(rf"(?s)^```{language}\n(.*?)^```", page, re.MULTILINE)


@pytest.fixture
def exported(tmp_path):
    """A folder with the function of the page, and what its programs print."""
    export_c(value_and_grad(rosenbrock), [np.linspace(0.0, 1.0, 10)], tmp_path / "rosenbrock.c")
    x = np.zeros(10)
    for _ in range(20_000):
        x -= 0.001 * grad(rosenbrock)(x)
    return tmp_path, f"{rosenbrock(x):.3f} at {x[9]:.3f}"


@needs_cc
def test_the_program_in_c_of_the_page(exported):
    folder, said = exported
    (main,), (command,) = blocks("c"), [x for x in blocks("sh") if x.startswith("cc ")]
    (folder / "main.c").write_text(main)
    ran = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == said


@needs_cc
@pytest.mark.skipif(shutil.which("gfortran") is None, reason="no Fortran compiler is installed")
def test_the_program_in_fortran_of_the_page(exported):
    folder, said = exported
    (main,) = blocks("fortran")
    (folder / "main.f90").write_text(main)
    subprocess.run(["cc", "-c", "-O2", "rosenbrock.c"], cwd=folder, check=True)
    subprocess.run(["gfortran", "-Wall", "-Werror", "main.f90", "rosenbrock.o"], cwd=folder, check=True)
    ran = subprocess.run(["./a.out"], cwd=folder, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == said
