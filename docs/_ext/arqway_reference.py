"""Inserts the generated parts of the reference into its pages when they are read.

The mark <!-- generated: settings --> in a page is replaced by text from one of these sources:

    docs/schema/*.json            settings of experiments and scenarios, quantities, short forms (`arqway_settings.py`)
    arqway manual --markdown      every command with its options
    import arqway                 the Python package, by autodoc; or instructions, if it is not installed

No generated text is kept in the repository, so the pages always match the version. A toctree may also name missing pages, which are
left out. (Sphinx itself warns of a page that is in no toctree.)
"""

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

import arqway_settings
from sphinx.errors import ExtensionError

MARK = re.compile(r"^<!-- generated: (\w+) -->$", re.M)
TOCTREE = re.compile(r"^```\{toctree\}\n.*?^```$", re.M | re.S)
NO_PYTHON = "This version has no Python package.\n"
NOT_INSTALLED = """\
The package `arqway` was not installed when this page was built, so its contents are not listed. In a clone, `pip install ./crates/python` installs it, and the
same build then lists every class and function.
"""
# A module exports the names in its `__all__`.
PYTHON = "## {0}\n\n```{{eval-rst}}\n.. automodule:: {0}\n   :members:\n   :undoc-members:\n```\n"


def setup(app):
    app.connect("source-read", read)
    # Generated text may change even if the page does not.
    app.connect("env-get-outdated", lambda app, env, added, changed, removed: generated_pages(env))
    return {"parallel_read_safe": True}


def generated_pages(env):
    return [page for page in env.found_docs if MARK.search(Path(env.doc2path(page)).read_text("utf-8"))]


def read(app, page, source):
    docs = Path(app.srcdir)
    source[0] = MARK.sub(lambda mark: generated(mark[1], docs), source[0])
    source[0] = TOCTREE.sub(lambda toctree: without_missing(toctree[0], app.env), source[0])


def generated(part, docs):
    """The text that replaces a mark."""
    if part == "commands":
        return commands(docs.parent)
    if part == "python":
        return python(docs.parent)
    if part not in arqway_settings.PARTS:
        raise ExtensionError(f"unknown generated part `{part}`")
    return arqway_settings.PARTS[part](docs / "schema")


def commands(repository):
    """The output of `arqway manual --markdown`."""
    program = find_program(repository)
    said = subprocess.run([program, "manual", "--markdown"], capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise ExtensionError(f"{program} manual --markdown: {said.stderr.strip()}\nIs it up to date? cargo build -p arqway")
    return said.stdout


def find_program(repository):
    """`$ARQWAY`, or the most recent build, or the program on the path."""
    if named := os.environ.get("ARQWAY"):
        return named
    target = Path(os.environ.get("CARGO_TARGET_DIR", repository / "target"))
    built = [target / profile / "arqway" for profile in ("debug", "release")]
    built = sorted((path for path in built if path.is_file()), key=lambda path: path.stat().st_mtime)
    found = built[-1] if built else shutil.which("arqway")
    if not found:
        raise ExtensionError("cannot list the options of arqway: program not found. Run cargo build -p arqway, or set $ARQWAY to its path")
    return str(found)


def python(repository):
    """Directives for autodoc to list the package, if it is installed."""
    if importlib.util.find_spec("arqway"):
        modules = [name for name in ("arqway", "arqway.executors", "arqway.link") if importlib.util.find_spec(name)]
        return "\n".join(PYTHON.format(name) for name in modules)
    if not (repository / "crates" / "python").is_dir():
        return NO_PYTHON
    if os.environ.get("CI"):
        raise ExtensionError("the Python package is not installed, but required in continuous integration: set $ARQWAY_WHEEL to the path of its wheel")
    return NOT_INSTALLED


def without_missing(toctree, env):
    """A toctree without missing pages. Options, blank lines and the fence stay."""
    names_a_page = re.compile(r"[\w/-]+$")
    lines = toctree.splitlines()
    return "\n".join(line for line in lines if not names_a_page.match(line) or line in env.found_docs)
