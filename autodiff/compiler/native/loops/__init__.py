"""Loops of Python's, found again in instructions that repeat themselves.

- ``rolling``: the instructions as loops; ``periods``, ``columns``: where they repeat themselves, and their operands in
  all rounds.
- ``dependence``, ``beside``, ``following``: what of a body can be done for all its rounds at once, what had better not
  be, and in which order.
- ``layout``: the loop, and the memory of its values; ``stretching``, ``elements``: it goes on over rounds that were
  left out, and through the elements that these read.
"""
