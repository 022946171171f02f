"""Instructions with less to compute and less memory in between.

- ``factoring``, ``overlaps``, ``grids``: sums with a common factor, and sums of parts that overlap, in less passes.
- ``slicing``: loops over large arrays, slice by slice, which stay in the cache.
- ``narrowing``: room for one round where a value is read in no other.
- ``neighbours``: what loops over grids have computed, computed again where it is read.
"""
