"""Which functions give a view, which a copy, and which a view that may not be written to: as NumPy, in every layout."""

import itertools

import numpy as np
import pytest
from layouts import LAYOUTS, lying, read_only
from samples import ENTRIES, samples
from table import FUNCTIONS, numpy_function, ranges

from autodiff import Variable, array, jvp, value_of, vjp
from autodiff import numpy as namespace
from dualnumbers.levels import plain
from dualnumbers.numbers.array import ArrayNumber
from dualnumbers.table import Refused

SHOWN = """
y  y[...]  y[()]  y[:]  y[0]  y[-1:]  y[1:,1:]  y[::2][::-1]  y[None]  y[...,None]  y[:,1]  y[::-1,1]  y[0:0]  y[...,0]
y[[0,-1]]  y[y>2]  y[0,0]  y[0,...]  y[np.array(0)]  y[True]
y[::-1].reshape(-1)  y[::-1].reshape(1,-1)  y[...,::2].reshape(-1)  y[:,1:].reshape(-1)  y.reshape(-1)  y.reshape(-1,1)
np.reshape(y,(4,3))  np.reshape(y,(4,3),order='F')  y.T.reshape(-1)  y[:,1].reshape(-1,1)  y[::-1,1].reshape(-1)
y.reshape((-1,),order='f')  np.reshape(y,-1,order='A')  y.reshape(y.shape)  y.reshape(y.shape[::-1],order='F')
np.reshape(y,-1,copy=True)  np.reshape(y,-1,order='F',copy=True)  y[...,None].reshape(-1)  y.reshape([-1,1])
y.ravel()  y.ravel('F')  y.ravel('A')  y.ravel('K')  y.T.ravel()  y.T.ravel('F')  y.T.ravel('K')  y.T.ravel('A')
y[1].ravel()  y[:,1].ravel()  y[::-1].ravel()  y[::-1].ravel('K')  y[:1].ravel()  y.T.copy().ravel('K')
y[:,::2].ravel()  y[0,::-1].ravel()  y[:1,::2].ravel()  np.ravel(y[:,:1])  y.copy().T.ravel()  y.T.copy('K').ravel()
y.flatten()  y.flatten('F')  y.flatten('A')  y.flatten('K')  y[::-1].flatten()
np.diagonal(y)  y.diagonal()  y.diagonal(1)  np.diag(y)  np.linalg.diagonal(y)  np.diag(y[0])  np.diagflat(y)
np.einsum('ij->ji',y)  np.einsum('ii->i',y[:2,:2])  np.einsum('...->...',y)  np.einsum('ij->i',y)
np.einsum('ij->ji',y).ravel()  np.einsum('i...->i...',y)
np.broadcast_to(y,(2,*y.shape))  np.broadcast_to(y,y.shape)  np.lib.stride_tricks.sliding_window_view(y,1,0)
np.meshgrid(y[0],y[1])[0]  np.meshgrid(y[0],y[1],sparse=True)[0]  np.meshgrid(y[0],y[1],sparse=True,copy=False)[0]
np.meshgrid(y,y)[0]  np.meshgrid(y,y,copy=False)[0]  np.broadcast_arrays(y,np.ones((2,*y.shape)))[0]
np.broadcast_arrays(y,1.0)[0]
y.astype(float)  y.astype(y.dtype,copy=False)  np.astype(y,y.dtype,copy=False)  np.astype(y,y.dtype)
y.astype(y.dtype,order='C',copy=False)  y.astype(y.dtype,order='F',copy=False)  y.astype(y.dtype,order='A',copy=False)
y.astype(y.dtype,order='F').ravel('F')  y.astype(complex,order='C').ravel()  y.astype(complex).ravel()
y.conj()  y.conjugate()  np.conj(y)  y.real  np.real(y)  y.imag  np.imag(y)  y.real.ravel()  np.real_if_close(y)
y.T  y.mT  y.swapaxes(0,1)[1]  np.moveaxis(y,0,-1)  np.permute_dims(y)  np.matrix_transpose(y)  np.rollaxis(y,-1)
np.linalg.matrix_transpose(y)  np.rot90(y)  np.rot90(y,2)  np.rot90(y,0)  np.rot90(y,3).ravel()  np.flip(y)
np.flip(y,0).ravel()  np.fliplr(y)[0]  np.flipud(y)  np.squeeze(y)  y[:1].squeeze()  y.swapaxes(0,-1).ravel()
np.expand_dims(y,0)  np.expand_dims(y,(0,-1)).ravel()  np.atleast_1d(y)  np.atleast_2d(y)  np.atleast_3d(y).reshape(-1)
np.split(y,2,1)[0]  np.hsplit(y,2)[0]  np.vsplit(y,3)[1]  np.array_split(y,2)[0]  np.array_split(y,2,-1)[0].ravel()
np.unstack(y)[0]  np.unstack(y,axis=-1)[0]  np.trim_zeros(y)  np.trim_zeros(y[0])  y.flat[:]
y.copy()  y.copy('F').ravel()  y.copy('F').ravel('F')  y.copy('K').ravel()  y.copy('A').ravel()  np.copy(y).ravel()
np.copy(y,order='C').ravel()  np.copy(y.T,order='C').ravel()  +y  (+y).ravel()  (y*2).ravel()  (y.T*2).ravel()
(y+y.T.copy().T).ravel()  (-y[::-1]).ravel()  np.sqrt(y).ravel()  (y[...,::2]+1).ravel('K')
np.take(y,0,0)  np.take(y,[0],0)  np.triu(y)  np.roll(y,0).ravel()  np.resize(y,y.shape).ravel()  np.clip(y.real,0,100)
np.select([y>0],[y]).ravel()  np.where(True,y,y)  np.where(y.real>0,y,0).ravel('K')  np.concatenate([y,y]).ravel()
np.stack([y])[0]  np.repeat(y,1,0).ravel()  np.tile(y,1).ravel()  np.pad(y,1).ravel()  np.cumsum(y,0).ravel()
np.block([y]).ravel()  np.nan_to_num(y).ravel()  np.fft.fftshift(y).ravel()  np.sort(y,0).ravel()
np.gradient(y,axis=0).ravel()  np.zeros_like(y).ravel()  np.full_like(y,2.0).ravel()  np.add(y,y).ravel()
np.sum(y,-1,keepdims=True).ravel()
""".split()  # noqa: SIM905


