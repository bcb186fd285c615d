from tests.unit.apiserver.table.rows import row


def test_a_namespace_shows_its_phase() -> None:
    """One that is being deleted is still listed."""
    assert row("", "namespaces", {"status": {"phase": "Active"}})["Status"] == "Active"
