"""The Memcached operator as a process: operator-sdk's tutorial, with a finalizer that works."""

import pytest

import kubewright as kw
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import Pod
from memcached_operator.api.v1alpha1.memcached import Memcached
from tests.e2e.conftest import Start
from tests.e2e.kubectl import Kubectl
from tests.e2e.program import EXAMPLES, crds_of

NAME = "memcached-sample"
SAMPLE = EXAMPLES / "memcached" / "config" / "samples" / "cache_v1alpha1_memcached.yaml"


@pytest.fixture(autouse=True)
def _crd(kubectl: Kubectl) -> None:
    """Install the CRD as users of kubectl do."""
    kubectl("apply", "--filename", str(crds_of("memcached")))
    kubectl("wait", "--for=condition=established", "--filename", str(crds_of("memcached")))


async def is_complete(client: kw.Client, size: int) -> list[str]:
    """Wait until all nodes are there and no more; return their names."""
    found = await kw.wait_for(
        client,
        Memcached,
        NAME,
        lambda one: (
            one is not None
            and len(one.status.nodes) == size
            and kw.is_condition_true(one.status.conditions, "Available")
            and not kw.is_condition_true(one.status.conditions, "Progressing")
        ),
        timeout=60,
    )
    assert found is not None
    return found.status.nodes


async def pod_names(client: kw.Client) -> list[str]:
    """Return the names of all pods, sorted."""
    pods = await client.list(Pod, namespace=client.namespace)
    return sorted(pod.metadata.name for pod in pods)


async def test_the_sample_gives_three_nodes_that_are_available(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """What everybody tries first; and what kubectl says about it."""
    start("memcached")

    kubectl("apply", "--filename", str(SAMPLE))
    nodes = await is_complete(client, 3)

    assert nodes == await pod_names(client)
    assert kubectl("get", "memcached", NAME).split()[5:9] == [NAME, "3", "3", "True"]


async def test_kubectl_scale_works(client: kw.Client, kubectl: Kubectl, start: Start) -> None:
    """It writes the size through the scale subresource, as autoscalers do."""
    start("memcached")
    kubectl("apply", "--filename", str(SAMPLE))
    await is_complete(client, 3)

    for size in (5, 1):
        kubectl("scale", "memcached", NAME, f"--replicas={size}")
        assert await is_complete(client, size) == await pod_names(client)

    refused = kubectl.run_refused("scale", "memcached", NAME, "--replicas=6")
    assert "spec.size" in refused


async def test_when_kubectl_delete_returns_nothing_is_left(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """The finalizer holds the Memcached until its last node has stopped."""
    start("memcached")
    kubectl("apply", "--filename", str(SAMPLE))
    await is_complete(client, 3)

    kubectl("delete", "memcached", NAME)

    assert await pod_names(client) == []
    assert await client.find(Deployment, NAME) is None


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("size: 0", "spec.size"),
        ("size: 6", "spec.size"),
        ("size: many", "spec.size"),
        ("containerPort: 0", "spec.containerPort"),
        ("containerPort: 65536", "spec.containerPort"),
    ],
)
async def test_what_makes_no_sense_is_refused(kubectl: Kubectl, line: str, path: str) -> None:
    """By the API server, with the path; no operator needs to run for that."""
    word = line.partition(":")[0]
    document = "".join(
        f"  {line}\n" if word in one else f"{one}\n" for one in SAMPLE.read_text().splitlines()
    )

    assert path in kubectl.run_refused("apply", "--filename", "-", stdin=document)


@pytest.mark.timeout(240)
async def test_killed_after_every_change_it_ends_in_the_same_state(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """``kill -9`` between the finalizer, the Deployment and the status, and everywhere else."""
    program = start("memcached")
    kubectl("apply", "--filename", str(SAMPLE))

    async with client.watch(Memcached, namespace=client.namespace) as changes:
        async for change in changes:
            program.kill()
            if len(change.object.status.nodes) == 3:
                break
            program = start("memcached")
    kubectl("scale", "memcached", NAME, "--replicas=2")  # while nobody is there
    start("memcached")

    assert await is_complete(client, 2) == await pod_names(client)
    assert len(await client.list(Deployment, namespace=client.namespace)) == 1


async def test_killed_while_it_is_deleted_it_leaves_nothing_behind(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """The clean-up is begun by one process, and ended by another."""
    program = start("memcached")
    kubectl("apply", "--filename", str(SAMPLE))
    await is_complete(client, 3)

    async with client.watch(Memcached, namespace=client.namespace) as changes:
        async for change in changes:
            if change.object.metadata.deletion_timestamp is not None:
                program.kill()
                break
            if change.type == "ADDED":  # it is watched now, and cannot go unseen
                kubectl("delete", "memcached", NAME, "--wait=false")
    start("memcached")

    await kw.wait_for(client, Memcached, NAME, lambda one: one is None, timeout=60)
    assert await pod_names(client) == []
