"""From a Service and its endpoints to a route through Traefik. Nothing here does any I/O."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from kubewright.kinds.core.v1 import Endpoints, Service, ServicePort
from kubewright.kinds.discovery.v1 import Endpoint, EndpointPort, EndpointSlice
from traefik import Route, default_rule

__all__ = ["AnnotationError", "is_annotated", "route_for", "service_of", "slices_of"]

EXPOSE = "traefik.magedu.com/expose"
RULE = "traefik.magedu.com/rule"
ENTRYPOINT = "traefik.magedu.com/entrypoint"
PORT = "traefik.magedu.com/port"
TARGET = "traefik.magedu.com/target"

SERVICE_NAME = "kubernetes.io/service-name"
"""The label of an EndpointSlice that names its Service."""


class AnnotationError(Exception):
    """An annotation of a Service has an invalid value."""


class Server(NamedTuple):
    """One server that requests can go to."""

    host: str
    port: int

    @property
    def name(self) -> str:
        """A name that stays the same while the server does, so that others keep theirs."""
        return f"{self.host}_{self.port}"

    def url(self, scheme: str) -> str:
        """Return the address."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}:{self.port}"


def is_annotated(service: Service) -> bool:
    """Return whether *service* says whether it is exposed."""
    return EXPOSE in service.metadata.annotations


def route_for(service: Service, slices: Iterable[EndpointSlice]) -> Route | None:
    """Return the route to *service*; ``None`` if it is not exposed.

    Args:
        service: The Service.
        slices: Its endpoints.

    Raises:
        AnnotationError: What an annotation asks for cannot be done.
    """
    annotations = service.metadata.annotations
    if not _choice(service, EXPOSE, default="false", true=True, false=False):
        return None
    port = _port(service)
    servers = sorted(set(_servers(service, port, slices)))
    scheme = "https" if port.app_protocol == "https" else "http"
    return Route(
        rule=_checked(annotations.get(RULE), RULE, r"\S[^\r\n]*") or default_rule(service.key),
        servers={server.name: server.url(scheme) for server in servers},
        entrypoint=_checked(annotations.get(ENTRYPOINT), ENTRYPOINT, r"[A-Za-z0-9][\w-]*"),
    )


def service_of(piece: EndpointSlice | Endpoints) -> list[str]:
    """Return the name of the Service that *piece* is about, as a list of at most one."""
    if isinstance(piece, Endpoints):
        return [piece.metadata.name]  # it has the name of its Service
    return [name for name in [piece.metadata.labels.get(SERVICE_NAME)] if name]


def slices_of(piece: EndpointSlice | Endpoints) -> list[EndpointSlice]:
    """Return *piece* as an EndpointSlice, as newer clusters have it."""
    if isinstance(piece, EndpointSlice):
        return [piece]
    return [
        EndpointSlice(
            address_type="IPv6" if ":" in subset.addresses[0].ip else "IPv4",
            endpoints=[Endpoint(addresses=[one.ip]) for one in subset.addresses],
            ports=[EndpointPort(name=one.name, port=one.port) for one in subset.ports],
        )
        for subset in piece.subsets
        if subset.addresses  # the others are not ready
    ]


def _servers(service: Service, port: ServicePort, slices: Iterable[EndpointSlice]) -> list[Server]:
    if service.spec.type == "ExternalName":
        return [Server(service.spec.external_name or "", port.port)]
    if not _choice(service, TARGET, default="endpoints", clusterip=True, endpoints=False):
        return _ready(service, port, slices)
    address = service.spec.cluster_ip
    if address in {None, "", "None"}:
        raise AnnotationError(f"{TARGET} is clusterip, and the Service has no cluster IP")
    return [Server(str(address), port.port)]


def _ready(service: Service, port: ServicePort, slices: Iterable[EndpointSlice]) -> list[Server]:
    """Return the ready endpoints; if there are none, those that are terminating but still serving.

    Those are no worse than nothing, and kube-proxy does the same.
    """
    families = {*service.spec.ip_families[:1], "FQDN"}  # dual-stack pods are in both
    found = [
        (endpoint, Server(endpoint.addresses[0], where.port))
        for one in slices
        if one.address_type in families or not service.spec.ip_families
        for where in one.ports
        if where.port and (where.name or "") == (port.name or "")
        for endpoint in one.endpoints
        if endpoint.addresses
    ]
    ready = [server for endpoint, server in found if _is_ready(endpoint)]
    return ready or [server for endpoint, server in found if _still_serves(endpoint)]


def _is_ready(endpoint: Endpoint) -> bool:
    state = endpoint.conditions
    return state is None or (state.ready is not False and not state.terminating)


def _still_serves(endpoint: Endpoint) -> bool:
    state = endpoint.conditions
    return state is not None and bool(state.serving and state.terminating)


def _port(service: Service) -> ServicePort:
    """Return the port that was asked for by name or number; the first one by default."""
    wanted = service.metadata.annotations.get(PORT)
    ports = [one for one in service.spec.ports if one.protocol in {None, "TCP"}]
    if service.spec.type == "ExternalName":  # which need not have ports
        number = int(wanted) if wanted and re.fullmatch("[0-9]{1,5}", wanted) else 80
        ports.append(ServicePort(port=number))
    fitting = [one for one in ports if wanted is None or wanted in {one.name, str(one.port)}]
    if fitting:
        return fitting[0]
    names = ", ".join(f"{one.port} ({one.name})" if one.name else str(one.port) for one in ports)
    raise AnnotationError(
        f"{PORT} is {wanted!r}, and the Service has {names or 'no TCP port'}"
        if wanted is not None
        else "the Service has no TCP port that could be exposed"
    )


def _choice(service: Service, annotation: str, *, default: str, **choices: bool) -> bool:
    given = service.metadata.annotations.get(annotation, default)
    if given not in choices:
        raise AnnotationError(f"{annotation} is {given!r}: write {' or '.join(choices)}")
    return choices[given]


def _checked(value: str | None, annotation: str, pattern: str) -> str:
    if value is None:
        return ""
    if not re.fullmatch(pattern, value):
        raise AnnotationError(f"{annotation} cannot be {value!r}")
    return value
