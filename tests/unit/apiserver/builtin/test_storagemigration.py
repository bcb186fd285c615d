from tests.unit.apiserver.builtin.kind_server import KindServer


def test_a_migration_is_of_one_resource() -> None:
    """A migration of another resource needs another object."""
    server = KindServer("storagemigration.k8s.io", "storageversionmigrations")
    assert server.refusal() == "spec.resource.resource: Required value"
    found = server.create({"spec": {"resource": {"resource": "pods"}}})

    problem = server.refused_change(found, spec={"resource": {"resource": "secrets"}})

    assert found["status"] == {}
    assert problem.endswith("field is immutable")
