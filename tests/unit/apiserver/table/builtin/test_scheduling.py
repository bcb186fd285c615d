from tests.unit.apiserver.table.rows import row


def test_a_priority_class_shows_its_value() -> None:
    """The row also tells whether it is the default class."""
    priority = row("scheduling.k8s.io", "priorityclasses", {"value": 5})

    assert (priority["Value"], priority["Global-Default"]) == (5, False)
