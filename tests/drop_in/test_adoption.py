"""``adopt``: code that cannot be changed, differentiated while its names mean others, and all as before afterwards."""

import builtins
import copy
import functools
import gc
import json
import math
import pickle
import random
import sys
import threading
import types
import weakref

import foreign
import numpy as np
import pytest

import autodiff
from autodiff import Variable, adopt, derivative, grad, hessian, jvp, value_of
from autodiff.adoption._builtins import complex_, float_, int_, type_
from autodiff.check import check_derivative

POINT = 1.3
MATH = r"math domain error|expected a (nonnegative|positive) input"


@pytest.fixture(autouse=True)
def unchanged():
    """Every test leaves the module as it was."""
    names, defaults = dict(vars(foreign)), foreign.by_default.__defaults__
    members, cells = dict(vars(foreign.Model)), [cell.cell_contents for cell in foreign.closed.__closure__]
    table, steps = dict(foreign.TABLE), list(foreign.STEPS)
    python = vars(builtins).copy()
    yield
    names["calls"] = foreign.calls
    for before, after in ((names, vars(foreign)), (members, vars(foreign.Model)), (table, foreign.TABLE)):
        assert before.keys() == after.keys()
        assert all(before[name] is after[name] for name in before)
    assert foreign.by_default.__defaults__ is defaults
    assert foreign.by_default.__kwdefaults__ == {"log": math.log}
    assert all(a is b for a, b in zip(steps, foreign.STEPS, strict=True))
    assert all(a is c.cell_contents for a, c in zip(cells, foreign.closed.__closure__, strict=True))
    assert python.items() == vars(builtins).items()


def name_of(function):
    return getattr(function, "__name__", "") or "vectorized"


@pytest.mark.parametrize("name", [name for f in foreign.SCALARS for name, x in vars(foreign).items() if x is f])
def test_an_adopted_function_is_differentiated(name):
    plain = getattr(foreign, name)
    with adopt(foreign):
        f = getattr(foreign, name)
        value, forward = jvp(f, [POINT], [1.0])
        reverse = grad(f)(POINT)
        second = hessian(f)(POINT)
        nested = derivative(lambda x: derivative(f, 0, [x]), 0, [POINT])
        x = Variable(POINT)
        f(x).backward()
    assert float(value) == float(plain(POINT))
    assert check_derivative(lambda x: float(plain(float(x))), 0, [POINT], forward)
    assert reverse == pytest.approx(forward, rel=1e-13)
    assert x.grad == pytest.approx(forward, rel=1e-13)
    assert check_derivative(grad(adopt(foreign)(lambda x: getattr(foreign, name)(x))), 0, [POINT], second)
    assert nested == pytest.approx(second, rel=1e-12)


def test_without_adoption_it_is_refused():
    refused = [f for f in foreign.SCALARS if not _works(f)]
    assert len(refused) >= len(foreign.SCALARS) - 4


def _works(f):
    try:
        return check_derivative(lambda x: float(f(float(x))), 0, [POINT], derivative(f, 0, [POINT]))
    except (TypeError, AttributeError):
        return False


def test_adopt_of_a_function_and_as_a_decorator():
    assert derivative(adopt(foreign.by_math), 0, [POINT]) == grad(adopt(foreign.by_math))(POINT)
    assert adopt(foreign.by_math).__name__ == "by_math"
    assert adopt(foreign.by_math)(POINT) == foreign.by_math(POINT)

    @adopt
    def f(x):
        return math.sin(x)

    assert derivative(f, 0, [POINT]) == math.cos(POINT)

    @adopt(foreign)
    def g(x):
        return foreign.wrapped(x)

    assert derivative(g, 0, [POINT]) == math.sinh(POINT)
    assert derivative(adopt(functools.partial(foreign.wrapped)), 0, [POINT]) == math.sinh(POINT)
    assert derivative(lambda x: adopt(foreign.Model.of)(x).x ** 2, 0, [3.0]) == 6.0


