"""Machine code of programs: steps become instructions, instructions kernels, which are loops, and kernels LLVM's text.

A program goes through these in this order; where LLVM is not installed, none of them is read. Each folder needs only
those of the list below that stand before it.

- ``blocks``, ``lowering``, ``readers``: a program taken apart into blocks of instructions and steps of Python's.
- ``rows``: steps as instructions; ``loops``: loops found again in them; ``savings``: less to compute and to keep.
- ``kernels``: instructions joined; ``text``: kernels in LLVM's language.
- ``entry``: a block as a function of Python's, which runs its kernels.

What these are made of: ``instructions``; ``elementary``, functions as straight code; ``machine``: LLVM, Python, BLAS,
threads, the disk.
"""
