"""What a program's entry asks for, once written for all arguments and guards: arrays of a form, truth values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .addresses import Addresses
from .python import C_ORDER


def asking(addresses: Addresses, of_arrays: bool, of_guards: bool) -> Iterator[str]:
    """Yield the texts of the functions that are called for arguments that are arrays, and for guards."""
    if of_arrays:
        yield _elements(addresses)
    if of_guards:
        yield _HOLDING


def _elements(addresses: Addresses) -> str:
    """Return the text of a function that gives the pointer to an array's elements; null of what is no such array.

    It has the dtype's object, so many axes, and the extents that are given, and its elements are in order.
    """
    return f"""define internal ptr @elements(ptr %x, ptr %of, i32 %rank, ptr %shape) {{
  %type.at = getelementptr i8, ptr %x, i64 8
  %type = load ptr, ptr %type.at
  %array = {addresses.load(id(np.ndarray))}
  %is.array = icmp eq ptr %type, %array
  br i1 %is.array, label %look, label %none
look:
  %dtype.at = getelementptr i8, ptr %x, i64 56
  %dtype = load ptr, ptr %dtype.at
  %is.of = icmp eq ptr %dtype, %of
  %flags.at = getelementptr i8, ptr %x, i64 64
  %flags = load i32, ptr %flags.at
  %order = and i32 %flags, {C_ORDER}
  %in.order = icmp eq i32 %order, {C_ORDER}
  %axes.at = getelementptr i8, ptr %x, i64 24
  %axes = load i32, ptr %axes.at
  %same.rank = icmp eq i32 %axes, %rank
  %both = and i1 %is.of, %in.order
  %right = and i1 %both, %same.rank
  br i1 %right, label %extents, label %none
extents:
  %own.at = getelementptr i8, ptr %x, i64 32
  %own = load ptr, ptr %own.at
  br label %ask
ask:
  %axis = phi i32 [ 0, %extents ], [ %next, %compare ]
  %is.done = icmp eq i32 %axis, %rank
  br i1 %is.done, label %all, label %compare
compare:
  %n.at = getelementptr i64, ptr %own, i32 %axis
  %n = load i64, ptr %n.at
  %wanted.at = getelementptr i64, ptr %shape, i32 %axis
  %wanted = load i64, ptr %wanted.at
  %same = icmp eq i64 %n, %wanted
  %next = add i32 %axis, 1
  br i1 %same, label %ask, label %none
all:
  %data.at = getelementptr i8, ptr %x, i64 16
  %data = load ptr, ptr %data.at
  ret ptr %data
none:
  ret ptr null
}}"""


_HOLDING = """define internal i64 @holding(ptr %truths, i64 %count, i1 %answer) {
  br label %ask
ask:
  %k = phi i64 [ 0, %0 ], [ %next, %look ]
  %is.done = icmp eq i64 %k, %count
  br i1 %is.done, label %done, label %look
look:
  %at = getelementptr i8, ptr %truths, i64 %k
  %truth = load i8, ptr %at
  %is.true = icmp ne i8 %truth, 0
  %holds = icmp eq i1 %is.true, %answer
  %next = add i64 %k, 1
  br i1 %holds, label %ask, label %done
done:
  ret i64 %k
}"""
"""The text of a function that tells how many of so many truth values, one after the other, are the answer wanted."""
