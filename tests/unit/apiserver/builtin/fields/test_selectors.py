"""Label selectors in specs."""

from typing import Any

import pytest

from kubewright.apiserver.builtin.fields.selectors import matches, selector_text, validate_selector

BAD_KEY = "name part must be non-empty"


@pytest.mark.parametrize(
    ("selector", "labels", "expected"),
    [
        (None, {}, False),
        ({}, {"a": "b"}, True),
        ({"matchLabels": {"a": "b"}}, {"a": "b", "c": "d"}, True),
        (
            {
                "matchLabels": {"a": "b"},
                "matchExpressions": [{"key": "c", "operator": "NotIn", "values": ["d"]}],
            },
            {"a": "b", "c": "d"},
            False,
        ),
        ({"matchExpressions": [{"key": "c", "operator": "Exists"}]}, {"c": ""}, True),
        ({"matchExpressions": [{"key": "c", "operator": "X"}]}, {}, None),
        ({"matchExpressions": [{"key": "c", "operator": "In"}]}, {}, None),
    ],
)
def test_a_selector_matches_as_kubernetes_does(
    selector: Any, labels: dict[str, str], expected: bool | None
) -> None:
    """None selects nothing, an empty one everything, and a malformed one is neither."""
    assert matches(selector, labels) is expected


def test_every_part_of_a_selector_is_checked() -> None:
    """Each message has the path of the part."""
    selector = {
        "matchLabels": {"": "v"},
        "matchExpressions": [{"key": "a", "operator": "Exists", "values": ["-"]}],
    }

    texts = [str(error) for error in validate_selector(selector, "s")]

    assert texts[0] == f's.matchLabels: Invalid value: "": {BAD_KEY}'
    assert texts[2] == (
        "s.matchExpressions[0].values: Forbidden: may not be specified when `operator` is"
        " 'Exists' or 'DoesNotExist'"
    )
    assert texts[3].startswith(
        's.matchExpressions[0].values[0]: Invalid value: "-": a valid label must be'
    )


def test_no_selector_has_no_text() -> None:
    """Clients would read it as everything otherwise."""
    assert selector_text(None) == ""