def test_plain_values_are_as_ever():
    expected, values = foreign.plain(POINT), [f(POINT) for f in foreign.SCALARS]
    by_math = foreign.by_math(np.float64(POINT))
    with adopt(foreign):
        assert foreign.plain(POINT) == expected
        found = [f(POINT) for f in foreign.SCALARS]
        assert found == values
        assert list(map(type, found)) == list(map(type, values))
        assert foreign.by_math(np.float64(POINT)) == by_math
        with pytest.raises(ValueError, match=MATH):
            foreign.by_default(-1.0)
        with pytest.raises(TypeError):
            foreign.by_math("1.0")
        with pytest.raises(ValueError, match="could not convert"):
            foreign.float("one")


def test_errors_of_math_are_those_of_math():
    with adopt(foreign):
        for mode in (lambda f, x: derivative(f, 0, [x]), lambda f, x: grad(f)(x)):
            with pytest.raises(ValueError, match=MATH):
                mode(foreign.by_default, -1.0)
            with pytest.raises(OverflowError):
                mode(foreign.by_math, 1e3)
            with pytest.raises(ZeroDivisionError):
                mode(lambda x: 1.0 / foreign.float(np.sin(x)), 0.0)


def test_nested_and_after_exceptions():
    with adopt(foreign) as outer, adopt(foreign, json):
        assert foreign.math is not math
        with pytest.raises(KeyError), adopt(foreign):
            grad(foreign.failing)(POINT)
        assert foreign.math is not math
        with outer:
            assert derivative(foreign.wrapped, 0, [POINT]) == math.sinh(POINT)
        assert foreign.math is not math
    assert foreign.math is math
    with pytest.raises(KeyError):
        grad(adopt(foreign.failing))(POINT)
    assert foreign.math is math


def test_what_the_module_binds_meanwhile_stays():
    module = types.ModuleType("bound")
    exec(
        "import math\n"
        "def f(x):\n    global math, float, new\n    new = math.sin(x)\n    math = float = None\n    return new\n",
        vars(module),
    )
    with adopt(module):
        derivative(module.f, 0, [POINT])
    assert module.math is None
    assert module.float is None


def test_threads():
    """The one that comes second leaves last; a third adopts nothing and sees no difference."""
    expected, found, failed = foreign.plain(POINT), [], []
    both, first_left = threading.Barrier(2), threading.Event()

    def first():
        with adopt(foreign):
            both.wait(10)
            found.append(derivative(foreign.by_math, 0, [POINT]))
        first_left.set()

    def second():
        with adopt(foreign):
            both.wait(10)
            first_left.wait(10)
            found.append(grad(foreign.by_math)(POINT))

    def third():
        while not stop.is_set():
            if foreign.plain(POINT) != expected:
                failed.append(foreign.plain(POINT))

    stop = threading.Event()
    threads = [threading.Thread(target=f) for f in (first, second, third)]
    for thread in threads:
        thread.start()
    for thread in threads[:2]:
        thread.join()
    stop.set()
    threads[2].join()
    assert not failed
    assert found[0] == pytest.approx(found[1], rel=1e-14)
    assert foreign.math is math


def module_of(code, name="made"):
    """A module of this code."""
    module = types.ModuleType(name)
    exec(code, vars(module))
    return module


OFTEN = 200
"""Adoptions of each of the threads that overlap at random."""

SHARED = "import math\nTABLE = {'sin': math.sin}\nLIST = [math.sin]\nclass Kept:\n    sin = staticmethod(math.sin)\n"
USING = "def f(x):\n    return TABLE['sin'](x) + LIST[0](x)\n"


