"""Every item of the four older systems that a user could see, and a program in our spelling that does the same.

Each program returns pairs (found, expected); the expected value is written down, or comes from NumPy alone. Pictures
and lessons have no program: where they are stands on the page docs/coming-from-ancestors.md.
"""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

import autodiff
from autodiff import Block, Constant, SimpleBlock, Tape, Variable, forward, linalg, nn, reverse
from dualnumbers import DualNumber, dmath, functions

A = np.array([[2.0, 1.0], [0.5, 3.0]])
V = np.array([1.0, -2.0])
rng = np.random.default_rng(0)

Pairs = list[tuple[Any, Any]]
ITEMS: list[tuple[str, tuple[str, ...], Callable[[], Pairs]]] = []
"""System, the names that stand there, and the program."""


def item(system: str, *names: str) -> Callable[[Callable[[], Pairs]], Callable[[], Pairs]]:
    """Decorator: the program stands for these names of a system."""

    def register(program: Callable[[], Pairs]) -> Callable[[], Pairs]:
        ITEMS.append((system, names, program))
        return program

    return register


def dual(x):
    return x.real, x.dual


def slope(f, *values):
    """The gradient by `backward` of leaves at these values, the result made one number."""
    leaves = [Variable(value) for value in values]
    np.sum(f(*leaves)).backward()
    grads = [leaf.grad for leaf in leaves]
    return grads[0] if len(grads) == 1 else grads


H, C, M, AUTOGRADLIB = (
    "Hands-on-Intro-to-Auto-Diff",
    "CS207 autograd (dragongrad)",
    "jcallaham/micrograd",
    "Autogradlib",
)

INVENTORY = {
    H: """
        dualnumbers.DualNumber, +, -, *, /, **, __repr__, __div__, __cmp__,
        dmath.log, dmath.sin, dmath.cos, dmath.tan, dmath.exp, dmath.sqrt,
        forward.derivative, forward.gradient, forward.check_derivative, forward.differntiate,
        reverse.gradient, reverse.check_gradient, add_grad, sub_grad, mul_grad, div_grad, pow_grad, transpose_grad,
        sum_grad, mean_grad, exp_grad, log_grad, max_grad, dot_grad, where_grad, sin_grad, cos_grad,
        softmax_cross_entropy_grad, reshape_grad, squeeze_grad, unbroadcast_adjoint,
        compgraph.variable, compgraph.constant, compgraph.sum, compgraph.mean, compgraph.exp, compgraph.log,
        compgraph.max, compgraph.dot, compgraph.where, compgraph.sin, compgraph.cos, compgraph.softmax_cross_entropy,
        compgraph.reshape, compgraph.squeeze, compgraph.reset, .T,
        Node, OperationalNode, ConstantNode, VariableNode, NodesQueue""",
    C: """
        Variable, Variable.data, Variable.gradient, Variable.node, constant=, input_node=, Variable.compute_gradients,
        Variable.backward, Variable.set_data, Variable.set_gradient, Variable.scalar_to_variable,
        Variable.multi_variables, __getitem__, +, -, *, /, **, ==, !=, <, <=, >, >=, __str__, Constant,
        Block, data_fn, get_jacobians, gradient_forward, __call__, SimpleBlock, gradient_fn,
        add, subtract, multiply, divide, power, power_const_exponent, power_const_base, sum_elts, extract,
        exp, log(base), sqrt, logistic, sin, cos, tan, arcsin, arccos, arctan, sinh, cosh, tanh,
        ad.mode, ad.set_mode, ad.c_graph, ad.reset_graph, C_graph, input_nodes, output_node, input_shapes, define_path,
        Node, Node.gradient, Node.backward, childrens, times_used, config.list_of_nodes,
        utils.get_shape, utils.data_2_numpy,
        Optimizer, loss_func, params, lr, max_iter, tol, Optimizer.solve, return_steps, GD, Adam, beta1, beta2, eps""",
    AUTOGRADLIB: """
        Variable.tensor, Variable.grad, Variable.grad_op, Variable.name, Variable.is_leaf, Variable.backward,
        Variable.size, Variable.zero_grad, +, -, *, /, exp, sum(dim), mm, pow, inv, t, relu, repeat, __repr__,
        GradOperator, pass_grad, Accumulate, Add, Exp, Inv, MatrixMul, Mul, Pow, grad.ReLU, Repeat, Sum, Transpose,
        Module, Module.forward, Module.zero_grad, Module.params, Linear, ReLU, Tanh, Sigmoid, Softmax, Sequential,
        Functional.LossMSE""",
    M: """
        Array, +, -, *, **, /, @, Array.T, Array.shape, __getitem__, __setitem__, Array.zero_grad,
        Array.backward(gradient=), __repr__, array, functional.vjp, functional.grad, functional.jac,
        math.relu, math.tanh, math.sin, math.cos, math.tan, math.exp, math.log, math.dot,
        linalg.quadratic_form, linalg.inv, linalg.solve_continuous_lyapunov, linalg.solve, linalg.solve_qp,
        Value, nn.Module, nn.Neuron, nn.Layer, nn.MLP""",
}
"""What each system has that a user could see, by its name there; a program here stands for every one."""

