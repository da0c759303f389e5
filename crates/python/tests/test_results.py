"""Results: tables that dataframes take, figures, verdicts, a report."""

from __future__ import annotations

import csv
import pickle
from pathlib import Path

import arqway
import pandas
import polars
import pyarrow
import pytest

COLUMNS = [
    *("paper", "app", "errors", "beside", "rate_bps", "connections", "point", "scheme", "variant"),
    *("replication", "metric", "value"),
]


def test_rows_are_a_table_that_shows_itself(results: arqway.Results) -> None:
    rows = results.rows
    assert rows.column_names == COLUMNS
    assert len(rows) == len(rows["value"]) == len(rows.to_pylist()) > 12
    assert repr(rows).startswith(f"arqway.Table, {len(rows)} rows\n")
    assert "throughput" in repr(rows)
    with pytest.raises(KeyError, match="there is no column `vlaue`"):
        rows["vlaue"]


def test_pyarrow_polars_and_pandas_take_the_same_rows(results: arqway.Results) -> None:
    rows = results.rows
    arrow = pyarrow.table(rows)
    assert arrow.column_names == COLUMNS
    assert arrow.to_pydict() == rows.to_pydict() == polars.DataFrame(rows).to_dict(as_series=False)
    frame = pandas.DataFrame.from_arrow(rows)
    assert list(frame.columns) == COLUMNS
    assert frame["value"].tolist() == rows["value"]
    assert str(arrow.schema.field("rate_bps").type) == "uint64"


def test_no_copy_is_made_of_a_column(results: arqway.Results) -> None:
    first, second = (pyarrow.table(results.rows)["value"].chunk(0).buffers()[1].address for _ in range(2))
    assert first == second


def test_rows_are_those_of_the_file_that_is_written(results: arqway.Results, tmp_path: Path) -> None:
    results.write(tmp_path)
    with (tmp_path / "rows.csv").open() as file:
        written = list(csv.DictReader(file))
    assert [float(row["value"]) for row in written] == results.rows["value"]
    assert [row["metric"] for row in written] == results.rows["metric"]


def test_means_are_means_of_the_rows_with_their_intervals(results: arqway.Results) -> None:
    means = pandas.DataFrame.from_arrow(results.means())
    rows = pandas.DataFrame.from_arrow(results.rows)
    of_rows = rows.groupby(["app", "point", "scheme", "metric"], sort=False)["value"].agg(["mean", "count", "sem"])
    of_rows = of_rows.reset_index()
    assert len(means) == len(of_rows)
    assert means["mean"].tolist() == pytest.approx(of_rows["mean"].tolist())
    assert means["replications"].tolist() == of_rows["count"].tolist() == [3] * len(means)
    # Student's quantile for two degrees of freedom.
    half_width = (means["high"] - means["low"]) / 2
    assert half_width.tolist() == pytest.approx((4.302652730 * of_rows["sem"]).tolist(), abs=1e-9)


def test_a_single_replication_has_no_interval(small: arqway.Experiment) -> None:
    means = small.run(replications=1).means()
    assert set(means["low"]) == set(means["high"]) == {None}


def test_figures_are_drawn_shown_and_saved(results: arqway.Results, tmp_path: Path) -> None:
    assert results.figures == ["throughput"]
    figure = results.figure("throughput")
    assert (figure.id, figure.svg) == ("small-throughput", results.figure().svg)
    assert figure.svg.startswith("<svg")
    assert figure._repr_svg_() == figure.svg
    assert figure.png == figure._repr_png_()
    assert figure.png.startswith(b"\x89PNG")
    figure.save(tmp_path / "figure.svg")
    figure.save(tmp_path / "figure.png")
    assert (tmp_path / "figure.svg").read_text() == figure.svg
    assert (tmp_path / "figure.png").read_bytes() == figure.png
    with pytest.raises(ValueError, match=r"ends in \.svg or \.png"):
        figure.save(tmp_path / "figure.pdf")
    with pytest.raises(LookupError, match="did you mean `throughput`"):
        results.figure("troughput")


def test_an_experiment_without_figures_says_so() -> None:
    plain = arqway.Experiment.from_dict(
        {
            "experiment": {"id": "plain", "replications": 1},
            "scenario": {"base": "monet08", "set": {"file-transfer.size": "20 kB"}},
            "scheme": [{"use": "raw"}],
        }
    )
    with pytest.raises(LookupError, match=r"has no \[\[figure\]\]"):
        plain.run().figure()


def test_a_figure_of_a_paper_is_judged_by_its_claims_or_by_others(results: arqway.Results, tmp_path: Path) -> None:
    judged = arqway.figure("monet08", "fig2").run(quick=True)
    verdicts = judged.judge()
    assert verdicts.column_names == ["id", "kind", "verdict", "paper", "ours", "low", "high", "inferred", "note"]
    assert all(name.startswith("monet08.fig2") for name in verdicts["id"])
    assert set(verdicts["verdict"]) <= {"reproduced", "direction", "not-reproduced", "cannot-tell"}
    judged.write(tmp_path)
    with (tmp_path / "claims.csv").open() as file:
        assert [row["verdict"] for row in csv.DictReader(file)] == verdicts["verdict"]
    assert len(results.judge()) == 0
    claims = tmp_path / "claims.toml"
    claims.write_text(
        '[[claim]]\nid = "small.throughput"\nwhere = "here"\napp = "file-transfer"\nerrors = "uniform"\n'
        'beside = "media"\nmetric = "throughput"\nkind = "order"\nat = [5.4]\norder = ["sr:1.1", "sr:0.6"]\n'
    )
    assert results.judge(claims)["id"] == ["small.throughput"]
    claims.write_text('[[claim]]\nid = "small.throughput"\n')
    with pytest.raises(arqway.Mistakes, match=r"claims\.toml:1:"):
        results.judge(claims)
    with pytest.raises(FileNotFoundError):
        results.judge(tmp_path / "none.toml")


def test_the_report_is_the_page_that_is_written(results: arqway.Results, tmp_path: Path) -> None:
    results.write(tmp_path)
    assert results.report() == (tmp_path / "report.html").read_text()


def test_results_print_as_the_command_prints_them(results: arqway.Results) -> None:
    assert str(results).startswith("small-throughput: Timeouts on a small file (3 replications)")


def test_what_cannot_be_written_is_an_os_error(results: arqway.Results, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(OSError, match="file"):
        results.write(file / "folder")


def test_tables_and_results_say_what_can_be_pickled_instead(results: arqway.Results) -> None:
    with pytest.raises(TypeError, match=r"pyarrow\.table\(table\) can"):
        pickle.dumps(results.rows)
    with pytest.raises(TypeError, match="cannot"):
        pickle.dumps(results)
