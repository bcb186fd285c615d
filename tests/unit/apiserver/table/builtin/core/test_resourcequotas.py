from tests.unit.apiserver.table.rows import row


def test_a_quota_shows_requests_and_limits_apart() -> None:
    """Each entry shows the used amount and the limit."""
    hard = {"pods": "10", "limits.cpu": "1", "cpu": "2"}

    quota = row("", "resourcequotas", {"status": {"hard": hard, "used": {"pods": "3"}}})

    assert (quota["Request"], quota["Limit"]) == ("cpu: 0/2, pods: 3/10", "limits.cpu: 0/1")
