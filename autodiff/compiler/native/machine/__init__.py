"""What machine code meets: LLVM, the C API of Python and NumPy, BLAS, threads, the disk.

- ``engine``, ``addresses``, ``store``: machine code is made, loaded and kept.
- ``python``, ``blas``: the functions that it calls, and where an object keeps what; ``asking``: what it asks of
  arguments and guards.
- ``pool``: the threads that it shares its loops out to.
"""
