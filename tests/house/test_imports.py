"""The directions of the imports, read from the source; what importing brings in; the size of the modules."""

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path
from pkgutil import resolve_name

import pytest

from dualnumbers.rules import LATE as LATE_FAMILIES

ROOT = Path(__file__).parents[2]
LONGEST = 320
"""Lines of a module. One that outgrows this asks for a better division."""

UPWARD = ("dualnumbers.upward", "autodiff.upward")
"""The tables of what lower floors call on upper ones."""

LAYERS = (
    (
        "dualnumbers.messages.names",
        "dualnumbers.messages.remedies",
        "dualnumbers.late",
        "dualnumbers.levels",
        "dualnumbers.memory",
        "dualnumbers.several",
        "dualnumbers.messages.shortening",
        "dualnumbers.number_types",
    ),
    ("dualnumbers.foreign", "dualnumbers.operands", "dualnumbers.messages.frames", *UPWARD),
    ("dualnumbers.forms", "dualnumbers.numbers.surface"),
    ("dualnumbers.messages.refusals", "dualnumbers.messages.code"),
    ("dualnumbers.messages.storing",),
    ("dualnumbers.messages.labelled",),
    ("dualnumbers.messages.rewriting",),
    ("dualnumbers.messages.sentences",),
    ("dualnumbers.messages.errors",),
    ("dualnumbers.table.registry", "dualnumbers.table.parameters"),
    ("dualnumbers.table.blocks",),
    ("dualnumbers.table.dispatch",),
    ("dualnumbers.table.partials", "dualnumbers.table.batching"),
    ("dualnumbers.table.kinds",),
    ("dualnumbers.table.row",),
    ("dualnumbers.table.language",),
    ("dualnumbers.table",),
    ("dualnumbers.rules",),
    ("dualnumbers.numbers.arguments",),
    (
        "dualnumbers.numbers.ufunc_methods",
        "dualnumbers.numbers.ndarray_attributes",
        "dualnumbers.numbers.notation",
    ),
    ("dualnumbers.numbers.beside_sparse",),
    ("dualnumbers.numbers.operators",),
    ("dualnumbers.numbers.number", "dualnumbers.numbers.nested"),
    ("dualnumbers.numbers.typed",),
    ("dualnumbers.numbers.taylor.series",),
    ("dualnumbers.numbers.array", "dualnumbers.numbers.taylor.equations", "dualnumbers.numbers.taylor.short"),
    (
        "dualnumbers.numbers.batch",
        "dualnumbers.numbers.views",
        "dualnumbers.numbers.taylor.operation",
        "dualnumbers.numbers.taylor.polynomials",
    ),
    (
        "dualnumbers.numbers.weighted",
        "dualnumbers.numbers.mapped",
        "dualnumbers.numbers.taylor.users_rows",
        "dualnumbers.numbers.taylor.symbols",
    ),
    ("dualnumbers.numbers.taylor.straight_line",),
    ("dualnumbers.numbers.taylor.codes",),
    ("dualnumbers.numbers.taylor.propagation", "dualnumbers.numbers.pushforward", "dualnumbers.numbers.dual_arrays"),
    ("dualnumbers.numbers.dual", "dualnumbers.numbers.taylor.number"),
    ("dualnumbers.numbers.folded",),
    (
        "dualnumbers.dmath",
        "dualnumbers.functions",
        "dualnumbers.sparse.places",
    ),
    ("dualnumbers.sparse.formats",),
    ("dualnumbers.sparse.arrays",),
    ("dualnumbers.sparse",),
    ("autodiff.calls.given",),
    ("dualnumbers", "autodiff.derived", "autodiff.interpolation", "autodiff.calls.structures"),
    (
        "autodiff.calls.values",
        "autodiff.calls.labels",
        "autodiff.calls.captured",
        "autodiff.calls.closures",
        "autodiff.calls.watching",
        "autodiff.differences.tableau",
    ),
    (
        "autodiff.calls.places",
        "autodiff.calls.call",
        "autodiff.calls.auxiliary",
        "autodiff.differences.slope",
        "autodiff.check.report",
    ),
    (
        "autodiff.calls.directions",
        "autodiff.calls.running",
        "autodiff.check.real_function",
        "autodiff.tape.program",
        "autodiff.tape.answers",
        "autodiff.tape.outline",
    ),
    ("autodiff.tape.wengert",),
    ("autodiff.tape.handles", "autodiff.tape.keeping"),
    ("autodiff.differences.quotients", "autodiff.tape.recorder"),
    ("autodiff.differences", "autodiff.check.derivatives", "autodiff.tape.sources", "autodiff.tape.captured_rows"),
    ("autodiff.tape.fast_paths",),
    ("autodiff.tape.variable",),
    ("autodiff.tape.locally_constant",),
    ("autodiff.tape.lazy",),
    ("autodiff.tape.lazy_when_large",),
    ("autodiff.tape",),
    (
        "autodiff.tape.pieces",
        "autodiff.tape.members",
        "autodiff.tape.listing",
        "autodiff.tape.replay",
        "autodiff.tape.pickling",
    ),
    ("autodiff.tape.accumulation",),
    ("autodiff.tape.few", "autodiff.tape.float_sweep", "autodiff.tape.multiplication", "autodiff.second_look.patterns"),
    ("autodiff.second_look",),
    ("autodiff.second_look.products",),
    ("autodiff.second_look.unbounded",),
    ("autodiff.second_look.strong_adjoints",),
    ("autodiff.tape.sweep", "autodiff.tape.tangents"),
    (
        "autodiff.second_look.strong_tangents",
        "autodiff.linearization",
        "autodiff.tape.profile",
        "autodiff.tape.curvature",
    ),
    ("autodiff.recorded", "autodiff.second_look.rounding"),
    ("autodiff.seeding",),
    ("autodiff.runs",),
    ("autodiff.forward", "autodiff.reverse"),
    ("autodiff.any_order",),
    ("autodiff.derivative_tensors",),
    ("autodiff.sparse.colouring",),
    ("autodiff.sparse.asking", "autodiff.sparse.sparsity"),
    ("autodiff.sparse.pattern",),
    ("autodiff.sparse.evaluation",),
    ("autodiff.sparse.programs", "autodiff.sparse.products"),
    ("autodiff.sparse.jacobians",),
    ("autodiff.sparse",),
    ("autodiff.check.gradcheck",),
    ("autodiff.check.along", "autodiff.check.smoothness"),
    ("autodiff.check.strategies",),
    ("autodiff.check",),
)
"""The plan of the house, from the ground up: a module imports only from the layers below its own.

`dualnumbers.rules` stands for its modules, which may import one another. Modules that are not named, and the package
`autodiff` itself, stand above all of these; they may import one another, but not in a circle.
"""

