"""Losses: one number from what a network gives and what it should give, the mean over the points."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dualnumbers.foreign import as_array, as_like
from dualnumbers.forms import shape
from dualnumbers.rules.statistics.logarithmic_sums import cross_entropy as cross_entropy_of_classes
from dualnumbers.rules.statistics.logarithmic_sums import log_softmax

from ..calls.values import value_of


def _are_outside(classes: Any, count: int) -> bool:
    """Return whether any class is below 0, or is not below the number of classes; of NumPy's integers in one pass."""
    if type(classes) is np.ndarray:
        unsigned, negative = _unsigned(classes.dtype)
        return bool(classes.view(unsigned).max() >= min(count, negative))
    return bool(classes.min() < 0 or classes.max() >= count)


@cache
def _unsigned(dtype: Any) -> tuple[Any, float]:
    """Return the unsigned type of the width of an integer type, and from which number on its bits are negative ones.

    −1 of int8 is 255 there: no class, even where there are 300.
    """
    return np.dtype(dtype.str.replace("i", "u")), 1 << 8 * dtype.itemsize - 1 if dtype.kind == "i" else np.inf


def mse(prediction: Any, target: Any) -> Any:
    """Return the mean of the squared differences. Raise ValueError where the shapes differ, even if they broadcast.

    >>> import numpy as np
    >>> float(mse(np.array([1.0, 2.0]), np.array([0.0, 4.0])))
    2.5
    """
    if shape(prediction) != shape(target):
        raise ValueError(
            f"mse: the prediction has the shape {shape(prediction)}, the target {shape(target)}; reshape "
            "one of them, or index the prediction, as prediction[:, 0]"
        )
    difference = prediction - target
    return np.mean(difference * difference)


def cross_entropy(logits: Any, target: Any) -> Any:
    """Return −log softmax(logits) at the target, the mean over the points: logits of shape (points, classes).

    ``target`` holds the number of the class of each point, shape (points,), or probabilities of the shape of the
    logits. It is computed from the logits without softmax, so that it neither overflows nor loses digits: not even
    where the target's class is nearly certain. Raises ValueError where the target is neither.

    >>> import numpy as np
    >>> print(f"{float(cross_entropy(np.zeros((1, 2)), np.array([1]))):.6f}")
    0.693147
    """
    if shape(target) == shape(logits):
        return -np.sum(target * log_softmax(logits, -1)) / _points(logits)
    classes = target if type(target) is np.ndarray else as_array(value_of(target))
    if classes.dtype.kind not in "iu" or classes.shape != shape(logits)[:-1]:
        raise ValueError(
            f"cross_entropy: the target holds class numbers, of shape {shape(logits)[:-1]}, or "
            f"probabilities, of shape {shape(logits)}; not {classes.dtype} {classes.shape}"
        )
    count = shape(logits)[-1]
    if classes.size and _are_outside(classes, count):
        raise ValueError(f"cross_entropy: classes are numbered from 0 to {count - 1}")
    if classes.ndim != 1:
        logits, classes = np.reshape(logits, (classes.size, count)), classes.reshape(-1)
    return cross_entropy_of_classes(logits, classes)


def _points(logits: Any) -> int:
    return int(np.prod(shape(logits)[:-1]))


def accuracy(output: Any, target: Any) -> float:
    """Return the share of points whose largest output is the target's class.

    ``output`` has one number for each class along the last axis: at least two, for of one number it is always the
    largest. ``target`` holds numbers of classes, of the shape of the points, or is of the shape of the output, its
    largest number at the class. An output that is NaN is none. Raises ValueError for other shapes, and for numbers
    that are of no class, such as labels of −1 and 1.

    >>> import numpy as np
    >>> accuracy(np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([1, 1]))
    0.5
    """
    output, wanted = as_array(value_of(output)), as_array(value_of(target))
    if not output.ndim or output.shape[-1] < 2:
        raise ValueError(
            f"accuracy: an output of shape {output.shape} has not one number for each class; of one "
            "number for each point, take np.mean((output > 0.5) == target)"
        )
    found = np.argmax(output, -1)
    if wanted.shape == output.shape:
        wanted = np.argmax(wanted, -1)
    if wanted.shape != found.shape:
        raise ValueError(
            f"accuracy: the target holds class numbers, of shape {found.shape}, or is of the output's "
            f"shape, {output.shape}; not {wanted.shape}"
        )
    known = np.arange(output.shape[-1])
    if wanted.dtype.kind not in "biuf" or not np.all(np.any(wanted[..., None] == as_like(known, wanted), -1)):
        raise ValueError(
            f"accuracy: classes are numbered from 0 to {len(known) - 1}, which not all of the target's numbers are; "
            "np.unique(labels, return_inverse=True)[1] numbers labels of any kind"
        )
    return float(np.mean((found == wanted) & ~np.any(np.isnan(output), -1)))
