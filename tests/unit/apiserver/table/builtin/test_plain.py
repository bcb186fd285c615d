from tests.unit.apiserver.table.rows import row


def test_a_kind_without_columns_shows_name_and_age() -> None:
    """Service accounts are such a kind."""
    assert row("", "serviceaccounts") == {"Name": "x", "Age": "5m"}
