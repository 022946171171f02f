"""Arrays of Dask: derivatives are graphs as values are; nothing is computed before the caller asks for it."""

import importlib
import math
import pickle
import re
import warnings
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from foreign_programs import PROGRAMS as SHARED
from foreign_programs import W, X, Y, of
from scipy import special
from test_foreign import CALLS, MODES, assert_same, expected

from autodiff import grad, hessian, hvp, jvp, value_and_grad, value_of, vjp
from autodiff.calls.structures import flatten
from autodiff.implicit import root
from autodiff.scipy import integrate, linalg, optimize, stats
from dualnumbers.table import TABLE, blocks
from dualnumbers.table.registry import BY_VALUES

da = pytest.importorskip("dask.array", reason="Dask is not installed (extra dask)")
dask = pytest.importorskip("dask")

PROGRAMS = SHARED | {
    "places": (lambda x, y, w: np.sum(x[np.array([0, 0, 5])] ** 2 * w), 0),
    "a pair of places": (lambda x, y, w: np.sum(x[np.array([0, 4, 4]), np.array([1, 2, 2])] ** 2), 0),
    "copied": (lambda x, y, w: np.sum(np.copy(x) ** 3), 0),
    "by a parameter": (lambda x, y, w: np.sum(special.gammainc(x, 2.0 + x)), 0),
    "one of several": (lambda x, y, w: np.sum(special.airy(x)[0] ** 2), 0),
    "a mask": (lambda x, y, w: np.sum(x[x > 0.0] ** 3), 0),
    "a mask of rows": (lambda x, y, w: np.mean(np.exp(x[x[:, 0] > 0.0]), axis=0) @ w, 0),
    "the largest of a mask": (lambda x, y, w: np.max(x[x > 0.0]) * np.sum(x), 0),
    "set where a mask holds": (lambda x, y, w: np.sum(set_at(x, x < 0.0) ** 2), 0),
    "set at places": (lambda x, y, w: np.sum(set_at(x, (np.array([0, 3, 3]), np.array([1, 0, 0]))) ** 2 * w), 0),
    "where a mask holds": (lambda x, y, w: np.sum(x[np.where(x > 0.0)] ** 3), 0),
    "rows where a mask holds": (lambda x, y, w: np.sum((x * x)[np.where(x[:, 0] > 0.0)[0]] @ w), 0),
    "set where a mask holds to others": (lambda x, y, w: np.sum(changed(x, where_negative) ** 2), 0),
    "copied where a mask holds": (lambda x, y, w: np.sum(changed(x, copied_where_negative) ** 2), 0),
    "a length of all": (lambda x, y, w: np.linalg.norm(np.stack([x, x * x])), 0),
    "full of an element": (lambda x, y, w: np.sum(np.full_like(x, x[1, 1]) * x), 0),
    "put": (lambda x, y, w: np.sum(changed(x, lambda z, x: np.put(z, [1, 3, 1], x[:3, 0])) ** 2), 0),
    "a diagonal": (lambda x, y, w: np.sum(changed(x, lambda z, x: np.fill_diagonal(z, x[0])) ** 2 @ w), 0),
    "at places that are computed": (lambda x, y, w: np.sum(np.take_along_axis(x, (x > 0.0).astype(int), 1) ** 2), 0),
    "a number and places apart": (lambda x, y, w: np.sum(x.reshape(3, 4, 3)[1, :, [0, 2, 2]] ** 2), 0),
    "of other chunks": (lambda x, y, w: np.sum(special.gammainc(1.0 + x[1:] ** 2, 2.0 + x[:-1] ** 2)), 0),
    "of other shapes": (lambda x, y, w: np.sum(special.gammainc(1.0 + x * x, 1.0 + w * w)), 0),
    "nothing": (lambda x, y, w: np.sum(x[:0]) + np.sum(x) ** 2, 0),
    "divided unevenly": (lambda x, y, w: np.sum(np.reshape(x, (4, 9)) @ np.arange(9.0)) * np.sum(x**2), 0),
    "nothing, with zeros around": (lambda x, y, w: np.sum(np.pad(x[:0], 1)) + np.sum(np.pad(x, 1) ** 2), 0),
    "nothing in another shape": (lambda x, y, w: np.sum(np.reshape(x[:0], (2, -1))) + np.sum(x) ** 2, 0),
    "by its edges": (lambda x, y, w: np.sum(np.pad(x, 20, "reflect") ** 2), 0),
}


def set_at(x, index):
    z = x * 2.0
    z[index] = 0.5
    return z


def changed(x, change):
    z = x * x
    change(z, x)
    return z


