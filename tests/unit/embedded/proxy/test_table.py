from typing import Any

from kubewright.embedded.proxy.table import Endpoint, ServicePort, endpoints_of, tcp_ports

READY = {"ready": True}
LEAVING = {"ready": False, "serving": True, "terminating": True}


def slice_of(*endpoints: dict[str, Any], port: int = 8080, **more: Any) -> dict[str, Any]:
    return {
        "metadata": {"namespace": "default"},
        "addressType": "IPv4",
        "endpoints": list(endpoints),
        "ports": [{"name": "http", "port": port}, {"name": "dns", "port": 53, "protocol": "UDP"}],
        **more,
    }


def at(address: str, conditions: dict[str, bool] | None = None, pod: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {"addresses": [address], "conditions": conditions or {}}
    if pod:
        found["targetRef"] = {"kind": "Pod", "name": pod}
    return found


def test_only_ports_that_speak_tcp_count() -> None:
    """A proxy in user space does not do more."""
    ports = [
        {"port": 80, "nodePort": 30080},
        {"name": "dns", "port": 53, "protocol": "UDP"},
        {"name": "dns-tcp", "port": 53, "protocol": "TCP"},
    ]

    assert tcp_ports({"spec": {"ports": ports}}) == [
        ServicePort("", 80, 30080),
        ServicePort("dns-tcp", 53),
    ]
    assert tcp_ports({"spec": {}}) == []


def test_the_ready_endpoints_of_all_slices_stand_behind_a_port() -> None:
    """Each once, with the port that its slice says."""
    slices = [
        slice_of(at("127.1.0.2", READY, "b"), at("127.1.0.1")),
        slice_of(at("127.1.0.1"), at("127.1.0.3", {"ready": False})),
        slice_of(at("127.1.0.4"), port=9090),
    ]

    assert endpoints_of(slices, "http") == [
        Endpoint("127.1.0.1", 8080),
        Endpoint("127.1.0.2", 8080, "default", "b"),
        Endpoint("127.1.0.4", 9090),
    ]
    assert endpoints_of(slices, "dns") == endpoints_of(slices, "other") == []


def test_those_that_leave_serve_only_when_nobody_else_does() -> None:
    """While the last pods of a service end, they are better than nobody."""
    leaving = at("127.1.0.1", LEAVING)
    gone = at("127.1.0.2", {"ready": False, "serving": False, "terminating": True})

    assert endpoints_of([slice_of(leaving, gone)], "http") == [Endpoint("127.1.0.1", 8080)]
    assert endpoints_of([slice_of(leaving, at("127.1.0.3"))], "http") == [
        Endpoint("127.1.0.3", 8080)
    ]


def test_names_of_hosts_and_ports_without_a_number_lead_nowhere() -> None:
    """Nor do other targets than pods count as pods."""
    node = {"addresses": ["127.1.0.1"], "targetRef": {"kind": "Node", "name": "n"}}

    assert endpoints_of([slice_of(at("a.example"), addressType="FQDN")], "http") == []
    assert endpoints_of([slice_of(at("127.1.0.1"), ports=[{"name": "http"}])], "http") == []
    assert endpoints_of([slice_of(node)], "http") == [Endpoint("127.1.0.1", 8080)]
