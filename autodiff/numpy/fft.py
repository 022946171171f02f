"""The names of ``numpy.fft``, which take lists of numbers too."""

import numpy.fft

from ._taking import fill

fill(globals(), numpy.fft)
