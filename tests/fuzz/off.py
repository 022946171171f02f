"""What the fuzzer leaves out until it is mended: to be emptied."""

OFF = {
    "last bits": "of complex products in place, and of the grad of a leaf in single precision",
    "number": "functions of NumPy of a Python number have Python's types",
    "no axes": "a value is an array of no axes where NumPy gives a number, or the other way",
    "{v} * range(2)": "not taken for an array by a number with a derivative",
    "lists": "a list is not taken for an array by a number with a derivative",
    "{n}[()]": "numbers of NumPy cannot be indexed",
    "{n}[...]": "the same",
    "{n}[None]": "the same",
    "{t} = np.ascontiguousarray({a})": "the array itself where it is not contiguous",
    "np.copyto({T}, {v} + 0, where={mask})": "of a source with more axes than the target, which are 1",
    "more axes": "an operand of more axes than the target, added to it in place, is no error",
    "jacfwd(lambda q: np.sum(q ** 2) * {n})({n})": "of an array without elements, inside jvp, is read-only",
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
