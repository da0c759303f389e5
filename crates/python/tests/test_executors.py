"""A sweep on many processes: the results are those of one, whoever runs it and whatever happens to them."""

from __future__ import annotations

import concurrent.futures as futures
import multiprocessing
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from arqway import Experiment, Results, _arqway, _processes, executors

STUDY = """
[experiment]
id = "shared"
replications = 900

[scenario]
base = "monet08"
set = { "file-transfer.size" = "5 kB", "wireless.errors" = { kind = "uniform", loss = "0 %" } }

[sweep]
"wireless.errors.loss" = ["0 %", "5.4 %"]

[[scheme]]
use = "raw"

[[scheme]]
use = "sr:0.9"

[[figure]]
id = "throughput"
y = "file-transfer.throughput"
"""
PIECES = 4


@pytest.fixture(scope="module")
def experiment() -> Experiment:
    """Two schemes at two points, so often that it comes in four pieces."""
    return Experiment.from_toml(STUDY, name="shared.toml")


@pytest.fixture(scope="module")
def plain(experiment: Experiment, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Write what a run without an executor does."""
    return written(experiment.run(), tmp_path_factory.mktemp("plain"))


def written(results: Results, folder: Path) -> dict[str, bytes]:
    """Every file of some results but pieces, by its name."""
    results.write(folder)
    files = (path for path in folder.rglob("*") if path.is_file() and path.parent.name != "pieces")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def dies_in_the_first_task(task: bytes) -> bytes:
    """Work for a pool whose worker is killed."""
    os.kill(os.getpid(), signal.SIGKILL)
    return task


def raises_while_another_waits(task: bytes) -> bytes:
    """Work that never ends for the first who is given some, and fails for all others."""
    try:
        Path(os.environ["WAITS"]).touch(exist_ok=False)
    except FileExistsError:
        raise ValueError("this is not a task") from None
    signal.pause()
    return task


def dies_while_it_sends(pipe: Connection, call: Callable[[bytes], bytes]) -> None:
    """Live as a worker that is killed in the middle of its first result; those after the first live on."""
    try:
        Path(os.environ["DIED"]).touch(exist_ok=False)
    except FileExistsError:
        _processes._work(pipe, call)
        return
    call(pipe.recv_bytes())
    os.write(pipe.fileno(), struct.pack("!i", 1000) + b"the first of a thousand octets")
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_a_pool_of_processes_makes_the_same_bytes(
    experiment: Experiment, plain: dict[str, bytes], tmp_path: Path, start: str
) -> None:
    with futures.ProcessPoolExecutor(2, multiprocessing.get_context(start)) as pool:
        assert written(experiment.run(executor=pool), tmp_path) == plain


def test_a_pool_of_threads_makes_the_same_bytes_and_tells_of_every_piece(
    experiment: Experiment, plain: dict[str, bytes], tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    with futures.ThreadPoolExecutor(2) as pool:
        results = experiment.run(executor=pool, progress=lambda *now: told.append(now))
    assert written(results, tmp_path) == plain
    assert len(told) == PIECES + 1
    assert (told[0], told[-1]) == ((0, 3600), (3600, 3600))
    assert told == sorted(told)


class Counting(futures.ThreadPoolExecutor):
    """Counts what is handed out."""

    submitted = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        self.submitted += 1
        return super().submit(fn, *args, **kwargs)


def abroad(experiment: Experiment, pool: Counting, once: Callable[[], None]) -> list[int]:
    """Run eight pieces: how many are under way each time that one is finished; `once` is called the first time."""
    seen: list[int] = []

    def progress(*_: int) -> None:
        seen.append(pool.submitted - len(seen) + 1)
        if len(seen) == 2:
            once()

    experiment.run(replications=2000, executor=pool, progress=progress)
    assert pool.submitted == 8
    return seen[1:]


def test_only_so_many_pieces_are_handed_out_at_once(experiment: Experiment) -> None:
    with Counting(1) as pool:
        assert max(abroad(experiment, pool, lambda: None)) == 4


def test_workers_that_come_later_are_given_pieces_too(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "_ASK_AGAIN_S", 0.001)
    with Counting(1) as pool:
        assert max(abroad(experiment, pool, lambda: setattr(pool, "_max_workers", 2))) > 4


def test_what_is_kept_is_not_run_again_by_whoever_goes_on(
    experiment: Experiment, plain: dict[str, bytes], tmp_path: Path
) -> None:
    experiment.run(replications=250, resume=tmp_path)
    assert len(list(tmp_path.glob("pieces/*.piece"))) == 1
    told: list[tuple[int, int]] = []
    results = experiment.run(executor="processes", jobs=2, resume=tmp_path, progress=lambda *now: told.append(now))
    assert told[0] == (1000, 3600)
    assert written(results, tmp_path) == plain
    told.clear()
    experiment.run(resume=tmp_path, progress=lambda *now: told.append(now))
    assert told == [(3600, 3600)]


def test_a_damaged_piece_is_told_and_run_again(experiment: Experiment, plain: dict[str, bytes], tmp_path: Path) -> None:
    experiment.run(resume=tmp_path)
    piece = min(tmp_path.glob("pieces/*.piece"))
    piece.write_bytes(piece.read_bytes()[:-1])
    with pytest.warns(UserWarning, match="it is cut short: .*; its runs will be repeated"):
        results = experiment.run(resume=tmp_path)
    assert written(results, tmp_path) == plain


def test_a_given_pool_that_breaks_is_told_and_what_is_finished_is_kept(experiment: Experiment, tmp_path: Path) -> None:
    with futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(futures.BrokenExecutor):
            pool.submit(dies_in_the_first_task, b"").result()
        with pytest.raises(executors.WorkersDied, match=r"replaces dead workers.*continues there"):
            experiment.run(executor=pool, resume=tmp_path)
    assert experiment.run(resume=tmp_path).runs == 3600


def test_processes_of_our_own_are_replaced_when_they_die(
    experiment: Experiment, plain: dict[str, bytes], tmp_path: Path
) -> None:
    killed: list[int] = []

    def kill_one(finished: int, planned: int) -> None:
        if finished and not killed:
            process = multiprocessing.active_children()[0]
            assert process.pid is not None
            killed.append(process.pid)
            process.kill()

    results = experiment.run(executor="processes", jobs=2, progress=kill_one)
    assert killed
    assert written(results, tmp_path) == plain


def test_half_a_result_of_a_process_that_dies_holds_nobody_up(
    experiment: Experiment, plain: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    died = tmp_path / "died"
    monkeypatch.setenv("DIED", str(died))
    monkeypatch.setattr(_processes, "_work", dies_while_it_sends)
    results = experiment.run(executor="processes", jobs=2)
    assert died.exists()
    assert written(results, tmp_path / "out") == plain


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_piece_whose_processes_die_again_and_again_is_told(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(executors, "run_task", dies_in_the_first_task)
    with pytest.raises(executors.WorkersDied, match="died 3 times while they ran the same piece"):
        experiment.run(executor="processes", jobs=jobs)
    assert not multiprocessing.active_children()


def test_what_a_task_raises_in_a_process_is_raised_here_and_ends_the_others(
    experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAITS", str(tmp_path / "waits"))
    monkeypatch.setattr(executors, "run_task", raises_while_another_waits)
    with pytest.raises(ValueError, match="this is not a task"):
        experiment.run(executor="processes", jobs=2)
    assert not multiprocessing.active_children()


def test_ctrl_c_ends_threads_and_keeps_what_is_finished(experiment: Experiment, tmp_path: Path) -> None:
    def interrupt(finished: int, planned: int) -> None:
        if finished:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        experiment.run(resume=tmp_path, jobs=1, progress=interrupt)
    assert len(list(tmp_path.glob("pieces/*.piece"))) == 1


def test_workers_do_not_hold_the_lock_of_the_interpreter(experiment: Experiment) -> None:
    pieces = _arqway.Pieces(experiment._study.plan(None, None, False), None)
    task, ran = pieces.task(0), threading.Event()

    def work() -> None:
        executors.run_task(task)
        ran.set()

    thread = threading.Thread(target=work)
    thread.start()
    turns = 0
    while not ran.is_set():
        turns += 1
    thread.join()
    assert turns > 100, "nobody else got a turn"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"executor": "slurm"}, 'expected an Executor, "processes", "dask" or "dask://host:port"'),
        ({"executor": futures.ThreadPoolExecutor(1), "jobs": 2}, "an executor sets its own number of workers"),
        ({"executor": "processes", "jobs": 0}, "jobs must be a whole number from 1"),
    ],
)
def test_what_is_no_executor_is_told(experiment: Experiment, arguments: dict[str, object], word: str) -> None:
    with pytest.raises(ValueError, match=word.replace("(", r"\(")):
        experiment.run(**arguments)  # type: ignore[arg-type]


def test_bytes_that_are_no_task_are_refused() -> None:
    for octets in (b"", b"something else", b"arqway-task 9 x 0 y\n"):
        with pytest.raises(ValueError, match="it is"):
            executors.run_task(octets)


class Cluster:
    """A Dask scheduler and workers, processes of their own that speak TCP on loopback."""

    def __init__(self, folder: Path, workers: int) -> None:
        file = folder / "scheduler.json"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
        self.processes = [subprocess.Popen([*dask, *options], **quiet)]  # type: ignore[call-overload]
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file), "--no-nanny"]
        for _ in range(workers):
            options = ["--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1", "--local-directory", str(folder)]
            self.processes.append(subprocess.Popen([*worker, *options], **quiet))  # type: ignore[call-overload]
        distributed = pytest.importorskip("distributed")
        with distributed.Client(scheduler_file=str(file), timeout=60) as client:
            client.wait_for_workers(workers, timeout=60)
            self.address = client.scheduler.address.replace("tcp://", "dask://")

    def end(self) -> None:
        """End all of it."""
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Begin a scheduler and two workers, and end them."""
    pytest.importorskip("distributed")
    cluster = Cluster(tmp_path, 2)
    yield cluster
    cluster.end()


@pytest.mark.filterwarnings("default")
def test_a_dask_cluster_makes_the_same_bytes(
    experiment: Experiment, plain: dict[str, bytes], cluster: Cluster, tmp_path: Path
) -> None:
    assert written(experiment.run(executor=cluster.address), tmp_path / "out") == plain


@pytest.mark.filterwarnings("default")
def test_a_dask_worker_that_is_killed_midway_changes_no_byte(
    experiment: Experiment, plain: dict[str, bytes], cluster: Cluster, tmp_path: Path
) -> None:
    def kill_one(finished: int, planned: int) -> None:
        if finished:
            cluster.processes[1].kill()

    results = experiment.run(executor=cluster.address, progress=kill_one)
    assert cluster.processes[1].wait() == -signal.SIGKILL
    assert written(results, tmp_path / "out") == plain


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("is_given", [False, True])
def test_a_result_that_dask_loses_while_it_arrives_is_still_a_result(
    experiment: Experiment,
    plain: dict[str, bytes],
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_given: bool,
) -> None:
    distributed = pytest.importorskip("distributed")
    arrive = distributed.Future._result

    async def arrive_and_lose(future: Any, raiseit: bool = True) -> Any:
        result = await arrive(future, raiseit)
        future._state.lose()
        return result

    with distributed.Client(cluster.address.replace("dask://", "tcp://")) as client:
        monkeypatch.setattr(distributed.Future, "_result", arrive_and_lose)
        executor = client.get_executor() if is_given else cluster.address
        assert written(experiment.run(executor=executor), tmp_path / "out") == plain


@pytest.mark.filterwarnings("default")
def test_what_is_cancelled_is_cancelled_at_the_dask_cluster(cluster: Cluster) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster.address.replace("dask://", "tcp://")) as client:

        def wait_for(tasks: int) -> None:
            end = time.monotonic() + 60
            while client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) != tasks:
                assert time.monotonic() < end, f"there are never {tasks} tasks"

        future = executors._Dask(client).submit(time.sleep, 3600)
        wait_for(1)
        assert future.cancel()
        wait_for(0)
        assert futures.wait([future], timeout=60).done


@pytest.mark.slow
def test_ray_makes_the_same_bytes(experiment: Experiment, plain: dict[str, bytes], tmp_path: Path) -> None:
    ray = pytest.importorskip("ray")
    try:
        assert written(experiment.run(executor=executors.RayExecutor()), tmp_path) == plain
    finally:
        ray.shutdown()
