"""Derivatives of a program in every spelling: operators that take a directional derivative, and their nestings.

Each is a text, so that a failure prints what a person can run.
"""

import numpy as np

PRELUDE = """
def s(*xs):  # the outputs weighted and added
    return sum(np.sum(np.real(np.conj(w) * y)) for w, y in zip(weights, f(*xs, *constants)))

def dot(gradients, d):
    return sum(np.sum(np.real(np.conj(g) * t)) for g, t in zip(gradients, d))
"""

OPERATORS = {
    "jvp": "jvp(g, xs, d)[1]",
    "linearize": "linearize(g, *xs)[1](*d)",
    "grad": "dot(grad(g, tuple(range(len(xs))))(*xs), d)",
    "value_and_grad": "dot(value_and_grad(g, tuple(range(len(xs))))(*xs)[1], d)",
    "vjp": "dot(vjp(g, *xs)[1](1.0), d)",
    "gradient": "dot(gradient(g, xs), d)",
    "forward_gradient": "dot(autodiff.forward.gradient(g, xs), d)",
    "jacfwd": "dot(jacfwd(g, tuple(range(len(xs))))(*xs), d)",
    "jacrev": "dot(jacrev(g, tuple(range(len(xs))))(*xs), d)",
    "jacobian": "dot(jacobian(g, tuple(range(len(xs))))(*xs), d)",
    "derivative": "dot([derivative(g, k, xs) for k in range(len(xs))], d)",
}
"""The derivative of a real function ``g`` at ``xs`` along ``d``."""

PAIRS = {
    "hvp": "dot(hvp(lambda x: g(*x))(tuple(xs), tuple(d)), e)",
    "hessian": "sum(np.sum(np.reshape(h, (np.size(a), np.size(b))) * np.outer(a, b)) "
    "for row, a in zip(hessian(lambda x: g(*x))(tuple(xs)), d) for h, b in zip(row, e))",
}
"""Its second derivative along ``d`` and ``e``, by all arguments as one tuple."""

OF_REAL_ARGUMENTS = ("jacfwd", "jacrev", "jacobian", "derivative", "hessian")
"""They differentiate holomorphic functions at complex points; g is none."""

ONE_AT_A_TIME = ("forward_gradient", "derivative", "jacfwd", "jacobian")
"""They may run f once for each element of an argument, while the other arguments are plain."""

BY_HAND = "by_hand"
DEFINITIONS = {
    **{name: f"by_{name} = lambda g, d: lambda *xs: {text}" for name, text in OPERATORS.items()},
    **{name: f"by_{name} = lambda g, d, e: lambda *xs: {text}" for name, text in PAIRS.items()},
}
DEFINITIONS[BY_HAND] = """
def by_by_hand(g, d):
    def at(*xs):
        leaves = [Variable(x) for x in xs]
        out = g(*leaves)
        if isinstance(out, Variable):
            out.backward()
        return dot([np.zeros_like(x) if leaf.grad is None else leaf.grad for leaf, x in zip(leaves, xs)], d)
    return at
"""


def order_of(names: tuple[str, ...]) -> int:
    """The order of a nesting."""
    return len(names) + sum(name in PAIRS for name in names)


def nesting(names: tuple[str, ...]) -> str:
    """The text of nested directional derivatives of s, the first operator innermost: along d1, d2, …"""
    text = "s"
    for k, name in enumerate(names):
        first = order_of(names[:k]) + 1
        text = f"by_{name}({text}, d{first}{f', d{first + 1}' if name in PAIRS else ''})"
    return f"{text}(*fresh())"


def definitions(names: tuple[str, ...]) -> str:
    """The texts of the operators that a nesting is made of."""
    return PRELUDE + "\n" + "\n".join(DEFINITIONS[name] for name in dict.fromkeys(names)) + "\n"


def operators(rng: np.random.Generator, order: int, unreal: bool, by_hand: bool, twice: bool) -> tuple[str, ...]:
    """Operators for a nesting of an order, drawn.

    ``unreal``: an argument is complex. ``by_hand``: it may be a Variable made by hand, outermost, where arguments are
    plain: the program does not write to it, nor sweep, which would add to its ``grad``. ``twice``: the program may run
    on the same arguments again, for it does not write to them.
    """
    left_out = (OF_REAL_ARGUMENTS if unreal else ()) + (() if twice else ("derivative",))
    names = [name for name in (*OPERATORS, *PAIRS) if name not in left_out]
    drawn: tuple[str, ...] = ()
    while order_of(drawn) < order:
        name = names[rng.integers(len(names))]
        if order_of((*drawn, name)) <= order:
            drawn = (*drawn, name)
    return (*drawn[:-1], BY_HAND) if rng.random() < 0.2 and by_hand and drawn[-1] not in PAIRS else drawn
