"""Kernels in LLVM's language.

- ``printing``: loops, the innermost one over vectors; ``calling``: kernels that BLAS and LAPACK compute.
- ``memory``: loads and stores of rows of elements; ``totals``: sums of many short ones.
- ``values``: of which kind a value is, which go on from round to round, and which stay in registers.
- ``quotients``: divisions by one divisor, which share its reciprocal.
"""
