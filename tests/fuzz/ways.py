"""Random functions with nested blocks: loops in loops, while, branches, masks, views, slices that overlap, writes.

Most are of doubles; some of single precision, some of complex numbers, which are never asked which is larger.
"""

import random
from typing import Any

import numpy as np

NUMBERS = ("s", "t", "a", "x[{i}]", "y[{i}]", "y[-1 - {i}]", "x[p[{i}]]", "{k}", "np.sum(y)", "np.max(x)",
           "y[1] * x[0]", "np.mean(x[1:] * y[:-1])")  # fmt: skip
ARRAYS = ("x", "y", "z", "y[::-1]", "x * a", "np.sin(y)", "np.roll(z, 1)", "x[q]", "z - s",
          "np.where(y > {k}, y, {k})", "np.maximum(x, z)", "np.cumsum(x) / n", "np.tanh(z + {k})", "np.abs(y)",
          "np.concatenate([y[2:], x[:2]])", "(w @ y)", "np.outer(x, z)[{i}]", "p * z", "np.sum(w * z, axis=1)",
          "np.mean(w, axis=0)", "w.T[{i}]", "y / (2.0 + x * x)")  # fmt: skip
CONDITIONS = ("{number} > {k}", "np.sum({array}) < {k}", "s > t", "np.any({array} > 1.2)",
              "({number} > {k}) and (s < 1.0)", "y[{i}] < x[{i}]", "not np.all({array} < {k})", "{i} % 2",
              "{i} < 2")  # fmt: skip
STATEMENTS = ("s = np.tanh({number} + {number})", "t = 0.5 * t + np.sin({number})", "s, t = t, 0.9 * s",
              "s += 0.1 * {number}", "y = np.tanh({array} + {array})", "z = 0.5 * {array}",
              "y = y * np.cos({number})", "y, z = z + 0.0, y + 0.0", "y = +y; y[{i}] = {number}",
              "z = +z; z[1:] = z[:-1] * {k}", "y = +y; y[:-1] += 0.5 * y[1:]", "z = +z; z[::2] *= {number}",
              "y = +y; y[y > {k}] *= {k}", "y = +y; v = y[1:-1]; v *= {k}; v += {number}",
              "z = +z; v = z[::-1]; v[0] = {number}", "z = +z; z[q] = {array}",
              "y = +y; np.add.at(y, p, 0.2 * {array})", "y = +y; y[[0, 0, 1]] += {number}",
              "z = +z; z[2:] -= 0.3 * z[:-2]", "y = np.where(y > {number}, {array}, 0.5 * y)",
              "s = s + 0.1 * np.sum({array} * {array})", "w = np.tanh(w @ w.T) * {k}", "w = +w; w[{i}] = {array}",
              "w = +w; w[:, 0] += 0.1 * {array}", "w = +w; np.fill_diagonal(w, {number})",
              "u = w[1:, :-1]; s = s + 0.1 * np.sum(u * u)", "y = np.sort({array})",
              "z = np.clip({array}, -1.0, {k})", "s = np.where(s > {k}, s * 0.5, {number})",
              "y = np.tanh(w @ {array})", "t = ({array})[{i}] * ({array})[0]", "s = float_of(t) * s")  # fmt: skip


COMPARING = ("max", "sort", "clip", " > ", "float_of")
"""What is in templates that complex numbers have no part in."""


class Ways:
    """The source of one function of a vector x and a number a; its constants are those of the seed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.n = self.draw.choice([3, 3, 4, 6, 9, 17])
        self.rounds = min(self.n, 6)
        self.dtype = self.draw.choice(["float64"] * 7 + ["float32", "complex128", "complex128"])
        self.fresh = 0
        self.templates = [
            [one for one in templates if self.dtype != "complex128" or not any(word in one for word in COMPARING)]
            for templates in (NUMBERS, ARRAYS, STATEMENTS)
        ]
        self.lines = [
            f"def f(x, a):  # {self.dtype}",
            "    s, t, y, z, w, i = a, 0.5, x * a, np.cos(x), np.outer(x, x) * 0.3, 1",
        ]
        self.block(1, ["i"], self.draw.randint(2, 3))
        self.lines.append("    return s, t * s + np.sum(y * z), y, np.sum(w * w)")
        self.source = "\n".join(self.lines)

    def filled(self, template: str, counters: list[str]) -> str:
        """Return a template with its holes filled."""
        known = {"i": self.draw.choice(counters), "k": f"{self.draw.uniform(-0.9, 0.9):.3f}"}
        while "{" in template:
            for hole, choices in zip(("{number}", "{array}"), self.templates, strict=False):
                if hole in template:
                    template = template.replace(hole, self.draw.choice(choices), 1)
            for hole, text in known.items():
                template = template.replace(f"{{{hole}}}", text)
        return template

    def condition(self, counters: list[str]) -> str:
        """Return a condition; of complex numbers it is one of their real parts."""
        template = self.draw.choice(CONDITIONS)
        if self.dtype == "complex128":
            for one in ("{number}", "{array}", "s >", "> t", "(s <", "y[{i}]", "x[{i}]"):
                name = one.strip("<>( ")
                template = template.replace(one, one.replace(name, f"np.real({name})"))
        return self.filled(template, counters)

    def block(self, depth: int, counters: list[str], count: int) -> None:
        """Write statements, some of them blocks."""
        before = "    " * depth
        for _ in range(count):
            kind = self.draw.random()
            if depth > 3 or kind < (0.4, 0.5, 0.6)[depth - 1]:
                self.lines.append(before + self.filled(self.draw.choice(self.templates[2]), counters))
                continue
            self.fresh += 1
            name = f"i{self.fresh}"
            if kind < 0.8:
                most = self.draw.choice([str(self.rounds), "3", f"1 + {counters[-1]} % 3", str(self.rounds - 1)])
                self.lines.append(f"{before}for {name} in range({most}):")
                if most in ("3", str(self.rounds - 1)):
                    self.lines.append(f"{before}    {name} = {self.n - 1} - {name}")
                self.block(depth + 1, [*counters, name], self.draw.randint(1, 2))
            elif kind < 0.92:
                self.lines.append(f"{before}if {self.condition(counters)}:")
                self.block(depth + 1, counters, self.draw.randint(1, 2))
                if self.draw.random() < 0.5:
                    self.lines.append(f"{before}else:")
                    self.block(depth + 1, counters, 1)
            else:
                self.lines.append(f"{before}{name} = 0")
                condition = self.condition(counters)
                self.lines.append(f"{before}while {name} < 5 and ({condition}):")
                self.lines.append(f"{before}    {name} += 1")
                self.block(depth + 1, counters, self.draw.randint(1, 2))

    def function(self):
        """Return the function."""
        rng = np.random.default_rng(self.n)
        names = {"np": np, "n": self.n, "p": rng.integers(0, self.n, self.n), "q": rng.permutation(self.n),
                 "float_of": lambda t: 1.0 if t > 0 else 0.5}  # fmt: skip
        exec(self.source, names)
        return names["f"]

    def arguments(self, seed: int) -> list[Any]:
        """Return arguments."""
        rng = np.random.default_rng(seed)
        x = rng.normal(size=self.n).astype(self.dtype)
        return [x * (1.0 + 0.5j) if self.dtype == "complex128" else x, float(rng.normal())]
