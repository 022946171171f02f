"""The kinds of number: how a row of the table extends to each.

What all of them share:
- ``number``, ``array``, ``views``: a number, one that is an array, a view of an array.
- ``operators``, ``arguments``, ``ufunc_methods``, ``ndarray_attributes``: Python's operators, and what NumPy asks.
- ``surface``: all of these written out, for editors and type checkers.
- ``beside_sparse``, ``notation``: beside a sparse matrix of SciPy's, and as text.

The kinds:
- ``dual``: a value with its tangent; ``pushforward`` is what a row does to it. ``nested``, ``dual_arrays`` and
  ``weighted`` are short ways for scalars of several levels and for plain arrays; ``folded`` is one of two levels that
  is held as a short Taylor series.
- ``taylor``: a value with all its derivatives up to an order.
- ``batch``: many tangents of one value.
- ``mapped``: many values at a time.
- ``typed``: a number of another type than Python's and NumPy's.
"""
