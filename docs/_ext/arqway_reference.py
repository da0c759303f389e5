"""The part of the reference that the program itself says, put into its pages whenever they are read.

    <!-- generated: settings -->  in a page, and in its place:

    docs/schema/*.json            settings of experiments and scenarios, quantities, short forms (`arqway_settings.py`)
    arqway manual --markdown      every command with its options
    import arqway                 the Python package, by autodoc; where it is not installed, how to get it

So nothing that is generated is kept, and the pages say what this version does. A toctree may also name pages that are not there: they are
left out. (A page that is there and in no toctree is a warning of Sphinx's own.)
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
The package `arqway` was not installed where this page was built, so what it has is not listed. In a clone, `pip install ./crates/python` installs it, and the
same build lists every class and function.
"""
# What a module exports is what its `__all__` says.
PYTHON = "## {0}\n\n```{{eval-rst}}\n.. automodule:: {0}\n   :members:\n   :undoc-members:\n```\n"


def setup(app):
    app.connect("source-read", read)
    # What is generated may have changed though the page has not.
    app.connect("env-get-outdated", lambda app, env, added, changed, removed: generated_pages(env))
    return {"parallel_read_safe": True}


def generated_pages(env):
    return [page for page in env.found_docs if MARK.search(Path(env.doc2path(page)).read_text("utf-8"))]


def read(app, page, source):
    docs = Path(app.srcdir)
    source[0] = MARK.sub(lambda mark: generated(mark[1], docs), source[0])
    source[0] = TOCTREE.sub(lambda toctree: without_missing(toctree[0], app.env), source[0])


def generated(part, docs):
    """The text that a mark stands for."""
    if part == "commands":
        return commands(docs.parent)
    if part == "python":
        return python(docs.parent)
    try:
        return arqway_settings.PARTS[part](docs / "schema")
    except KeyError:
        raise ExtensionError(f"nothing is generated that is called `{part}`") from None


def commands(repository):
    """What `arqway manual --markdown` prints."""
    program = find_program(repository)
    said = subprocess.run([program, "manual", "--markdown"], capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise ExtensionError(f"{program} manual --markdown: {said.stderr.strip()}\nIs it this version's? cargo build -p arqway")
    return said.stdout


def find_program(repository):
    """`$ARQWAY`, or what was built last, or what is on the path."""
    if named := os.environ.get("ARQWAY"):
        return named
    target = Path(os.environ.get("CARGO_TARGET_DIR", repository / "target"))
    built = [target / profile / "arqway" for profile in ("debug", "release")]
    built = sorted((path for path in built if path.is_file()), key=lambda path: path.stat().st_mtime)
    found = built[-1] if built else shutil.which("arqway")
    if not found:
        raise ExtensionError("no arqway, whose options are to be listed: cargo build -p arqway, or say where it is in $ARQWAY")
    return str(found)


def python(repository):
    """Directives by which autodoc lists the package, if it is installed."""
    if importlib.util.find_spec("arqway"):
        modules = [name for name in ("arqway", "arqway.executors", "arqway.link") if importlib.util.find_spec(name)]
        return "\n".join(PYTHON.format(name) for name in modules)
    if not (repository / "crates" / "python").is_dir():
        return NO_PYTHON
    if os.environ.get("CI"):
        raise ExtensionError("the Python package is not installed, and continuous integration lists it: say where its wheel is in $ARQWAY_WHEEL")
    return NOT_INSTALLED


def without_missing(toctree, env):
    """A toctree without the pages that are not there. Options, blank lines and the fence stay."""
    names_a_page = re.compile(r"[\w/-]+$")
    lines = toctree.splitlines()
    return "\n".join(line for line in lines if not names_a_page.match(line) or line in env.found_docs)
