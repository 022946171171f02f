"""LLVM, where llvmlite is installed: it makes machine code of text in its language."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from .addresses import TABLE, Addresses
from .store import fetch, has, keep, name_of

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
        addresses = Addresses()
        text = f"define ptr @first() {{\n  %x = {addresses.load(42)}\n  ret ptr %x\n}}\n{addresses.definition}"
        machine = Machine(text, addresses=addresses.values)
        return bool(ctypes.CFUNCTYPE(ctypes.c_void_p)(machine.address("first"))() == 42)
    except Exception:
        return False


@cache
def _processor() -> tuple[Any, str, str]:
    """Return LLVM's target for this processor, which is made ready, the processor's name, and what it can do."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return (llvm.Target.from_default_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())


@cache
def lanes() -> int:
    """Return how many doubles a vector has on this processor."""
    features = llvm.get_host_cpu_features()
    return 8 if features.get("avx512f") else 4 if features.get("avx") else 2


@cache
def _versions() -> tuple[str, ...]:
    """Return what machine code of one text depends on, beside that text."""
    package, llvmlite = import_module("autodiff"), import_module("llvmlite")
    return (package.__version__, llvmlite.__version__, str(llvm.llvm_version_info), llvm.get_process_triple(),
            *_processor()[1:])  # fmt: skip


class Machine:
    """Machine code, as long as this object lives; of level 0 it is made ten times faster, and runs slower."""

    def __init__(self, text: str, level: int = 2, addresses: Sequence[int] = ()) -> None:
        of, name, features = _processor()
        target = of.create_target_machine(cpu=name, features=features, opt=level, jit=True)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(_code(text, level, target)))
        self._engine.finalize_object()
        if addresses:
            start = self.global_address(TABLE)
            if not start:
                raise RuntimeError("the table of addresses is not found")
            (ctypes.c_void_p * len(addresses)).from_address(start)[:] = list(addresses)

    def global_address(self, name: str) -> int:
        """Return the address of a global value."""
        found: int = self._engine.get_global_value_address(name)
        return found

    def address(self, name: str) -> int:
        """Return the address of a function."""
        found: int = self._engine.get_function_address(name)
        return found


def is_kept(text: str, level: int) -> bool:
    """Return whether the machine code of a text is on disk, from an earlier process or from this one."""
    return has(_name(text, level))


def _name(text: str, level: int) -> str:
    return name_of(*_versions(), str(level), text)


def _code(text: str, level: int, target: Any) -> bytes:
    """Return the machine code of a text: that which is kept, or else it is made."""
    name = _name(text, level)
    found = fetch(name)
    if found is None:
        module = llvm.parse_assembly(text)
        module.verify()
        found = bytes(target.emit_object(module))
        keep(name, found)
    return found