@pytest.fixture
def sharing(monkeypatch):
    """Two modules of which one has its tables from the other."""
    first = module_of(SHARED + USING, "first_of_two")
    monkeypatch.setitem(sys.modules, "first_of_two", first)
    yield first, module_of("from first_of_two import TABLE, LIST\n" + USING, "second_of_two")
    assert {"sin": math.sin} == first.TABLE
    assert [math.sin] == first.LIST
    assert first.TABLE["sin"] is first.LIST[0] is math.sin


def test_tables_are_looked_through_at_each_entering(sharing):
    """What the last entering found is not taken for what is there now: in tables, classes, closures, defaults."""
    first, second = sharing
    with adopt(first), adopt(second):
        assert derivative(second.f, 0, [POINT]) == 2 * math.cos(POINT)
    assert derivative(adopt(second.f), 0, [POINT]) == 2 * math.cos(POINT)

    module = module_of(
        "import math\nT, N = {}, {'in': {}}\nclass C:\n    g = None\n"
        "def closing():\n    g = None\n    def f(x):\n        return g(x)\n"
        "    def change(new):\n        nonlocal g\n        g = new\n    return f, change\n"
        "closed, change = closing()\n"
        "def by_default(x, g=None):\n    return g(x)\n"
        "def by_name(x, *, g=None):\n    return g(x)\n"
        "def f(x):\n    return sum([T['g'](x), N['in']['g'](x), C.g(x), closed(x), by_default(x), by_name(x)])\n"
    )
    with adopt(module):
        pass
    module.T["g"] = module.N["in"]["g"] = module.C.g = math.sin
    module.change(math.sin)
    module.by_default.__defaults__ = (math.sin,)
    module.by_name.__kwdefaults__["g"] = math.sin
    assert derivative(adopt(module.f), 0, [POINT]) == pytest.approx(6 * math.cos(POINT), rel=1e-15)
    assert module.T["g"] is module.N["in"]["g"] is module.C.g is module.by_name.__kwdefaults__["g"] is math.sin
    assert module.by_default.__defaults__ == (math.sin,)
    assert module.closed.__closure__[0].cell_contents is math.sin


def test_an_inner_adoption_prolongs_the_outer_one():
    """Left in the wrong order; what has other modules, or is of another thread, stands by itself."""
    module, other = module_of(SHARED + USING), module_of(SHARED + USING)
    outer, inner = adopt(module, other), adopt(module)
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    assert derivative(module.f, 0, [POINT]) == 2 * math.cos(POINT)
    inner.__exit__(None, None, None)
    assert module.TABLE["sin"] is module.math.sin is other.math.sin is math.sin
    with adopt(module):
        with adopt(module, other):
            assert derivative(other.f, 0, [POINT]) == 2 * math.cos(POINT)
        assert other.math is math
        assert derivative(module.f, 0, [POINT]) == 2 * math.cos(POINT)
    assert module.math is math


def test_the_namespace_of_other_code_is_no_table():
    """Python's own names are not swapped, though they can be reached."""
    module = module_of(
        "import builtins, math, sys\nM = sys.modules\n"
        "T = {'exec': {}, 'own': vars(builtins), 'math': vars(math)}\n"
        "exec('def f(x, g=isinstance): return g(x, float)', T['exec'])\n"
    )
    before = [vars(builtins).copy(), vars(math).copy(), module.T["exec"].copy()]
    modules = sys.modules.copy()
    with adopt(module):
        assert vars(builtins)["isinstance"] is before[0]["isinstance"]
        assert before[1:] == [vars(math), module.T["exec"]]
        assert all(sys.modules[name] is module for name, module in modules.items())
    assert before == [vars(builtins), vars(math), module.T["exec"]]


def test_an_adoption_keeps_nothing_alive():
    class Data(np.ndarray):
        pass

    modules = [module_of("import math\ndef f(x):\n    return math.sin(x)\n") for _ in range(5)]
    kept = []
    for module in modules:
        module.data = np.zeros(3).view(Data)
        kept.append(weakref.ref(module.data))
        with adopt(module):
            module.f(POINT)
    modules[0].data = None
    assert kept[0]() is None
    del module, modules
    gc.collect()
    assert [data() for data in kept] == [None] * 5


