"""Random functions of long loops: numbers and arrays carried, elements of an argument and of data, writes, branches.

A round reads elements at even places, forward and backward, by two steps or every other round, some beside the first
or the last one; writes to arrays, keeps numbers in a list, goes another way by the number of the round, takes powers
of that. Loops follow one another, and hold short ones.
"""

import random
from typing import Any

import numpy as np

LENGTHS = (70, 70, 75, 80, 80, 90, 100, 120, 150, 200, 300, 600, 1200, 3000)
"""Loops have up to so many rounds, the shorter ones as often as the longer ones."""

READS = ("x[i]", "x[i]", "x[i]", "x[i + 1]", "x[i + 1]", "x[i + 2]", "x[n - 1 - i]", "x[n - i]", "x[2 * i]",
         "x[2 * i + 1]", "x[i // 2]", "x[-1 - i]", "x[i - 1]", "x[i % 3]", "x[0]", "x[3]", "x[-2]", "x[n // 2]",
         "x[p[i]]", "z[i, 1]", "z[n - 1 - i, 0]", "z[i % 4, 2]", "x[abs(i - n // 2)]", "x[max(i - 2, 0)]",
         "x[min(i, n - 9)]")  # fmt: skip
NUMBERS = ("s", "t", "u", "a", "c[i]", "c[n - 1 - i]", "c[i // 2]", "e[i]", "0.7", "1.3", "(i / n)", "0.95 ** i",
           "(1.0 - 0.9 ** (i + 1))", "1.0 / (i + 1)", "(0.5 if i % 2 else 0.8)", "(i % 3 - 1)", "(i < 3)",
           "(1.5 if i == n - 2 else 1.0)")  # fmt: skip
FIXED = ("x[0]", "x[3]", "x[-2]", "z[1, 1]")
"""Elements that are the same in each round."""

OF_STORES = ("y[i]", "y[i - 1]", "y[n - 1 - i]", "y[0]", "y[max(i - 1, 0)]")
OF_LISTS = ("k[-1]", "k[i]", "k[max(len(k) - 2, 0)]")
OF_EARLIER = ("q[i]", "q[n - 1 - i]", "q[i // 2]", "q[max(i - 1, 0)]", "q[-1]", "q[2]")
"""A list that an earlier loop has filled."""

UNARY = ("np.sin({})", "np.tanh({})", "0.5 * {}", "1.0 / (2.0 + {} ** 2)", "-({})", "np.exp(-({}) ** 2)",
         "np.sqrt(1.0 + {} ** 2)", "np.abs({})")  # fmt: skip
BINARY = ("{} + {}", "{} - {}", "{} * {}", "{} * {}", "{} / (2.0 + {} ** 2)", "np.maximum({}, {})",
          "({} - {} ** 2) ** 2")  # fmt: skip
VECTORS = ("w", "h", "g", "h[::-1]", "np.tanh(h)", "r[i]", "m @ h", "h * {n}", "w * {n}", "r[n - 1 - i] * g",
           "np.where(h > 0.1, g, 0.2 * w)", "np.concatenate([h[1:], h[:1]])", "0.3 * (h + g)")  # fmt: skip
OF_ARGUMENTS = (*VECTORS, "z[i]", "z[n - 1 - i]", "x[i:i + 3]")

STATEMENTS = (
    ("s = s + 0.1 * {e}", 6),
    ("s = s + ({e})", 3),
    ("t = 0.5 * t + {e}", 3),
    ("t = np.tanh({e})", 2),
    ("t = {e}", 1),
    ("u = np.tanh(0.7 * u + {e})", 3),
    ("s, t = 0.7 * t, 0.5 * s + {e}", 1),
    ("t = {e}; u = t * {n}", 2),
    ("y[i] = {e}", 2),
    ("y[i] += {e}", 1),
    ("y[i + 1] = 0.5 * y[i] + {e}", 1),
    ("y[0] = 0.9 * y[0] + {e}", 1),
    ("h = 0.5 * h + 0.3 * np.sin({v})", 3),
    ("h = np.tanh({v} + {v})", 2),
    ("s = s + 0.1 * np.sum({v} * {v})", 2),
    ("g = 0.9 * g + 0.1 * ({v})", 2),
    ("h[1] = {e}", 1),
    ("h[i % 3] += {e}", 1),
    ("h = h * 0.5; h[1:] += g[:-1]", 1),
    ("g = 0.9 * g + 0.1 * slope(h); h = h - 0.1 * g / (1.0 - 0.9 ** (i + 1))", 1),
    ("k.append({e})", 2),
    ("h = h - 0.1 * slope(h)", 1),
    ("s = s + 0.1 * np.sum(z[i] * h)", 1),
    ("s = s + 0.3 * (h @ r[i])", 1),
)
"""How a statement is written, with expressions of numbers e, numbers n, vectors v, and how often."""  # fmt: skip

BRANCHES = ("i % 2", "i % 3 == 0", "i < 4", "i > n - 4", "i == n // 2", "i == 0", "i > 0", "i + 1 < n", "i % 5 == 1",
            "i >= n // 2")  # fmt: skip


