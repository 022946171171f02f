"""Random functions with loops: carried numbers, elements of vectors at affine and random places, lists, inner loops."""

import random

import numpy as np

UNARY = ("np.sin({})", "np.exp(-np.square({}))", "np.tanh({})", "{} * 0.5", "1.0 / (2.0 + np.square({}))", "-{}",
         "np.sqrt(1.0 + np.square({}))")  # fmt: skip
BINARY = ("{} + {}", "{} * {}", "{} - {}", "np.maximum({}, {})", "{} / (2.0 + np.square({}))")

ATOMS = ("g", "h", "x", "k[0]", "c[i]", "c[n - 1 - i]", "h[q]", "g[p[i]]", "c[p[i], 1]", "g[::-1]", "k[:, i % m]",
         "np.take(x, p[i])")  # fmt: skip
VECTORS = ("w @ ({})", "({}) @ k", "np.tanh({})", "0.5 * ({})", "({}) + ({})", "({}) * np.tanh({})", "({})[p[i]]",
           "({}) - np.sum({}) * 0.1", "({})[q]", "np.maximum({}, {})", "(({}) @ ({})) * x * 0.1", "d @ ({})",
           "np.where(({}) > 0.1, {}, 0.2)", "({}) * a")  # fmt: skip
STATEMENTS = ("h = np.tanh({}) + 0.0 * a", "g = 0.5 * g + np.sin({})", "s = s + 0.1 * np.sum(np.tanh({}))",
              "k = 0.5 * k + 0.1 * np.outer(np.tanh({}), np.tanh({}))", "k = np.tanh(k @ w.T)",
              "g = g * 0.5; np.add.at(g, p[i], np.sin({}))", "h = h * 1.0; h[q] = np.cos({})",
              "h = h * 1.0; h[1:] += np.sin({})[:-1]", "h = np.sin(d.T @ (k @ h))", "k = np.sin(k[q] + {})",
              "k = np.tanh(k[:, p[i]] * 0.7)", "s = 0.5 * s + np.tanh(np.max({}))",
              "h = np.linalg.solve(e + 0.2 * np.tanh(k), np.tanh({}))", "h = h + np.linalg.inv(e + k @ k.T)[0]",
              "k = 0.1 * k + np.linalg.solve(e - 0.2 * np.sin(k), np.tanh(k).T)",
              "k = np.linalg.cholesky(e + 0.1 * k @ k.T)",
              "s = s + 0.1 * np.linalg.slogdet(e + 0.2 * np.tanh(k))[1]")  # fmt: skip


class Loops:
    """The source of one function of a vector x and a number a, with loops over n rounds."""

    def __init__(self, seed, n=9):
        self.draw, self.n = random.Random(seed), n
        self.lists = []
        self.lines = ["def f(x, a):", "    s, t, u = 0.3 * a, a, 1.0"]
        for k in range(self.draw.randint(1, 3)):
            self.loop(k)
        self.lines.append("    return s + 0.5 * t * u" + "".join(f" + y{k}[-1] * y{k}[2]" for k in self.lists))
        self.source = "\n".join(self.lines)

    def atom(self, inner=False):
        n = self.n
        choices = ["s", "t", "u", "a", "x[i]", f"x[{n - 1} - i]", "x[i + 1]", f"{self.draw.uniform(-1, 1):.3f}", "c[i]",
                   "x[p[i]]", "x[0]"]  # fmt: skip
        choices += [f"y{k}[i]" for k in self.lists] + [f"y{k}[{n - 1} - i]" for k in self.lists]
        return self.draw.choice([*choices, "x[j]", "x[i] * x[j]"] if inner else choices)

    def expression(self, depth=2, inner=False):
        if not depth or self.draw.random() < 0.2:
            return self.atom(inner)
        if self.draw.random() < 0.4:
            return self.draw.choice(UNARY).format(f"({self.expression(depth - 1, inner)})")
        parts = (f"({self.expression(depth - 1, inner)})" for _ in range(2))
        return self.draw.choice(BINARY).format(*parts)

    def loop(self, k):
        add = self.lines.append
        if self.draw.random() < 0.6:
            add(f"    y{k} = []")
        add(f"    for i in range({self.n}):")
        if self.draw.random() < 0.2:
            add("        for j in range(3):")
            add(f"            u = 0.9 * u + 0.1 * ({self.expression(2, True)})")
        for _ in range(self.draw.randint(1, 3)):
            name = self.draw.choice("stu")
            how = self.draw.choice(("{0} = {0} + {1}", "{0} = 0.7 * {0} + {1}", "{0} = {1}"))
            add("        " + how.format(name, f"({self.expression()})"))
        if self.lines.count(f"    y{k} = []"):
            add(f"        y{k}.append({self.expression()})")
            self.lists.append(k)

    def function(self):
        """The function, with its constants."""
        rng = np.random.default_rng(self.n)
        names = {"np": np, "c": rng.random(self.n).tolist(), "p": rng.integers(0, self.n, self.n).tolist()}
        exec(self.source, names)
        return names["f"]


