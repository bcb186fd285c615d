from typing import Any

import pytest

from kubewright._serve.messages import Request
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.wire.route import parse_route
from kubewright.embedded.kubelet.location import Location, located, pod_port, service_port

POD: dict[str, Any] = {
    "spec": {"containers": [{"name": "a"}, {"name": "b", "ports": [{"containerPort": 8080}]}]}
}
SERVICE: dict[str, Any] = {
    "spec": {"ports": [{"name": "http", "port": 80}, {"name": "admin", "port": 81}]}
}


def at(path: str, query: str = "") -> Location:
    """Return where a request to *path* goes on to."""
    route = parse_route("GET", path, {})
    return located(route.name, Request("GET", path, query), route.resource)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/api/v1/namespaces/d/pods/web/proxy", ("", "web", "", "/?a=b")),
        ("/api/v1/namespaces/d/pods/web:80/proxy/", ("", "web", "80", "/?a=b")),
        ("/api/v1/namespaces/d/services/http:web:x/proxy/a%2Fb/",
         ("http", "web", "x", "/a%2Fb/?a=b")),
        ("/api/v1/namespaces/proxy/pods/proxy/proxy/proxy",
         ("", "proxy", "", "/proxy?a=b")),
        ("/api/v1/nodes/node-1/proxy/healthz", ("", "node-1", "", "/healthz?a=b")),
    ],
)  # fmt: skip
def test_the_name_may_hold_a_scheme_and_a_port(path: str, found: tuple[str, ...]) -> None:
    """What follows the word proxy goes on as it came, still encoded."""
    location = at(path, "a=b")

    assert (location.scheme, location.name, location.port, location.target) == found


@pytest.mark.parametrize("name", ["a:b:c:d", "ftp:web:80", ":80"])
def test_a_name_that_makes_no_sense_is_refused(name: str) -> None:
    """As Kubernetes does."""
    with pytest.raises(StatusError, match="invalid pod request"):
        at(f"/api/v1/namespaces/d/pods/{name}/proxy")


def test_a_pod_is_asked_at_its_first_port() -> None:
    """Or at the one that was named; at 80 if it has none."""
    plain = at("/api/v1/namespaces/d/pods/web/proxy")
    named = at("/api/v1/namespaces/d/pods/web:9090/proxy")
    wrong = at("/api/v1/namespaces/d/pods/web:http/proxy")

    assert (pod_port(POD, plain), pod_port({}, plain), pod_port(POD, named)) == (8080, 80, 9090)
    with pytest.raises(StatusError, match="invalid pod request"):
        pod_port(POD, wrong)


def test_the_port_of_a_service_is_found_by_number_and_by_name() -> None:
    """And need not be named if there is only one."""
    single = {"spec": {"ports": [{"port": 80}]}}

    def web(name: str) -> Location:
        return at(f"/api/v1/namespaces/d/services/{name}/proxy")

    assert service_port(SERVICE, web("web:81")) == "admin"
    assert service_port(SERVICE, web("web:http")) == "http"
    assert service_port(single, web("web")) == ""
    for name in ("web", "web:82"):
        with pytest.raises(StatusError) as caught:
            service_port(SERVICE, web(name))
        assert caught.value.code == 503
