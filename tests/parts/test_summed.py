"""Losses over parts, in this process, in threads, in processes: derivatives, bits, faults, runs broken off."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

import models
import numpy as np
import pytest
from models import ALONG, PARTS, POINT, by_hand, logistic
from scipy.optimize import minimize

import autodiff.distributed.work as working
from autodiff import (
    Variable,
    gnvp,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jit,
    jvp,
    nn,
    value_and_grad,
    vmap,
)
from autodiff.calls.structures import flatten
from autodiff.distributed import PartError, checkpointed, load, summed


def whole(w):
    return sum(logistic(w, part) for part in PARTS)


def bits(total, w=POINT):
    """All that is asked of a sum, as bytes."""
    value, gradient = value_and_grad(total)(w)
    return [np.asarray(x).tobytes()
            for x in (value, gradient, hessian(total)(w), hvp(total)(w, ALONG), total.terms(w), total.scores(w),
                      jacobian(total.scores)(w))]  # fmt: skip


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        yield pool


# ----------------------------------------------------------------------------------------- derivatives


def test_the_formulas_of_a_textbook():
    total, (value, gradient, curvature) = summed(logistic, PARTS), by_hand(POINT)
    assert np.isclose(total(POINT), value, rtol=1e-14)
    assert np.allclose(grad(total)(POINT), gradient, rtol=1e-12)
    assert np.allclose(hessian(total)(POINT), curvature, rtol=1e-12)
    assert np.allclose(hvp(total)(POINT, ALONG), curvature @ ALONG, rtol=1e-12)


def test_difference_quotients_of_the_third_derivative():
    total, h = summed(logistic, PARTS), 1e-5
    along = lambda w: np.sum(hessian(total)(w) ** 2)
    quotient = [(by_hand(POINT + h * e)[2] ** 2 - by_hand(POINT - h * e)[2] ** 2).sum() / (2.0 * h) for e in np.eye(3)]
    assert np.allclose(grad(along)(POINT), quotient, rtol=1e-7)


@pytest.mark.parametrize("operator", [
    grad, value_and_grad, hessian, jacfwd, jacrev, jacobian,
    lambda f: lambda w: hvp(f)(w, ALONG),
    lambda f: lambda w: jvp(f, [w], [ALONG]),
    lambda f: lambda w: jvp(grad(f), [w], [ALONG])[1],
    lambda f: lambda w: vmap(grad(f))(np.stack([w, ALONG])),
    lambda f: grad(lambda w: np.sum(grad(f)(w) ** 2)),
    lambda f: grad(lambda w: np.sum(hvp(f)(w, ALONG) * w)),
    lambda f: hessian(lambda w: np.sum(grad(f)(w) ** 3)),
    lambda f: grad(lambda w: np.exp(w[0]) * f(np.sin(w)) ** 2),
    lambda f: jit(grad(f)),
])  # fmt: skip
def test_an_operator_takes_the_sum_as_any_function(operator):
    found, expected = operator(summed(logistic, PARTS))(POINT), operator(whole)(POINT)
    for a, b in zip(flatten(found)[0], flatten(expected)[0], strict=True):
        assert type(a) is type(b)
        assert np.allclose(a, b, rtol=1e-10, atol=1e-12)


def test_theta_of_any_structure():
    loss = lambda theta, part: theta["scale"][0] * logistic(theta["w"], part) * theta["scale"][1] ** 2
    theta = {"w": POINT, "scale": (0.5, np.float32(2.0))}
    total, other = summed(loss, PARTS), lambda theta: sum(loss(theta, part) for part in PARTS)
    for operator in (grad, hessian):
        found, expected = (flatten(operator(f)(theta))[0] for f in (total, other))
        assert list(map(type, found)) == list(map(type, expected))
        assert all(np.allclose(a, b, rtol=1e-5) for a, b in zip(found, expected, strict=True))
    assert [x.shape for x in flatten(total.scores(theta))[0]] == [(21, 3), (21,), (21,)]


def test_complex_theta():
    loss = lambda w, part: np.sum(np.abs(part[0] @ w) ** 2)
    total, other, w, t = (
        summed(loss, PARTS),
        lambda w: sum(loss(w, part) for part in PARTS),
        POINT + 1j * ALONG,
        1j * POINT,
    )
    assert np.allclose(grad(total)(w), grad(other)(w), rtol=1e-12)
    assert np.isclose(jvp(total, [w], [t])[1], jvp(other, [w], [t])[1], rtol=1e-12)
    assert np.allclose(hvp(total)(w, t), hvp(other)(w, t), rtol=1e-12)


def test_a_network_is_trained_as_on_one_machine():
    net = nn.Sequential(nn.Linear(3, 4, rng=0), nn.Tanh(), nn.Linear(4, 1, rng=1))
    loss = lambda theta, part: np.sum((nn.functional_call(net, theta, part[0])[:, 0] - part[1]) ** 2)
    theta, x, y = nn.parameters_of(net), *map(np.concatenate, zip(*PARTS, strict=True))
    found, expected = grad(summed(loss, PARTS))(theta), grad(lambda theta: loss(theta, (x, y)))(theta)
    assert all(np.allclose(found[name], expected[name], rtol=1e-10, atol=1e-12) for name in theta)


def test_scores_are_the_gradients_of_the_parts():
    total = summed(logistic, PARTS)
    expected = np.stack([grad(logistic)(POINT, part) for part in PARTS])
    assert np.allclose(total.scores(POINT), expected, rtol=1e-14)
    assert np.allclose(jacobian(total.terms)(POINT), expected, rtol=1e-14)
    of_second = np.stack([hessian(logistic)(POINT, part) for part in PARTS])
    assert np.allclose(jacrev(total.scores)(POINT), of_second, rtol=1e-12)
    assert np.allclose(jacfwd(total.scores)(POINT), of_second, rtol=1e-12)


def test_gauss_newton_products():
    parts = [x for x, _ in PARTS]
    total = summed(models.squares, parts, model=models.scores)
    of_one = lambda x: gnvp(lambda w: models.scores(w, x), lambda z: models.squares(z, x))(POINT, ALONG)
    assert np.allclose(total.gnvp(POINT, ALONG), sum(map(of_one, parts)), rtol=1e-12)
    assert np.isclose(total(POINT), sum(models.squares(x @ POINT, x) for x in parts))
    with pytest.raises(TypeError, match="model"):
        summed(logistic, PARTS).gnvp(POINT, ALONG)


@pytest.mark.parametrize(("operator", "passes"), [(lambda f: f, 1), (grad, 1), (value_and_grad, 1), (hessian, 2)])
def test_passes_over_the_parts(operator, passes):
    seen = []
    total = summed(lambda w, part: seen.append(len(part[1])) or logistic(w, part), PARTS)
    passes_of_hessian = 1 + 3  # of each part one product for each parameter
    operator(total)(POINT)
    assert len(seen) == len(PARTS) * (passes if passes == 1 else passes_of_hessian)


def test_minimize_finds_the_maximum_of_the_likelihood():
    total = summed(logistic, PARTS)
    found = minimize(
        value_and_grad(total), np.zeros(3), jac=True, hessp=hvp(total), method="trust-ncg", options={"gtol": 1e-6}
    )
    assert found.success
    assert np.allclose(by_hand(found.x)[1], 0.0, atol=1e-6)


# ----------------------------------------------------------------------------------------- the same bits


def test_the_same_bits_in_threads_and_processes(processes):
    expected = bits(summed(logistic, PARTS))
    for workers in (1, 2, 3):
        with ThreadPoolExecutor(workers) as pool:
            assert bits(summed(logistic, PARTS, pool)) == expected
    assert bits(summed(logistic, PARTS, processes)) == expected


def test_results_are_added_in_a_tree_by_number_and_not_as_they_come():
    xs = [1e16, 1.0, -1e16, 1.0, 0.1, 0.2, 0.3]
    tree = ((xs[0] + xs[1]) + (xs[2] + xs[3])) + ((xs[4] + xs[5]) + xs[6])
    assert tree != sum(xs)
    late_first = lambda t, x: time.sleep(0.02 if x > 1.0 else 0.0) or x * t
    with ThreadPoolExecutor(7) as pool:
        assert summed(late_first, xs, pool)(1.0) == tree
        assert grad(summed(late_first, xs, pool))(1.0) == tree
    one = working.joined([working.as_lists((x, x), (None, 0)) for x in xs])
    blocks = [working.branch([(x, x) for x in block], (None, 0)) for block in (xs[:4], xs[4:])]
    assert one == working.joined(blocks) == (tree, xs)


# ----------------------------------------------------------------------------------------- what parts are


def test_parts_of_files_and_functions(tmp_path, processes):
    for k, (x, y) in enumerate(PARTS[:3]):
        np.savez(tmp_path / f"{k}.npz", x=x, y=y)
        np.save(tmp_path / f"{k}.npy", np.column_stack([x, y]))
    archives, arrays = ([str(tmp_path / f"{k}.{end}") for k in range(3)] for end in ("npz", "npy"))
    expected = grad(summed(logistic, PARTS[:3]))(POINT).tobytes()
    of_archive = lambda w, part: logistic(w, (part["x"], part["y"]))
    of_array = lambda w, part: logistic(w, (np.ascontiguousarray(part[:, :3]), part[:, 3].copy()))
    assert grad(summed(of_archive, archives))(POINT).tobytes() == expected
    assert grad(summed(of_array, map(Path, arrays)))(POINT).tobytes() == expected
    assert grad(summed(logistic, archives, processes, loader=_pair))(POINT).tobytes() == expected
    read = []
    made = [lambda k=k: read.append(k) or PARTS[k] for k in range(3)]
    for keep, times in ((True, 1), (False, 2)):
        read.clear()
        total = summed(logistic, made, keep=keep)
        assert grad(total)(POINT).tobytes() == grad(total)(POINT).tobytes() == expected
        assert read == [0, 1, 2] * times
    before = len(working._read)
    del total
    assert len(working._read) <= before
    with pytest.raises(ValueError, match="loader="):
        load("part.csv")
    with pytest.raises(ValueError, match=r"part\.csv is no \.npy, .*: give loader=, .* \(at .*test_summed\.py:\d+\)"):
        summed(logistic, ["part.csv"], processes)  # before it goes to a worker, which knows no line of the user's


def _pair(path):
    part = load(path)
    return part["x"], part["y"]


def test_names_of_parts():
    total = summed(logistic, {"north": PARTS[0], "south": PARTS[5]})
    assert total.names == ["north", "south"]
    assert len(total) == 2
    assert repr(total) == "<sum of logistic over 2 parts>"
    with pytest.raises(ValueError, match="over 21 parts: 3 names, where each has one"):
        summed(logistic, PARTS, names=["a", "b", "c"])


def test_a_jitted_loss_is_compiled_once_in_a_process(tmp_path, processes):
    path = tmp_path / "calls"
    parts = [(str(path), np.full(5, 0.5)) for _ in range(8)]
    expected = 8 * 5 * 0.5 * np.cos(0.5)
    for client, most in ((None, 1), (processes, 2)):
        path.write_text("")
        both = value_and_grad(summed(jit(models.counted), parts, client))
        for _ in range(3):
            assert np.isclose(both(1.0)[1], expected, rtol=1e-14)
        pids = path.read_text().split()
        assert 1 <= len(pids) == len(set(pids)) <= most


# ----------------------------------------------------------------------------------------- faults


@pytest.mark.parametrize("client", [None, "threads", "processes"])
def test_a_part_that_raises_is_named_and_nothing_is_lost(client, processes):
    with ThreadPoolExecutor(2) as threads:
        client = {"threads": threads, "processes": processes}.get(client)
        names = [f"day {k}" for k in range(21)]
        total = summed(models.raising, PARTS, client, names=names)
        with pytest.raises(PartError, match=r"part 5 \(day 5\) raised KeyError: 'no column'") as raised:
            grad(total)(POINT)
        assert (raised.value.number, raised.value.name) == (5, "day 5")
        assert isinstance(raised.value.__cause__, KeyError)
        assert bits(summed(logistic, PARTS, client)) == bits(summed(logistic, PARTS))


@pytest.mark.parametrize(("returned", "message"), [
    (lambda w: w, "array of shape"), (lambda w: w[0] * 1j, "complex"), (lambda w: None, "None"), (lambda w: "x", "'x'"),
])  # fmt: skip
def test_a_loss_that_is_no_real_number(returned, message):
    total = summed(lambda w, k: returned(w) if k == 1 else w[0], [0, 1])
    for f in (total, grad(total)):
        with pytest.raises(PartError, match=f"part 1 raised TypeError.*{message}"):
            f(POINT)


def test_nan_in_theta_and_in_a_part_goes_through():
    total = summed(logistic, PARTS)
    assert np.isnan(total(np.full(3, np.nan)))
    assert np.isnan(grad(total)(np.array([np.nan, 1.0, 1.0]))).all()
    assert np.isnan(total.terms(POINT * np.nan)).all()


def logistic_or_not(w, part):
    return 3


def test_bad_input():
    with pytest.raises(ValueError, match="0 parts"):
        summed(logistic, [])
    with pytest.raises(TypeError, match="function"):
        summed(PARTS, logistic)
    for given in ("data.npy", Path("data.npy"), 3):
        with pytest.raises(TypeError, match=r"a list of parts, not .*; of one it is \["):
            summed(logistic, given)
    with pytest.raises(PartError, match="logistic_or_not returned int 3: an integer has no derivative"):
        grad(summed(logistic_or_not, PARTS))(POINT)
    with pytest.raises(TypeError, match="client"):
        summed(logistic, PARTS, client=4)
    with pytest.raises(PartError, match="a part of θ"):
        grad(lambda a: summed(lambda w, part: a * logistic(w, part), PARTS)(POINT))(2.0)
    with pytest.raises(TypeError, match="θ"):
        summed(logistic, PARTS)("abc")


def test_parts_of_a_variable_made_by_hand():
    w = Variable(POINT)
    summed(logistic, PARTS)(w).backward()
    assert np.allclose(w.grad, by_hand(POINT)[1], rtol=1e-12)


def test_what_cannot_travel(processes):
    lock, numbers = threading.Lock(), np.ones(2)

    def locked(w, part):
        with lock:
            return np.sum(numbers * w * part)

    with pytest.raises(TypeError, match=r"cannot travel to other processes by its variable lock, TypeError: cannot pi"):
        grad(summed(locked, [1.0], processes))(np.ones(2))
    with pytest.raises(TypeError, match="by its variable lock, "):
        summed(lambda z, part: np.sum(z), [1.0], processes, model=locked).gnvp(np.ones(2), np.ones(2))


@pytest.mark.parametrize(("loss", "message"), [(models.odd, "OddError: odd"), (models.exiting, "SystemExit: 3")])
def test_errors_that_would_end_a_worker(processes, loss, message):
    """The next evaluation finds the pool well."""
    with pytest.raises(PartError, match=f"part 0 raised RuntimeError: {message}"):
        grad(summed(loss, PARTS, processes))(POINT)
    assert np.allclose(grad(summed(logistic, PARTS, processes))(POINT), by_hand(POINT)[1])


def test_parts_of_unequal_shapes_and_empty_ones():
    x, y = PARTS[0]
    empty = np.ones((0, 3)), np.ones(0)
    assert np.array_equal(grad(summed(logistic, [PARTS[0], empty]))(POINT), grad(summed(logistic, PARTS[:1]))(POINT))
    assert np.array_equal(grad(summed(logistic, [empty]))(POINT), np.zeros(3))
    with pytest.raises(PartError, match=r"part 1 \(b\) raised ValueError: matmul.*size 3 is different from 2"):
        grad(summed(logistic, {"a": (x, y), "b": (x[:, :2], y)}))(POINT)


def test_progress_is_shown(capsys):
    with ThreadPoolExecutor(2) as threads:
        for client in (None, threads):
            grad(summed(logistic, PARTS, client, progress=True))(POINT)
            assert "21" in capsys.readouterr().err


def test_a_process_that_dies_is_an_error_in_bounded_time():
    """An executor of the standard library starts no other."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        with pytest.raises(PartError, match="BrokenProcessPool") as raised:
            summed(models.deadly, PARTS, pool)(POINT)
        assert isinstance(raised.value.__cause__, BrokenProcessPool)


