"""Which addresses a server assigns, and which it accepts."""

from ipaddress import AddressValueError, IPv4Network, NetmaskValueError

from msgspec import Struct

from kubewright.errors import ConfigError

SERVICE_CIDR: str = "10.96.0.0/16"
_SMALLEST = 8
"""Addresses: fewer leave nothing to hand out beside the server's own."""


class Network(Struct, frozen=True):
    """Which addresses a server assigns, and which it accepts.

    Attributes:
        service_cidr: Where the cluster addresses of services come from.
        loopback_endpoints: Whether traffic of services may go to 127.0.0.0/8 and ::1, as it does
            where pods are processes of this machine. Kubernetes refuses that.

    Raises:
        ConfigError: The range is not one of IPv4, or too small.
    """

    service_cidr: str = SERVICE_CIDR
    loopback_endpoints: bool = False

    def __post_init__(self) -> None:
        try:
            size = IPv4Network(self.service_cidr).num_addresses
        except (AddressValueError, NetmaskValueError, ValueError) as error:
            raise ConfigError(
                f"cannot use service_cidr {self.service_cidr!r}: {error}. Write an IPv4 network,"
                f" such as {SERVICE_CIDR!r}"
            ) from error
        if size < _SMALLEST:
            raise ConfigError(
                f"cannot use service_cidr {self.service_cidr!r}: it has {size} addresses, and a"
                f" cluster needs at least {_SMALLEST}"
            )

    @property
    def kubernetes_ip(self) -> str:
        """The cluster address of the server itself: the first of the range."""
        return str(IPv4Network(self.service_cidr).network_address + 1)


DEFAULT: Network = Network()
