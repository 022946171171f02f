"""What the fuzzer leaves out until it is mended: to be emptied."""

OFF = {
    "last bits": "of complex products, which NumPy rounds by how arrays lie, and of derivatives inside a program",
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
