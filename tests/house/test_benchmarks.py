"""The workloads of the benchmarks, tiny: our answers are those of differences, or by hand."""

import importlib
import os
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy", reason="workloads call the error function and triangular systems of SciPy")

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(BENCHMARKS)
    patch.setattr(os, "environ", os.environ.copy())  # which `timing` sets for whoever measures
    users, workloads, contenders = map(importlib.import_module, ("users", "workloads", "contenders"))
    derivatives, compiled = map(importlib.import_module, ("derivatives", "compiled"))
    MAKERS = {entry.make: entry for entry in (*workloads.entries(), *workloads.promised())}
    COMPILED = {entry.make: entry for entry in workloads.compiled()}
    OURS = importlib.import_module("contenders.ours").Ours()
    JIT, EAGER = compiled.OursJit(), importlib.import_module("contenders.of_jit").OursEager()

STEP = 1e-5


def moved(arguments, directions, by):
    """The arguments, moved along directions; lists stay lists, as loops take them."""
    return [
        (np.add(x, by * np.asarray(v))).tolist() if isinstance(x, list | float) else x + by * v
        for x, v in zip(arguments, directions, strict=True)
    ]


def along(f, arguments, directions):
    """The derivative of f along directions, by central differences."""
    ends = [np.asarray(f(*moved(arguments, directions, by))) for by in (STEP, -STEP)]
    return (ends[0] - ends[1]) / (2.0 * STEP)


def units(arguments):
    """Directions in which one number of all arguments grows, one after another."""
    zeros = [np.zeros(np.shape(x)) for x in arguments]
    for k, zero in enumerate(zeros):
        for index in np.ndindex(zero.shape):
            unit = zero.copy()
            unit[index] = 1.0
            yield [*zeros[:k], unit, *zeros[k + 1 :]]


def second(f, x):
    """The second derivative, by differences."""
    h = 1e-4
    return (f(x + h) - 2.0 * f(x) + f(x - h)) / (h * h)


def by_differences(question, f, arguments, options):
    """The answer to a question, one vector; None for those that workloads answer by hand."""
    match question, options:
        case "gradient" | "by_objects", _:
            return np.array([along(f, arguments, unit) for unit in units(arguments)])
        case "derivative", {"order": 1}:
            return along(f, arguments, [1.0])
        case "derivative", {"order": 2}:
            return second(f, *arguments)
        case "elementwise", _:
            return along(f, arguments, [np.ones(np.shape(arguments[0]))])
        case "series", {"order": 2}:
            return np.array([f(*arguments), along(f, arguments, [1.0]), second(f, *arguments) / 2.0])
        case "sparse_jacobian", _:
            columns = np.array([along(f, arguments, unit) for unit in units(arguments)])
            return columns.T[np.abs(columns.T) > 1e-3]
        case "pushes", {"directions": directions}:
            return np.concatenate([along(f, arguments, [direction]) for direction in directions])
        case "pulls", {"cotangents": cotangents}:
            columns = [along(f, arguments, unit) for unit in units(arguments)]
            return np.array([[np.sum(cotangent * column) for column in columns] for cotangent in cotangents])
    return None


@pytest.mark.parametrize("entry", MAKERS.values(), ids=lambda entry: entry.make.__name__)
def test_our_answer_is_that_of_differences_and_by_hand(entry):
    work = entry.make(**entry.tiny)
    found = contenders.flat(work.call(OURS)())
    by_hand = work.hand and contenders.flat(work.hand())
    differences = by_differences(work.question, work.of(OURS), work.arguments, work.options)
    assert by_hand is not None or differences is not None
    if by_hand is not None:
        np.testing.assert_allclose(found, by_hand, rtol=1e-9, atol=1e-12)
    if differences is not None:
        scale = np.max(np.abs(differences))
        np.testing.assert_allclose(found, np.ravel(differences), rtol=1e-5, atol=1e-6 * scale)


