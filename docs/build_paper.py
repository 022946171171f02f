"""Builds Dual-Algebra.pdf from Dual-Algebra.typ and the rules: ``python docs/build_paper.py``."""

import json
from pathlib import Path

import typst
from elementary_table import table

SOURCE = Path(__file__).with_name("Dual-Algebra.typ")
PAPER = SOURCE.parent.parent / "Dual-Algebra.pdf"


def build() -> bytes:
    """The paper as a PDF: the same bytes anywhere, for one source, table and version of typst."""
    compiler = typst.Compiler(SOURCE, ignore_system_fonts=True, sys_inputs={"table": json.dumps(table())})
    return compiler.compile()


if __name__ == "__main__":
    PAPER.write_bytes(build())
