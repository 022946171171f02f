"""Threads that machine code shares its loops out to: they wait in native code, and need nothing of Python's.

A kernel is a function of the numbers of its first and last piece. Who comes first takes the next piece, and what is in
a piece, is always the same; so the result is the same for any number of threads.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from string import Template

from .addresses import Addresses
from .engine import Machine
from .python import of_python

MOST = 64
"""How many threads there are at most beside the one that calls."""

GONE = ctypes.c_ulong(-1).value
"""What CPython gives for a thread that could not be started."""

TEXT = Template("""@lock = global ptr null
@begin = global [$most x ptr] zeroinitializer
@done = global [$most x ptr] zeroinitializer
@waiting = global i64 0
@kernel = global ptr null
@pointers = global ptr null
@count = global i64 0
@next = global i64 0

define internal void @work() {
start:
  %f = load ptr, ptr @kernel
  %table = load ptr, ptr @pointers
  %count = load i64, ptr @count
  br label %take
take:
  %k = atomicrmw add ptr @next, i64 1 seq_cst
  %more = icmp ult i64 %k, %count
  br i1 %more, label %piece, label %end
piece:
  %after = add i64 %k, 1
  call void %f(ptr %table, i64 0, i64 %k, i64 %after)
  br label %take
end:
  ret void
}

define void @wait(ptr %given) {
start:
  %number = ptrtoint ptr %given to i64
  %begins = getelementptr ptr, ptr @begin, i64 %number
  %dones = getelementptr ptr, ptr @done, i64 %number
  %begin = load ptr, ptr %begins
  %done = load ptr, ptr %dones
  %acquire = $acquire
  %release = $release
  br label %next
next:
  %got = call i32 %acquire(ptr %begin, i32 1)
  call void @work()
  call void %release(ptr %done)
  br label %next
}

define void @share(ptr %f, ptr %table, i64 %count, i64 %others) {
start:
  %acquire = $acquire
  %release = $release
  %waiting = load i64, ptr @waiting
  %fewer = icmp ult i64 %waiting, %others
  %helpers = select i1 %fewer, i64 %waiting, i64 %others
  %none = icmp eq i64 %helpers, 0
  br i1 %none, label %alone, label %ask
ask:
  %lock = load ptr, ptr @lock
  %free = call i32 %acquire(ptr %lock, i32 0)
  %taken = icmp eq i32 %free, 0
  br i1 %taken, label %alone, label %share
alone:
  call void %f(ptr %table, i64 0, i64 0, i64 %count)
  ret void
share:
  store ptr %f, ptr @kernel
  store ptr %table, ptr @pointers
  store i64 %count, ptr @count
  store atomic i64 0, ptr @next seq_cst, align 8
  br label %wake
wake:
  %w = phi i64 [ 0, %share ], [ %w1, %wake ]
  %place = getelementptr ptr, ptr @begin, i64 %w
  %one = load ptr, ptr %place
  call void %release(ptr %one)
  %w1 = add i64 %w, 1
  %others_wait = icmp ult i64 %w1, %helpers
  br i1 %others_wait, label %wake, label %own
own:
  call void @work()
  br label %back
back:
  %v = phi i64 [ 0, %own ], [ %v1, %came ]
  %place2 = getelementptr ptr, ptr @begin, i64 %v
  %two = load ptr, ptr %place2
  %asleep = call i32 %acquire(ptr %two, i32 0)
  %not_begun = icmp ne i32 %asleep, 0
  br i1 %not_begun, label %came, label %await
await:
  %place3 = getelementptr ptr, ptr @done, i64 %v
  %three = load ptr, ptr %place3
  %ready = call i32 %acquire(ptr %three, i32 1)
  br label %came
came:
  %v1 = add i64 %v, 1
  %more = icmp ult i64 %v1, %helpers
  br i1 %more, label %back, label %end
end:
  call void %release(ptr %lock)
  ret void
}
""")
"""What a thread that waits does, and how a kernel is shared out, in LLVM's language; the locks are CPython's."""


class Pool:
    """The threads of this process."""

    def __init__(self) -> None:
        addresses = Addresses()
        locks = {name: addresses.load(of_python(f"PyThread_{name}_lock")) for name in ("acquire", "release")}
        text = TEXT.substitute(locks, most=MOST) + addresses.definition
        self._machine = Machine(text, addresses=addresses.values)
        self.share = self._machine.address("share")
        """The address of the function that shares out: of a kernel, its table, the pieces, how many others may help."""
        for name, kind, of in (
            ("allocate_lock", ctypes.c_void_p, []),
            ("acquire_lock", ctypes.c_int, [ctypes.c_void_p, ctypes.c_int]),
            ("start_new_thread", ctypes.c_ulong, [ctypes.c_void_p, ctypes.c_void_p]),
        ):
            function = getattr(ctypes.pythonapi, f"PyThread_{name}")
            function.restype, function.argtypes = kind, of
        self._waiting = ctypes.c_int64.from_address(self._machine.global_address("waiting"))
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        """Begin without threads, as in a child process, which has none of its parent's."""
        self._waiting.value = 0
        self._place("lock").value = ctypes.pythonapi.PyThread_allocate_lock()

    def _place(self, name: str, number: int = 0) -> ctypes.c_void_p:
        return ctypes.c_void_p.from_address(self._machine.global_address(name) + 8 * number)

    def grow(self, count: int) -> None:
        """Start threads until there are as many; fewer, if no more can be started."""
        python = ctypes.pythonapi
        while self._waiting.value < min(count, MOST):
            number = self._waiting.value
            for name in ("begin", "done"):
                lock = python.PyThread_allocate_lock()
                python.PyThread_acquire_lock(lock, 1)
                self._place(name, number).value = lock
            if python.PyThread_start_new_thread(self._machine.address("wait"), number) == GONE:
                return
            self._waiting.value = number + 1


@cache
def pool() -> Pool:
    """Return the pool of this process, which is never given up: its threads wait in its code."""
    return Pool()
