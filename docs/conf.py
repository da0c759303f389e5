"""Sphinx configuration for this folder.

    python -m venv .venv && .venv/bin/pip install -r docs/requirements.txt
    cargo build -p arqway && .venv/bin/sphinx-build docs target/site

The pages are the Markdown that is read here and on a code forge alike. Tables of the reference are made anew by each build, from the
program and its schemas (`_ext/arqway_reference.py`), and are not kept.
"""

import importlib.util
import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_ext"))

project = "Arqway"
author = "the authors of Arqway"
version = release = re.search(r'^version = "(.+)"', (DOCS.parent / "Cargo.toml").read_text("utf-8"), re.M)[1]

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "arqway_reference"]
source_suffix = {".md": "myst-nb"}
root_doc = "index"
exclude_patterns = ["requirements.txt", "_ext", "_static"]

# Headings are anchors, as on code forges, and a link to a missing anchor is an error.
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
nitpicky = True
# Names from other Python packages have no page here.
nitpick_ignore_regex = [("py:.*", r"(?!arqway\.).*")]
# `sphinx-build -b linkcheck` checks everything except the network: it only lists external addresses.
linkcheck_ignore = ["^https?://"]
pygments_style = "friendly"
pygments_dark_style = "github-dark"
highlight_language = "text"

html_theme = "furo"
html_title = f"Arqway {version}"
html_static_path = ["_static"]
html_css_files = ["arqway.css"]
html_copy_source = False
html_show_copyright = False
# A page opened from disk cannot read other files, so the search cannot show excerpts.
html_show_search_summary = False
html_theme_options = {
    "footer_icons": [],
    "light_css_variables": {"color-brand-primary": "#0b5394", "color-brand-content": "#0b5394"},
    "dark_css_variables": {"color-brand-primary": "#8ab8ff", "color-brand-content": "#8ab8ff"},
}

# If the Python package is installed, notebooks are run and their results shown; otherwise only their cells are shown.
nb_execution_mode = "auto" if importlib.util.find_spec("arqway") else "off"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
# Describe attributes in a docstring only once.
napoleon_use_ivar = True

autodoc_typehints = "description"
autodoc_member_order = "bysource"
