from tests.unit.apiserver.table.rows import row


def test_a_replication_controller_shows_its_selector() -> None:
    """Its selector is a plain map of labels."""
    found = row("", "replicationcontrollers", {"spec": {"selector": {"a": "b"}}})

    assert found["Selector"] == "a=b"
