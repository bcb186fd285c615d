"""What a pod uses of a node: cpu, memory and other resources, and host ports."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from kubewright.api.quantity import Quantity, parse_quantity
from kubewright.kinds.core.v1 import Container, Pod

__all__ = ["Amounts", "Demand", "HostPort", "amounts", "conflicts", "demand_of"]

Amounts = dict[str, int]
"""How much of each resource: cpu in thousandths, all else in whole units."""

HostPort = tuple[str, str, int]
"""The address, protocol and number of a port of the host."""

_EVERY = "0.0.0.0"  # noqa: S104  # read from specs, not listened on


class Demand(msgspec.Struct, frozen=True):
    """What a pod uses of a node."""

    resources: Amounts
    ports: tuple[HostPort, ...] = ()


@lru_cache(maxsize=4096)
def _amount(name: str, text: str) -> int:
    parsed = parse_quantity(text)
    return parsed.milli_value() if name == "cpu" else parsed.value()


def amounts(quantities: Mapping[str, Quantity]) -> Amounts:
    """Return *quantities* as whole numbers."""
    return {name: _amount(name, str(text)) for name, text in quantities.items()}


def demand_of(pod: Pod) -> Demand:
    """Return what *pod* uses: the requests of its containers, or of its start if that is more.

    Init containers run one after the other before the others, so only the largest counts; those
    that stay, sidecars, count with the others.
    """
    spec = pod.spec
    running = _sum(_requests(one) for one in spec.containers)
    sidecars: Amounts = {}
    starting: Amounts = {}
    for one in spec.init_containers:
        if one.restart_policy == "Always":
            sidecars = _sum([sidecars, _requests(one)])
            starting = _largest(starting, sidecars)
        else:
            starting = _largest(starting, _sum([sidecars, _requests(one)]))
    total = _largest(_sum([running, sidecars]), starting)
    if spec.resources is not None:
        total |= amounts(spec.resources.requests)
    return Demand(_sum([total, amounts(spec.overhead)]), tuple(_host_ports(pod)))


def _requests(container: Container) -> Amounts:
    return amounts(container.resources.requests) if container.resources else {}


def _sum(all_of_them: Iterable[Amounts]) -> Amounts:
    total: Amounts = {}
    for one in all_of_them:
        for name, amount in one.items():
            total[name] = total.get(name, 0) + amount
    return total


def _largest(left: Amounts, right: Amounts) -> Amounts:
    return {name: max(left.get(name, 0), right.get(name, 0)) for name in {*left, *right}}


def _host_ports(pod: Pod) -> Iterable[HostPort]:
    for container in pod.spec.containers:
        for one in container.ports:
            if one.host_port:
                yield one.host_ip or _EVERY, one.protocol or "TCP", one.host_port


def conflicts(left: HostPort, right: HostPort) -> bool:
    """Return whether two pods cannot both listen on these ports."""
    if left[1:] != right[1:]:
        return False
    return left[0] == right[0] or _EVERY in {left[0], right[0]}