@pytest.mark.parametrize("entry", COMPILED.values(), ids=lambda entry: entry.make.__name__)
def test_a_compiled_answer_is_the_eager_one_and_that_by_hand(entry):
    work = entry.make(**entry.tiny)
    call, wanted = work.call(JIT), contenders.flat(work.call(EAGER)())
    for found in (call(), call(), *(by_hand() for by_hand in (work.hand, work.limit) if by_hand)):
        np.testing.assert_allclose(contenders.flat(found), wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("entries", "least"), [(workloads.entries, 56), (workloads.promised, 40), (workloads.compiled, 35)]
)
def test_every_workload_has_its_own_name(entries, least):
    names = [entry.name for entry in entries()]
    assert len(set(names)) == len(names) > least
    assert not [name for name in names if "{" in name]


class Pretender:
    """A peer that answers what it was made with."""

    name, np, scalars = "pretender", OURS.np, OURS.scalars
    array = OURS.array

    def __init__(self, answer):
        self.answer = answer

    def gradient(self, f, arguments):
        def call():
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

        return call


def test_what_takes_longer_than_its_budget_is_called_once():
    calls = []

    def burn(seconds):
        calls.append(seconds)
        start = time.process_time()
        while time.process_time() - start < seconds:
            pass

    quick, slow = 1e-4, 0.02
    times = users.seconds(lambda: burn(quick), lambda: burn(slow), rounds=3, at_least=quick / 2, budget=slow / 2)
    assert (calls.count(quick), calls.count(slow)) == (4, 1)
    assert quick <= times[0] < slow <= times[1]


def entry_of(**given):
    work = workloads.Workload(lambda np, x: np.sum(x * x), (np.ones(3),), peers=("pretender",), **given)
    return workloads.Entry("squares", lambda: work, {}, {})


def test_a_wrong_answer_is_an_error():
    for answer, message in (
        (np.array([2.0, 2.0, 2.1]), "squares, pretender: 0.1 from ours, of numbers up to 2"),
        (np.ones(2), "squares, pretender: 2 numbers, where ours are 3"),
        (np.full(3, np.nan), "squares, pretender: nan from ours"),
    ):
        with pytest.raises(ArithmeticError, match=message):
            users.run(entry_of(), {"pretender": Pretender(answer)}, rounds=1)
    with pytest.raises(ArithmeticError, match="squares, by hand"):
        users.run(entry_of(hand=lambda: np.zeros(3)), {}, rounds=1)


def test_a_peer_that_raises_is_left_out_with_its_reason():
    result = users.run(entry_of(), {"pretender": Pretender(TypeError("no squares"))}, rounds=1)
    assert result.best() is None
    assert users.line(result, ["pretender"]).endswith("| — | — | — | — | — |")
    assert list(users.summary([result], ["pretender"])) == [
        "- pretender has no answer to squares: TypeError: no squares"
    ]


def test_the_table_tells_who_is_ahead(tmp_path):
    times = {"dualautodiff": 2e-6, "by hand": 1e-7, "pretender": 1e-6}
    results = [users.Result("squares", "nn", times, {}), users.Result("cubes", "", times | {"pretender": 8e-6}, {})]
    assert users.line(results[0], ["pretender"]) == (
        "| squares | 2 µs (nn) | 100 ns | 1 µs | pretender | 2.00 | behind |"
    )
    assert users.line(results[1], ["pretender"]).endswith("| 8 µs | pretender | 0.25 | ahead |")
    assert list(users.tally(results, ["pretender"], "it")) == [
        "- Beside it: ahead on 1 of 2, more than 1.3 times behind on 1,",
        "  geometric mean 0.71, the worst 2.00 (squares).",
    ]
    pytest.importorskip("matplotlib")
    users.draw(results, tmp_path / "picture.svg")
    assert "<svg" in (tmp_path / "picture.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "said"), [(["--only", "nothing like this"], "such as Kalman"), (["--rounds", "0"], "at least 1")]
)
def test_a_wrong_option_is_named(options, said, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["users.py", *options])
    with pytest.raises(SystemExit):
        users.main()
    assert said in capsys.readouterr().err


