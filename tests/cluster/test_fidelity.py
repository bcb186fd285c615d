"""Our controllers beside the real ones: the same story leads to the same state.

Three places tell each story: the real kube-controller-manager on the embedded API server, our
controllers on another embedded API server, and our controllers on the real kube-apiserver. After
each step, portraits of the three are compared.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

import msgspec
import pytest

import kubewright as kw
from kubewright.api.conditions import find_condition
from kubewright.kinds.admissionregistration.v1 import (
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
)
from kubewright.kinds.apps.v1 import DaemonSet, Deployment, ReplicaSet, StatefulSet
from kubewright.kinds.core.v1 import Node, Pod
from kubewright.testing import EmbeddedServer, RealServer
from tests.cluster.controller_manager import controller_manager
from tests.cluster.places import Place, need_real_servers, place
from tests.cluster.portrait import difference, portrait
from tests.unit.embedded.controllers.world import BAD_IMAGE, template, workload

pytestmark = pytest.mark.timeout(180)

NODES = ("node-0", "node-1", "node-2")
WORKLOADS = ("deployment", "replicaset", "statefulset", "daemonset")

Step = Callable[[Place], Awaitable[None]]


class Servers(NamedTuple):
    """The servers of the three places."""

    theirs: EmbeddedServer
    ours: EmbeddedServer
    real: RealServer


class Places(NamedTuple):
    """The three places of one story."""

    theirs: Place
    ours: Place
    real: Place


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Return servers with real garbage collectors where ours is off."""
    need_real_servers()
    folder = tmp_path_factory.mktemp("controllers")
    with (
        EmbeddedServer(controllers=False) as theirs,
        EmbeddedServer() as ours,
        RealServer() as real,
        controller_manager(
            theirs.kubeconfig_file, folder / "theirs", "garbagecollector", *WORKLOADS
        ),
        controller_manager(real.kubeconfig_file, folder / "real", "garbagecollector"),
    ):
        yield Servers(theirs, ours, real)


@pytest.fixture
async def places(servers: Servers) -> AsyncIterator[Places]:
    """Return a fresh namespace in each place, with three nodes."""
    async with AsyncExitStack() as stack:
        theirs = await stack.enter_async_context(place(servers.theirs, nodes=NODES))
        ours = await stack.enter_async_context(place(servers.ours, ours=WORKLOADS, nodes=NODES))
        real = await stack.enter_async_context(place(servers.real, ours=WORKLOADS, nodes=NODES))
        yield Places(theirs, ours, real)


async def tell(places: Places, *steps: Step, exact: bool = True) -> None:
    """Do each step in all places, and compare them when they are at rest.

    Args:
        places: Where.
        steps: What to do.
        exact: Whether the number of small steps has to be the same, too.
    """
    for step in steps:
        await asyncio.gather(*(step(one) for one in places))
        theirs, ours, real = await asyncio.gather(*(one.quiet() for one in places))
        name = getattr(step, "__name__", str(step))
        if found := difference(portrait(theirs, exact=exact), portrait(ours, exact=exact)):
            pytest.fail(f"ours differ on the embedded server, after {name}:\n{found}")
        # A server of another version: its defaults are not our business here.
        short = [portrait(one, with_pod_spec=False, exact=exact) for one in (theirs, real)]
        if found := difference(*short):
            pytest.fail(f"ours differ on the real server, after {name}:\n{found}")


def patching(kind: type[kw.Resource], patch: dict[str, Any]) -> Step:
    """Return a step that changes the object of the story."""

    async def patched(at: Place) -> None:
        await at.patch(kind, "web", patch)

    patched.__name__ = f"patched {patch}"
    return patched


def creating(kind: type[kw.Resource], document: dict[str, Any]) -> Step:
    """Return a step that creates the object of the story."""

    async def created(at: Place) -> None:
        await at.create(kind, document)

    return created


def image(name: str) -> dict[str, Any]:
    """Return the patch to another image."""
    return {"spec": {"template": template(name, app="web")}}


