"""Random functions of arrays from a seed: operations that have a native form, over views, writes, folds and masks."""

import numpy as np

SHAPES = [
    (),
    (1,),
    (7,),
    (3,),
    (9,),
    (2, 3),
    (3, 1),
    (1, 4),
    (4, 3),
    (2, 3, 2),
    (1, 2, 1),
    (3, 3),
    (17,),
    (33,),
    (5, 8),
]

UNARY = [np.sin, np.tanh, np.negative, np.abs, np.square, np.floor, np.sign, np.positive,
         lambda x: np.exp(-np.abs(x)), lambda x: np.sqrt(np.abs(x)), lambda x: np.log1p(np.abs(x)), lambda x: x * 0.5,
         lambda x: 1.0 / (1.0 + x * x), lambda x: x**2, lambda x: x - 1, lambda x: 0.25 + x, lambda x: x.copy(),
         lambda x: x.astype(np.float64), lambda x: x.astype(np.float32), np.ravel, np.transpose,
         lambda x: np.roll(x, 1, -1), lambda x: np.roll(x, -2, 0)]  # fmt: skip
BINARY = [
    np.add,
    np.subtract,
    np.multiply,
    np.maximum,
    np.minimum,
    np.hypot,
    np.matmul,
    np.dot,
    np.copysign,
    np.fmax,
    np.arctan2,
    lambda x, y: x / (1.0 + y * y),
    lambda x, y: np.where(x > y, x, 0.5),
    lambda x, y: np.where(x > 0, y, x),
]
FOLDED = [np.sum, np.mean, np.max, np.min]
MASKS = [lambda x, y: x > y, lambda x, y: np.abs(x) <= np.abs(y), lambda x, y: (x > 0) & (y > 0),
         lambda x, y: (x < 0) | (y > 0.3), lambda x, y: np.logical_xor(x > 0, y > 0), lambda x, y: ~(x < y),
         lambda x, y: np.isfinite(x) * (y > 0), lambda x, y: np.logical_and(x > 0, y)]  # fmt: skip
LARGEST, MOST = 50.0, 300


