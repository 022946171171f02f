"""Trainings over shards of the data, in threads and processes; and those that are killed and go on."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from autodiff import nn
from autodiff.distributed import PartError

HERE = Path(__file__).parent
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(150, 3))
Y = (X[:, 0] * X[:, 1] > 0).astype(int)


def trained(client=None, count=150, dtype=float, **options):
    """The curves and the parameters after some epochs."""
    net = nn.Sequential(nn.Linear(3, 6, rng=1, dtype=dtype), nn.Tanh(), nn.Linear(6, 2, rng=2, dtype=dtype))
    given = {"batch_size": 32, "rng": 3, "metrics": {"accuracy": nn.accuracy}, "validation": (X[:20], Y[:20])} | options
    data = X[:count].astype(dtype), Y[:count]
    curves = nn.fit(net, nn.cross_entropy, nn.Adam(net.parameters(), lr=0.01), *data, epochs=3, client=client, **given)
    return curves, net.state_dict()


def bits(found):
    curves, state = found
    return curves, {path: x.tobytes() for path, x in state.items()}


@pytest.mark.parametrize("options", [{}, {"batch_size": None, "rng": None}, {"count": 7}, {"dtype": np.float32}])
def test_the_curves_of_one_machine(options):
    expected, state = trained(**options)
    with ThreadPoolExecutor(2) as threads:
        found = trained(threads, **options)
    accuracy = 1e-4 if options.get("dtype") is np.float32 else 1e-10
    for name, curve in expected.items():
        np.testing.assert_allclose(found[0][name], curve, accuracy)
    for path, values in state.items():
        assert found[1][path].dtype == values.dtype
        np.testing.assert_allclose(found[1][path], values, accuracy, accuracy)


def test_the_same_bits_for_any_number_of_workers():
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(3) as three:
        assert bits(trained(one)) == bits(trained(three))


def test_what_no_shards_are_made_of():
    net, x = nn.Sequential(nn.Linear(3, 1, rng=0)), X[:30]
    fit = lambda net, loss, x, y, **options: nn.fit(net, loss, nn.SGD(net.parameters()), x, y, 1, **options)
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(ValueError, match=r"<lambda>.* must be a mean over points, as nn\.mse is; of 30 it is"):
            fit(net, lambda z, y: np.sum((z - y) ** 2), x, x[:, :1], client=pool)
        with pytest.raises(ValueError, match="leave client= out"):
            fit(nn.Sequential(nn.Linear(3, 1), nn.BatchNorm(1)), nn.mse, x, x[:, :1], client=pool)
        with pytest.raises(ValueError, match="30 points and 29 targets"):
            fit(net, nn.mse, x, x[:29, :1], client=pool)
        with pytest.raises(ValueError, match="leave jit=True out"):
            fit(net, nn.mse, x, x[:, :1], client=pool, jit=True)
        y = Y[:100].copy()
        y[70] = 9  # beyond the points on which the loss is tried
        with pytest.raises(PartError, match=r"part \d+ \(points \d+ to \d+\) raised ValueError: cross_entropy"):
            fit(nn.Linear(3, 2), nn.cross_entropy, X[:100], y, client=pool)
    with pytest.raises(TypeError, match="the client is None"):
        fit(net, nn.mse, x, x[:, :1], client=4)


# ----------------------------------------------------------------------------------------- killed


class Noisy(nn.Module):
    """A network whose steps draw numbers, and which has a running mean."""

    def __init__(self):
        self.layers = nn.Sequential(
            nn.Linear(3, 8, rng=1), nn.BatchNorm(8), nn.Dropout(0.3, rng=5), nn.Tanh(), nn.Linear(8, 2, rng=2)
        )

    def forward(self, x):
        return self.layers(x)


def noisy(path, method=nn.Adam, epochs=8, **options):
    net = Noisy()
    optimiser = method(net.parameters(), lr=0.01)
    curves = nn.fit(net, nn.cross_entropy, optimiser, X, Y, epochs, batch_size=40, rng=7, keep=path, **options)
    return curves, net.state_dict()


def killed(path, after):
    """Train in another process, which is killed in the middle of what follows so many epochs."""
    program = f"""
import time
import test_long_training as those
def shown(epoch, curves):
    print(epoch, flush=True)
    time.sleep(0.02)
those.noisy({str(path)!r}, callback=shown)
"""
    paths = os.pathsep.join([str(HERE), str(HERE.parents[1])])
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": paths}
    ) as process:
        for line in process.stdout:
            if line.strip() == str(after):
                process.send_signal(signal.SIGKILL)
        process.wait()
    assert process.returncode == -signal.SIGKILL


def test_a_training_goes_on_after_kill_9_with_the_numbers_of_an_unbroken_one(tmp_path):
    unbroken = noisy(None)
    for after in (2, 5):
        killed(tmp_path / "run", after)
    assert bits(noisy(tmp_path / "run")) == bits(unbroken)
    assert bits(noisy(tmp_path / "run")) == bits(unbroken)  # which has ended


@pytest.mark.parametrize(
    "method", [nn.SGD, lambda *given, **options: nn.SGD(*given, momentum=0.9, **options), nn.RMSprop]
)
def test_every_optimiser_goes_on(tmp_path, method):
    def broken(epoch, curves):
        if epoch == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        noisy(tmp_path / "run", method, callback=broken)
    assert bits(noisy(tmp_path / "run", method)) == bits(noisy(None, method))


def test_more_epochs_and_an_end_before(tmp_path):
    whole = noisy(None, epochs=6)
    noisy(tmp_path / "run", epochs=4)
    assert bits(noisy(tmp_path / "run", epochs=6)) == bits(whole)
    ended = noisy(tmp_path / "ended", callback=lambda epoch, curves: epoch == 2)
    assert bits(noisy(tmp_path / "ended")) == bits(ended)
    assert len(ended[0]["loss"]) == 3


def test_shards_and_a_kept_state(tmp_path):
    def broken(epoch, curves):
        if epoch == 1:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(KeyboardInterrupt):
            trained(pool, callback=broken, keep=tmp_path / "run")
        assert bits(trained(pool, keep=tmp_path / "run")) == bits(trained(pool))


def test_files_of_other_trainings(tmp_path):
    noisy(tmp_path / "run", epochs=1)
    with pytest.raises(ValueError, match="is of another training"):
        noisy(tmp_path / "run", nn.SGD)
    with pytest.raises(ValueError, match="is of another training"):
        trained(keep=tmp_path / "run")
    (tmp_path / "other").write_text("something else\n")
    with pytest.raises(ValueError, match="is no file of a training"):
        noisy(tmp_path / "other")
    with pytest.raises(TypeError, match=r"fit: keep is a file, a str or pathlib\.Path, not 3"):
        noisy(3)


def test_a_full_disk_leaves_the_epoch_before(tmp_path):
    program = f"""
import resource, signal
import test_long_training as those
path = {str(tmp_path / "run")!r}
those.noisy(path, epochs=2)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    those.noisy(path, epochs=4)
except OSError as error:
    print(error)
"""
    paths = os.pathsep.join([str(HERE), str(HERE.parents[1])])
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                           env=os.environ | {"PYTHONPATH": paths})  # fmt: skip
    assert "takes no more" in found.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert bits(noisy(tmp_path / "run", epochs=4)) == bits(noisy(None, epochs=4))
