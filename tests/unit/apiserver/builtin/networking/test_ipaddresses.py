from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "networking.k8s.io"


def test_an_address_is_named_as_what_it_is() -> None:
    """Two objects cannot have the same address then."""
    rule = KindServer(GROUP, "ipaddresses").strategy.name_rule

    assert not rule("10.0.0.1")
    assert rule("2001:DB8::1") == ['must be in canonical form ("2001:db8::1")']
    assert rule("x") == ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]


def test_an_address_belongs_to_something_for_good() -> None:
    """It is released with its parent."""
    server = KindServer(GROUP, "ipaddresses")
    assert server.refusal() == "spec.parentRef: Required value"
    found = server.create({"spec": {"parentRef": {"resource": "services", "name": "a"}}})

    problem = server.refused_change(found, spec={"parentRef": {"resource": "x", "name": "b"}})

    assert problem.endswith("field is immutable")
