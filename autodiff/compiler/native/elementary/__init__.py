"""Elementwise functions as straight code in LLVM's language, for any count of lanes.

- ``code``: straight code, operation by operation; ``approximation``: what polynomial approximations are made of.
- ``exponentials``, ``logarithms``, ``circular``, ``powers``, ``error_functions``: the functions, by family.
- ``functions``: which of them there are; ``forms``: what a row of the table is in straight code.
"""
