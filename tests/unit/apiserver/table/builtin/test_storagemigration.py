from tests.unit.apiserver.table.rows import row


def test_a_migration_shows_how_it_goes() -> None:
    """The state is the last condition that is true."""
    content = {
        "spec": {"resource": {"resource": "jobs", "group": "batch"}},
        "status": {"conditions": [{"type": "Succeeded", "status": "True"}]},
    }

    found = row("storagemigration.k8s.io", "storageversionmigrations", content)

    assert (found["Resource"], found["Status"]) == ("jobs.batch", "Succeeded")
