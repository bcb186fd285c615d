from tests.unit.apiserver.table.rows import row


def test_a_secret_shows_how_many_entries_it_has() -> None:
    """The contents must not appear in a table."""
    data = {"data": {"a": "", "b": ""}, "type": "Opaque"}

    assert row("", "secrets", data) == {"Name": "x", "Type": "Opaque", "Data": 2, "Age": "5m"}
