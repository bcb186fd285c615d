"""Where roles and playbooks are, and whether their files have changed."""

from pathlib import Path

import pytest

from kubewright._aio import VirtualClock
from kubewright.ansible.playbook import Playbook, Stamp, find_playbook, find_role
from kubewright.errors import ConfigError


def folder_of(path: Path) -> Path:
    """Make a folder."""
    path.mkdir(parents=True)
    return path


def test_role_is_looked_for_as_operator_sdk_does(tmp_path: Path) -> None:
    """In collections by its full name, in the paths of roles, and beside the file."""
    home = tmp_path / "home"
    beside = folder_of(home / "roles" / "shop")
    assert find_role("shop", home, {}).path == beside
    other = folder_of(tmp_path / "more" / "roles" / "shop")
    environ = {"ANSIBLE_ROLES_PATH": str(tmp_path / "more")}
    found = find_role("shop", home, environ)
    assert (found.path, found.roles_path) == (other, other.parent)
    assert find_role(str(beside), home, environ).path == beside

    collection = folder_of(tmp_path / "c" / "ansible_collections" / "a" / "b" / "roles" / "shop")
    environ = {"ANSIBLE_COLLECTIONS_PATH": str(tmp_path / "c")}

    full = find_role("a.b.shop", home, environ)

    assert (full.path, full.role, full.roles_path) == (collection, "a.b.shop", None)
    assert full.arguments == {"role": "a.b.shop", "hosts": "localhost"}


def test_role_that_is_nowhere_is_told_with_all_places(tmp_path: Path) -> None:
    """So that its author sees which one was meant."""
    with pytest.raises(ConfigError, match="there is no role 'shop'") as caught:
        find_role("shop", tmp_path, {"ANSIBLE_ROLES_PATH": "/nowhere"})

    assert "/nowhere/roles/shop" in str(caught.value)
    with pytest.raises(ConfigError, match="there is no role in /nowhere/shop"):
        find_role("/nowhere/shop", tmp_path, {})
    with pytest.raises(ConfigError, match=r"there is no playbook .*/a\.yml"):
        find_playbook("a.yml", tmp_path)


def test_stamp_changes_with_the_files(tmp_path: Path) -> None:
    """Of a playbook, those of the roles beside it count, too."""
    (tmp_path / "playbooks").mkdir()
    file = tmp_path / "playbooks" / "a.yml"
    file.write_text("a")
    tasks = folder_of(tmp_path / "roles" / "shop" / "tasks")
    playbook = find_playbook("playbooks/a.yml", tmp_path)
    first = playbook.stamp()
    assert first == playbook.stamp()

    (tasks / "main.yml").write_text("- debug:")

    assert playbook.stamp() != first
    role = Playbook(tmp_path / "roles" / "shop", "shop", tmp_path / "roles")
    assert [path.name for path in role.files()] == ["main.yml"]


async def test_files_are_looked_at_every_few_seconds(tmp_path: Path) -> None:
    """Not for each of hundreds of objects."""
    clock = VirtualClock()
    file = tmp_path / "a.yml"
    file.write_text("a")
    stamp = Stamp([Playbook(file)], clock)
    first = stamp.now()
    file.write_text("more")
    assert stamp.now() == first

    await clock.run(clock.sleep(10))

    assert stamp.now() != first