def test_every_promise_is_a_row_reached_or_not():
    times = {"dualautodiff": 2e-6, "autograd": 3e-5, "torch.func": 4e-6}
    result = users.Result("net", "", times, {}, {"autograd": 15.0, "torch.func": 2.5, "absent": 1.0, "ms": 1e-3})
    assert [str(row) for row in derivatives.kept([result])] == [
        "| net: autograd / ours | 15 × | ≥ 15 × | reached | 2 µs |",
        "| net: torch.func / ours | 2 × | ≥ 2.5 × | not reached | 2 µs |",
        "| net | 0.002 ms | 0.001 ms | not reached |  |",
    ]
    asked = [entry for entry in workloads.promised() if entry.make(**entry.tiny).promises]
    assert asked == workloads.promised()


def test_a_difference_quotient_is_close_to_ours():
    quotients = importlib.import_module("contenders.differences").Differences()
    for entry in workloads.promised():
        work = entry.make(**entry.tiny)
        if quotients.name in work.peers:
            found, wanted = (contenders.flat(work.call(whose)()) for whose in (quotients, OURS))
            users.check(found, wanted, quotients.tolerance, entry.name)


def test_the_checkpointed_loop_of_the_benchmark_is_the_loop():
    step, first = workloads.promises.reaction(20, 5)
    whole, state = derivatives.checkpointed_loop(step, first, 20), first
    for k in range(20):
        state = step(k, state)
    np.testing.assert_allclose(whole, state, rtol=1e-15)
    assert all(taken >= 0.0 for taken in derivatives.of_loop(20, 5, True))


def test_the_memory_of_a_jacobian_of_arrays_is_one_and_a_half_times_its_own():
    (row,) = derivatives.memory()
    assert 1.0 <= row.measured <= row.goal == 1.5


def test_the_table_of_compiled_programs_has_a_verdict():
    first = {"jit": compiled.First(0.1, 3.0), "jax jit": compiled.First(0.25, None)}
    times = {"jit": 1e-6, "eager": 1e-4, "limit": 0.8e-6, "jax jit": 1.5e-6}
    results = [
        compiled.Result("near the limit", times, first),
        compiled.Result("ahead", times | {"limit": 0.5e-6}, first),
        compiled.Result("behind", times | {"jax jit": 0.5e-6}, first),
        compiled.Result("twice as fast", times | {"jax jit": 2e-6}, first, {"autograd": "TypeError: no squares"}),
    ]
    assert [result.verdict() for result in results] == ["reached", "ahead", "behind", "reached"]
    assert compiled.line(results[0], ["eager", "jax jit", "autograd"]) == (
        "| near the limit | 1 µs | 100 | 1.5 | — | jax jit | reached | 100 ms | 250 ms | 3 MB | — |"
    )
    said = list(compiled.summary(results))
    assert said[0].startswith("- Of 4 workloads 2 are at least 2 times as fast as the best peer")
    assert said[0].endswith("1 more are faster than it; 1 are slower.")
    assert said[1:4] == [
        "- The best peer takes 1.22 times as long in the geometric mean; at worst",
        "  0.50 times (behind).",
        "- The limit takes 0.71 times as long, where it is known.",
    ]
    assert "- First calls of jax jit take 2.50 times as long as ours, 2.50 at least." in said
    assert said[-1] == "- autograd has no answer to twice as fast: TypeError: no squares"


def test_a_compiled_workload_is_compared_and_timed(monkeypatch):
    monkeypatch.setattr(compiled, "WARM", 0.01)
    result = compiled.run(entry_of(hand=lambda: np.full(3, 2.0)), {}, rounds=1)
    assert set(result.times) == {"jit", "by hand"}
    assert result.first["jit"].seconds > 0.0
    with pytest.raises(ArithmeticError, match="squares, limit"):
        compiled.run(entry_of(limit=lambda: np.zeros(3)), {}, rounds=1)
    wrong = compiled.run(entry_of(), {"pretender": Pretender(TypeError("no squares"))}, rounds=1)
    assert wrong.absent == {"pretender": "TypeError: no squares"}
