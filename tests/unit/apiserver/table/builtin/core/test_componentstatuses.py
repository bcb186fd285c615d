from tests.unit.apiserver.table.rows import row


def test_a_component_is_healthy_or_not() -> None:
    """The status is Unknown until the component has been probed."""
    healthy = {"conditions": [{"type": "Healthy", "status": "True", "message": "ok"}]}

    assert list(row("", "componentstatuses", healthy).values()) == ["x", "Healthy", "ok", ""]
    assert row("", "componentstatuses")["Status"] == "Unknown"
