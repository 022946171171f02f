"""Products, diagonals, systems of equations, determinants, decompositions, norms."""
