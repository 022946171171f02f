"""Calls with parameters that few programs give: an entry here adds to that of the family's own file."""

from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any

import numpy as np

from .sample import Sample, apart, entry, values

CALLS: dict[str, list[tuple[Callable[..., Any], np.ndarray]]] = {
    "np.astype": [(lambda x: np.astype(x, np.float64, copy=False), values(3))],
    "concatenate": [(lambda x: np.concatenate([x, x[:1]], dtype=np.float64, casting="safe"), values(3))],
    "stack": [(lambda x: np.stack([x, x], dtype=np.complex128, casting="same_kind"), values(3))],
    "np.vstack": [(lambda x: np.vstack([x, x], dtype=np.complex128, casting="same_kind"), values(3))],
    "np.hstack": [(lambda x: np.hstack([x, x], dtype=np.complex128, casting="same_kind"), values(3))],
    "np.corrcoef": [(lambda x: np.corrcoef(x, dtype=np.float64)[0, 1], values(2, 4))],
    "np.cumulative_sum": [(lambda x: np.cumulative_sum(x, dtype=np.complex128), values(3))],
    "np.cumulative_prod": [(lambda x: np.cumulative_prod(x, dtype=np.complex128), values(3))],
    "np.full_like": [(lambda x: np.full_like(x, x[0, 0], order="F"), values(2, 3))],
    "np.geomspace": [(lambda x: np.geomspace(x, 3.0, 3, dtype=np.float64), 1.0 + values(2) ** 2)],
    "np.logspace": [(lambda x: np.logspace(x, 1.0, 3, dtype=np.float64), values(2) ** 2)],
    "np.histogram_bin_edges": [(lambda x: np.histogram_bin_edges(x, 2, weights=np.ones(6)), apart(6))],
    "lexsort": [(lambda x: np.lexsort(x, axis=0) * x[0], apart(2, 3))],
    "nan_to_num": [(lambda x: np.nan_to_num(x, copy=True), values(3))],
    "np.nansum": [(lambda x: np.nansum(x, dtype=np.complex128), values(3))],
    "np.nanprod": [(lambda x: np.nanprod(x, dtype=np.complex128), values(3))],
    "np.nancumsum": [(lambda x: np.nancumsum(x, dtype=np.complex128), values(3))],
    "np.nancumprod": [(lambda x: np.nancumprod(x, dtype=np.complex128), values(3))],
    "nanmean": [(lambda x: np.nanmean(x, dtype=np.complex128), values(3))],
    "nanvar": [(lambda x: np.nanvar(x, dtype=np.float64), values(3))],
    "nanstd": [(lambda x: np.nanstd(x, dtype=np.float64), values(3))],
    "np.median": [(lambda x: np.median(x + 0.0, overwrite_input=True), apart(5))],
    "np.nanmedian": [(lambda x: np.nanmedian(x + 0.0, overwrite_input=True), apart(5))],
    "np.quantile": [(lambda x: np.quantile(x + 0.0, 0.3, overwrite_input=True), apart(5))],
    "np.nanquantile": [(lambda x: np.nanquantile(x + 0.0, 0.3, overwrite_input=True, method="hazen"), apart(5))],
    "np.percentile": [(lambda x: np.percentile(x + 0.0, 30.0, overwrite_input=True), apart(5))],
    "np.nanpercentile": [(lambda x: np.nanpercentile(x + 0.0, 30.0, overwrite_input=True, method="hazen"), apart(5))],
    "argpartition": [(lambda x: x[np.argpartition(x, 1, kind="introselect")], apart(4))],
    "argsort": [(lambda x: x[np.argsort(x, kind="stable")], apart(4))],
    "searchsorted": [
        (lambda x: np.searchsorted(x, 0.3, sorter=np.argsort(x)) * x, apart(4)),
        (lambda x: np.searchsorted([0.1, -0.7, 0.5], x, sorter=[1, 0, 2]) * x, apart(4)),
    ],
    "np.partition": [(lambda x: np.sort(np.partition(x, 1, kind="introselect")), apart(4))],
    "np.sort": [(lambda x: np.sort(x, kind="stable"), apart(4)), (lambda x: np.sort(x, stable=True), apart(4))],
    "np.put": [(lambda x: _put(x * x, [5, -1], x[:2, 0], mode="wrap"), values(2, 2))],
    "np.unique": [
        (lambda x: np.unique(x, return_index=True, return_counts=True, equal_nan=False)[0], apart(4)),
        (lambda x: x[np.unique(x, return_index=True)[1]], apart(4)),
    ],
    "np.polyfit": [(lambda y: np.polyfit(np.arange(4.0), y, 1, rcond=1e-9), values(4))],
    "unwrap": [(lambda x: np.unwrap(x, discont=4.0), np.array([0.1, 4.0, 8.5, 0.5]))],
    "isin": [(lambda x: np.isin(x, x[:2], assume_unique=True, kind="sort") * x, apart(4))],
    "isclose": [(lambda x: np.isclose(x, np.array([np.nan, 0.25, 1.0]), equal_nan=True) * x, apart(3))],
    "allclose": [(lambda x: np.allclose(x, np.array([np.nan, 0.25, 1.0]), equal_nan=True) * x, apart(3))],
    "array_equal": [(lambda x: np.array_equal(x, np.array([np.nan, 0.25, 1.0]), equal_nan=True) * x, apart(3))],
    "matrix_rank": [
        (lambda a: np.linalg.matrix_rank(a @ a.T, hermitian=True) * a, values(2, 2)),
        (lambda a: np.linalg.matrix_rank(a, rtol=1e-3) * a, values(2, 2)),
    ],
}

if "sorted" in signature(np.unique).parameters:  # from NumPy 2.3 on
    CALLS["np.unique"].append((lambda x: np.unique(x, sorted=True), apart(4)))
if "axis" in signature(np.trim_zeros).parameters:  # from NumPy 2.2 on
    CALLS["np.trim_zeros"] = [(lambda x: np.trim_zeros(x * np.array([[0.0], [1.0], [1.0]]), axis=0), values(3, 2))]


def _put(x: Any, *given: Any, **keywords: Any) -> Any:
    np.put(x, *given, **keywords)
    return x


@entry(*CALLS)
def _calls(name: str) -> Iterator[Sample]:
    for k, (call, x) in enumerate(CALLS[name]):
        yield Sample(call, (x,), f"parameters {k}", unreal=False, exact=False, condition=16.0)
