"""Kernels in LLVM's language.

- ``printing``: loops, the innermost one over vectors; ``calling``: kernels that BLAS and LAPACK compute.
- ``values``: of which kind a value is, and which go on from round to round.
- ``quotients``: divisions by one divisor, which share its reciprocal.
"""
