"""Experiments: read or built, and run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any

from arqway import _arqway
from arqway._progress import Progress, told_to
from arqway.executors import run as run_pieces


class Experiment:
    """A world, what is swept in it, the schemes compared, the figures to draw.

    Every setting is known to be right: whatever is wrong is told when it is read, all of it at once, as
    :class:`Mistakes`. An experiment is made by :meth:`read`, :meth:`from_toml`, :meth:`from_dict` or :func:`figure`.
    It never changes, can be used by several threads at once, and can be pickled.

    Examples
    --------
    >>> experiment = Experiment.from_dict({
    ...     "experiment": {"id": "timeouts", "replications": 2},
    ...     "scenario": {"base": "monet08", "set": {"file-transfer.size": "100 kB"}},
    ...     "scheme": [{"use": "sr:0.6"}, {"use": "sr:1.1"}],
    ... })
    >>> experiment.schemes
    ['sr:0.6', 'sr:1.1']
    """

    _study: _arqway.Study

    def __init__(self) -> None:
        raise TypeError("an experiment is made by Experiment.read, .from_toml, .from_dict or arqway.figure")

    @classmethod
    def _of(cls, study: _arqway.Study) -> Experiment:
        experiment = cls.__new__(cls)
        experiment._study = study
        return experiment

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Experiment:
        """Read an experiment's file.

        Parameters
        ----------
        path : path
            The file, in TOML. A base or a recording that it names is looked for beside it.

        Raises
        ------
        Mistakes
            The settings are wrong.
        OSError
            The file cannot be read.
        """
        return cls._of(_arqway.Study.of_file(path))

    @classmethod
    def from_toml(cls, text: str, *, name: str = "experiment.toml", folder: str | os.PathLike[str] = "") -> Experiment:
        """Read an experiment from a text.

        Parameters
        ----------
        text : str
            What would stand in its file.
        name : str
            What mistakes call it.
        folder : path
            Where a base or a recording that it names is looked for.

        Raises
        ------
        Mistakes
            The settings are wrong.
        """
        return cls._of(_arqway.Study.of_text_named(text, name, folder))

    @classmethod
    def from_dict(
        cls, settings: Mapping[str, Any], *, name: str = "experiment.toml", folder: str | os.PathLike[str] = ""
    ) -> Experiment:
        """Build an experiment from dictionaries, lists, texts and numbers, laid out as in a file.

        Parameters
        ----------
        settings : mapping
            What ``tomllib`` would make of its file.
        name : str
            What results call its file.
        folder : path
            Where a base or a recording that it names is looked for.

        Raises
        ------
        Mistakes
            The settings are wrong; each mistake has a path, such as ``scheme[0].use``.
        """
        return cls._of(_arqway.Study.of_dict(dict(settings), name, folder))

    def run(
        self,
        *,
        replications: int | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        progress: Progress | bool | None = None,
        quick: bool = False,
        executor: Executor | str | None = None,
        resume: str | os.PathLike[str] | None = None,
    ) -> _arqway.Results:
        """Run it.

        The interpreter's lock is not held meanwhile, and Ctrl-C ends it at once: runs under way are given up. The same
        arguments give the same results to the last bit, whatever the number of threads.

        Parameters
        ----------
        replications : int, optional
            Replications of each cell, instead of the experiment's.
        seed : int, optional
            Root of all random streams, instead of the experiment's.
        jobs : int, optional
            How many runs at a time; one for each core unless given.
        progress : callable or bool, optional
            Called with how many runs are finished and how many there are; ``True`` writes that to stderr.
        quick : bool
            Shortened runs and few replications, as the world's ``[quick]`` says.

        executor : Executor or str, optional
            Who runs it instead of threads of this process: an executor of :mod:`concurrent.futures`, or one that
            does the same (mpi4py's, ``client.get_executor()`` of Dask, :class:`arqway.executors.RayExecutor`);
            ``"processes"`` for ``jobs`` processes of this machine; ``"dask"`` for a Dask cluster of this machine,
            ``"dask://host:8786"`` for one whose scheduler is there. The results are the same.
        resume : path, optional
            A folder: what is finished is kept in its ``pieces/``, and what is there already is not run again.

        Returns
        -------
        Results
            Rows, means, figures, verdicts, a report.
        """
        if quick and replications is not None:
            raise ValueError("a quick run says itself how many replications it has: give one of both")
        for name, number, least, bits in (
            ("replications", replications, 1, 32),
            ("jobs", jobs, 1, 32),
            ("seed", seed, 0, 64),
        ):
            if number is not None and not least <= number < 1 << bits:
                raise ValueError(f"{name} is a whole number from {least} to {(1 << bits) - 1}, not {number}")
        plan = self._study.plan(replications, seed, quick)
        if executor is None and resume is None:
            return plan.run(jobs, told_to(progress))
        return run_pieces(plan, executor, resume, jobs, told_to(progress))

    @property
    def id(self) -> str:
        """What names it, and its files."""
        return self._study.id

    @property
    def title(self) -> str:
        """What it is about."""
        return self._study.title

    @property
    def replications(self) -> int:
        """How many replications of each cell it asks for."""
        return self._study.replications

    @property
    def seed(self) -> int:
        """Root of its random streams."""
        return self._study.seed

    @property
    def swept(self) -> str | None:
        """The path of the setting that is swept, if one is."""
        return self._study.swept

    @property
    def points(self) -> list[float]:
        """The values of the swept setting, as rows have them: percent, or SI units."""
        return self._study.points

    @property
    def schemes(self) -> list[str]:
        """The schemes compared, as rows name them."""
        return self._study.schemes

    @property
    def figures(self) -> list[str]:
        """The ids of the figures that are drawn."""
        return self._study.figures

    @property
    def toml(self) -> str:
        """The experiment as the text of a file, ready for ``arqway run``."""
        return self._study.text

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, self._study.origin()

    def __repr__(self) -> str:
        return f"<arqway.Experiment {self.id}: {len(self.points)} points, {len(self.schemes)} schemes>"


def _again(way: str, arguments: list[str]) -> Experiment:
    """What a pickle calls."""
    return Experiment._of(getattr(_arqway.Study, way)(*arguments))


def figure(paper: str, name: str) -> Experiment:
    """Read the experiment behind a figure of a paper.

    Parameters
    ----------
    paper : str
        ``monet08``, ``aina06``, ``mobimedia07``, ``multiservice`` or ``shikama06``.
    name : str
        ``fig3``, ``table1``, ``secV``; :func:`figures` names all of them.

    Raises
    ------
    LookupError
        There is no such figure; the message says what there is.
    """
    return Experiment._of(_arqway.Study.of_figure(paper, name))


def figures(paper: str | None = None) -> list[tuple[str, str]]:
    """Name the figures of papers that are built in.

    Parameters
    ----------
    paper : str, optional
        Only those of this paper.

    Returns
    -------
    list of (str, str)
        Paper and figure, as :func:`figure` takes them.
    """
    return [known for known in _arqway.figures() if paper in (None, known[0])]
