"""Runs: the same results whoever asks, however many threads; progress; Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import arqway
import pytest
from conftest import SMALL


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path in it."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.mark.parametrize("arguments", [[], ["--seed", "7", "--replications", "2"], ["--quick"]])
def test_what_is_written_is_what_the_command_writes(arguments: list[str], tmp_path: Path, command: Path) -> None:
    file = tmp_path / "it's small (1).toml"
    file.write_text(SMALL)
    subprocess.run([command, "run", file, *arguments, "--out", tmp_path / "theirs"], check=True, capture_output=True)
    options = {"--seed": "seed", "--replications": "replications"}
    numbers = (
        dict(zip(map(options.get, arguments[::2]), map(int, arguments[1::2]), strict=True))
        if len(arguments) > 1
        else {}
    )
    results = arqway.Experiment.read(file).run(quick="--quick" in arguments, **numbers)  # type: ignore[arg-type]
    results.write(tmp_path / "ours")
    ours, theirs = files(tmp_path / "ours"), files(tmp_path / "theirs")
    assert list(ours) == list(theirs)
    assert [name for name in ours if ours[name] != theirs[name]] == []


def test_a_figure_of_a_paper_is_written_as_the_command_writes_it(tmp_path: Path, command: Path) -> None:
    figure = ["reproduce", "monet08", "fig3", "--quick", "--seeds", "1"]
    subprocess.run([command, *figure, "--out", tmp_path / "theirs"], check=True, capture_output=True)
    arqway.figure("monet08", "fig3").run(quick=True).write(tmp_path / "ours")
    ours, theirs = files(tmp_path / "ours"), files(tmp_path / "theirs")
    assert [name for name in theirs if ours.get(name) != theirs[name]] == []


def test_results_do_not_depend_on_the_number_of_threads(small: arqway.Experiment) -> None:
    one, three = (small.run(jobs=jobs).rows.to_pydict() for jobs in (1, 3))
    assert one == three


def test_experiments_run_in_several_threads_at_once(small: arqway.Experiment) -> None:
    with ThreadPoolExecutor(4) as threads:
        all_rows = [results.rows.to_pydict() for results in threads.map(lambda _: small.run(jobs=1), range(8))]
    assert all(rows == all_rows[0] for rows in all_rows)


def test_another_seed_gives_other_numbers(small: arqway.Experiment, results: arqway.Results) -> None:
    assert small.run(seed=2).rows["value"] != results.rows["value"]


def test_progress_tells_of_the_beginning_and_the_end(small: arqway.Experiment) -> None:
    told: list[tuple[int, int]] = []
    small.run(progress=lambda finished, planned: told.append((finished, planned)))
    assert (told[0], told[-1]) == ((0, 12), (12, 12))
    assert told == sorted(told)


def test_progress_goes_to_stderr_on_request(small: arqway.Experiment, capsys: pytest.CaptureFixture[str]) -> None:
    small.run(progress=True)
    said = capsys.readouterr()
    assert (said.out, said.err.endswith("12 of 12 runs\n")) == ("", True)


def test_an_exception_in_progress_ends_the_run(small: arqway.Experiment) -> None:
    def refuse(finished: int, planned: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        small.run(progress=refuse)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"replications": 0}, "from 1 to"),
        ({"seed": -1}, "from 0 to 18446744073709551615"),
        ({"jobs": 0}, "from 1 to"),
        ({"quick": True, "replications": 2}, "give either `quick` or `replications`"),
    ],
)
def test_what_cannot_be_asked_is_told(small: arqway.Experiment, arguments: dict[str, int], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        small.run(**arguments)  # type: ignore[arg-type]


# A run of minutes: one cell, 10 GB over a link that would take weeks.
LONG = """\
[experiment]
id = "long"
replications = 4
[scenario]
base = "monet08"
set = { "file-transfer.size" = "10 GB", "duration" = "1000000 s" }
[[scheme]]
use = "sr:1.1"
"""


def interrupted() -> float:
    """How long KeyboardInterrupt takes from the signal on, while a run of minutes is under way."""
    sent = 0.0

    def send() -> None:
        nonlocal sent
        sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    def begin(finished: int, planned: int) -> None:
        threading.Thread(target=send).start()

    with pytest.raises(KeyboardInterrupt):
        arqway.Experiment.from_toml(LONG).run(progress=begin)
    return time.monotonic() - sent


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_ends_a_long_run_within_a_tenth_of_a_second() -> None:
    # The best of a few: a machine that is busy with something else answers nobody in time.
    assert min(interrupted() for _ in range(5)) < 0.1
