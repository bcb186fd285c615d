"""The HelloWorld operator as a process: a Deployment that keeps its size."""

import pytest
from examples.helloworld.helloworld import HelloWorld

import kubewright as kw
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import Pod
from tests.e2e.conftest import Start
from tests.e2e.kubectl import Kubectl
from tests.e2e.program import EXAMPLES

NAME = "example-helloworld"
SAMPLE = EXAMPLES / "helloworld" / "samples" / "helloworld.yaml"
CRD = "crd/helloworlds.test.jiaozi.com"


@pytest.fixture(autouse=True)
def _crd(kubectl: Kubectl) -> None:
    """Install the CRD as users of kubectl do."""
    kubectl("apply", "--filename", str(EXAMPLES / "helloworld" / "crd.yaml"))
    kubectl("wait", "--for=condition=established", CRD)


async def has_nodes(client: kw.Client, count: int) -> list[str]:
    """Wait until the status names so many pods; return their names."""
    found = await kw.wait_for(
        client,
        HelloWorld,
        NAME,
        lambda hello: hello is not None and len(hello.status.nodes) == count,
        timeout=60,
    )
    assert found is not None
    return found.status.nodes


async def pod_names(client: kw.Client) -> list[str]:
    """Return the names of all pods, sorted."""
    pods = await client.list(Pod, namespace=client.namespace)
    return sorted(pod.metadata.name for pod in pods)


def resize(kubectl: Kubectl, size: int) -> None:
    """Change the size as users do."""
    kubectl("patch", "helloworld", NAME, "--type=merge", f'--patch={{"spec":{{"size":{size}}}}}')


async def test_a_size_of_two_gives_two_pods_that_are_ready(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """What everybody tries first."""
    start("helloworld")

    kubectl("apply", "--filename", str(SAMPLE))
    nodes = await has_nodes(client, 2)
    kubectl("rollout", "status", f"deployment/{NAME}", "--timeout=60s")

    table = kubectl("get", "deployment", NAME)
    assert table.split()[5:7] == [NAME, "2/2"]
    assert nodes == await pod_names(client)


async def test_what_somebody_scales_by_hand_is_undone(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """The size is what the HelloWorld says, whoever changes the Deployment."""
    start("helloworld")
    kubectl("apply", "--filename", str(SAMPLE))
    await has_nodes(client, 2)

    kubectl("scale", "deployment", NAME, "--replicas=5")
    scaled = (await client.get(Deployment, NAME)).metadata.generation or 0
    await kw.wait_for(
        client,
        Deployment,
        NAME,
        lambda one: (
            one is not None and one.spec.replicas == 2 and (one.metadata.generation or 0) >= scaled
        ),
        timeout=60,
    )

    assert await has_nodes(client, 2)


async def test_the_deployment_and_the_status_follow_the_size(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """Also to nothing, and back."""
    start("helloworld")
    kubectl("apply", "--filename", str(SAMPLE))

    for size in (2, 3, 0, 1):
        resize(kubectl, size)
        await has_nodes(client, size)

    assert await has_nodes(client, 1) == await pod_names(client)


async def test_a_deployment_that_somebody_deletes_comes_back(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """Level-triggered: it does not matter what happened, only what is missing."""
    start("helloworld")
    kubectl("apply", "--filename", str(SAMPLE))
    await has_nodes(client, 2)
    before = (await client.get(Deployment, NAME)).metadata.uid

    kubectl("delete", "deployment", NAME)

    await kw.wait_for(
        client,
        Deployment,
        NAME,
        lambda one: one is not None and one.metadata.uid != before,
        timeout=60,
    )


async def test_deleting_it_leaves_nothing_behind(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """The Deployment belongs to it, and the pods to the Deployment."""
    start("helloworld")
    kubectl("apply", "--filename", str(SAMPLE))
    nodes = await has_nodes(client, 2)

    kubectl("delete", "helloworld", NAME)

    await kw.wait_for(client, Deployment, NAME, lambda one: one is None, timeout=60)
    for node in nodes:
        await kw.wait_for(client, Pod, node, lambda pod: pod is None, timeout=60)


@pytest.mark.parametrize("size", ["-1", "many", "1.5", "5000000000", "null"])
async def test_a_size_that_makes_no_sense_is_refused(kubectl: Kubectl, size: str) -> None:
    """By the API server, with the path; no operator needs to run for that."""
    document = SAMPLE.read_text().replace("size: 2", f"size: {size}")

    assert "size" in kubectl.run_refused("apply", "--filename", "-", stdin=document)


async def test_kubectl_explains_the_fields(kubectl: Kubectl) -> None:
    """The docstring in the code is the description that users read."""
    said = kubectl("explain", "helloworlds.spec")

    assert "What is wanted." in said
    assert "How many pods say hello." in said


@pytest.mark.timeout(240)
async def test_killed_after_every_change_it_ends_in_the_same_state(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """``kill -9`` between the Deployment and the status, and everywhere else."""
    program = start("helloworld")
    kubectl("apply", "--filename", str(SAMPLE))

    async with client.watch(HelloWorld, namespace=client.namespace) as changes:
        async for change in changes:
            program.kill()
            if len(change.object.status.nodes) == 2:
                break
            program = start("helloworld")
    resize(kubectl, 3)  # while nobody is there
    start("helloworld")
    nodes = await has_nodes(client, 3)

    assert nodes == await pod_names(client)
    assert len(await client.list(Deployment, namespace=client.namespace)) == 1
