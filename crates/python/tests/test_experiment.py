"""Experiments are read or built, and every mistake in them is told at once, in the words of the command."""

from __future__ import annotations

import pickle
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import arqway
import numpy
import pandas
import pyarrow
import pytest
from conftest import SMALL

WRONG = """\
[experiment]
id = "wrong"
replicatoins = 3

[scenario]
base = "monet08"
set = { "wireless.rate" = "fast" }

[[scheme]]
use = "srr:1.1"
"""


def test_a_file_is_read_and_says_what_it_is(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    experiment = arqway.Experiment.read(file)
    assert (experiment.id, experiment.replications, experiment.seed) == ("small", 3, 1)
    assert (experiment.swept, experiment.points) == ("wireless.errors.loss", [1.5, 5.4])
    assert (experiment.schemes, experiment.figures) == (["sr:0.6", "sr:1.1"], ["throughput"])
    assert experiment.toml == SMALL


def test_a_file_that_is_not_there_is_an_os_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        arqway.Experiment.read(tmp_path / "none.toml")
    assert raised.value.filename == str(tmp_path / "none.toml")
    assert raised.value.strerror == "No such file or directory"
    (tmp_path / "latin.toml").write_bytes(b"# \xe9")
    with pytest.raises(ValueError, match=r"latin\.toml: .*UTF-8"):
        arqway.Experiment.read(tmp_path / "latin.toml")


def test_every_mistake_is_told_at_once_with_its_place_and_what_is_expected() -> None:
    with pytest.raises(arqway.Mistakes) as raised:
        arqway.Experiment.from_toml(WRONG, name="wrong.toml")
    mistakes = raised.value.mistakes
    assert [(mistake.file, mistake.line, mistake.column) for mistake in mistakes] == [
        ("wrong.toml", 3, 1),
        ("wrong.toml", 7, 27),
        ("wrong.toml", 10, 7),
    ]
    assert mistakes[0].message == "unknown key `replicatoins` in `experiment`"
    assert mistakes[0].help is not None
    assert "did you mean `replications`?" in mistakes[0].help
    assert all(mistake.path is None for mistake in mistakes)
    assert str(raised.value).endswith("3 mistakes; nothing was run")


def test_mistakes_are_told_in_the_words_of_the_command(tmp_path: Path, command: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(WRONG)
    told = subprocess.run([command, "run", file], capture_output=True, text=True, check=False)
    with pytest.raises(arqway.Mistakes) as raised:
        arqway.Experiment.read(file)
    assert (told.returncode, told.stderr) == (2, f"{raised.value}\n")


def test_a_dictionary_is_read_as_its_file_would_be(small: arqway.Experiment) -> None:
    built = arqway.Experiment.from_dict(tomllib.loads(SMALL), name="small.toml")
    assert built.run().rows.to_pydict() == small.run().rows.to_pydict()
    assert arqway.Experiment.from_toml(built.toml).schemes == small.schemes


def test_mistakes_in_a_dictionary_have_paths() -> None:
    with pytest.raises(arqway.Mistakes) as raised:
        arqway.Experiment.from_dict(
            {
                "experiment": {"id": "wrong", "replicatoins": 3},
                "scenario": {"base": "monet08", "set": {"wireless.rate": "fast", "media.enabled": None}},
                "scheme": [{"use": "raw"}, {"use": "srr:1.1"}],
            }
        )
    told = {mistake.path: mistake.message for mistake in raised.value.mistakes}
    assert list(told) == [
        "experiment.replicatoins",
        'scenario.set["wireless.rate"]',
        'scenario.set["media.enabled"]',
        "scheme[1].use",
    ]
    assert told['scenario.set["media.enabled"]'] == "`None` is not a setting"
    assert all(mistake.line is None for mistake in raised.value.mistakes)
    assert "scheme[1].use: " in str(raised.value)


@pytest.mark.parametrize(
    ("value", "told"),
    [(object(), "is not a setting"), ({1: 2}, "is not a string"), (1 << 70, "too large"), (b"raw", "is not a setting")],
)
def test_a_value_that_is_no_setting_is_told_and_never_a_crash(value: Any, told: str) -> None:
    with pytest.raises(arqway.Mistakes, match=told):
        arqway.Experiment.from_dict({"experiment": {"id": "wrong", "seed": value}, "scheme": [{"use": "raw"}]})


def test_a_dictionary_that_holds_itself_is_told() -> None:
    loop: dict[str, Any] = {"id": "loop"}
    loop["experiment"] = loop
    with pytest.raises(arqway.Mistakes, match="too deep"):
        arqway.Experiment.from_dict(loop)


def test_figures_of_papers_are_built_in() -> None:
    assert ("monet08", "fig3") in arqway.figures()
    assert {paper for paper, _ in arqway.figures("aina06")} == {"aina06"}
    assert arqway.figure("monet08", "fig3").id == "monet08-fig3"
    with pytest.raises(LookupError, match=r"no paper is called `monet80`; did you mean `monet08`"):
        arqway.figure("monet80", "fig3")
    with pytest.raises(LookupError, match="monet08 has no figure `fig99`"):
        arqway.figure("monet08", "fig99")


def test_a_figure_takes_schemes_that_its_paper_does_not_have() -> None:
    added = arqway.figure("monet08", "fig3", with_schemes=["snoop", "sr:0.7"])
    assert added.schemes[-2:] == ["snoop", "sr:0.7"]
    assert pickle.loads(pickle.dumps(added)).schemes == added.schemes
    with pytest.raises(ValueError, match="did you mean `snoop`"):
        arqway.figure("monet08", "fig3", with_schemes=["snop"])
    with pytest.raises(ValueError, match="already"):
        arqway.figure("monet08", "fig3", with_schemes=["sr:0.9"])


@pytest.mark.parametrize("make", [lambda: arqway.Experiment.from_toml(SMALL), lambda: arqway.figure("monet08", "fig3")])
def test_an_experiment_can_be_pickled(make: Any) -> None:
    experiment = make()
    again = pickle.loads(pickle.dumps(experiment))
    assert (again.id, again.toml, again.points) == (experiment.id, experiment.toml, experiment.points)


def test_an_experiment_never_changes_whatever_becomes_of_the_files_it_was_read_from(tmp_path: Path) -> None:
    world = tmp_path / "world.toml"
    world.write_text('[file-transfer]\nsize = "10 kB"\n')
    file = tmp_path / "study.toml"
    file.write_text(
        '[experiment]\nid = "study"\n[scenario]\nbase = "world.toml"\n[[scheme]]\nuse = "raw"\n'
        '[[figure]]\nid = "throughput"\ny = "file-transfer.throughput"\n'
    )
    experiment = arqway.Experiment.read(file)
    pickled = pickle.dumps(experiment)
    before = experiment.run(replications=2).rows
    world.unlink()
    file.unlink()
    for later in (experiment, pickle.loads(pickled)):
        assert pyarrow.table(later.run(replications=2).rows) == pyarrow.table(before)


@pytest.mark.parametrize("values", [numpy.array([16, 32]), pandas.Series([16, 32]), numpy.array(["1 %", "5 %"])])
def test_arrays_are_lists_of_values(values: Any) -> None:
    swept = "services.selective-repeat.window" if len(str(values[0])) == 2 else "wireless.errors.loss"
    settings = tomllib.loads(SMALL)
    as_list, as_array = ({**settings, "sweep": {swept: kind}} for kind in (values.tolist(), values))
    assert arqway.Experiment.from_dict(as_array).toml == arqway.Experiment.from_dict(as_list).toml


def test_mistakes_can_be_pickled() -> None:
    with pytest.raises(arqway.Mistakes) as raised:
        arqway.Experiment.from_toml(WRONG)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.mistakes) == (str(raised.value), raised.value.mistakes)


def test_an_experiment_is_not_made_of_nothing() -> None:
    with pytest.raises(TypeError, match=r"Experiment\.read"):
        arqway.Experiment()
