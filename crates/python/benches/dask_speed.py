"""How fast a sweep of 10,000 cells is over two Dask workers of one thread, beside the command on two threads.

    python crates/python/benches/dask_speed.py target/release/arqway [--rounds 5]

Both run the same experiment and write the same results, in turns; the files are compared. The workers and their
scheduler are processes of their own that speak TCP on loopback, and are there before the clock is read, as a
cluster is.
Beside the time on the wall stands the processor time of all processes: on a machine that has other work, only that can
be trusted.
"""

from __future__ import annotations

import argparse
import filecmp
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import arqway
import psutil
from distributed import Client

STUDY = """
[experiment]
id = "speed"
replications = 500

[scenario]
base = "monet08"
set = { "file-transfer.size" = "SIZE", "wireless.errors" = { kind = "uniform", loss = "0 %" } }

[sweep]
"wireless.errors.loss" = ["0 %", "1.5 %", "2.5 %", "5.4 %", "9.8 %"]

[[scheme]]
use = "raw"

[[scheme]]
use = "sr:0.9"

[[scheme]]
use = "sr:1.3"

[[scheme]]
use = "rlc"

[[figure]]
id = "throughput"
y = "file-transfer.throughput"
"""


def cluster(folder: Path) -> list[psutil.Process]:
    """Begin a scheduler and two workers."""
    file = str(folder / "scheduler.json")
    scheduler = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    worker = ["distributed.cli.dask_worker", "--host", "127.0.0.1", "--no-dashboard", "--nthreads", "1", "--no-nanny"]
    worker += ["--local-directory", str(folder)]
    commands = [[sys.executable, "-m", *command, "--scheduler-file", file] for command in (scheduler, worker, worker)]
    quiet = subprocess.DEVNULL
    return [psutil.Process(subprocess.Popen(command, stdout=quiet, stderr=quiet).pid) for command in commands]


def spent(processes: list[psutil.Process]) -> float:
    """Tell the processor time of some processes and of the children that this one waited for, in seconds."""
    ours = psutil.Process().cpu_times()
    others = [process.cpu_times() for process in processes]
    return ours.user + ours.system + ours.children_user + ours.children_system + sum(t.user + t.system for t in others)


def measured(run: Callable[[], object], processes: list[psutil.Process]) -> tuple[float, float]:
    """Tell how long something takes: on the wall, and on all processors."""
    wall, processor = time.perf_counter(), spent(processes)
    run()
    return time.perf_counter() - wall, spent(processes) - processor


def main() -> None:
    """Measure, and print a line a round."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", help="the command, built in release")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", default="400 kB", help="of the file that is sent in each cell")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = folder / "speed.toml"
        study.write_text(STUDY.replace("SIZE", arguments.size))
        processes = cluster(folder)
        try:
            with Client(scheduler_file=str(folder / "scheduler.json"), timeout=60) as client:
                client.wait_for_workers(2, timeout=60)
                compare(client, arguments.command, study, folder, processes, arguments.rounds)
        finally:
            for process in processes:
                process.kill()


def compare(
    client: Client, command: str, study: Path, folder: Path, processes: list[psutil.Process], rounds: int
) -> None:
    """Run both in turns."""
    experiment = arqway.Experiment.read(study)

    def by_the_command() -> None:
        typed = [command, "run", str(study), "--jobs", "2", "--out", str(folder / "command")]
        subprocess.run(typed, check=True, capture_output=True)

    def by_dask() -> None:
        # Not pure: what was run in the round before must not be taken from there.
        experiment.run(executor=client.get_executor(pure=False)).write(folder / "dask")

    ratios: list[tuple[float, float]] = []
    print("round  command: wall s  processor s  Dask: wall s  processor s  speed: wall  processor")
    for number in range(rounds + 1):
        (wall, processor), (dask_wall, dask_processor) = (
            measured(by_the_command, processes),
            measured(by_dask, processes),
        )
        # The first round warms up.
        if number > 0:
            ratios.append((wall / dask_wall, processor / dask_processor))
            figures = f"{wall:15.2f} {processor:12.2f} {dask_wall:13.2f} {dask_processor:12.2f}"
            print(f"{number:5} {figures} {ratios[-1][0]:12.3f} {ratios[-1][1]:10.3f}", flush=True)
    for name in ("rows.csv", "rows.parquet", "report.html"):
        assert filecmp.cmp(folder / "command" / name, folder / "dask" / name, shallow=False), f"{name} differs"
    for what, values in zip(("wall", "processor"), zip(*ratios, strict=True), strict=True):
        spread = f"median {statistics.median(values):.3f}, {min(values):.3f} to {max(values):.3f}"
        print(f"Dask over the command by {what}: {spread}")


if __name__ == "__main__":
    main()
