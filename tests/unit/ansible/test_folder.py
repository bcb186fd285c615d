"""The files of a run."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from kubewright.ansible.children import Children
from kubewright.ansible.dependents import Dependents
from kubewright.ansible.execution.process import Job
from kubewright.ansible.folder import COLLECTIONS, RunFolder, default_folder
from kubewright.ansible.playbook import Playbook
from kubewright.ansible.proxy.grant import Grant
from kubewright.ansible.proxy.owner import Owner
from kubewright.api.kind import ObjectKey
from kubewright.cluster import Cluster
from kubewright.errors import ConfigError
from kubewright.testing import EmbeddedServer
from tests.unit.ansible.stalls import Stall, watch

OWNER = Owner("example.com/v1", "Stall", "corner", "default", "1")


async def job_in(folder: Path, **more: Any) -> tuple[RunFolder, Job]:
    """Write a job, and return its folder and itself."""
    async with EmbeddedServer() as server, server.client() as client:
        children = Children(Dependents(watch(folder), Cluster(client)))
        files = RunFolder(folder / "files", Stall, ObjectKey("default", "corner"))
        role = Playbook(folder / "roles" / "stall", "stall", folder / "roles")
        job = files.write_job(
            role,
            {"secret": "s"},
            Grant("token", client, OWNER, children),
            url="https://127.0.0.1:1",
            certificate=b"ca",
            python="/usr/bin/python3",
            ident="run-1",
            options={"verbosity": 2},
            arguments=more.get("arguments", ""),
        )
        return files, job


async def test_secrets_are_for_our_eyes_only(tmp_path: Path) -> None:
    """The token in the kubeconfig file, and the variables with what the object says."""
    files, job = await job_in(tmp_path)

    for name in ("kubeconfig", "env/extravars", "job.json"):
        assert stat.S_IMODE((files.path / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(files.path.stat().st_mode) == 0o700
    assert "token" not in str(job.environ)
    config = json.loads((files.path / "kubeconfig").read_text())
    assert config["users"][0]["user"] == {"token": "token"}
    assert config["contexts"][0]["context"]["namespace"] == "default"

    files.remove_secrets()

    assert sorted(path.name for path in files.path.iterdir()) == ["ca.crt", "inventory", "project"]
    files.remove()
    assert not files.path.exists()


async def test_job_names_the_role_and_our_modules_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has others of their names would get those."""
    monkeypatch.setenv("ANSIBLE_COLLECTIONS_PATH", "/theirs")
    monkeypatch.setenv("ANSIBLE_ROLES_PATH", "/roles")
    files, job = await job_in(tmp_path, arguments="--tags 'a b'")

    wanted = json.loads(job.file.read_text())
    assert (wanted["role"], wanted["ident"], wanted["verbosity"]) == ("stall", "run-1", 2)
    assert job.environ["ANSIBLE_COLLECTIONS_PATH"] == f"{COLLECTIONS}:/theirs"
    assert job.environ["ANSIBLE_ROLES_PATH"] == f"{tmp_path / 'roles'}:/roles"
    assert job.environ["KUBECONFIG"] == str(files.path / "kubeconfig")
    assert (files.path / "env" / "cmdline").read_text() == "--tags 'a b'"
    assert "interpreter=/usr/bin/python3" in (files.path / "inventory" / "hosts").read_text()


async def test_inventory_can_be_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the original takes it from the environment."""
    monkeypatch.setenv("ANSIBLE_INVENTORY", "/hosts")

    _, job = await job_in(tmp_path)

    assert json.loads(job.file.read_text())["inventory"] == "/hosts"


def test_folder_of_somebody_else_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever makes it first in a folder for all could read our tokens."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = default_folder("market", "https://127.0.0.1:6443")
    assert found.name == "market-https---127-0-0-1-6443"
    assert stat.S_IMODE(found.parent.stat().st_mode) == 0o700
    found.parent.rmdir()
    found.parent.symlink_to(tmp_path)

    with pytest.raises(ConfigError, match="belongs to somebody else"):
        default_folder("market", "https://127.0.0.1:6443")
