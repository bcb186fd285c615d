from tests.unit.apiserver.table.rows import Kind, named, row, table

FLOW = "flowcontrol.apiserver.k8s.io"


def test_flow_schemas_are_in_the_order_in_which_they_are_asked() -> None:
    """The order is by precedence, then by name."""
    made = table(
        Kind(FLOW, "flowschemas"),
        named({"spec": {"matchingPrecedence": 9}}, name="c"),
        named({"spec": {"matchingPrecedence": 1}}, name="b"),
        named({"spec": {"matchingPrecedence": 1}}, name="a"),
    )

    assert [item["cells"][0] for item in made["rows"]] == ["a", "b", "c"]
    assert made["rows"][0]["cells"][3:] == ["<none>", "5m", "?"]


def test_a_priority_level_shows_its_queues() -> None:
    """A level without queues shows <none>."""
    limited = {
        "nominalConcurrencyShares": 30,
        "limitResponse": {"queuing": {"queues": 64, "handSize": 8, "queueLengthLimit": 50}},
    }

    found = row(FLOW, "prioritylevelconfigurations", {"spec": {"limited": limited}})

    assert list(found.values())[2:6] == [30, 64, 8, 50]
    assert list(row(FLOW, "prioritylevelconfigurations").values())[2:6] == ["<none>"] * 4
