"""Whose code runs: ours, NumPy's, SciPy's, another package's or the user's own. It is read off the stack."""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from types import FrameType, TracebackType
from typing import Any, NamedTuple

from .names import public_module

_ABOVE, *_ = os.path.realpath(__file__).rsplit(os.sep, 3)
_OURS = tuple(f"{_ABOVE}{os.sep}{name}{os.sep}" for name in ("dualnumbers", "autodiff"))
_DOORS = tuple(_OURS[1] + name for name in ("forward.py", "runs.py", "linearization.py", f"compiler{os.sep}paths.py"))
_INSTALLED = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))
_STANDARD = os.path.realpath(os.__file__).removesuffix("os.py")


class Place(NamedTuple):
    """Where in its code a frame is: its instruction, as ``co_positions`` counts them twice, and its line."""

    frame: FrameType
    instruction: int
    line: int

    def __str__(self) -> str:
        return f"{self.frame.f_code.co_filename}:{self.line}"


def stack() -> Iterator[FrameType]:
    """Yield the frames that run now, innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def running(frames: Iterable[FrameType]) -> Iterator[Place]:
    """Yield the places of frames that run now."""
    return (Place(frame, frame.f_lasti, frame.f_lineno) for frame in frames)


def raised(traceback: TracebackType | None) -> list[Place]:
    """Return the places through which an error came, innermost first."""
    places = []
    while traceback is not None:
        places.append(Place(traceback.tb_frame, traceback.tb_lasti, traceback.tb_lineno))
        traceback = traceback.tb_next
    return places[::-1]


def module_of(frame: FrameType) -> str:
    """Return the name of the module whose code a frame runs."""
    return str(frame.f_globals.get("__name__", ""))


def is_ours(frame: FrameType) -> bool:
    """Return whether a frame runs code of these packages."""
    return frame.f_code.co_filename.startswith(_OURS)


def is_door(frame: FrameType) -> bool:
    """Return whether a frame is of the modules that call the functions which are differentiated."""
    return frame.f_code.co_filename in _DOORS


def is_users(frame: FrameType) -> bool:
    """Return whether a frame runs code outside these packages, NumPy and SciPy."""
    return not is_ours(frame) and module_of(frame).partition(".")[0] not in ("numpy", "scipy")


@cache
def _is_library(path: str) -> bool:
    return any(name in path for name in _INSTALLED) or path.startswith(("<frozen", _STANDARD))


def is_standard(frame: FrameType) -> bool:
    """Return whether a frame runs code of the standard library, such as what calls a decorated function."""
    path = frame.f_code.co_filename
    return path.startswith(_STANDARD) and not any(name in path for name in _INSTALLED)


def is_own(frame: FrameType) -> bool:
    """Return whether a frame runs code that the user wrote: no installed package, none of the standard library."""
    return is_users(frame) and not _is_library(frame.f_code.co_filename)


class Reader(NamedTuple):
    """A line of code that read a value: kept while its frame is not."""

    file: str
    line: int

    def __str__(self) -> str:
        """Return its text and its place; the place alone where the text is not to be had."""
        text = linecache.getline(self.file, self.line).strip()
        return f"{text} ({self.file}:{self.line})" if text else f"{self.file}:{self.line}"


def reader() -> Reader | None:
    """Return the line of code outside these packages, NumPy and SciPy that runs now."""
    frame = next(filter(is_users, stack()), None)
    return None if frame is None else Reader(frame.f_code.co_filename, frame.f_lineno)


class Fault(NamedTuple):
    """Where something happens: ``within`` NumPy and SciPy, called ``by`` a place, at an ``own`` one of the user.

    The modules ``between`` these two are of packages. No frame of ours is kept: it would hold itself.

    ``inside`` says that the user's own line only starts the differentiation: what is differentiated is a package's.
    """

    within: list[FrameType]
    between: list[str]
    by: Place | None
    own: Place | None
    inside: bool

    @property
    def code(self) -> Place | None:
        """The place whose code is at fault: the user's own, or else that of the package that is differentiated."""
        return self.by if self.inside or self.own is None else self.own

    def __str__(self) -> str:
        """Return `` (at file:line)`` of the user's own line, if there is one."""
        place = self.own or self.by
        return "" if place is None else f" (at {place})"


def fault(places: Iterable[Place]) -> Fault:
    """Return where something happens, found from the places that led there, innermost first."""
    within: list[FrameType] = []
    between: list[str] = []
    by: Place | None = None
    first: Place | None = None
    inside = False
    for place in places:
        if by is None and is_users(place.frame):
            by = place
        if by is None:
            within += [] if is_ours(place.frame) else [place.frame]
        elif is_own(place.frame):
            first = place
            break
        else:
            between.append(module_of(place.frame))
            inside = inside or is_door(place.frame)
    return Fault(within, between, by, first, inside and first is not None)


# ------------------------------------------------------------------------------------------------ SciPy's functions


def scipy_function(frames: Iterable[FrameType]) -> str:
    """Return the outermost SciPy function among the frames, as ``scipy.module.name``; empty if there is none."""
    name = ""
    for frame in frames:
        module, method = module_of(frame), frame.f_code.co_name
        if not module.startswith("scipy."):
            continue  # to look at the locals of a frame that holds the error would make a cycle
        wrapped: Any = frame.f_locals.get("f")
        if method == "wrapper" and module == "scipy._lib._util" and hasattr(wrapped, "__name__"):  # over a stack
            module, method = wrapped.__module__, wrapped.__name__
        if not module.startswith("scipy._lib"):
            self = frame.f_locals.get("self")
            distribution = getattr(getattr(self, "dist", self), "name", None)  # also of a frozen one
            owner = [distribution] if isinstance(distribution, str) else []
            if method == "__ua_function__":  # scipy.fft
                method = frame.f_locals["method"].__name__
            elif method in ("__init__", "__call__"):
                method = getattr(self, "__name__", type(self).__name__).removesuffix("_gen").removesuffix("_frozen")
            elif method == "wrapper" and hasattr(frame.f_locals.get("fun"), "__name__"):  # of scipy.special
                method = frame.f_locals["fun"].__name__
            elif method == "axis_nan_policy_wrapper":  # of scipy.stats
                method = frame.f_locals["hypotest_fun_in"].__name__
            path = [public_module(module, method), *owner, method]
            nameless = method.startswith("__")  # an operator
            name = ".".join(path[:-1] if nameless else path)
    return name