async def test_a_deployment_goes_the_same_way(places: Places) -> None:
    """Create, scale, roll out, fail, undo, pause, delete: at each step all is as with the real."""

    async def is_late(at: Place) -> None:
        async def late() -> bool:
            found = await at.client.get(Deployment, "web", namespace=at.namespace)
            condition = find_condition(found.status.conditions, "Progressing")
            return condition is not None and condition.status == "False"

        await at.patch(Deployment, "web", image(BAD_IMAGE))
        await at.until(late)

    async def deleted(at: Place) -> None:
        await at.client.delete(Deployment, "web", namespace=at.namespace)

    notes = {"metadata": {"annotations": {"kubernetes.io/change-cause": "because", "mine": "1"}}}
    # One pod at a time, so that the way is the same however fast somebody is.
    rolling = {"maxSurge": 1, "maxUnavailable": 0}
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    spec = workload(replicas=2, strategy=strategy, progressDeadlineSeconds=4)
    await tell(
        places,
        creating(Deployment, spec),
        patching(Deployment, {"spec": {"replicas": 3}}),
        patching(Deployment, image("second")),
        is_late,
        patching(Deployment, {"spec": {"replicas": 8}}),
        patching(Deployment, image("good")),
        patching(Deployment, notes),
        patching(Deployment, {"spec": {"paused": True}}),
        patching(Deployment, image("third")),
        patching(Deployment, {"spec": {"paused": False}}),
        patching(Deployment, {"spec": {"replicas": 0}}),
        deleted,
    )


async def test_a_deployment_that_moves_several_pods_at_a_time_arrives_at_the_same_end(
    places: Places,
) -> None:
    """By quarters, as people have it who say nothing, and with pods that need their time."""
    await tell(
        places,
        creating(Deployment, workload(replicas=6, minReadySeconds=1)),
        patching(Deployment, image("second")),
        patching(Deployment, image(BAD_IMAGE)),
        patching(Deployment, {"spec": {"replicas": 12}}),
        patching(Deployment, {"spec": {"replicas": 3}}),
        patching(Deployment, image("third")),
        exact=False,
    )


async def test_recreate_goes_the_same_way(places: Places) -> None:
    """All old pods end before new ones begin, and the status says the same of it."""
    spec = workload(replicas=2, strategy={"type": "Recreate"}, revisionHistoryLimit=1)
    await tell(
        places,
        creating(Deployment, spec),
        patching(Deployment, image("second")),
        patching(Deployment, image("third")),
        patching(Deployment, image(BAD_IMAGE)),
        patching(Deployment, image("fourth")),
    )


async def test_a_replica_set_takes_in_and_lets_go_the_same_pods(places: Places) -> None:
    """Orphans with its labels are its own; a pod whose label changes is not, and is replaced."""

    async def orphaned(at: Place) -> None:
        for name in ("orphan-1", "orphan-2", "orphan-3"):
            made = {"metadata": {"name": name, "labels": {"app": "web"}}}
            await at.create(Pod, {**made, "spec": template()["spec"]})

    async def relabelled(at: Place) -> None:
        pods = await at.client.list(Pod, namespace=at.namespace, labels="app=web")
        names = sorted(pod.metadata.name for pod in pods)
        patch = {"metadata": {"labels": {"app": "other"}}}
        await at.client.patch(Pod, names[0], patch, namespace=at.namespace)

    async def released(at: Place) -> None:
        await at.client.delete(ReplicaSet, "web", namespace=at.namespace, propagation="Orphan")

    await tell(
        places,
        orphaned,
        creating(ReplicaSet, workload(replicas=3)),
        relabelled,
        patching(ReplicaSet, {"spec": {"replicas": 4}}),
        patching(ReplicaSet, {"spec": {"replicas": 0}}),
        patching(ReplicaSet, {"spec": {"replicas": 2}}),
        released,
    )