def test_an_executor_that_is_shut_down():
    with ThreadPoolExecutor(1) as pool:
        total = summed(logistic, PARTS, pool)
    with pytest.raises(ConnectionError, match=r"the executor takes no parts, .*shutdown: make another one"):
        total(POINT)


def test_versions_that_differ(monkeypatch):
    total = summed(logistic, PARTS)
    assert total(POINT) > 0.0
    monkeypatch.setattr(working, "VERSIONS", "dualautodiff 0.0.9 on Python 3.9")
    with pytest.raises(PartError, match=r"the worker has dualautodiff 0\.0\.9 on Python 3\.9, the client dualautodiff"):
        total(POINT)


# ----------------------------------------------------------------------------------------- runs that are broken off

RUN = """
import sys, time
import models, numpy as np
from scipy.optimize import minimize
from autodiff import value_and_grad
from autodiff.distributed import checkpointed, summed

def fit(path, pause=0.0):
    both = checkpointed(value_and_grad(summed(models.logistic, models.PARTS)), path)
    def evaluated(w):
        found = both(w)
        print(both.calls, flush=True)
        time.sleep(pause)
        return found
    return minimize(evaluated, np.zeros(3), jac=True, method="L-BFGS-B", options={"ftol": 0.0, "gtol": 1e-12}).x
"""