@pytest.mark.parametrize("first_leaves_first", [True, False])
def test_what_two_modules_share_is_swapped_until_the_last_has_left(sharing, first_leaves_first):
    first, second = sharing
    leaving = [(first, adopt(first)), (second, adopt(second))]
    for _, adoption in leaving:
        adoption.__enter__()
    (_, leaver), (stayed, last) = leaving if first_leaves_first else leaving[::-1]
    leaver.__exit__(None, None, None)
    assert grad(stayed.f)(POINT) == 2 * math.cos(POINT)
    last.__exit__(None, None, None)


def test_what_is_bound_or_moved_between_two_adoptions(sharing):
    first, second = sharing
    with adopt(first):
        first.TABLE["sin"] = math.cos
        first.LIST.insert(0, None)
        with adopt(second):
            assert derivative(lambda x: second.TABLE["sin"](x), 0, [POINT]) == -math.sin(POINT)
        first.math = None
        with adopt(first):
            assert first.math is None
    assert first.TABLE.pop("sin") is math.cos
    first.TABLE["sin"] = math.sin
    assert first.LIST.pop(0) is None


@pytest.mark.usefixtures("often")
def test_threads_that_enter_and_leave_at_random(sharing):
    modules, failed = sharing, []

    def enter_and_leave(seed):
        chosen = random.Random(seed)
        for _ in range(OFTEN):
            module, x = chosen.choice(modules), chosen.random()
            try:
                with adopt(*chosen.choice([modules, [module]])), adopt(*chosen.choice([modules, [module]])):
                    assert derivative(module.f, 0, [x]) == 2 * math.cos(x)
            except BaseException as failure:
                failed.append(failure)

    threads = [threading.Thread(target=enter_and_leave, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert modules[0].math is math


def test_one_adoption_in_two_threads(sharing):
    """What one thread has entered does not end with what the other has."""
    first, _ = sharing
    adoption, added, left = adopt(first), threading.Event(), threading.Event()
    first.later = {}

    def enter_and_leave():
        with adoption:
            added.wait(10)
        left.set()

    thread = threading.Thread(target=enter_and_leave)
    thread.start()
    while first.math is math:
        pass
    first.later["sin"] = math.sin
    with adoption:
        added.set()
        left.wait(10)
        assert derivative(lambda x: first.later["sin"](x), 0, [POINT]) == math.cos(POINT)
    thread.join()
    assert first.later["sin"] is math.sin


FROZEN = (
    "import math\nclass Frozen(type):\n    def __setattr__(cls, name, value):\n        raise AttributeError(name)\n"
    "class C(metaclass=Frozen):\n    sin = staticmethod(math.sin)\n"
    "def f(x, g=math.sin):\n    return C.sin(x) + math.sin(x) + g(x)\n"
)


def test_a_class_whose_metaclass_refuses_to_set():
    module = module_of(FROZEN)
    assert derivative(adopt(module.f), 0, [POINT]) == pytest.approx(3 * math.cos(POINT), rel=1e-15)
    assert vars(module.C)["sin"].__func__ is math.sin


def test_an_adoption_that_is_interrupted_is_undone():
    """At whatever line of what its beginning calls."""
    module = module_of(FROZEN + "T = [math.sin]\n")
    outer, hook = sys.gettrace(), builtins.__import__

    def values():
        return [*vars(module).items(), *module.T, vars(module.C)["sin"], *module.f.__defaults__, builtins.__import__]

    def interrupt(frame, event, argument):
        nonlocal left
        inside = frame.f_globals.get("__name__", "").startswith("autodiff.adoption._")
        if inside and event == "line" and frame.f_code.co_name != "begin":
            left -= 1
            if not left:
                sys.settrace(outer)
                raise KeyboardInterrupt
        return interrupt

    before, stop, interrupted = values(), 0, True
    while interrupted:
        stop, interrupted = stop + 1, False
        left = stop
        sys.settrace(interrupt)
        try:
            with adopt(module):
                sys.settrace(outer)
                assert builtins.__import__ is not hook
        except KeyboardInterrupt:
            interrupted = True
        assert all(a is b for a, b in zip(before[-4:], values()[-4:], strict=True))
        assert before == values()
    assert stop > 100


def test_a_package_and_its_parts():
    package, part = types.ModuleType("bundle"), types.ModuleType("bundle.part")
    exec("import math\ndef f(x):\n    return math.sin(x)", vars(part))
    package.part = part
    sys.modules.update({"bundle": package, "bundle.part": part})
    try:
        with pytest.raises(TypeError), adopt(package):
            derivative(part.f, 0, [POINT])
        with adopt(package, package=True):
            assert derivative(part.f, 0, [POINT]) == math.cos(POINT)
        assert part.math is math
    finally:
        del sys.modules["bundle"], sys.modules["bundle.part"]


def test_functions_of_scipy():
    linalg = pytest.importorskip("scipy.linalg")
    module = types.ModuleType("consumer")
    exec(
        "import numpy as np, scipy, scipy.linalg as la\n"
        "from scipy import integrate\nfrom scipy.special import logsumexp, gammaln\nfrom scipy.stats import norm\n"
        "cdf = norm.cdf\n"
        "def f(x):\n"
        "    a = cdf(x) + scipy.linalg.expm(np.array([[0.0, x], [-x, 0.0]]))[0, 0] + la.det([[x, 1.0], [2.0, x]])\n"
        "    b = norm.pdf(x) + norm(loc=x).cdf(0.3) + logsumexp([x, 1.0]) + gammaln(x)\n"
        "    from scipy.stats import gamma\n"
        "    return a + b + integrate.quad(lambda t: t * x, 0.0, 1.0)[0] + gamma.cdf(x, 2.0)\n"
        "def g():\n"
        "    return isinstance(norm, scipy.stats.rv_continuous), norm.mean(), norm.rvs(size=2).shape, la.LinAlgError\n",
        vars(module),
    )
    with adopt(module):
        found = derivative(module.f, 0, [POINT])
        assert grad(module.f)(POINT) == pytest.approx(found, rel=1e-12)
        assert module.g() == (True, 0.0, (2,), linalg.LinAlgError)
    assert check_derivative(module.f, 0, [POINT], found)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        *((code, "is not adopted: its functions take numbers") for code in (autodiff, np, np.linalg.norm)),
        *(
            (code, f"written in Python, not {code.__name__}: ")
            for code in (math, builtins, math.sin, np.sin, [].append, list)
        ),
        (3, "written in Python, not 3: "),
        ("foreign", r"import foreign, then adopt\(foreign\)"),
    ],
)
def test_what_is_not_adopted(code, reason):
    with pytest.raises(TypeError, match=reason):
        adopt(code)


