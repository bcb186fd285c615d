"""The Foo operator as a process: the Kubernetes project's own sample, only quieter."""

import json

import pytest

import kubewright as kw
from kubewright.kinds.apps.v1 import Deployment
from sample_controller.api.v1alpha1.foo import Foo
from tests.e2e.conftest import Start
from tests.e2e.kubectl import Kubectl
from tests.e2e.program import EXAMPLES, crds_of
from tests.e2e.traefik import eventually

NAME = "example-foo"
SAMPLE = EXAMPLES / "foo" / "config" / "samples" / "samplecontroller_v1alpha1_foo.yaml"
SYNCED = "Normal Synced Foo synced successfully"
TAKEN = f'Warning ErrResourceExists Resource "{NAME}" already exists and is not managed by Foo'


@pytest.fixture(autouse=True)
def _crd(kubectl: Kubectl) -> None:
    """Install the CRD as users of kubectl do."""
    kubectl("apply", "--filename", str(crds_of("foo")))
    kubectl("wait", "--for=condition=established", "--filename", str(crds_of("foo")))


async def has_available(client: kw.Client, count: int) -> None:
    """Wait until the status says that so many pods are available."""
    await kw.wait_for(
        client,
        Foo,
        NAME,
        lambda foo: foo is not None and foo.status.available_replicas == count,
        timeout=60,
    )


async def is_synced(client: kw.Client, status: str) -> None:
    """Wait until the condition Synced has a status."""
    await kw.wait_for(
        client,
        Foo,
        NAME,
        lambda foo: (
            foo is not None
            and [one.status for one in foo.status.conditions if one.type == "Synced"] == [status]
        ),
        timeout=60,
    )


def events(kubectl: Kubectl) -> list[str]:
    """Return what was told of the Foo, each as often as it was."""
    selector = f"involvedObject.kind=Foo,involvedObject.name={NAME}"
    listed = kubectl("get", "events", f"--field-selector={selector}", "--output=json")
    return [
        f"{one['type']} {one['reason']} {one['message']}"
        for one in json.loads(listed)["items"]
        for _ in range(one.get("count") or 1)
    ]


def scale(kubectl: Kubectl, replicas: int) -> None:
    """Change the number of pods as users do."""
    patch = json.dumps({"spec": {"replicas": replicas}})
    kubectl("patch", "foo", NAME, "--type=merge", f"--patch={patch}")


async def test_the_sample_gives_a_deployment_and_the_event(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """What everybody tries first."""
    start("foo")

    kubectl("apply", "--filename", str(SAMPLE))
    await has_available(client, 1)

    owner = kw.controller_of(await client.get(Deployment, NAME))
    assert owner is not None
    assert (owner.kind, owner.name, owner.block_owner_deletion) == ("Foo", NAME, True)
    await eventually(lambda: events(kubectl) == [SYNCED])


async def test_the_deployment_follows_the_foo_and_nobody_else(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """It is scaled by the Foo; by hand it is undone; deleted, it comes back."""
    start("foo")
    kubectl("apply", "--filename", str(SAMPLE))
    await has_available(client, 1)

    scale(kubectl, 3)
    await has_available(client, 3)
    kubectl("scale", "deployment", NAME, "--replicas=5")
    scaled = (await client.get(Deployment, NAME)).metadata.generation or 0
    undone = await kw.wait_for(
        client,
        Deployment,
        NAME,
        lambda one: (
            one is not None and one.spec.replicas == 3 and (one.metadata.generation or 0) >= scaled
        ),
        timeout=60,
    )
    assert undone is not None
    kubectl("delete", "deployment", NAME)
    await kw.wait_for(
        client,
        Deployment,
        NAME,
        lambda one: one is not None and one.metadata.uid != undone.metadata.uid,
        timeout=60,
    )

    await has_available(client, 3)


async def test_a_deployment_of_somebody_else_is_left_alone_until_it_goes(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """One event says so; when the name is free, the Foo gets its Deployment at once."""
    kubectl("create", "deployment", NAME, "--image=nginx")
    before = await client.get(Deployment, NAME)
    start("foo")
    kubectl("apply", "--filename", str(SAMPLE))
    await is_synced(client, "False")
    await eventually(lambda: events(kubectl) == [TAKEN])

    kubectl("scale", "deployment", NAME, "--replicas=2")  # as its owner may
    kubectl("rollout", "status", f"deployment/{NAME}", "--timeout=60s")
    after = await client.get(Deployment, NAME)
    assert after.metadata.uid == before.metadata.uid
    assert after.spec.replicas == 2
    assert events(kubectl) == [TAKEN]
    kubectl("delete", "deployment", NAME)

    await is_synced(client, "True")
    await has_available(client, 1)
    await eventually(lambda: sorted(events(kubectl)) == sorted([TAKEN, SYNCED]))


async def test_deleting_it_leaves_nothing_behind(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """The Deployment belongs to it."""
    start("foo")
    kubectl("apply", "--filename", str(SAMPLE))
    await has_available(client, 1)

    kubectl("delete", "foo", NAME)

    await kw.wait_for(client, Deployment, NAME, lambda one: one is None, timeout=60)


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("replicas: 1", "replicas: 0", "spec.replicas"),
        ("replicas: 1", "replicas: 11", "spec.replicas"),
        ("deploymentName: example-foo", "deploymentName: ''", "spec.deploymentName"),
        ("deploymentName: example-foo", "deploymentName: My Site", "spec.deploymentName"),
        ("deploymentName: example-foo", "other: field", "spec.deploymentName"),
    ],
)
async def test_what_makes_no_sense_is_refused(
    kubectl: Kubectl, old: str, new: str, path: str
) -> None:
    """By the API server, with the path; no operator needs to run for that."""
    document = SAMPLE.read_text().replace(old, new)

    said = kubectl.run_refused("apply", "--validate=false", "--filename", "-", stdin=document)

    assert path in said


@pytest.mark.timeout(240)
async def test_killed_after_every_change_it_ends_in_the_same_state(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """``kill -9`` between the Deployment and the status, and everywhere else."""
    program = start("foo")
    kubectl("apply", "--filename", str(SAMPLE))

    async with client.watch(Foo, namespace=client.namespace) as changes:
        async for change in changes:
            program.kill()
            if change.object.status.available_replicas == 1:
                break
            program = start("foo")
    scale(kubectl, 2)  # while nobody is there
    start("foo")

    await has_available(client, 2)
    assert len(await client.list(Deployment, namespace=client.namespace)) == 1
