"""Roles as operators."""

from pathlib import Path

import pytest

from kubewright.ansible import AnsibleOperator, Settings
from kubewright.cluster import Cluster
from kubewright.errors import ConfigError
from kubewright.manager import Manager
from kubewright.testing import EmbeddedServer
from tests.unit.ansible.stalls import Stall, stall, watch

WATCHES = "- group: example.com\n  version: v1\n  kind: Stall\n  role: stall\n"
CRD = """\
kind: CustomResourceDefinition
metadata: {name: stalls.example.com}
spec: {group: example.com, names: {kind: Stall}}
"""


def test_folder_is_read(tmp_path: Path) -> None:
    """With the CRDs in it, and a name that DNS allows."""
    home = tmp_path / "My Stalls"
    bases = home / "config" / "crd" / "bases"
    bases.mkdir(parents=True)
    (home / "roles" / "stall").mkdir(parents=True)
    (home / "watches.yaml").write_text(WATCHES)
    (bases / "stalls.yaml").write_text(CRD)

    found = AnsibleOperator.load(home)

    assert found.name == "my-stalls"
    assert [one["metadata"]["name"] for one in found.crds()] == ["stalls.example.com"]
    assert "versions" not in found.crds()[0]["spec"]
    assert [one.kind for one in found.declarations] == [Stall]


def test_kind_stands_there_once(tmp_path: Path) -> None:
    """Two roles would undo each other's work."""
    with pytest.raises(ConfigError, match="is there twice"):
        AnsibleOperator([watch(tmp_path), watch(tmp_path)])


async def test_rules_are_those_of_the_kind_and_of_the_tasks(tmp_path: Path) -> None:
    """At the start, only those of the kind are asked for: a task may never be run."""
    some = watch(tmp_path)
    task = "- k8s: {definition: {apiVersion: v1, kind: Secret}}"
    (some.playbook.path / "tasks" / "main.yml").write_text(task)
    operator = AnsibleOperator([some])

    rules, certain = operator.rules(), await operator.certain_rules()

    resources = {name for rule in rules for name in rule.resources}
    sure = {name for rule in certain for name in rule.resources}
    assert resources - sure == {"secrets"}
    assert {"stalls", "stalls/status", "stalls/finalizers", "events"} <= sure


async def test_there_are_workers_for_all_runs(tmp_path: Path) -> None:
    """Unless the watch says how many, or the user wants more."""
    settings = Settings(folder=tmp_path / "files", runs=3)
    async with EmbeddedServer() as server, server.client() as client:
        for watched, workers, wanted in (
            (watch(tmp_path), 1, 3),
            (watch(tmp_path), 8, 8),
            (watch(tmp_path, max_concurrent_reconciles=2), 8, 2),
        ):
            operator = AnsibleOperator([watched], settings=settings)
            (controller,) = operator.populate(Manager(), [Cluster(client)], workers=workers)
            assert controller.declaration.workers == wanted


async def test_operator_can_be_added_and_removed_while_a_manager_runs(tmp_path: Path) -> None:
    """``kubewright dev`` does so after each save."""
    settings = Settings(folder=tmp_path / "files")
    async with EmbeddedServer() as server, server.client() as client:
        first = AnsibleOperator([watch(tmp_path)], settings=settings)
        await first.install_crds(client)
        async with Manager() as manager:
            for operator in (first, AnsibleOperator([watch(tmp_path)], settings=settings)):
                operator.add_to(manager, Cluster(client))
                await client.create(stall())
                await manager.settled()
                obj = await client.get(Stall, "corner", namespace="default")
                assert obj.status["conditions"]
                await client.delete(Stall, obj.key)
                await manager.settled()
                await manager.remove(operator)
