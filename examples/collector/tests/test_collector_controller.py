"""The reconciler of Collector, in virtual time; the test plays the kubelet."""

import kubewright as kw
import pytest
from kubewright.kinds.core.v1 import Container, Pod, PodCondition, PodSpec, PodStatus
from kubewright.testing import OperatorTest, operator_test

from collector.api.v1.collector import Collector, CollectorSpec, Observed
from collector.main import operator

NAME = "web-addresses"
WEB = {"app": "web"}


def make_collector(selector: kw.LabelSelector | None = None) -> Collector:
    """Return the Collector of a test; it selects the pods of the site unless told."""
    spec = CollectorSpec(selector=selector or kw.LabelSelector(match_labels=WEB))
    return Collector(metadata=kw.ObjectMeta(name=NAME), spec=spec)


def make_pod(name: str, labels: dict[str, str] = WEB) -> Pod:
    """Return a pod that nobody has started yet."""
    containers = [Container(name="main", image="busybox")]
    meta = kw.ObjectMeta(name=name, namespace="default", labels=labels)
    return Pod(metadata=meta, spec=PodSpec(containers=containers))


async def become_ready(test: OperatorTest, name: str, ip: str, *, ready: bool = True) -> None:
    """Write what a kubelet writes, and let the operator see it."""
    pod = await test.client.get(Pod, name)
    condition = PodCondition(type="Ready", status=str(ready))
    pod.status = PodStatus(phase="Running", pod_ip=ip, conditions=[condition])
    await test.client.status.update(pod)
    await test.settle()


async def get_addresses(test: OperatorTest) -> list[str]:
    """Return what was collected."""
    return (await test.client.get(Collector, NAME)).status.addresses


async def get_observed(test: OperatorTest) -> Observed:
    """Return the numbers."""
    return (await test.client.get(Collector, NAME)).status.observed


async def test_the_addresses_of_ready_pods_are_collected_in_order() -> None:
    """What everybody tries first; a pod that is not ready, or is of others, has no place there."""
    async with operator_test(operator) as test:
        await test.client.create(make_collector())
        for name, ip in [("a", "10.0.0.10"), ("b", "10.0.0.9"), ("c", "10.0.0.8")]:
            await test.client.create(make_pod(name))
            await become_ready(test, name, ip, ready=name != "c")
        await test.client.create(make_pod("other", {"app": "mail"}))
        await become_ready(test, "other", "10.0.0.7")

        assert await get_addresses(test) == ["10.0.0.9", "10.0.0.10"]


async def test_a_pod_that_leaves_takes_its_address_along() -> None:
    """Whether it is deleted, not ready any more, or labelled otherwise."""
    async with operator_test(operator) as test:
        await test.client.create(make_collector())
        for number, name in enumerate(["a", "b", "c"], 1):
            await test.client.create(make_pod(name))
            await become_ready(test, name, f"10.0.0.{number}")
        assert await get_addresses(test) == ["10.0.0.1", "10.0.0.2", "10.0.0.3"]

        await test.client.delete(Pod, "a", grace_period=0)
        await become_ready(test, "b", "10.0.0.2", ready=False)
        await test.client.patch(Pod, "c", {"metadata": {"labels": {"app": "mail"}}})
        await test.settle()

        assert await get_addresses(test) == []


async def test_events_that_come_together_lead_to_one_reconcile() -> None:
    """The queue holds a Collector once, however many pods ask for it."""
    async with operator_test(operator) as test:
        await test.client.create(make_collector())
        await test.settle()
        before = await get_observed(test)

        for name in ("a", "b", "c"):
            await test.client.create(make_pod(name))
        for name in ("a", "b"):
            await test.client.delete(Pod, name, grace_period=0)
        await test.settle()

        after = await get_observed(test)
        assert (before.added, before.deleted, before.reconciles) == (0, 0, 1)
        assert (after.added, after.deleted) == (3, 2)
        assert 1 < after.reconciles < 1 + 5


async def test_pods_that_were_there_before_are_no_events() -> None:
    """The operator has seen them in its first list; the addresses are there all the same."""
    pod = make_pod("a")
    async with operator_test(operator, objects=[pod, make_collector()]) as test:
        observed = await get_observed(test)
        assert (observed.added, observed.modified, observed.reconciles) == (0, 0, 1)

        await become_ready(test, "a", "10.0.0.1")

        observed = await get_observed(test)
        assert (observed.added, observed.modified, observed.reconciles) == (0, 1, 2)
        assert await get_addresses(test) == ["10.0.0.1"]


async def test_at_rest_nothing_is_written() -> None:
    """Its own status is no reason to look again, though each look changes the numbers."""
    async with operator_test(operator) as test:
        await test.client.create(make_collector())
        await test.settle()
        test.server.api.audit.clear()

        await test.advance(3600)

        assert not test.server.api.audit.events(resource="collectors", verb="patch")


async def test_another_selector_counts_at_once() -> None:
    """An empty one selects all pods of the namespace."""
    async with operator_test(operator) as test:
        await test.client.create(make_collector())
        await test.client.create(make_pod("other", {"app": "mail"}))
        await become_ready(test, "other", "10.0.0.7")
        assert await get_addresses(test) == []

        await test.client.patch(Collector, NAME, {"spec": {"selector": {"matchLabels": None}}})
        await test.settle()

        assert await get_addresses(test) == ["10.0.0.7"]


@pytest.mark.parametrize(
    ("key", "word", "reason"),
    [
        ("app", "Near", "'Near' is not an operator"),
        ("app", "In", "at least one value"),
        ("no key", "Exists", "no key"),
    ],
)
async def test_a_selector_that_makes_no_sense_is_a_condition(
    key: str, word: str, reason: str
) -> None:
    """It is told in the status, and not tried over and over."""
    async with operator_test(operator) as test:
        term = kw.LabelSelectorRequirement(key=key, operator=word)
        await test.client.create(make_collector(kw.LabelSelector(match_expressions=[term])))
        await test.client.create(make_pod("a"))
        await test.advance(3600)

        status = (await test.client.get(Collector, NAME)).status
        (ready,) = status.conditions
        assert (ready.status, ready.reason) == ("False", "InvalidSelector")
        assert reason in ready.message
        assert status.observed.reconciles == 1


async def test_a_new_collector_of_the_same_name_counts_from_nothing() -> None:
    """The numbers of the earlier one went with it."""
    async with operator_test(operator) as test:
        await test.client.create(make_collector())
        await test.settle()
        await test.client.create(make_pod("a"))
        await test.settle()

        await test.client.delete(Collector, NAME)
        await test.settle()
        await test.client.create(make_collector())
        await test.settle()

        observed = await get_observed(test)
        assert (observed.added, observed.reconciles) == (0, 1)
