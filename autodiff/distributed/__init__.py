"""A loss over parts that lie elsewhere, in other processes or on a cluster of Dask, as a function with derivatives.

>>> import numpy as np
>>> from autodiff import hessian
>>> from autodiff.distributed import summed
>>> total = summed(lambda w, x: np.sum((x @ w - 1.0) ** 2), [np.eye(2), 2.0 * np.eye(2)])
>>> hessian(total)(np.zeros(2))
array([[10.,  0.],
       [ 0., 10.]])
"""

from .journal import checkpointed
from .sums import Sum, summed
from .teams import PartError
from .work import load

__all__ = ["PartError", "Sum", "checkpointed", "load", "summed"]
