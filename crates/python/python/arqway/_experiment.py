"""Experiments: read or built, and run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

from arqway import _arqway
from arqway._progress import Progress, reporter
from arqway.executors import run as run_pieces


class Experiment:
    """A scenario, the setting swept in it, the schemes compared, and the figures to draw.

    Every setting is valid: reading reports all mistakes at once, as :class:`Mistakes`. Use :meth:`read`,
    :meth:`from_toml`, :meth:`from_dict` or :func:`figure` to make an experiment. It is immutable, may be used by
    several threads at once, and can be pickled.

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
        raise TypeError("use Experiment.read, .from_toml, .from_dict or arqway.figure")

    @classmethod
    def _of(cls, study: _arqway.Study) -> Experiment:
        experiment = cls.__new__(cls)
        experiment._study = study
        return experiment

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Experiment:
        """Read an experiment file.

        Parameters
        ----------
        path : path
            The file, in TOML. A base or a recording that it names is looked up in the same folder.

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
        """Read an experiment from a string.

        Parameters
        ----------
        text : str
            The contents of the file.
        name : str
            The file name in error messages.
        folder : path
            The folder of a base or a recording that it names.

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
        """Build an experiment from dictionaries, lists, strings and numbers, with the same structure as a file.

        Parameters
        ----------
        settings : mapping
            The settings, as ``tomllib`` would load them from a file.
        name : str
            The file name in results.
        folder : path
            The folder of a base or a recording that it names.

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
        """Run the experiment.

        The interpreter's lock is released meanwhile, and Ctrl-C stops at once: unfinished runs are abandoned. The same
        arguments give the same results to the last bit, whatever the number of threads.

        Parameters
        ----------
        replications : int, optional
            Replications of each cell, instead of the experiment's.
        seed : int, optional
            Seed of all random streams, instead of the experiment's.
        jobs : int, optional
            Number of runs in parallel; by default one for each core.
        progress : callable or bool, optional
            Called with the number of finished runs and of all runs; ``True`` prints them on stderr.
        quick : bool
            Short runs and few replications, as the scenario's ``[quick]`` says.
        executor : Executor or str, optional
            What runs it, instead of threads of this process: an executor of :mod:`concurrent.futures`, or one with
            the same interface (mpi4py's, ``client.get_executor()`` of Dask, :class:`arqway.executors.RayExecutor`);
            ``"processes"`` for ``jobs`` processes of this machine; ``"dask"`` for a Dask cluster of this machine,
            ``"dask://host:8786"`` for one whose scheduler is there. The results are the same.
        resume : path, optional
            A folder: finished runs are kept in its ``pieces/``, and those already there are not repeated.

        Returns
        -------
        Results
            Rows, means, figures, verdicts, a report.
        """
        if quick and replications is not None:
            raise ValueError("a quick run sets its own number of replications: give either `quick` or `replications`")
        for name, number, least, bits in (
            ("replications", replications, 1, 32),
            ("jobs", jobs, 1, 32),
            ("seed", seed, 0, 64),
        ):
            if number is not None and not least <= number < 1 << bits:
                raise ValueError(f"{name} must be a whole number from {least} to {(1 << bits) - 1}, not {number}")
        plan = self._study.plan(replications, seed, quick)
        if executor is None and resume is None:
            return plan.run(jobs, reporter(progress))
        return run_pieces(plan, executor, resume, jobs, reporter(progress))

    @property
    def id(self) -> str:
        """The name of the experiment and of its files."""
        return self._study.id

    @property
    def title(self) -> str:
        """The title of the experiment."""
        return self._study.title

    @property
    def replications(self) -> int:
        """The number of replications of each cell."""
        return self._study.replications

    @property
    def seed(self) -> int:
        """The seed of its random streams."""
        return self._study.seed

    @property
    def swept(self) -> str | None:
        """The path of the swept setting, if there is one."""
        return self._study.swept

    @property
    def points(self) -> list[float]:
        """The values of the swept setting, as rows have them: percent, or SI units."""
        return self._study.points

    @property
    def schemes(self) -> list[str]:
        """The schemes compared, named as in the rows."""
        return self._study.schemes

    @property
    def figures(self) -> list[str]:
        """The ids of its figures."""
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
    """Restore a pickled experiment."""
    return Experiment._of(getattr(_arqway.Study, way)(*arguments))


def figure(paper: str, name: str, *, with_schemes: Sequence[str] = ()) -> Experiment:
    """Read the experiment behind a figure of a paper.

    Parameters
    ----------
    paper : str
        ``monet08``, ``aina06``, ``mobimedia07``, ``multiservice`` or ``shikama06``.
    name : str
        ``fig3``, ``table1``, ``secV``; :func:`figures` lists all of them.
    with_schemes : sequence of str, optional
        Short forms of schemes to add, as ``arqway reproduce --with`` does; legends call them "not the paper's", and
        claims are not about them. ``toml`` stays the figure's own file.

    Raises
    ------
    LookupError
        There is no such figure; the message lists the known ones.
    ValueError
        A scheme does not exist, or the figure already has it.
    """
    return Experiment._of(_arqway.Study.of_figure(paper, name, *with_schemes))


def figures(paper: str | None = None) -> list[tuple[str, str]]:
    """List the built-in figures of papers.

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
