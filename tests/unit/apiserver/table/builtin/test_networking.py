from tests.unit.apiserver.table.rows import row

NETWORKING = "networking.k8s.io"


def test_an_ingress_shows_its_hosts() -> None:
    """A rule for all hosts shows a star."""
    rules = [{"host": f"{name}.example"} for name in "abcd"]

    found = row(NETWORKING, "ingresses", {"spec": {"rules": rules, "tls": [{}]}})

    assert found["Hosts"] == "a.example,b.example,c.example + 1 more..."
    assert (found["Ports"], found["Class"]) == ("80, 443", "<none>")
    empty = row(NETWORKING, "ingresses")
    assert (empty["Hosts"], empty["Address"], empty["Ports"]) == ("*", "", "80")


def test_the_default_ingress_class_is_marked() -> None:
    """Users see which class Ingresses without one get."""
    notes = {"ingressclass.kubernetes.io/is-default-class": "true"}
    parameters = {"kind": "K", "name": "n", "apiGroup": "a.b"}
    content = {"spec": {"controller": "c/d", "parameters": parameters}}

    found = row(NETWORKING, "ingressclasses", content, annotations=notes)

    assert (found["Name"], found["Parameters"]) == ("x (default)", "K.a.b/n")
    assert row(NETWORKING, "ingressclasses")["Parameters"] == "<none>"


def test_policies_networks_and_addresses() -> None:
    """The remaining kinds of the group have a row each."""
    policy = row(NETWORKING, "networkpolicies", {"spec": {"podSelector": {}}})
    cidr = row(NETWORKING, "servicecidrs", {"spec": {"cidrs": ["10.0.0.0/8", "fd00::/64"]}})
    parent = {"resource": "services", "namespace": "n", "name": "s"}
    address = row(NETWORKING, "ipaddresses", {"spec": {"parentRef": parent}})

    assert policy["Pod-Selector"] == "<none>"
    assert cidr["CIDRs"] == "10.0.0.0/8,fd00::/64"
    assert address["ParentRef"] == "services/n/s"
