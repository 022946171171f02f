"""LLVM, where llvmlite is installed: it makes machine code of text in its language."""

from __future__ import annotations

from functools import cache

try:
    from llvmlite import binding as llvm
except ImportError:
    llvm = None


@cache
def is_there() -> bool:
    """Return whether code can be made for this processor: llvmlite is installed, and a first function is made."""
    if llvm is None:
        return False
    try:
        return Machine("define i64 @first() {\n  ret i64 42\n}").address("first") != 0
    except Exception:
        return False


@cache
def _started() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@cache
def lanes() -> int:
    """Return how many doubles a vector has on this processor."""
    features = llvm.get_host_cpu_features()
    return 8 if features.get("avx512f") else 4 if features.get("avx") else 2


class Machine:
    """Machine code, as long as this object lives; of level 0 it is made ten times faster, and runs slower."""

    def __init__(self, text: str, level: int = 2) -> None:
        _started()
        module = llvm.parse_assembly(text)
        module.verify()
        features = llvm.get_host_cpu_features().flatten()
        target = llvm.Target.from_default_triple().create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=features, opt=level, jit=True
        )
        self._engine = llvm.create_mcjit_compiler(module, target)
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Return the address of a function."""
        found: int = self._engine.get_function_address(name)
        return found
