"""The Collector operator as a process: what events arrive, and how many reconciles they make."""

import pytest

import kubewright as kw
from collector.api.v1.collector import Collector, Observed
from kubewright.kinds.apps.v1 import ReplicaSet, ReplicaSetSpec
from kubewright.kinds.core.v1 import Container, Pod, PodSpec, PodTemplateSpec
from tests.e2e.conftest import Start
from tests.e2e.kubectl import Kubectl
from tests.e2e.program import EXAMPLES, crds_of

NAME = "collector-sample"
SAMPLES = EXAMPLES / "collector" / "config" / "samples"
WEB = {"app": "web"}


@pytest.fixture(autouse=True)
def _crd(kubectl: Kubectl) -> None:
    """Install the CRD as users of kubectl do."""
    kubectl("apply", "--filename", str(crds_of("collector")))
    kubectl("wait", "--for=condition=established", "--filename", str(crds_of("collector")))


def web(replicas: int) -> ReplicaSet:
    """Return a ReplicaSet of the pods that the sample selects."""
    pod = PodSpec(containers=[Container(name="nginx", image="nginx")])
    return ReplicaSet(
        metadata=kw.ObjectMeta(name="web"),
        spec=ReplicaSetSpec(
            replicas=replicas,
            selector=kw.LabelSelector(match_labels=WEB),
            template=PodTemplateSpec(metadata=kw.ObjectMeta(labels=WEB), spec=pod),
        ),
    )


async def counts(client: kw.Client) -> None:
    """Wait until the operator has seen the Collector: from then on it counts."""
    await kw.wait_for(
        client,
        Collector,
        NAME,
        lambda one: one is not None and one.status.observed.reconciles > 0,
        timeout=60,
    )


async def has_addresses(client: kw.Client, count: int) -> list[str]:
    """Wait until so many addresses are collected; return them."""
    found = await kw.wait_for(
        client,
        Collector,
        NAME,
        lambda one: one is not None and len(one.status.addresses) == count,
        timeout=60,
    )
    assert found is not None
    return found.status.addresses


async def has_seen(client: kw.Client, *, added: int, deleted: int) -> Observed:
    """Wait until so many pods have come and gone; return all numbers."""
    found = await kw.wait_for(
        client,
        Collector,
        NAME,
        lambda one: (
            one is not None
            and (one.status.observed.added, one.status.observed.deleted) == (added, deleted)
        ),
        timeout=60,
    )
    assert found is not None
    return found.status.observed


async def test_the_addresses_are_those_of_the_pods(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """What everybody tries first."""
    start("collector")
    kubectl("apply", "--filename", str(SAMPLES / "collector_v1_collector.yaml"))
    await counts(client)

    await client.create(web(3))
    found = await has_addresses(client, 3)

    pods = await client.list(Pod, namespace=client.namespace)
    assert sorted(found) == sorted(pod.status.pod_ip or "" for pod in pods)
    assert kubectl("get", "collector", NAME).split()[:3] == ["NAME", "ADDRESSES", "ADDED"]


async def test_many_events_lead_to_few_reconciles(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """From 3 to 1: what comes while the process is busy, here held up, comes to one reconcile."""
    program = start("collector")
    kubectl("apply", "--filename", str(SAMPLES / "collector_v1_collector.yaml"))
    await counts(client)
    await client.create(web(3))
    await has_addresses(client, 3)
    before = await has_seen(client, added=3, deleted=0)

    program.pause()
    await client.patch(ReplicaSet, "web", {"spec": {"replicas": 1}})
    await kw.wait_for(
        client,
        ReplicaSet,
        "web",
        lambda one: one is not None and one.status.replicas == 1,
        timeout=60,
    )
    kubectl("wait", "--for=jsonpath={.status.readyReplicas}=1", "replicaset/web", "--timeout=60s")
    for pod in await client.list(Pod, namespace=client.namespace):
        if pod.metadata.deletion_timestamp is not None:
            name = pod.metadata.name
            await kw.wait_for(client, Pod, name, lambda one: one is None, timeout=60)
    program.resume()
    after = await has_seen(client, added=3, deleted=2)

    events = after.modified - before.modified + 2
    assert events >= 2 * 2  # the deletion is asked for, and done
    assert 1 <= after.reconciles - before.reconciles <= 3
    assert len(await has_addresses(client, 1)) == 1


async def test_killed_at_any_time_it_collects_the_same_addresses(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """Only the numbers begin again, since they are those of a process."""
    program = start("collector")
    kubectl("apply", "--filename", str(SAMPLES / "collector_v1_collector.yaml"))
    await counts(client)
    await client.create(web(2))
    before = await has_addresses(client, 2)
    seen = await has_seen(client, added=2, deleted=0)

    program.kill()
    start("collector")
    found = await kw.wait_for(
        client,
        Collector,
        NAME,
        lambda one: one is not None and one.status.observed.since != seen.since,
        timeout=60,
    )

    assert found is not None
    assert found.status.addresses == before
    assert (found.status.observed.added, found.status.observed.reconciles) == (0, 1)


async def test_a_selector_that_makes_no_sense_is_a_condition(
    kubectl: Kubectl, start: Start
) -> None:
    """Which its user sees; the operator goes on."""
    start("collector")
    document = (SAMPLES / "collector_v1_collector.yaml").read_text()
    wrong = document.replace("app: web\n", "'no label': web\n")

    kubectl("apply", "--filename", "-", stdin=wrong)
    kubectl("wait", "--for=condition=Ready=false", f"collector/{NAME}", "--timeout=60s")
    assert "no label" in kubectl("get", "collector", NAME, "--output=yaml")

    kubectl("apply", "--filename", "-", stdin=document)
    kubectl("wait", "--for=condition=Ready", f"collector/{NAME}", "--timeout=60s")
