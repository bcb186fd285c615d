from pathlib import Path

import pytest

from kubewright.cli.project.initialization import InitOptions, check_owner, project_for
from kubewright.errors import ConfigError
from tests.unit.cli.project.running import run, tree_of


def test_a_project_is_called_after_its_folder(folder: Path) -> None:
    """One word less to type."""
    said = run("init", "--domain", "example.com")

    assert said.startswith("create  .dockerignore\n")
    assert said.endswith("Next: kubewright create api --group GROUP --version v1 --kind KIND\n")
    assert "projectName: town\n" in (folder / "PROJECT").read_text()
    assert (folder / "town/main.py").is_file()


def test_a_dry_run_says_what_would_be_written(folder: Path) -> None:
    """And writes nothing."""
    said = run("init", "--dry-run")

    assert "would create  Makefile\n" in said
    assert not list(folder.iterdir())


def test_a_project_is_not_overwritten_unless_forced(folder: Path) -> None:
    """Its Makefile may be the work of a year."""
    run("init")
    (folder / "Makefile").write_text("mine")

    with pytest.raises(
        ConfigError, match=r"there is a project in .*town already: PROJECT, Makefile"
    ):
        run("init")
    assert (folder / "Makefile").read_text() == "mine"

    said = run("init", "--force")
    assert "update  Makefile\n" in said
    assert "mine" not in (folder / "Makefile").read_text()


def test_other_files_of_the_folder_are_not_overwritten(folder: Path) -> None:
    """A README is often there before."""
    (folder / "README.md").write_text("mine")

    with pytest.raises(ConfigError) as refused:
        run("init")

    assert "these files are there already: README.md. Nothing was changed" in str(refused.value)
    assert tree_of(folder) == {"README.md": b"mine"}


def test_a_project_inside_of_another_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands in it would be about either, depending on the folder."""
    inside = project / "inner"
    inside.mkdir()
    monkeypatch.chdir(inside)

    with pytest.raises(ConfigError, match="is inside of the project town"):
        run("init")


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--domain", "my_domain"], "--domain: 'my_domain' is not a domain"),
        (["--domain", ""], "--domain: '' is not a domain"),
        (["--project-name", "My Shop"], "Say --project-name my-shop-operator"),
        (["--project-name", "test"], "would hide the module of that name"),
        (["--project-name", "kubewright"], "such as --project-name kubewright-operator"),
        (["--project-name", "class"], "a word of Python's own"),
        (["--project-name", "s" * 60], "has 60 characters"),
        (["--license", "mit"], "--license: 'mit' is not known; say apache2 or none"),
        (["--owner", "a\nb"], "--owner: 'a\\nb' is not one line of text"),
        (["--project-version", "2"], "--project-version: only 3 is known, not '2'"),
        (["--plugins", "go/v4"], "--plugins: there is no plugin 'go/v4', only helm"),
        (["--kind", "Shop"], "--kind goes with --plugins helm or ansible; in a project"),
        (["--helm-chart", "shop"], "--helm-chart goes with --plugins helm"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(
    words: list[str], fault: str, folder: Path
) -> None:
    """Half a project is worse than none."""
    with pytest.raises(ConfigError) as refused:
        run("init", *words)

    assert fault in str(refused.value)
    assert not list(folder.iterdir())


def test_a_folder_that_cannot_be_written_to_stays_as_it_is(folder: Path) -> None:
    """The message names the place, and nothing is half there."""
    (folder / "config").write_text("a file")

    with pytest.raises(ConfigError, match="a folder above it is a file"):
        run("init")

    assert tree_of(folder) == {"config": b"a file"}


def test_a_link_out_of_the_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    """Somebody else's file would be overwritten."""
    (tmp_path / "theirs").write_text("theirs")
    (folder / "Dockerfile").symlink_to(tmp_path / "theirs")

    with pytest.raises(ConfigError, match="leads out of"):
        run("init", "--force")

    assert (tmp_path / "theirs").read_text() == "theirs"


def test_what_was_said_is_in_the_project(tmp_path: Path) -> None:
    """The scaffold can be made again from it, without the options."""
    options = InitOptions(
        domain="example.com", owner="  Me ", license_name="none", multigroup=True, namespaced=True
    )

    made = project_for(options, tmp_path / "shop-operator")

    assert (made.project_name, made.repo) == ("shop-operator", "shop_operator")
    assert (made.owner, made.license) == ("Me", "none")
    assert made.multigroup
    assert made.namespaced
    assert check_owner(" Me ") == "Me"
