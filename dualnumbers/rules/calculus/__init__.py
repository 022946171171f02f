"""Calculus of sampled functions, by differences of neighbours and by sums."""
