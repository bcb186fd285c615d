"""Reconciles objects of the kind Collector."""

from ipaddress import ip_address

import kubewright as kw
from kubewright.api import selector_from
from kubewright.kinds.core.v1 import Pod

from collector.api.v1.collector import Collector
from collector.operator import operator
from collector.tally import Tallies

tallies = Tallies()


def read_selector(collector: Collector) -> tuple[kw.Selector, str]:
    """Return which pods count, and what is wrong; with something wrong, none of them do."""
    try:
        return selector_from(collector.spec.selector), ""
    except ValueError as error:  # a schema cannot know all of its rules
        return kw.Selector.NOTHING, str(error)


def collectors_for(pod: Pod, ctx: kw.MapContext) -> list[Collector]:
    """Return the Collectors that select a pod."""
    labels = pod.metadata.labels
    return [one for one in ctx.cache.list(Collector) if read_selector(one)[0].matches(labels)]


# The predicate hears each event once, and lets all of them through. The map function is asked about
# the pod before and after a change, since one that is selected no more counts, too.
@operator.reconciler(
    Collector, watches=[kw.Watches(Pod, map=collectors_for, predicate=tallies.hear)]
)
async def reconcile(collector: Collector, ctx: kw.Context) -> None:
    """Collect the addresses, and show what that took."""
    selector, problem = read_selector(collector)
    pods = ctx.cache.list(Pod, labels=selector)
    collector.status.addresses = sorted(map(address_of, filter(is_ready, pods)), key=ip_order)
    collector.status.observed = tallies.of(collector, ctx.now()).observe(selector)
    reason = "InvalidSelector" if problem else "Collected"
    ctx.set_condition("Ready", not problem, reason, problem)


@operator.gone(Collector)
async def forget(collector: Collector, ctx: kw.Context) -> None:
    """Drop the numbers."""
    tallies.forget(collector)


def is_ready(pod: Pod) -> bool:
    """Return whether the pod can be reached, and stays."""
    leaves = pod.metadata.deletion_timestamp is not None
    ready = kw.is_condition_true(pod.status.conditions, "Ready")
    return ready and not leaves and bool(pod.status.pod_ip)


def address_of(pod: Pod) -> str:
    """Return the address of a pod that has one."""
    return pod.status.pod_ip or ""


def ip_order(address: str) -> tuple[int, int]:
    """Return what addresses are sorted by: 10.0.0.9 comes before 10.0.0.10."""
    parsed = ip_address(address)
    return parsed.version, int(parsed)
