"""How far a run is, told to who waits."""

from __future__ import annotations

import sys
from collections.abc import Callable

Progress = Callable[[int, int], object]
"""What is called with how many runs are finished, and how many there are."""


def told_to(progress: Progress | bool | None) -> Progress | None:
    """What is to be called: a line on stderr for ``True``."""
    if progress is True:
        return _line
    return progress or None


def _line(finished: int, planned: int) -> None:
    end = "\n" if finished == planned else ""
    print(f"\r{finished} of {planned} runs", end=end, file=sys.stderr, flush=True)
