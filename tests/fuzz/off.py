"""What the fuzzer leaves out until it is mended: to be emptied."""

OFF = {
    "number": "functions of NumPy of a Python number have Python's types",
    "0-d": "an array of no axes is no alias",
    "no axes": "a value is an array of no axes where NumPy gives a number, or the other way",
    "last bits": "values that differ from NumPy's in the last bits: z **= 2 of complex arrays, solve of reversed ones",
    "np.broadcast_arrays({v}, {v})[0]": "read-only where NumPy's is the array itself",
    "np.place({T}, {T} > {k}, {v})": "of values that overlap the target",
    "{v} * range(2)": "not taken for an array by a number with a derivative",
    "lists": "a list is not taken for an array by a number with a derivative",
    "{n}[()]": "numbers of NumPy cannot be indexed",
    "{n}[...]": "the same",
    "{n}[None]": "the same",
    "{n}.ravel()": "a view where NumPy copies, of some layouts",
    "{n}.ravel('F')": "the same",
    "{n}.ravel('K')": "the same",
    "{n}.reshape(-1)": "the same",
    "{n}.reshape((-1, 1))": "the same",
    "{a}.reshape(-1, order='F')": "the same",
    "np.reshape({n}, (1, -1))": "the same",
    "np.ravel({n})": "the same",
    "{t} = {a}.ravel()\n{t}[{i}] = {s}": "the same",
    "{t} = {a}.reshape(-1)\n{t} += {k}": "the same",
    "{n}.copy()": "the copy has another layout",
    "{a}.copy(order='F')": "the same",
    "np.copy({n})": "the same",
    "{n}.astype(float)": "the same",
    "np.copyto({T}, {v} + 0, where={mask})": "of a source with more axes than the target, which are 1",
    "{T}.imag[...] = {k}": "of a real array without effect in place of an error",
    "np.meshgrid({a}, {a})[0]": "read-only of a plain array and a number with a derivative",
    "np.fill_diagonal({T}, {v})": "of no values",
    "{v} + (0.5 - 0.3j)": "of a real array, written in place, forward: the imaginary part of the tangent is lost",
    "{t} = np.ascontiguousarray({a})": "the array itself where it is not contiguous",
    "np.floor({v}) * {v}": "a locally constant array may not be written to in reverse mode",
}
"""What is known to be faulty and is not drawn, and why: families, templates, kinds of arguments, groups."""


def table(families: dict[str, str]) -> dict[str, list[str]]:
    """The templates of each family, less those that are switched off."""
    lines = {
        family: [line.strip().replace("\\n", "\n") for line in text.splitlines()] for family, text in families.items()
    }
    return {
        family: [line for line in templates if line and line not in OFF]
        for family, templates in lines.items()
        if family not in OFF
    }
