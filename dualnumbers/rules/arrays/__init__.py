"""Functions that make, join, choose, rearrange and write elements of arrays."""
