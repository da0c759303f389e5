"""Progress of a run, for a caller who waits."""

from __future__ import annotations

import sys
from collections.abc import Callable

Progress = Callable[[int, int], object]
"""Called with the number of finished runs, and the number of all runs."""


def reporter(progress: Progress | bool | None) -> Progress | None:
    """The function to call: one that prints a line on stderr for ``True``."""
    if progress is True:
        return _line
    return progress or None


def _line(finished: int, planned: int) -> None:
    end = "\n" if finished == planned else ""
    print(f"\r{finished} of {planned} runs", end=end, file=sys.stderr, flush=True)
