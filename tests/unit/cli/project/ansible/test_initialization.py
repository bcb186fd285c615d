from pathlib import Path

import pytest
import yaml

from kubewright.cli.project.folder import get_project
from kubewright.errors import ConfigError
from tests.unit.cli.project.running import run, tree_of

INIT = ("init", "--plugins", "ansible", "--domain", "example.com")
NAMES = ("--group", "web", "--version", "v1", "--kind", "Nginx")


def test_a_project_says_what_it_is(folder: Path) -> None:
    """In PROJECT, with the name that operator-sdk has for it."""
    said = run(*INIT)

    assert said.endswith("Next: kubewright create api --group GROUP --version v1 --kind KIND\n")
    found = get_project()
    assert found.project.is_ansible
    assert (found.project.layout, found.project.repo) == (
        ["ansible.sdk.operatorframework.io/v1"],
        "",
    )
    assert found.target == str(folder / "watches.yaml")


def test_there_is_what_ansible_and_the_image_need(folder: Path) -> None:
    """The folders that the Dockerfile copies are there before the first role."""
    run(*INIT)

    assert {one.name for one in folder.iterdir() if one.is_dir()} >= {"roles", "playbooks"}
    [collection] = yaml.safe_load((folder / "requirements.yml").read_text())["collections"]
    assert collection["name"] == "kubernetes.core"
    dockerfile = (folder / "Dockerfile").read_text()
    for name in ("requirements.yml", "watches.yaml", "roles/", "playbooks/"):
        assert name in dockerfile
        assert f"!{name.rstrip('/')}\n" in (folder / ".dockerignore").read_text()


def test_the_first_kind_can_be_made_at_once(folder: Path) -> None:
    """As operator-sdk does it; the files are those of two commands."""
    run(*INIT, *NAMES, "--generate-role", "--generate-playbook")
    at_once = tree_of(folder)
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()

    run(*INIT)
    run("create", "api", *NAMES, "--generate-role", "--generate-playbook")

    assert tree_of(folder) == at_once


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (NAMES, "what should be run for Nginx? Say --generate-role or --generate-playbook"),
        (("--generate-role",), "Missing option '--group'"),
        (("--kind", "Shop", "--generate-role"), "Missing option '--group'"),
        ((*NAMES, "--generate-role", "--crd-schema", "values"), "'values' is not known. Say defau"),
        ((*NAMES, "--generate-playbook", "--crd-schema", "defaults"), "the schema comes from the"),
        (("--helm-chart", "a"), "--helm-chart goes with --plugins helm"),
        (("--owner", "Me"), "--owner goes into pyproject.toml"),
        (("--domain", "x_y"), "--domain: 'x_y' is not a domain"),
        ((*NAMES[:-1], "nginx", "--generate-role"), "--kind: 'nginx'"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(
    words: tuple[str, ...], fault: str, folder: Path
) -> None:
    """Half a project is worse than none."""
    with pytest.raises(ConfigError) as refused:
        run(*INIT, *words)

    assert fault in str(refused.value)
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--plugins", "helm", "--generate-role"), "--generate-role goes with --plugins ansible"),
        (("--generate-playbook",), "--generate-playbook goes with --plugins ansible"),
        (NAMES, "--group goes with --plugins helm or ansible"),
    ],
)
def test_other_projects_take_no_roles(words: tuple[str, ...], fault: str, folder: Path) -> None:
    """The message says which ones do."""
    with pytest.raises(ConfigError) as refused:
        run("init", *words)

    assert fault in str(refused.value)
    assert not list(folder.iterdir())


def test_a_dry_run_writes_nothing(folder: Path) -> None:
    """It says what would be written."""
    said = run(*INIT, *NAMES, "--generate-role", "--dry-run")

    assert "would create  roles/nginx/tasks/main.yml\n" in said
    assert not list(folder.iterdir())


def test_roles_that_are_there_already_are_taken(folder: Path) -> None:
    """Somebody has written them, and makes the project around them."""
    (folder / "roles/nginx/tasks").mkdir(parents=True)
    (folder / "roles/nginx/tasks/main.yml").write_text("[]\n")

    run(*INIT, *NAMES)

    assert (folder / "roles/nginx/tasks/main.yml").read_text() == "[]\n"
    [entry] = yaml.safe_load((folder / "watches.yaml").read_text())
    assert entry["role"] == "nginx"
