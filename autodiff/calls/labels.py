"""Gradients with the labels of their arguments: that of a pandas Series is a Series with its index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dualnumbers.levels import is_number
from dualnumbers.operands import is_labelled

LABELS: dict[str, Callable[[Any, Any], Any]] = {
    "Series": lambda g, x: (
        type(x)(x.name, g)
        if hasattr(x, "to_frame") and not hasattr(x, "index")
        else type(x)(g, index=x.index, name=x.name)
    ),
    "DataArray": lambda g, x: x.copy(data=g),
}
"""The kind of an argument, of pandas, Polars or xarray → its gradient from an array."""


def with_labels(g: Any, x: Any) -> Any:
    """Give the derivative ``g`` by a leaf, plain and of its shape, the labels of that; return any other as it is."""
    labels = LABELS.get(type(x).__name__) if is_labelled(type(x)) else None
    return labels(g, x) if labels and not is_number(type(g)) and getattr(g, "shape", None) == x.shape else g
