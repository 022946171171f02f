"""Losses over parts on a cluster of Dask: a scheduler and workers that are processes, and are killed.

One cluster serves all tests, in their order: it has three workers, then two, then one, and no scheduler at last.
"""

import _thread
import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import models
import numpy as np
import pytest
from models import PARTS, POINT, logistic

import autodiff.distributed.cluster as clusters
from autodiff import grad, hessian, hvp, jit, value_and_grad
from autodiff.calls.captured import is_fixed
from autodiff.distributed import PartError, summed

dask = pytest.importorskip("dask", reason="Dask is not installed: the extra dask")
distributed = pytest.importorskip("distributed", reason="distributed is not installed: the extra dask")
pytestmark = pytest.mark.filterwarnings("default")

HERE = Path(__file__).parent
FITTED = grad(summed(logistic, PARTS))(POINT).tobytes()


class Processes:
    """A scheduler, and workers that their nannies start again."""

    def __init__(self, folder):
        self.file, self.folder = str(folder / "scheduler.json"), folder
        self.started = []
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self.workers = [self.start("worker", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1",
                                   "--local-directory", str(folder)) for _ in range(3)]  # fmt: skip

    def start(self, *words):
        paths = os.pathsep.join([str(HERE), str(HERE.parents[1]), os.environ.get("PYTHONPATH", "")])
        environment = os.environ | {"PYTHONPATH": paths, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "60s"}
        with (self.folder / f"log{len(self.started)}").open("w") as log:
            process = subprocess.Popen([sys.executable, "-m", "dask", *words, "--scheduler-file", self.file],
                                       stderr=log, stdout=log, env=environment, start_new_session=True)  # fmt: skip
        self.started.append(process)
        return process

    def end(self):
        for process in self.started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    found = Processes(tmp_path_factory.mktemp("cluster"))
    yield found
    found.end()


@pytest.fixture(scope="module")
def client(processes):
    while not Path(processes.file).exists():
        time.sleep(0.05)
    client = distributed.Client(scheduler_file=processes.file, timeout=60)
    yield client
    client.close(timeout=2)


def bits(total):
    value, gradient = value_and_grad(total)(POINT)
    found = value, gradient, hessian(total)(POINT), hvp(total)(POINT, models.ALONG), total.scores(POINT)
    return [np.asarray(x).tobytes() for x in found]


def workers_are(client, count):
    deadline = time.monotonic() + 120.0  # of a machine that is busy
    while (found := len(client.scheduler_info(n_workers=-1)["workers"])) != count:
        assert time.monotonic() < deadline, f"{found} workers in place of {count}"
        time.sleep(0.05)


def leave(processes, client, count):
    """End workers but for so many, whichever tests were before: this process may have some of them only."""
    while len(processes.workers) > count:
        processes.workers.pop().terminate()
    workers_are(client, count)


@pytest.fixture
def two(processes, client):
    leave(processes, client, 2)


of_two = pytest.mark.usefixtures("two")


def test_the_same_bits_with_three_workers_and_with_two(client, processes):
    expected = bits(summed(logistic, PARTS))
    workers_are(client, 3)
    total = summed(logistic, PARTS, client)
    assert bits(total) == expected
    leave(processes, client, 2)
    assert bits(total) == expected


class InChunks:
    """Gives its chunks as an array of Dask does; that imports ``sparse``, which here would be a folder of tests."""

    def to_delayed(self):
        chunks = np.empty((len(PARTS), 1), object)
        chunks[:, 0] = [dask.delayed(part) for part in PARTS]
        return chunks


