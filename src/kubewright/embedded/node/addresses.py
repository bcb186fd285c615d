"""The addresses of the pods of a node."""

from ipaddress import IPv4Address, IPv4Network

from kubewright.errors import ConfigError

__all__ = ["Addresses"]


class Addresses:
    """A range of loopback addresses, one for each pod, so that several can listen on the same port.

    Args:
        cidr: The range. Its first and last addresses are not used.

    Raises:
        ConfigError: It is not a range of addresses, or is too small.
    """

    def __init__(self, cidr: str) -> None:
        try:
            self._range = IPv4Network(cidr)
        except ValueError as error:
            raise ConfigError(f"{cidr!r} is not a range of addresses for pods: {error}") from None
        if self._range.num_addresses < 4:  # noqa: PLR2004  # two of them are not used
            raise ConfigError(f"{cidr!r} has no room for pods: give at least a /30")
        self._taken: set[int] = set()
        self._next = int(self._range[1])

    @property
    def cidr(self) -> str:
        """The range."""
        return str(self._range)

    def take(self, wanted: str = "") -> str:
        """Take a free address: *wanted* if it is free, or the next one.

        Raises:
            OSError: All are taken.
        """
        if (
            wanted
            and IPv4Address(wanted) in self._range
            and int(IPv4Address(wanted)) not in self._taken
        ):
            self._taken.add(int(IPv4Address(wanted)))
            return wanted
        first, last = int(self._range[1]), int(self._range[-2])
        for step in range(last - first + 1):
            number = first + (self._next - first + step) % (last - first + 1)
            if number not in self._taken:
                self._taken.add(number)
                # Not the one that was given back last: clients may still talk to it.
                self._next = number + 1
                return str(IPv4Address(number))
        raise OSError(f"no address is left for a pod in {self._range}")

    def give_back(self, address: str) -> None:
        """Let another pod have an address."""
        self._taken.discard(int(IPv4Address(address)))
