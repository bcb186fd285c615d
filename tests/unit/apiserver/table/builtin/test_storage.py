from typing import Any

from tests.unit.apiserver.table.rows import Kind, named, row, table

GROUP = "storage.k8s.io"
CLASSES = Kind(GROUP, "storageclasses")
DEFAULT = {"storageclass.kubernetes.io/is-default-class": "true"}


def names(*objects: dict[str, Any], **options: Any) -> list[str]:
    return [item["cells"][0] for item in table(CLASSES, *objects, **options)["rows"]]


def test_the_default_class_is_marked_in_lists_only() -> None:
    """The newest of several is the default, which a single object cannot tell."""
    old = named(name="old", annotations=DEFAULT)
    new = named(name="new", annotations=DEFAULT, creationTimestamp="2026-01-01T11:59:00Z")
    plain = named(name="plain")

    assert names(old, new, plain) == ["old", "new (default)", "plain"]
    assert names(old, single=True) == ["old"]
    assert "default" not in table(CLASSES, new, include="Object")["rows"][0]["object"]


def test_drivers_nodes_and_attachments() -> None:
    """Booleans are JSON booleans in these rows."""
    driver = row(GROUP, "csidrivers", {"spec": {"tokenRequests": [{"audience": "a"}]}})
    node = row(GROUP, "csinodes", {"spec": {"drivers": [{}, {}]}})
    spec = {"attacher": "d", "nodeName": "n", "source": {"persistentVolumeName": "p"}}
    attachment = row(GROUP, "volumeattachments", {"spec": spec, "status": {"attached": True}})

    assert (driver["AttachRequired"], driver["TokenRequests"], driver["Modes"]) == (
        True,
        "a",
        "<none>",
    )
    assert row(GROUP, "csidrivers")["TokenRequests"] == "<unset>"
    assert node["Drivers"] == 2
    assert (attachment["PV"], attachment["Node"], attachment["Attached"]) == ("p", "n", True)
    assert row(GROUP, "volumeattributesclasses", {"driverName": "d"})["DriverName"] == "d"