class ArrayLoops:
    """The source of one function of a vector x, a matrix w and a number a, with loops over arrays of m elements.

    In each round there are products, elements at places, the same in each round or others, writes and sums to such.
    """

    def __init__(self, seed, n=6, m=4):
        self.draw, self.n, self.m = random.Random(seed), n, m
        self.lines = ["def f(x, w, a):", "    g, h, k, s = x * a, np.tanh(x), w + a, a"]
        for _ in range(self.draw.randint(1, 2)):
            self.loop()
        self.lines.append("    return np.sum(g * h) + 0.3 * np.sum(np.cos(k)) + s")
        self.source = "\n".join(self.lines)

    def vector(self, depth=2):
        if not depth or self.draw.random() < 0.2:
            return self.draw.choice(ATOMS)
        how = self.draw.choice(VECTORS)
        return how.format(*(self.vector(depth - 1) for _ in range(how.count("{}"))))

    def statement(self):
        how = self.draw.choice(STATEMENTS)
        return how.format(*(self.vector(2 - k) for k in range(how.count("{}"))))

    def loop(self):
        self.lines.append("    for i in range(n):")
        self.lines += [f"        {self.statement()}" for _ in range(self.draw.randint(1, 4))]

    def function(self):
        """The function, with its constants."""
        rng, (n, m) = np.random.default_rng(self.n), (self.n, self.m)
        names = {"np": np, "n": n, "m": m, "c": rng.normal(size=(n, m)), "d": rng.normal(size=(m, m)),
                 "p": rng.integers(0, min(n, m), (n, m)), "q": rng.permutation(m), "e": 2.0 * np.eye(m)}  # fmt: skip
        exec(self.source, names)
        return names["f"]

    def arguments(self, seed):
        """Arguments."""
        rng = np.random.default_rng(seed)
        return [rng.normal(size=self.m), rng.normal(size=(self.m, self.m)) / self.m, float(rng.normal())]


INNER = ("{}[1:-1, 1:-1]", "{}[2:, 1:-1]", "{}[:-2, 1:-1]", "{}[1:-1, 2:]", "{}[1:-1, :-2]")
"""Each element of the inner part of a grid, and its neighbours."""

STENCILS = ("{} + {}", "{} - {}", "0.3 * ({}) + {}", "({}) * 0.5 * ({})", "{}", "a * ({}) - {}")

ON_GRIDS = ("u[1:-1, 1:-1] += 0.1 * ({})", "v = v * 1.0; v[1:-1, 1:-1] = 0.7 * ({})", "v = v + 0.1 * np.tanh(u)",
            "s = s + 0.1 * np.sum(u * v)", "s = s + 0.1 * np.sum(({}) * u[1:-1, 1:-1])", "u[0] = u[-1] * 0.5",
            "u = u * 1.0; u[:, 0] = v[:, -1] * 0.6", "u = np.roll(u, 1, 0)", "v = np.where(u > 0.0, u, 0.1 * v)",
            "b = 0.5 * b + 0.01 * np.sum(u, 0)", "v = v - 0.1 * b * u", "u = 0.8 * v + 0.1 * u",
            "t = t + 0.1 * np.sum(v, 1)", "v[1:] += 0.1 * u[:-1]",
            "u[1:-1, 1:-1] -= 0.05 * ({}) * v[1:-1, 1:-1]")  # fmt: skip


class GridLoops:
    """The source of one function of two grids and a number a, with loops over stencils, sums and writes to parts."""

    def __init__(self, seed, rounds=12, shape=(5, 6)):
        self.draw, self.rounds, self.shape = random.Random(seed), rounds, shape
        self.lines = ["def f(x, y, a):", "    u, v, s, b, t = x * 1.0, y * a, a, y[0], x[:, 0]"]
        for _ in range(self.draw.randint(1, 2)):
            self.lines.append("    for i in range(n):")
            self.lines += [f"        {self.statement()}" for _ in range(self.draw.randint(1, 4))]
        self.lines.append("    return np.sum(u * u) + np.sum(np.sin(v)) + s + np.sum(b * b) + np.sum(np.cos(t))")
        self.source = "\n".join(self.lines)

    def stencil(self, depth=2):
        if not depth:
            return self.draw.choice(INNER).format(self.draw.choice("uv"))
        how = self.draw.choice(STENCILS)
        return how.format(*(self.stencil(depth - 1) for _ in range(how.count("{}"))))

    def statement(self):
        how = self.draw.choice(ON_GRIDS)
        return how.format(*(self.stencil() for _ in range(how.count("{}"))))

    def function(self):
        """The function."""
        names = {"np": np, "n": self.rounds}
        exec(self.source, names)
        return names["f"]

    def arguments(self, seed):
        """Arguments."""
        rng = np.random.default_rng(seed)
        return [rng.normal(size=self.shape), rng.normal(size=self.shape), float(rng.normal())]
