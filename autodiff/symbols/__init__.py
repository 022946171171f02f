"""Formulas of what the rules say and of what a program computed.

- ``formula``: a number that notes what is done to it; ``terms``: what it notes, sums of products.
- ``notation``: how a formula is spelt, for a terminal, in LaTeX, in Typst.
- ``rules``, ``lines``, ``latex``: formulas of the rules of the table, of the lines of a tape, of a derivative.
"""
