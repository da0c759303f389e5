"""Run a study on many processes or many machines.

``Experiment.run(executor=...)`` cuts a plan into pieces of about a second, has an executor run each of them, and merges
the results. A task is a few kilobytes and refers to no file; a result has a checksum. The merged results are those of a
run without an executor, bit for bit::

    experiment.run(executor="processes", jobs=8)                 # processes of this machine
    experiment.run(executor="dask://scheduler.example:8786")     # a Dask cluster
    experiment.run(executor=RayExecutor())                       # a Ray cluster
    experiment.run(executor=any_executor)                        # any concurrent.futures.Executor
"""

from __future__ import annotations

import collections
import concurrent.futures as futures
import contextlib
import importlib
import math
import os
import time
import warnings
from collections.abc import Callable
from typing import Any

from arqway import _arqway
from arqway._processes import Processes
from arqway._progress import Progress

__all__ = ["RayExecutor", "WorkersDied"]

_Path = str | os.PathLike[str]

_TRIES = 3
"""How often a piece is tried whose process dies."""

_ASK_AGAIN_S = 1.0
"""How often an executor is asked how many workers it has."""


class WorkersDied(RuntimeError):
    """The workers of an executor have died, and it accepts no more tasks."""


def run_task(task: bytes) -> bytes:
    """Run a piece: the function that workers call."""
    return _arqway.run_task(task)


def run(
    plan: _arqway.Plan,
    executor: futures.Executor | str | None,
    resume: _Path | None,
    jobs: int | None,
    progress: Progress | None,
) -> _arqway.Results:
    """Run a plan's pieces wherever the executor does."""
    run_them = _driver(executor, resume, jobs)
    pieces = _arqway.Pieces(plan, resume)
    for refused in pieces.refused:
        warnings.warn(f"{refused}; its runs will be repeated", stacklevel=3)
    waiting = _Waiting(pieces, progress)
    if waiting.left:
        run_them(waiting)
    return pieces.results()


def _driver(
    executor: futures.Executor | str | None, resume: _Path | None, jobs: int | None
) -> Callable[[_Waiting], None]:
    """Choose what runs the pieces, or raise an error."""
    if executor is None:
        return lambda waiting: _in_threads(waiting, jobs)
    if executor == "processes":
        return lambda waiting: _in_processes(waiting, jobs)
    if executor == "dask":
        return lambda waiting: _by_dask(waiting, None, jobs)
    is_address = isinstance(executor, str) and executor.startswith("dask://")
    if not is_address and not isinstance(executor, futures.Executor):
        right = 'expected an Executor, "processes", "dask" or "dask://host:port"'
        raise ValueError(f"{executor!r} is not an executor: {right}")
    if jobs is not None:
        raise ValueError("an executor sets its own number of workers: give either `executor` or `jobs`")
    if isinstance(executor, futures.Executor):
        return lambda waiting: _given(waiting, executor, resume)
    return lambda waiting: _by_dask(waiting, executor.replace("dask://", "tcp://"), None)


class _Waiting:
    """The unfinished pieces, and the callback for progress."""

    def __init__(self, pieces: _arqway.Pieces, progress: Progress | None) -> None:
        self.pieces = pieces
        self.left = list(range(len(pieces)))
        """The pieces still to be handed out."""
        self.progress = progress
        self.planned = pieces.planned
        self.finished = pieces.planned - pieces.missing
        self.tell()

    def add(self, piece: bytes) -> None:
        self.finished += self.pieces.add(piece)
        self.tell()

    def tell(self) -> None:
        if self.progress is not None:
            self.progress(self.finished, self.planned)


def _through(waiting: _Waiting, executor: futures.Executor, call: Callable[[bytes], bytes]) -> None:
    """Hand pieces out and take them in, so many at a time that all workers are busy and the memory stays small."""
    most, asked = 0, -math.inf
    flying: set[futures.Future[bytes]] = set()
    try:
        while waiting.left or flying:
            # Workers of a cluster may come later than the study, and go.
            if time.monotonic() > asked + _ASK_AGAIN_S:
                most, asked = 3 * _workers(executor) + 1, time.monotonic()
            while waiting.left and len(flying) < most:
                flying.add(executor.submit(call, waiting.pieces.task(waiting.left.pop(0))))
            done, _ = futures.wait(flying, timeout=_ASK_AGAIN_S, return_when=futures.FIRST_COMPLETED)
            # Of several that have ended, those with a result first: an exception must not take them along.
            for future in sorted(done, key=lambda future: future.cancelled() or future.exception() is not None):
                waiting.add(future.result())
                flying.remove(future)
    finally:
        for future in flying:
            future.cancel()


