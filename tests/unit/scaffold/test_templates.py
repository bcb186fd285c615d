from pathlib import Path

import jinja2
import pytest

from kubewright._version import VERSION
from kubewright.errors import ConfigError
from kubewright.scaffold.templates import CHART, CURRENT, VERSIONS, Templates, minimum_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make templates of a version."""
    (tmp_path / "9/part/{name}").mkdir(parents=True)
    return tmp_path


def test_a_template_lies_where_its_file_will_be(root: Path) -> None:
    """Whoever looks for the template of a file finds it."""
    (root / "9/part/{name}/a.txt.j2").write_text("{{ name }}\n")
    (root / "9/part/notes.md").write_text("not a template")

    assert Templates("9", root=root).render("part", {"name": "shop"}) == {"shop/a.txt": "shop\n"}


def test_a_file_without_content_is_left_out(root: Path) -> None:
    """LICENSE is there for one license only."""
    (root / "9/part/a.txt.j2").write_text("{% if wanted %}\nyes\n{% endif %}\n")
    templates = Templates("9", root=root)

    assert templates.render("part", {"wanted": False}) == {}
    assert templates.render("part", {"wanted": True}) == {"a.txt": "yes\n"}


def test_a_name_that_is_not_there_is_a_fault(root: Path) -> None:
    """A hole in a manifest would be found much later."""
    (root / "9/part/a.txt.j2").write_text("{{ unknown_name }}\n")

    with pytest.raises(jinja2.UndefinedError, match="unknown_name"):
        Templates("9", root=root).render("part", {"name": "shop"})


def test_templates_that_are_not_kept_are_told() -> None:
    """The project was made by a newer version of the program."""
    with pytest.raises(ConfigError, match=r"no templates of version '9\.9'.*newer kubewright"):
        Templates("9.9")


@pytest.mark.parametrize("version", VERSIONS)
def test_templates_of_every_version_are_in_the_package(version: str) -> None:
    """Updates of a project begin with what it was made from."""
    templates = Templates(version)

    assert templates.version == version
    assert (Path(__file__).parents[3] / "src/kubewright/scaffold/templates" / version).is_dir()


def test_projects_need_a_version_that_has_their_templates() -> None:
    """It is in their pyproject.toml, and pip must find it."""
    assert VERSION.startswith(CURRENT)
    assert minimum_of("0.1") == minimum_of("") == "0.1.0.dev0"
    assert Templates("").version == CURRENT  # where PROJECT was written by hand


def test_templates_of_charts_keep_those_of_helm(root: Path) -> None:
    """Both use the same brackets; ours have others there."""
    (root / "9/helm-chart").mkdir()
    (root / "9/helm-chart/a.yaml.j2").write_text('name: << name >>{{ include "<< name >>.x" . }}\n')

    made = Templates("9", root=root).render(CHART, {"name": "shop"})

    assert made == {"a.yaml": 'name: shop{{ include "shop.x" . }}\n'}
