"""What to write instead of what takes plain values, where the code on the user's line does not tell."""

_JOIN = "join numbers with np.stack or autodiff.array, or fill np.zeros(..., like=x)"
REMEDIES = {
    "float": f"call NumPy or dualnumbers.dmath; {_JOIN}",
    "int": "keep the number as it is",
    "complex": "keep the number as it is, or add 0j",
    "np.asarray": f"keep it, {_JOIN}",
    "np.array": f"call x.copy(), {_JOIN}",
}
"""A road on which a number would become plain → what to do instead, where the line is not known."""

NUMPY_REMEDIES = {
    "vectorize": "np.vectorize calls Python on plain elements: write np.stack([f(t) for t in x])",
    "AxisConcatenator": "np.r_ and np.c_ make plain arrays: write np.concatenate or np.column_stack",
    "as_strided": "as_strided reads memory: write np.lib.stride_tricks.sliding_window_view, or index with integers",
    "full_like": "np.full_like makes an array like its plain prototype: write np.full(shape, value, like=value)",
    "ndenumerate": "np.ndenumerate makes a plain array: read x[place] for place in np.ndindex(x.shape)",
    "numpy.ma": "masked arrays have an arithmetic of their own: write np.where, or give where= to the reduction",
    "numpy.polynomial": "numpy.polynomial makes plain arrays: give it list(c), or write "
    "np.polynomial.polynomial.polyval(x, p.convert().coef)",
}
"""A class, function or module of NumPy that converts to plain arrays → what to do instead."""

_OF_OPTIMIZE = {
    ("brent", "golden"): "autodiff.scipy.optimize.minimize_scalar(f).x",
    ("fminbound",): "autodiff.scipy.optimize.minimize_scalar(f, bounds=(a, b)).x",
    ("fmin", "fmin_bfgs", "fmin_cg", "fmin_cobyla", "fmin_l_bfgs_b", "fmin_ncg", "fmin_powell", "fmin_slsqp",
     "fmin_tnc"): "autodiff.scipy.optimize.minimize(f, x0).x",
    ("leastsq",): "autodiff.scipy.optimize.least_squares(f, x0, method='lm').x",
    ("anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing", "linearmixing", "newton_krylov"):
        "autodiff.scipy.optimize.root(f, x0, method='krylov').x",
    ("basinhopping", "brute", "differential_evolution", "direct", "dual_annealing", "shgo"):
        "autodiff.implicit.argmin(f, x0, solver=lambda f, x0: …), which calls it there",
    ("approx_fprime",): "autodiff.grad(f)(x)",
    ("LinearConstraint",): "its matrix with np.stack",
}  # fmt: skip

_KRYLOV = {
    ("cg",): "cg",
    ("minres",): "minres",
    ("bicg", "bicgstab", "cgs", "gcrotmk", "gmres", "lgmres", "qmr", "tfqmr"): "gmres",
}

SCIPY_REMEDIES = {
    "scipy.special.factorial": "scipy.special.gamma(x + 1)",
    "scipy.stats.pearsonr": "np.corrcoef(x, y)[0, 1]",
    **{
        f"scipy.sparse.linalg.{name}": f"autodiff.implicit.linear_solve(lambda v: A @ v, b, method='{method}')"
        for names, method in _KRYLOV.items()
        for name in names
    },
    **{f"scipy.optimize.{name}": remedy for names, remedy in _OF_OPTIMIZE.items() for name in names},
}
"""A function of SciPy without a counterpart → what to write instead."""
