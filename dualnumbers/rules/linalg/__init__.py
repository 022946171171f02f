"""Products, systems of equations, decompositions, norms."""
