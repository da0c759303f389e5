"""What several tests need."""

from __future__ import annotations

import os
from pathlib import Path

import arqway
import pytest

SMALL = """\
[experiment]
id = "small"
title = "Timeouts on a small file"
replications = 3

[scenario]
base = "monet08"
set = { "file-transfer.size" = "60 kB", "media.enabled" = true, "wireless.errors" = { kind = "uniform", loss = "1 %" } }

[sweep]
"wireless.errors.loss" = ["1.5 %", "5.4 %"]

[[scheme]]
use = "sr:0.6"

[[scheme]]
use = "sr:1.1"

[[figure]]
id = "throughput"
y = "file-transfer.throughput"
"""


@pytest.fixture(scope="session")
def small() -> arqway.Experiment:
    """An experiment of a blink."""
    return arqway.Experiment.from_toml(SMALL, name="small.toml")


@pytest.fixture(scope="session")
def results(small: arqway.Experiment) -> arqway.Results:
    """Its results."""
    return small.run()


@pytest.fixture(scope="session")
def command() -> Path:
    """The command `arqway`, of the same version; `crates/python/check` says where it is."""
    path = os.environ.get("ARQWAY")
    if path is None:
        pytest.skip("ARQWAY does not say where the command is")
    return Path(path)