def killed(path, after):
    """Run the fit in another process, and kill it after so many evaluations."""
    here = str(Path(__file__).parent)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([here, str(Path(__file__).parents[2])])}
    program = f"{RUN}\nfit({str(path)!r}, 0.05)"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        for line in process.stdout:
            if line.strip() == str(after):
                process.send_signal(signal.SIGKILL)
        process.wait()
    assert process.returncode == -signal.SIGKILL


def test_a_fit_goes_on_after_kill_9_with_the_numbers_of_an_unbroken_run(tmp_path):
    names = {}
    exec(RUN, names)
    unbroken = names["fit"](tmp_path / "unbroken")
    for after in (3, 7):
        killed(tmp_path / "broken", after)
        assert (tmp_path / "broken").stat().st_size < (tmp_path / "unbroken").stat().st_size
    assert names["fit"](tmp_path / "broken").tobytes() == unbroken.tobytes()
    assert (tmp_path / "broken").read_bytes() == (tmp_path / "unbroken").read_bytes()


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_result_that_was_broken_off_in_writing_is_computed_again(tmp_path, cut):
    calls = []
    f = lambda x: calls.append(x) or x * np.arange(20.0)
    first = checkpointed(f, tmp_path / "run")
    expected = [first(1.0), first(2.0)]
    whole = first.path.read_bytes()
    first.path.write_bytes(whole[:-cut])
    again = checkpointed(f, tmp_path / "run")
    assert all(map(np.array_equal, [again(1.0), again(2.0)], expected))
    assert calls == [1.0, 2.0, 2.0]
    assert first.path.read_bytes() == whole


