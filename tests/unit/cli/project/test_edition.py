from pathlib import Path

import pytest

from kubewright.cli.project.folder import get_project
from kubewright.errors import ConfigError
from tests.unit.cli.project.running import run, tree_of

MANAGER = "config/manager/manager.yaml"


def test_a_namespaced_operator_has_a_role_and_an_argument(project: Path) -> None:
    """And what the user has changed in the same file is still there."""
    manager = project / MANAGER
    manager.write_text(manager.read_text().replace("replicas: 1", "replicas: 3"))

    run("edit", "--namespaced")

    text = manager.read_text()
    assert "replicas: 3" in text
    assert "--namespace=$(WATCH_NAMESPACE)" in text
    assert "kind: RoleBinding" in (project / "config/rbac/role_binding.yaml").read_text()
    assert get_project().project.namespaced


def test_there_and_back_is_where_it_was(project: Path) -> None:
    """Whoever tries it out can go back."""
    before = tree_of(project)

    run("edit", "--namespaced", "--multigroup", "--owner", "Me", "--license", "none")
    assert "LICENSE" not in tree_of(project)
    run("edit", "--no-namespaced", "--no-multigroup", "--owner", "", "--license", "apache2")

    after = tree_of(project)
    assert {path for path in before if before[path] != after[path]} == {"town/api/v1/__init__.py"}


def test_what_is_so_already_is_left_alone(project: Path) -> None:
    """It is no mistake to say it again."""
    before = tree_of(project)

    assert run("edit", "--no-namespaced") == "Nothing has to be changed.\n"
    assert tree_of(project) == before


def test_a_dry_run_writes_nothing(project: Path) -> None:
    """It says what would change."""
    before = tree_of(project)

    said = run("edit", "--multigroup", "--dry-run")

    assert "would delete  town/api/v1/shop.py\n" in said
    assert "would create  town/api/shop/v1/shop.py\n" in said
    assert tree_of(project) == before


def test_files_that_are_gone_do_not_come_back(project: Path) -> None:
    """Only those that change are looked at, and one that is gone is made anew."""
    (project / "README.md").unlink()

    run("edit", "--namespaced")

    assert not (project / "README.md").exists()


def change_arguments(project: Path) -> None:
    """Change the line at which one would be added."""
    manager = project / MANAGER
    manager.write_text(manager.read_text().replace("--log-format=json", "--log-format=console"))


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ((), "what should change? Say --multigroup"),
        (("--license", "mit"), "--license: 'mit' is not known"),
        (("--owner", "a\nb"), "is not one line of text"),
        (("--namespaced",), f"{MANAGER} was changed by hand where it would change now"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(
    words: tuple[str, ...], fault: str, project: Path
) -> None:
    """The project is as it was."""
    change_arguments(project)
    before = tree_of(project)

    with pytest.raises(ConfigError) as refused:
        run("edit", *words)

    assert fault in str(refused.value)
    assert tree_of(project) == before


def test_changes_can_be_thrown_away(project: Path) -> None:
    """The message has said so."""
    change_arguments(project)

    run("edit", "--namespaced", "--force")

    assert "--log-format=json" in (project / MANAGER).read_text()


@pytest.mark.parametrize(
    ("path", "text", "fault"),
    [
        ("town/controller/shop.py", "from . import other\n", "has a relative import"),
        ("town/controller/shop.py", "def (\n", "Mend that first"),
        ("town/controller/shop/shop.py", "", "there is a file already"),
        ("town/prices.py", "from town.api.v1 import shop, b\n", "an import of its own"),
        ("town/prices.py", b"\xff", "cannot read"),
        ("PROJECT", "version: '2'\n", "its version is '2'"),
    ],
)
def test_modules_that_cannot_be_moved_safely_are_not(
    path: str, text: str | bytes, fault: str, project: Path
) -> None:
    """The message says where, and the project is as it was."""
    place = project / path
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = tree_of(project)

    with pytest.raises(ConfigError, match=fault):
        run("edit", "--multigroup")

    assert tree_of(project) == before


def test_ends_of_lines_move_along(project: Path) -> None:
    """A project on Windows is not half changed by a move."""
    for path in ("PROJECT", "town/api/v1/shop.py", "tests/controller/test_shop_controller.py"):
        if (project / path).exists():
            text = (project / path).read_bytes()
            (project / path).write_bytes(text.replace(b"\n", b"\r\n"))
    before = (project / "town/api/v1/shop.py").read_bytes()

    run("edit", "--multigroup")

    assert (project / "town/api/shop/v1/shop.py").read_bytes() == before
    file = (project / "PROJECT").read_bytes()
    assert file.count(b"\r\n") == file.count(b"\n")
    assert b"multigroup: true\r\n" in file


SORTS = (("helm",), ("ansible", "--generate-role"))


@pytest.fixture(params=SORTS, ids=lambda one: one[0])
def sort(request: pytest.FixtureRequest, folder: Path) -> tuple[str, ...]:
    """Make a project without code in this folder; return the options of its kinds."""
    plugin, *options = request.param
    names = ("--group", "web", "--version", "v1", "--kind", "Nginx")
    run("init", "--plugins", plugin, "--domain", "example.com", *names, *options)
    return tuple(options)


@pytest.mark.usefixtures("sort")
def test_a_project_without_code_changes_its_role(folder: Path) -> None:
    """Rules that were added to it stay."""
    role = folder / "config/rbac/role.yaml"
    role.write_text(f"{role.read_text()}# mine\n")
    before = role.read_text()

    said = run("edit", "--namespaced")

    assert said.endswith("Next: look at `git diff`, then make lint\n")
    assert "kind: Role\nmetadata:\n  namespace: system\n  name: manager-role\n" in role.read_text()
    assert role.read_text().endswith("# mine\n")
    run("edit", "--no-namespaced")
    assert role.read_text() == before


def test_a_project_without_code_may_have_several_groups(
    folder: Path, sort: tuple[str, ...]
) -> None:
    """No module moves, since there is none."""
    names = ("--group", "cache", "--version", "v1", "--kind", "Memcached", *sort)
    with pytest.raises(ConfigError, match="kubewright edit --multigroup"):
        run("create", "api", *names)

    run("edit", "--multigroup")
    run("create", "api", *names)

    assert (folder / "config/rbac/cache_memcached_admin_role.yaml").is_file()


@pytest.mark.parametrize("words", [("--owner", "Me"), ("--license", "none")])
@pytest.mark.usefixtures("sort")
def test_a_project_without_code_has_no_owner(words: tuple[str, str]) -> None:
    """It says that in files that it does not have."""
    with pytest.raises(ConfigError, match=r"has neither pyproject\.toml nor LICENSE"):
        run("edit", *words)