LAYOUTS |= {
    "complex": lambda x: x * (1 + 2j),
    "complex, Fortran": lambda x: x.copy(order="F") * (1 + 2j),
}
SHAPES = [(3, 4), (3, 3), (4,), (1, 1), (1,), (1, 4), (3, 1), (0, 2), (2, 1, 3)]
ARRAYS = [lambda: np.array(2.5), lambda: read_only(np.array(2.5))]
ARRAYS += [lambda n=n, shape=shape, layout=layout: layout(np.arange(1.0, 1.0 + n).reshape(shape))
           for shape in SHAPES for n in [int(np.prod(shape))] for layout in LAYOUTS.values()
           if shape == (3, 4) or layout in (LAYOUTS["C"], LAYOUTS["Fortran"], LAYOUTS["read-only"])]  # fmt: skip
UNDEFINED = ["np.einsum('ii->i',y[:2,:2])"]
"""What NumPy gives there of an empty array is not initialised."""


def write_view(x, y, r):
    r[...] = x.ravel()[0] * 100.0


def write_array(x, y, r):
    y[...] = y * 2.0 + 50.0


def write_both(x, y, r):
    y[..., :1] = 40.0
    r[:1] = r[:1] * 3.0
    y[0] = y[-1]


def augment(x, y, r):
    r += 100.0
    z = r
    z *= 2.0


