"""Linear algebra: a Gaussian process, a Kalman filter."""

from __future__ import annotations

from typing import Any

from timing import np as numpy

from workloads import TRANSFORMS, Workload, random, workload


def marginal_likelihood(np: Any, length: Any, scale: Any, noise: Any, squares: Any, identity: Any, y: Any) -> Any:
    """Return the negative log marginal likelihood of a Gaussian process, but a constant, by a Cholesky factor.

    ``squares`` are the squared distances of the points; the parameters are logarithms.
    """
    kernel = np.exp(2.0 * scale - 0.5 * squares * np.exp(-2.0 * length)) + np.exp(2.0 * noise) * identity
    factor = np.linalg.cholesky(kernel)
    white = np.solve_triangular(factor, y)
    return 0.5 * np.sum(white * white) + np.sum(np.log(np.diag(factor)))


@workload("GP marginal likelihood (cholesky), n={n}, 3 log parameters: gradient", {"n": 200}, tiny={"n": 4})
def gaussian_process(n: int) -> Workload:
    """Differentiate through a matrix of the points, its factor, a triangular system."""
    rng = random()
    points = numpy.sort(rng.uniform(0.0, 10.0, n))
    squares, y = (points[:, None] - points) ** 2, numpy.sin(points) + 0.1 * rng.normal(size=n)

    def hand() -> list[float]:
        smooth = numpy.exp(-0.5 * squares)
        inverse = numpy.linalg.inv(smooth + 0.01 * numpy.eye(n))
        weights = inverse @ y
        by_kernel = 0.5 * (inverse - numpy.outer(weights, weights))
        by_smooth = by_kernel * smooth
        return [numpy.sum(by_smooth * squares), 2.0 * numpy.sum(by_smooth), 0.02 * numpy.trace(by_kernel)]

    return Workload(
        marginal_likelihood,
        (0.0, 0.0, numpy.log(0.1)),
        (squares, numpy.eye(n), y),
        peers=TRANSFORMS,
        remark="solve_triangular",
        hand=hand,
    )


def filtered(np: Any, transition: Any, log_q: Any, log_r: Any, measured: Any, observe: Any, unit: Any) -> Any:
    """Return the log-likelihood of measurements by a Kalman filter, but a constant."""
    state, covariance = observe[0] * 0.0, unit
    process, error = np.exp(log_q) * unit, np.exp(log_r) * (observe @ observe.T)
    total = 0.0
    for z in measured:
        state = transition @ state
        covariance = transition @ covariance @ transition.T + process
        innovation = z - observe @ state
        spread = observe @ covariance @ observe.T + error
        gain = np.linalg.solve(spread, observe @ covariance).T
        total = total - 0.5 * (innovation @ np.linalg.solve(spread, innovation) + np.linalg.slogdet(spread)[1])
        state = state + gain @ innovation
        covariance = covariance - gain @ observe @ covariance
    return total


@workload(
    "Kalman filter log-likelihood, T={steps}, 4 states, 2 measured: gradient wrt F, log q, log r",
    {"steps": 500},
    tiny={"steps": 3},
)
def kalman(steps: int) -> Workload:
    """Differentiate through a loop over small matrices."""
    transition = numpy.eye(4) + 0.1 * numpy.eye(4, k=2) - 0.05 * numpy.eye(4)
    observe = numpy.eye(2, 4)
    measured = numpy.cumsum(random().normal(0.0, 0.3, (steps, 2)), axis=0)
    peers = TRANSFORMS if steps < 100 else ("torch", "autograd")
    return Workload(
        filtered,
        (transition, numpy.log(0.1), numpy.log(0.5)),
        (measured, observe, numpy.eye(4)),
        peers=peers,
    )