PICTURES_AND_LESSONS = {
    H: """
        visualize_AD, visualize_at, Dual-Math, Forward-AD, Gradient Trials, Computational-Graphs, Reverse-AD,
        Dual-Algebra, Chain-Rule-on-Matrix-Multiplication""",
    C: """
        Demo_Notebook, Convergence_Results-Final, display.png, easy_function, forward_main_block, advanced_function,
        computational_graph, chain_rule.svg, basic_function.xml""",
    AUTOGRADLIB: "draw_graph, draw_node, example/run.py",
    M: "draw_dot, trace_graph, demo, gout.svg, moon_mlp.png, puppy.jpg",
}


def names(inventory: str) -> set[str]:
    return {name.strip() for name in inventory.split(",")}


# ------------------------------------------------------------------------------- Hands-on-Intro-to-Auto-Diff


@item(H, "dualnumbers.DualNumber", "+", "-", "*", "/", "**", "__repr__")
def _dual_arithmetic() -> Pairs:
    x, y = DualNumber(4.0, 7.0), DualNumber(-1.0, 5.0)
    return [(dual(x + y), (3.0, 12.0)), (dual(x - y), (5.0, 2.0)), (dual(x * y), (-4.0, 13.0)),
            (dual(x / y), (-4.0, -27.0)), (dual(x**2), (16.0, 56.0)), (dual(2 - x), (-2.0, -7.0)),
            (dual(8 / x), (2.0, -3.5)), (dual(1 + x), (5.0, 7.0)), (dual(3 * x), (12.0, 21.0)),
            (repr(x), "DualNumber(4.0, 7.0)"), (str(x), "4.0 + 7.0ε")]  # fmt: skip


@item(H, "__div__", "__cmp__")
def _python_2() -> Pairs:
    x = DualNumber(4.0, 7.0)
    return [(x < 5.0, True), (x > DualNumber(3.0, 9.0), True), (x == 4.0, True), (hasattr(x, "__div__"), False)]


@item(H, "dmath.log", "dmath.sin", "dmath.cos", "dmath.tan", "dmath.exp", "dmath.sqrt")
def _dmath() -> Pairs:
    x = DualNumber(0.5, 1.0)
    slopes = {"log": 2.0, "sin": np.cos(0.5), "cos": -np.sin(0.5), "tan": 1 / np.cos(0.5) ** 2, "exp": np.exp(0.5),
              "sqrt": 0.5 / np.sqrt(0.5)}  # fmt: skip
    found = [(dual(getattr(dmath, name)(x)), (getattr(np, name)(0.5), s)) for name, s in slopes.items()]
    return [*found, (dmath.sin(0.5), np.sin(0.5))]


@item(H, "forward.derivative", "forward.gradient", "forward.differntiate")
def _forward() -> Pairs:
    f = lambda x, y: x**2 * dmath.sin(y)
    expected = [2 * 3 * np.sin(0.5), 9 * np.cos(0.5)]
    return [
        (forward.derivative(f, 0, [3.0, 0.5]), expected[0]),
        (forward.gradient(f, [3.0, 0.5]), expected),
        (forward.differentiate(f, 1)(3.0, 0.5), expected[1]),
    ]