def where_negative(z, x):
    z[x < 0.0] = (x**3)[x < 0.0]


def copied_where_negative(z, x):
    np.copyto(z, x**3, where=x < 0.0)


class ComputedError(Exception):
    pass


def refused(*_, **__):
    raise ComputedError


def lazy(x):
    return da.from_array(x, chunks=tuple(-(-n // 2) for n in x.shape))


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_are_graphs(name):
    """Recording and sweeping compute nothing, and what is computed later is what NumPy's arrays give."""
    f, place = PROGRAMS[name]
    plain, graphs = of(f, place, (X, Y, W)), of(f, place, tuple(map(lazy, (X, Y, W))))
    x = (X, Y, W)[place]
    v = np.cos(np.arange(float(x.size))).reshape(x.shape)
    with dask.config.set(scheduler=refused):
        (value, slope), product = value_and_grad(graphs)(lazy(x)), hvp(graphs)(lazy(x), lazy(v))
        pushed = jvp(graphs, [lazy(x)], [lazy(v)])[1]
        assert all(isinstance(z, da.Array) for z in (value, slope, product, pushed))
        with pytest.raises(ComputedError):
            slope.compute()
    found = dask.compute(value, slope, product, pushed, scheduler="synchronous")
    expected = *value_and_grad(plain)(x), hvp(plain)(x, v), jvp(plain, [x], [v])[1]
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, 1e-12, 1e-12)
    assert slope.shape == x.shape


BESIDE_DATA = {
    "a product": lambda w, x, y: np.sum((x @ w - y) ** 2),
    "elements": lambda w, x, y: np.sum((w[0] * x[:-1, 0] + w[1] * x[1:, 1] - y[1:] * w[2]) ** 2),
    "an element and the whole": lambda w, x, y: np.sum(w[0] * (x @ (w * w)) ** 2) + np.sum(w) * w[1] * np.sum(y),
    "elements of a value": lambda w, x, y: np.sum(np.exp(np.sin(w)[0] * x[:, 1]) * np.sin(w)[1:][1]),
    "the largest element": lambda w, x, y: np.max(w) * np.sum(x[:, 0] * np.max(np.cos(w)) * y),
    "an element assigned to": lambda w, x, y: np.sum((x @ assigned(w)) ** 2),
}


def assigned(w):
    u = w * w
    u[1] = u[0] * 3.0
    return u


@pytest.mark.parametrize("name", BESIDE_DATA)
def test_an_argument_of_numpy_beside_data_of_dask(name):
    """What is recorded of it is NumPy's, its adjoints are Dask's: nothing is computed in the sweep."""
    f, x, y, v = BESIDE_DATA[name], lazy(X), lazy(Y), np.cos(W)
    plain, graphs = (lambda w: f(w, X, Y)), (lambda w: f(w, x, y))
    with dask.config.set(scheduler=refused):
        found = *value_and_grad(graphs)(W), hvp(graphs)(W, v), jvp(graphs, [W], [v])[1], hessian(graphs)(W)
        assert all(isinstance(z, da.Array) for z in found)
    expected = *value_and_grad(plain)(W), hvp(plain)(W, v), jvp(plain, [W], [v])[1], hessian(plain)(W)
    for a, b in zip(dask.compute(*found, scheduler="synchronous"), expected, strict=True):
        np.testing.assert_allclose(a, b, 1e-11, 1e-11)


def test_the_graph_grows_with_the_chunks():
    """Not with their square: a chunk's adjoint needs its own chunk."""

    def tasks(chunks):
        x = da.from_array(np.ones((16 * chunks, 3)), chunks=(16, 3))
        return len(grad(lambda x: np.sum(np.tanh(x) ** 2))(x).__dask_graph__())

    assert tasks(64) < 1.1 * (tasks(32) + 32 * (tasks(32) - tasks(16)) / 16)


def test_value_and_gradient_in_one_pass():
    """Each part of the data is read once."""
    reads = []

    @dask.delayed(pure=True)
    def part(k):
        reads.append(k)
        return X[3 * k : 3 * k + 3]

    x = da.concatenate([da.from_delayed(part(k), (3, 3), float) for k in range(4)])
    found = dask.compute(*value_and_grad(lambda w: np.sum((x @ w) ** 2))(W), scheduler="synchronous")
    np.testing.assert_allclose(found[1], 2 * X.T @ (X @ W), 1e-13)
    assert sorted(reads) == [0, 1, 2, 3]


def test_chunks_stay():
    x = da.from_array(X, chunks=((5, 4, 3), (2, 1)))
    assert grad(lambda x: np.sum(np.exp(x) * x))(x).chunks == x.chunks


def test_an_array_that_is_assigned_to_later():
    """What was recorded holds the graph that the array had; an argument that its function assigns to is noticed."""
    x = lazy(X)
    _, pullback = vjp(lambda w: np.sum((x @ w) ** 2), W)
    x[0] = 5.0
    np.testing.assert_allclose(pullback(1.0)[0].compute(scheduler="synchronous"), 2 * X.T @ (X @ W), 1e-13)

    def f(z):
        x[1] = 6.0
        return np.sum(z * z)

    with pytest.raises(RuntimeError, match="wrote to the array"):
        grad(f)(x)


LACKED = {
    "np.geomspace": lambda x: np.sum(np.geomspace(x[0, 0], x[1, 1], 3)),
    "scipy.optimize.linprog": lambda x: optimize.linprog(x[0], x, x[:, 0]).fun,
    "scipy.optimize.milp": lambda x: optimize.milp(x[0], constraints=[(x, -1.0, x[:, 0])]).fun,
    "scipy.optimize.nnls": lambda x: optimize.nnls(x, x[:, 0])[1],
}


@pytest.mark.parametrize("name", LACKED)
def test_what_dask_lacks_is_named_before_it_would_compute(name):
    """Plainly, Dask would compute the array, however large it is, and give one of NumPy's."""
    with (
        dask.config.set(scheduler=refused),
        pytest.raises(TypeError, match=r"^dask\.array\.core\.Array lacks") as raised,
    ):
        grad(LACKED[name])(lazy(X))
    assert name in str(raised.value)
    assert "write it by functions that the library has" in str(raised.value)


def written_through(x):
    y = x * x
    y.T.flat[1] = 5.0
    return y


OF_MEMORY = {
    "the order 'K'": lambda x: np.ravel(x.T, "K"),
    "the order 'A'": lambda x: x.T.reshape(-1, order="A"),
    "np.reshape(…, copy=False)": lambda x: np.reshape(x, -1, copy=False),
    "np.meshgrid(…, copy=False)": lambda x: np.meshgrid(x[0], x[1], copy=False)[0],
    "x.flat[…] = …": written_through,
}


@pytest.mark.parametrize("name", OF_MEMORY)
def test_what_asks_how_elements_lie_in_memory_is_refused(name):
    """As Dask itself refuses it, whose arrays have no strides and are no views: it would be another function."""
    for differentiate in (lambda f: jvp(f, [lazy(X)], [lazy(X)]), lambda f: vjp(f, lazy(X))):
        with pytest.raises(TypeError, match=rf"Array lacks what {re.escape(name)} needs of it"):
            differentiate(OF_MEMORY[name])
    assert (
        jvp(lambda x: np.ravel(x, "K"), [lazy(Y)], [lazy(Y)])[1].shape == Y.shape
    )  # along one axis there is one order


ONES = lazy(np.ones(4))
SOLVED = {
    "root": lambda p: optimize.root(lambda z: z**3 - ONES * p, np.ones(4)).x,
    "brentq": lambda p: optimize.brentq(lambda z: z**3 - np.sum(ONES) * p, 0.0, 5.0),
    "newton": lambda p: optimize.newton(lambda z: z**2 - np.sum(ONES) * p, 1.0),
    "minimize": lambda p: optimize.minimize(lambda z: np.sum((z - ONES * p) ** 2), np.ones(4)).x,
    "minimize from": lambda p: optimize.minimize(lambda z: np.sum((z - p) ** 2), ONES).x,
    "least_squares": lambda p: optimize.least_squares(lambda z: z - ONES * p, np.ones(4)).x,
    "solve_ivp": lambda p: integrate.solve_ivp(lambda t, y: [-y[0] * p * np.sum(ONES)], (0.0, 1.0), [1.0]).y,
    "odeint": lambda p: integrate.odeint(lambda y, t: -y * p * np.sum(ONES), [1.0], [0.0, 1.0]),
    "quad": lambda p: integrate.quad(lambda t: t * p * np.sum(ONES), 0.0, 1.0)[0],
    "root of ours": lambda p: root(lambda z, p: z**3 - ONES * p, np.ones(4), (p,)),
}


@pytest.mark.filterwarnings("ignore:The `numpy")
@pytest.mark.parametrize("name", SOLVED)
def test_a_solver_whose_function_has_arrays_of_dask_says_what_to_give(name):
    """Where they are captured, too."""
    why = r"compute with NumPy's arrays, but .* one of dask\.array\.core\.Array: give NumPy's, as x\.compute\(\)"
    for differentiate in (grad, lambda f: lambda p: jvp(f, [p], [1.0])):
        with pytest.raises(TypeError, match=why) as raised:
            differentiate(lambda p: np.sum(SOLVED[name](p)))(2.0)
        assert "test_dask.py:" in str(raised.value)


def test_an_error_of_dask_names_the_function_and_the_line():
    """One that says what to do keeps its type."""
    with pytest.raises(ValueError, match="Chunks do not add up") as raised:
        grad(lambda x: np.sum(x @ x))(lazy(X))
    assert "raised this in what matmul needs of it (at " in raised.value.__notes__[0]


def in_place(function, *others):
    """A function that writes to its first argument, as one that returns what it wrote."""

    def written(x):
        z = x * x
        function(z, *others)
        return z

    return written


MASK = X[:, 0] > 0.0
DECIDING = {
    "np.linalg.eig": lambda x: np.linalg.eig(x[:3])[0],
    "np.linalg.lstsq": lambda x: np.linalg.lstsq(x, x[:, 0])[0],
    "np.piecewise": lambda x: np.piecewise(x[:, 0], [lazy(MASK)], [np.sin, np.cos]),
    "np.place": lambda x: in_place(np.place, lazy(MASK), [1.0, 2.0])(x[:, 0]),
    "np.polydiv": lambda x: np.polydiv(x[:, 0], x[:3, 1])[0],
    "np.polymul": lambda x: np.polymul(x[:, 0], x[:, 1]),
    "np.roots": lambda x: np.roots(x[:, 0]),
    "np.real_if_close": lambda x: np.real_if_close(x + 0j),
    "np.trim_zeros": lambda x: np.trim_zeros(x[:, 0]),
    **{
        f"np.lib.scimath.{name}": getattr(np.emath, name)
        for name in ("sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh")
    },
    "np.lib.scimath.logn": lambda x: np.emath.logn(2.0, x),
    "np.lib.scimath.power": lambda x: np.emath.power(x, 2.5),
    **{
        f"np.{name}": lambda x, name=name: getattr(np, name)(x, lazy(np.array([0.2, 0.4])))
        for name in ("quantile", "nanquantile", "percentile", "nanpercentile")
    },
    "np.min_scalar_type": lambda x: np.min_scalar_type(x[0, 0]),
    "scipy.linalg.logm": lambda x: linalg.logm(x[:3]),
    "scipy.linalg.signm": lambda x: linalg.signm(x[:3]),
    "scipy.linalg.sqrtm": lambda x: linalg.sqrtm(x[:3]),
    "scipy.linalg.fractional_matrix_power": lambda x: linalg.fractional_matrix_power(x[:3], 0.5),
    "scipy.linalg.funm": lambda x: linalg.funm(x[:3], np.sqrt),
    "scipy.linalg.lu": lambda x: linalg.lu(x[:3])[0],
    "scipy.linalg.lu_factor": lambda x: linalg.lu_factor(x[:3])[0],
    "np.unique": np.unique,
    "np.unique_all": lambda x: np.unique_all(x)[0],
    "np.unique_counts": lambda x: np.unique_counts(x)[0],
    "np.unique_inverse": lambda x: np.unique_inverse(x)[0],
    "np.unique_values": np.unique_values,
}


def test_what_decides_by_values_is_known():
    """By this test, and by the page."""
    assert DECIDING.keys() == BY_VALUES.keys()
    page = (Path(__file__).parents[2] / "docs/how-to/arrays-of-other-libraries.md").read_text(encoding="utf-8")
    told = page.partition("<!-- by values -->")[2].partition("<!-- end -->")[0].replace("np.emath", "np.lib.scimath")
    assert set(re.findall(r"`((?:np|scipy)\.[\w.]+)`", told)) == BY_VALUES.keys()


@pytest.mark.parametrize("name", DECIDING)
def test_what_decides_by_values_does_not_have_them_computed(name):
    """Of which arguments is in the table, where it is not all."""
    for differentiate in (lambda f: jvp(f, [lazy(X)], [lazy(X)]), lambda f: vjp(f, lazy(X))):
        with (
            dask.config.set(scheduler=refused),
            pytest.raises(TypeError, match=rf"{re.escape(name)} needs of it: values to decide by") as raised,
        ):
            differentiate(DECIDING[name])
        assert "test_dask.py:" in str(raised.value)


def test_quantiles_of_distributions_are_graphs():
    q, a = lazy(np.linspace(0.1, 0.9, 4)), lazy(np.linspace(1.0, 2.0, 4))
    of_a = lambda a: np.sum(stats.gamma.ppf(q, a) + stats.binom.ppf(0.3 * a, 10, 0.5))
    with dask.config.set(scheduler=refused):
        slope = grad(of_a)(a)
    q, a = np.linspace(0.1, 0.9, 4), np.linspace(1.0, 2.0, 4)
    np.testing.assert_allclose(slope.compute(scheduler="synchronous"), grad(lambda a: np.sum(stats.gamma.ppf(q, a)))(a))


@pytest.mark.parametrize("name", ["chdtri", "polygamma_difference_0", "kelvin", "sin"])
def test_a_function_travels_to_a_worker_by_its_name(name):
    """Whatever it closes over; one of the user's own goes as it is."""
    row = TABLE[name].row
    block = pickle.loads(pickle.dumps(blocks.Block(name, row.numpy.plain)))
    assert block.evaluate is row.numpy.plain
    assert len(pickle.dumps(block)) < 200
    own = blocks.Block(name, math.hypot)
    assert pickle.loads(pickle.dumps(own)).evaluate is math.hypot


def test_who_asks_for_a_truth_has_it_computed():
    """And who takes the value of a number. All else that Python may ask raises, or computes nothing."""
    asked = {
        "bool": lambda s: bool(s > 0.0), "not": lambda s: not s, "==": lambda s: bool(s == 2.0),
        "min": lambda s: min(s, 2.0), "sorted": lambda s: sorted([s, 2.0 * s]), "any": lambda s: any([s]),
        "in": lambda s: 2.0 in np.stack([s, s]), "np.arange": np.arange, "value_of": lambda s: float(value_of(s)),
    }  # fmt: skip
    refusing = [float, int, complex, round, range, "{:.2f}".format, hash, math.sin, lambda s: s.item(),
                lambda s: s.tolist(), lambda s: [1, 2][s]]  # fmt: skip
    quiet = [str, repr, math.floor, math.ceil, abs, np.any, np.nonzero, np.asarray, lambda s: divmod(s, 2),
             lambda s: s.copy(), lambda s: list(np.stack([s, s])), lambda s: len(np.stack([s, s])),
             lambda s: s.astype(int)]  # fmt: skip
    for differentiate in (grad, lambda f: lambda x: jvp(f, [x], [x])):
        for error, questions in ((ComputedError, asked.values()), ((TypeError, AttributeError), refusing)):
            for question in questions:
                with dask.config.set(scheduler=refused), pytest.raises(error):
                    differentiate(lambda x, question=question: (question(s := np.sum(x)), s)[1])(lazy(X))
        for question in quiet:
            with dask.config.set(scheduler=refused):
                differentiate(lambda x, question=question: (question(s := np.sum(x)), s)[1])(lazy(X))


BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(BENCHMARKS)
    WORKING, LACKING = importlib.import_module("tried").tried("dask")
"""What `benchmarks/libraries.py`, which tries the whole table in some minutes, found to work, or not everywhere."""

SOME = [name for name in CALLS if name in WORKING and crc32(name.encode()) % 16 == 0]


def on_host(x):
    return np.asarray(x.compute(scheduler="synchronous") if isinstance(x, da.Array) else x)


@pytest.mark.parametrize("name", SOME)
def test_functions_of_the_table(name):
    """One in sixteen of those that are said to work does, forward and in reverse, and has nothing computed."""
    for mode, differentiate in MODES.items():
        for (f, arrays), leaves in zip(CALLS[name], expected(mode, name), strict=True):
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with dask.config.set(scheduler=refused):
                    found = flatten(differentiate(f, arrays, lazy, on_host))[0]
            for z, leaf in zip(found, leaves, strict=True):
                assert_same(on_host(z), leaf)


def test_every_function_was_tried():
    """Who adds one runs `python benchmarks/libraries.py dask --write`."""
    assert CALLS.keys() == WORKING | LACKING
    assert len(WORKING) >= 1020


def test_no_function_has_an_array_computed():
    """But for what a sample itself does with arrays of the library's, as a user may."""
    text = (BENCHMARKS / "LIBRARIES.md").read_text(encoding="utf-8")
    by_whom = re.findall(r"computed by (.*?) \|", text)
    assert set(by_whom) <= {"a sample"}


def test_no_function_gives_other_numbers():
    """But for Dask's own functions that do, `qr` by its signs; what its derivative is is tested with whole axes."""
    section = (BENCHMARKS / "LIBRARIES.md").read_text(encoding="utf-8").partition("\n## dask")[2]
    assert "gives other numbers than NumPy's |" not in section
    assert set(re.findall(r"^\| `(.*?)` \| is the library's own", section, re.MULTILINE)) <= {"qr"}