MODES = {
    "forward": lambda f, x: jvp(f, [x], [x * 0.5])[0],
    "reverse": lambda f, x: vjp(f, x)[0],
}
FURTHER_MODES = MODES | {
    "reverse in forward": lambda f, x: jvp(lambda x: vjp(f, x)[0], [x], [x])[0],
    "forward in reverse": lambda f, x: vjp(lambda x: jvp(f, [x], [x])[0], x)[0],
    "by hand": lambda f, x: value_of(f(Variable(x))),
}


def outcome(run, *arguments):
    try:
        return run(*arguments)
    except Exception as error:
        return error


def program(shown, write, own):
    """A function that looks at its argument, or at a copy that it has written to, and writes to one of the two."""

    def f(x):
        y = x if own else x.copy("K")
        if not own:
            y[...] = y * 0.5 + 1.0
        r = shown(y)
        write(x, y, r)
        return r, y

    return f


def assert_as_plain(plain, f, make, run, *context):
    """In a mode a function gives what it gives at plain arrays."""
    found = outcome(run, f, make())
    assert isinstance(found, Exception) == isinstance(plain, Exception), (*context, found)
    if not isinstance(plain, Exception):
        for a, b in zip(found, plain, strict=True):
            assert type(a) is type(b), (*context, found)
            assert np.array_equal(a, b), (*context, found)


@pytest.mark.parametrize("text", SHOWN)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:divide by zero", "ignore:invalid value")
def test_values_of_programs_that_write_through_views_are_those_of_numpy(text):
    """In every layout: so it decides as NumPy does which is a view, and which may be written to."""
    shown = eval(f"lambda y: {text}", {"np": np})
    for make in ARRAYS:
        x = make()
        if text in UNDEFINED and not x.size:
            continue
        for write, own in itertools.product((write_view, write_array, write_both, augment), (True, False)):
            f = program(shown, write, own)
            modes = FURTHER_MODES if x.shape == (3, 4) and not own else MODES  # a Variable is not written to
            plain = outcome(f, make())
            for mode, run in modes.items():
                assert_as_plain(plain, f, make, run, mode, write.__name__, own, x.shape, x.strides)


@pytest.mark.parametrize("text", SHOWN)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_derivatives_of_such_programs_are_those_of_differences(text):
    shown = eval(f"lambda y: {text}", {"np": np})

    def f(x):
        y = x.copy("K")
        y[0] = y[-1] * y[0]
        r = shown(y)
        r[...] = r * r + x.ravel()[0]
        y[...] = y * x
        return np.concatenate([np.ravel(r), np.ravel(y)])

    rng = np.random.default_rng(5)
    middle, along = rng.normal(size=(3, 4)) + 3.0, rng.normal(size=(3, 4))
    for layout in LAYOUTS.values():
        x, v = layout(middle), layout(along)
        if isinstance(outcome(f, x), Exception) or np.iscomplexobj(f(x)) != np.iscomplexobj(x):
            continue
        slope = (f(layout(middle + 1e-5 * along)) - f(layout(middle - 1e-5 * along))) / 2e-5
        value, tangent = jvp(f, [x], [v])
        np.testing.assert_allclose(tangent, slope, rtol=1e-6, atol=1e-6 * np.max(np.abs(slope)))
        u = rng.normal(size=value.shape)
        (adjoint,) = vjp(f, x)[1](u.astype(value.dtype))
        np.testing.assert_allclose(np.sum(u * tangent.real), np.sum(np.conj(adjoint) * v).real, rtol=1e-10)


# ------------------------------------------------------------------------------------- arrays that get numbers later

CONVERTED = """
np.asarray(y)  np.asarray(y,order='F')  np.asanyarray(y,float)  np.array(y)  np.array(y,order='F').ravel('K')
np.array(y,copy=None)  np.array(y,copy=None,ndmin=3)  np.array(y,copy=False,ndmin=3)  np.array(y,ndmin=3)
np.array([y])  np.array(y,dtype=complex)  np.ascontiguousarray(y)  np.asfortranarray(y)  np.ascontiguousarray(y.T)
np.copy(y,order='F')  np.require(y)  np.require(y,None,'F')  np.require(y,float,['C','O'])  np.asarray_chkfinite(y)
y.view()  y[1:].view(y.dtype)  np.nan_to_num(y,copy=False)  np.trim_zeros(y,axis=())  y.astype(float,copy=False)
np.einsum('...->...',y)  y.to_device('cpu')  y[:].base  y.T[:1].base  [*np.ndenumerate(y)][1][1]
""".split()  # noqa: SIM905
PLAIN_ALONE = ["y[1].ravel()", "np.meshgrid(y,y,copy=False)[0]"]
"""New arrays that take no numbers, and say so: of one element of an array, and such as repeat their own elements."""


