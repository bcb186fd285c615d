"""The Memcached of a role, as a process: what the role makes, tells, refuses and mends."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import kubewright as kw
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import Pod
from tests.e2e.ansible_home import ansible_environment
from tests.e2e.conftest import Start
from tests.e2e.kubectl import Kubectl
from tests.e2e.program import EXAMPLES, Program, crds_of

Memcached = kw.Kind("cache.example.com/v1alpha1", "Memcached")
Begin = Callable[[], Program]

SAMPLE = "memcached_ansible"
NAME = "memcached-sample"
OBJECT = EXAMPLES / SAMPLE / "config" / "samples" / "cache_v1alpha1_memcached.yaml"
PATIENCE = 90.0
pytestmark = pytest.mark.timeout(240)  # each run of Ansible takes seconds


@pytest.fixture
def begin(start: Start, kubectl: Kubectl, tmp_path: Path) -> Begin:
    """Start the sample, with its CRD, which others have under the same name."""
    environment = ansible_environment(tmp_path)
    kubectl("apply", "--filename", str(crds_of(SAMPLE)))
    kubectl("wait", "--for=condition=established", "--filename", str(crds_of(SAMPLE)))
    return lambda: start(SAMPLE, environment=environment)


async def ask(client: kw.Client, **spec: Any) -> None:
    """Make the sample, or change what it says."""
    sample = yaml.safe_load(OBJECT.read_text())
    wanted = {**sample["spec"], **spec}
    obj = Memcached(metadata={"name": NAME, "namespace": client.namespace}, spec=wanted)
    await client.apply(obj, field_owner="e2e", force=True)


def conditions_of(obj: kw.Unstructured | None) -> dict[str, dict[str, Any]]:
    """Return the conditions by their type."""
    listed = obj.status.get("conditions", []) if obj is not None else []
    return {one["type"]: one for one in listed}


async def has_nodes(client: kw.Client, size: int) -> kw.Unstructured:
    """Wait until a run has told of so many nodes, and has succeeded."""

    def done(obj: kw.Unstructured | None) -> bool:
        found = conditions_of(obj).get("Successful", {})
        nodes = obj.status.get("nodes", []) if obj is not None else []
        return found.get("status") == "True" and len(nodes) == size

    found = await kw.wait_for(client, Memcached, NAME, done, timeout=PATIENCE)
    assert found is not None
    return found


async def has_replicas(client: kw.Client, size: int) -> Deployment:
    """Wait until the Deployment is of this size."""
    found = await kw.wait_for(
        client,
        Deployment,
        NAME,
        lambda one: one is not None and one.spec.replicas == size,
        timeout=PATIENCE,
    )
    assert found is not None
    return found


async def test_the_sample_gives_a_node_and_tells_its_name(
    client: kw.Client, kubectl: Kubectl, begin: Begin
) -> None:
    """What everybody tries first; the Deployment belongs to the Memcached."""
    begin()

    await ask(client)
    done = await has_nodes(client, 1)

    pods = await client.list(Pod, namespace=client.namespace)
    assert done.status["nodes"] == [one.metadata.name for one in pods]
    assert conditions_of(done)["Running"]["reason"] == "Successful"
    deployment = await has_replicas(client, 1)
    assert [one.uid for one in deployment.metadata.owner_references] == [done.metadata.uid]
    [container] = deployment.spec.template.spec.containers
    assert "--port=11211" in container.args
    assert kubectl("get", "memcached", NAME).split()[3:5] == [NAME, "True"]


async def test_what_changes_is_brought_about(client: kw.Client, begin: Begin) -> None:
    """In the spec, by which the names of fields become those of variables, and by hand."""
    begin()
    await ask(client)
    await has_nodes(client, 1)

    await ask(client, size=3, containerPort=11311)
    done = await has_nodes(client, 3)
    deployment = await has_replicas(client, 3)
    assert "--port=11311" in deployment.spec.template.spec.containers[0].args
    assert done.status["nodes"] == sorted(done.status["nodes"])

    await client.patch(Deployment, NAME, {"spec": {"replicas": 5}})
    await has_replicas(client, 3)
    await client.delete(Deployment, NAME)
    again = await kw.wait_for(
        client,
        Deployment,
        NAME,
        lambda one: one is not None and one.metadata.uid != deployment.metadata.uid,
        timeout=PATIENCE,
    )
    assert again is not None


async def test_what_makes_no_sense_is_refused(
    client: kw.Client, kubectl: Kubectl, begin: Begin
) -> None:
    """By the API server where the schema says so, and by the role otherwise."""
    begin()
    document = OBJECT.read_text().replace("size: 1", "size: many")
    refused = kubectl.run_refused("apply", "--validate=false", "--filename", "-", stdin=document)
    assert "spec.size" in refused

    await ask(client, size=6)

    def failed(obj: kw.Unstructured | None) -> bool:
        return conditions_of(obj).get("Failure", {}).get("status") == "True"

    found = await kw.wait_for(client, Memcached, NAME, failed, timeout=PATIENCE)
    message = conditions_of(found)["Failure"]["message"]
    assert "spec.size is 6; there may be one to five nodes" in message
    assert await client.find(Deployment, NAME) is None
    await ask(client, size=2)
    await has_nodes(client, 2)


async def test_nothing_is_left_of_what_is_deleted(client: kw.Client, begin: Begin) -> None:
    """The Deployment goes with its owner, and its pods with it."""
    begin()
    await ask(client)
    await has_nodes(client, 1)

    await client.delete(Memcached, NAME)

    await kw.wait_for(client, Memcached, NAME, lambda one: one is None, timeout=PATIENCE)
    await kw.wait_for(client, Deployment, NAME, lambda one: one is None, timeout=PATIENCE)


async def test_killed_in_the_middle_of_a_run_it_ends_in_the_same_state(
    client: kw.Client, begin: Begin
) -> None:
    """The next process finishes what was begun."""
    program = begin()
    await ask(client, size=2)
    await has_replicas(client, 2)
    program.kill()
    begin()

    await has_nodes(client, 2)