def test_parts_of_dask_and_of_files(client, tmp_path):
    x, y = map(np.concatenate, zip(*PARTS, strict=True))
    delayed, futures = [dask.delayed(part) for part in PARTS], client.scatter(PARTS)
    inside = [(dask.delayed(x), y) for x, y in PARTS[:11]] + [(client.scatter(x), y) for x, y in PARTS[11:]]
    made = [lambda k=k: PARTS[k] for k in range(len(PARTS))]
    for parts in (delayed, futures, inside, made):
        for keep in (True, False):
            assert grad(summed(logistic, parts, client, keep=keep))(POINT).tobytes() == FITTED
    assert grad(summed(logistic, InChunks(), client))(POINT).tobytes() == FITTED
    data, paths = np.column_stack([x, y]), []
    for k in range(2):
        np.save(tmp_path / f"{k}.npy", data[k::4])
        paths.append(str(tmp_path / f"{k}.npy"))
    zarr, parquet = pytest.importorskip("zarr"), pytest.importorskip("pyarrow.parquet")
    zarr.save(str(tmp_path / "2.zarr"), data[2::4])
    table = sys.modules["pyarrow"].table({"x0": x[3::4, 0], "x1": x[3::4, 1], "x2": x[3::4, 2], "y": y[3::4]})
    parquet.write_table(table, tmp_path / "3.parquet")

    def any_of(w, part):
        columns = [part[name] for name in ("x0", "x1", "x2", "y")] if isinstance(part, dict) else part.T
        return logistic(w, (np.column_stack(columns[:3]), columns[3]))

    total = summed(any_of, [*paths, tmp_path / "2.zarr", tmp_path / "3.parquet"], client)
    assert np.allclose(grad(total)(POINT), np.frombuffer(FITTED), rtol=1e-12)


def test_a_network_is_trained_with_the_bits_of_threads(client):
    with ThreadPoolExecutor(2) as threads:
        assert models.trained(0.01, 0, client) == models.trained(0.01, 0, threads)


def test_an_ensemble_and_hyper_parameters_by_map(client):
    rates, seeds = [0.001, 0.01, 0.1, 0.1], [0, 0, 0, 5]
    assert client.gather(client.map(models.trained, rates, seeds)) == list(map(models.trained, rates, seeds))


@of_two
def test_short_parts_of_a_worker_go_together(client, monkeypatch):
    """And are the same bits; the part that raises is named, and the next evaluation is well again."""
    counts, plain = [], client.map
    monkeypatch.setattr(client, "map", lambda f, *xs, **options: counts.append(len(xs[0])) or plain(f, *xs, **options))
    total = summed(models.raising_above, PARTS, client)
    slow = summed(models.slow, PARTS, client)
    with monkeypatch.context() as patched:
        patched.setattr(clusters, "SHORT", 60.0)  # on a machine that is busy, too
        for _ in range(3):
            assert grad(total)(POINT).tobytes() == FITTED
    assert counts[:2] == [21, 2]  # a task for each part, then their outcomes by sixteen
    assert len(counts) == 4
    assert max(counts[2:]) <= 2
    with pytest.raises(PartError, match="part 7 raised ValueError: above"):
        total(POINT + 100.0)
    assert grad(total)(POINT).tobytes() == FITTED
    counts.clear()
    for _ in range(2):
        slow(POINT)
    assert counts == [21, 2, 21, 2]


@of_two
def test_the_arrays_of_a_future_are_read_only_for_a_loss_and_for_nobody_else(client):
    def made(k):
        return {"x": [np.full(3, k)], "y": models.Named(np.full((2, 2), k).T, "name")}

    parts = client.map(made, [1.0, 2.0], pure=False)

    def fixed(w, part):
        assert part["y"].name == "name"
        assert all(map(is_fixed, (part["x"][0], part["y"].data)))
        return w * np.sum(part["x"][0]) * np.sum(part["y"].data)

    def writing(w, part):
        part["x"][0][:] = 0.0
        return w

    for compiled in (fixed, jit(fixed)):
        assert value_and_grad(summed(compiled, parts, client))(2.0) == (120.0, 60.0)
    with pytest.raises(PartError, match="part 0 raised ValueError: assignment destination is read-only"):
        summed(writing, parts, client)(2.0)
    assert client.submit(lambda part: part["x"][0].flags.writeable, parts[0], pure=False).result()


