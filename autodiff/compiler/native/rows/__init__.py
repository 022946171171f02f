"""Rows of the table as instructions.

- ``steps``: elementwise rows and views; ``along``: those along axes, as moments and cumulative sums.
- ``writing``, ``choosing``: assignments and joining, and elements that arrays of places choose.
- ``products``, ``contractions``, ``systems``: products of matrices, sums over labelled axes, linear systems.
- ``complexes``: what the others do, of complex numbers; ``deciding``: how what was decided by a value is looked at.
- ``rules``, ``copying``: which of them a step is for; and steps that are alike, for which it is asked once.
"""
