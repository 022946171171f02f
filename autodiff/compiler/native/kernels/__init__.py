"""Instructions joined to kernels: loops, each with a straight body.

- ``fusing``, ``sinking``: what may stand in one loop.
- ``unrolling``, ``joining``: products of small matrices, whose loop is written out, and what goes on with them.
- ``narrow_products``: products by BLAS in stretches of small ones.
- ``turns``: arrays of a loop that take turns in the memory of a few.
- ``arranging``, ``in_place``, ``pieces``, ``work``: their order, their memory, and what pays to be shared by threads.
"""
