"""Taylor numbers, which carry all derivatives up to an order.

``number`` is the number itself, made of a ``series`` of coefficients. ``propagation`` extends a row of the table to it
by an ``operation``, in which each function that the derivative consists of is made once; ``equations`` has the rules of
rows that solve an equation. ``polynomials`` is the algebra of complete series of floats, written out for speed.

Of ``short`` series of floats ``codes`` has Python functions for each row; ``straight_line`` writes them from what the
operation does to ``symbols``. A row of a user's has none: its partial is applied to ``shorter`` series.
"""