@item(H, "forward.check_derivative", "reverse.check_gradient")
def _checks() -> Pairs:
    f = lambda x, y: x**2 * y
    return [
        (forward.check_derivative(f, 0, [3.0, 0.5], 3.0), True),
        (forward.check_derivative(f, 0, [3.0, 0.5], 3.1), False),
        (reverse.check_gradient(f, [3.0, 0.5], [3.0, 9.0]), True),
        (reverse.check_gradient(f, [3.0, 0.5], [3.0, 8.0]), False),
    ]


@item(H, "reverse.gradient", "compgraph.variable", "compgraph.constant")
def _by_name() -> Pairs:
    found = autodiff.grad(lambda p: p["x"] * p["y"] + Constant(2.0) * p["x"])({"x": 3.0, "y": 5.0})
    x, y = Variable(3.0, name="x"), Variable(5.0, name="y")
    (x * y + Constant(2.0) * x).backward()
    return [
        (found, {"x": 7.0, "y": 3.0}),
        ({v.name: v.grad for v in (x, y)}, {"x": 7.0, "y": 3.0}),
        (reverse.gradient(lambda x, y: x * y + 2.0 * x, [3.0, 5.0]), [7.0, 3.0]),
    ]


@item(H, "add_grad", "sub_grad", "mul_grad", "div_grad", "pow_grad")
def _grads_of_operators() -> Pairs:
    return [(slope(lambda x, y: x + y, 3.0, 2.0), [1.0, 1.0]), (slope(lambda x, y: x - y, 3.0, 2.0), [1.0, -1.0]),
            (slope(lambda x, y: x * y, 3.0, 2.0), [2.0, 3.0]), (slope(lambda x, y: x / y, 3.0, 2.0), [0.5, -0.75]),
            (slope(lambda x, y: x**y, 3.0, 2.0), [6.0, 9 * np.log(3)])]  # fmt: skip


@item(H, "exp_grad", "log_grad", "sin_grad", "cos_grad", "compgraph.exp", "compgraph.log", "compgraph.sin",
      "compgraph.cos")  # fmt: skip
def _grads_of_functions() -> Pairs:
    x = np.array([0.5, 2.0])
    return [(slope(np.exp, x), np.exp(x)), (slope(np.log, x), 1 / x), (slope(np.sin, x), np.cos(x)),
            (slope(np.cos, x), -np.sin(x))]  # fmt: skip


@item(H, "sum_grad", "mean_grad", "max_grad", "dot_grad", "where_grad", "compgraph.sum", "compgraph.mean",
      "compgraph.max", "compgraph.dot", "compgraph.where")  # fmt: skip
def _grads_of_reductions() -> Pairs:
    return [(slope(lambda x: np.sum(x, axis=0), A), np.ones((2, 2))), (slope(np.mean, V), [0.5, 0.5]),
            (slope(np.max, np.array([1.0, 3.0, 3.0])), [0.0, 0.5, 0.5]), (slope(np.dot, A, V), [[V, V], A.sum(0)]),
            (slope(lambda x: np.where(x > 0, 3 * x, x), V), [3.0, 1.0])]  # fmt: skip


@item(H, "transpose_grad", "reshape_grad", "squeeze_grad", "compgraph.reshape", "compgraph.squeeze", ".T",
      "unbroadcast_adjoint")  # fmt: skip
def _grads_of_shapes() -> Pairs:
    w = np.arange(4.0)
    return [
        (slope(lambda x: x.T * w.reshape(2, 2), A), w.reshape(2, 2).T),
        (slope(lambda x: np.reshape(x, 4) * w, A), w.reshape(2, 2)),
        (slope(lambda x: np.squeeze(x) * V, np.ones((1, 2, 1))), V.reshape(1, 2, 1)),
        (slope(lambda x, y: x + y, np.ones((3, 1)), np.ones((1, 3))), [np.full((3, 1), 3.0), np.full((1, 3), 3.0)]),
    ]


