"""PyTorch, run eagerly: by ``backward`` and `torch.autograd`, and by `torch.func`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from timing import THREADS, np
from torch.nn.functional import cross_entropy, mse_loss

from contenders import Answer, moved_by_adam, namespace

torch.set_num_threads(THREADS)
warnings.filterwarnings("ignore", ".*torch.jit.script.* is deprecated", FutureWarning)  # of what torch.func.jvp imports


def solve_triangular(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return L⁻¹ b of a lower triangle and a vector."""
    return torch.linalg.solve_triangular(a, b[:, None], upper=False)[:, 0]


class Torch:
    """Tensors that require a gradient, and ``backward``; `torch.autograd` for other questions."""

    name = "torch"
    np = scalars = namespace(
        torch,
        relu=torch.relu,
        erf=torch.erf,
        logsumexp=torch.logsumexp,
        cross_entropy=cross_entropy,
        solve_triangular=solve_triangular,
    )

    def array(self, value: Any) -> Any:
        """Return a tensor of numbers or of an array, in its precision."""
        return torch.tensor(value, dtype=None if isinstance(value, np.ndarray) else torch.float64)

    def leaves(self, arguments: tuple[Any, ...]) -> list[torch.Tensor]:
        """Return the arguments as tensors by which is differentiated."""
        return [self.array(value).requires_grad_() for value in arguments]

    def gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by ``backward``."""
        xs = self.leaves(arguments)

        def call() -> Any:
            for x in xs:
                x.grad = None
            f(*xs).backward()
            return [x.grad for x in xs]

        return call

    by_objects = gradient

    def descent(self, f: Callable[..., Any], arguments: tuple[Any, ...], rate: float, steps: int) -> Answer:
        """Answer by ``backward``, step by step."""

        def call() -> Any:
            (x,) = self.leaves(arguments)
            for _ in range(steps):
                f(x).backward()
                with torch.no_grad():
                    x -= rate * x.grad
                x.grad = None
            return x

        return call

    def step(self, f: Callable[..., Any], arguments: tuple[Any, ...], x: Any, targets: Any, rate: float) -> Answer:
        """Answer by modules, a loss and an optimiser of `torch.nn` and `torch.optim`."""
        layers: list[torch.nn.Module] = []
        for weight, bias in zip(arguments[::2], arguments[1::2], strict=True):
            layers += [torch.nn.Linear(*weight.shape, dtype=torch.float64), torch.nn.ReLU()]
            layers[-2].weight.data, layers[-2].bias.data = torch.tensor(weight.T.copy()), torch.tensor(bias)
        entropy = targets.ndim == 1
        layers[-1:] = [] if entropy else [torch.nn.Softmax(dim=1)]
        net, x, targets = torch.nn.Sequential(*layers), torch.tensor(x), torch.tensor(targets)
        sgd = torch.optim.SGD(net.parameters(), lr=rate)
        loss_of = cross_entropy if entropy else mse_loss

        def call() -> Any:
            loss = loss_of(net(x), targets)
            sgd.zero_grad()
            loss.backward()
            sgd.step()
            return [parameter.data.t() for parameter in net.parameters()]

        return call

    def derivative(self, f: Callable[..., Any], arguments: tuple[Any, ...], order: int) -> Answer:
        """Answer by gradients of gradients."""
        (x,) = self.leaves(arguments)

        def call() -> Any:
            y = f(x)
            for still in range(order - 1, -1, -1):
                (y,) = torch.autograd.grad(y, x, create_graph=still > 0)
            return y

        return call

    def elementwise(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by the gradient of the sum."""
        return self.gradient(lambda x: f(x).sum(), arguments)

    def jacobian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `torch.autograd.functional.jacobian`, vectorised."""
        x = self.array(arguments[0])
        return lambda: torch.autograd.functional.jacobian(f, x, vectorize=True)

    def hessian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `torch.autograd.functional.hessian`, vectorised."""
        x = self.array(arguments[0])
        return lambda: torch.autograd.functional.hessian(f, x, vectorize=True)

    def hvp(self, f: Callable[..., Any], arguments: tuple[Any, ...], vector: Any) -> Answer:
        """Answer by a second backward pass."""
        both = self.gradient_and_hvp(f, arguments, vector)
        return lambda: both()[1]

    product = hvp

    def gradient_and_hvp(self, f: Callable[..., Any], arguments: tuple[Any, ...], vector: Any) -> Answer:
        """Answer by a second backward pass."""
        (x,), v = self.leaves(arguments), self.array(vector)

        def call() -> Any:
            (gradient,) = torch.autograd.grad(f(x), x, create_graph=True)
            return gradient, torch.autograd.grad(gradient, x, v)[0]

        return call

    def pulls(self, f: Callable[..., Any], arguments: tuple[Any, ...], cotangents: list[Any]) -> Answer:
        """Answer by one backward pass for all cotangents."""
        xs, batch = self.leaves(arguments), self.array(np.stack(cotangents))

        def call() -> Any:
            found = torch.autograd.grad(f(*xs), xs, batch, is_grads_batched=True)
            return [[x[k] for x in found] for k in range(len(batch))]

        return call


