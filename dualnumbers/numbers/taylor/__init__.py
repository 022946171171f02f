"""Taylor numbers, which carry all derivatives up to an order.

``number`` is the number itself, made of a ``series`` of coefficients. ``propagation`` extends a row to it, and says in
which ways. The general one is an ``operation``, in which each function that the derivative consists of is made once;
``equations`` has the rules of rows that solve an equation.

For series of floats there are faster ones. Of ``short`` series ``codes`` looks up Python functions for each row, which
``straight_line`` writes from what the operation does to ``symbols``; ``users_rows`` is for rows that have none, and
``polynomials`` is the algebra of longer series.
"""