@item(H, "compgraph.softmax_cross_entropy", "softmax_cross_entropy_grad")
def _cross_entropy() -> Pairs:
    x = np.array([[1.0, 2.0, 0.5], [1000.0, 0.0, 0.0]])
    p = np.exp(x - x.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    return [
        (nn.cross_entropy(x, np.array([1, 0])), -np.log(p[0, 1]) / 2),
        (slope(lambda x: nn.cross_entropy(x, np.array([1, 0])), x), (p - np.eye(3)[[1, 0]]) / 2),
    ]


@item(H, "Node", "OperationalNode", "ConstantNode", "VariableNode", "NodesQueue", "compgraph.reset")
def _no_nodes() -> Pairs:
    tape, _ = autodiff.record(lambda x: 2.0 * x + 1.0, [3.0])
    return [(isinstance(tape, Tape), True), (len(tape), 3), (tape.inputs, [0])]


# ------------------------------------------------------------------------------------------- CS207 autograd


@item(C, "Variable", "Variable.data", "Variable.set_data", "Variable.set_gradient", "constant=", "Constant", "__str__")
def _variable() -> Pairs:
    x, c = Variable(2.0), Constant(5.0)
    (x * c).backward()
    first = x.grad
    x.data, x.grad = 4.0, None
    (x * x).backward()
    return [(first, 5.0), (c.grad, None), ((x.data, x.grad), (4.0, 8.0)), (str(x), "Variable(4.0)")]


@item(C, "Variable.compute_gradients", "Variable.gradient", "Variable.multi_variables", "Variable.scalar_to_variable")
def _jacobians() -> Pairs:
    a, L = Variable.multi_variables(2.0, [1.0, 2.0, 3.0])
    out = a * L
    out.compute_gradients()
    x = Variable(V)
    y = np.sin(x)
    y.compute_gradients()
    return [
        (out.gradient, [[[1.0], [2.0], [3.0]], 2 * np.eye(3)]),
        (y.gradient, np.diag(np.cos(V))),
        ((1.0 + x).data, 1 + V),
    ]


@item(C, "Variable.backward", "Variable.node", "input_node=", "Node", "Node.gradient", "Node.backward", "childrens",
      "times_used")  # fmt: skip
def _backward() -> Pairs:
    x, y = Variable(2.0), Variable(3.0)
    z = x * y * x
    z.backward()
    return [((x.grad, y.grad), (12.0, 4.0)), (z.tape.values[z.line], 12.0)]


@item(C, "+", "-", "*", "/", "**", "==", "!=", "<", "<=", ">", ">=", "__getitem__", "extract")
def _operators() -> Pairs:
    x = Variable(V)
    s = Variable(2.0)
    return [((s == 2, s != 2, s < 3, s <= 1, s > 1, s >= 2), (True, False, True, False, True, True)),
            (slope(lambda x: -x, V), [-1.0, -1.0]), (slope(lambda x: x[1] * 3, V), [0.0, 3.0]),
            (functions.extract(x, slice(0, 1)).data, [1.0]), ((1 - s).data, -1.0), ((2**s).data, 4.0),
            (slope(lambda x, y: x * y + x / y - x**2, 3.0, 2.0), [2.0 + 0.5 - 6.0, 3.0 - 0.75])]  # fmt: skip


@item(C, "Block", "data_fn", "get_jacobians", "gradient_forward", "__call__", "SimpleBlock", "gradient_fn")
def _blocks() -> Pairs:
    class Square(SimpleBlock):
        def data_fn(self, x):
            return x.data * x.data

        def gradient_fn(self, x):
            return 2.0 * x.data

    class Twice(Block):
        def data_fn(self, x):
            return 2.0 * x.data

        def get_jacobians(self, x):
            return [2.0 * np.eye(len(x.data))]

    return [(slope(Square(), V), 2 * V), (forward.derivative(Square(), 0, [3.0]), 6.0), (slope(Twice(), V), [2.0, 2.0]),
            (forward.jacfwd(Twice())(V), 2 * np.eye(2))]  # fmt: skip


@item(C, "add", "subtract", "multiply", "divide", "power", "power_const_exponent", "power_const_base", "sum_elts")
def _named_operators() -> Pairs:
    f = functions
    return [(slope(f.add, 3.0, 2.0), [1.0, 1.0]), (slope(f.subtract, 3.0, 2.0), [1.0, -1.0]),
            (slope(f.multiply, 3.0, 2.0), [2.0, 3.0]), (slope(f.divide, 3.0, 2.0), [0.5, -0.75]),
            (slope(f.power, 3.0, 2.0), [6.0, 9 * np.log(3)]), (slope(lambda x: f.power(x, 2), 3.0), 6.0),
            (slope(lambda x: f.power(2, x), 3.0), 8 * np.log(2)), (slope(f.sum_elts, A), np.ones((2, 2))),
            (f.sum_elts([1.0, 2.0]), 3.0)]  # fmt: skip


@item(
    C, "exp", "log(base)", "sqrt", "logistic", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"
)
def _named_functions() -> Pairs:
    x, f = np.array([0.25, 0.5]), functions
    s = 1 / (1 + np.exp(-x))
    slopes = {"exp": np.exp(x), "log": 1 / x, "sqrt": 0.5 / np.sqrt(x), "logistic": s * (1 - s), "sin": np.cos(x),
              "cos": -np.sin(x), "tan": 1 / np.cos(x) ** 2, "arcsin": 1 / np.sqrt(1 - x**2),
              "arccos": -1 / np.sqrt(1 - x**2), "arctan": 1 / (1 + x**2), "sinh": np.cosh(x), "cosh": np.sinh(x),
              "tanh": 1 / np.cosh(x) ** 2}  # fmt: skip
    found = [(slope(getattr(f, name), x), expected) for name, expected in slopes.items()]
    return [*found, (slope(lambda x: f.log(x, 2.0), x), 1 / (x * np.log(2))), (f.logistic(0.0), 0.5)]


@item(C, "ad.mode", "ad.set_mode", "ad.c_graph", "ad.reset_graph", "C_graph", "input_nodes", "output_node",
      "input_shapes", "define_path", "config.list_of_nodes")  # fmt: skip
def _no_global_state() -> Pairs:
    x = Variable(3.0)
    for _ in range(3):
        x.zero_grad()
        (x * x).backward()
    f = lambda x: x * x
    return [(x.grad, 6.0), (forward.gradient(f, [3.0]), [6.0]), (reverse.gradient(f, [3.0]), [6.0])]


@item(C, "utils.get_shape", "utils.data_2_numpy")
def _shapes() -> Pairs:
    return [(np.shape(Variable(A)), (2, 2)), (autodiff.value_of(Variable(A)), A)]


@item(C, "Optimizer", "loss_func", "params", "Optimizer.solve", "GD", "Adam", "return_steps", "lr", "max_iter", "tol",
      "beta1", "beta2", "eps")  # fmt: skip
def _optimisers() -> Pairs:
    loss = lambda x: np.sum((x - V) ** 2)
    options = {"lr": 0.1, "maxiter": 2000, "tol": 1e-10, "return_all": True}
    found = []
    for method, more in ((nn.sgd, {}), (nn.adam, {"betas": (0.9, 0.999), "eps": 1e-8})):
        end = scipy.optimize.minimize(
            autodiff.value_and_grad(loss), np.zeros(2), jac=True, method=method, options=options | more
        )
        found += [(end.x, V), (len(end.allvecs) == end.nit + 1, True)]
    x = Variable(np.zeros(2))
    step = nn.SGD([x], lr=0.1)
    for _ in range(200):
        step.zero_grad()
        loss(x).backward()
        step.step()
    return [*found, (x.data, V)]


# ---------------------------------------------------------------------------------------------- Autogradlib


@item(AUTOGRADLIB, "Variable.tensor", "Variable.grad", "Variable.grad_op", "Variable.name", "Variable.is_leaf",
      "Variable.backward", "Variable.size", "Variable.zero_grad", "__repr__")  # fmt: skip
def _tensor() -> Pairs:
    x = Variable(V, name="w")
    before = x.grad
    np.sum(x * x).backward()
    after = x.grad
    x.zero_grad()
    return [(x.data, V), (before, None), (after, 2 * V), (x.grad, None), (x.shape, (2,)), (x.name, "w"),
            ("name='w'" in repr(x), True), (hasattr(x * x, "grad"), False)]  # fmt: skip


@item(AUTOGRADLIB, "+", "-", "*", "/", "exp", "sum(dim)", "mm", "pow", "inv", "t", "relu", "repeat", "Accumulate",
      "Add", "Exp", "Inv", "MatrixMul", "Mul", "Pow", "grad.ReLU", "Repeat", "Sum", "Transpose")  # fmt: skip
def _methods() -> Pairs:
    x = np.array([0.5, 2.0])
    return [(slope(np.exp, x), np.exp(x)), (slope(lambda a: a.sum(axis=0), A), np.ones((2, 2))),
            (slope(lambda a, b: a @ b, A, A), [np.ones((2, 2)) @ A.T, A.T @ np.ones((2, 2))]),
            (slope(lambda x: x**3, 2.0), 12.0), (slope(np.reciprocal, x), -1 / x**2), (slope(lambda a: a.T @ V, A),
            np.outer(V, [1, 1])), (slope(lambda x: np.maximum(x, 0), V), [1.0, 0.0]),
            (slope(lambda x: np.repeat(x, 3, axis=0), x), [3.0, 3.0]), (slope(lambda x: x + x, x), [2.0, 2.0]),
            (slope(lambda x: 2 * x, 2.0), 2.0), (slope(lambda x: x * x, 2.0), 4.0),
            (slope(lambda x, y: x / y - y, 3.0, 2.0), [0.5, -1.75])]  # fmt: skip


@item(AUTOGRADLIB, "GradOperator", "pass_grad")
def _grad_operator() -> Pairs:
    cube = autodiff.elementwise(lambda x, z: 3.0 * x * x)(lambda x: x**3)
    return [(slope(cube, 2.0), 12.0)]


@item(AUTOGRADLIB, "Module", "Module.forward", "Module.zero_grad", "Module.params", "Linear", "ReLU", "Tanh",
      "Sigmoid", "Softmax", "Sequential")  # fmt: skip
def _modules() -> Pairs:
    class Two(nn.Module):
        def __init__(self):
            self.parts = [nn.Linear(2, 3, rng=0), nn.Linear(3, 1, rng=1)]

        def forward(self, x):
            return self.parts[1](np.tanh(self.parts[0](x)))

    net = Two()
    np.sum(net(A)).backward()
    given = [p.grad is not None for p in net.parameters()]
    net.zero_grad()
    e = np.exp(A - A.max(1, keepdims=True))
    chain = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid(), nn.Softmax(axis=1))
    s = 1 / (1 + np.exp(-np.tanh(np.maximum(A, 0))))
    return [
        (given, [True] * 4),
        ([p.grad for p in net.parameters()], [None] * 4),
        (nn.Softmax(axis=1)(A), e / e.sum(1, keepdims=True)),
        (chain(A), np.exp(s) / np.exp(s).sum(1, keepdims=True)),
    ]


