"""Instructions joined to kernels: loops, each with a straight body.

- ``fusing``, ``sinking``: what may stand in one loop.
- ``unrolling``: products of small matrices, whose loop is written out.
- ``arranging``, ``in_place``, ``pieces``, ``work``: their order, their memory, and what pays to be shared by threads.
"""
