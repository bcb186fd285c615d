"""The addresses and node ports that services share: who has which.

What is taken is learnt from the stored services once and followed from then on. A taker that was
refused later, or has given its number back with an update, is found out only when somebody asks
for just that number; so a look at the owner as it is stored decides, and nothing leaks for good.
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
    """The number that was asked for cannot be had; the text says why."""


class Pool(Generic[T]):
    """Numbers of which each has at most one owner."""

    def __init__(
        self, numbers: Callable[[int], T], held: Callable[[Obj], list[T]], *, size: int, noun: str
    ) -> None:
        self._numbers: Callable[[int], T] = numbers
        self._size = size
        self._next = 0  # in turn, so that a number is not reused at once
        self._held: Callable[[Obj], list[T]] = held
        self._noun = noun
        self._owners: dict[T, Owner] = {}

    def learn(self, service: Obj) -> None:
        """Note what a stored service has."""
        for number in self._held(service):
            self._owners[number] = owner_of(service)

    def take(self, number: T, owner: Owner, *, reader: Reader, keep: bool) -> None:
        """Give *number* to *owner*; with *keep* false only ask whether that is possible.

        Raises:
            TakenError: Somebody else has it.
        """
        other = self._owners.get(number)
        if other is not None:
            stored = reader.get(SERVICES, *other)
            if stored is not None and number in self._held(stored):
                raise TakenError(f"provided {self._noun} is already allocated")
        if keep:
            self._owners[number] = owner

    def take_next(self, owner: Owner, *, reader: Reader, keep: bool) -> T:
        """Give *owner* a number that is free.

        Raises:
            TakenError: None is.
        """
        found = self._find_free()
        if found is None:  # perhaps all that is free are numbers of takers that were refused
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
        """Take back what *service* had."""
        owner = owner_of(service)
        for number in self._held(service):
            if self._owners.get(number) == owner:
                del self._owners[number]


def owner_of(service: Obj) -> Owner:
    """Return the namespace and name under which a service holds its numbers."""
    meta = service["metadata"]
    return meta.get("namespace", ""), meta.get("name", "")


def held_addresses(service: Obj) -> list[str]:
    """Return the cluster addresses of a service."""
    found = (service.get("spec") or {}).get("clusterIPs") or []
    return [ip for ip in found if ip != "None"]


def held_ports(service: Obj) -> list[int]:
    """Return the node ports of a service, the one for health checks included."""
    spec = service.get("spec") or {}
    found = [port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort")]
    health = spec.get("healthCheckNodePort")
    return [*found, health] if health else found


class ServicePool:
    """All that services of one server share."""

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
        # The low ones come last: they are left for those who choose an address themselves.
        size = self.network.num_addresses - 2
        offset = (min(max(16, size // 16), 256) + index - 1) % size
        return str(self.network.network_address + 1 + offset)

    def check_range(self, address: str) -> None:
        """Refuse an address that is not one of ours.

        Raises:
            TakenError: It is outside, or the network's own.
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
        """Refuse a node port that is not one of ours.

        Raises:
            TakenError: It is outside.
        """
        if not FIRST_NODE_PORT <= port <= LAST_NODE_PORT:
            raise TakenError(
                "provided port is not in the valid range."
                f" The range of valid ports is {FIRST_NODE_PORT}-{LAST_NODE_PORT}"
            )

    def release(self, service: Obj) -> None:
        """Take back what a deleted service had."""
        self.addresses.release(service)
        self.ports.release(service)


def _port(index: int) -> int:
    size = LAST_NODE_PORT - FIRST_NODE_PORT + 1
    return FIRST_NODE_PORT + (min(max(16, size // 32), 128) + index) % size
