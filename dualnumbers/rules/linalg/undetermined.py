"""Errors for what eigenvalues and singular values that are equal or 0 do not have."""

import numpy as np

from ...messages.errors import user_line


def shown_as_its_base(error):
    """Let tracebacks call an error of ours LinAlgError, by which a user may catch it."""
    error.__name__ = error.__qualname__ = "LinAlgError"
    error.__module__ = np.linalg.LinAlgError.__module__
    return error


@shown_as_its_base
class Unadapted(np.linalg.LinAlgError):
    """Repeated eigenvalues, and no basis that is right for all the directions that are differentiated along."""

    TEXT = "of eigenvalues or singular values that are equal up to rounding: write a symmetric function, " \
        "by hessian or hvp, or np.trace, inv, expm"  # fmt: skip

    def __init__(self, order="The second derivative"):
        super().__init__(f"{order} {self.TEXT}{user_line()}")


@shown_as_its_base
class Kinked(np.linalg.LinAlgError):
    """A second derivative that singular values which are 0 do not have."""

    def __init__(self):
        super().__init__(
            "a singular value that is 0 has a kink, and no second derivative: write hessian or hvp of even functions, "
            f"np.sum(a * a), np.linalg.eigvalsh(a.T @ a){user_line()}"
        )


@shown_as_its_base
class Undetermined(np.linalg.LinAlgError):
    """A derivative reaches into vectors of equal eigenvalues; ``basis`` tells of which call."""

    def __init__(self, basis, text):
        super().__init__(f"{text}{user_line()}")
        self.basis = basis


def one_by_one(basis):
    """Return an error for a batch of directions each with vectors of its own, so that a sweep takes it apart."""
    return Undetermined(basis, f"Second derivatives {Unadapted.TEXT}")
