"""A project made at once is the one that the commands make, one after the other."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from kubewright.cli.app import app
from kubewright.cli.project.folder import get_project
from kubewright.scaffold.project import Project
from kubewright.scaffold.replay import project_files
from kubewright.scaffold.templates import Templates

ROLE = "--generate-role"
STAND = ["--group", "shop", "--kind", "Stand"]
HISTORIES = {
    "empty": [["init", "--domain", "example.com", "--license", "none"]],
    "kinds": [
        ["init", "--domain", "example.com", "--owner", "Shop AG", "--namespaced"],
        ["create", "api", *STAND, "--version", "v1", "--resource", "--controller"],
        ["create", "api", *STAND, "--version", "v2", "--resource", "--no-controller"],
        ["create", "api", "--group", "apps", "--version", "v1", "--kind", "Deployment",
         "--controller", "--no-resource"],
    ],
    "webhooks": [
        ["init", "--domain", "example.com", "--multigroup"],
        ["create", "api", *STAND, "--version", "v1", "--resource", "--controller"],
        ["create", "webhook", *STAND, "--version", "v1", "--defaulting"],
        ["create", "api", *STAND, "--version", "v2", "--resource", "--no-controller"],
        ["create", "webhook", *STAND, "--version", "v1", "--conversion", "--spoke", "v2"],
        ["create", "webhook", "--group", "core", "--version", "v1", "--kind", "Pod",
         "--programmatic-validation"],
        ["create", "api", "--group", "lots", "--version", "v1", "--kind", "Lot", "--resource",
         "--controller", "--image", "nginx:1"],
    ],
}  # fmt: skip


@pytest.mark.parametrize("history", HISTORIES)
def test_it_has_the_files_that_the_commands_write(
    history: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An update takes it for what the project was at first; a difference would be a conflict."""
    home = tmp_path / "market"
    home.mkdir()
    monkeypatch.chdir(home)
    for words in HISTORIES[history]:
        done = CliRunner().invoke(app, [*words, "--no-manifests"], catch_exceptions=False)
        assert done.exit_code == 0, done.output
    project = get_project().project

    files = project_files(project, Templates())

    there = {
        path.relative_to(home).as_posix(): path.read_text()
        for path in home.rglob("*")
        if path.is_file()
    }
    assert sorted(files) == sorted(there)
    assert {path for path, text in files.items() if text != there[path]} == set()


@pytest.mark.parametrize(
    ("plugin", "own", "schema", "folders"),
    [
        ("helm", (), "values", ("helm-charts/",)),
        (
            "ansible",
            ("--generate-role", "--generate-playbook"),
            "defaults",
            ("roles/", "playbooks/"),
        ),
    ],
)
def test_a_project_without_code_has_all_but_what_is_run(
    plugin: str,
    own: tuple[str, ...],
    schema: str,
    folders: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What depends on a chart or a role is in neither scaffold, so an update does not touch it."""
    monkeypatch.chdir(tmp_path)
    names = ["--group", "web", "--version", "v1", "--kind"]
    for words in (
        ["init", "--plugins", plugin, "--project-name", "town", *names, "Nginx", *own],
        ["create", "api", *names, "Shop", "--crd-schema", schema, *own],
    ):
        done = CliRunner().invoke(app, words, catch_exceptions=False)
        assert done.exit_code == 0, done.output

    files = project_files(get_project().project, Templates())

    there = {
        path.relative_to(tmp_path).as_posix(): path.read_text()
        for path in tmp_path.rglob("*")
        if path.is_file()
    }
    left = {path for path in there.keys() - files.keys() if not path.startswith(folders)}
    assert left == {
        "config/crd/bases/web.my.domain_shops.yaml",
        "config/samples/web_v1_nginx.yaml",
        "config/samples/web_v1_shop.yaml",
    }
    assert {path for path, text in files.items() if text != there[path]} == {
        "config/rbac/role.yaml"
    }


def test_the_project_itself_is_not_changed() -> None:
    """The caller makes two scaffolds of it, with different templates."""
    project = Project(domain="example.com", project_name="shop", repo="shop")

    project_files(project, Templates())

    assert project == Project(domain="example.com", project_name="shop", repo="shop")