def test_one_task_for_each_part(client, tmp_path):
    path = tmp_path / "calls"
    parts = [(str(path), np.full(5, 0.5))] * 40  # their results are added on the workers, in blocks
    both = value_and_grad(summed(models.counted, parts, client))
    assert np.isclose(both(1.0)[1], 40 * 5 * 0.5 * np.cos(0.5), rtol=1e-14)
    assert len(path.read_text().split()) == 40
    path.write_text("")
    both = value_and_grad(summed(jit(models.counted), parts, client))
    for _ in range(3):
        assert np.isclose(both(1.0)[1], 40 * 5 * 0.5 * np.cos(0.5), rtol=1e-14)
    pids = path.read_text().split()
    assert 1 <= len(pids) == len(set(pids)) <= len(client.nthreads())


def test_large_gradients_are_added_on_the_workers(client):
    total, theta = (
        summed(lambda w, k: np.sum(w * w) * k, [1.0, 2.0, 3.0, 0.1, 0.2], client),
        np.linspace(0.0, 1.0, 50_000),
    )
    here = summed(lambda w, k: np.sum(w * w) * k, [1.0, 2.0, 3.0, 0.1, 0.2])
    assert grad(total)(theta).tobytes() == grad(here)(theta).tobytes()


@of_two
def test_a_large_point_travels_once(client, monkeypatch):
    """From here to one worker, and from that to the other, however many parts there are."""
    theta, written = np.linspace(0.0, 1.0, 1_000_000), []
    total = summed(models.part_of, range(24), client)
    total(theta)  # the parts and the program have travelled
    outgoing = lambda: sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())

    async def write(comm, *args, **kwargs):
        written.append(await of_dask(comm, *args, **kwargs))
        return written[-1]

    of_dask, before = distributed.comm.tcp.TCP.write, outgoing()
    monkeypatch.setattr(distributed.comm.tcp.TCP, "write", write)
    assert np.isclose(total(2.0 * theta), 4.0 * np.sum(theta**2), rtol=1e-12)
    monkeypatch.undo()
    assert 0.99 * theta.nbytes < sum(written) < 1.1 * theta.nbytes
    assert outgoing() - before < 1.1 * theta.nbytes


@of_two
@pytest.mark.parametrize("short", [0.1, 60.0], ids=["a task for a part", "a task for a worker"])
def test_workers_that_are_killed_in_the_middle_change_no_bit(client, monkeypatch, short):
    monkeypatch.setattr(clusters, "SHORT", short)
    total = summed(models.slow, PARTS, client)
    value_and_grad(total)(POINT)
    for turn in range(3):
        pids = list(client.run(os.getpid).values())
        threading.Timer(0.3, os.kill, [pids[turn % len(pids)], signal.SIGKILL]).start()
        assert grad(total)(POINT).tobytes() == FITTED
        workers_are(client, 2)
        assert set(client.run(os.getpid).values()) != set(pids)


def test_a_part_that_raises_is_named_and_nothing_is_lost(client):
    total = summed(models.raising, PARTS, client, names=[f"day {k}" for k in range(21)])
    with pytest.raises(PartError, match=r"part 5 \(day 5\) raised KeyError: 'no column'") as raised:
        grad(total)(POINT)
    assert isinstance(raised.value.__cause__, KeyError)
    assert grad(summed(logistic, PARTS, client))(POINT).tobytes() == FITTED


@pytest.mark.parametrize(("loss", "message"), [(models.odd, "OddError: odd"), (models.exiting, "SystemExit: 3")])
def test_errors_that_would_end_a_worker(client, loss, message):
    pids = client.run(os.getpid)
    with pytest.raises(PartError, match=f"part 0 raised RuntimeError: {message}"):
        grad(summed(loss, PARTS, client))(POINT)
    assert client.run(os.getpid) == pids


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_disk_of_a_worker_that_is_full(client):
    with pytest.raises(PartError, match=r"part 0 raised OSError: .*No space left on device"):
        grad(summed(models.writing, PARTS, client))(POINT)
    assert grad(summed(logistic, PARTS, client))(POINT).tobytes() == FITTED


