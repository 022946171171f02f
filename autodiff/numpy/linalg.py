"""The names of ``numpy.linalg``, which take lists of numbers too."""

import numpy.linalg

from ._taking import fill

fill(globals(), numpy.linalg)