class Drawn:
    """A function of arrays, as operations on a list of values, and its arguments."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng([seed, 4])
        dtypes = self.pick([[np.float64]] * 4 + [[np.float32], [np.float64, np.float32]])
        shapes = [self.pick(SHAPES) for _ in range(rng.integers(1, 4))]
        self.arguments = [
            np.asarray(rng.uniform(-1.5, 1.5, shape), self.pick(dtypes) if shape else np.float64) for shape in shapes
        ]
        self.operations = []
        wanted = rng.integers(4, 14)
        for _ in range(10 * wanted):
            self.extend(self.operation())
            if len(self.operations) >= wanted:
                break
        count = len(self.values())
        made = range(len(self.arguments), count)
        self.returned = sorted({count - 1, *rng.choice(made, min(3, len(made)), replace=False)}) if made else [0]

    def pick(self, choices):
        return choices[self.rng.integers(len(choices))]

    def __call__(self, *xs):
        pool = list(xs)
        for operation in self.operations:
            pool.append(operation(pool))
        return tuple(pool[k] for k in self.returned)

    def values(self, operations=None):
        """All plain values."""
        pool = [x.copy() for x in self.arguments]
        with np.errstate(all="ignore"):
            for operation in self.operations if operations is None else operations:
                pool.append(operation(pool))
        return pool

    def extend(self, operation):
        """One more operation, if it runs, and gives numbers that are neither many nor large."""
        try:
            found = self.values([*self.operations, operation])[-1]
        except (ValueError, IndexError, TypeError, AttributeError):
            return
        if 0 < np.size(found) <= MOST and np.all(np.abs(found) <= LARGEST):
            self.operations.append(operation)

    def operation(self):
        kind = self.pick(["unary"] * 3 + ["binary"] * 4 + ["fold"] * 2 + ["view"] * 3 + ["write"] * 3
                         + ["mask", "choose", "join", "triangle", "any"])  # fmt: skip
        return getattr(self, kind)()

    def place(self, floats=True):
        """A random value's number, one of floats."""
        pool = self.values()
        numbers = [k for k, x in enumerate(pool) if (np.result_type(x).kind == "f") == floats]
        return int(self.pick(numbers)) if numbers else 0

    def index(self, shape):
        """A basic index."""
        parts = []
        for n in shape:
            start, stop = sorted(self.rng.integers(0, n + 1, 2))
            step = int(self.pick([1, 1, 2, 3, -1, -2]))
            whole = slice(None, None, step)
            part = slice(int(start), int(stop), step) if step > 0 else slice(int(stop), int(start), step)
            parts.append(self.pick([whole, whole, part, int(self.rng.integers(-n, n)) if n else whole]))
        parts = parts[: self.rng.integers(0, len(parts) + 1)]
        if self.rng.random() < 0.2:
            parts.insert(int(self.rng.integers(0, len(parts) + 1)), None)
        return tuple(parts) if self.rng.random() < 0.7 else (..., *parts[: len(shape)])

    def unary(self):
        k, f = self.place(), self.pick(UNARY)
        return lambda pool: f(pool[k])

    def binary(self):
        j, k, f = self.place(), self.place(), self.pick(BINARY)
        return lambda pool: f(pool[j], pool[k])

    def mask(self):
        j, k, f = self.place(), self.place(), self.pick(MASKS)
        return lambda pool: f(pool[j], pool[k])

    def choose(self):
        m, j, k = self.place(floats=False), self.place(), self.place()
        return self.pick([lambda pool: np.where(pool[m], pool[j], pool[k]), lambda pool: pool[m] * pool[j],
                          lambda pool: np.mean(pool[m], axis=-1)])  # fmt: skip

    def any(self):
        m, f = self.place(self.rng.random() < 0.3), self.pick([np.any, np.all])
        axis, kept = self.pick([None, 0, -1]), bool(self.pick([True, False]))
        return lambda pool: f(pool[m], axis=axis, keepdims=kept)

    def fold(self):
        k, f, kept = self.place(), self.pick(FOLDED), bool(self.pick([True, False]))
        axis = self.pick([None, 0, -1, 1, (0, 1), (0, 2), (-1, 0)])
        return lambda pool: f(pool[k], axis=axis, keepdims=kept)

    def view(self):
        k = self.place()
        shape = np.shape(self.values()[k])
        size, index = int(np.prod(shape)), self.index(shape)
        to = self.pick([(size,), (-1, 1), (1, -1), (2, -1), (-1, 3), shape[::-1]])
        ahead, axes = (2, *shape), tuple(self.rng.permutation(len(shape)).tolist())
        return self.pick([lambda pool: pool[k][index]] * 4 + [lambda pool: pool[k].reshape(to)] * 2 + [
            lambda pool: np.transpose(pool[k], axes), lambda pool: np.broadcast_to(pool[k], ahead) + 0.0,
            lambda pool: np.expand_dims(pool[k], -1) - np.expand_dims(pool[k], -2)])  # fmt: skip

    def write(self):
        """A write into elements of a value that was computed, or of a copy of one, after which it is used again."""
        pool = self.values()
        made = [k for k, x in enumerate(pool) if k >= len(self.arguments) and isinstance(x, np.ndarray) and x.ndim]
        k, v, copied = int(self.pick(made)) if made else self.place(), self.place(), self.rng.random() < 0.3
        index, scale = self.index(np.shape(pool[k])), float(self.rng.integers(1, 4)) / 4
        how = self.pick(["number", "value", "itself", "reversed", "in place"])

        def operation(pool):
            x = pool[k] * 1.0 if copied or k < len(self.arguments) else pool[k]
            if how == "number":
                x[index] = scale
            elif how == "value":
                x[index] = pool[v]
            elif how == "itself":
                x[index] = x[index] * scale
            elif how == "reversed":
                x[::-1] = x
            else:
                x[index] *= scale
            return x

        return operation

    def join(self):
        j, k, axis = self.place(), self.place(), int(self.pick([0, -1]))
        return self.pick([lambda pool: np.concatenate([pool[j], pool[k]], axis=axis),
                          lambda pool: np.stack([pool[j], pool[k], pool[j]], axis=axis)])  # fmt: skip

    def triangle(self):
        k, f, shift = self.place(), self.pick([np.triu, np.tril]), int(self.rng.integers(-1, 2))
        return lambda pool: f(pool[k], shift)


