"""Transforms, convolutions, interpolation, polynomials."""
