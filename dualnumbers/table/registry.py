"""The table itself: what is registered while the rules are imported, by name and by NumPy's function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TABLE: dict[str, Any] = {}
"""Every table function by its name; a name with an underscore in front is for the other rows only."""

MAKERS: dict[str, tuple[str, str, tuple[Any, ...]]] = {}
"""Of a row that a `language.family` made, by its name, how to make it: module and name of the family, the arguments."""

BY_NUMPY: dict[Any, Callable[..., Any]] = {}
"""The table function (its NumPy face) of each NumPy function, ufunc and SciPy ufunc name."""

BY_VALUES: dict[str, tuple[str, ...]] = {}
"""The public names of functions that decide by values, which a lazy array has not computed; and of the arguments of
which, () for all."""

COMPOSITIONS: dict[str, Callable[..., Any]] = {}
"""Every function that is written in table functions, by the public name of the one that it stands for."""
