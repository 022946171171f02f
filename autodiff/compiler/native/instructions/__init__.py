"""What an instruction is: an elementwise form in loops over a shape, of areas of memory.

- ``areas``: where in memory the elements of an array are.
- ``instruction``: instructions, groups of them, and a block of both.
- ``uses``: what has been written and read so far, and so, where an instruction may stand.
"""
