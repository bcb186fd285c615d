from tests.unit.apiserver.table.rows import row


def test_a_budget_shows_the_one_limit_that_it_sets() -> None:
    """The other one is not zero, but absent."""
    budget = row("policy", "poddisruptionbudgets", {"spec": {"minAvailable": "10%"}})

    assert (budget["Min Available"], budget["Max Unavailable"]) == ("10%", "N/A")
