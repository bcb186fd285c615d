from tests.unit.apiserver.table.rows import row


def test_a_config_map_shows_how_many_entries_it_has() -> None:
    """Their contents are too long for a row."""
    data = {"data": {"a": "", "b": ""}, "binaryData": {"c": ""}}

    assert row("", "configmaps", data)["Data"] == 3
