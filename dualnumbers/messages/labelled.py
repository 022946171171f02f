"""How an operation on columns of a table is written for arrays. Runs on the error path alone."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from .code import Code, root_of
from .shortening import LABELLED, Written

OF_COLUMNS = {"add": ast.Add(), "div": ast.Div(), "divide": ast.Div(), "dot": ast.MatMult(), "floordiv": ast.FloorDiv(),
              "mod": ast.Mod(), "mul": ast.Mult(), "multiply": ast.Mult(), "pow": ast.Pow(), "sub": ast.Sub(),
              "subtract": ast.Sub(), "truediv": ast.Div()}  # fmt: skip
"""A method of a column → the operation that it is."""


def with_labels(code: Code, road: str, rank: int) -> Written | None:
    """Compute ``p * df["x"]``: columns of a table are taken as arrays."""
    node, to = code.whole, ""
    if isinstance(code.statement, ast.AugAssign) and code.node in (code.statement, code.statement.target):
        target = code.statement.target
        node, to = ast.BinOp(target, code.statement.op, code.statement.value), f"{ast.unparse(target)} = "
    if not isinstance(node, (ast.BinOp, ast.Compare, ast.Call, ast.Subscript)):
        return None
    old, arrays = ast.unparse(node), _ToArrays(code)
    new = ast.unparse(arrays.visit(ast.parse(old, mode="eval").body))
    if not arrays.columns:
        return None
    statement = ast.unparse(code.statement) if to else old
    return Written(statement) if arrays.unknown else Written(statement, f"{to}{new}")


class _ToArrays(ast.NodeTransformer):
    """Columns as arrays. ``unknown``: what is done with one is known to another package alone."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.columns = self.unknown = False

    def visit(self, node: ast.AST) -> Any:
        if self._is_column(node):
            self.columns = True
            return ast.Call(ast.Attribute(node, "to_numpy", ast.Load()), [], [])  # type: ignore[arg-type]
        method = node.func if isinstance(node, ast.Call) else node
        owner = getattr(method, "value", None)
        if isinstance(owner, ast.AST) and self._is_column(owner):
            operation = OF_COLUMNS.get(getattr(method, "attr", ""))
            if operation and isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
                return self.visit(ast.BinOp(owner, operation, node.args[0]))  # type: ignore[arg-type]
            self.columns = self.unknown = True
        before, self.columns = self.columns, False
        visited = super().visit(node)
        self.unknown |= self.columns and isinstance(node, ast.Call) and not self._is_of_arrays(node.func)
        self.columns |= before
        return visited

    def _is_of_arrays(self, node: ast.AST) -> bool:
        function = self.code.meaning(node)
        module = str(getattr(function, "__module__", "")).partition(".")[0]
        return isinstance(function, np.ufunc) or module in ("autodiff", "dualnumbers", "numpy")

    def _is_column(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            kind = self.code.meaning(node.func) if not self.code.number_in(*node.args, *node.keywords) else None
            return (
                isinstance(kind, type) and kind.__module__.partition(".")[0] in LABELLED and hasattr(kind, "to_numpy")
            )
        value = self.code.meaning(node)
        return root_of(value) in LABELLED and hasattr(type(value), "to_numpy")
