"""Parts on the workers of a Dask cluster.

Whatever is sent is a task that holds it, not scattered data: what is lost with a worker the scheduler makes again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Thread
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.structures import flatten
from .programs import Results
from .teams import PartError, Team, sent, shown
from .work import LEAVES, Source, Task, branch, held, made, read, together, work

LARGE = 1 << 20
"""From so many bytes of results on they are added on the workers."""

LOST = ("cancelled", "lost")
"""What Dask says of a future that will not come."""

POLL = 0.5
"""How often, in seconds, it is looked whether the cluster is still there."""


class Cluster(Team):
    """A client of ``dask.distributed``: the parts lie on its workers, which get a task for each at every evaluation."""

    ships = True

    def __init__(self, client: Any, timeout: float, *given: Any) -> None:
        super().__init__(*given)
        self.client, self.timeout = client, timeout
        self._sent: dict[str, Any] = {}
        self.check()
        with _of_any_size():
            self.parts = list(map(self._placed, self.parts))

    def _placed(self, part: Any) -> Any:
        """Return a part as a future, or as what is read at every evaluation."""
        from dask.base import is_dask_collection
        from dask.delayed import delayed
        from distributed import Future

        if isinstance(part, Future):
            return part
        given = part.of if isinstance(part, Source) and part.loader is made else part
        if any(map(is_dask_collection, flatten(given)[0])):
            return self.client.compute(delayed(given))
        if isinstance(part, Source):
            return self.client.submit(read, replace(part, token=""), pure=False) if part.token else part
        if any(isinstance(x, Future) for x in flatten(part)[0]):
            return self.client.submit(together, part, pure=False)
        return self.client.submit(held, sent(part), pure=False)

    def check(self) -> None:
        """Raise ConnectionError where the client is closed."""
        if self.client.status in ("closed", "closing"):
            raise ConnectionError(f"the Dask client is closed: make another one, and the sum anew with it{user_line()}")

    def results(self, task: Task, stacked: Sequence[int | None], shared: Any, own: list[list[Any]]) -> list[Results]:
        self.check()
        client, several = self.client, len(self.parts)
        most = 1 if sum(np.asarray(x).nbytes for x in shared) * several > LARGE else LEAVES
        with _of_any_size():
            if task.token not in self._sent:
                self._sent[task.token] = client.submit(held, sent(task), pure=False)
            given = client.submit(held, sent(shared), pure=False)
            found = of_parts = client.map(
                work, [self._sent[task.token]] * several, [given] * several, own, self.parts, pure=False)  # fmt: skip
            while len(found) > most:
                blocks = [found[k : k + LEAVES] for k in range(0, len(found), LEAVES)]
                found = [client.submit(branch, block, stacked, pure=False) for block in blocks]
        self._wait(found, of_parts)
        for k, future in enumerate(of_parts):
            if future.status in ("error", *LOST):
                raise self._failed(k, future)
        return list(client.gather(found))

    def _wait(self, futures: Sequence[Any], of_parts: Sequence[Any]) -> None:
        """Wait until futures have ended; ConnectionError where there is no cluster for as long as the timeout."""
        from distributed import wait
        from distributed.client import FuturesCancelledError

        marks, marked, well = iter(shown(range(len(of_parts)), self.progress)), 0, time.monotonic()
        while True:
            try:
                wait(futures, timeout=POLL)
                return
            except TimeoutError:
                now = time.monotonic()
            except FuturesCancelledError as error:
                if self.client.status == "running":
                    return  # a part was lost
                raise self._no_cluster() from error
            self.check()
            well = now if self._is_there() else well
            if now - well > self.timeout:
                raise self._no_cluster()
            while self.progress and marked < sum(future.done() for future in of_parts):
                marked = next(marks) + 1

    def _is_there(self) -> bool:
        """Return whether there are a scheduler, which is not waited for longer than the timeout, and a worker."""
        answers: list[Any] = []

        def ask() -> None:
            with suppress(Exception):  # of a scheduler that is lost meanwhile
                answers.append(self.client.scheduler_info()["workers"])

        asking = Thread(target=ask, daemon=True)
        asking.start()
        asking.join(self.timeout)
        return self.client.status == "running" and any(answers)

    def _no_cluster(self) -> ConnectionError:
        what = "has no workers" if self.client.status == "running" else "has lost its scheduler"
        return ConnectionError(f"the Dask client {what}; timeout={self.timeout:g} says how many seconds that may last"
                               f"{user_line()}")  # fmt: skip

    def _failed(self, number: int, future: Any) -> PartError:
        """Return the error of a part whose task did not end well, with the error of that as its cause."""
        if future.status == "error":
            return PartError.of(number, self.names[number], future.exception(timeout=self.timeout))
        lost = [k for k, part in enumerate(self.parts) if getattr(part, "status", "") in LOST]  # and all tasks with it
        number = (*lost, number)[0]
        return PartError(number, self.names[number], "was lost with the worker that it was scattered to: give it as a "
                         f"file, a function that makes it, or a delayed{user_line()}")  # fmt: skip


def _of_any_size() -> Any:
    """Return the context in which Dask does not warn that much is sent: it is data."""
    import dask

    return dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"})