def test_what_is_lost_in_adopted_code_is_said(tmp_path):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    path, module = folder / "reading.py", types.ModuleType("reading")
    path.write_text("def f(x):\n    return x.item()\n")
    exec(compile(path.read_text(), str(path), "exec"), vars(module))
    with pytest.raises(AttributeError, match=r"in reading.f .*: call it within autodiff.adopt\(reading\)"):
        grad(module.f)(np.ones(1))
    with pytest.raises(AttributeError, match=r"in reading.f .*: no adoption keeps it"):
        grad(adopt(module.f))(np.ones(1))


def test_nothing_is_not_adopted():
    with pytest.raises(TypeError, match="adopt needs"):
        adopt()


def test_pythons_types_stand_for_themselves():
    assert float_ == float  # noqa: E721
    assert {float: 1}[float_] == 1
    assert np.dtype(float_) == np.float64
    assert np.dtype(complex_) == np.complex128
    assert np.zeros(2, dtype=int_).dtype == int
    assert isinstance(2.0, float_)
    assert isinstance(np.float64(2.0), float_)
    assert isinstance(True, int_)
    assert not isinstance(2, float_)
    assert issubclass(np.float64, float_)
    assert issubclass(float_, float_)
    assert float_.fromhex("0x1p3") == 8.0
    assert type(float_("inf")) is float
    assert type(int_("ff", 16)) is int
    assert complex_(1, imag=2) == 1 + 2j
    assert type_(2.0) is float_
    assert type_("") is str
    assert isinstance(str, type_)
    assert type_("Made", (), {}).__name__ == "Made"
    assert repr(float_) == "<class 'float'>"
    x = jvp(lambda x: [float_(x) * 1.0, int_(x) * 1.0, complex_(x).imag], [2.5], [1.0])
    assert x == ([2.5, 2.0, 0.0], [1.0, 0.0, 0.0])