class Rounds:
    """The source of one function of a long vector x, a matrix z of as many rows, a vector w and a number a."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        most = self.draw.choice(LENGTHS)
        self.n = self.draw.randint(most // 2 + 5, most)
        self.reads, self.vectors = ((READS, OF_ARGUMENTS), (FIXED, VECTORS))[self.draw.random() < 0.4]
        self.has_slope = self.draw.random() < 0.15
        self.filled = False
        """Whether an earlier loop has filled a list."""
        self.lines = ["def f(x, z, w, a):", "    s, t, u, h, g = 0.3 * a, a, 1.0, w * 1.0, w * 0.5"]
        for _ in range(self.draw.choice((1, 1, 1, 1, 2, 2, 3)) if self.n < 400 else 1):
            self.loop()
        self.lines.append("    return s + 0.5 * t * u + np.sum(np.sin(h) + 0.3 * g * w)" + self.rest)
        self.source = "\n".join(self.lines)

    def number(self) -> str:
        """Return a number of a round, an element, or what is carried."""
        choices = [self.reads, self.reads, NUMBERS]
        if self.stores:
            choices.append(OF_STORES)
        if self.keeps:
            choices.append(OF_LISTS)
        if self.filled:
            choices.append(OF_EARLIER)
        if self.is_inner and self.draw.random() < 0.4:
            return self.draw.choice(
                ("c[j]", "(j + 1.0)", *(("x[i + j]", "x[j]", "x[i] * x[j]") if self.reads is READS else ()))
            )
        return self.draw.choice(self.draw.choice(choices))

    def expression(self, depth: int = 2) -> str:
        """Return an expression of numbers."""
        kind = self.draw.random()
        if not depth or kind < 0.15:
            return self.number()
        if kind < 0.45:
            return self.draw.choice(UNARY).format(f"({self.expression(depth - 1)})")
        return self.draw.choice(BINARY).format(*(f"({self.expression(depth - 1)})" for _ in range(2)))

    def vector(self) -> str:
        """Return an expression of vectors of three elements."""
        return self.draw.choice(self.vectors).format(n=self.number())

    def statement(self) -> str:
        """Return a statement."""
        known = [one for one in STATEMENTS if self.has_slope or "slope" not in one[0]]
        known = [one for one in known if self.reads is READS or "z[i]" not in one[0]]
        known = [one for one in known if (self.stores or "y[" not in one[0]) and (self.keeps or "k." not in one[0])]
        text = self.draw.choices([text for text, _ in known], [often for _, often in known])[0]
        for hole, drawn in (("{e}", self.expression), ("{n}", self.number), ("{v}", self.vector)):
            while hole in text:
                text = text.replace(hole, drawn(), 1)
        return text

    def block(self, depth: int, count: int) -> None:
        """Write statements, some of them in branches and in short loops."""
        before = "    " * depth
        for _ in range(count):
            kind = self.draw.random()
            if kind < 0.14 and depth < 4:
                self.lines.append(f"{before}if {self.draw.choice(BRANCHES)}:")
                self.block(depth + 1, 1)
                if self.draw.random() < 0.5:
                    self.lines.append(f"{before}else:")
                    self.block(depth + 1, 1)
            elif kind < 0.22 and depth < 3 and not self.is_inner:
                self.lines.append(f"{before}for j in range({self.draw.choice(('2', '3', '1 + i % 2'))}):")
                self.is_inner = True
                self.block(depth + 1, self.draw.randint(1, 2))
                self.is_inner = False
            else:
                self.lines.append(before + self.statement())

    def loop(self) -> None:
        """Write a loop."""
        self.stores, self.keeps = self.draw.random() < 0.3 and self.n < 400, self.draw.random() < 0.3
        self.is_inner = False
        if self.stores:
            self.lines.append(
                f"    y = {self.draw.choice(('x * 1.0', 'np.zeros(2 * n + 4, like=x)', 'np.sin(x)', '0.0 * x'))}"
            )
        if self.keeps:
            self.lines.append("    k = [a]")
        over = self.draw.choice(
            ("range(n)",) * 5 + ("range(1, n)", "range(n - 1)", "reversed(range(n))", "range(0, n, 2)")
        )
        self.lines.append(f"    for i in {over}:")
        if self.keeps:
            self.lines.append(
                f"        while len(k) <= i: k.append({self.draw.choice(('s', '0.5 * k[-1] + s', 't * x[i]'))})"
            )
        self.block(2, self.draw.choice((1, 1, 2, 2, 3, 4) if self.n < 400 else (1, 1, 2)))
        self.rest = " + np.sum(np.tanh(y) * 0.1)" if self.stores else ""
        if self.keeps:
            self.lines.append("    q = (k + [a] * n)[: n + 1]")
            self.filled = True

    def function(self) -> Any:
        """Return the function, with its data."""
        from autodiff import grad

        rng, n = np.random.default_rng(self.n), self.n
        names = {"np": np, "n": n, "c": rng.normal(size=n + 2).tolist(), "p": rng.integers(0, n, n).tolist(),
                 "e": rng.integers(0, 2, n + 2).astype(float).tolist(), "m": 0.5 * rng.normal(size=(3, 3)),
                 "r": rng.normal(size=(n, 3)),
                 "slope": grad(lambda h: np.sum(np.log1p(np.exp(h))) + 0.5 * h @ h)}  # fmt: skip
        exec(self.source, names)
        return names["f"]

    def arguments(self, seed: int) -> list[Any]:
        """Return arguments."""
        rng = np.random.default_rng(seed)
        return [rng.normal(size=2 * self.n + 4), rng.normal(size=(self.n, 3)), rng.normal(size=3), float(rng.normal())]
