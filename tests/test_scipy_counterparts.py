"""`autodiff.scipy` as a user meets it: in a fresh process, by keywords, copied and pickled."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

import autodiff.scipy.stats as stats
from autodiff import jvp
from autodiff.scipy.counterpart import COUNTERPARTS

ROOT = Path(__file__).parent.parent


def test_a_fresh_process_has_every_method():
    program = "from autodiff.scipy import stats; from autodiff.scipy.counterpart import COUNTERPARTS as c; print(*c)"
    found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {name for name in COUNTERPARTS if name.startswith("scipy.stats.")} == set(found.stdout.split())
    for name in ("beta", "t", "f", "binom", "nbinom"):
        for which in ("cdf", "sf", "logcdf", "logsf", "ppf", "isf"):
            assert f"scipy.stats.{name}.{which}" in COUNTERPARTS


@pytest.mark.parametrize("call", [
    lambda s, p: s.norm.ppf(q=p, loc=1.0), lambda s, p: s.norm.pdf(x=p, scale=2.0), lambda s, p: s.norm(p).ppf(q=0.2),
    lambda s, p: s.poisson.pmf(k=2, mu=p), lambda s, p: s.poisson(p).cdf(x=2), lambda s, p: s.poisson(p).pmf(k=2),
    lambda s, p: s.binom.isf(q=0.3, n=5, p=p), lambda s, p: s.multivariate_normal([p]).pdf(x=[0.3]),
])  # fmt: skip
def test_arguments_by_scipys_names(call):
    np.testing.assert_allclose(jvp(lambda p: call(stats, p), [0.4], [1.0])[0], call(scipy.stats, 0.4), rtol=1e-14)
    np.testing.assert_allclose(call(stats, 0.4), call(scipy.stats, 0.4), rtol=1e-14)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_distributions_are_copied_and_pickled(again):
    for named in (stats.norm, stats.binom, stats.multivariate_normal):
        assert again(named) is named
    assert again(stats.norm(0.3, scale=2.0)).pdf(0.1) == stats.norm.pdf(0.1, 0.3, 2.0)
    assert again(stats.multivariate_normal(cov=2.0)).pdf(0.1) == stats.multivariate_normal.pdf(0.1, cov=2.0)
