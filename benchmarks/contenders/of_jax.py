"""JAX in double precision: without ``jit``, each operation compiled by itself, once; and with it, as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy
import jax.scipy.linalg
import jax.scipy.special
from timing import np

from contenders import Answer, cross_entropy_by, descended, descended_by_adam, moved_by_adam, namespace

jax.config.update("jax_enable_x64", True)


class Jax:
    """Its transformations, on the CPU."""

    name = "jax"
    np = scalars = namespace(
        jax.numpy,
        relu=lambda z: jax.numpy.maximum(z, 0.0),
        erf=jax.scipy.special.erf,
        logsumexp=jax.scipy.special.logsumexp,
        cross_entropy=cross_entropy_by(jax.numpy, jax.scipy.special.logsumexp),
        solve_triangular=lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True),
    )

    def array(self, value: Any) -> Any:
        """Return an array on the device."""
        return jax.numpy.asarray(value)

    def finished(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Return the call of a function that waits for its results."""
        xs = [self.array(value) for value in arguments]
        return lambda: jax.block_until_ready(f(*xs))

    def gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `jax.value_and_grad`."""
        both = jax.value_and_grad(f, tuple(range(len(arguments))))
        return self.finished(lambda *xs: both(*xs)[1], arguments)

    def value_and_gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `jax.value_and_grad`, and the value with it."""
        return self.finished(jax.value_and_grad(f, tuple(range(len(arguments)))), arguments)

    def descent(self, f: Callable[..., Any], arguments: tuple[Any, ...], rate: float, steps: int) -> Answer:
        """Answer by `jax.grad`, step by step."""
        gradient = jax.grad(f)
        return self.finished(lambda x: descended(gradient, x, rate, steps), arguments)

    def adam(self, f: Callable[..., Any], arguments: tuple[Any, ...], rate: float, steps: int) -> Answer:
        """Answer by `jax.grad`, and Adam written out, step by step."""
        gradient = jax.grad(f)
        return self.finished(lambda x: descended_by_adam(jax.numpy, gradient, x, rate, steps), arguments)

    def step(self, f: Callable[..., Any], arguments: tuple[Any, ...], x: Any, targets: Any, rate: float) -> Answer:
        """Answer by `jax.value_and_grad`, and the step mapped over the parameters."""
        both, own = jax.value_and_grad(f, tuple(range(len(arguments)))), [self.array(value) for value in arguments]

        def call() -> Any:
            own[:] = jax.tree.map(lambda parameter, slope: parameter - rate * slope, own, list(both(*own)[1]))
            return jax.block_until_ready(own)

        return call

    def derivative(self, f: Callable[..., Any], arguments: tuple[Any, ...], order: int) -> Answer:
        """Answer by nested `jax.grad`."""
        for _ in range(order):
            f = jax.grad(f)
        return self.finished(f, arguments)

    def elementwise(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `jax.vmap` of `jax.grad`."""
        return self.finished(jax.vmap(jax.grad(f)), arguments)

    def jacobian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `jax.jacrev`."""
        return self.finished(jax.jacrev(f), arguments)

    def tall_jacobian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `jax.jacfwd`."""
        return self.finished(jax.jacfwd(f), arguments)

    def trained(self, f: Callable[..., Any], arguments: tuple[Any, ...], count: int, rate: float) -> Answer:
        """Answer by `jax.grad`, and Adam written out."""
        slopes = jax.grad(f, tuple(range(count)))
        return self.finished(lambda *xs: moved_by_adam(jax.numpy, xs, slopes(*xs[:count]), rate), arguments)

    def hessian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `jax.hessian`."""
        return self.finished(jax.hessian(f), arguments)

    def hvp(self, f: Callable[..., Any], arguments: tuple[Any, ...], vector: Any) -> Answer:
        """Answer by `jax.jvp` of `jax.grad`."""
        gradient = jax.grad(f)
        return self.finished(lambda x, v: jax.jvp(gradient, (x,), (v,))[1], (*arguments, vector))

    product = hvp

    def gradient_and_hvp(self, f: Callable[..., Any], arguments: tuple[Any, ...], vector: Any) -> Answer:
        """Answer by `jax.jvp` of `jax.grad`."""
        gradient = jax.grad(f)
        return self.finished(lambda x, v: jax.jvp(gradient, (x,), (v,)), (*arguments, vector))

    def pushes(self, f: Callable[..., Any], arguments: tuple[Any, ...], directions: list[Any]) -> Answer:
        """Answer by `jax.vmap` of `jax.jvp`."""
        mapped = jax.vmap(lambda x, direction: jax.jvp(f, (x,), (direction,))[1], (None, 0))
        return self.finished(mapped, (*arguments, np.stack(directions)))

    def pulls(self, f: Callable[..., Any], arguments: tuple[Any, ...], cotangents: list[Any]) -> Answer:
        """Answer by `jax.vjp`, once."""
        rows = [self.array(cotangent) for cotangent in cotangents]

        def every(*xs: Any) -> Any:
            pull = jax.vjp(f, *xs)[1]
            return [pull(row) for row in rows]

        return self.finished(every, arguments)


class JaxJit(Jax):
    """What is asked, compiled as a whole before the clock runs."""

    name, by = "jax jit", "jax"

    def finished(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Return the call of the compiled function."""
        return super().finished(jax.jit(f), arguments)


class JaxScan(JaxJit):
    """The same of loops that were written again, by hand, as `jax.lax.scan`: workloads phrase them so."""

    name, by = "jax scan", "jax"

    def descent(self, f: Callable[..., Any], arguments: tuple[Any, ...], rate: float, steps: int) -> Answer:
        """Answer by `jax.grad`, in `jax.lax.fori_loop`."""
        gradient = jax.grad(f)
        down = lambda x: jax.lax.fori_loop(0, steps, lambda _, x: x - rate * gradient(x), x)
        return self.finished(down, arguments)

    def adam(self, f: Callable[..., Any], arguments: tuple[Any, ...], rate: float, steps: int) -> Answer:
        """Answer by `jax.grad`, and Adam written out, in `jax.lax.fori_loop`."""
        gradient = jax.grad(f)
        move = lambda k, now: tuple(moved_by_adam(jax.numpy, now, [gradient(now[0])], rate, k + 1))
        down = lambda x: jax.lax.fori_loop(0, steps, move, (x, 0.0 * x, 0.0 * x))[0]
        return self.finished(down, arguments)
