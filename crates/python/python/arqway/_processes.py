"""Processes of this machine that run tasks, one at a time each; whoever uses them learns of those that have died.

A pool of ``concurrent.futures`` has one pipe for the results of all its workers::

    worker --+
    worker --+--> reader          killed while it writes: half a result, and the reader waits for the rest for ever
    worker --+

A result has 200 kB and a pipe holds 64, so a worker is often in the middle of one. Here each worker has a pipe of its
own, whose other end goes with it: half a result is the end of that worker, and of nobody else.
"""

from __future__ import annotations

import contextlib
import dataclasses
import multiprocessing
import multiprocessing.connection
import signal
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess
    from types import TracebackType


@dataclasses.dataclass
class _Worker:
    process: SpawnProcess
    pipe: Connection
    task: int | None = None
    """What it works on, if anything."""


class Processes:
    """At most ``jobs`` processes that call ``call`` with the octets of a task.

    Leaving them by an exception stops what is under way.
    """

    def __init__(self, jobs: int, call: Callable[[bytes], bytes]) -> None:
        self._jobs = jobs
        self._call = call
        self._workers: list[_Worker] = []

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for worker in self._workers:
            worker.pipe.close()
            if kind is not None:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join()

    @property
    def are_idle(self) -> bool:
        """Whether no task is under way."""
        return all(worker.task is None for worker in self._workers)

    @property
    def have_room(self) -> bool:
        """Whether one more task can be handed out."""
        return sum(worker.task is not None for worker in self._workers) < self._jobs

    def hand_out(self, number: int, task: bytes) -> None:
        """Have a task run, where there is room for one; ``number`` is its name."""
        idle = next((worker for worker in self._workers if worker.task is None), None)
        worker = idle or self._begin()
        worker.task = number
        # A worker that has died meanwhile is found when its result is awaited.
        with contextlib.suppress(OSError):
            worker.pipe.send_bytes(task)

    def ended(self) -> Iterator[tuple[int, bytes | None]]:
        """Wait until a task has ended, and say which have, with what; ``None`` if the process has died.

        What ``call`` has raised there is raised here, when all results that are there have been given.
        """
        raised: Exception | None = None
        busy = [worker for worker in self._workers if worker.task is not None]
        ends: list[Any] = [end for worker in busy for end in (worker.pipe, worker.process.sentinel)]
        ready = multiprocessing.connection.wait(ends)
        for worker in busy:
            if worker.pipe not in ready and worker.process.sentinel not in ready:
                continue
            number, result = worker.task, _received(worker.pipe)
            assert number is not None
            worker.task = None
            if result is None:
                self._remove(worker)
            if isinstance(result, Exception):
                raised = result
            else:
                yield number, result
        if raised is not None:
            raise raised

    def _begin(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self._call), daemon=True)
        process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours))
        return self._workers[-1]

    def _remove(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.kill()
        worker.process.join()


def _received(pipe: Connection) -> bytes | Exception | None:
    """What a worker has sent, if it lived long enough to send all of it."""
    try:
        received: bytes | Exception | None = pipe.recv() if pipe.poll() else None
    except (EOFError, OSError):
        return None
    return received


def _work(pipe: Connection, call: Callable[[bytes], bytes]) -> None:
    """Run tasks until nobody is there who would send one: the life of a worker."""
    # Ctrl-C reaches all processes of a terminal, but only one of them should report it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            task = pipe.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            result: bytes | Exception = call(task)
        except Exception as error:
            result = error
        pipe.send(result)
