"""From Services and endpoints to routes: the cases, one by one."""

import pytest

import kubewright as kw
from exposure import AnnotationError, route_for, slices_of
from kubewright.kinds.core.v1 import (
    EndpointAddress,
    EndpointPort,
    Endpoints,
    EndpointSubset,
    Service,
    ServicePort,
    ServiceSpec,
)
from kubewright.kinds.discovery.v1 import Endpoint, EndpointConditions, EndpointSlice
from kubewright.kinds.discovery.v1 import EndpointPort as SlicePort
from traefik import Route

READY = EndpointConditions(ready=True)
STARTING = EndpointConditions(ready=False)
ENDING = EndpointConditions(ready=False, serving=True, terminating=True)
ENDED = EndpointConditions(ready=False, serving=False, terminating=True)


def service(*ports: ServicePort, **annotations: str) -> Service:
    """Return an exposed Service."""
    wanted = {"expose": "true", **annotations}
    return Service(
        metadata=kw.ObjectMeta(
            name="web",
            namespace="shop",
            annotations={f"traefik.magedu.com/{key}": wanted[key] for key in wanted},
        ),
        spec=ServiceSpec(
            cluster_ip="10.96.0.7", ip_families=["IPv4"], ports=[*ports] or [ServicePort(port=80)]
        ),
    )


def piece(
    endpoints: dict[str, EndpointConditions | None],
    *ports: SlicePort,
    kind: str = "IPv4",
) -> EndpointSlice:
    """Return an EndpointSlice with these addresses, in these states."""
    return EndpointSlice(
        address_type=kind,
        endpoints=[Endpoint(addresses=[one], conditions=endpoints[one]) for one in endpoints],
        ports=[*ports] or [SlicePort(name="", port=8080)],
    )


def urls(route: Route | None) -> list[str]:
    """Return where the route leads to."""
    assert route is not None
    return list(route.servers.values())


def test_a_route_has_one_server_for_each_ready_endpoint() -> None:
    """The port is the one of the endpoint, not of the Service."""
    one, two = piece({"10.0.0.2": READY, "10.0.0.1": None}), piece({"10.0.0.3": STARTING})

    route = route_for(service(), [one, two])

    assert route == Route(
        rule="PathPrefix(`/shop/web`)",
        servers={
            "10.0.0.1_8080": "http://10.0.0.1:8080",
            "10.0.0.2_8080": "http://10.0.0.2:8080",
        },
    )


def test_an_endpoint_that_ends_is_used_only_if_there_is_no_better_one() -> None:
    """Requests to it may fail soon, which is still better than to fail at once."""
    ending = {"10.0.0.2": ENDING, "10.0.0.3": ENDED}

    with_others = route_for(service(), [piece({"10.0.0.1": READY, **ending})])
    alone = route_for(service(), [piece({"10.0.0.1": STARTING, **ending})])

    assert urls(with_others) == ["http://10.0.0.1:8080"]
    assert urls(alone) == ["http://10.0.0.2:8080"]


def test_an_endpoint_that_is_always_published_is_out_when_it_ends() -> None:
    """With publishNotReadyAddresses it is called ready to the end."""
    always = EndpointConditions(ready=True, serving=True, terminating=True)

    route = route_for(service(), [piece({"10.0.0.1": READY, "10.0.0.2": always})])

    assert urls(route) == ["http://10.0.0.1:8080"]


def test_a_service_without_endpoints_has_a_route_without_servers() -> None:
    """Traefik answers 503 then; without the route it would answer 404."""
    assert urls(route_for(service(), [])) == []


