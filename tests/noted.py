"""Many cases in one test: pytest's own work on a test, some 2 ms with its workers, is more than most cases take."""

from contextlib import contextmanager


@contextmanager
def noted(case):
    """Add what the case is to an exception that is raised in it."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in the case {case}")
        raise
