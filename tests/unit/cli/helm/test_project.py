"""Charts under development."""

from pathlib import Path

import pytest

from kubewright.cli.helm.project import HelmProject
from kubewright.errors import ConfigError
from tests.unit.helm.charts import chart

WATCHES = "- group: example.com\n  version: v1\n  kind: Shop\n  chart: shop\n"


@pytest.fixture
def project(tmp_path: Path) -> HelmProject:
    """A folder with a chart."""
    home = tmp_path / "corner"
    chart().write_to(home)
    (home / "watches.yaml").write_text(WATCHES)
    return HelmProject(str(home / "watches.yaml"))


def test_saved_and_new_files_are_seen(project: HelmProject) -> None:
    """A template that is new is part of the chart, too."""
    assert project.load().name == "corner"
    assert (project.label, project.slug, project.changed()) == ("corner", "corner", [])

    (project.folder / "shop" / "templates" / "new.yaml").write_text("")
    (project.folder / "shop" / "values.yaml").write_text("colour: red, and more\n")

    assert [path.name for path in project.changed()] == ["values.yaml", "new.yaml"]
    project.load()
    assert project.changed() == []


def test_chart_that_cannot_be_read_is_looked_at_again(project: HelmProject) -> None:
    """Its author is just typing."""
    project.load()
    file = project.folder / "shop" / "values.yaml"
    file.write_text("a: [\n")
    with pytest.raises(ConfigError, match=r"values\.yaml:2"):
        project.load()

    file.write_text("a: []\n")

    assert project.changed() == [file]


def test_other_files_do_not_count(project: HelmProject) -> None:
    """A log in the folder would have the charts read again for each of its lines."""
    project.load()

    (project.folder / "run.log").write_text("reloaded")

    assert project.changed() == []


def test_files_behind_links_are_seen(project: HelmProject, tmp_path: Path) -> None:
    """A subchart that charts share is part of each of them."""
    shared = chart().write_to(tmp_path / "shared")
    (project.folder / "shop" / "charts").mkdir()
    (project.folder / "shop" / "charts" / "shared").symlink_to(shared)
    project.load()

    (shared / "values.yaml").write_text("colour: red, and more\n")

    assert [path.name for path in project.changed()] == ["values.yaml"]
