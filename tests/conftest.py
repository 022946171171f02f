"""How hypothesis searches, how many random programs are tried, which tests are the quick ones, how long one may hang.

Hypothesis searches by the profile HYPOTHESIS_PROFILE; without it by ``ci`` where CI is set, else by ``dev``.
"""

import faulthandler
import gc
import os
import sys
import time
from pathlib import Path
from zlib import crc32

os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # small matrices: threads of several workers only wait for each other

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

# No deadline anywhere: a machine that is busy with other things would fail a test that is right.
settings.register_profile("dev", max_examples=50, deadline=None, print_blob=True)
settings.register_profile(
    "ci", settings.get_profile("dev"), derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", settings.get_profile("ci"), max_examples=5000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))

QUICK = {
    "test_adoption.py": 8,
    "test_aliasing.py": 4,
    "test_array_rows.py": 100,
    "test_assignment.py": 6,
    "test_by_hand.py": 10,
    "test_calls.py": 10,
    "test_check.py": 8,
    "test_composition.py": 12,
    "test_custom.py": 8,
    "test_differences.py": 12,
    "test_dmath.py": 15,
    "test_drawing.py": 40,
    "test_dual_by_hand.py": 100,
    "test_dualnumber.py": 6,
    "test_elementwise_rows.py": 60,
    "test_errors.py": 5,
    "test_foreign.py": 150,
    "test_fuzz.py": 16,
    "test_groups.py": 60,
    "test_imports.py": 40,
    "test_leaves.py": 6,
    "test_levels.py": 2,
    "test_linear_algebra.py": 8,
    "test_messages.py": 24,
    "test_namespace.py": 8,
    "test_nesting.py": 3,
    "test_nn.py": 16,
    "test_pickling.py": 4,
    "test_programs.py": 6,
    "test_qp.py": 8,
    "test_readme.py": 1,
    "test_replay.py": 250,
    "test_results.py": 20,
    "test_roads.py": 4,
    "test_run_once.py": 6,
    "test_scipy_counterparts.py": 25,
    "test_several_results.py": 8,
    "test_singular_values.py": 40,
    "test_special_functions.py": 20,
    "test_special_points.py": 8,
    "test_structural_zeros.py": 24,
    "test_structures.py": 60,
    "test_sweep.py": 30,
    "test_tables.py": 6,
    "test_ufunc_methods.py": 16,
    "test_values.py": 60,
    "test_views.py": 32,
}
"""The files of which some tests are marked ``quick``, and the share of their tests, one in how many."""


def pytest_addoption(parser):
    """How many random programs ``test_fuzz.py`` tries, and with which it begins."""
    parser.addoption("--programs", type=int, default=500, metavar="N", help="random programs to try (500)")
    parser.addoption("--program-seed", type=int, default=0, metavar="S", help="seed of the first of them (0)")


PATIENCE = 600
"""Seconds after which a test that hangs ends its process, with the tracebacks of all threads."""


class Workers:
    """Runs a test in a worker of xdist as pytest does, but tells the main process of it in one report, not in three.

    A setup or a teardown is reported where it fails. At 40,000 tests the others are 20 s of work; so are 15 s the
    messages that a test begins, of which the main process shows nothing.
    """

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if report.when == "call" or not report.passed:
                item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True


class Watch:
    """Ends a process whose test hangs. pytest's own is made anew for each test: at 40,000 that is 15 s.

    References and points that tests of a file share are kept; from the next file on they are no concern of the garbage
    collector's, by which many tests ask whether something is garbage.
    """

    def __init__(self):
        self.wound, self.stderr = -PATIENCE, os.dup(2)  # sys.stderr is captured later
        self.path = None

    def pytest_runtest_setup(self, item):
        if time.monotonic() - self.wound > PATIENCE / 20:
            self.wound = time.monotonic()
            faulthandler.dump_traceback_later(PATIENCE, exit=True, file=self.stderr)
        if item.path != self.path:
            self.path = item.path
            settle()

    def pytest_enter_pdb(self):
        faulthandler.cancel_dump_traceback_later()

    def pytest_unconfigure(self):
        faulthandler.cancel_dump_traceback_later()


def pytest_configure(config):
    """With ``-m quick`` and no paths, no notebook and no doctest of a module is read."""
    config.pluginmanager.register(Watch())
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Workers())
    if config.option.markexpr == "quick" and config.args_source is config.ArgsSource.TESTPATHS:
        config.args = [str(Path(__file__).parent)]


def pytest_ignore_collect(collection_path, config):
    """With ``-m quick``, no file without quick tests is read: True; else None, no opinion."""
    if config.option.markexpr == "quick" and collection_path.is_file() and collection_path.name not in QUICK:
        return True
    return None


def pytest_collection_modifyitems(items):
    """Mark the quick tests; which they are hangs on their names only, so that a new test does not exchange others."""
    for item in items:
        every = QUICK.get(item.path.name)
        if every and crc32(item.nodeid.encode()) % every == 0:
            item.add_marker(pytest.mark.quick)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """The tests themselves stay to the end: what collects garbage need not look at them again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        settle()
        gc.enable()


def settle():
    """Collect garbage, and let what is left, such as modules, be left alone from here on."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def often():
    """Threads take turns as often as Python can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)
