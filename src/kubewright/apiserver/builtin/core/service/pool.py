"""Pools of cluster IPs and node ports: which Service owns which.

A pool reads the stored Services once and tracks allocations from then on. An owner whose write was
rejected afterwards, or that gave a number up in an update, stays listed. So before a pool refuses
a number, it looks at the owner as it is stored, and no number leaks for good.
"""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, ip_network
from typing import Generic, TypeVar

from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.network import SERVICE_CIDR
from kubewright.apiserver.registry.strategy import Obj, Reader

SERVICES: GroupResource = GroupResource("", "services")
FIRST_NODE_PORT, LAST_NODE_PORT = 30000, 32767

Owner = tuple[str, str]
T = TypeVar("T", str, int)


class TakenError(Exception):
    """The requested number is not available; the text says why."""


class Pool(Generic[T]):
    """Addresses or ports, each with at most one owner."""

    def __init__(
        self, numbers: Callable[[int], T], held: Callable[[Obj], list[T]], *, size: int, noun: str
    ) -> None:
        self._numbers: Callable[[int], T] = numbers
        self._size = size
        self._next = 0  # round robin, so that a number is not reused at once
        self._held: Callable[[Obj], list[T]] = held
        self._noun = noun
        self._owners: dict[T, Owner] = {}

    def learn(self, service: Obj) -> None:
        """Record the numbers of a stored Service."""
        for number in self._held(service):
            self._owners[number] = owner_of(service)

    def take(self, number: T, owner: Owner, *, reader: Reader, keep: bool) -> None:
        """Allocate *number* to *owner*; if *keep* is false, only check that it is available.

        Raises:
            TakenError: Another Service owns it.
        """
        other = self._owners.get(number)
        if other is not None:
            stored = reader.find_object(SERVICES, *other)
            if stored is not None and number in self._held(stored):
                raise TakenError(f"provided {self._noun} is already allocated")
        if keep:
            self._owners[number] = owner

    def take_next(self, owner: Owner, *, reader: Reader, keep: bool) -> T:
        """Allocate the next free number to *owner*.

        Raises:
            TakenError: None is free.
        """
        found = self._find_free()
        if found is None:  # some may still be listed for owners whose writes were rejected
            self._owners.clear()
            for service in reader.list(SERVICES):
                self.learn(service)
            found = self._find_free()
        if found is None:
            raise TakenError("range is full")
        if keep:
            self._owners[found] = owner
        return found

    def _find_free(self) -> T | None:
        for _ in range(self._size):
            number = self._numbers(self._next % self._size)
            self._next += 1
            if number not in self._owners:
                return number
        return None

    def release(self, service: Obj) -> None:
        """Free the numbers of *service*."""
        owner = owner_of(service)
        for number in self._held(service):
            if self._owners.get(number) == owner:
                del self._owners[number]


def owner_of(service: Obj) -> Owner:
    """Return the namespace and name that identify a Service as an owner."""
    meta = service["metadata"]
    return meta.get("namespace", ""), meta.get("name", "")


def held_addresses(service: Obj) -> list[str]:
    """Return the cluster IPs of a Service."""
    found = (service.get("spec") or {}).get("clusterIPs") or []
    return [ip for ip in found if ip != "None"]


def held_ports(service: Obj) -> list[int]:
    """Return the node ports of a Service, including the one for health checks."""
    spec = service.get("spec") or {}
    found = [port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort")]
    health = spec.get("healthCheckNodePort")
    return [*found, health] if health else found


class ServicePool:
    """The pools that all Services of one server share."""

    def __init__(self, reader: Reader, cidr: str = SERVICE_CIDR) -> None:
        network = ip_network(cidr)
        assert isinstance(network, IPv4Network)
        self.network = network
        self.addresses: Pool[str] = Pool(
            self._address, held_addresses, size=network.num_addresses - 2, noun="IP"
        )
        self.ports: Pool[int] = Pool(
            _port, held_ports, size=LAST_NODE_PORT - FIRST_NODE_PORT + 1, noun="port"
        )
        for service in reader.list(SERVICES):
            self.addresses.learn(service)
            self.ports.learn(service)

    def _address(self, index: int) -> str:
        # The low addresses come last: they are left for users who choose an address themselves.
        size = self.network.num_addresses - 2
        offset = (min(max(16, size // 16), 256) + index - 1) % size
        return str(self.network.network_address + 1 + offset)

    def check_range(self, address: str) -> None:
        """Check that an address is in the service network.

        Raises:
            TakenError: It is outside, or reserved for the network itself.
        """
        if IPv4Address(address) in self.network and address not in (
            str(self.network.network_address),
            str(self.network.broadcast_address),
        ):
            return
        raise TakenError(
            f"the provided IP ({address}) is not in the valid range."
            f" The range of valid IPs is {self.network}"
        )

    def check_port_range(self, port: int) -> None:
        """Check that a port is in the range of node ports.

        Raises:
            TakenError: It is outside.
        """
        if not FIRST_NODE_PORT <= port <= LAST_NODE_PORT:
            raise TakenError(
                "provided port is not in the valid range."
                f" The range of valid ports is {FIRST_NODE_PORT}-{LAST_NODE_PORT}"
            )

    def release(self, service: Obj) -> None:
        """Free the addresses and ports of a deleted Service."""
        self.addresses.release(service)
        self.ports.release(service)


def _port(index: int) -> int:
    size = LAST_NODE_PORT - FIRST_NODE_PORT + 1
    return FIRST_NODE_PORT + (min(max(16, size // 32), 128) + index) % size
