"""Machine code of programs: steps become instructions, instructions kernels, which are loops, and kernels LLVM's text.

A program goes through these modules in this order; where LLVM is not installed, none of them is read.

Steps, and what is left to Python:
- ``blocks``, ``lowering``: a program taken apart into blocks of instructions and steps of Python's.
- ``instructions``, ``areas``: what an instruction is, and where in memory its operands are.
- ``steps``, ``along``, ``writing``, ``choosing``, ``products``, ``contractions``, ``systems``, ``complexes``: rows as
  instructions: elementwise ones, those along axes, assignments, elements that are chosen, matrices, complex numbers.

Loops of Python's, found again:
- ``rolling``, ``periods``, ``columns``: instructions that repeat themselves, and their operands in all rounds.
- ``dependence``, ``beside``, ``loops``: what of a body can be done for all its rounds at once, and in which order.

Instructions, joined to kernels:
- ``factoring``, ``overlaps``, ``grids``, ``narrowing``: less to compute, and less memory in between.
- ``uses``, ``fusing``, ``sinking``: what may stand in one loop.
- ``unrolling``, ``quotients``: less work in the innermost loop.
- ``arranging``, ``in_place``, ``pieces``, ``work``: their order, their memory, and what pays to be shared by threads.

Text:
- ``printing``, ``values``, ``code``: a kernel in LLVM's language, for any count of lanes.
- ``calling``, ``blas``: kernels that BLAS and LAPACK compute.
- ``forms``, ``elementary``, ``approximation``, ``exponentials``, ``logarithms``, ``circular``, ``powers``,
  ``error_functions``: elementwise rows as straight code.

Machine code:
- ``engine``, ``addresses``, ``store``: it is made, loaded and kept.
- ``entry``, ``python``, ``pool``: a block as a function of Python's, and the threads that it shares its loops out to.
"""