def test_ports_go_by_name() -> None:
    """An EndpointSlice has the ports of the pods, under the names that the Service gives them."""
    ports = ServicePort(name="http", port=80), ServicePort(name="admin", port=81)
    found = piece(
        {"10.0.0.1": READY}, SlicePort(name="admin", port=9), SlicePort(name="http", port=8)
    )

    assert urls(route_for(service(*ports), [found])) == ["http://10.0.0.1:8"]
    assert urls(route_for(service(*ports, port="81"), [found])) == ["http://10.0.0.1:9"]
    assert urls(route_for(service(*ports, port="admin"), [found])) == ["http://10.0.0.1:9"]


def test_of_two_families_only_the_first_counts() -> None:
    """Each pod is in both, and would get twice the requests."""
    dual = service()
    dual.spec.ip_families = ["IPv6", "IPv4"]
    pieces = [piece({"10.0.0.1": READY}), piece({"fd00::1": READY}, kind="IPv6")]

    assert urls(route_for(dual, pieces)) == ["http://[fd00::1]:8080"]


def test_a_port_that_speaks_https_is_asked_so() -> None:
    """The Service says it in the field that Kubernetes has for that."""
    route = route_for(service(ServicePort(port=443, app_protocol="https")), [piece({"a": READY})])

    assert urls(route) == ["https://a:8080"]


def test_the_cluster_ip_is_the_server_if_asked_for() -> None:
    """Then kube-proxy chooses the pod, and the port is the one of the Service."""
    route = route_for(service(target="clusterip"), [piece({"10.0.0.1": READY})])

    assert urls(route) == ["http://10.96.0.7:80"]


@pytest.mark.parametrize(("port", "number"), [(None, 80), ("8080", 8080)])
def test_an_external_name_is_the_server(port: str | None, number: int) -> None:
    """Such a Service has neither endpoints nor, mostly, ports."""
    external = service(**({} if port is None else {"port": port}))
    external.spec = ServiceSpec(type="ExternalName", external_name="db.example")

    assert urls(route_for(external, [])) == [f"http://db.example:{number}"]


def test_endpoints_of_old_clusters_say_the_same() -> None:
    """Before 1.21 there are no EndpointSlices of this version."""
    old = Endpoints(
        subsets=[
            EndpointSubset(
                addresses=[EndpointAddress(ip="10.0.0.1")],
                not_ready_addresses=[EndpointAddress(ip="10.0.0.2")],
                ports=[EndpointPort(port=8080)],
            ),
            EndpointSubset(not_ready_addresses=[EndpointAddress(ip="10.0.0.3")]),
        ]
    )

    assert urls(route_for(service(), slices_of(old))) == ["http://10.0.0.1:8080"]


def test_what_is_not_to_be_exposed_has_no_route() -> None:
    """The annotation can also say no."""
    assert route_for(service(expose="false"), []) is None


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        ({"expose": "True"}, "traefik.magedu.com/expose is 'True': write true or false"),
        ({"port": "x"}, "traefik.magedu.com/port is 'x', and the Service has 80"),
        ({"target": "x"}, "traefik.magedu.com/target is 'x': write clusterip or endpoints"),
        ({"entrypoint": "a/b"}, "traefik.magedu.com/entrypoint cannot be 'a/b'"),
        ({"rule": "a\nb"}, "traefik.magedu.com/rule cannot be 'a\\nb'"),
    ],
)
def test_a_wrong_annotation_is_named(annotations: dict[str, str], message: str) -> None:
    """The text is for who wrote it."""
    with pytest.raises(AnnotationError) as wrong:
        route_for(service(**annotations), [])

    assert str(wrong.value) == message


def test_a_headless_service_has_no_cluster_ip_to_ask() -> None:
    """It says so itself, with the word None."""
    headless = service(target="clusterip")
    headless.spec.cluster_ip = "None"

    with pytest.raises(AnnotationError, match="has no cluster IP"):
        route_for(headless, [])


def test_a_service_needs_a_tcp_port() -> None:
    """HTTP over UDP is beyond us."""
    with pytest.raises(AnnotationError, match="no TCP port"):
        route_for(service(ServicePort(port=53, protocol="UDP")), [])
