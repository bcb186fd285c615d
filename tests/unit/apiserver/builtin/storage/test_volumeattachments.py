from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "storage.k8s.io"


def test_an_attachment_is_of_one_volume_to_one_node() -> None:
    """It is made by a controller, and its status by a driver."""
    server = KindServer(GROUP, "volumeattachments")
    problem = server.refusal({"spec": {"nodeName": "n"}})
    source = {"persistentVolumeName": "p"}
    found = server.create({"spec": {"attacher": "a", "nodeName": "n", "source": source}})

    assert "spec.attacher: Required value" in problem
    assert "must specify exactly one of inlineVolumeSpec and persistentVolumeName" in problem
    assert found["status"] == {"attached": False}
    changed = {**found["spec"], "nodeName": "m"}
    assert "field is immutable" in server.refused_change(found, spec=changed)