ROOMS = (("machine", "elementary"), ("instructions",), ("savings",), ("rows", "loops"), ("kernels",), ("text",))
"""The folders of `autodiff.compiler.native`, from the ground up: each imports only from those before its own."""

FORWARD = ("autodiff.seeding", "autodiff.runs", "autodiff.forward")
FORBIDDEN = (
    "autodiff.tape",
    "autodiff.linearization",
    "autodiff.second_look.strong_adjoints",
    "autodiff.second_look.lengths",
    "autodiff.second_look.patterns",
    "autodiff.second_look.products",
    "autodiff.second_look.structure",
    "autodiff.second_look.unbounded",
)
"""What the layers would allow forward mode to import, and the plan does not: it knows no tape.
`second_look.strong_tangents` records for it where a tangent is NaN, and `recorded` where the directions would fill the
memory."""

HEAVY = {
    "scipy",
    "matplotlib",
    "osqp",
    "tqdm",
    "PIL",
    "llvmlite",
    "dask",
    "distributed",
    "cloudpickle",
    "pyarrow",
    "zarr",
}
"""What is imported only inside the functions that need it: NumPy is the only hard dependency."""


def name_of(path: Path) -> str:
    """The dotted name of a module; a package's for its ``__init__``."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for name in ("dualnumbers", "autodiff") for path in sorted((ROOT / name).rglob("*.py"))}


def statements(body: list[ast.stmt], functions: bool) -> Iterator[ast.stmt]:
    """The statements of a module that run at its import, or with ``functions`` those inside its functions."""
    for statement in body:
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            continue  # names for type checkers
        inside = isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef))
        if inside:
            yield from (node for node in ast.walk(statement) if functions and isinstance(node, ast.stmt))
            continue
        if not functions:
            yield statement
        for field in ("body", "orelse", "finalbody", "handlers"):
            for part in getattr(statement, field, []):
                yield from statements(part.body if isinstance(part, ast.ExceptHandler) else [part], functions)


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imports(name: str, path: Path, functions: bool = False) -> frozenset[str]:
    """The full names of what a module imports, at its import or, with ``functions``, inside its functions."""
    found = set()
    for statement in statements(parsed(path).body, functions):
        if isinstance(statement, ast.Import):
            found |= {alias.name for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom):
            package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
            above = package[: len(package) - statement.level + 1] if statement.level else []
            source = ".".join([*above, *filter(None, [statement.module])])
            full = {f"{source}.{alias.name}" for alias in statement.names}
            found |= {f if f in MODULES else source for f in full}
    return frozenset(found)


def ours(names: frozenset[str]) -> set[str]:
    return {name for name in names if name in MODULES}


def layer(name: str) -> int:
    """The number of a module's layer, that of the longest name in `LAYERS` that it begins with."""
    if name in ("autodiff", "dualnumbers"):
        return next((i for i, names in enumerate(LAYERS) if name in names), len(LAYERS))
    candidates = [(len(n), i) for i, names in enumerate(LAYERS) for n in names
                  if n != "dualnumbers" and f"{name}.".startswith(f"{n}.")]  # fmt: skip
    return max(candidates)[1] if candidates else len(LAYERS)


