"""The state of a training in a file, so that one that was broken off goes on with the numbers of an unbroken one."""

from __future__ import annotations

import os
import pickle
from contextlib import suppress
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.files import path_of
from .module import Module
from .optimisers import Optimiser

MAGIC = b"autodiff training 1\n"


class Kept:
    """A file with all that the epochs to come depend on; it is replaced as a whole, so that it is always a whole one.

    It is pickled: open no file of somebody whom you do not trust.
    """

    def __init__(
        self, path: Any, net: Module, optimiser: Optimiser, generator: Any, curves: dict[str, list[float]]
    ) -> None:
        self.path = path_of(path, "fit: keep is a file")
        self.net, self.optimiser, self.curves = net, optimiser, curves
        own = [x for _, module in net.named_modules() for x in vars(module).values()]
        drawing = [x for x in (generator, *own) if isinstance(x, np.random.Generator)]
        self.generators = list({id(x): x for x in drawing}.values())

    def taken(self) -> bool:
        """Take over what the file has, if there is one; return whether that training had ended.

        ValueError where it is of another training.
        """
        if not self.path.exists():
            return False
        data = self.path.read_bytes()
        if not data.startswith(MAGIC):
            raise ValueError(f"fit: {self.path} is no file of a training{user_line()}")
        found = pickle.loads(data[len(MAGIC) :])
        if found["kinds"] != self._kinds():
            raise ValueError(
                f"fit: {self.path} is of another training: give what that one was given, or another file{user_line()}"
            )
        self.net.load_state_dict(found["net"])
        vars(self.optimiser).update(found["optimiser"])
        for generator, state in zip(self.generators, found["generators"], strict=True):
            generator.bit_generator.state = state
        for name, curve in found["curves"].items():
            self.curves[name][:] = curve
        return bool(found["ended"])

    def keep(self, ended: bool) -> None:
        """Replace the file, which is on the disk when this returns; OSError where it is full: the file stays then."""
        settings = {name: x for name, x in vars(self.optimiser).items() if name != "parameters"}
        state = {"kinds": self._kinds(), "net": self.net.state_dict(), "optimiser": settings, "ended": ended,
                 "generators": [x.bit_generator.state for x in self.generators], "curves": self.curves}  # fmt: skip
        beside = self.path.with_name(f"{self.path.name}.new")
        try:
            with beside.open("wb") as file:
                file.write(MAGIC + pickle.dumps(state, pickle.HIGHEST_PROTOCOL))
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self.path)
        except OSError as error:
            with suppress(OSError):
                beside.unlink()
            what = f"{self.path} takes no more, {error.strerror}: it has the epoch before{user_line()}"
            raise OSError(error.errno, what) from error

    def _kinds(self) -> Any:
        """Return what two runs of one training have in common."""
        shapes = {path: (x.shape, x.dtype.str) for path, x in self.net.state_dict().items()}
        return type(self.optimiser).__name__, len(self.optimiser.parameters), shapes, [*self.curves]
