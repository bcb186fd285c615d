import subprocess
from pathlib import Path

import pytest

from kubewright.cli.project.helm.options import ChartOptions
from kubewright.cli.project.helm.source import find_files, get_chart
from kubewright.errors import ConfigError

CHART = "apiVersion: v2\nname: shop\nversion: 1.0.0\n"


@pytest.fixture
def chart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a chart, and go to the folder above it."""
    made = tmp_path / "shop"
    (made / "templates").mkdir(parents=True)
    (made / "Chart.yaml").write_text(CHART)
    (made / "templates/a.yaml").write_text("kind: Pod\n")
    (made / "icon.png").write_bytes(b"\xff")
    monkeypatch.chdir(tmp_path)
    return made


def test_a_folder_is_a_chart(chart: Path) -> None:
    """With all its files, but for those of git."""
    (chart / ".git").mkdir()
    (chart / ".git/config").write_text("x")

    found = get_chart(ChartOptions(chart="shop"))

    assert set(found.files) == {"Chart.yaml", "templates/a.yaml", "icon.png"}
    assert found.metadata.name == "shop"


def test_an_archive_is_a_chart(chart: Path) -> None:
    """As `helm package` makes it."""
    subprocess.run(["tar", "czf", "shop-1.0.0.tgz", "shop"], check=True)

    found = get_chart(ChartOptions(chart="shop-1.0.0.tgz"))

    assert found.files == find_files(chart)


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (ChartOptions(chart="nothing"), "--helm-chart: there is no folder and no archive nothing"),
        (ChartOptions(chart="./a/b"), "there is no folder and no archive ./a/b here"),
        (ChartOptions(chart="a/b.tgz"), "there is no folder and no archive a/b.tgz here"),
        (ChartOptions(chart="shop", version="1"), "--helm-chart-version chooses among those of a"),
        (ChartOptions(chart="shop/Chart.yaml"), "Chart.yaml is not an archive of a chart"),
        (ChartOptions(chart="shop/templates"), "shop/templates has no file Chart.yaml"),
    ],
)
def test_what_is_not_there_is_not_pulled(options: ChartOptions, fault: str, chart: Path) -> None:
    """A mistyped path is the user's, and not the network's."""
    with pytest.raises(ConfigError, match=fault):
        get_chart(options)


def test_a_link_out_of_the_chart_is_refused(chart: Path) -> None:
    """What it leads to would be in the project, for everybody."""
    (chart.parent / "secret").write_text("x")
    (chart / "values.yaml").symlink_to(chart.parent / "secret")

    with pytest.raises(ConfigError, match="is a link out of the chart"):
        get_chart(ChartOptions(chart="shop"))


def test_a_link_within_the_chart_is_a_file(chart: Path) -> None:
    """The project has what it leads to."""
    (chart / "b.yaml").symlink_to("templates/a.yaml")

    assert get_chart(ChartOptions(chart="shop")).files["b.yaml"] == "kind: Pod\n"