@pytest.mark.parametrize("text", sorted({*SHOWN, *CONVERTED} - {*PLAIN_ALONE}))
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:divide by zero", "ignore:invalid value")
def test_views_from_before_the_first_number_is_stored_show_it(text):
    """A quadratic in x, so that its difference over any distance is the derivative, but for rounding."""
    shown = eval(f"lambda y: {text}", {"np": namespace})
    for shape, order, write in itertools.product([(3, 4), (3, 3), (4,)], "CF", (multiply, overwrite, in_turns)):

        def f(x, shape=shape, order=order, write=write):
            y = namespace.array(np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape), order=order)
            r = shown(y)
            write(x, y, r)
            return r, y

        plain, found = outcome(f, 1.5), outcome(jvp, f, [1.5], [1.0])
        context = f"{write.__name__}, {shape}, {order}: {found}"
        assert isinstance(found, Exception) == isinstance(plain, Exception), context
        if isinstance(plain, Exception):
            continue
        slopes = [b - a for a, b in zip(f(1.0), f(2.0), strict=True)]
        adjoint = vjp(f, 1.5)[1](tuple(map(np.ones_like, plain)))[0]
        for value, tangent, expected, slope in zip(*found, plain, slopes, strict=True):
            np.testing.assert_array_equal(value, expected, context)
            np.testing.assert_allclose(tangent, slope, rtol=1e-13, atol=1e-13, err_msg=context)
        assert adjoint == pytest.approx(sum(np.sum(slope).real for slope in slopes), rel=1e-13)


def multiply(x, y, r):
    y[...] = y * x


def overwrite(x, y, r):
    r[...] = x * 2.0


def in_turns(x, y, r):
    y[..., :1] = x
    r[:1] = r[:1] * 3.0 + x
    y[0] = y[-1] * 2.0
    r += x


PLAIN = {
    "numpy.asarray": lambda y: np.asarray(y),
    "a view of it": lambda y: np.asarray(y)[1:],
    "numpy.array": lambda y: np.array(y, copy=None),
    "a row": lambda y: np.asarray(y[0]),
    "elements": lambda y: np.asarray(y.flat),
    "a memory view": lambda y: memoryview(np.asarray(y)),
    "as_strided": lambda y: np.lib.stride_tricks.as_strided(y, (4,), (8,)),
    "bytes": lambda y: y.view(np.uint8),
    "a subclass": lambda y: y.view(type=np.recarray),
    "a field": lambda y: y.getfield(float),
    "nditer": lambda y: np.nditer(y),
    "masked": lambda y: np.ma.asarray(y),
    "data": lambda y: y.data,
    "ctypes": lambda y: y.ctypes,
    "in a cycle": lambda y: cycle(np.asarray(y)),
}


def cycle(x):
    ring = [x]
    ring.append(ring)
    return ring


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("mode", [lambda f: jvp(f, [2.0], [1.0])[0], lambda f: vjp(f, 2.0)[0]])
def test_a_plain_view_that_would_not_see_a_number_is_told_of(name, mode):
    look = PLAIN[name]

    def kept(x):
        y = namespace.zeros((2, 2))
        seen = look(y)
        np.asarray(y)[0] = 1.0
        y[1] = x
        return np.sum(y) * bool(seen is not None)

    with pytest.raises(TypeError, match=r"numpy\.asarray\(y\).*test_views\.py:\d+\)") as raised:
        mode(kept)
    assert len(str(raised.value).partition(" (at")[0]) <= 160

    def dropped(x):
        y = namespace.zeros((2, 2))
        look(y)
        y[1] = x
        return np.sum(y)

    assert mode(dropped) == 4.0


