"""Sets of objects: applied, pruned and deleted on any server, and understood by kubectl."""

import asyncio
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from kubewright.applyset import ApplySet, Parent, Report
from kubewright.client import Client
from kubewright.errors import NoMatchError, NotFoundError
from kubewright.kinds.apiextensions.v1 import CustomResourceDefinition
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.testing import Server
from tests.conformance.crds import Installer, crd, version

Document = dict[str, Any]
Kubectl = Callable[..., subprocess.CompletedProcess[str]]


def config(name: str, **data: str) -> Document:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def service() -> Document:
    spec = {"ports": [{"port": 80, "protocol": "TCP"}], "selector": {"a": "b"}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": spec}


def said(report: Report) -> list[str]:
    """Return what was done, without namespaces."""
    assert not report.failures, [str(one) for one in report.failures]
    return [f"{one.action} {str(one.name).partition(' ')[0]}" for one in report.changes]


@pytest.fixture
def applyset(client: Client, namespace: str) -> ApplySet:
    """A set in the test's own namespace."""
    return ApplySet(client, Parent("set", namespace), timeout=30)


async def test_the_second_apply_changes_nothing_and_the_third_what_is_new(
    applyset: ApplySet, client: Client
) -> None:
    """A server stores nothing for an apply that changes nothing."""
    first = await applyset.apply([config("a", x="1"), service()])
    version = (await client.get(ConfigMap, "a")).metadata.resource_version
    second = await applyset.apply([config("a", x="1"), service()])
    same = (await client.get(ConfigMap, "a")).metadata.resource_version
    third = await applyset.apply([config("a", x="2"), service()])

    assert said(first) == ["created configmap/a", "created service/web"]
    assert said(second) == ["unchanged configmap/a", "unchanged service/web"]
    assert same == version
    assert said(third) == ["configured configmap/a", "unchanged service/web"]
    assert [str(one) for one in third.changes[0].fields] == ["data.x '1' -> '2'"]


async def test_a_dry_run_tells_what_the_apply_then_does(applyset: ApplySet, client: Client) -> None:
    """The server has checked it, and stored nothing."""
    await applyset.apply([config("a", x="1"), config("b")])

    dry = await applyset.apply([config("a", x="2"), config("c")], dry_run=True)
    before = (await client.get(ConfigMap, "a")).data
    done = await applyset.apply([config("a", x="2"), config("c")])

    assert before == {"x": "1"}
    assert said(dry) == ["configured configmap/a", "created configmap/c", "pruned configmap/b"]
    assert said(done) == said(dry)
    assert await client.find(ConfigMap, "b") is None


async def test_a_conflict_names_the_field_and_its_owner(applyset: ApplySet, client: Client) -> None:
    """As the server says it, of every release."""
    await applyset.apply([config("a", x="1")])
    await client.patch(ConfigMap, "a", {"data": {"x": "9"}}, field_owner="somebody")

    report = await applyset.apply([config("a", x="2")])
    forced = await applyset.apply([config("a", x="2")], force=True)

    ((conflict,),) = [one.conflicts for one in report.failures]
    assert (conflict.field, conflict.owner) == (".data.x", "somebody using v1")
    assert said(forced) == ["configured configmap/a"]


@pytest.mark.crd
async def test_an_object_can_be_in_one_set_with_its_definition(
    applyset: ApplySet, client: Client, install: Installer, namespace: str
) -> None:
    """A server serves a new kind a moment after it is established."""
    group = f"{namespace}.example.com"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"shops.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "shops", "kind": "Shop"},
            "versions": [version],
        },
    }
    shop = {"apiVersion": f"{group}/v1", "kind": "Shop", "metadata": {"name": "corner"}}
    alone = ApplySet(client, None, timeout=30)

    first = await alone.apply([shop, definition])
    second = await alone.apply([shop, definition])
    gone = await alone.delete([shop, definition])

    kinds = [f"customresourcedefinition.apiextensions.k8s.io/shops.{group}", f"shop.{group}/corner"]
    assert said(first) == [f"created {kind}" for kind in kinds]
    assert said(second) == [f"unchanged {kind}" for kind in kinds]
    assert said(gone) == [f"deleted {kind}" for kind in reversed(kinds)]


@pytest.mark.controllers
async def test_a_set_is_deleted_and_leaves_nothing(
    applyset: ApplySet, client: Client, namespace: str
) -> None:
    """Workloads go with their pods, which takes the garbage collector."""
    labels = {"app": "web"}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "b"}]}}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": labels}, "template": pod},
    }
    await applyset.apply([config("a"), deployment])

    report = await applyset.delete()

    assert said(report) == ["deleted deployment.apps/web", "deleted configmap/a"]
    assert await client.find(ConfigMap, "set") is None


