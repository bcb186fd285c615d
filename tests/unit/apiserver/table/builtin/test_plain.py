from tests.unit.apiserver.table.rows import row


def test_a_kind_without_columns_shows_name_and_age() -> None:
    """As service accounts do."""
    assert row("", "serviceaccounts") == {"Name": "x", "Age": "5m"}
