"""The examples of docs/python.md and the notebooks do what they say."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import arqway
import arqway.link
import jupytext
import nbclient
import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.md"))


def test_the_examples_of_the_page_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "python.md").read_text()
    for name, text in re.findall(r"^```toml\n# (\S+)\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text)
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 5
    # One module to all, whose name processes that it starts do not take for their own.
    namespace: dict[str, Any] = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), namespace)


@pytest.mark.parametrize("module", [arqway, arqway.link, arqway._experiment])
def test_examples_of_docstrings_are_what_happens(module: Any) -> None:
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner()
    names = vars(module) | vars(arqway) | vars(arqway.link)
    for name in (*vars(module),):
        for example in finder.find(getattr(module, name), name, module=False, globs=dict(names)):
            assert runner.run(example).failed == 0, name


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")
def test_a_notebook_runs_and_shows_a_figure(notebook: Path) -> None:
    cells = jupytext.read(notebook)
    nbclient.NotebookClient(cells, timeout=300, kernel_name="python3").execute()
    shown = [kind for cell in cells.cells for output in cell.get("outputs", []) for kind in output.get("data", {})]
    assert "image/svg+xml" in shown


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 3