@of_two
@pytest.mark.parametrize("size", [3, 20_000], ids=["small", "large"])
def test_a_part_that_ends_its_worker_is_named(client, size):
    """Not one of those that were waiting there; the next evaluation is well again."""

    def allow(deaths, dask_scheduler=None):
        before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, deaths
        return before

    before = client.run_on_scheduler(allow, 0)
    total = summed(lambda w, part: models.ending(w[:3], part), PARTS, client, names=[f"day {k}" for k in range(21)])
    with pytest.raises(PartError, match=r"part 5 \(day 5\) raised KilledWorker") as raised:
        grad(total)(np.resize(POINT, size))
    assert isinstance(raised.value.__cause__, distributed.KilledWorker)
    client.run_on_scheduler(allow, before)
    workers_are(client, 2)
    assert grad(summed(logistic, PARTS, client))(POINT).tobytes() == FITTED


def test_an_evaluation_that_is_interrupted(client):
    total = summed(models.slow, PARTS, client)
    over = threading.Event()

    def interrupt():  # Python loses an interrupt that comes while it lets an object go
        while not over.wait(0.5 if interrupt.first else 5.0):
            interrupt.first = False
            _thread.interrupt_main()

    interrupt.first = True
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        again_and_again(total)
    over.set()
    assert grad(total)(POINT).tobytes() == FITTED


def test_a_bar_shows_the_progress(client, capsys):
    grad(summed(models.slow, PARTS, client, progress=True))(POINT)
    assert "/21" in capsys.readouterr().err


def test_what_cannot_travel(client):
    lock = threading.Lock()
    with pytest.raises(TypeError, match="cannot travel"):
        summed(lambda w, part: (lock, logistic(w, part))[1], PARTS, client)(POINT)
    with pytest.raises(
        PartError, match=r"part 1 \(tue\) cannot travel to the workers, TypeError: cannot pickle '_thread"
    ):
        summed(logistic, {"mon": PARTS[0], "tue": (lock, 1.0)}, client)


@pytest.mark.parametrize("place", ["the scheduler", "the worker tcp://"])
def test_a_scheduler_or_a_worker_that_lacks_the_package(client, monkeypatch, place):
    """It would not say so, but end: it is asked, once for each client."""
    monkeypatch.setattr(clusters, "_complete", set())
    monkeypatch.setattr(clusters, "PACKAGE", "only_on_the_client")
    if place != "the scheduler":
        monkeypatch.setattr(client, "run_on_scheduler", lambda *_: None)
    with pytest.raises(ImportError, match=rf"^{place}.* cannot read tasks, No module named 'only_on_the_client': the"):
        summed(logistic, PARTS, client)
    monkeypatch.undo()
    summed(logistic, PARTS, client)
    monkeypatch.setattr(clusters, "PACKAGE", "only_on_the_client")
    assert grad(summed(logistic, PARTS, client))(POINT).tobytes() == FITTED


def test_a_loss_that_writes_to_its_part_is_told_to_copy(client):
    def writing(w, part):
        part[0][0] = 1.0
        return np.sum(part[0] @ w)

    with pytest.raises(
        PartError, match=r"part 0 raised ValueError: .*read-only on a worker, so let the loss write to a"
    ):
        grad(summed(writing, [(np.ones((2, 3)), 0.0)], client))(np.ones(3))


def test_a_client_that_is_closed_in_the_middle(client):
    other = distributed.Client(client.scheduler.address)
    total = summed(lambda w, part: (time.sleep(part), np.sum(w))[1], [3.0, 3.0], other)
    threading.Timer(1.0, other.close).start()
    with pytest.raises(
        ConnectionError, match="the Dask client is closed, or its scheduler has ended: make another one"
    ):
        total(POINT)


