"""What the statements of a random program look like, beside ``name = expression``: templates by family.

Holes as those of expressions, and ``{t}`` ``{t0}`` ``{t1}``, new names, ``{c0}``, the name of a plain array, ``{T}``,
an array that may be written to.
"""

STATEMENTS = {
    "augmented": r"""
        {T} += {v}
        {T} -= {c}
        {n} += {v}
        {n} *= {k}
        {n} -= {c}
        {n} /= {v} * {v} + 1
        {T} *= {v}
        {T} *= {k}
        {T} /= {k}
        {T} **= 2
        {T} += {T}
        {T} %= 2.5
        {T} @= {m}
    """,
    "assignment": r"""
        {T}[{I}] = {v}
        {T}[{I}] = {k}
        {T}[{I}] += {v}
        {T}[{I}] *= {v}
        {T}[{I}] = {T}[{I}] * 2
        {T}[...] = {v}
        {T}[:] = {T}[::-1]
        {T}[1:] = {T}[:-1]
        {T}[{mask}] = {v}
        {T}[{T} > {k}] *= {k}
        {T}[[0, 0]] += {v}
        {T}.flat[{i}] = {s}
        {T}.real = {v}
        {T}.imag[...] = {k}
        {T}[{i}], {T}[-1] = {T}[-1], {T}[{i}]
    """,
    "calls that write": r"""
        np.add.at({T}, [0, 0], {s})
        np.multiply.at({T}, ([0], [0]), {s})
        np.subtract.at({T}, 0, {v})
        np.multiply({v}, {v}, out={T})
        np.add({T}, {v}, out={T})
        np.sin({v}, out={T})
        np.cumsum({T}, axis=0, out={T})
        np.sum({m}, axis=0, out={T})
        np.copyto({T}, {v})
        np.copyto({T}, {v} + 0, where={mask})
        np.put({T}, [0, -1], {v})
        np.place({T}, {T} > {k}, {v})
        np.putmask({T}, {T} < {k}, {v})
        np.fill_diagonal({T}, {v})
        np.put_along_axis({T}, np.argmax({T}, axis=-1, keepdims=True), {s}, axis=-1)
        {T}.sort()
        {T}.sort(axis=0)
        {T}.fill({s})
    """,
    "aliases": r"""
        {t} = {n}\n{t} += {v}
        {t} = {a}[{I}]\n{t} *= {k}
        {t} = {a}.ravel()\n{t}[{i}] = {s}
        {t} = {a}.reshape(-1)\n{t} += {k}
        {t} = {m}.T\n{t}[0] = {v}
        {t} = {a}[::-1]\n{T}[0] = {k}
        {t} = {n}
        {t} = {t0} = {v}\n{t0} *= {k}
        {t}, {t0} = {v}, {v}
        {t} = np.zeros(2, like={n})\n{t}[0] = {s}\n{t}[1] = {t}[0] * {s}
        {t} = {v}\ndel {t}\n{t} = {v}
    """,
    "captured": r"""
        {c0} = np.array([0.5, -1.5])\n{t} = {v} * {c0}\n{c0}[0] = 2.0\n{t1} = {v} * {c0}
        {c0} = np.array([[1.0, -0.5], [0.25, 2.0]])\n{t} = {a} @ {c0}\n{c0} *= 3.0\n{t1} = {t} @ {c0}
        {c0} = np.array([True, False])\n{t} = np.where({c0}, {v}, {v})\n{c0}[:] = False
        {c0} = np.array([0, -1, 0])\n{t} = {a}[{c0}]\n{c0}[:] = 0
        {c0} = [0.5, 2.0]\n{t} = {v} * {c0}\n{c0}[0] = 9.0
    """,
    "control": r"""
        if {s} > {k}:\n    {t} = {v}\nelse:\n    {t} = {v}
        if np.sum({v}) > 0:\n    {T} *= {k}
        if np.any({mask}):\n    {t} = {v}\nelse:\n    {t} = {k}
        {t} = {v}\nfor j in range(3):\n    {t} = np.sin({t}) * {k} + {n}
        {t} = {k}\nfor e in {a}:\n    {t} = {t} + e * {t} / 3
        {t} = {v}\nwhile np.sum(abs({t})) > 1.0:\n    {t} = {t} / 2
        {t} = {v}\nfor j in range(len({t})):\n    {t}[j] = {t}[j - 1] * {k}
        for j, e in enumerate({a}):\n    {T}[j] += e
        {t} = [e * {n} for e in {a}]\n{t} = {t}[0]
        {t} = {v}\nfor row in {t}:\n    row *= {k}
        {t} = 0.0\nfor e, g in zip({a}, {a}):\n    {t} += e * g
        try:\n    {t} = {n}[7]\nexcept (IndexError, TypeError):\n    {t} = {v}
    """,
    "functions": r"""
        def {t0}(q):\n    q[0] = {k}\n    return q * {n}\n{t} = {t0}({T})
        def {t0}(q, r):\n    q += r\n    return q.sum()\n{t} = {t0}({T}, {v})
        {t0} = lambda q, r=2.0: q * r\n{t} = {t0}({v}, {n})
        def {t0}(q, k):\n    return q if k == 0 else {t0}(q * {n}, k - 1)\n{t} = {t0}({v}, 2)
    """,
    "by hand": r"""
        {t0} = Variable({n})\nnp.sum({t0} ** 2 * {n}).backward()\n{t} = {t0}.grad
        {t0} = Variable({s})\n({t0} ** 3 + np.sum({n}) * {t0}).backward()\n{t} = {t0}.grad * {n}
    """,
    "drop-in": r"""
        {t} = np.array([{s}, {s}])
        {t} = np.array([{s}, 2.0, {s}])
        {t} = np.array([[{s}, 1.0], [0.0, {s}]])
        {t} = np.array([{a}, {a}])
        {t} = np.array({a})\n{t}[0] = {k}
        {t} = np.asarray({a})\n{t}[0] = {k}
        {t} = np.asarray([{s}, {k}]) * {v}
        {t} = np.ascontiguousarray({a})
        {t} = np.zeros(2)\n{t}[0] = {s}\n{t}[1] = {t}[0] * {s}
        {t} = np.zeros((2, 2))\n{t}[0] = {s}\n{t}[:, 1] += {s}
        {t0} = np.empty(3)\n{t0}[:] = {s}
        {t} = np.ones(2)\n{t} *= {s}
        {t} = np.eye(2)\n{t}[0, 1] = {s}\n{t} = {t} @ {t}
        {t} = np.arange(2.0)\n{t0} = {t}[::-1]\n{t0}[0] = {s}
        {t} = np.full(2, {s})
        {t} = np.full((2, 2), 0.5)\n{t}.T[0] = {s}
        {t} = np.zeros(3)\nfor j in range(3):\n    {t}[j] = {s} * j + {t}[j - 1]
        {t} = np.zeros(2)\nnp.add({s}, {s}, out={t})
        {t} = np.zeros(2)\nnp.copyto({t}, {s})
        {t} = np.zeros(2)\nnp.add.at({t}, [0, 0, 1], {s})
        {t} = np.r_[{a}, 1.0, {a}]
        {t} = np.c_[{a}, {a}]
        {t} = np.vectorize(lambda q: q * q + 1)({a})
        {t} = np.fromiter((e * 2 for e in {a}), float)
        {t} = np.polynomial.Polynomial([1.0, {s}, {s}])({v})
        {t} = np.mean([{s}, {s}]) + np.std([{s}, 1.0, {s}])
        {t} = np.sum([{s}, {s}]) * {v}
        {t} = np.dot([{s}, 1.0], [2.0, {s}])
        {t} = np.linalg.solve([[{s} + 4, 1.0], [0.5, 3.0]], [{s}, 1.0])
        {t} = np.where([True, False], {v}, [{s}, 2.0])
        {t0} = np.zeros((2, 2))\n{t} = np.diag({t0})\n{t0}[0] = {s}
        {t0} = np.ones((2, 2))\n{t} = np.einsum("ii->i", {t0})\n{t}[1] = {s}\n{t0}[0] += {t}[1]
        {t0} = np.ones((2, 3))\n{t} = np.einsum("ij->ji", {t0})\n{t0}[0] = {s}
        {t0} = np.zeros(3)\n{t} = np.ascontiguousarray({t0})\n{t0}[1:] = {s}
        {t0} = np.arange(4.0)\n{t} = np.array({t0}, copy=None, ndmin=2)\n{t0}[1] *= {s}
        {t0} = np.ones((2, 2))\n{t} = np.require({t0}, None, "C")\n{t}[0] = {t0}[1] * {s}
        {t0} = np.ones((2, 2))\n{t} = np.lib.stride_tricks.sliding_window_view({t0}, 2, 0)\n{t0}[1] = {s}
        {t0} = np.linspace(0.0, 1.0, 3)\n{t} = np.real_if_close({t0}).view()\n{t0}[0] = {s}
        {t} = np.array({a}, order="F").ravel("K")
        {t} = np.array([{a}, {a}], order="F").ravel("K")
        {t} = np.asarray({m}, order="F").ravel("A")
        {t} = np.copy([{a}, {a}], order="F").ravel("K")
        {t} = np.require({m}, None, "F").ravel("K")
        {t} = np.zeros((2, 2), order="F")\n{t}[0] = {s}\n{t} = {t}.ravel("K")
        {t0} = {s}\n{t} = np.arange({t0}, {t0} + 2.0, 0.3)
        {t} = np.zeros(3)\nnp.dot(np.eye(3), np.ones(3), out={t})\n{t}[0] = {s}
        {t} = np.zeros(2)\nfor place, e in np.ndenumerate({t}):\n    {t}[place] = {t}[0] + {s}
        {t} = np.ones(2)\ndef {t0}(q):\n    {t}[0] = q * {s}\n    return {t}[0] * q\n{t}[1] = derivative({t0}, 0, [{s}])
    """,
}
"""Statements, a line of the table each; ``\\n`` in them starts a new line of the program."""