@pytest.mark.crd
async def test_a_definition_that_is_not_served_keeps_its_objects(
    client: Client, install: Installer
) -> None:
    """They stay in the store, and are there again when it is."""
    made = crd(version())
    install.install(made)
    group, name = made["spec"]["group"], made["metadata"]["name"]
    widget = {"apiVersion": f"{group}/v1", "kind": "Widget", "metadata": {"name": "a"}}
    alone = ApplySet(client, None, timeout=30)
    await alone.apply([widget])
    await client.patch(CustomResourceDefinition, name, {"spec": spec_of(made, served=False)})

    report = await alone.delete([made], instances="all")

    await client.patch(CustomResourceDefinition, name, {"spec": spec_of(made, served=True)})
    assert "nobody can tell whether there are objects" in str(report.failures[0])
    assert await _is_there_again(client, name)


def spec_of(definition: Document, *, served: bool) -> Document:
    (only,) = definition["spec"]["versions"]
    return {"versions": [{**only, "served": served}]}


async def _is_there_again(client: Client, resource: str) -> bool:
    """Whether an object is listed; a server needs a moment to serve a version again."""
    for _ in range(50):
        client.mapper.reset()
        try:
            return [one.metadata.name for one in await client.list(resource)] == ["a"]
        except (NotFoundError, NoMatchError):
            await asyncio.sleep(0.2)
    return False


@pytest.mark.controllers
async def test_a_namespace_goes_if_the_set_has_made_it_and_nobody_else_is_in_it(
    client: Client, namespace: str
) -> None:
    """What the cluster itself puts into it does not count."""
    name = f"{namespace}-made"
    made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    before = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    theirs = config("theirs")
    theirs["metadata"]["namespace"] = name
    applyset = ApplySet(client, Parent("set", name), timeout=30)
    await applyset.apply([made, before])
    await ApplySet(client, None).apply([theirs])

    refused = await applyset.delete()
    await client.delete(ConfigMap, "theirs", namespace=name)
    report = await applyset.delete()

    assert [str(one) for one in refused.failures] == [
        f"namespace/{name}: 1 object of others would go, too: configmap/theirs in {name}"
    ]
    assert sorted(said(report)) == [f"deleted namespace/{name}", f"released namespace/{namespace}"]


@pytest.fixture
def kubectl(server: Server, namespace: str, tmp_path: Path) -> Kubectl:
    """Return what runs kubectl with its applysets, which are alpha."""
    if which("kubectl") is None:
        pytest.skip("there is no kubectl")

    def run(*words: str, objects: list[Document]) -> subprocess.CompletedProcess[str]:
        file = tmp_path / "objects.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        return subprocess.run(
            [
                *("kubectl", "--kubeconfig", str(server.kubeconfig_file), "-n", namespace),
                *("apply", "--prune", "--applyset=configmap/set", "--server-side"),
                *("--field-manager=kubewright", "--validate=false", "-f", str(file), *words),
            ],
            env={**os.environ, "KUBECTL_APPLYSET": "true", "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return run


async def test_kubectl_knows_that_the_set_is_ours(applyset: ApplySet, kubectl: Kubectl) -> None:
    """The specification says that each tool leaves the sets of others alone."""
    await applyset.apply([config("a"), config("b")])

    done = kubectl(objects=[config("a")])

    assert done.returncode == 1
    assert 'is managed by tooling "kubewright" instead of "kubectl"' in done.stderr


async def test_kubectl_goes_on_with_a_set_that_is_handed_over(
    applyset: ApplySet, client: Client, kubectl: Kubectl
) -> None:
    """It reads our labels and annotations: what it leaves out is pruned, kind by kind."""
    await applyset.apply([config("a"), config("b"), service()])
    tooling = {"applyset.kubernetes.io/tooling": "kubectl/v1.32"}
    await client.patch(ConfigMap, "set", {"metadata": {"annotations": tooling}})

    done = kubectl(objects=[config("a")])

    assert done.returncode == 0, done.stderr
    assert {"configmap/b pruned", "service/web pruned"} <= set(done.stdout.splitlines())
    assert await client.find(ConfigMap, "a") is not None


async def test_a_set_of_kubectl_can_be_taken_over(
    client: Client, namespace: str, kubectl: Kubectl
) -> None:
    """With its tooling changed, we prune what kubectl has applied, and not before."""
    made = kubectl(objects=[config("a"), config("b")])
    ours = Parent("set", namespace)
    found = await client.get(ConfigMap, "set")
    assert made.returncode == 0, made.stderr
    assert found.metadata.labels == {"applyset.kubernetes.io/id": ours.id}
    tooling = {"applyset.kubernetes.io/tooling": "kubewright/v1"}
    await client.patch(ConfigMap, "set", {"metadata": {"annotations": tooling}})

    report = await ApplySet(client, ours, timeout=30).apply([config("a")])

    assert said(report) == ["unchanged configmap/a", "pruned configmap/b"]
