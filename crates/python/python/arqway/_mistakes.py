"""Errors in settings."""

from __future__ import annotations

from typing import NamedTuple


class Mistake(NamedTuple):
    """One mistake: where it is, what is wrong, and what was expected."""

    file: str | None
    """The name of the file; ``None`` for Python values, which have a ``path``."""
    line: int | None
    """The line of the file, counted from 1."""
    column: int | None
    """The column in the line, counted from 1."""
    path: str | None
    """For Python values, the path to the value: ``scheme[0].use``."""
    message: str
    """What is wrong."""
    help: str | None
    """What was expected, if known."""


class Mistakes(ValueError):
    """Wrong settings: all mistakes at once, in the words of the command.

    Attributes
    ----------
    mistakes : tuple of Mistake
        The mistakes, in the order of the file.
    """

    mistakes: tuple[Mistake, ...]

    def __init__(self, text: str, mistakes: tuple[Mistake, ...] = ()) -> None:
        super().__init__(text)
        self.mistakes = tuple(mistakes)

    def __reduce__(self) -> tuple[type[Mistakes], tuple[str, tuple[Mistake, ...]]]:
        return type(self), (str(self), self.mistakes)
