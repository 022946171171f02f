"""``scipy.linalg``: matrix equations, functions of matrices, structured and sparse systems."""
