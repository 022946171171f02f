"""How hypothesis searches: by the profile HYPOTHESIS_PROFILE; without it by ``ci`` where CI is set, else by ``dev``."""

import os

os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # small matrices: threads of several workers only wait for each other

from hypothesis import HealthCheck, settings

# No deadline anywhere: a machine that is busy with other things would fail a test that is right.
settings.register_profile("dev", max_examples=50, deadline=None, print_blob=True)
settings.register_profile("ci", settings.get_profile("dev"), max_examples=100, derandomize=True,
                          suppress_health_check=[HealthCheck.too_slow])  # fmt: skip
settings.register_profile("deep", settings.get_profile("ci"), max_examples=5000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))


def pytest_addoption(parser):
    """How many random programs ``test_fuzz.py`` tries, and with which it begins."""
    parser.addoption("--programs", type=int, default=500, metavar="N", help="random programs to try (500)")
    parser.addoption("--program-seed", type=int, default=0, metavar="S", help="seed of the first of them (0)")