def allowed(name: str, imported: str) -> bool:
    """Whether the plan lets one of our modules import another."""
    if name == imported or (name in FORWARD and imported.startswith(FORBIDDEN)):
        return False
    in_rules = name.startswith("dualnumbers.rules") and imported.startswith("dualnumbers.rules")
    both_above = layer(name) == layer(imported) == len(LAYERS)
    return in_rules or both_above or layer(imported) < layer(name)


def test_imports_point_down():
    against = [(name, imported) for name, path in MODULES.items() for imported in ours(imports(name, path))
               if not allowed(name, imported)]  # fmt: skip
    assert not against, "each of these modules imports the other against LAYERS"


def test_imports_inside_functions_point_down():
    against = {(name, imported) for name, path in MODULES.items() for imported in ours(imports(name, path, True))
               if not allowed(name, imported)}  # fmt: skip
    assert not against, "a function of each of these modules imports the other against LAYERS"


def test_late_imports_point_down():
    """What a module has from another one when it is first asked for, but in the tables and for a package's users."""
    against = set()
    for name, path in MODULES.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for call in (node for node in ast.walk(parsed(path)) if isinstance(node, ast.Call)):
            function = getattr(call.func, "id", "")
            if function == "late" and name not in UPWARD and path.name != "__init__.py":
                homes = [f"{package}.{home.value}" for home in call.args[1].values]
            elif function == "LateModule" and isinstance(call.args[2], ast.Constant):
                homes = [call.args[2].value]
            else:
                continue
            assert homes
            against |= {(name, home) for home in homes if not allowed(name, home)}
    assert not against, "put these names into upward.py"


@pytest.mark.parametrize("table", UPWARD)
def test_what_is_called_on_upper_floors_stands_in_a_table(table):
    """Whatever is in it is asked for, by modules that stand below what it is imported from."""
    module, package = import_module(table), table.split(".")[0]
    assert sorted(module.__all__) == list(module.UPWARD)
    for name, home in module.UPWARD.items():
        users = [
            user
            for user, path in MODULES.items()
            if re.search(rf'\bupward\.{name}\b|"{name}": "upward"', path.read_text(encoding="utf-8"))
        ]
        assert users
        assert not any(allowed(user, f"{package}.{home}") for user in users)
        assert getattr(module, name) is getattr(import_module(f"{package}.{home}"), name)


def test_the_folders_of_the_compiler_stand_in_one_order():
    native = "autodiff.compiler.native."
    order = {room: floor for floor, rooms in enumerate(ROOMS) for room in rooms}
    assert order.keys() == {path.parent.name for path in (ROOT / native.replace(".", "/")).glob("*/*.py")}
    found = set()
    for name in (name for name in MODULES if name.startswith(native)):
        room, inside = name.removeprefix(native).split(".")[0], ours(imports(name, MODULES[name], True))
        inside |= ours(imports(name, MODULES[name]))
        others = {n.removeprefix(native).split(".")[0] for n in inside if n.startswith(native)} - {room}
        found |= {(room, other) for other in others if room in order and order.get(other, len(ROOMS)) >= order[room]}
    assert not found, "each of these folders imports from the other against ROOMS"


