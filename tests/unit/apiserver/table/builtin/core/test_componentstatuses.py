from tests.unit.apiserver.table.rows import row


def test_a_component_is_healthy_or_not() -> None:
    """Nobody knows before it is asked."""
    healthy = {"conditions": [{"type": "Healthy", "status": "True", "message": "ok"}]}

    assert list(row("", "componentstatuses", healthy).values()) == ["x", "Healthy", "ok", ""]
    assert row("", "componentstatuses")["Status"] == "Unknown"