def test_a_loss_of_a_module_that_workers_lack(client, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("def loss(w, part):\n    return w * part\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PartError, match=r"part 0 raised ImportError: No module named 'only_here': .*upload_file"):
        grad(summed(__import__("only_here").loss, [1.0], client))(2.0)


def test_what_is_no_client(client):
    for given in (client.scheduler.address, type("Cluster", (), {"scheduler_info": {}})()):
        with pytest.raises(TypeError, match="the client is None, a concurrent"):
            summed(logistic, PARTS, given)

    async def inside():
        async with distributed.Client(client.scheduler.address, asynchronous=True) as other:
            summed(logistic, PARTS, other)

    with pytest.raises(TypeError, match="asynchronous: make one without"):
        asyncio.run(inside())


@of_two
def test_versions_that_differ(client):
    def be(version):
        import autodiff.distributed.work as working

        working.VERSIONS, before = version or working.VERSIONS, working.VERSIONS
        return before

    (ours, _) = client.run(be, "dualautodiff 0.0.9 on Python 3.9").values()
    with pytest.raises(PartError, match=r"the worker has dualautodiff 0\.0\.9 on Python 3\.9, the client dualautodiff"):
        summed(logistic, PARTS, client)(POINT)
    client.run(be, ours)


def test_the_script_of_the_guide(client):
    """The lines of the page, with the address of this cluster."""
    text = (HERE.parents[1] / "docs" / "how-to" / "scale.md").read_text(encoding="utf-8")
    (script,) = (block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "Client(" in block)
    names = {"__name__": "script"}
    exec(script.replace("tcp://scheduler:8786", client.scheduler.address), names)
    names["client"].close()
    assert names["found"].success
    assert np.max(np.abs(grad(names["total_here"])(names["found"].x))) < 1e-2


def again_and_again(total):
    for _ in range(100):
        total(POINT)
        time.sleep(0.1)


@of_two
def test_data_that_was_scattered_and_is_lost_is_named(client):
    address, pid = next(iter(client.run(os.getpid).items()))
    parts = [*PARTS[:2], client.scatter(PARTS[2], workers=[address])]
    total = summed(logistic, parts, client)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(PartError, match="part 2 was lost"):
        again_and_again(total)
    workers_are(client, 2)


def test_one_worker_and_none(client, processes):
    total = summed(logistic, PARTS, client, timeout=1.0)
    leave(processes, client, 1)
    assert grad(total)(POINT).tobytes() == FITTED
    waiting = summed(models.slow, PARTS, client, timeout=1.0)
    grad(waiting)(POINT)
    last = processes.workers.pop().pid
    threading.Timer(0.5, os.killpg, [last, signal.SIGKILL]).start()  # with its nanny
    with pytest.raises(ConnectionError, match=r"has no workers, and 1 died with part \d+( or \d+)*; timeout=1 "):
        grad(waiting)(POINT)
    workers_are(client, 0)
    start = time.monotonic()
    with pytest.raises(ConnectionError, match="has no workers; timeout=1 "):
        total(POINT)
    assert time.monotonic() - start < 20.0


def test_a_scheduler_that_is_killed_and_a_client_that_is_closed(client, processes):
    total = summed(logistic, PARTS, client, timeout=2.0)
    threading.Timer(0.5, processes.scheduler.kill).start()
    start = time.monotonic()
    with pytest.raises(ConnectionError, match=r"has no workers|has lost its scheduler"):
        again_and_again(total)
    processes.scheduler.wait()
    with pytest.raises(ConnectionError, match="has lost its scheduler"):
        total(POINT)
    assert time.monotonic() - start < 30.0
    client.close(timeout=2)
    with pytest.raises(ConnectionError, match="is closed"):
        total(POINT)