def test_rules_have_no_plain_values():
    """They ask `forms`, compute with functions of the table, or `read`: of that a recording keeps note."""
    rules = [name for name in MODULES if name.startswith(("dualnumbers.rules", "autodiff.scipy"))]
    assert len(rules) > 100
    for name in rules:
        found = (node for node in ast.walk(parsed(MODULES[name])) if isinstance(node, ast.ImportFrom))
        assert not any(alias.name == "plain" for node in found for alias in node.names), name


def test_dualnumbers_knows_nothing_of_programs():
    for name in MODULES:
        if name.startswith("dualnumbers"):
            names = imports(name, MODULES[name]) | imports(name, MODULES[name], functions=True)
            assert not any(n.partition(".")[0] == "autodiff" for n in names), name


def test_no_circles():
    graph = {name: ours(imports(name, path)) for name, path in MODULES.items()}
    while graph:
        free = {name for name, imported in graph.items() if not imported & graph.keys()}
        assert free, f"a circle among {sorted(graph)}"
        graph = {name: imported for name, imported in graph.items() if name not in free}


def test_numpy_is_the_only_package_imported():
    for name, path in MODULES.items():
        roots = {n.partition(".")[0] for n in imports(name, path)}
        foreign = roots - {"numpy", "autodiff", "dualnumbers"} - set(sys.stdlib_module_names)
        if name.startswith("autodiff.scipy.") or name == "autodiff.operators.derivative_operator":  # when asked for
            foreign -= {"scipy"}
        if name == "autodiff.compiler.native.machine.engine":  # likewise, when a function is compiled
            foreign -= {"llvmlite"}
        assert not foreign, f"{name} imports {foreign} at its import"


def test_everything_can_be_imported_with_numpy_alone():
    """By a star too, and what needs SciPy says so when it is called."""
    program = """
import sys
sys.modules.update(dict.fromkeys(("scipy", "matplotlib", "llvmlite")))
from autodiff import *
assert grad(lambda x: x * x)(3.0) == 6.0
try:
    hessian_operator(lambda x: x * x, 3.0)
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "hessian_operator needs SciPy: pip install 'dualautodiff[scipy]'\n"


@pytest.mark.parametrize("packages", ["autodiff, dualnumbers", "autodiff.distributed"])  # which each worker imports
def test_importing_brings_in_nothing_heavy(packages):
    program = f"import sys, {packages}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    loaded = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "numpy" in loaded.stdout.split()
    assert not HEAVY & set(loaded.stdout.split())


def test_families_that_are_read_late_are_found_by_their_functions():
    """Those with a ufunc or a method of arrays one by one: all kinds of number have these when their class is made."""
    program = """
import sys, numpy as np, dualnumbers.rules as rules
from dualnumbers.table import BY_NUMPY
early = set(BY_NUMPY)
methods = {vars(np).get(name) for name in dir(np.ndarray)}
for family, names in rules.LATE.items():
    assert f"{rules.__name__}.{family}" not in sys.modules, family
for function, family in rules.FAMILY_OF.items():
    entry, made = rules.ENTRIES[function], f"{rules.__name__}.arrays.creating"
    assert entry is not None or function in sys.modules[made].LIKE, function
rules.families()
late = set(BY_NUMPY) - early
assert np.interp in late and np.fft.fft in late
print(*[f for f in late - rules.FAMILY_OF.keys() if isinstance(f, np.ufunc) or f in methods])
"""
    found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (found.stdout, found.stderr) == ("\n", ""), "name them in LATE of dualnumbers/rules/__init__.py"


@pytest.mark.parametrize("family", LATE_FAMILIES)
def test_a_family_has_the_functions_that_it_is_found_by(family):
    """And needs no other family to be found: reading it enters them all."""
    program = f"""
import numpy as np, dualnumbers.rules as rules
from importlib import import_module
from dualnumbers.table import BY_NUMPY
import_module("dualnumbers.rules.{family}")
like = set()
if "{family}" == "arrays.creating":
    like = rules.arrays.creating.LIKE.keys()