@item(AUTOGRADLIB, "Functional.LossMSE")
def _mse() -> Pairs:
    return [(nn.mse(A, np.zeros((2, 2))), np.mean(A**2)), (slope(lambda x: nn.mse(x, np.zeros((2, 2))), A), A / 2)]


# ------------------------------------------------------------------------------------------------ micrograd


@item(M, "Array", "+", "*", "**", "-", "/", "@", "Array.T", "Array.shape", "__getitem__", "__setitem__", "__repr__")
def _array() -> Pairs:
    def f(x):  # at the end 3 x₁ and (1.5 x₀ + 2.5 x₁)²
        y = (x @ A.T + x[0] - x / 2) ** 2
        y[0] = 3 * x[1]
        return y

    x = Variable(V)
    return [(slope(f, V), [2 * -3.5 * 1.5, 2 * -3.5 * 2.5 + 3]), (x.shape, (2,)), (Variable(A).T.data, A.T),
            (repr(x), "Variable(array([ 1., -2.]))")]  # fmt: skip


@item(M, "Array.zero_grad", "Array.backward(gradient=)")
def _cotangent() -> Pairs:
    x = Variable(V)
    (A @ x).backward(np.array([1.0, 10.0]))
    first = x.grad
    x.zero_grad()
    (A @ x).backward(np.array([0.0, 1.0]))
    return [(first, A.T @ [1.0, 10.0]), (x.grad, A[1])]


