from tests.unit.apiserver.table.rows import row


def test_a_runtime_class_shows_its_handler() -> None:
    """The handler is what a node is configured with."""
    assert row("node.k8s.io", "runtimeclasses", {"handler": "h"})["Handler"] == "h"