def test_another_thread_never_sees_the_whole_array_for_a_part(monkeypatch):
    found = []

    def f(x):
        y = namespace.zeros(4)
        part = y[2:]
        y[3] = x

        def looked_at(self, function, *static):
            if not found:
                found.append(None)
                found.append(np.shape(part * 1.0))
            return viewed(self, function, *static)

        viewed = ArrayNumber.viewed
        monkeypatch.setattr(ArrayNumber, "viewed", looked_at)
        return part * 1.0

    np.testing.assert_array_equal(jvp(f, [2.0], [1.0])[1], [0.0, 1.0])
    assert found[1] == (2,)


# ------------------------------------------------------------------------------------------------- every function

OTHERWISE = ("eig", "np.linalg.eig", "qr", "np.logspace", "add_reduceat")
"""NumPy's eigenvalues are every other number of complex ones; its stacks of factors, ranges and sums lie otherwise."""


def _leaves(out):
    return [leaf for part in out for leaf in _leaves(part)] if isinstance(out, (tuple, list)) else [out]


def assert_lies_as_plain(f, arrays):
    try:
        with np.errstate(all="ignore"):
            expected = list(map(lying, _leaves(f(*arrays))))
    except (ValueError, TypeError):  # as of a sample that writes to what is read-only here
        return
    found = []

    def g(*xs):
        found[:] = [lying(plain(part)) for part in _leaves(f(*xs))]
        return 0.0 * xs[0]

    for run in (lambda: jvp(g, arrays, [np.ones_like(x) for x in arrays]), lambda: vjp(g, *arrays)):
        run()
        assert found == expected


@pytest.mark.parametrize(
    "nested", [lambda x: [x, x], lambda x: [[x], [x]], lambda x: [x[0], x[1]], lambda x: (x.T, x.T)]
)
@pytest.mark.parametrize("make", [namespace.array, array, namespace.asarray], ids=["np.array", "array", "np.asarray"])
def test_an_array_of_nested_rows_lies_in_order_c(make, nested):
    x = np.asfortranarray([[-0.9, -0.4], [0.3, -0.3]])
    for differentiate in (lambda f: jvp(f, [x], [x]), lambda f: vjp(f, x)):

        def f(x):
            y = make(nested(x))
            assert value_of(y).flags.c_contiguous
            return y

        differentiate(f)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in ENTRIES if name not in OTHERWISE])
def test_values_lie_in_memory_as_in_the_plain_run(name):
    for sample in samples(name):
        if sample.peer:  # a counterpart in autodiff.scipy, not the plain run
            continue
        for layout in set(LAYOUTS) - {"broadcast", "complex", "complex, Fortran"}:  # where some have no derivative
            arrays = [LAYOUTS[layout](x) if np.ndim(x) else np.array(x) for x in sample.arrays]
            assert_lies_as_plain(sample.f, arrays)


UFUNCS = [f for f in FUNCTIONS if isinstance(numpy_function(f.row), np.ufunc) and f.row.arity <= 2]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", UFUNCS, ids=[f.row.name for f in UFUNCS])
def test_values_of_ufuncs_lie_in_memory_as_in_the_plain_run(function):
    ends = [(max(low, -2), min(high, 3)) for low, high in ranges(function.row)]
    if any(type(low) is int for low, _ in ends):  # an order, by which there is no derivative
        return
    points = [np.linspace(0.7 * low + 0.3 * high, 0.4 * low + 0.6 * high, 12).reshape(2, 3, 2) for low, high in ends]
    for layouts in itertools.product(LAYOUTS.values(), repeat=len(points)):
        arrays = [layout(x) for layout, x in zip(layouts, points, strict=True)]
        if not any(isinstance(partial, Refused) for partial in function.row.partials):
            assert_lies_as_plain(numpy_function(function.row), arrays)
