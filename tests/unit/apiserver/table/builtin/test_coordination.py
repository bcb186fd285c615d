from tests.unit.apiserver.table.rows import row


def test_a_lease_shows_its_holder() -> None:
    """That is how one finds the leader."""
    lease = row("coordination.k8s.io", "leases", {"spec": {"holderIdentity": "h"}})

    assert lease["Holder"] == "h"