def test_a_cache_keeps_no_number():
    model = foreign.Model(2.0)
    with adopt(foreign):
        assert derivative(foreign.cached, 0, [3.0]) == 6.0

        def f(x):
            model.x = x
            return model.value()

        derivative(f, 0, [POINT])
        assert "size" not in vars(model)
        model.x = 2.0
        assert model.size == vars(model)["size"] == math.exp(2.0)
    assert foreign.cached(3.0) == 9.0
    assert value_of(model.x) == 2.0


def test_another_hook_of_import_stays():
    """One that was there before, and one that comes meanwhile, on top of ours, and is there still the next time."""
    python, module = builtins.__import__, module_of("def f(x):\n    import math\n    return math.sin(x)\n")
    seen = []

    def hook(*given, below=python):
        seen.append(given[0])
        return below(*given)

    try:
        builtins.__import__ = hook
        with adopt(module):
            assert derivative(module.f, 0, [POINT]) == math.cos(POINT)
            assert seen == ["math"]
        assert builtins.__import__ is hook
        with adopt(module):
            above = functools.partial(hook, below=builtins.__import__)
            builtins.__import__ = above
        assert builtins.__import__ is above
        assert derivative(adopt(module.f), 0, [POINT]) == math.cos(POINT)
        assert builtins.__import__ is above
        assert module.f(POINT) == math.sin(POINT)
        with pytest.raises(TypeError, match="would lose"):
            derivative(module.f, 0, [POINT])
    finally:
        builtins.__import__ = python


KINDS = """
import math
import numpy as np
class Celsius(float):
    def __new__(cls, x): return float.__new__(cls, x)
class Count(int):
    def __new__(cls, x): return int.__new__(cls, x)
class Phase(complex):
    def __new__(cls, x, y): return complex.__new__(cls, x, y)
class Binding:
    sin, power, ask, made, check = math.sin, math.pow, isinstance, np.zeros, callable
def of_module(): return type(Celsius(1.5)).__name__, type(Count(3)).__name__, type(Phase(1, 2)).__name__
def inside():
    class K(float):
        def twice(self): return K(2 * self)
    class N(int):
        pass
    class Z(complex):
        def __new__(cls, x): return super().__new__(cls, x, 1.0)
    class M(type):
        pass
    class C(metaclass=M):
        pass
    return (repr(type(K(1.5).twice())), K.__mro__[1:], K.__bases__, type(N("12")).__name__, Z(2.0).imag,
            type(C).__name__, isinstance(1.5, K), isinstance(K(1.5), float), issubclass(K, float),
            M.__bases__, type(K) is type)
SINES = {math.sin: 1}
def equal():
    return math.sin == Binding.sin, hash(math.sin) == hash(Binding.sin), SINES[math.sin], repr(math.sin), type(math.sin)
def bound():
    b = Binding()
    return b.sin(1.5), b.power(2.0, 3.0), b.ask(2.0, float), b.made(2)[0], b.check(abs), type(b.sin)
def alike(kind): return kind == float, math.sin.__name__, math.sin.__self__.__name__
"""


