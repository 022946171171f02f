"""A fuzzer of whole programs: random source text, the plain NumPy run and polynomials along lines as its oracle."""