@item(M, "array")
def _nested() -> Pairs:
    f = lambda x: autodiff.array([[x[0], 1.0], [x[0] * x[1], (x[1])]])
    return [(autodiff.jacobian(f)(V), [[[1, 0], [0, 0]], [[-2, 1], [0, 1]]])]


@item(M, "functional.vjp", "functional.grad", "functional.jac")
def _functional() -> Pairs:
    f = lambda x: np.sin(x) * x[::-1]
    J = np.diag(np.cos(V) * V[::-1]) + np.diag(np.sin(V))[:, ::-1]
    out, pullback = autodiff.vjp(f, V)
    return [(out, np.sin(V) * V[::-1]), (pullback(np.array([1.0, 2.0]))[0], J.T @ [1.0, 2.0]),
            (autodiff.jacobian(f)(V), J), (autodiff.grad(lambda x: np.sum(f(x)))(V), J.sum(0))]  # fmt: skip


@item(M, "math.relu", "math.tanh", "math.sin", "math.cos", "math.tan", "math.exp", "math.log", "math.dot")
def _math() -> Pairs:
    x = np.array([0.5, 2.0])
    return [(slope(lambda x: np.maximum(x, 0), V), [1.0, 0.0]), (slope(np.tanh, x), 1 / np.cosh(x) ** 2),
            (slope(np.tan, x), 1 / np.cos(x) ** 2), (slope(np.dot, x, V), [V, x])]  # fmt: skip


