from typing import Any

from tests.unit.apiserver.builtin.kind_server import KindServer

PORT: dict[str, Any] = {"port": 80}


def services() -> KindServer:
    return KindServer("", "services")


def test_a_minimal_service_gets_all_that_kubectl_shows() -> None:
    """Clients read these fields right after they have created a service."""
    found = services().create({"spec": {"ports": [PORT]}})

    assert found["spec"] == {
        "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}],
        "type": "ClusterIP",
        "sessionAffinity": "None",
        "internalTrafficPolicy": "Cluster",
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "clusterIP": "10.96.1.0",
        "clusterIPs": ["10.96.1.0"],
    }
    assert found["status"] == {"loadBalancer": {}}


def test_defaults_change_nothing_the_second_time() -> None:
    """The pipeline sets defaults again after admission."""
    server = services()
    found = server.create({"spec": {"type": "LoadBalancer", "ports": [PORT]}})

    again = {**found, "spec": dict(found["spec"])}
    server.strategy.default(again)

    assert again == found


def test_a_load_balancer_has_node_ports_and_its_policies() -> None:
    """Cloud controllers look for both."""
    spec = services().create({"spec": {"type": "LoadBalancer", "ports": [PORT]}})["spec"]

    assert spec["externalTrafficPolicy"] == "Cluster"
    assert spec["allocateLoadBalancerNodePorts"] is True
    assert 30000 <= spec["ports"][0]["nodePort"] <= 32767


def test_affinity_to_clients_lasts_three_hours_unless_said_otherwise() -> None:
    """That is the default of kube-proxy, too."""
    spec = services().create({"spec": {"sessionAffinity": "ClientIP", "ports": [PORT]}})["spec"]

    assert spec["sessionAffinityConfig"] == {"clientIP": {"timeoutSeconds": 10800}}


def test_an_external_name_has_no_address() -> None:
    """It is an alias in DNS and nothing else."""
    spec = services().create({"spec": {"type": "ExternalName", "externalName": "a.b"}})["spec"]

    assert spec == {"type": "ExternalName", "externalName": "a.b", "sessionAffinity": "None"}


def test_a_status_is_not_taken_from_who_creates() -> None:
    """Only the cloud knows the address of a load balancer."""
    status = {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}
    found = services().create({"spec": {"ports": [PORT]}, "status": status})

    assert found["status"] == {"loadBalancer": {}}


def test_addresses_of_a_load_balancer_are_virtual_unless_said_otherwise() -> None:
    """The default is set on writes of the status, too."""
    server = services()
    found = server.create({"spec": {"type": "LoadBalancer", "ports": [PORT]}})

    changed = server.update_status(found, {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}})

    assert changed["status"]["loadBalancer"]["ingress"] == [{"ip": "1.2.3.4", "ipMode": "VIP"}]


def test_services_are_selected_by_address_and_type() -> None:
    """``kubectl get svc --field-selector spec.type=NodePort``."""
    server = services()
    found = server.create({"spec": {"type": "NodePort", "ports": [PORT]}})

    selected = server.strategy.selectable_fields(found)

    assert selected == {"spec.clusterIP": "10.96.1.0", "spec.type": "NodePort"}
    assert server.strategy.field_names == frozenset(selected)


def test_each_server_of_a_process_has_addresses_of_its_own() -> None:
    """Tests run many servers in one process, and strategies are shared."""
    one, other = services(), services()
    other.strategy = one.strategy

    first = one.create({"spec": {"ports": [PORT]}})
    second = other.create({"spec": {"ports": [PORT]}})

    assert first["spec"]["clusterIP"] == second["spec"]["clusterIP"]
