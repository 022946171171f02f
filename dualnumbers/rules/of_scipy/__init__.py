"""The rules of SciPy's functions, one file a family; read when the first of them is called."""

from .. import families, families_of

families()  # some have functions of SciPy's as well
for _room in ("linalg", "special"):
    families_of(f"{__name__}.{_room}")
