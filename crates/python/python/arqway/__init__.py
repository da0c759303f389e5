"""Arqway: a multi-service link layer for bad, shared links, to simulate and to study.

Read or build an experiment, run it, and take its results::

    import arqway

    experiment = arqway.figure("monet08", "fig3")
    results = experiment.run(quick=True, progress=True)
    results.figure()                      # a notebook shows it
    pandas.DataFrame.from_arrow(results.means())

:mod:`arqway.executors` runs experiments on many machines; :mod:`arqway.link` drives a link layer frame by frame.
"""

from arqway._arqway import Figure, Results, Table, __version__
from arqway._experiment import Experiment, figure, figures
from arqway._mistakes import Mistake, Mistakes

__all__ = [
    "Experiment",
    "Figure",
    "Mistake",
    "Mistakes",
    "Results",
    "Table",
    "__version__",
    "figure",
    "figures",
]
