"""Builds the papers from their Typst sources and the rules: ``python docs/build_paper.py``."""

import inspect
import json
from collections.abc import Callable
from pathlib import Path

import typst
from elementary_table import table

from dualnumbers.rules.linalg import products

FOLDER = Path(__file__).parent


def row_of_matmul() -> list[str]:
    """The row of the matrix product, and the two adjoint maps that it names, as they stand in the table."""
    row = next(line for line in inspect.getsource(products).splitlines() if line.startswith("matmul = "))
    return [row, *(inspect.getsource(map).rstrip() for map in (products._matmul_left, products._matmul_right))]


INPUTS: dict[str, Callable[[], dict[str, str]]] = {
    "Dual-Algebra": lambda: {"table": json.dumps(table())},
    "Chain-Rule-on-Matrix-Multiplication": lambda: {"row": json.dumps(row_of_matmul())},
}
"""Name of a paper → what of the code is printed in it."""


def paper(name: str) -> Path:
    """Where the paper lies."""
    return FOLDER.parent / f"{name}.pdf"


def build(name: str) -> bytes:
    """The paper as a PDF: the same bytes anywhere, for one source, table and version of typst."""
    compiler = typst.Compiler(FOLDER / f"{name}.typ", ignore_system_fonts=True, sys_inputs=INPUTS[name]())
    return compiler.compile()


if __name__ == "__main__":
    for name in INPUTS:
        paper(name).write_bytes(build(name))
