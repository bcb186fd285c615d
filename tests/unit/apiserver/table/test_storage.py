from typing import Any

from tests.unit.apiserver.table.rows import Kind, named, row, table

GROUP = "storage.k8s.io"
CLASSES = Kind(GROUP, "storageclasses")
DEFAULT = {"storageclass.kubernetes.io/is-default-class": "true"}


def names(*objects: dict[str, Any], **options: Any) -> list[str]:
    return [item["cells"][0] for item in table(CLASSES, *objects, **options)["rows"]]


def test_a_volume_shows_who_has_it() -> None:
    """Modes are abbreviated, in a fixed order."""
    spec = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
        "claimRef": {"namespace": "n", "name": "c"},
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": "fast",
    }

    found = row("", "persistentvolumes", {"spec": spec, "status": {"phase": "Bound"}})

    assert (found["Access Modes"], found["Claim"]) == ("RWO,RWX", "n/c")
    assert (found["StorageClass"], found["VolumeAttributesClass"]) == ("fast", "<unset>")
    gone = row("", "persistentvolumes", deletionTimestamp="2026-01-01T11:00:00Z")
    assert (gone["Status"], gone["Claim"]) == ("Terminating", "")


def test_a_claim_shows_what_it_got() -> None:
    """Nothing before it is bound."""
    status = {"accessModes": ["ReadOnlyMany"], "capacity": {"storage": "2Gi"}}
    resources = {"requests": {"storage": "1Gi"}}

    bound = row(
        "",
        "persistentvolumeclaims",
        {"spec": {"volumeName": "v", "resources": resources}, "status": status},
    )
    waiting = row("", "persistentvolumeclaims", {"spec": {"resources": resources}})

    assert (bound["Volume"], bound["Capacity"], bound["Access Modes"]) == ("v", "2Gi", "ROX")
    assert (waiting["Volume"], waiting["Capacity"], waiting["Access Modes"]) == ("", "", "")


def test_the_default_class_is_marked_in_lists_only() -> None:
    """Of several it is the newest; one alone does not know of the others."""
    old = named(name="old", annotations=DEFAULT)
    new = named(name="new", annotations=DEFAULT, creationTimestamp="2026-01-01T11:59:00Z")
    plain = named(name="plain")

    assert names(old, new, plain) == ["old", "new (default)", "plain"]
    assert names(old, single=True) == ["old"]
    assert "default" not in table(CLASSES, new, include="Object")["rows"][0]["object"]


def test_drivers_nodes_and_attachments() -> None:
    """Booleans stay booleans."""
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


def test_a_migration_shows_how_it_goes() -> None:
    """By its last condition that holds."""
    content = {
        "spec": {"resource": {"resource": "jobs", "group": "batch"}},
        "status": {"conditions": [{"type": "Succeeded", "status": "True"}]},
    }

    found = row("storagemigration.k8s.io", "storageversionmigrations", content)

    assert (found["Resource"], found["Status"]) == ("jobs.batch", "Succeeded")
