"""What the expressions of a random program look like: a table of templates by family, with holes.

The holes: ``{v}`` a value (a variable or an expression), ``{difference}`` one less another, ``{n}`` a variable, ``{a}``
one with axes, ``{u}`` a vector, ``{m}`` a matrix, ``{q}`` a square one, ``{s}`` a number, ``{z}`` a complex variable,
``{c}`` a constant, ``{k}`` a number, ``{i}`` an integer, ``{I}`` an index, ``{ax}`` an axis, ``{kw}`` keywords of a
reduction, ``{mask}`` a comparison. What does not run on plain values is dropped by the generator, so that a template
need not fit every shape.
"""

EXPRESSIONS = {
    "ufuncs": """
        np.sin({v})
        np.cos({v})
        np.exp({v} / 3)
        np.tanh({v})
        np.arctan({v})
        np.expm1({v} / 2)
        np.log({v} * {v} + 1.5)
        np.sqrt({v} * {v} + 0.5)
        np.log1p(np.abs({v}) + 0.1)
        np.cbrt({v})
        np.square({v})
        np.reciprocal({v} * {v} + 1)
        np.sinh({v})
        np.abs({v})
        np.negative({v})
        np.sign({v}) * {v}
        np.arctan2({v}, {v} + 3)
        np.hypot({v}, {v} + 1)
        np.logaddexp({v}, {v})
        np.maximum({v}, {v})
        np.minimum({v}, {c})
        np.fmax({v}, {c})
        np.power(np.abs({v}) + 1, {v})
        np.add({v}, {c})
        np.subtract({c}, {v})
        np.multiply({v}, {v}, dtype=float)
        np.divide({v}, {v} * {v} + 1)
        np.float_power(np.abs({v}) + 1, {k})
        (np.floor({v}) + 0.5) * {v}
        np.modf({v})[0]
        np.copysign({v}, {v})
        np.heaviside({v}, 0.5) * {v}
        np.deg2rad({v})
        np.sinc({v})
        np.exp2({v})
        np.nan_to_num({v})
        np.add({v}, {v}, where={mask}, out=np.zeros_like({n}))
    """,
    "operators": """
        {v} + {v}
        {difference}
        {v} * {v}
        {v} / ({v} * {v} + 1)
        {v} * {c}
        {c} * {v}
        {v} + {c}
        {c} - {v}
        {v} / {k}
        {k} / ({v} + 3)
        {v} ** 2
        {v} ** 3
        {v} ** -1
        (abs({v}) + 1) ** {v}
        {k} ** {v}
        -{v}
        +{v}
        abs({v})
        {v} % 2.5
        {v} // 0.7 * {v}
        divmod({v}, 2.5)[1]
        {v} * ({v} > {k})
        {v} * (not {s} > {k})
        {v} + {i}
        {v} * True
        {v} * range(2)
        {v} * np.float32(0.5)
        {v} * np.arange(1, 3)
        {v} + np.float64(0.5)
        pow({v}, 2)
        round({v}, 1) * {v}
    """,
    "reductions": """
        np.sum({v}{kw})
        {a}.sum({ax})
        np.mean({v}{kw})
        {a}.mean()
        np.prod({v}{kw})
        np.max({a}{kw})
        {a}.min()
        np.var({a}{kw})
        np.std({a}{kw})
        np.cumsum({v})
        np.cumsum({a}, axis={ax})
        np.cumprod({a})
        np.median({a})
        np.ptp({a})
        np.sum({a}, where={a} > {k})
        np.sum({v}, initial=1.5)
        np.mean({a}, where=np.abs({a}) >= 0)
        np.max({a}, initial=-9.0, where={a} < {k})
        np.average({a}, weights=np.abs({a}) + 1)
        np.diff({a})
        np.linalg.norm({v})
        np.quantile({a}, 0.3)
        np.percentile({a}, 60, axis={ax})
        np.add.reduce({a}, axis={ax})
        np.multiply.accumulate({a})
        np.add.reduceat({a}, [0])
        np.nansum({a}{kw})
        np.trapezoid({a})
        np.gradient({u})
        np.gradient({m}, axis=0)
        sum({a})
        max({a})
        np.argmax({a}) * {s}
        len({a}) * {s}
    """,
    "indexing": """
        {a}[{I}]
        {a}[{I}]
        {a}[{I}]
        {a}[{I}]
        {a}[{mask}]
        {a}.flat[{i}]
        {a}.flat[{i}:]
        np.take({a}, {i})
        np.take({a}, [0, -1, 0], axis={ax})
        {a}.take([0, 0])
        np.take_along_axis({a}, np.argsort({a}, axis=-1), axis=-1)
        np.compress([True, False], {a})
        np.choose([0], [{v}, {v}])
        np.delete({a}, 0)
        np.insert({a}, {i}, {s})
        np.extract({a} > {k}, {a})
        {n}[()]
        {n}[...]
        {n}[None]
        [e * 2 for e in {a}][{i}]
        list({a})[{i}]
    """,
    "views": """
        {n}.reshape(-1)
        {n}.reshape((-1, 1))
        {a}.reshape(-1, order='F')
        np.reshape({n}, (1, -1))
        {n}.ravel()
        {n}.ravel('K')
        {n}.ravel('F')
        np.ravel({n})
        {n}.T
        np.transpose({n})
        {m}.swapaxes(0, 1)
        np.moveaxis({m}, 0, 1)
        {m}.diagonal()
        np.diag({a})
        np.diagonal({m}, 1)
        {n}.real
        np.real({n})
        np.imag({n})
        {n}.squeeze()
        np.squeeze({n})
        np.expand_dims({n}, 0)
        np.atleast_1d({n})
        np.atleast_2d({n})
        {a}[::-1]
        {a}[..., ::-1]
        {a}[1:]
        {a}[::2]
        {a}[None]
        {m}[:, 0]
        {m}[0]
        {m}[:, ::-1]
        {m}.T[::-1]
        np.flip({a})
        np.rot90({m})
        np.split({a}, 1)[0]
        np.broadcast_to({n}, (2,) + np.shape({n}))
        {n}.flatten()
        {n}.copy()
        {a}.copy(order='F')
        np.copy({n})
        {n}.conj()
        np.conj({n})
        {n}.astype(float)
        {n}.astype({n}.dtype, copy=False)
        {n}.astype(np.float32)
        {n}.astype(complex)
        {a}.repeat(2)
        np.lib.stride_tricks.sliding_window_view({a}, 1, axis=0)
        np.einsum("ii->i", {q})
        np.einsum("ij->ji", {m})
    """,
    "choices": """
        np.where({mask}, {v}, {v})
        np.where({v} > {k}, {v}, {c})
        np.where({s} > {k}, {v}, -{v})
        np.clip({v}, -0.4, 0.6)
        {n}.clip(-0.5, {k})
        np.select([{v} > 0.5, {v} > -0.5], [{v}, {v} ** 2], {k})
        np.piecewise({a}, [{a} > 0], [lambda q: q * 2, lambda q: q ** 2])
        {v} if {s} > {k} else {v}
        ({s} or {v})
        max({s}, {s})
        min({s}, {k})
        np.sort({a})
        np.sort({a}, axis=0)
        np.partition({a}, 0)[..., 0]
        {a}[np.argsort({a}.ravel())[0]]
        np.unique({a})
    """,
    "joining": """
        np.concatenate([{a}, {a}])
        np.concatenate([{n}, {n}], axis=None)
        np.stack([{v}, {v}])
        np.stack([{v}, {v}], axis=-1)
        np.hstack([{v}, {v}])
        np.vstack([{v}, {v}])
        np.column_stack([{a}, {a}])
        np.append({v}, {v})
        np.tile({v}, 2)
        np.repeat({v}, 2)
        np.roll({v}, 1)
        np.pad({a}, 1)
        np.pad({a}, 1, mode="edge")
        np.block([{s}, {a}])
        np.full(2, {m}[0, 0], like={m})
        np.zeros(2, like={n}) + {s}
        np.zeros_like({n}) + {v}
        np.full_like({n}, 0.5) * {v}
        np.triu({m})
        np.broadcast_arrays({v}, {v})[0]
        np.meshgrid({a}, {a})[0]
        array([{s}, {s}, 2.0])
        np.linspace({s}, {s} + 1, 3)
        np.interp({s}, [-1.0, 0.3, 2.0], [0.0, 1.0, 0.5])
    """,
    "products": """
        {a} @ {a}
        {m} @ {m}.T
        np.dot({v}, {v})
        np.matmul({m}.T, {m})
        np.vdot({a}, {a})
        np.inner({a}, {a})
        np.outer({v}, {v})
        np.einsum("i,i->i", {a}, {a})
        np.einsum("ij,kj->ik", {m}, {m})
        np.einsum("ij->j", {m})
        np.einsum("i,j", {a}, {a})
        np.tensordot({a}, {a}, 1)
        np.kron({a}, {a})
        np.cross({a}[:3], {a}[:3] + {k})
        np.convolve({a}, {a})
        np.trace({m})
        np.multiply.outer({v}, {v})
        np.polyval([1.0, {s}, 0.5], {v})
    """,
    "linalg": """
        np.linalg.inv({m} @ {m}.T + 2 * np.eye(len({m})))
        np.linalg.solve({m}.T @ {m} + 2 * np.eye({m}.shape[1]), {m}[0])
        np.linalg.det({m} @ {m}.T + np.eye(len({m})))
        np.linalg.slogdet({m} @ {m}.T + np.eye(len({m})))[1]
        np.linalg.cholesky({m} @ {m}.T + 2 * np.eye(len({m})))
        np.linalg.eigvalsh({m} @ {m}.T + np.diag(np.arange(1.0, len({m}) + 1)))
        np.linalg.matrix_power({m} @ {m}.T, 2)
        np.linalg.svd({m}, compute_uv=False)
        np.linalg.pinv({m})
        np.linalg.lstsq({m} + 3 * np.eye(*{m}.shape), {m}[:, 0])[0]
    """,
    "complex": """
        {v} * 1j
        1j * {v} + {v}
        {v} + (0.5 - 0.3j)
        np.exp(1j * {v})
        np.abs({z})
        abs({z})
        {z}.real * {v}
        {z}.imag
        np.real({z})
        np.imag({z}) * {v}
        np.conj({z}) * {v}
        {z}.conjugate()
        np.angle({z} + 2)
        {z} ** 2
        np.sqrt({z} + 3)
        np.log({z} + 3)
        np.real(np.vdot({z}, {z}))
        np.fft.fft({a})
        np.fft.ifft({a})
        np.fft.rfft({a}.real)
        np.fft.irfft({a} if {a}.size else np.ones(1), 4)
        np.fft.fftshift({a})
        np.real(np.sum({z} * np.conj({z})))
    """,
    "inner": """
        grad(lambda q: np.sum(np.sin(q) * {n}))({n})
        grad(lambda q: np.sum(q ** 2 * {n}) * {k})({n})
        value_and_grad(lambda q: np.sum(np.cos(q) * {n}))({n})[1]
        value_and_grad(lambda q: np.sum(np.cos(q) * {n}))({n})[0]
        jvp(lambda q: q ** 2 * {n}, [{n}], [np.ones_like({n})])[1]
        jvp(lambda q: np.sin(q), [{a}], [{a}])[1]
        vjp(lambda q: np.cos(q) * q, {a})[1]({a})[0]
        jacfwd(lambda q: np.sum(q ** 2) * {n})({n})
        jacrev(lambda q: q * {n})({s})
        jacobian(lambda q: np.sin(q) * {n})({s})
        hessian(lambda q: np.sum(q ** 3 * {n}))({s})
        hvp(lambda q: np.sum(q ** 3) * {s})({a}, {a})
        derivative(lambda q: q * q * {n}, 0, [{s}])
        gradient(lambda q, r: np.sum(q * q * r), [{n}, {n}])[1]
        linearize(lambda q: q * np.sin(q), {a})[1]({a})
    """,
}
"""Expressions, a line each."""
