import pytest

from kubewright._aio import VirtualClock
from kubewright.apiserver.network import Network
from kubewright.apiserver.server import APIServer
from kubewright.errors import ConfigError
from tests.unit.apiserver.asking import ask, make

SERVICES = "/api/v1/namespaces/default/services"
ENDPOINTS = "/api/v1/namespaces/default/endpoints"
SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
LOCAL = {"metadata": {"name": "a"}, "subsets": [{"addresses": [{"ip": "127.1.0.2"}]}]}
LOCAL_SLICE = {
    "metadata": {"name": "a"},
    "addressType": "IPv4",
    "endpoints": [{"addresses": ["127.1.0.2"]}],
}


def test_the_server_has_the_first_address() -> None:
    """Pods look for it there: KUBERNETES_SERVICE_HOST."""
    assert Network("127.96.0.0/16").kubernetes_ip == "127.96.0.1"


@pytest.mark.parametrize("cidr", ["10.0.0.1/8", "fd00::/108", "x", "10.0.0.0/30"])
def test_a_range_that_cannot_work_is_refused_at_once(cidr: str) -> None:
    """Not when the first service asks for an address."""
    with pytest.raises(ConfigError, match="cannot use service_cidr"):
        Network(cidr)


async def test_services_get_addresses_of_the_range() -> None:
    """The server's own service as well as others."""
    async with APIServer(clock=VirtualClock(), service_cidr="127.96.0.0/16") as server:
        spec = {"ports": [{"port": 80}]}

        made = await make(server, SERVICES, {"metadata": {"name": "a"}, "spec": spec})
        own = (await ask(server, "GET", f"{SERVICES}/kubernetes")).obj

    assert made["spec"]["clusterIP"].startswith("127.96.")
    assert own["spec"]["clusterIPs"] == ["127.96.0.1"]


@pytest.mark.parametrize(("path", "body"), [(ENDPOINTS, LOCAL), (SLICES, LOCAL_SLICE)])
async def test_loopback_endpoints_are_taken_only_where_it_was_asked_for(
    path: str, body: dict[str, object]
) -> None:
    """In a cluster of machines such traffic would come back to the sender."""
    async with (
        APIServer(clock=VirtualClock()) as strict,
        APIServer(clock=VirtualClock(), loopback_endpoints=True) as local,
    ):
        refused = await ask(strict, "POST", path, body)
        taken = await ask(local, "POST", path, body)

    assert (refused.status, taken.status) == (422, 201)
    assert "may not be in the loopback range" in refused.message
