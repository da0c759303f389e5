"""What is wrong with settings."""

from __future__ import annotations

from typing import NamedTuple


class Mistake(NamedTuple):
    """One mistake: where, what, and what would be right."""

    file: str | None
    """The file, as it was named; ``None`` for values of Python, which have a ``path``."""
    line: int | None
    """The line of the file, counted from 1."""
    column: int | None
    """The character of the line, counted from 1."""
    path: str | None
    """For values of Python, the way to the value: ``scheme[0].use``."""
    message: str
    """What is wrong."""
    help: str | None
    """What would be right, where that is known."""


class Mistakes(ValueError):
    """Settings that are wrong: every mistake at once, in the words of the command.

    Attributes
    ----------
    mistakes : tuple of Mistake
        The mistakes, in the order of their places.
    """

    mistakes: tuple[Mistake, ...]

    def __init__(self, text: str, mistakes: tuple[Mistake, ...] = ()) -> None:
        super().__init__(text)
        self.mistakes = tuple(mistakes)

    def __reduce__(self) -> tuple[type[Mistakes], tuple[str, tuple[Mistake, ...]]]:
        return type(self), (str(self), self.mistakes)
