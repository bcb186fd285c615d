from typing import Any

import pytest

from kubewright.apiserver.admission.webhook_client import Address
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.server import APIServer
from kubewright.apiserver.storage import Store
from kubewright.embedded.proxy import EndpointResolver

SERVICES = GroupResource("", "services")
SLICES = GroupResource("discovery.k8s.io", "endpointslices")


def put_service(store: Store, name: str, spec: dict[str, Any]) -> None:
    store.put(SERVICES, {"metadata": {"namespace": "default", "name": name}, "spec": spec})


@pytest.fixture
def store() -> Store:
    store = Store()
    put_service(store, "hook", {"ports": [{"name": "https", "port": 443}, {"port": 80}]})
    put_service(store, "alone", {"ports": [{"port": 443}]})
    put_service(store, "far", {"type": "ExternalName", "externalName": "far.example"})
    labels = {"kubernetes.io/service-name": "hook"}
    store.put(
        SLICES,
        {
            "metadata": {"namespace": "default", "name": "hook-1", "labels": labels},
            "addressType": "IPv4",
            "endpoints": [{"addresses": ["127.1.0.1"]}, {"addresses": ["127.1.0.2"]}],
            "ports": [{"name": "https", "port": 9443}],
        },
    )
    return store


def test_a_service_is_found_at_its_endpoints_in_turn(store: Store) -> None:
    """At the port where they listen, which need not be that of the service."""
    resolver = EndpointResolver(store)

    found = {resolver.resolve("default", "hook", 443) for _ in range(2)}

    assert found == {Address("127.1.0.1", 9443), Address("127.1.0.2", 9443)}
    assert resolver.resolve("default", "far", 443) == Address("far.example", 443)


@pytest.mark.parametrize(
    ("name", "port", "text"),
    [
        ("none", 443, 'service "none" not found'),
        ("hook", 8443, 'no service port 8443 found for service "hook"'),
        ("hook", 80, 'no endpoints available for service "hook"'),
        ("alone", 443, 'no endpoints available for service "alone"'),
    ],
)
def test_what_leads_nowhere_is_told(store: Store, name: str, port: int, text: str) -> None:
    """The text comes to who wrote the object that a webhook was to judge."""
    with pytest.raises(LookupError, match=text):
        EndpointResolver(store).resolve("default", name, port)


async def test_an_api_server_asks_the_resolver_that_it_was_given() -> None:
    """It has none of its own, since it knows of no cluster around it."""
    async with APIServer(resolver=EndpointResolver) as api:
        assert isinstance(api._webhook_client()._resolver, EndpointResolver)
