"""The rules of SciPy's functions, one file a family; read when the first of them is called."""

from .. import read

for _room in ("linalg", "special"):
    read(f"{__name__}.{_room}")
