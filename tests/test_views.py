"""Which functions give a view, which a copy, and which a view that may not be written to: as NumPy, in both modes."""

import numpy as np
import pytest

from autodiff import gradcheck, jvp, value_and_grad

W = np.arange(1.0, 13.0).reshape(3, 4)

SHOWN = """
y[::-1].reshape(-1)  y[::-1].reshape(1,-1)  y[...,::2].reshape(-1)  y[:,1:].reshape(-1)  y.reshape(-1)
np.reshape(y,(4,3))  np.reshape(y,(4,3),order='F')  y.T.reshape(-1)  y[:,1].reshape(3,1)  y[::-1,1].reshape(-1)
y.ravel()  y.ravel('F')  y.ravel('K')  y.T.ravel()  y.T.ravel('F')  y.T.ravel('K')  y[1].ravel()  y[:,1].ravel()
y[:,::2].ravel()  y[0,::-1].ravel()  y[:1,::2].ravel()  np.ravel(y[:,:1])  y.flatten()
np.diagonal(y)  y.diagonal()  y.diagonal(1)  np.diag(y)  np.linalg.diagonal(y)  np.diag(y[0])
np.einsum('ij->ji',y)  np.einsum('ii->i',y[:2,:2])  np.einsum('ij->ij',y)  np.einsum('ij->i',y)
np.broadcast_to(y,(2,3,4))  np.lib.stride_tricks.sliding_window_view(y,2,0)
np.meshgrid(y[0],y[1])[0]  np.meshgrid(y[0],y[1],sparse=True)[0]  np.meshgrid(y[0],y[1],sparse=True,copy=False)[0]
y.astype(float)  y.astype(float,copy=False)  np.astype(y,float,copy=False)  np.astype(y,float)
y.conj()  y.conjugate()  np.conj(y)  y.real  np.real(y)
y[1:,1:]  y[::2][::-1]  y[None]  y[...]  y[:]  y[:,1]  y[::-1,1]  y[0:0]  y[...,0]  y[[0,1]]  y[y>2]
y.T  y.mT  y.swapaxes(0,1)[1]  np.moveaxis(y,0,1)  np.permute_dims(y,(1,0))  np.matrix_transpose(y)
np.linalg.matrix_transpose(y)  np.rot90(y)  np.flip(y)  np.fliplr(y)[0]  np.squeeze(y)  y[:1].squeeze()
np.expand_dims(y,0)  np.atleast_3d(y)  np.split(y,2,1)[0]  np.hsplit(y,2)[0]  np.vsplit(y,3)[1]  np.array_split(y,2)[0]
np.unstack(y)[0]  np.trim_zeros(y[0])  y.flat[:]
np.take(y,0,0)  +y  y.copy()  np.triu(y)  np.roll(y,0)  np.resize(y,(3,4))  np.clip(y,0,100)  y.squeeze()
np.select([y>0],[y])  np.where(True,y,0)  np.concatenate([y])  np.stack([y])[0]  np.repeat(y,1)  np.tile(y,1)
""".split()  # noqa: SIM905

WRITTEN = {
    "the view is written to": lambda x, y, r: r.__setitem__(..., 0.0),
    "the array is written to": lambda x, y, r: (y.__setitem__(0, 0.0), y.__setitem__((1, 1), 7 * x[0, 0])),
}


def program(text, first, write):
    """A function that looks at an array and writes to one of the two, after an earlier assignment or without."""
    shown = eval(f"lambda y: {text}", {"np": np})

    def f(x):
        y = x * 1.0
        if first:
            y[0, 1] = 2 * x[1, 1]
        r = shown(y)
        write(x, y, r)
        return np.sum(y * y) + 3.0 * np.sum(r * r)

    return f


@pytest.mark.parametrize("text", SHOWN)
@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("first", [False, True], ids=["", "after an assignment"])
def test_views_are_those_of_numpy(text, write, first):
    f = program(text, first, write)
    try:
        expected = f(W)
    except (ValueError, TypeError) as error:  # read-only, or a number that is no array
        for attempt in (lambda: value_and_grad(f)(W), lambda: jvp(f, [W], [W])):
            with pytest.raises(type(error)):
                attempt()
        return
    assert value_and_grad(f)(W)[0] == expected
    assert jvp(f, [W], [W])[0] == expected
    assert gradcheck(f, [W], order=1, raises=True)
