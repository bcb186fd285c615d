"""Finds services at their endpoints, for admission webhooks and for ``services/proxy``."""

from kubewright.apiserver.admission.webhook_client import Address, ClusterIPResolver
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Reader
from kubewright.embedded.proxy.table import SERVICE_NAME, Endpoint, endpoints_of, tcp_ports

_SERVICES = GroupResource("", "services")
_SLICES = GroupResource("discovery.k8s.io", "endpointslices")


def find_endpoints(reader: Reader, namespace: str, service: str, port: str) -> list[Endpoint]:
    """Return the endpoints of the port called *port* of *service*."""
    slices = [
        one
        for one in reader.list(_SLICES, namespace)
        if (one["metadata"].get("labels") or {}).get(SERVICE_NAME) == service
    ]
    return endpoints_of(slices, port)


class EndpointResolver(ClusterIPResolver):
    """Finds services at their endpoints; nothing has to listen at their cluster addresses.

    Args:
        reader: The objects of the API server.

    Example:
        api = APIServer(resolver=EndpointResolver)
    """

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        self._turn = 0

    def resolve(self, namespace: str, name: str, port: int) -> Address:
        """Return an endpoint of a service, another one each time.

        Raises:
            LookupError: There is no such service or port, or it has no endpoints.
        """
        found = super().resolve(namespace, name, port)
        service = self._reader.find_object(_SERVICES, namespace, name) or {}
        if service.get("spec", {}).get("type") == "ExternalName":
            return found
        names = [one.name for one in tcp_ports(service) if one.port == port]
        endpoints = find_endpoints(self._reader, namespace, name, names[0]) if names else []
        if not endpoints:
            raise LookupError(f'no endpoints available for service "{name}"')
        self._turn += 1
        chosen = endpoints[self._turn % len(endpoints)]
        return Address(chosen.address, chosen.port)
