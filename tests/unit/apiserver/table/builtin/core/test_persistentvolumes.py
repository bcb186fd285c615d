from tests.unit.apiserver.table.rows import row


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
    """The capacity of an unbound claim is empty."""
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