print(*[name for name in rules.LATE["{family}"].split() if getattr(np, name) not in BY_NUMPY.keys() | like])
"""
    found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout == "\n"


@pytest.mark.parametrize("call", ["x @ x", "np.dot(x, x)", "x.std()", "np.tanh(x).sum()", "np.sort(x)", "x.argmax()"])
def test_eight_threads_may_be_the_first_to_read_a_family(call):
    """Nobody gets a rule of a file that another thread is still reading."""
    program = f"""
import sys, threading, numpy as np
from autodiff import grad
sys.setswitchinterval(1e-6)
together = threading.Barrier(8)
found = []
def differentiate():
    together.wait()
    found.append(grad(lambda x: np.sum({call} * x))(np.arange(1.0, 4.0)).tolist())
threads = [threading.Thread(target=differentiate) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) == 8 and all(g == found[0] for g in found), found
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_the_names_are_ours_alone():
    """`autodiff` is also the name of another project's package."""
    distributions = packages_distributions()
    for name in ("autodiff", "dualnumbers"):
        assert set(distributions.get(name, [])) <= {"dualautodiff"}


def test_no_module_is_too_long():
    lines = {name: path.read_text(encoding="utf-8").count("\n") for name, path in MODULES.items()}
    assert len(lines) > 300
    assert not {name: count for name, count in lines.items() if count > LONGEST}


@pytest.mark.parametrize(
    ("name", "imported", "verdict"),
    [
        ("dualnumbers.rules.elementwise.powers", "dualnumbers.rules.comparisons", True),
        ("dualnumbers.rules.elementwise.powers", "dualnumbers.numbers.number", False),
        ("dualnumbers.numbers.dual", "dualnumbers.numbers.pushforward", True),
        ("dualnumbers.dmath", "dualnumbers.rules.elementwise.powers", True),
        ("dualnumbers.table", "dualnumbers.rules.comparisons", False),
        ("dualnumbers.dmath", "autodiff.calls.values", False),
        ("autodiff.calls.values", "dualnumbers", True),
        ("autodiff.forward", "autodiff.reverse", False),
        ("autodiff.reverse", "autodiff.forward", False),
        ("autodiff.forward", "autodiff.tape", False),
        ("autodiff.reverse", "autodiff.tape.sweep", True),
        ("autodiff.check.gradcheck", "autodiff.operators", False),
        ("autodiff.check", "autodiff.forward", True),
        ("autodiff.calls.values", "autodiff.tape.listing", False),
        ("autodiff.tape.listing", "autodiff.tape", True),
        ("autodiff", "autodiff.check", True),
    ],
)
def test_the_plan_itself(name, imported, verdict):
    assert allowed(name, imported) is verdict


def test_what_has_no_underscore_in_autodiff_scipy_is_a_name_of_scipys():
    for name in MODULES:
        if name.startswith("autodiff.scipy.") and "._" not in name:
            assert resolve_name(name.removeprefix("autodiff."))


PUBLIC = [name for name in MODULES if not any(part.startswith("_") for part in name.split("."))]


@pytest.mark.parametrize("name", [name for name in PUBLIC if name.startswith("autodiff.") and name.count(".") == 1])
def test_a_module_can_be_the_first_to_be_imported(name):
    """Nothing is there by luck, because another module or SciPy was imported before."""
    subprocess.run([sys.executable, "-W", "error", "-c", f"import {name}"], cwd=ROOT, check=True)


@pytest.mark.parametrize("call", ["np.abs(np.fft.fft(v))", "scipy.special.ellipk(v / 9.0)"])
@pytest.mark.parametrize("calls", [100, 600, 1500])
def test_an_interrupt_while_rules_are_read_harms_nothing(call, calls):
    """The files that were not read to the end are read again."""
    program = f"""
import sys, numpy as np, scipy.special
from autodiff import grad
count = 0
def stop(frame, event, arg):
    global count
    count += "rules" in frame.f_code.co_filename
    if count == {calls}:
        sys.settrace(None)
        raise KeyboardInterrupt
    return stop
f = lambda v: np.sum({call})
sys.settrace(stop)
try:
    grad(f)(np.arange(1.0, 4.0))
    print("not interrupted")
except KeyboardInterrupt:
    pass
sys.settrace(None)
assert np.all(np.isfinite(grad(f)(np.arange(1.0, 4.0))))
"""
    found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, ""), found.stderr[-500:]
