"""The kinds of number: what a number is, arrays of them and their views, dual numbers, batches, foreign arrays."""