async def test_a_pod_that_is_refused_is_told_of_the_same_way(places: Places) -> None:
    """The condition and the events say what the server said.

    Not on the real server, which is too old for policies.
    """
    two = places.theirs, places.ours
    for one in two:
        await refuse_pods(one)

        await one.create(Deployment, workload(replicas=2))
    theirs, ours = await asyncio.gather(*(one.quiet() for one in two))

    assert difference(portrait(theirs), portrait(ours)) == ""
    assert "not today" in str(portrait(ours)["deployments.apps"])


async def refuse_pods(at: Place) -> None:
    """Let nobody create pods in one namespace."""
    here = {"matchLabels": {"kubernetes.io/metadata.name": at.namespace}}
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["pods"],
        "operations": ["CREATE"],
    }
    spec = {
        "matchConstraints": {"namespaceSelector": here, "resourceRules": [rule]},
        "validations": [{"expression": "false", "message": "not today"}],
    }
    meta = {"name": "never"}
    policy = {"metadata": meta, "spec": spec}
    await at.client.create(msgspec.convert(policy, ValidatingAdmissionPolicy))
    binding = {"metadata": meta, "spec": {"policyName": "never", "validationActions": ["Deny"]}}
    await at.client.create(msgspec.convert(binding, ValidatingAdmissionPolicyBinding))


async def test_a_stateful_set_goes_the_same_way(places: Places) -> None:
    """Ordered pods with claims; an update that sticks, a partition, and a delete."""
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }

    async def unstuck(at: Place) -> None:
        # As documented: a pod of a bad template has to be deleted by hand.
        await at.patch(StatefulSet, "web", image("third"))
        for pod in await at.client.list(Pod, namespace=at.namespace):
            if pod.spec.containers[0].image == BAD_IMAGE:
                await at.client.delete(pod)

    async def deleted(at: Place) -> None:
        await at.client.delete(StatefulSet, "web", namespace=at.namespace)

    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
    spec = workload(replicas=3, serviceName="web", volumeClaimTemplates=[claim])
    await tell(
        places,
        creating(StatefulSet, spec),
        patching(StatefulSet, {"spec": {"replicas": 2}}),
        patching(StatefulSet, image("second")),
        patching(StatefulSet, image(BAD_IMAGE)),
        unstuck,
        patching(StatefulSet, {"spec": {"updateStrategy": rolling, **image("good")["spec"]}}),
        deleted,
    )


async def test_a_parallel_stateful_set_goes_the_same_way(places: Places) -> None:
    """Pods do not wait for one another, neither coming nor going."""
    spec = workload(replicas=4, serviceName="web", podManagementPolicy="Parallel")
    await tell(
        places,
        creating(StatefulSet, spec),
        patching(StatefulSet, image("second")),
        patching(StatefulSet, {"spec": {"replicas": 1}}),
    )


async def test_a_daemon_set_goes_the_same_way(places: Places) -> None:
    """A pod on each node that takes it; an update that sticks, and a node that turns against it."""

    async def with_nodes(at: Place) -> None:
        for name in NODES:
            made = Node(metadata=kw.ObjectMeta(name=name, labels={"disk": name}))
            await at.client.create(made)
            await at.client.patch(Node, name, {"spec": {"taints": None}})

    async def tainted(at: Place) -> None:
        taints = [{"key": "down", "effect": "NoExecute"}]
        await at.client.patch(Node, NODES[0], {"spec": {"taints": taints}})

    async def without_nodes(at: Place) -> None:
        await at.client.delete(DaemonSet, "web", namespace=at.namespace)
        for name in NODES:
            await at.client.delete(Node, name)

    async def selecting(at: Place) -> None:
        chosen = {"spec": {"template": {"spec": {"nodeSelector": {"disk": NODES[1]}}}}}
        await at.patch(DaemonSet, "web", chosen)

    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}}
    await tell(
        places,
        with_nodes,
        creating(DaemonSet, workload()),
        patching(DaemonSet, image("second")),
        patching(DaemonSet, image(BAD_IMAGE)),
        patching(DaemonSet, {"spec": {"updateStrategy": rolling, **image("third")["spec"]}}),
        tainted,
        selecting,
        without_nodes,
    )