def _workers(executor: futures.Executor) -> int:
    """How many tasks an executor runs at once, if it says so."""
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "nthreads"):
        return int(max(sum(client.nthreads().values()), 1))
    for name in ("_max_workers", "num_workers"):
        workers = getattr(executor, name, None)
        if isinstance(workers, int) and workers > 0:
            return workers
    return _arqway.cores()


def _given(waiting: _Waiting, executor: futures.Executor, resume: _Path | None) -> None:
    if type(executor).__module__ == "distributed.cfexecutor":
        given: Any = executor
        executor = _Dask(given._client, **given._kwargs)
    try:
        _through(waiting, executor, run_task)
    except futures.BrokenExecutor as error:
        kept = (
            "" if resume is None else f" Finished runs are kept in {os.fspath(resume)}: the same call continues there."
        )
        raise WorkersDied(
            "a worker of the executor has died, and the executor accepts no more tasks; make a new one, or use"
            f' executor="processes", which replaces dead workers.{kept}'
        ) from error


def _in_threads(waiting: _Waiting, jobs: int | None) -> None:
    stop = _arqway.Stop()
    with futures.ThreadPoolExecutor(jobs or _arqway.cores()) as pool:
        try:
            _through(waiting, pool, lambda task: _arqway.run_task(task, stop))
        except BaseException:
            stop.at_once()
            raise


def _in_processes(waiting: _Waiting, jobs: int | None) -> None:
    """Run in processes of our own, replacing those that die."""
    deaths: collections.Counter[int] = collections.Counter()
    with Processes(jobs or _arqway.cores(), run_task) as processes:
        while waiting.left or not processes.are_idle:
            while waiting.left and processes.have_room:
                number = waiting.left.pop(0)
                processes.hand_out(number, waiting.pieces.task(number))
            for number, piece in processes.ended():
                if piece is not None:
                    waiting.add(piece)
                    continue
                waiting.left.insert(0, number)
                deaths[number] += 1
                if deaths[number] == _TRIES:
                    raise WorkersDied(
                        f"processes have died {_TRIES} times while they ran the same piece: is there enough memory, "
                        'and is the script protected by `if __name__ == "__main__":`?'
                    )


def _by_dask(waiting: _Waiting, address: str | None, jobs: int | None) -> None:
    """Run on a Dask cluster, or on a new one on this machine, with single-threaded processes."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError as error:
        raise ImportError("Dask is not installed: pip install 'arqway[dask]'") from error
    with contextlib.ExitStack() as stack:
        at: Any = address
        if address is None:
            cluster = distributed.LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None)
            at = stack.enter_context(cluster)
        client = stack.enter_context(distributed.Client(at))
        _through(waiting, _Dask(client), run_task)


class _Dask(futures.Executor):
    """A Dask cluster as an executor.

    ``client.get_executor()`` takes a result for an exception if the worker that has it dies while it arrives.
    """

    def __init__(self, client: Any, **options: Any) -> None:
        self._client = client
        self._options = {**options, "pure": False}

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """Call a function somewhere in the cluster."""
        theirs = self._client.submit(fn, *args, **kwargs, **self._options)
        ours: futures.Future[Any] = futures.Future()
        ours.add_done_callback(lambda ours: theirs.cancel() if ours.cancelled() else None)
        theirs.add_done_callback(lambda theirs: _settle(ours, theirs))
        return ours


def _settle(ours: futures.Future[Any], theirs: Any) -> None:
    """Pass on what has become of a task at the cluster, which repeats it if the result is lost on its way."""
    result, error = None, None
    try:
        result = theirs.result()
    except BaseException as raised:
        error = raised
    if not ours.set_running_or_notify_cancel():
        return
    if error is None:
        ours.set_result(result)
    else:
        ours.set_exception(error)


class RayExecutor(futures.Executor):
    """Ray as an executor: each task runs on one core of the cluster that ``ray.init`` has connected to.

    Parameters
    ----------
    options
        Options of ``ray.remote``, such as ``num_cpus=1`` or ``max_retries=3``.
    """

    def __init__(self, **options: Any) -> None:
        self._ray = importlib.import_module("ray")
        if not self._ray.is_initialized():
            self._ray.init()
        self._options = {"num_cpus": 1, **options}
        self._remote: dict[Callable[..., Any], Any] = {}

    @property
    def _max_workers(self) -> int:
        return max(int(self._ray.cluster_resources().get("CPU", 1)), 1)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """Call a function somewhere in the cluster."""
        # Each of them is sent to the whole cluster: one for a function, not one for a call.
        if fn not in self._remote:
            self._remote[fn] = self._ray.remote(**self._options)(fn)
        future: futures.Future[Any] = self._remote[fn].remote(*args, **kwargs).future()
        return future