def test_classes_and_functions_of_plain_values():
    module = module_of(KINDS)
    calls = (module.of_module, module.inside, module.equal, module.bound, functools.partial(module.alike, float))
    plain = [f() for f in calls]
    with adopt(module):
        assert [f() for f in calls] == plain
        assert copy.copy(module.math.sin) is copy.deepcopy(module.math.sin) is module.math.sin
        assert pickle.loads(pickle.dumps(module.math.sin)) is math.sin
        with pytest.raises(TypeError, match="would lose"):
            derivative(lambda x: module.Celsius(x), 0, [POINT])


def test_objects_of_scipy_are_set_and_copied():
    stats = pytest.importorskip("scipy.stats")
    module = module_of(
        "import copy, math, pickle, scipy.special, scipy.stats\nfrom scipy.stats import norm\n"
        "def drawn():\n    norm.random_state = 3\n    return norm.rvs(), norm.rvs()\n"
        "def copied():\n"
        "    again = copy.copy(norm), copy.deepcopy(norm), pickle.loads(pickle.dumps(norm))\n"
        "    again[0].mine = again[1].mine = 1\n"
        "    return [n.cdf(0.5) for n in again], hasattr(norm, 'mine'), norm.name, norm == again[1], repr(type(norm))\n"
        "def f(x):\n    return copy.copy(norm).cdf(x) * copy.deepcopy(norm).pdf(x) * norm(0.1, 2.0).cdf(x)\n"
        "def frozen():\n"
        "    several = scipy.stats.multivariate_normal([0.0, 1.0], seed=3)\n"
        "    return repr(norm(0.0, -1.0).cdf(0.5)), norm(0.1).dist.name, several.rvs().tolist(), norm(0.1).args\n"
        "def setting():\n    scipy.special.mine = math.mine = 2\n    return scipy.special.mine + math.mine\n"
        "def deleting():\n    del scipy.special.mine, math.mine, norm.mine\n"
    )
    state = stats.norm.random_state
    try:
        drawn, copied, frozen = module.drawn(), module.copied(), module.frozen()
        with adopt(module):
            assert module.frozen() == frozen
            assert module.drawn() == drawn
            assert module.copied() == copied
            assert module.setting() == 4
            module.norm.mine = 1
            assert math.mine == 2
            assert stats.norm.mine == 1
            module.deleting()
            assert not hasattr(math, "mine")
            found = derivative(module.f, 0, [POINT])
            assert isinstance(module.norm(0.0), type(stats.norm(0.0)))
        assert check_derivative(module.f, 0, [POINT], found)
    finally:
        stats.norm.random_state = state


@pytest.mark.parametrize("kind", ["partial", "method", "tuple", "cached_property", "vectorize", "staticmethod",
                                  "_lru_cache_wrapper", "CPUDispatcher"])  # fmt: skip
def test_a_class_of_the_same_name_as_pythons(kind):
    module = module_of(f"class {kind}:\n    pass\nvalue = {kind}()\ndef f(x):\n    return x * x\n")
    value = module.value
    with adopt(module):
        assert module.value is value
        assert derivative(module.f, 0, [POINT]) == 2 * POINT


def test_functions_within_partials_and_static_methods():
    module = module_of(
        "import math\nfrom functools import partial, partialmethod\n"
        "def apply(f, x, g=abs):\n    return f(x) + g(x)\n"
        "first = partial(apply, math.sin, g=math.cos)\n"
        "class C:\n    def apply(self, f, x):\n        return f(x)\n    second = partialmethod(apply, math.sin)\n"
        "    made = classmethod(lambda cls, x, g=math.sin: g(x))\n"
        "def f(x):\n    return first(x) + C().second(x) + C.made(x)\n"
    )
    expected = 3 * math.cos(POINT) - math.sin(POINT)
    assert derivative(adopt(module.f), 0, [POINT]) == pytest.approx(expected, rel=1e-15)
    assert module.first.args == (math.sin,)