class TorchFunc(Torch):
    """The transformations of `torch.func`."""

    name = "torch.func"

    def leaves(self, arguments: tuple[Any, ...]) -> list[torch.Tensor]:
        """Return the arguments as tensors."""
        return [self.array(value) for value in arguments]

    def gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `torch.func.grad_and_value`."""
        both, xs = torch.func.grad_and_value(f, tuple(range(len(arguments)))), self.leaves(arguments)
        return lambda: both(*xs)[0]

    def descent(self, f: Callable[..., Any], arguments: tuple[Any, ...], rate: float, steps: int) -> Answer:
        """Answer by `torch.func.grad`, step by step."""
        gradient, (start,) = torch.func.grad(f), self.leaves(arguments)

        def call() -> Any:
            x = start
            for _ in range(steps):
                x = x - rate * gradient(x)
            return x

        return call

    def step(self, f: Callable[..., Any], arguments: tuple[Any, ...], x: Any, targets: Any, rate: float) -> Answer:
        """Answer by `torch.func.grad_and_value`, and the step written out."""
        both, own = torch.func.grad_and_value(f, tuple(range(len(arguments)))), self.leaves(arguments)

        def call() -> Any:
            own[:] = [p - rate * slope for p, slope in zip(own, both(*own)[0], strict=True)]
            return own

        return call

    def derivative(self, f: Callable[..., Any], arguments: tuple[Any, ...], order: int) -> Answer:
        """Answer by nested `torch.func.grad`."""
        for _ in range(order):
            f = torch.func.grad(f)
        (x,) = self.leaves(arguments)
        return lambda: f(x)

    def elementwise(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `vmap` of the gradient."""
        mapped, (x,) = torch.func.vmap(torch.func.grad(f)), self.leaves(arguments)
        return lambda: mapped(x)

    def jacobian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `torch.func.jacrev`."""
        matrix, (x,) = torch.func.jacrev(f), self.leaves(arguments)
        return lambda: matrix(x)

    def hessian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `torch.func.hessian`."""
        matrix, (x,) = torch.func.hessian(f), self.leaves(arguments)
        return lambda: matrix(x)

    def gradient_and_hvp(self, f: Callable[..., Any], arguments: tuple[Any, ...], vector: Any) -> Answer:
        """Answer by `torch.func.jvp` of the gradient."""
        gradient, xs, v = torch.func.grad(f), tuple(self.leaves(arguments)), self.array(vector)
        return lambda: torch.func.jvp(gradient, xs, (v,))

    def pushes(self, f: Callable[..., Any], arguments: tuple[Any, ...], directions: list[Any]) -> Answer:
        """Answer by `vmap` of `torch.func.jvp`."""
        xs, batch = tuple(self.leaves(arguments)), self.array(np.stack(directions))
        mapped = torch.func.vmap(lambda direction: torch.func.jvp(f, xs, (direction,))[1])
        return lambda: mapped(batch)

    def pulls(self, f: Callable[..., Any], arguments: tuple[Any, ...], cotangents: list[Any]) -> Answer:
        """Answer by `torch.func.vjp`, once, and `vmap`."""
        xs, batch = self.leaves(arguments), self.array(np.stack(cotangents))

        def call() -> Any:
            found = torch.func.vmap(torch.func.vjp(f, *xs)[1])(batch)
            return [[x[k] for x in found] for k in range(len(batch))]

        return call


class TorchCompile(TorchFunc):
    """`torch.compile` of the transformations, for the shapes that it is first called with."""

    name, by = "torch.compile", "torch"

    def compiled(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Return the call of the compiled function."""
        torch.compiler.reset()
        program, xs = torch.compile(f, dynamic=False), self.leaves(arguments)
        return lambda: program(*xs)

    def gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `torch.func.grad`."""
        return self.compiled(torch.func.grad(f, tuple(range(len(arguments)))), arguments)

    def value_and_gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `torch.func.grad_and_value`."""
        both = self.compiled(torch.func.grad_and_value(f, tuple(range(len(arguments)))), arguments)
        return lambda: both()[::-1]

    def trained(self, f: Callable[..., Any], arguments: tuple[Any, ...], count: int, rate: float) -> Answer:
        """Answer by `torch.func.grad`, and Adam written out."""
        slopes = torch.func.grad(f, tuple(range(count)))
        return self.compiled(lambda *xs: moved_by_adam(torch, xs, slopes(*xs[:count]), rate), arguments)
