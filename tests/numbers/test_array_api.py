"""SciPy's plain functions on arrays of numbers, where its array API support reaches them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autodiff import forward, reverse

PROGRAM = """
import json, warnings
import numpy as np, scipy.fft, scipy.integrate, scipy.signal, scipy.special, scipy.stats
from scipy.spatial.transform import Rotation
from autodiff import forward, reverse
from autodiff.scipy import fft
warnings.simplefilter("ignore")
FUNCTIONS = {
    "fft": lambda x: np.abs(scipy.fft.fft(x)) ** 2,
    "irfft": lambda x: scipy.fft.irfft(x) ** 2,
    "logsumexp": scipy.special.logsumexp,
    "softmax": lambda x: scipy.special.softmax(x) ** 2,
    "trapezoid": lambda x: scipy.integrate.trapezoid(x**2),
    "hilbert": lambda x: np.abs(scipy.signal.hilbert(x)),
    "fftconvolve": lambda x: scipy.signal.fftconvolve(x, x**2),
    "zscore": lambda x: scipy.stats.zscore(x)[0],
    "gmean": scipy.stats.gmean,
    "hmean": scipy.stats.hmean,
    "moment": lambda x: scipy.stats.moment(x, 2),
    "Rotation": lambda x: Rotation.from_rotvec(x[:3]).as_matrix() @ np.arange(3.0),
}
X = np.array([0.5, 0.25, 0.7, 0.1])
def slopes(f):
    steps = [1e-6 * e for e in np.eye(4)]
    return [float((np.sum(f(X + h)) - np.sum(f(X - h))) / 2e-6) for h in steps]
def both(f):
    return [mode.gradient(lambda x: np.sum(f(x)), [X])[0].tolist() for mode in (forward, reverse)]
print(json.dumps({name: [slopes(f), *both(f)] for name, f in FUNCTIONS.items()}))
"""


def test_what_the_array_api_of_scipy_reaches():
    pytest.importorskip("scipy", minversion="1.15")
    root = Path(__file__).parents[2]
    given = os.environ | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=root, env=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for name, (expected, *found) in json.loads(done.stdout).items():
        for by_mode in found:
            np.testing.assert_allclose(by_mode, expected, rtol=1e-6, atol=1e-8, err_msg=name)


def test_the_namespace_of_an_array_of_numbers():
    import autodiff.numpy

    spaces = []
    for mode in (forward, reverse):
        mode.gradient(lambda x: spaces.append(x.__array_namespace__()) or np.sum(x), [np.ones(2)])
    assert spaces == [autodiff.numpy] * 2
    found = []
    for mode in (forward, reverse):
        mode.gradient(lambda t: found.append(hasattr(t, "__array_namespace__")) or t, [1.0])
    assert found == [False, False]  # a number is no array