class Choosing(Drawn):
    """The same with elements that arrays of places choose, are written and added to; some of them twice."""

    def operation(self):
        return (
            getattr(self, self.pick(["chosen", "put", "moved"]))() if self.rng.random() < 0.5 else super().operation()
        )

    def places(self, shape):
        """An index with arrays of integers or truth values."""
        if not shape or self.rng.random() < 0.1:
            return self.rng.random(shape) < 0.7
        rank, of = len(shape), self.pick([(4,), (2, 3), (1,), (3, 1)])
        parts = list(self.index(shape))[:rank] if self.rng.random() < 0.5 else []
        parts = [part for part in parts if part is not None and part is not ...]
        axis = int(self.rng.integers(rank))
        parts += [slice(None)] * (axis + 1 - len(parts))
        parts[axis] = self.rng.integers(-shape[axis], shape[axis], of)
        if self.rng.random() < 0.2:
            parts[axis] = self.rng.permutation(shape[axis])
        if rank > 1 and self.rng.random() < 0.3:
            other = (axis + 1) % rank
            parts += [slice(None)] * (other + 1 - len(parts))
            parts[other] = self.rng.integers(0, shape[other], np.shape(parts[axis]))
        return tuple(parts)

    def chosen(self):
        k = self.place()
        index = self.places(np.shape(self.values()[k]))
        return lambda pool: pool[k][index]

    def moved(self):
        k, axis = self.place(), self.pick([None, 0, -1])
        shape = np.shape(self.values()[k])
        n = int(np.prod(shape)) if axis is None else shape[axis] if shape else 1
        at = self.rng.integers(-n, n, self.pick([(5,), (2, 2), ()]))
        along = self.rng.integers(0, n, shape) if axis is not None else at.ravel()
        kept, counts = self.rng.random(n) < 0.6, self.rng.integers(0, 3, n)
        return self.pick([lambda pool: np.repeat(pool[k], counts, axis), lambda pool: np.tile(pool[k], (2, 1)),
                          lambda pool: np.compress(kept, pool[k], axis), lambda pool: np.delete(pool[k], at, axis),
                          lambda pool: np.diag(pool[k], 1), lambda pool: np.diag(pool[k], -1),
                          lambda pool: np.resize(pool[k], (3, 4)), lambda pool: np.diagonal(pool[k]),
                          lambda pool: np.take_along_axis(pool[k], along, axis),
                          lambda pool: np.take(pool[k], at, axis),
                          lambda pool: np.take(pool[k], at + n, axis, mode="wrap")])  # fmt: skip

    def put(self):
        pool = self.values()
        k, v = self.place(), self.place()
        index = self.places(np.shape(pool[k]))
        scale, how = float(self.rng.integers(1, 4)) / 4, self.pick(["number", "value", "itself", "more", "all", "less"])

        def operation(pool):
            x = pool[k] * 1.0
            if how == "number":
                x[index] = scale
            elif how == "value":
                x[index] = pool[v]
            elif how == "itself":
                x[index] = x[index] * scale
            elif how == "more":
                x[index] += pool[v]
            elif how == "all":
                np.add.at(x, index, scale * pool[k][index])
            else:
                np.subtract.at(x, index, pool[v])
            return x

        return operation