@item(M, "linalg.quadratic_form", "linalg.inv", "linalg.solve", "linalg.solve_continuous_lyapunov")
def _linalg() -> Pairs:
    Q = np.array([[2.0, 0.3], [0.3, 1.0]])
    X = linalg.solve_continuous_lyapunov(A, Q)
    inverse = np.linalg.inv(A)
    return [
        (linalg.quadratic_form(A, V), 0.5 * V @ A @ V),
        (slope(linalg.quadratic_form, A, V), [0.5 * np.outer(V, V), 0.5 * (A + A.T) @ V]),
        (slope(linalg.inv, A), -inverse.T @ np.ones((2, 2)) @ inverse.T),
        (slope(lambda b: linalg.solve(A, b), V), inverse.T @ np.ones(2)),
        (A @ X + X @ A.T, Q),
    ]


@item(M, "linalg.solve_qp")
def _qp() -> Pairs:
    f = lambda q: linalg.solve_qp(np.eye(2), q, np.array([[1.0, 1.0]]), np.array([1.0]))
    return [
        (f(np.array([-2.0, -1.0])), [1.0, 0.0]),
        (autodiff.jacobian(f)(np.array([-2.0, -1.0])), [[-0.5, 0.5], [0.5, -0.5]]),
    ]


@item(M, "Value", "nn.Module", "nn.Neuron", "nn.Layer", "nn.MLP")
def _value() -> Pairs:
    a, b = Variable(-4.0), Variable(2.0)
    c = a + b
    d = a * b + b**3
    c += c + 1
    c += 1 + c + (-a)
    d += d * 2 + np.maximum(b + a, 0)
    d += 3 * d + np.maximum(b - a, 0)
    e = c - d
    f = e**2
    g = f / 2.0
    g += 10.0 / f
    g.backward()
    net = nn.Sequential(nn.Linear(2, 16, rng=0), nn.ReLU(), nn.Linear(16, 1, rng=1))
    return [(np.round(g.data, 4), 24.7041), (np.round(a.grad, 4), 138.8338), (np.round(b.grad, 4), 645.5773),
            (net(A).shape, (2, 1)), (len(net.parameters()), 4)]  # fmt: skip


@item("all", "copying and storing")
def _copies() -> Pairs:
    x = Variable(V, name="w")
    return [(copy.copy(x).data, V), (pickle.loads(pickle.dumps(x)).data, V)]
