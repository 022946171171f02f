"""`tape.profile`: what each line of the user's code costs."""

import time

import numpy as np
import pytest

from autodiff import checkpoint, record, smooth


@smooth(lambda t, z, x: 2.0 * t)
def slow(x):
    time.sleep(0.01)
    return 2.0 * x


def program(x):
    for _ in range(3):
        x = np.sin(x) * x
    y = slow(x)
    return np.sum(y[::2])


def test_costs_by_line_of_code():
    tape, _ = record(program, [np.ones(1000)], sources=True)
    costs = tape.profile()
    by_text = {cost.text: cost for cost in costs}
    assert costs[0].text == "y = slow(x)"  # what takes most time comes first
    assert costs[0].run >= 0.01
    assert sorted(costs, key=lambda cost: -cost.run - cost.sweep) == costs
    loop = by_text["x = np.sin(x) * x"]
    assert (loop.operations, loop.bytes) == (6, 6 * 8000)
    assert loop.where.startswith("test_profile.py:")
    assert min(loop.run, loop.sweep) > 0.0
    assert by_text["return np.sum(y[::2])"].bytes == 8  # a view takes none


def test_the_table_has_sums():
    tape, _ = record(program, [np.ones(1000)], sources=True)
    costs = tape.profile()
    head, rule, *rows = str(costs).splitlines()
    assert head.split() == ["operations", "run", "[ms]", "sweep", "[ms]", "kept", "[kB]", "line", "of", "code"]
    assert set(rule) == {"-", " "}
    assert len(rows) == len(costs) + 1
    assert "y = slow(x)  (test_profile.py:" in rows[0]
    total = costs.total()
    assert total.operations == sum(cost.operations for cost in costs) == sum(row is not None for row in tape.rows)
    assert total.run == pytest.approx(sum(cost.run for cost in costs))
    assert rows[-1].split()[0] == str(total.operations)
    assert rows[-1].endswith("sum")


def test_several_results_outputs_and_none():
    def several(x):
        w, v = np.linalg.eigh(x)
        return w, checkpoint(np.sin)(v)

    tape, _ = record(several, [np.diag([1.0, 2.0])], sources=True)
    assert tape.profile().total().sweep > 0.0
    constant, _ = record(lambda x: 1.0, [2.0], sources=True)
    assert constant.profile() == []
    assert str(constant.profile()).splitlines()[-1].split() == ["0", "0.000", "0.000", "0.0", "sum"]


def test_a_tape_without_lines_of_code_is_refused():
    tape, _ = record(program, [np.ones(3)])
    with pytest.raises(ValueError, match=r"record it with record\(f, args, sources=True\)"):
        tape.profile()


def test_the_bytes_of_what_is_no_view_of_an_operand():
    """A copy that NumPy gives as a view of its own, and a complex number."""
    tape, _ = record(lambda z: np.sum(z.T.reshape(-1)[1:]), [np.ones((3, 2)) * 1j], sources=True)
    assert [np.may_share_memory(tape.values[k], tape.values[k - 1]) for k in (1, 2, 3)] == [True, False, True]
    assert sum(cost.bytes for cost in tape.profile()) == 6 * 16 + 16
