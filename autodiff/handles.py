"""Which class the handle on a line of a tape has."""

from __future__ import annotations


class _Classes(dict[tuple[type, bool], type]):
    """(type of a value, whether it carries a derivative) → the class of its handle."""

    def __missing__(self, key: tuple[type, bool]) -> type:
        from .locally_constant import class_of

        self[key] = answer = class_of(*key)
        return answer


CLASS = _Classes()