def test_a_file_of_another_run(tmp_path):
    checkpointed(np.sin, tmp_path / "run")(1.0)
    with pytest.raises(ValueError, match="call 0 has other arguments"):
        checkpointed(np.sin, tmp_path / "run")(2.0)
    (tmp_path / "other").write_text("something else\n")
    with pytest.raises(ValueError, match="no file of checkpointed"):
        checkpointed(np.sin, tmp_path / "other")
    with pytest.raises(TypeError, match=r"checkpointed takes a function, as in checkpointed\(f, path\), not"):
        checkpointed(tmp_path / "run", np.sin)
    with pytest.raises(TypeError, match=r"the second argument is a file, a str or pathlib\.Path, not 3"):
        checkpointed(np.sin, 3)


def test_a_full_disk_leaves_the_results_so_far(tmp_path):
    program = f"""
import resource, signal
import numpy as np
from autodiff.distributed import checkpointed
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2500, 2500))
f = checkpointed(lambda x: x * np.arange(100.0), {str(tmp_path / "run")!r})
try:
    for x in (1.0, 2.0, 3.0, 4.0):
        f(x)
except OSError as error:
    print(f.calls, error)
"""
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    assert found.stdout.startswith("2 ")
    assert "takes no more" in found.stdout
    again = checkpointed(lambda x: x * np.arange(100.0), tmp_path / "run")
    assert len(again.places) == 2
    assert [again(x)[1] for x in (1.0, 2.0, 3.0)] == [1.0, 2.0, 3.0]