CACHED = """
import functools, math
class Model:
    def __init__(self, x): self.x, self.parts = x, [self]
    @functools.lru_cache
    def value(self): return math.exp(self.x)
    @functools.lru_cache(maxsize=None)
    def made(self, name): return {name: Model(self.x)}
class Slotted:
    __slots__ = ("x",)
    value = functools.lru_cache(lambda self: [math.exp(self.x)])
one, parameter = Slotted(), 1.0
model = Model(1.0)
runs = []
@functools.lru_cache
def table(name):
    runs.append(name)
    return object()
@functools.lru_cache
def of_global(name): return parameter * 2.0
def f(x):
    global parameter
    table("a")
    model.x = one.x = parameter = x
    return model.value() + model.made("m")["m"].x + one.value()[0] + of_global("a")
"""


@pytest.mark.parametrize("mode", [lambda f, x: derivative(f, 0, [x]), lambda f, x: grad(f)(x)])
def test_a_cache_keeps_no_number_of_an_object(mode):
    module = module_of(CACHED)
    kept = module.table("a")
    with adopt(module):
        for x in (1.0, 2.0):
            assert mode(module.f, x) == pytest.approx(2 * math.exp(x) + 3.0, rel=1e-14)
        assert module.table("a") is kept
        assert module.table == module.table.__wrapped__
        assert module.table.cache_info().maxsize == 128
    module.parameter = module.model.x = module.one.x = 3.0
    values = [module.model.value(), module.model.made("m")["m"].x, module.one.value()[0], module.of_global("a")]
    assert values == [math.exp(3.0), 3.0, math.exp(3.0), 6.0]
    assert module.runs == ["a"]


def test_functions_that_numba_compiles_by_a_stand_in():
    """An object of a type that is called as Numba's and refuses what Numba refuses."""

    class CPUDispatcher:
        def __init__(self, py_func):
            functools.update_wrapper(self, py_func)
            self.py_func = py_func

        def __call__(self, *given):
            if not all(type(x) in (float, int, np.float64) for x in given):
                raise TypeError("non-precise type")
            compiled.append(given)
            return self.py_func(*given)

    CPUDispatcher.__module__ = "numba.core.registry"
    compiled = []
    _compiled_is_differentiated(CPUDispatcher)
    assert compiled


def test_functions_that_numba_compiles():
    numba = pytest.importorskip("numba")
    _compiled_is_differentiated(numba.njit)


def _compiled_is_differentiated(compiler):
    module = types.ModuleType("compiled")
    module.compiler = compiler
    exec(
        "import math\n@compiler\ndef inner(x):\n    return math.sin(x)\n"
        "@compiler\ndef outer(x):\n    return inner(x) * x\ndef f(x):\n    return outer(float(x))\n",
        vars(module),
    )
    outer, value = module.outer, module.outer(POINT)
    expected = math.sin(POINT) + POINT * math.cos(POINT)
    with adopt(module):
        assert module.outer(POINT) == module.f(POINT) == value
        assert module.outer.py_func is outer.py_func
        assert derivative(module.f, 0, [POINT]) == pytest.approx(expected, rel=1e-15)
        assert grad(module.f)(POINT) == pytest.approx(expected, rel=1e-15)
    assert module.outer is outer
    assert derivative(adopt(module.outer), 0, [POINT]) == pytest.approx(expected, rel=1e-15)


def test_a_function_for_which_another_stands_is_adopted():
    assert derivative(adopt(foreign.cached), 0, [POINT]) == 2 * POINT
    assert grad(adopt(foreign.cached))(POINT) == 2 * POINT
