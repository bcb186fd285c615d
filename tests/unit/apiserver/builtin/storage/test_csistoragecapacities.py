from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "storage.k8s.io"


def test_room_is_of_a_class_somewhere() -> None:
    """The object describes one class in one topology, so only the amount may change."""
    server = KindServer(GROUP, "csistoragecapacities")
    assert "capacity: Invalid value" in server.refusal({"storageClassName": "a", "capacity": "-1"})
    found = server.create({"storageClassName": "a", "capacity": "1Gi"})

    assert not server.refused_change(found, capacity="2Gi")
    assert "storageClassName" in server.refused_change(found, storageClassName="b")
