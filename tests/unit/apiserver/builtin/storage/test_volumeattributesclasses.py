from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "storage.k8s.io"


def test_a_class_of_attributes_is_fixed() -> None:
    """Existing volumes were created with these parameters."""
    server = KindServer(GROUP, "volumeattributesclasses")
    assert "must contain at least one key/value pair" in server.refusal({"driverName": "a"})
    found = server.create({"driverName": "a", "parameters": {"a": "b"}})

    problem = server.refused_change(found, parameters={"a": "c"})

    assert problem == "parameters: Forbidden: updates to parameters are forbidden."
